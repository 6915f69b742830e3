// What an agent thinks of the moves, the best first, while it thinks.

import { grid, h, replace } from "./dom.js";
import { number, short, t } from "./i18n.js";
import { exactText, tint, valueText, wasTried } from "./marks.js";

const MOST = 12;

/** Ranks as agents do: the chosen move, then by visits, then by value. */
const ranked = (decision) =>
  [...decision.moves].sort(
    (a, b) =>
      (b.text === decision.move) - (a.text === decision.move) || b.visits - a.visits || b.value - a.value,
  );

export class MoveTable {
  constructor({ onhover, onpick }) {
    this.onhover = onhover;
    this.onpick = onpick;
    this.element = h("div", { class: "scroller" });
  }

  clear(text = "") {
    replace(this.element, text && h("p", { class: "soft small" }, text));
  }

  draw(decision, solution) {
    const moves = ranked(decision);
    const counted = moves.some((move) => move.visits);
    const expected = moves.some((move) => move.prior !== null);
    const exact = new Map((solution?.moves ?? []).map((move) => [move.text, move]));
    const head = [
      t("table.move"),
      t("table.value"),
      exact.size && t("table.exact"),
      counted && t("table.visits"),
      expected && t("table.prior"),
      t("table.line"),
    ];
    const rows = moves.slice(0, MOST).map((move) => {
      const cell = h("span", { class: "tint" }, wasTried(move, decision) ? valueText(move) : "");
      if (cell.textContent) cell.style.background = tint(move.value);
      return h(
        "tr",
        { onmouseenter: () => this.onhover(move.pv), onmouseleave: () => this.onhover(decision.pv) },
        h(
          "td",
          {},
          h(
            "button",
            { type: "button", class: "tree-move button quiet", onclick: () => this.onpick(move.text) },
            move.text,
          ),
        ),
        h("td", {}, cell),
        exact.size > 0 && h("td", {}, exact.has(move.text) ? exactText(exact.get(move.text)) : ""),
        counted && h("td", { class: "number" }, short(move.visits)),
        expected &&
          h("td", { class: "number" }, move.prior === null ? "" : `${number(100 * move.prior, 1)} %`),
        h("td", { class: "pv" }, move.pv.map((each) => each.text).join(" ")),
      );
    });
    const texts = head.filter(Boolean);
    const numbers = ["table.visits", "table.prior"].map((key) => texts.indexOf(t(key)));
    replace(
      this.element,
      grid(texts, rows, { numbers, look: "move-table" }),
      moves.length > MOST &&
        h("p", { class: "soft small" }, t("table.more", { count: moves.length - MOST + decision.more })),
    );
  }
}
