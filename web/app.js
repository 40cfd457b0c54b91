// Where the page begins: which view stands, and the switches of language, light and key.
import { askView } from "./ask.js";
import { apiKey, keepKey } from "./api.js";
import { button, el, field } from "./dom.js";
import { say, speak, switchLanguage } from "./language.js";
import { threadView, threadsView } from "./threads.js";
import { documentsView } from "./upload.js";

const THEMES = ["auto", "light", "dark"];
const main = document.getElementById("main");
let leaving = new AbortController();

/** Show the view that the address names: `#/ask/{thread}`, `#/threads/{thread}`, `#/threads/waiting`, `#/documents`. */
function show() {
  leaving.abort();
  leaving = new AbortController();
  const [view = "ask", id] = location.hash.replace(/^#\//, "").split("/").filter(Boolean);
  main.replaceChildren(...viewOf(view, id, leaving.signal));
  for (const link of document.querySelectorAll("#views a")) {
    if (link.hash === `#/${view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function viewOf(view, id, signal) {
  if (view === "documents") return documentsView({ signal });
  if (view === "threads") return !id || id === "waiting" ? threadsView({ waiting: Boolean(id) }) : threadView({ thread: id, signal, again: show });
  return askView({ thread: id, signal });
}

function theme() {
  const kept = localStorage.getItem("gapseek-theme");
  return THEMES.includes(kept) ? kept : "auto";
}

function paint() {
  document.documentElement.dataset.theme = theme();
  say(document.getElementById("theme"), `theme.${theme()}`);
}

function nextTheme() {
  localStorage.setItem("gapseek-theme", THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
  paint();
}

/** Ask for the API key; `needed` says that the server wants one. */
function askForKey(needed) {
  if (document.querySelector("dialog.key")) return;
  const input = el("input", { type: "password", autocomplete: "off", spellcheck: "false", value: apiKey() });
  const form = el("form", { method: "dialog" }, el("h2", { key: "key.button" }), el("p", { class: needed ? "notice warn" : "faint", key: needed ? "key.needed" : "key.hint" }),
    field("key.field", input), el("div", { class: "row" }, el("button", { type: "submit", class: "primary", key: "key.keep" }), button("close", () => dialog.close())));
  const dialog = el("dialog", { class: "key", "aria-label": "API key" }, form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    keepKey(input.value.trim());
    dialog.close();
    show();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

document.getElementById("language").addEventListener("click", switchLanguage);
document.getElementById("theme").addEventListener("click", nextTheme);
document.getElementById("key").addEventListener("click", () => askForKey(false));
document.addEventListener("key-needed", () => askForKey(true));
addEventListener("hashchange", () => {
  show();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
say(document.getElementById("language"), "language.other");
paint();
show();
speak();
