// Requests to this server, with the key where one is kept, and errors as their one sentence.
import { text } from "./language.js";

const KEY = "gapseek-key";

/** What went wrong, in a sentence that can be shown. */
export class Problem extends Error {
  constructor(sentence, code, status, more = {}) {
    super(sentence);
    Object.assign(this, { code, status, more });
  }
}

export const apiKey = () => sessionStorage.getItem(KEY) ?? "";

/** Keep the key until the tab closes; it is sent in a header and stands in no address. */
export function keepKey(key) {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
}

/** The response of a request. Throws `Problem`; a plain abort stays an `AbortError`. */
export async function request(method, path, { body, headers = {}, signal } = {}) {
  const sent = { ...headers };
  if (apiKey()) sent.Authorization = `Bearer ${apiKey()}`;
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) sent["Content-Type"] = "application/json";
  const content = body === undefined || isForm ? body : JSON.stringify(body);
  let response;
  try {
    response = await fetch(path, { method, headers: sent, body: content, signal, credentials: "omit", cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(text("error.unreachable"), "unreachable", 0);
  }
  if (response.ok) return response;
  throw await problemOf(response);
}

/** What a JSON request answers; null where there is no body. */
export async function json(method, path, options) {
  const response = await request(method, path, options);
  return response.status === 204 ? null : response.json();
}

async function problemOf(response) {
  const said = await response.json().catch(() => ({}));
  if (response.status === 401) document.dispatchEvent(new Event("key-needed"));
  return new Problem(said.detail ?? text("error.status", { status: response.status }), said.code, response.status, said);
}

/** An id as a part of an address; the slashes of a document's id stay. */
export const inPath = (id) => id.split("/").map(encodeURIComponent).join("/");
