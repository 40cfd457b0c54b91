// Steps as a timeline: each with its round, its time, and what it changed, in a line and in full.
import { el, fold } from "./dom.js";
import { duration } from "./graph.js";
import { text } from "./language.js";

/** A list of steps; `act(step, at)` may add an element to each. */
export function timeline(steps, act = () => null) {
  return el("ol", { class: "timeline" }, steps.map((step, at) => row(step, act(step, at))));
}

function row(step, more) {
  const line = el("div", { class: "line" },
    el("strong", { key: `node.${step.node}` }),
    step.node === "start" ? null : el("span", { class: "faint", key: ["graph.round", { round: step.round + 1 }] }),
    el("span", { class: "faint" }, duration(step.duration_ms)), more);
  return el("li", { class: step.node }, line, el("p", { class: "words small" }, summary(step)), why(step),
    Object.keys(step.changed).length ? fold("steps.full", el("pre", { tabindex: "0" }, JSON.stringify(step.changed, null, 2))) : null);
}

/** What a step changed, in a line: queries and questions in their own words, anything else counted. */
function summary({ changed }) {
  const parts = [];
  if (changed.question) parts.push(changed.question);
  if (changed.standalone) parts.push(changed.standalone);
  if (changed.sub_questions) parts.push(text("steps.sub_questions", { list: changed.sub_questions.map((q) => q.text).join(" · ") }));
  if (changed.rewritten_queries?.length) parts.push(text("steps.queries", { list: changed.rewritten_queries.map((q) => q.text).join(" · ") }));
  for (const call of changed.tool_calls ?? []) parts.push(`${call.tool} ${JSON.stringify(call.arguments)} ${call.remark}`);
  if (changed.docs) parts.push(text("steps.docs", { count: changed.docs.length }));
  if (changed.relevance_score !== undefined) parts.push(text("answer.score", { score: changed.relevance_score.toFixed(2) }));
  if (changed.gaps?.length) parts.push(text("steps.gaps", { count: changed.gaps.length }));
  if (changed.stop_reason) parts.push(text(`stop.${changed.stop_reason}`));
  if (changed.citations?.length) parts.push(text("steps.citations", { count: changed.citations.length }));
  return parts.join("\n");
}

function why(step) {
  return step.why?.sentence ? el("p", { class: "faint small" }, `→ ${step.why.sentence}`) : null;
}
