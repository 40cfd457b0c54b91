// The checklist as it fills: each sub-question with its best grade, its evidence, and what is missing or in conflict.
import { el, fold } from "./dom.js";
import { openPassage } from "./passage.js";

export function checklist(run) {
  if (!run.checklist.length) return [];
  const open = new Map(run.gaps.map((gap) => [gap.sub_question_id, gap.kind]));
  return [
    el("h3", { key: "checklist.title" }),
    el("ul", { class: "checklist" }, run.checklist.map((entry) => item(entry, standing(entry, open, run)))),
    ...conflicts(run),
    ...missing(run),
  ];
}

/** confirmed, conflict or open; while the run goes on, as far as its gaps tell. */
function standing(entry, open, run) {
  if (entry.status) return entry.status;
  if (open.get(entry.id) === "conflict") return "conflict";
  const judged = run.steps.some((step) => step.node === "evaluate");
  return judged && entry.evidence && !open.has(entry.id) ? "confirmed" : "open";
}

function item(entry, status) {
  const line = el("div", { class: "line" }, el("span", {}, entry.text), el("span", { class: `badge ${status}`, key: `entry.${status}` }));
  const meter = el("meter", { min: 0, max: 1, low: 0.5, high: 0.7, optimum: 1, value: entry.best, "aria-label": entry.text });
  const facts = el("div", { class: "line faint" }, meter, el("span", {}, entry.best.toFixed(2)),
    entry.required ? null : el("span", { key: "checklist.optional" }));
  return el("li", { class: status }, line, facts, entry.found?.length ? evidence(entry.found) : null);
}

function evidence(found) {
  return fold(["checklist.evidence", { count: found.length }], el("ul", { class: "evidence" }, found.map((one) => el("li", {}, source(one), grade(one)))));
}

function grade(one) {
  return el("p", { class: "faint" }, `${one.grade.score.toFixed(2)} · ${one.grade.reason}`,
    one.superseded ? el("span", { class: "badge open", key: ["checklist.superseded", { title: one.superseded.title }] }) : null);
}

/** A quote that opens its passage. */
export function source(one, lead = "") {
  if (one.deleted) return el("p", { class: "faint", key: "passage.deleted" });
  return el("button", { type: "button", class: "source", on: { click: () => openPassage(one) } },
    el("strong", {}, lead + (one.title || one.doc_id)), el("span", { class: "quote" }, one.quote));
}

function conflicts(run) {
  const told = run.conflicts.filter((one) => one.text !== undefined);
  if (!told.length) return [];
  const cards = told.map((one) => el("div", { class: "notice warn" }, el("p", {}, one.text),
    el("ul", { class: "evidence" }, one.sides.map((side) => el("li", {}, source(side, side.value ? `${side.value} — ` : ""))))));
  return [el("h3", { key: "checklist.conflicts" }), ...cards];
}

function missing(run) {
  const gaps = run.reply ? run.reply.missing : run.gaps.filter((gap) => gap.kind === "missing");
  if (!gaps.length) return [];
  const lines = gaps.map((gap) => el("li", {}, gap.text, gap.tried.length ? el("small", { key: ["checklist.tried", { queries: gap.tried.join(" · ") }] }) : null));
  return [el("h3", { key: "checklist.missing" }), el("ul", { class: "missing" }, lines)];
}
