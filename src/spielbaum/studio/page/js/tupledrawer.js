// Tuples drawn by hand: cell by cell on a board, saved as the configuration of a training.

import * as api from "./api.js";
import { Board } from "./board.js";
import { button, choose, field, h, replace, toast } from "./dom.js";
import { t } from "./i18n.js";
import { write } from "./link.js";
import { showDrawn, still } from "./tuples.js";

const MOST_CELLS = 64;

export class TupleDrawer {
  constructor() {
    this.tuples = [];
    this.current = [];
    this.board = new Board({
      onpress: (cell) => this.#press(cell),
      describe: (cell) => this.#describe(cell),
    });
    this.board.element.classList.add("small-board");
    this.list = h("ol", { class: "tuple-list" });
    this.said = h("p", { class: "small", role: "status" });
    this.name = h("input", { class: "input", maxlength: 60, value: t("drawer.mine") });
    this.base = h("select");
    this.source = h("select", { onchange: () => this.#load() });
    this.element = h(
      "div",
      { class: "stack" },
      h("p", { class: "small soft" }, t("drawer.lead")),
      this.board.element,
      h(
        "div",
        { class: "row" },
        button(t("drawer.next"), { sign: "plus", onclick: () => this.#finish() }),
        button(t("drawer.back"), { sign: "undo", onclick: () => this.#undo() }),
        button(t("drawer.clear"), { onclick: () => this.#set([]) }),
      ),
      this.list,
      field(t("drawer.source"), this.source),
      h(
        "div",
        { class: "inline-fields" },
        field(t("drawer.name"), this.name, true),
        field(t("drawer.base"), this.base, true),
      ),
      h(
        "div",
        { class: "row" },
        button(t("drawer.save"), { look: "main", sign: "save", onclick: () => this.#save(false) }),
      ),
      this.said,
    );
  }

  /** Draw on the board of a game; tuples of another game are forgotten. */
  async show(geometry, network) {
    if (this.geometry?.game !== geometry.game) {
      this.tuples = [];
      this.current = [];
    }
    this.geometry = geometry;
    this.network = network;
    this.board.setGeometry(geometry);
    this.#draw(); // before anybody is waited for: what is pressed meanwhile counts
    await this.#offer();
  }

  async #offer() {
    const name = (spec) => spec.split(":")[0];
    const all = (await api.get("ntuple/configs")).filter(
      (config) => name(config.game) === name(this.geometry.game),
    );
    const pairs = all.map((config) => [config.name, config.name]);
    const chosen = this.base.value;
    const fill = (select, first) => replace(select, ...choose([["", first], ...pairs], "").childNodes);
    fill(this.base, t("drawer.defaults"));
    fill(this.source, t("drawer.choose"));
    if (this.network) this.source.options[0].after(h("option", { value: "network" }, t("drawer.network")));
    this.base.value = pairs.some(([each]) => each === chosen) ? chosen : (pairs[0]?.[0] ?? "");
    this.source.value = "";
  }

  async #load() {
    const { value } = this.source;
    this.source.value = "";
    try {
      if (value === "network") this.#set(this.network.tuples.map(({ cells }) => [...cells]));
      else if (value) this.#set((await api.get(`ntuple/tuples?config=${encodeURIComponent(value)}`)).tuples);
    } catch (error) {
      toast(error.message, true);
    }
  }

  #set(tuples) {
    this.tuples = tuples;
    this.current = [];
    this.#draw();
  }

  #press(cell) {
    if (this.current.includes(cell)) this.current = this.current.filter((each) => each !== cell);
    else if (this.current.length < MOST_CELLS) this.current = [...this.current, cell];
    this.#draw();
  }

  #finish() {
    if (!this.current.length) return;
    this.tuples = [...this.tuples, this.current];
    this.current = [];
    this.#draw();
  }

  #undo() {
    if (this.current.length) this.current = this.current.slice(0, -1);
    else this.current = this.tuples.pop() ?? [];
    this.#draw();
  }

  #describe(cell) {
    const { name } = this.geometry.cells[cell];
    const place = this.current.indexOf(cell);
    return place < 0 ? name : t("drawer.cell", { name, digit: place });
  }

  #draw() {
    this.board.show(still(this.geometry.cells.map(() => 0)), false);
    showDrawn(this.board, this.tuples, this.current);
    const names = (cells) => cells.map((cell) => this.geometry.cells[cell].name).join(" ");
    replace(
      this.list,
      this.tuples.map((cells, index) =>
        h(
          "li",
          {},
          h("span", { class: "mono" }, names(cells)),
          button(t("drawer.remove", { number: index }), {
            sign: "close",
            iconOnly: true,
            look: "quiet",
            onclick: () => this.#set(this.tuples.filter((_, other) => other !== index)),
          }),
        ),
      ),
      this.current.length > 0 && h("li", { class: "now" }, h("span", { class: "mono" }, names(this.current))),
    );
  }

  async #save(overwrite) {
    this.#finish();
    const name = this.name.value.trim();
    try {
      const saved = await api.post("ntuple/configs", {
        name,
        game: this.geometry.game,
        tuples: this.tuples,
        base: this.base.value,
        overwrite,
      });
      const href = write(["training"], { config: saved.name });
      replace(
        this.said,
        t("drawer.saved", { name: saved.name }),
        " ",
        h("a", { href }, t("drawer.train")),
        h("pre", { class: "toml" }, saved.text),
      );
      await this.#offer();
    } catch (error) {
      if (error.status === 409 && !overwrite && confirm(t("drawer.overwrite", { name }))) {
        await this.#save(true);
        return;
      }
      replace(this.said, h("span", { class: "problem-text" }, error.message));
    }
  }
}
