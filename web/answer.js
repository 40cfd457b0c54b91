// The answer as it comes, its citations, and why the machine stopped, in words.
import { el, fold } from "./dom.js";
import { source } from "./checklist.js";
import { openPassage } from "./passage.js";

/** What is to be read of a run: the draft until there is an answer, then the answer with its sources. */
export function answer(run) {
  return [...state(run), ...draft(run), ...said(run), ...sources(run), ...warnings(run)];
}

function state(run) {
  if (run.error) return [el("p", { class: "notice bad", role: "alert" }, run.error)];
  if (run.lost) return [el("p", { class: "notice warn", key: "run.lost" })];
  const reply = run.reply ?? run.outcome;
  if (!reply?.status) return [];
  const badge = el("span", { class: `badge ${reply.status}`, key: `status.${reply.status}` });
  const why = reply.status === "awaiting_human" ? "stop.awaiting" : `stop.${reply.stop_reason}`;
  const score = run.reply?.ledger.length ? el("span", { class: "faint", key: ["answer.score", { score: reply.relevance_score.toFixed(2) }] }) : null;
  return [el("p", { class: "outcome" }, badge, el("span", { key: why }), score)];
}

function draft(run) {
  if (run.draft && !run.told) return [el("div", { class: "draft" }, el("p", { class: "badge open", key: "answer.draft" }), cited(run.draft.text, run.draft.citations))];
  const told = run.reply?.draft;
  if (!told) return [];
  return [fold("answer.draft_was", el("p", { class: "faint", key: `verdict.${told.verdict}` }), cited(told.text, run.draft?.citations ?? []))];
}

function said(run) {
  const words = run.reply?.answer ?? run.told;
  if (!words) return [];
  return [el("div", { class: run.reply ? "answer" : "answer coming" }, cited(words, run.reply?.citations ?? []))];
}

/** A text whose `[n]` open what they name. */
export function cited(words, citations) {
  const known = new Map(citations.map((citation) => [String(citation.number), citation]));
  // A number keeps the stop behind it: no line begins with one.
  const pieces = words.split(/\[(\d+)\]([。，；：！？.,;:!?]?)/);
  const shown = [];
  for (let at = 0; at < pieces.length; at += 3) {
    const [plain, number, stop] = pieces.slice(at, at + 3);
    shown.push(plain);
    if (number) shown.push(el("span", { class: "nobreak" }, mark(number, known.get(number)), stop));
  }
  return el("p", { class: "words" }, shown);
}

function mark(number, citation) {
  if (!citation) return el("sup", {}, `[${number}]`);
  const open = { type: "button", class: "cite", title: citation.title, "aria-label": `[${number}] ${citation.title}`, on: { click: () => openPassage(citation) } };
  return el("button", open, number);
}

function sources(run) {
  const citations = run.reply?.citations ?? [];
  if (!citations.length) return [];
  const items = citations.map((one) => el("li", {}, one.person ? el("span", { class: "badge human", key: "answer.person" }) : null, source(one, `[${one.number}] `), alsoIn(one)));
  return [el("h3", { key: "answer.sources" }), el("ul", { class: "evidence" }, items)];
}

function alsoIn(one) {
  return one.also_in?.length ? el("small", { key: ["answer.also_in", { documents: one.also_in.join(", ") }] }) : null;
}

function warnings(run) {
  return (run.reply?.warnings ?? []).map((sentence) => el("p", { class: "notice warn" }, sentence));
}
