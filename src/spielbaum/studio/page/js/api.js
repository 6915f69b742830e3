// Requests to the server. An error is always an Error with one sentence, and the status of the answer.

import { learnWords } from "./i18n.js";

async function request(path, options) {
  let response;
  try {
    response = await fetch(`api/${path}`, options);
  } catch {
    throw new Error("offline");
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    const sentence = body.detail ?? `${response.status} ${response.statusText}`;
    throw Object.assign(new Error(sentence), { status: response.status });
  }
  return body;
}

export const get = (path) => request(path);

export const post = (path, body) =>
  request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });

export const remove = (path) => request(path, { method: "DELETE" });

const kept = new Map();

function once(key, load) {
  if (!kept.has(key)) {
    const promise = load();
    promise.catch(() => kept.delete(key));
    kept.set(key, promise);
  }
  return kept.get(key);
}

export const games = () => once("games", () => get("games"));
export const agents = () => once("agents", () => get("agents"));
/** Trained agents; a training may have made new ones since. */
export const models = () => get("models");
export const about = () => once("about", () => get("about"));
export const board = (spec) =>
  once(`board ${spec}`, async () => {
    const found = await get(`board?game=${encodeURIComponent(spec)}`);
    learnWords(found.words);
    return found;
  });
export const position = (asked) => post("position", asked);
export const preview = (position, move) => post("preview", { position, move });
export const disqualify = (position, player) => post("disqualify", { position, player });
export const sketch = (spec) => `api/sketch?game=${encodeURIComponent(spec)}`;

/** Does the work, and once more if it was asked for meanwhile: an old answer never comes after a newer one. */
export function oneAtATime(work) {
  let running = null;
  let again = false;
  const repeat = async () => {
    try {
      while (again) {
        again = false;
        await work();
      }
    } finally {
      running = null;
    }
  };
  return () => {
    again = true;
    running ??= repeat();
    return running;
  };
}
