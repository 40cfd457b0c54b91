// Pick a step of a thread, change a dial or a sub-question, run anew from there, and see both runs side by side.
import { json } from "./api.js";
import { modeChoice } from "./ask.js";
import { compare } from "./compare.js";
import { button, check, el, field } from "./dom.js";
import { newRun, ofRecord } from "./run.js";
import { timeline } from "./steps.js";
import { panels, watch } from "./watch.js";

const DIALS = { threshold: 0.05, top_k: 1, max_retries: 1, max_searches: 1, max_model_calls: 1, max_tokens: 100, deadline_s: "any" };

/** The steps of a thread as a timeline, each with a way to run anew from it. */
export function replayable(thread, steps) {
  const outcome = el("div", {});
  const place = el("div", {});
  const pick = (step, at) => {
    const form = replayForm(step, stateAt(steps, at), (body) => run(body));
    place.replaceChildren(form);
    form.querySelector("h3").focus();
  };
  const run = async (body) => {
    const shown = panels();
    outcome.replaceChildren(el("h2", { key: "replay.running" }), shown.node);
    outcome.scrollIntoView({ behavior: "smooth", block: "start" });
    const replayed = await watch(newRun(thread.question), shown, { path: `/threads/${thread.thread_id}/replay`, body });
    if (replayed.reply) outcome.replaceChildren(...await compare(recorded(thread, steps, body.checkpoint_id), replayed));
  };
  const act = (step, at) => (step.next.length ? button("replay.from", () => pick(step, at), { class: "quiet small" }) : null);
  return el("section", {}, el("div", { class: "card" }, el("h2", { key: "steps.history" }), timeline(steps, act)), place, outcome);
}

/** The turn that a step belongs to, as a run; only of the latest one is the whole reply kept. */
function recorded(thread, steps, checkpoint) {
  const at = steps.findIndex((step) => step.checkpoint_id === checkpoint);
  const starts = steps.flatMap((step, place) => (step.node === "start" ? [place] : []));
  const first = Math.max(0, starts.findLastIndex((place) => place <= at));
  const isLatest = first >= starts.length - 1;
  const turn = steps.slice(starts[first] ?? 0, starts[first + 1]);
  const run = ofRecord(thread.question, isLatest ? thread.reply : null, turn);
  run.ids = isLatest ? { thread: thread.thread_id } : null;
  run.told = isLatest ? "" : thread.turns[first]?.answer ?? "";
  return run;
}

/** What the steps up to this one left as question, checklist and queries. */
function stateAt(steps, at) {
  const known = {};
  for (const { node, changed } of steps.slice(0, at + 1)) {
    if (node === "start") Object.assign(known, { sub_questions: [], rewritten_queries: [] });
    Object.assign(known, changed);
  }
  return known;
}

function replayForm(step, known, run) {
  const dials = Object.entries(DIALS).map(([name, by]) => [name, el("input", { type: "number", min: 0, step: by, inputmode: "decimal" })]);
  const { select, hint } = modeChoice("replay.as_recorded");
  const edits = editable(step, known);
  const form = el("form", { class: "card replay" },
    el("h3", { tabindex: "-1" }, el("span", { key: "replay.title" }), " ", el("span", { key: `node.${step.node}` }), " · ", el("span", { key: ["graph.round", { round: step.round + 1 }] })),
    el("p", { class: "faint", key: "replay.hint" }),
    edits.map((edit) => edit.node),
    el("div", {}, field("ask.mode", select), hint),
    el("fieldset", {}, el("legend", { key: "replay.dials" }), el("div", { class: "numbers" }, dials.map(([name, input]) => field(`budget.${name}`, input)))),
    el("div", { class: "row" }, el("button", { type: "submit", class: "primary", key: "replay.run" })));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const turned = dials.filter(([, input]) => input.value !== "").map(([name, input]) => [name, Number(input.value)]);
    const state = Object.assign({}, ...edits.map((edit) => edit.value()), select.value ? { mode: select.value } : {});
    run({ checkpoint_id: step.checkpoint_id, state, dials: Object.fromEntries(turned) });
  });
  return form;
}

/** What the next node still reads, and so what can be changed: the question before all, then checklist and queries. */
function editable(step, known) {
  if (step.node === "start") return [questionEdit(known.question ?? "")];
  const edits = known.sub_questions?.length ? [checklistEdit(known.sub_questions)] : [];
  return step.next.includes("retrieve") && known.rewritten_queries?.length ? [...edits, queriesEdit(known.rewritten_queries)] : edits;
}

function questionEdit(question) {
  const input = el("textarea", { rows: 2 });
  input.value = question;
  return { node: field("ask.question", input), value: () => (input.value === question ? {} : { question: input.value }) };
}

function checklistEdit(questions) {
  const rows = el("div", { class: "rows" });
  const add = (question) => {
    const input = el("input", { type: "text", value: question.text });
    const required = check("replay.required", question.required);
    rows.append(el("div", { class: "edit" }, field("replay.sub_question", input), required.row));
    inputs.push(() => ({ ...(question.id && { id: question.id }), text: input.value.trim(), required: required.box.checked }));
  };
  const inputs = [];
  questions.forEach(add);
  const node = el("fieldset", {}, el("legend", { key: "checklist.title" }), rows, button("replay.add", () => add({ text: "", required: true }), { class: "quiet small" }));
  const value = () => {
    const now = inputs.map((read) => read()).filter((question) => question.text);
    return JSON.stringify(now) === JSON.stringify(questions.map(({ id, text, required }) => ({ id, text, required }))) ? {} : { sub_questions: now };
  };
  return { node, value };
}

function queriesEdit(queries) {
  const before = queries.map((query) => query.text).join("\n");
  const input = el("textarea", { rows: Math.min(6, queries.length + 1) });
  input.value = before;
  const gaps = new Map(queries.map((query) => [query.text, query.gap]));
  const value = () => {
    const lines = input.value.split("\n").map((line) => line.trim()).filter(Boolean);
    return input.value === before ? {} : { rewritten_queries: lines.map((line) => ({ text: line, gap: gaps.get(line) ?? null })) };
  };
  return { node: field("replay.queries", input, "replay.queries_hint"), value };
}
