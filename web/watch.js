// One run on the page: its graph, answer, checklist, budgets and steps, brought up to date with each event.
import { answer } from "./answer.js";
import { budgets } from "./budgets.js";
import { checklist } from "./checklist.js";
import { el, renew } from "./dom.js";
import { duration, graph } from "./graph.js";
import { text } from "./language.js";
import { take } from "./run.js";
import { timeline } from "./steps.js";
import { follow } from "./stream.js";
import { Problem } from "./api.js";

/** The panels of a run. `show(run)` draws them; of a record that has its own timeline, without `steps`. */
export function panels({ withSteps = true } = {}) {
  const drawn = graph();
  const now = el("p", { class: "now faint" });
  const links = el("div", {});
  const parts = {
    answer: el("section", { class: "card grow" }),
    checklist: el("section", { class: "card" }),
    budgets: el("section", { class: "card" }),
    steps: el("section", { class: "card" }),
  };
  const side = el("div", { class: "side" }, parts.checklist, parts.budgets, withSteps ? parts.steps : null);
  const node = el("div", { class: "run" }, el("section", { class: "card picture" }, drawn.picture, now, links), el("div", { class: "columns" }, parts.answer, side));
  let shown = null;
  const show = (run) => {
    shown = run;
    drawn.draw(run);
    now.textContent = moment(run);
    renew(parts.answer, answer(run));
    renew(parts.checklist, checklist(run));
    renew(parts.budgets, budgets(run));
    if (withSteps) renew(parts.steps, run.steps.length ? [el("h3", { key: "steps.title" }), timeline(run.steps)] : []);
  };
  document.addEventListener("language", () => shown && node.isConnected && show(shown));
  const tick = (run) => {
    now.textContent = moment(run);
    renew(parts.budgets, budgets(run));
  };
  return { node, links, show, tick };
}

/** Follow a run to its end on its panels, and hand it back; a refusal is shown in its place. */
export async function watch(run, shown, source) {
  shown.show(run);
  const ticking = setInterval(() => run.ended || shown.tick(run), 500);
  try {
    for await (const event of follow(source)) {
      take(run, event);
      shown.show(run);
      announce(run, event);
    }
  } catch (error) {
    if (error.name !== "AbortError" && !(error instanceof Problem)) throw error;
    if (error.name !== "AbortError") run.error = error.message;
  } finally {
    clearInterval(ticking);
    run.ended = true;
    run.lost = false;
    shown.show(run);
  }
  return run;
}

function moment(run) {
  if (run.reply) return text("run.took", { time: duration(run.reply.timings.total_ms) });
  if (run.ended || !run.at) return run.ended ? "" : text("run.begins");
  return text("run.now", { node: text(`node.${run.at}`), round: run.nodes[run.at].round + 1, time: duration(Date.now() - run.began) });
}

/** Tell those who hear the page which node has begun, and how the run ended; not every word of the answer. */
function announce(run, { type, data }) {
  const place = document.getElementById("announce");
  if (type === "node" && data.phase === "start") place.textContent = text("run.spoken", { node: text(`node.${data.name}`), round: data.round + 1 });
  if (type === "answer") place.textContent = `${text(`status.${data.status}`)}. ${data.answer}`;
  if (type === "error") place.textContent = data.detail;
}
