// The moves of the game; a click goes to the position after one. Mistakes are underlined.

import { chip } from "./board.js";
import { h, replace } from "./dom.js";
import { t } from "./i18n.js";

export class MoveList {
  constructor(session) {
    this.session = session;
    this.faults = new Map();
    /** The buttons of the moves that are drawn: long games are not drawn anew for every move. */
    this.known = [];
    this.element = h("div", { class: "moves", role: "list", "aria-label": t("moves.title") });
    this.onchange = () => this.draw();
    session.addEventListener("change", this.onchange);
  }

  close() {
    this.session.removeEventListener("change", this.onchange);
  }

  /** Mark moves by ply, with the words that explain it. */
  setFaults(faults) {
    this.faults = faults;
    this.draw();
  }

  draw() {
    const { session } = this;
    const players = session.board?.players ?? 2;
    const { movers } = session;
    // Rounds are counted while two take turns; else everybody's moves bear his stone.
    const rounds = players === 2 && movers.every((mover, index) => mover === (movers[0] + index) % 2);
    const kind = `${session.game} ${rounds}`;
    if (kind !== this.kind) this.known = [];
    this.kind = kind;
    this.known.length = Math.min(this.known.length, session.moves.length);
    const parts = session.moves.flatMap((move, index) => {
      const label = `${movers[index]} ${move} ${this.faults.get(index + 1) ?? ""}`;
      if (this.known[index]?.label !== label)
        this.known[index] = { label, button: this.#button(move, index, !rounds) };
      const { button } = this.known[index];
      button.setAttribute("aria-current", String(index + 1 === session.ply));
      button.classList.toggle("future", index >= session.ply);
      return rounds && index % 2 === 0
        ? [h("span", { class: "no" }, `${index / 2 + 1}.`), button]
        : [button];
    });
    replace(this.element, parts.length ? parts : h("span", { class: "soft small" }, t("moves.none")));
    const now = this.element.querySelector('[aria-current="true"]');
    if (now) this.element.scrollTop = now.offsetTop - this.element.offsetTop - 60;
  }

  #button(move, index, named) {
    const { session } = this;
    const fault = this.faults.get(index + 1);
    return h(
      "button",
      {
        type: "button",
        class: fault ? "blunder" : "",
        title: fault,
        onclick: () => session.goTo(index + 1),
      },
      named && chip(session.board, session.movers[index]),
      move,
      fault && h("span", { class: "unseen" }, ` (${fault})`),
    );
  }
}
