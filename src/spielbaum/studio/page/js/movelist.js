// The moves of the game; a click goes to the position after one. Mistakes are underlined.

import { h, replace } from "./dom.js";
import { t } from "./i18n.js";

export class MoveList {
  constructor(session) {
    this.session = session;
    this.faults = new Map();
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
    const parts = [];
    session.moves.forEach((move, index) => {
      if (index % players === 0) parts.push(h("span", { class: "no" }, `${index / players + 1}.`));
      const ply = index + 1;
      const fault = this.faults.get(ply);
      parts.push(
        h(
          "button",
          {
            type: "button",
            "aria-current": String(ply === session.ply),
            class: `${fault ? "blunder" : ""} ${ply > session.ply ? "future" : ""}`,
            title: fault,
            onclick: () => session.goTo(ply),
          },
          move,
          fault && h("span", { class: "unseen" }, ` (${fault})`),
        ),
      );
    });
    replace(this.element, parts.length ? parts : h("span", { class: "soft small" }, t("moves.none")));
    const now = this.element.querySelector('[aria-current="true"]');
    if (now) this.element.scrollTop = now.offsetTop - this.element.offsetTop - 60;
  }
}
