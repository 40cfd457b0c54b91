// A passage as it stands in its document, with the quote marked and its neighbours around it.
import { Problem, inPath, json } from "./api.js";
import { button, el, slice } from "./dom.js";

const PAGE = 200;

/** Open what a citation or a piece of evidence names: a person's reply is its own passage. */
export async function openPassage(one) {
  const dialog = opened(one.title || one.doc_id, one.person ? null : one.doc_id);
  if (one.person) return dialog.body.replaceChildren(el("p", { class: "words" }, el("mark", {}, one.quote)));
  try {
    dialog.body.replaceChildren(...await passage(one));
    dialog.body.querySelector("mark")?.scrollIntoView({ block: "center" });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    dialog.body.replaceChildren(el("p", { class: "notice bad" }, error.message), el("blockquote", {}, one.quote));
  }
}

/** Open a document as it is now, from its beginning. */
export async function openDocument(docId, title) {
  const dialog = opened(title, docId);
  const more = async (offset) => {
    const { shown } = await json("GET", `/documents/${inPath(docId)}?offset=${offset}&limit=50`);
    dialog.body.append(...shown.chunks.flatMap((chunk) => [heading(chunk), el("p", { class: "words" }, chunk.text)]));
    const next = offset + shown.chunks.length;
    if (shown.chunks.length && next < shown.total) dialog.body.append(button("more", (event) => (event.target.remove(), more(next))));
  };
  dialog.body.replaceChildren();
  await more(0).catch((error) => dialog.body.append(el("p", { class: "notice bad" }, error.message)));
}

function opened(title, docId) {
  const body = el("div", { class: "passage", tabindex: "0", role: "group", "aria-label": title }, el("p", { class: "faint", key: "loading" }));
  const dialog = el("dialog", { "aria-label": title },
    el("header", {}, el("div", {}, el("h2", {}, title), docId ? el("p", { class: "faint" }, docId) : null), button("close", () => dialog.close(), { class: "quiet" })), body);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return { body };
}

async function passage(one) {
  const { chunks, at, isCurrent } = await found(one);
  if (at < 0) return [el("p", { class: "notice warn", key: "passage.gone" }), el("blockquote", {}, one.quote)];
  const around = chunks.slice(Math.max(0, at - 1), at + 2);
  const old = isCurrent ? [] : [el("p", { class: "notice warn", key: "passage.old" })];
  return [...old, ...around.flatMap((chunk) => [heading(chunk), chunk === chunks[at] ? marked(chunk.text, one) : el("p", { class: "words faint" }, chunk.text)])];
}

/** The chunks of the cited version up to the one after the cited chunk, and its place among them. */
async function found(one) {
  const chunks = [];
  for (;;) {
    const address = `/documents/${inPath(one.doc_id)}?version=${encodeURIComponent(one.version)}&offset=${chunks.length}&limit=${PAGE}`;
    const detail = await json("GET", address);
    chunks.push(...detail.shown.chunks);
    const at = chunks.findIndex((chunk) => chunk.chunk_id === one.chunk_id || (one.quote && chunk.text.includes(one.quote)));
    const isLast = !detail.shown.chunks.length || chunks.length >= detail.shown.total;
    if (isLast || (at >= 0 && at + 1 < chunks.length)) return { chunks, at, isCurrent: detail.version === one.version };
  }
}

function heading(chunk) {
  return chunk.heading ? el("h4", {}, chunk.heading) : null;
}

/** The text with its quote marked; a quote that runs over several chunks is marked as far as it stands in this one. */
function marked(words, { start, end, quote }) {
  const there = slice(words, start, end) === quote ? [start, end] : placeOf(words, quote);
  if (!there) return el("p", { class: "words" }, el("mark", {}, words));
  return el("p", { class: "words" }, slice(words, 0, there[0]), el("mark", {}, slice(words, ...there)), slice(words, there[1]));
}

function placeOf(words, quote) {
  const at = quote ? words.indexOf(quote) : -1;
  if (at < 0) return null;
  const start = Array.from(words.slice(0, at)).length;
  return [start, start + Array.from(quote).length];
}
