// Server-sent events over fetch: EventSource can neither post nor send a key. A stream that breaks is taken up again.
import { Problem, request } from "./api.js";
import { text } from "./language.js";

const WAITS_MS = [300, 1000, 2000, 4000, 8000, 8000];

/** The events of one response: `{type, id, data}`. */
export async function* read(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let kept = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const frames = (kept + value).replaceAll("\r\n", "\n").split("\n\n");
      kept = frames.pop();
      for (const frame of frames) {
        const event = parse(frame);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // a stream that broke has nothing left to cancel
  }
}

/** One frame; null for a comment, such as a ping. */
export function parse(frame) {
  const fields = { event: "message", id: "", data: [] };
  for (const line of frame.split("\n")) {
    const [, name, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name === "data") fields.data.push(value);
    else if (name) fields[name] = value;
  }
  if (!fields.data.length) return null;
  return { type: fields.event, id: fields.id, data: JSON.parse(fields.data.join("\n")) };
}

/** The events of a run to its `done`, begun by posting `body` to `path`, or by looking on at the run `runId`. */
export async function* follow({ path, body, runId, signal }) {
  let last = "0";
  let open = () => (runId ? again(runId, last, signal) : post(path, body, signal));
  for (let losses = 0; ; ) {
    try {
      for await (const event of read(await open())) {
        runId ??= event.data.run_id;
        last = event.id || last;
        losses = 0;
        yield event;
        if (event.type === "done") return;
      }
    } catch (error) {
      if (!isLoss(error, runId)) throw error;
    }
    if (!runId || losses === WAITS_MS.length) throw new Problem(text("error.lost"), "lost", 0);
    yield { type: "lost", data: {} };
    await wait(WAITS_MS[losses], signal);
    losses += 1;
  }
}

function post(path, body, signal) {
  const headers = { Accept: "text/event-stream" };
  return request("POST", path, { body: { ...body, on_disconnect: "continue" }, headers, signal });
}

function again(runId, last, signal) {
  return request("GET", `/runs/${encodeURIComponent(runId)}/events`, { headers: { "Last-Event-ID": last }, signal });
}

/** Whether the connection broke after the run had begun: what the server itself refuses is no loss. */
function isLoss(error, runId) {
  return Boolean(runId) && error.name !== "AbortError" && (!(error instanceof Problem) || error.code === "unreachable");
}

function wait(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("aborted", "AbortError"));
    });
  });
}
