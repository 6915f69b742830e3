// The one connection to the server: searches with news on the way. It comes back by itself.

import { toast } from "./dom.js";
import { t } from "./i18n.js";

const OLDEST_PAUSE = 5000;

class Socket extends EventTarget {
  #socket = null;
  #searches = new Map();
  #next = 1;
  #pause = 300;
  #watched = null;
  connected = false;

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const folder = location.pathname.replace(/[^/]*$/, "");
    this.#socket = new WebSocket(`${scheme}://${location.host}${folder}api/socket`);
    this.#socket.onopen = () => this.#opened();
    this.#socket.onmessage = (event) => this.#hear(JSON.parse(event.data));
    this.#socket.onclose = () => this.#closed();
  }

  /** Let an agent think; handlers: queued(place), started(), report(value), done(value), failed(text). */
  search(request, handlers) {
    return this.#ask({ ...request, type: "search" }, handlers);
  }

  /** Find exact values; the same handlers. */
  solve(request, handlers) {
    return this.#ask({ ...request, type: "solve" }, handlers);
  }

  /** A name for a game: searches with it as `session` are by agents that remember the moves before. */
  newSession() {
    return `g${this.#next++}`;
  }

  /** The game has ended, or nobody looks at it any more: its agents may go. */
  leave(session) {
    this.#send({ type: "leave", session });
  }

  /** Be told when a run goes on: an event "run" with its name. */
  watch(run) {
    this.#watched = run;
    this.#send({ type: "watch", run });
  }

  #ask(request, handlers) {
    const id = `s${this.#next++}`;
    const search = { request: { ...request, id }, handlers, again: false };
    this.#searches.set(id, search);
    this.#send(search.request);
    return {
      stop: () => this.#send({ type: "stop", id }),
      cancel: () => {
        if (this.#searches.delete(id)) this.#send({ type: "cancel", id });
      },
    };
  }

  #send(message) {
    if (this.connected) this.#socket.send(JSON.stringify(message));
  }

  #opened() {
    this.connected = true;
    this.#pause = 300;
    this.dispatchEvent(new Event("state"));
    // What was under way when the connection broke is asked again.
    for (const search of this.#searches.values()) this.#send(search.request);
    if (this.#watched) this.#send({ type: "watch", run: this.#watched });
  }

  #closed() {
    this.connected = false;
    this.dispatchEvent(new Event("state"));
    setTimeout(() => this.connect(), this.#pause);
    this.#pause = Math.min(2 * this.#pause, OLDEST_PAUSE);
  }

  #hear(message) {
    if (message.type === "run") {
      this.dispatchEvent(new CustomEvent("run", { detail: message }));
      return;
    }
    if (message.type === "error") {
      toast(message.message, true);
      return;
    }
    const search = this.#searches.get(message.id);
    if (!search) return;
    const { handlers } = search;
    if (message.type === "lost" && !search.again) {
      search.again = true;
      toast(t("search.lost", { why: message.value }), true);
      this.#send(search.request);
      return;
    }
    if (["done", "failed", "lost", "cancelled"].includes(message.type)) this.#searches.delete(message.id);
    if (message.type === "lost") handlers.failed?.(message.value);
    else handlers[message.type]?.(message.value);
  }
}

export const socket = new Socket();
