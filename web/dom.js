// Elements made by hand: every text goes in as text, so that nothing a document or a model says can become markup.
import { say } from "./language.js";

/** A new element. `properties` are attributes, but for `class`, `key` (one of our texts), `on` (listeners) and booleans. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) setProperty(node, name, value);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function setProperty(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "class") node.className = value;
  else if (name === "key") say(node, ...[value].flat());
  else if (name === "on") for (const [type, listen] of Object.entries(value)) node.addEventListener(type, listen);
  else node.setAttribute(name, value === true ? "" : String(value));
}

/** A button that does something. */
export function button(key, act, properties = {}) {
  return el("button", { type: "button", key, on: { click: act }, ...properties });
}

/** A field with its label above it, and a hint below where there is one. */
export function field(key, control, hint = null) {
  control.id ||= `field-${(field.count = (field.count ?? 0) + 1)}`;
  const below = hint && el("small", { id: `${control.id}-hint`, key: hint });
  if (below) control.setAttribute("aria-describedby", below.id);
  return el("div", { class: "field" }, el("label", { for: control.id, key }), control, below);
}

/** A checkbox with its label beside it. */
export function check(key, checked = false) {
  const box = el("input", { type: "checkbox", checked });
  return { box, row: el("label", { class: "check" }, box, el("span", { key })) };
}

/** Part of a text by code points, as the server counts them: an emoji is one, though JavaScript counts two. */
export function slice(text, start, end) {
  return Array.from(text).slice(start, end).join("");
}

/** A fold-out. */
export function fold(key, ...children) {
  return el("details", {}, el("summary", { key }), ...children);
}

/** Put new children into a node: what was folded out stays so, and what had the focus keeps it, as far as both remain. */
export function renew(node, children) {
  const open = [...node.querySelectorAll("details")].map((details) => details.open);
  const reachable = () => [...node.querySelectorAll("button, summary, pre")];
  const focused = reachable().indexOf(document.activeElement);
  node.replaceChildren(...children);
  node.hidden = !children.length;
  node.querySelectorAll("details").forEach((details, at) => (details.open = open[at] ?? false));
  if (focused >= 0) reachable()[focused]?.focus({ preventScroll: true });
}
