// Ask a question and watch it being answered.
import { json, request } from "./api.js";
import { button, check, el, field, fold } from "./dom.js";
import { language, sayAttribute, text } from "./language.js";
import { newRun } from "./run.js";
import { panels, watch } from "./watch.js";

const BUDGETS = ["max_retries", "max_searches", "max_model_calls", "max_tokens", "deadline_s"];

/** The view; `thread` goes on in that thread, `signal` ends what is followed when the view is left. */
export function askView({ thread, signal }) {
  const form = questionForm(thread);
  const place = el("div", {});
  const stop = button("ask.stop", () => stopping(), { class: "danger", hidden: true });
  form.row.append(stop);
  let run = null;
  const stopping = () => run?.ids && request("POST", `/runs/${run.ids.run}/cancel`).catch((error) => form.complain(error.message));
  form.node.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = form.body();
    if (!body || (run && !run.ended)) return;
    run = newRun(body.question, body.mode ?? form.defaultMode());
    const shown = panels();
    place.replaceChildren(shown.node);
    form.node.classList.add("busy");
    stop.hidden = false;
    await watch(run, shown, { path: "/ask", body, signal });
    stop.hidden = true;
    form.node.classList.remove("busy");
    if (run.ids) shown.links.append(afterwards(run));
  });
  return [el("h1", { class: "unseen", key: "nav.ask" }), form.node, place];
}

function afterwards(run) {
  return el("p", { class: "links middle" },
    el("a", { href: `#/threads/${run.ids.thread}`, key: "ask.history" }),
    run.interrupt ? null : el("a", { href: `#/ask/${run.ids.thread}`, key: "ask.follow_up" }));
}

function questionForm(thread) {
  const question = el("textarea", { id: "question", rows: 2, required: true });
  sayAttribute(question, "placeholder", "ask.placeholder");
  question.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    node.requestSubmit();
  });
  const options = optionFields();
  const complaint = el("p", { class: "notice bad", role: "alert", hidden: true });
  const complain = (sentence) => {
    complaint.textContent = sentence ?? "";
    complaint.hidden = !sentence;
  };
  const row = el("div", { class: "row" }, el("button", { type: "submit", class: "primary", key: "ask.button" }));
  const node = el("form", { class: "card ask" }, thread ? el("p", { class: "faint", key: ["ask.in_thread", { thread: thread.slice(0, 8) }] }) : null,
    field(thread ? "ask.next_question" : "ask.question", question), row, options.node, complaint);
  const body = () => {
    complain(null);
    try {
      return { question: question.value, ...(thread && { thread_id: thread }), ...options.values() };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      complain(text("ask.bad_filter"));
      return null;
    }
  };
  return { node, row, body, complain, defaultMode: options.defaultMode };
}

function optionFields() {
  const { select, hint, standard } = modeChoice();
  const filters = el("textarea", { rows: 2, class: "code", spellcheck: "false", placeholder: '{"year": 2024}' });
  const draft = check("ask.draft");
  const handoff = check("ask.handoff");
  const numbers = BUDGETS.map((name) => [name, el("input", { type: "number", min: 0, step: name === "deadline_s" ? "any" : 1, inputmode: "numeric" })]);
  const node = fold("ask.options",
    el("div", { class: "options" }, el("div", {}, field("ask.mode", select), hint), field("ask.filters", filters, "ask.filters_hint")),
    el("div", { class: "checks" }, draft.row, handoff.row),
    el("fieldset", {}, el("legend", { key: "ask.budget" }), el("div", { class: "numbers" }, numbers.map(([name, input]) => field(`budget.${name}`, input)))));
  const values = () => {
    const budget = Object.fromEntries(numbers.filter(([, input]) => input.value !== "").map(([name, input]) => [name, Number(input.value)]));
    return {
      ...(select.value && { mode: select.value }),
      ...(filters.value.trim() && { filters: JSON.parse(filters.value) }),
      ...(Object.keys(budget).length && { budget }),
      ...(draft.box.checked && { draft: true }),
      ...(handoff.box.checked && { handoff: true }),
    };
  };
  return { node, values, defaultMode: standard };
}

/** The modes of this server, with what the chosen one does. */
export function modeChoice(first = "ask.mode_default") {
  const select = el("select", {}, el("option", { value: "", key: first }));
  const hint = el("small", {});
  let modes = { default: null, modes: [] };
  const tell = () => {
    const chosen = modes.modes.find((one) => one.mode === (select.value || modes.default));
    hint.textContent = chosen ? `${chosen.mode}: ${chosen.why_not ?? chosen.summary[language()]}` : "";
  };
  json("GET", "/modes").then((found) => {
    modes = found;
    select.append(...found.modes.map((one) => el("option", { value: one.mode, disabled: !one.available }, one.mode)));
    tell();
  }).catch((error) => (hint.textContent = error.message));
  select.addEventListener("change", tell);
  document.addEventListener("language", tell);
  return { select, hint, standard: () => modes.default };
}
