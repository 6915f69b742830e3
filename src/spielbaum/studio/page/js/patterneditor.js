// One tuple: its pattern to be changed cell by cell, the entry that belongs to it, and its largest entries.

import * as api from "./api.js";
import { Board, sideName, stoneName } from "./board.js";
import { button, grid, h, markup, replace, svg, toast } from "./dom.js";
import { number, signed, t } from "./i18n.js";
import { tint } from "./marks.js";
import { still } from "./tuples.js";

const STRONGEST = 8;

export class PatternEditor {
  constructor() {
    this.element = h("div", { class: "stack" });
    this.board = new Board({
      onpress: (cell) => this.#turn(cell),
      describe: (cell) => this.#describe(cell),
    });
    this.board.element.classList.add("small-board");
    this.network = null;
    this.tuple = null;
    this.turn = 0;
  }

  /** Show a tuple; sums are those of the position, whose pattern is shown first. */
  async show(geometry, network, tuple, sums) {
    const same = this.network?.name === network.name && this.tuple === tuple;
    this.geometry = geometry;
    this.network = network;
    this.tuple = tuple;
    this.cells = network.tuples[tuple].cells;
    this.sums = sums;
    if (!same) {
      this.strongest = null;
      this.contents = sums?.tuples[tuple]?.contents[0] ?? this.cells.map(() => 0);
    }
    this.board.setGeometry(geometry);
    this.#draw();
    await Promise.all([this.#find(), this.strongest === null && this.#rank()]);
  }

  setContents(contents) {
    this.contents = [...contents];
    this.#draw();
    return this.#find();
  }

  #turn(cell) {
    const place = this.cells.indexOf(cell);
    const changed = [...this.contents];
    changed[place] = (changed[place] + 1) % this.network.contents;
    this.setContents(changed);
  }

  #describe(cell) {
    const place = this.cells?.indexOf(cell) ?? -1;
    if (place < 0) return null;
    return `${this.geometry.cells[cell].name}, ${this.#contentName(this.contents[place])}`;
  }

  /** Contents above the stones: an empty cell that a stone can reach. */
  #contentName(content) {
    if (!content) return t("cell.empty");
    if (content > this.geometry.stones.length) return t("pattern.reachable");
    return stoneName(this.geometry.names[content - 1]);
  }

  #draw() {
    const cells = this.geometry.cells.map(() => 0);
    this.cells.forEach((cell, place) => {
      const content = this.contents[place];
      cells[cell] = content <= this.geometry.stones.length ? content : 0;
    });
    this.board.show(still(cells), false);
    const inside = new Set(this.cells);
    const veils = this.geometry.cells.flatMap((cell, index) => {
      if (inside.has(index)) return [];
      const veil = markup(this.geometry.shapes[cell.shape]);
      veil.setAttribute("class", "veil");
      return [placed(this.board, index, veil)];
    });
    const marks = this.cells.map((cell, place) => {
      const reachable = this.contents[place] > this.geometry.stones.length;
      return placed(
        this.board,
        cell,
        svg(
          "g",
          { class: "pattern-cell" },
          svg("circle", { r: 44, class: "pattern-ring" }),
          reachable && svg("circle", { r: 24, class: "pattern-reachable" }),
          svg("text", { x: -30, y: -24, "font-size": 24 }, place),
        ),
      );
    });
    replace(this.board.below, veils);
    replace(this.board.marks, marks);
  }

  async #find() {
    const turn = ++this.turn;
    try {
      const entry = await api.post("ntuple/entry", {
        model: this.network.name,
        tuple: this.tuple,
        contents: this.contents,
      });
      if (turn !== this.turn) return;
      this.entry = entry;
      this.#tell();
    } catch (error) {
      if (turn === this.turn) toast(error.message, true);
    }
  }

  async #rank() {
    const { name } = this.network;
    const { tuple } = this;
    const path = `ntuple/strongest?model=${encodeURIComponent(name)}&tuple=${tuple}&count=${STRONGEST}`;
    const found = await api.get(path);
    if (name !== this.network.name || tuple !== this.tuple) return;
    this.strongest = found;
    this.#tell();
  }

  #tell() {
    const { network, entry, sums } = this;
    if (!entry) return;
    const usage = network.tuples[this.tuple];
    const images = sums?.tuples[this.tuple]?.contents ?? [];
    const distinct = [...new Map(images.map((contents) => [contents.join(), contents])).values()];
    const facts = [
      t("pattern.trained", { trained: number(usage.trained), entries: number(usage.entries) }),
      usage.realisable !== null && t("pattern.realisable", { count: number(usage.realisable) }),
    ];
    replace(
      this.element,
      this.board.element,
      h(
        "p",
        { class: "entry-line", role: "status" },
        h("span", { class: "mono pattern-text" }, entry.text),
        h("span", { class: "soft" }, t("pattern.entry", { index: number(entry.index) })),
      ),
      h(
        "div",
        { class: "entry-weights" },
        network.columns.map((column, place) =>
          h("div", {}, h("span", { class: "soft" }, this.#columnName(column)), weight(entry.weights[place])),
        ),
      ),
      distinct.length > 0 &&
        h(
          "div",
          { class: "row" },
          h("span", { class: "label" }, t("pattern.fromPosition")),
          distinct.map((contents) =>
            button(contents.map((content) => network.symbols[content]).join(" "), {
              look: "mono pattern-button",
              "aria-pressed": String(contents.join() === this.contents.join()),
              onclick: () => this.setContents(contents),
            }),
          ),
        ),
      h("p", { class: "small soft" }, facts.filter(Boolean).join(" ")),
      this.strongest?.length > 0 && this.#ranking(),
    );
  }

  #ranking() {
    const { network } = this;
    const head = [t("pattern.pattern"), ...network.columns.map((column) => this.#columnName(column))];
    return h(
      "details",
      { open: this.element.querySelector("details")?.open || undefined },
      h("summary", {}, t("pattern.strongest")),
      h(
        "div",
        { class: "scroller" },
        grid(
          head,
          this.strongest.map((entry) =>
            h(
              "tr",
              {},
              h(
                "td",
                {},
                button(entry.text, {
                  look: "quiet mono pattern-button",
                  onclick: () => this.setContents(entry.contents),
                }),
              ),
              entry.weights.map((each) => h("td", {}, weight(each))),
            ),
          ),
        ),
      ),
    );
  }

  #columnName({ viewer, to_move: mover }) {
    const parts = [];
    if (viewer !== null) parts.push(t("pattern.viewer", { side: sideName(this.geometry, viewer) }));
    parts.push(
      mover === null ? t("pattern.all") : t("pattern.mover", { side: sideName(this.geometry, mover) }),
    );
    return parts.join(", ");
  }
}

function placed(board, cell, element) {
  const [x, y] = board.centre(cell);
  element.setAttribute("transform", `translate(${x} ${y})`);
  return element;
}

/** A weight with its sign on a tint; a few tenths are a lot. */
export function weight(value, most = 0.3) {
  const shown = h("span", { class: "tint" }, signed(value, 3));
  shown.style.background = tint(Math.max(-1, Math.min(1, value / most)));
  return shown;
}
