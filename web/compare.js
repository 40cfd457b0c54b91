// Two runs side by side: by the server's own comparison where it has one, else by their replies and steps.
import { answer } from "./answer.js";
import { json } from "./api.js";
import { el } from "./dom.js";
import { duration, graph } from "./graph.js";
import { source } from "./checklist.js";

/** The comparison of a recorded run with the one that was replayed from it. */
export async function compare(before, after) {
  const found = await compared(before, after);
  return [
    el("h2", { key: "compare.title" }),
    notes(after.reply),
    el("div", { class: "card scroll", tabindex: "0", role: "group" }, table(before, after)),
    el("div", { class: "sides" }, side("compare.before", before), side("compare.after", after)),
    ...words(found.answer?.words ?? []),
    ...lists("compare.queries", found.queries, (query) => el("p", {}, query)),
    ...lists("compare.evidence", found.evidence, (one) => source(one)),
    el("p", { class: "links" }, el("a", { href: `#/threads/${after.ids.thread}`, key: "compare.open" })),
  ];
}

async function compared(before, after) {
  const here = { queries: diff(queries(before), queries(after), (query) => query), evidence: diff(evidence(before), evidence(after), (one) => one.chunk_id) };
  if (!before.ids) return here;
  const told = await json("GET", `/threads/${before.ids.thread}/diff/${after.ids.thread}`).catch(() => null);
  return told ?? here; // a server without comparisons says 404
}

const queries = (run) => [...new Set(run.steps.flatMap((step) => (step.changed.tried ?? step.changed.rewritten_queries ?? []).map((query) => query.text)))];
const evidence = (run) => (run.reply?.ledger ?? []).flatMap((entry) => entry.evidence);

function diff(before, after, key) {
  const [old, now] = [new Set(before.map(key)), new Set(after.map(key))];
  return { lost: before.filter((one) => !now.has(key(one))), gained: after.filter((one) => !old.has(key(one))) };
}

function notes({ ran, edited, differs }) {
  const said = [["compare.ran", ran], ["compare.edited", edited], ["compare.differs", differs]];
  return el("p", { class: "faint" }, said.filter(([, list]) => list?.length).map(([key, list]) => el("span", { class: "note", key: [key, { list: list.join(", ") }] })));
}

const ROWS = {
  status: (run) => run.reply && el("span", { key: `status.${run.reply.status}` }),
  stop: (run) => run.reply?.stop_reason && el("span", { key: `stop.${run.reply.stop_reason}` }),
  score: (run) => run.reply?.relevance_score.toFixed(2),
  rounds: (run) => String(Math.max(0, ...run.steps.map((step) => step.round)) + 1),
  searches: (run) => run.reply && String(run.reply.usage.searches),
  model_calls: (run) => run.reply && String(run.reply.usage.model_calls),
  time: (run) => run.reply && duration(run.reply.timings.total_ms),
};

function table(before, after) {
  const rows = Object.entries(ROWS).map(([name, cell]) => el("tr", {}, el("th", { scope: "row", key: `compare.${name}` }), el("td", {}, cell(before) ?? "–"), el("td", {}, cell(after) ?? "–")));
  const head = el("tr", {}, el("td", {}), el("th", { scope: "col", key: "compare.before" }), el("th", { scope: "col", key: "compare.after" }));
  return el("table", {}, el("thead", {}, head), el("tbody", {}, rows));
}

function side(key, run) {
  const { picture, draw } = graph({ upright: true });
  draw(run);
  return el("section", { class: "card" }, el("h3", { key }), picture, answer(run));
}

function words(pieces) {
  if (!pieces.length) return [];
  const tags = { same: "span", before: "del", after: "ins" };
  return [el("section", { class: "card" }, el("h3", { key: "compare.words" }), el("p", { class: "words" }, pieces.map((piece) => el(tags[piece.kind] ?? "span", {}, piece.text))))];
}

function lists(key, { lost, gained }, show) {
  if (!lost.length && !gained.length) return [];
  const column = (name, items) => el("div", {}, el("h4", { key: name }), items.length ? el("ul", { class: "evidence" }, items.map((one) => el("li", {}, show(one)))) : el("p", { class: "faint" }, "–"));
  return [el("section", { class: "card" }, el("h3", { key }), el("div", { class: "sides" }, column("compare.lost", lost), column("compare.gained", gained)))];
}
