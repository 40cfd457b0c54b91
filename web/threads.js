// The threads, newest first, and one of them: its turns, its last reply, a person's box, its steps.
import { Problem, json, request } from "./api.js";
import { button, el, field } from "./dom.js";
import { language } from "./language.js";
import { replayable } from "./replay.js";
import { newRun, ofRecord } from "./run.js";
import { panels, watch } from "./watch.js";

/** The list; `waiting` keeps to those that wait for a person. */
export function threadsView({ waiting }) {
  const list = el("ul", { class: "threads" });
  const below = el("div", {});
  const more = async (after) => {
    const query = new URLSearchParams({ limit: 30, ...(waiting && { status: "awaiting_human" }), ...(after && { after }) });
    const page = await json("GET", `/threads?${query}`);
    list.append(...page.threads.map(row));
    const next = page.next ? [button("more", () => load(page.next))] : [];
    below.replaceChildren(...(list.children.length ? [] : [el("p", { class: "faint", key: waiting ? "threads.none_waiting" : "threads.none" })]), ...next);
  };
  const load = (after) => more(after).catch((error) => below.replaceChildren(el("p", { class: "notice bad", role: "alert" }, error.message)));
  load();
  const tabs = el("p", { class: "tabs" },
    el("a", { href: "#/threads", key: "threads.all", "aria-current": waiting ? null : "page" }),
    el("a", { href: "#/threads/waiting", key: "threads.waiting", "aria-current": waiting ? "page" : null }));
  return [el("h1", { key: "nav.threads" }), tabs, list, below];
}

function row(thread) {
  const missing = thread.missing?.length ? el("small", { key: ["threads.missing", { list: thread.missing.join(" · ") }] }) : null;
  return el("li", {}, el("a", { class: "card thread", href: `#/threads/${thread.thread_id}` },
    el("span", { class: "line" }, el("strong", {}, thread.question ?? "…"), badge(thread)),
    el("span", { class: "faint" }, moment(thread.updated_at), " · ", el("span", { key: ["threads.turns", { count: thread.turns }] })), missing));
}

function badge(thread) {
  if (thread.running) return el("span", { class: "badge running", key: "status.running" });
  if (thread.unfinished) return el("span", { class: "badge failed", key: "status.unfinished" });
  return thread.status ? el("span", { class: `badge ${thread.status}`, key: `status.${thread.status}` }) : null;
}

function moment(iso) {
  return new Date(iso).toLocaleString(language() === "zh" ? "zh-CN" : "en", { dateStyle: "medium", timeStyle: "short" });
}

/** One thread. */
export function threadView({ thread, signal, again }) {
  const place = el("div", {}, el("p", { class: "faint", key: "loading" }));
  load(thread, place, signal, again).catch((error) => {
    if (!(error instanceof Problem)) throw error;
    place.replaceChildren(el("p", { class: "notice bad", role: "alert" }, error.message));
  });
  return [el("p", { class: "links" }, el("a", { href: "#/threads", key: "threads.back" })), place];
}

async function load(id, place, signal, again) {
  const address = `/threads/${encodeURIComponent(id)}`;
  const [thread, history] = await Promise.all([json("GET", address), json("GET", `${address}/history`)]);
  const shown = panels({ withSteps: false });
  const steps = history.steps.slice(history.steps.findLastIndex((step) => step.node === "start"));
  place.replaceChildren(
    ...earlier(thread), el("h1", {}, thread.question ?? "…"), ...(thread.reply ? [] : [badge(thread) ?? ""]), shown.node,
    ...(thread.status === "awaiting_human" ? [replyBox(address, again)] : []),
    replayable(thread, history.steps), actions(thread, address));
  if (!thread.running) return shown.show(ofRecord(thread.question, thread.reply, steps));
  await watch(newRun(thread.question), shown, { runId: thread.running, signal });
  return again();
}

function earlier(thread) {
  const turns = thread.reply && thread.status !== "awaiting_human" ? thread.turns.slice(0, -1) : thread.turns;
  return turns.map((turn) => el("details", { class: "card" }, el("summary", {}, turn.question), el("p", { class: "words" }, turn.answer)));
}

function replyBox(address, again) {
  const words = el("textarea", { rows: 4, required: true, maxlength: 20000 });
  const name = el("input", { type: "text", maxlength: 100, autocomplete: "name" });
  const complaint = el("p", { class: "notice bad", role: "alert", hidden: true });
  const send = async (body) => {
    try {
      await json("POST", `${address}/reply`, { body });
      again();
    } catch (error) {
      complaint.textContent = error.message;
      complaint.hidden = false;
    }
  };
  const form = el("form", { class: "card reply" }, el("h2", { key: "reply.title" }), el("p", { class: "faint", key: "reply.hint" }),
    field("reply.text", words), field("reply.name", name),
    el("div", { class: "row" }, el("button", { type: "submit", class: "primary", key: "reply.send" }), button("reply.decline", () => send({ decline: true }))), complaint);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send({ text: words.value, ...(name.value.trim() && { name: name.value.trim() }) });
  });
  return form;
}

function actions(thread, address) {
  const sure = button("threads.delete_sure", async (event) => {
    try {
      await request("DELETE", address);
      location.hash = "#/threads";
    } catch (error) {
      event.target.replaceWith(el("span", { class: "notice bad" }, error.message));
    }
  }, { class: "danger" });
  const ask = button("threads.delete", () => { ask.replaceWith(sure); sure.focus(); }, { class: "quiet" });
  const waits = thread.status === "awaiting_human"; // and takes no question meanwhile
  return el("div", { class: "row" }, waits ? null : el("a", { class: "button", href: `#/ask/${thread.thread_id}`, key: "ask.follow_up" }), ask);
}
