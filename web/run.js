// What is known of a run so far: events go in, and what the panels show comes out. No part of it touches the page.

/** A run of which nothing has come yet. */
export function newRun(question, mode = null) {
  return {
    question, mode, ids: null, began: Date.now(), nodes: {}, edges: {}, at: null, steps: [], budget: null, spent: null,
    checklist: [], gaps: [], conflicts: [], draft: null, told: "", reply: null, interrupt: null, error: null, lost: false,
    ended: false, outcome: null,
  };
}

const TAKES = {
  run(run, data) {
    run.ids = { thread: data.thread_id, run: data.run_id };
    run.mode = data.mode;
    run.budget = data.budget ?? null;
  },
  node(run, data) {
    if (data.phase === "start") begin(run, data);
    else end(run, data);
  },
  token(run, data) { run.told += data.text; },
  draft(run, data) { run.draft = data; },
  interrupt(run, data) { run.interrupt = data; },
  answer(run, data) { settle(run, data); },
  error(run, data) { run.error = data.detail; },
  done(run, data) {
    run.ended = true;
    run.outcome = data;
  },
  lost() {},
};

/** Take in one event. */
export function take(run, event) {
  run.lost = event.type === "lost";
  TAKES[event.type]?.(run, event.data);
  return run;
}

function begin(run, { name, round }) {
  const from = run.at;
  if (from) run.edges[`${from}>${name}`] = (run.edges[`${from}>${name}`] ?? 0) + 1;
  run.at = name;
  run.nodes[name] = { ...run.nodes[name], state: "running", round };
}

function end(run, { name, round, duration_ms: ms, changed }) {
  const before = run.nodes[name];
  run.nodes[name] = { state: "done", round, ms: (before?.ms ?? 0) + ms, times: (before?.times ?? 0) + 1 };
  run.steps.push({ node: name, round, duration_ms: ms, changed });
  learn(run, changed);
}

/** What a step changed of the checklist, the gaps and the counts. */
function learn(run, changed) {
  if (changed.sub_questions) {
    const known = new Map(run.checklist.map((entry) => [entry.id, entry]));
    run.checklist = changed.sub_questions.map((q) => ({ best: 0, evidence: 0, ...known.get(q.id), ...q }));
  }
  for (const entry of changed.ledger ?? []) {
    const found = run.checklist.find((q) => q.id === entry.sub_question_id);
    if (found) Object.assign(found, { best: entry.best, evidence: entry.evidence });
  }
  for (const name of ["gaps", "conflicts", "spent"]) if (changed[name]) run[name] = changed[name];
}

/** The reply, which says all of it once more and whole. */
function settle(run, reply) {
  run.reply = reply;
  run.conflicts = reply.conflicts;
  run.checklist = reply.ledger.map((entry) => ({
    id: entry.sub_question_id, text: entry.text, required: entry.required, best: entry.score, status: entry.status,
    evidence: entry.evidence.length, found: entry.evidence,
  }));
}

/** A run that has ended, of which only the reply and the steps of its history are left. */
export function ofRecord(question, reply, steps) {
  const run = newRun(question, reply?.mode ?? null);
  for (const step of steps) {
    if (step.node === "start") continue;
    begin(run, { name: step.node, round: step.round });
    end(run, { ...step, name: step.node });
  }
  if (reply) settle(run, reply);
  run.ended = true;
  return run;
}
