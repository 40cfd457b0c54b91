// Documents: put in with progress, listed, opened, removed.
import { inPath, json, request } from "./api.js";
import { button, el, field, fold } from "./dom.js";
import { text } from "./language.js";
import { openDocument } from "./passage.js";
import { read } from "./stream.js";

export function documentsView({ signal }) {
  const list = documentList();
  return [el("h1", { key: "nav.documents" }), uploadForm(signal, list.reload), list.node];
}

function uploadForm(signal, uploaded) {
  const input = el("input", { type: "file", multiple: true, required: true });
  const metadata = el("textarea", { rows: 2, class: "code", spellcheck: "false", placeholder: '{"year": 2024}' });
  const groups = el("input", { type: "text", spellcheck: "false" });
  const progress = el("div", { class: "uploads", "aria-live": "polite" });
  const submit = el("button", { type: "submit", class: "primary", key: "upload.button" });
  const form = el("form", { class: "card drop" }, field("upload.files", input, "upload.hint"),
    fold("ask.options", field("upload.metadata", metadata), field("upload.groups", groups, "upload.groups_hint")), el("div", { class: "row" }, submit), progress);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    await send([...input.files], { metadata: metadata.value, groups: groups.value }, progress, signal);
    submit.disabled = false;
    input.value = "";
    uploaded();
  });
  acceptDrops(form, input);
  return form;
}

function acceptDrops(form, input) {
  const over = (is) => (event) => {
    event.preventDefault();
    form.classList.toggle("over", is);
  };
  form.addEventListener("dragover", over(true));
  form.addEventListener("dragleave", over(false));
  form.addEventListener("drop", (event) => {
    over(false)(event);
    input.files = event.dataTransfer.files;
  });
}

/** Post the files, and show what becomes of each while it happens. */
async function send(files, { metadata, groups }, progress, signal) {
  const body = new FormData();
  for (const file of files) body.append("files", file);
  // Named apart too: in a form a browser writes a quote within a file's name another way.
  body.append("doc_ids", JSON.stringify(files.map((file) => file.name)));
  if (metadata.trim()) body.append("metadata", metadata);
  const names = groups.split(",").map((name) => name.trim()).filter(Boolean);
  if (names.length) body.append("access", JSON.stringify({ groups: names }));
  const rows = new Map(files.map((file) => [file.name, progressRow(file.name)]));
  const whole = el("p", { class: "faint", key: "upload.sending" });
  progress.replaceChildren(whole, el("ul", {}, [...rows.values()].map((row) => row.node)));
  const rowOf = (id) => {
    if (!rows.has(id)) rows.set(id, progressRow(id));
    const { node } = rows.get(id);
    if (!node.isConnected) progress.querySelector("ul").append(node);
    return rows.get(id);
  };
  try {
    const response = await request("POST", "/documents", { body, headers: { Accept: "text/event-stream" }, signal });
    for await (const { type, data } of read(response)) {
      if (type === "chunks") rowOf(data.doc_id).chunks(data);
      if (type === "document") rowOf(data.doc_id).outcome(data);
      if (type === "error") whole.replaceWith(el("p", { class: "notice bad", role: "alert" }, data.detail));
      if (type === "done" && whole.isConnected) whole.textContent = text("upload.done", data);
    }
  } catch (error) {
    if (error.name !== "AbortError") whole.replaceWith(el("p", { class: "notice bad", role: "alert" }, error.sentence ?? error.message));
  }
}

function progressRow(name) {
  const bar = el("progress", { max: 1, "aria-label": name });
  const state = el("span", { class: "badge open", key: "upload.waiting" });
  const below = el("div", {});
  const node = el("li", {}, el("div", { class: "line" }, el("span", {}, name), state), bar, below);
  const chunks = ({ done, total }) => {
    bar.value = total ? done / total : 1;
    state.textContent = `${done} / ${total}`;
  };
  const outcome = (told) => {
    bar.hidden = true;
    state.replaceWith(el("span", { class: `badge ${told.result}`, key: `upload.${told.result}` }));
    const sentences = [told.sentence, told.found, ...told.notes].filter(Boolean);
    below.replaceChildren(...sentences.map((sentence) => el("small", {}, sentence)));
  };
  return { node, chunks, outcome };
}

function documentList() {
  const list = el("ul", { class: "documents" });
  const count = el("p", { class: "faint" });
  const below = el("div", {});
  const load = async (after) => {
    const page = await json("GET", `/documents?${new URLSearchParams({ limit: 50, ...(after && { after }) })}`);
    if (!after) list.replaceChildren();
    list.append(...page.documents.map((one) => row(one, reload)));
    count.textContent = text("documents.count", { count: page.total });
    below.replaceChildren(...(page.next ? [button("more", () => guarded(page.next))] : []));
  };
  const guarded = (after) => load(after).catch((error) => below.replaceChildren(el("p", { class: "notice bad", role: "alert" }, error.message)));
  const reload = () => guarded();
  guarded();
  return { node: el("section", {}, count, list, below), reload };
}

function row(one, reload) {
  const facts = Object.entries(one.metadata).filter(([name]) => name !== "file").map(([name, value]) => el("span", { class: "chip" }, `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`));
  const remove = button("documents.delete", () => { remove.replaceWith(sure); sure.focus(); }, { class: "quiet small", "aria-label": `${text("documents.delete")}: ${one.doc_id}` });
  const sure = button("documents.delete_sure", async () => {
    try {
      await request("DELETE", `/documents/${inPath(one.doc_id)}`);
      reload();
    } catch (error) {
      sure.replaceWith(el("span", { class: "notice bad" }, error.message));
    }
  }, { class: "danger small" });
  return el("li", { class: "card document" },
    el("div", { class: "line" }, el("button", { type: "button", class: "source", on: { click: () => openDocument(one.doc_id, one.title) } }, el("strong", {}, one.title), el("span", { class: "faint" }, one.doc_id)), remove),
    el("p", { class: "chips" }, el("span", { class: "chip", key: ["documents.chunks", { count: one.chunks }] }), facts));
}
