// Lets the agents of a game move: searches for whoever is to move, and plays what is decided.

import { h, toast } from "./dom.js";
import { t } from "./i18n.js";
import { socket } from "./socket.js";
import { effort } from "./table.js";

export class Driver extends EventTarget {
  /** Events: "report" and "decision" with what an agent thinks. */
  constructor(session, table) {
    super();
    this.session = session;
    this.table = table;
    this.running = true;
    this.delay = 0;
    this.decision = null;
    this.search = null;
    this.timer = null;
    this.game = null;
    this.onchange = (event) => {
      if (event.detail === "begin" || this.session.over) this.leave();
      // A change of another seat does not disturb who thinks already.
      if (event.detail === "seats" && this.search && this.asked === this.session.seat) return;
      this.restart();
    };
    session.addEventListener("change", this.onchange);
  }

  close() {
    this.session.removeEventListener("change", this.onchange);
    this.cancel();
    this.leave();
  }

  /** Let the agents of this game go: the next search begins another one. */
  leave() {
    if (this.game) socket.leave(this.game);
    this.game = null;
  }

  cancel() {
    clearTimeout(this.timer);
    this.search?.cancel();
    this.search = null;
  }

  pause() {
    this.running = false;
    this.cancel();
    this.table.setThought(this.session.view.to_move, "");
    this.dispatchEvent(new Event("state"));
  }

  go() {
    this.running = true;
    this.restart();
    this.dispatchEvent(new Event("state"));
  }

  /** One move of the agent whose turn it is, and no more. */
  step() {
    this.running = false;
    this.cancel();
    this.#think(0);
    this.dispatchEvent(new Event("state"));
  }

  /** Let the agent decide now, or begin to think if it does not. */
  hurry() {
    if (this.search) this.search.stop();
    else this.#think(0);
  }

  restart() {
    this.cancel();
    this.decision = null;
    const { session } = this;
    // Who looks back at earlier moves does not want them to be replaced.
    const last = session.ply === session.moves.length;
    if (!this.running || !last || session.over || session.seat.agent === "human") return;
    this.#think(this.delay);
  }

  #think(delay) {
    const { session, table } = this;
    if (session.over) return;
    const player = session.view.to_move;
    const seat =
      session.seats[player].agent === "human"
        ? { agent: "mcts", limits: { seconds: 1 } }
        : session.seats[player];
    const began = performance.now();
    this.asked = session.seats[player];
    this.game ??= socket.newSession();
    table.setThought(player, h("span", { class: "badge live" }, t("search.thinks")));
    this.search = socket.search(
      {
        position: session.position(),
        agent: seat.agent,
        limits: seat.limits,
        session: this.game,
        seed: Math.floor(Math.random() * 2 ** 31),
      },
      {
        queued: (place) =>
          table.setThought(player, h("span", { class: "badge warn" }, t("search.waits", { place }))),
        started: () => table.setThought(player, h("span", { class: "badge live" }, t("search.thinks"))),
        report: (decision) => {
          table.setThought(player, h("span", { class: "badge live" }, t("search.thinks")), effort(decision));
          this.#tell("report", decision);
        },
        done: (decision) => {
          this.search = null;
          this.#tell("decision", decision);
          table.setThought(player, effort(decision));
          const left = Math.max(0, delay - (performance.now() - began));
          this.timer = setTimeout(() => this.#play(decision, player), left);
        },
        failed: (text) => {
          this.search = null;
          table.setThought(player, h("span", { class: "badge bad" }, t("search.failed")));
          toast(text, true);
        },
        cancelled: () => (this.search = null),
      },
    );
  }

  async #play(decision, player) {
    try {
      await this.session.play(decision.move);
      this.table.setThought(player, effort(decision));
    } catch (error) {
      toast(error.message, true);
    }
  }

  #tell(kind, decision) {
    this.decision = decision;
    this.dispatchEvent(new CustomEvent(kind, { detail: decision }));
  }
}
