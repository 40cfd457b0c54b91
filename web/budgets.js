// What a run may still spend, draining as it goes.
import { el } from "./dom.js";

const SPENDS = {
  max_retries: (run) => Math.max(0, ...run.steps.map((step) => step.round)),
  max_searches: (run) => run.spent?.searches ?? run.reply?.usage.searches ?? 0,
  max_model_calls: (run) => run.spent?.model_calls ?? run.reply?.usage.model_calls ?? 0,
  max_tokens: (run) => tokens(run.spent ?? run.reply?.usage),
  max_tool_calls: (run) => run.spent?.tool_calls ?? run.reply?.usage.tool_calls ?? 0,
  deadline_s: (run) => seconds(run),
};

/** A bar for each budget; where the limits are not known, as of a record, the counts alone. */
export function budgets(run) {
  const limits = run.budget ?? {};
  const names = Object.keys(SPENDS).filter((name) => (run.budget ? name in limits : name !== "deadline_s"));
  const shown = names.filter((name) => run.mode === "agent" || name !== "max_tool_calls");
  return [el("h3", { key: run.budget ? "budget.title" : "budget.spent" }), el("dl", { class: "budgets" }, shown.map((name) => row(name, SPENDS[name](run), limits[name])))];
}

function row(name, used, limit) {
  const count = limit === undefined ? number(used) : `${number(Math.max(0, limit - used))} / ${number(limit)}`;
  const left = limit ? Math.max(0, 1 - used / limit) : 0;
  const bar = limit === undefined ? null : el("progress", { max: 1, value: left, class: left < 0.2 ? "low" : "", "aria-hidden": "true" });
  return el("div", {}, el("dt", { key: `budget.${name}` }), el("dd", {}, count, bar));
}

function tokens(spent) {
  if (!spent) return 0;
  return [spent.reported, spent.estimated].reduce((sum, one) => sum + (one ? one.input_tokens + one.output_tokens : 0), 0);
}

function seconds(run) {
  if (run.reply) return run.reply.timings.total_ms / 1000;
  return run.ended ? 0 : (Date.now() - run.began) / 1000;
}

function number(value) {
  return Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(1);
}
