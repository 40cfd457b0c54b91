// Which language the page speaks, and the one way in which its own texts get onto it.
import { TEXTS } from "./texts.js";

const KEPT = "gapseek-language";

export function language() {
  const kept = localStorage.getItem(KEPT);
  if (kept === "zh" || kept === "en") return kept;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** One of our texts, with what stands in braces filled in. A word that has no text, such as a new node's name, stays. */
export function text(key, values = {}) {
  const found = TEXTS[key]?.[language()] ?? key.slice(key.indexOf(".") + 1);
  return found.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Put a text onto an element so that a change of language changes it too. */
export function say(node, key, values = {}) {
  node.dataset.text = key;
  node.dataset.values = JSON.stringify(values);
  node.textContent = text(key, values);
}

/** The same for an attribute: a placeholder, or a label for those who hear the page. */
export function sayAttribute(node, attribute, key) {
  node.dataset.attribute = attribute;
  node.dataset.attributeKey = key;
  node.setAttribute(attribute, text(key));
}

export function switchLanguage() {
  localStorage.setItem(KEPT, language() === "zh" ? "en" : "zh");
  speak();
}

/** Say every text that stands on the page in the language of now, and tell whoever shows more than texts. */
export function speak() {
  document.documentElement.lang = language() === "zh" ? "zh-CN" : "en";
  for (const node of document.querySelectorAll("[data-text]")) {
    node.textContent = text(node.dataset.text, JSON.parse(node.dataset.values ?? "{}"));
  }
  for (const node of document.querySelectorAll("[data-attribute]")) {
    node.setAttribute(node.dataset.attribute, text(node.dataset.attributeKey));
  }
  document.dispatchEvent(new Event("language"));
}
