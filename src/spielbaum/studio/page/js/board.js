// The board of any game: cells, stones, clicks, drags and keys. Marks on it are in marks.js.

import { h, markup, replace, svg } from "./dom.js";
import { joinedTo, linksByCell, showChanges, showLinks } from "./hints.js";
import { capital, t, word } from "./i18n.js";
import { Zoom } from "./zoom.js";

const NEAREST = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const CELL = 100;
/** Cells that are smaller, in pixels, are not aimed at with a finger: a tap looks closer first. */
const TAPPED = 18;
const APPROACHED = 36;
/** Cells that are smaller, in pixels, are looked at more closely by many people. */
const SMALL = 24;
const REST = 90;

export class Board {
  /**
   * onmove gets the moves that a click can mean: usually one, more for promotions. A board that is
   * no game but a form has onpress(cell) instead, and describe(cell) names the cells to press.
   * preview(move) answers which cells a move changes; onzoom(zoom) is told how closely one looks.
   */
  constructor({ onmove, onpress, describe, preview, onzoom = () => {} }) {
    this.onmove = onmove;
    this.preview = preview;
    this.onzoom = onzoom;
    this.onpress = onpress;
    this.describe = describe;
    this.element = h("div", { class: "board-box" });
    this.flipped = false;
    this.usable = false;
    this.chosen = null;
    this.geometry = null;
    this.view = null;
  }

  setGeometry(geometry) {
    if (this.geometry === geometry) return;
    this.geometry = geometry;
    this.view = null;
    this.#draw();
  }

  flip() {
    this.flipped = !this.flipped;
    const { view } = this;
    this.#draw();
    this.view = null;
    if (view) this.show(view, this.usable);
  }

  /** Show a position; usable if a person may move. */
  show(view, usable) {
    const before = this.view;
    this.view = view;
    this.usable = usable && view.outcome === null;
    this.chosen = null;
    this.#index();
    if (!this.geometry.cells.length) {
      replace(this.element, h("pre", { class: "text-board card" }, view.diagram));
      return;
    }
    this.#showStones(before);
    this.#showLast();
    this.#showTargets();
    this.#nameCells();
    this.#hover(this.pointed);
  }

  /** Whether looking closer is worth a button. */
  get isSmall() {
    return this.zoom && (this.zoom.scale > 1.01 || this.zoom.pixels < SMALL);
  }

  /** Where the middle of a cell is, as it is turned now. */
  centre(cell) {
    const { x, y } = this.geometry.cells[cell];
    return this.turned(x, y);
  }

  /** Where a point of the board is, as it is turned now. */
  turned(x, y) {
    return this.flipped ? [this.geometry.width - x, this.geometry.height - y] : [x, y];
  }

  #placed(cell, element) {
    const [x, y] = this.centre(cell);
    element.setAttribute("transform", `translate(${x} ${y})`);
    return element;
  }

  #draw() {
    const { geometry } = this;
    this.zoom = null;
    if (!geometry.cells.length) return;
    const { width, height, margin } = geometry;
    const layer = (name) => (this[name] = svg("g", { class: `${name}-layer` }));
    this.stones = new Map();
    const frame = markup(geometry.frame);
    const links = markup(geometry.link_marks);
    for (const drawn of [frame, links])
      if (this.flipped) drawn.setAttribute("transform", `rotate(180 ${width / 2} ${height / 2})`);
    this.linksOf = linksByCell(geometry);
    this.svg = svg(
      "svg",
      {
        class: "board",
        role: "group",
        "aria-label": geometry.title,
      },
      frame,
      geometry.cells.map((cell, index) => this.#placed(index, markup(geometry.shapes[cell.shape]))),
      geometry.labels.map((label) => this.#label(label)),
      layer("below"),
      layer("stoneLayer"),
      layer("above"),
      links,
      layer("targets"),
      layer("ghosts"),
      layer("lines"),
      layer("marks"),
      layer("joined"),
      layer("hits"),
    );
    links.setAttribute("class", "links");
    geometry.cells.forEach((cell, index) => this.hits.append(this.#hit(cell, index)));
    this.zoom = new Zoom(
      this.svg,
      [-margin, -margin, width + 2 * margin, height + 2 * margin],
      CELL,
      {
        mayDrag: (event) => !this.#isHeld(cellOf(event.target)),
        onchange: () => this.zoom && this.onzoom(this),
      },
    );
    this.svg.addEventListener("pointerdown", (event) => {
      this.touched = event.pointerType === "touch";
      this.#grab(event);
    });
    this.hits.addEventListener("click", (event) => this.#click(event));
    this.hits.addEventListener("keydown", (event) => this.#key(event, cellOf(event.target)));
    this.pointed = null;
    const point = (cell) => this.#hover((this.pointed = cell));
    this.svg.addEventListener("pointerover", (event) => point(cellOf(event.target)));
    this.svg.addEventListener("pointerleave", () => point(null));
    replace(this.element, this.svg);
  }

  #label(label) {
    const [x, y] = this.turned(label.x, label.y);
    return svg(
      "text",
      { x, y: y + 0.35 * label.size, "font-size": label.size, fill: label.fill, "aria-hidden": "true" },
      label.text,
    );
  }

  #hit(cell, index) {
    const hit = this.#placed(index, markup(this.geometry.shapes[cell.shape]));
    hit.setAttribute("class", "hit");
    hit.dataset.cell = index;
    hit.setAttribute("role", "button");
    hit.setAttribute("tabindex", index ? -1 : 0);
    return hit;
  }

  /** Which moves a cell can mean. */
  #index() {
    this.byTarget = new Map();
    this.byOrigin = new Map();
    const add = (map, cell, move) => map.set(cell, [...(map.get(cell) ?? []), move]);
    for (const move of this.view.legal) {
      if (move.cells.length === 1) add(this.byTarget, move.cells[0], move);
      else if (move.cells.length > 1) add(this.byOrigin, move.cells[0], move);
    }
    this.others = this.view.legal.filter((move) => !move.cells.length);
    if (!this.geometry.by_column) return;
    const columns = new Map();
    for (const [cell, moves] of this.byTarget) columns.set(this.geometry.cells[cell].x, moves);
    this.geometry.cells.forEach((cell, index) => {
      if (columns.has(cell.x)) this.byTarget.set(index, columns.get(cell.x));
    });
  }

  #stone(content) {
    const stone = markup(this.geometry.stones[content - 1]);
    stone.setAttribute("class", "stone");
    return stone;
  }

  #showStones(before) {
    const { cells } = this.view;
    const motion = before && !calm.matches && document.visibilityState === "visible";
    const follows = motion && Math.abs(this.view.moves.length - before.moves.length) === 1;
    cells.forEach((content, cell) => {
      const old = this.stones.get(cell);
      if (old && old.content === content) return;
      old?.element.remove();
      this.stones.delete(cell);
      if (!content) return;
      const element = this.#placed(cell, this.#stone(content));
      const inner = svg("g", {}, ...element.childNodes);
      element.append(inner);
      this.stoneLayer.append(element);
      this.stones.set(cell, { content, element });
      if (follows) this.#animate(inner, cell, content, before, old);
    });
  }

  #animate(inner, cell, content, before, old) {
    const forward = this.view.moves.length > before.moves.length;
    const path = (forward ? this.view : before).last_cells;
    const from = forward ? path[0] : path.at(-1);
    const [x, y] = this.centre(cell);
    const options = { duration: 170, easing: "cubic-bezier(.2,.7,.3,1)" };
    if (path.length > 1 && cell === (forward ? path.at(-1) : path[0]) && before.cells[from] === content) {
      const [fromX, fromY] = this.centre(from);
      inner.animate(
        [{ transform: `translate(${fromX - x}px, ${fromY - y}px)` }, { transform: "none" }],
        options,
      );
    } else if (this.geometry.by_column && forward) {
      const top = this.flipped ? this.geometry.height + 60 : -60;
      const duration = 90 + 22 * Math.sqrt(Math.abs(top - y));
      inner.animate([{ transform: `translateY(${top - y}px)` }, { transform: "none" }], {
        duration: Math.min(duration, 600),
        easing: "cubic-bezier(.5,0,.9,.6)",
      });
    } else if (old) {
      inner.animate([{ transform: "scaleX(0.1)" }, { transform: "none" }], options);
    } else {
      inner.animate(
        [
          { transform: "scale(0.6)", opacity: 0.2 },
          { transform: "none", opacity: 1 },
        ],
        options,
      );
    }
  }

  #showLast() {
    replace(this.below);
    replace(this.above);
    const layer = this.geometry.last_below ? this.below : this.above;
    for (const cell of this.view.last_cells) {
      const mark = this.#placed(cell, markup(this.geometry.last));
      mark.setAttribute("class", "last");
      layer.append(mark);
    }
  }

  #showTargets() {
    replace(this.targets);
    if (!this.usable) return;
    let cells = [];
    if (this.chosen !== null) {
      const moves = this.byOrigin.get(this.chosen) ?? [];
      cells = moves.map((move) => move.cells.at(-1));
      this.targets.append(this.#placed(this.chosen, svg("g", {}, svg("circle", { r: 44, class: "chosen" }))));
    } else if (!this.byOrigin.size) {
      cells = this.view.legal.filter((move) => move.cells.length === 1).map((move) => move.cells[0]);
      // Where what lies on a cell says whether it is a target, as if all empty ones are, marks do not.
      const chosen = new Set(cells);
      const contents = new Set(cells.map((cell) => this.view.cells[cell]));
      if (this.view.cells.every((content, cell) => chosen.has(cell) || !contents.has(content))) cells = [];
    }
    for (const cell of new Set(cells)) {
      const shape = this.view.cells[cell] ? this.geometry.target_occupied : this.geometry.target;
      const mark = this.#placed(cell, markup(shape));
      mark.setAttribute("class", "target");
      this.targets.append(mark);
    }
  }

  #nameCells() {
    if (this.describe) return this.#describeCells();
    const legal = new Set();
    if (this.usable) {
      const map = this.chosen === null && this.byOrigin.size ? this.byOrigin : this.byTarget;
      for (const cell of map.keys()) legal.add(cell);
      for (const move of this.byOrigin.get(this.chosen) ?? []) legal.add(move.cells.at(-1));
    }
    for (const hit of this.hits.children) {
      const cell = Number(hit.dataset.cell);
      const content = this.view.cells[cell];
      const name = this.geometry.cells[cell].name;
      const what = content ? stoneName(this.geometry.names[content - 1]) : t("cell.empty");
      const more = legal.has(cell) ? `, ${t("cell.legal")}` : "";
      hit.setAttribute("aria-label", `${name}, ${what}${joinedTo(this, cell)}${more}`);
      hit.setAttribute("aria-disabled", String(!legal.has(cell)));
      hit.classList.toggle("usable", legal.has(cell));
    }
    return undefined;
  }

  #describeCells() {
    let first = true;
    for (const hit of this.hits.children) {
      const text = this.describe(Number(hit.dataset.cell));
      hit.setAttribute("aria-label", text ?? this.geometry.cells[hit.dataset.cell].name);
      hit.setAttribute("aria-disabled", String(text === null));
      hit.classList.toggle("usable", text !== null);
      if (!this.hits.contains(document.activeElement))
        hit.setAttribute("tabindex", text !== null && first ? 0 : -1);
      if (text !== null) first = false;
    }
  }

  #hover(cell) {
    replace(this.ghosts);
    showLinks(this, cell);
    clearTimeout(this.resting);
    if (cell === null || !this.usable || this.byOrigin.size) return;
    if (this.geometry.previews && this.preview) {
      if (this.byTarget.has(cell)) this.resting = setTimeout(() => this.#showPreview(cell), REST);
      return;
    }
    const target = this.byTarget.get(cell)?.[0]?.cells[0];
    if (target === undefined || this.view.cells[target]) return;
    const ghost = this.#placed(target, this.#stone(this.view.to_move + 1));
    ghost.setAttribute("class", "ghost shown");
    this.ghosts.append(ghost);
  }

  /** What a move on a cell would change; of several moves, the one that leaves most as it is. */
  async #showPreview(cell) {
    const { view } = this;
    const moves = this.byTarget.get(cell);
    const move = moves.find((each) => each.choice?.content === view.to_move + 1) ?? moves[0];
    const { cells, contents } = await this.preview(move);
    if (this.view !== view || !this.svg.querySelector(`.hit[data-cell="${cell}"]:hover`)) return;
    showChanges(this, cells, contents);
  }

  #click(event) {
    const cell = cellOf(event.target);
    if (cell === null) return;
    if (this.touched && this.zoom.pixels < TAPPED) this.zoom.approach(this.zoom.point(event), APPROACHED);
    else this.#press(cell);
  }

  #press(cell) {
    if (this.onpress) {
      if (this.describe(cell) !== null) this.onpress(cell);
      return;
    }
    if (!this.usable) return;
    if (this.chosen !== null) {
      const moves = (this.byOrigin.get(this.chosen) ?? []).filter((move) => move.cells.at(-1) === cell);
      this.chosen = moves.length || cell === this.chosen || !this.byOrigin.has(cell) ? null : cell;
      this.#showTargets();
      this.#nameCells();
      if (moves.length) this.onmove(moves);
      return;
    }
    if (this.byTarget.has(cell)) this.onmove(this.byTarget.get(cell));
    else if (this.byOrigin.has(cell)) {
      this.chosen = cell;
      this.#showTargets();
      this.#nameCells();
    }
  }

  /** Drag a piece from its cell to another; a short drag is a click. */
  #grab(event) {
    const origin = cellOf(event.target);
    if (!this.#isHeld(origin) || event.button !== 0) return;
    const stone = this.stones.get(origin)?.element;
    if (!stone) return;
    const begin = this.zoom.point(event);
    let flying = null;
    const move = (moved) => {
      const [x, y] = this.zoom.point(moved);
      if (!flying && Math.hypot(x - begin[0], y - begin[1]) < 14) return;
      if (!flying) {
        flying = stone.cloneNode(true);
        stone.classList.add("dragged");
        this.marks.append(flying);
        this.chosen = origin;
        this.#showTargets();
      }
      flying.setAttribute("transform", `translate(${x} ${y})`);
    };
    const drop = (dropped) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
      if (!flying) return;
      flying.remove();
      stone.classList.remove("dragged");
      const under = document.elementFromPoint(dropped.clientX, dropped.clientY);
      const target = dropped.type === "pointerup" && under ? cellOf(under) : null;
      const moves = (this.byOrigin.get(origin) ?? []).filter((each) => each.cells.at(-1) === target);
      this.chosen = null;
      this.#showTargets();
      this.#nameCells();
      if (moves.length) this.onmove(moves);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", drop);
  }

  /** Whether a drag that begins on a cell moves a piece. */
  #isHeld(cell) {
    return cell !== null && this.usable && this.byOrigin.has(cell);
  }

  #key(event, cell) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#press(cell);
    } else if (event.key === "Escape" && this.chosen !== null) {
      this.chosen = null;
      this.#showTargets();
      this.#nameCells();
    } else if (event.key === "+") this.zoom.in();
    else if (event.key === "-") this.zoom.out();
    else if (event.key in NEAREST) {
      event.preventDefault();
      event.stopPropagation();
      this.#focus(this.#neighbour(cell, NEAREST[event.key]));
    }
  }

  #focus(cell) {
    if (cell === null) return;
    this.zoom.reveal(this.centre(cell));
    for (const hit of this.hits.children) {
      const chosen = Number(hit.dataset.cell) === cell;
      hit.setAttribute("tabindex", chosen ? 0 : -1);
      if (chosen) hit.focus();
    }
  }

  /** The nearest cell in a direction: far to the side counts more than far ahead. */
  #neighbour(cell, [dx, dy]) {
    const [x, y] = this.centre(cell);
    let best = null;
    let least = Infinity;
    this.geometry.cells.forEach((_, other) => {
      const [ox, oy] = this.centre(other);
      const ahead = (ox - x) * dx + (oy - y) * dy;
      const aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (ahead > 1 && ahead + 2.5 * aside < least) [best, least] = [other, ahead + 2.5 * aside];
    });
    return best;
  }
}

function cellOf(element) {
  const hit = element.closest?.("[data-cell]");
  return hit ? Number(hit.dataset.cell) : null;
}

/** "white knight" in the language of the page; games may know the whole name. */
export function stoneName(name) {
  const known = word(name);
  return known === name ? name.split(" ").map(word).join(" ") : known;
}

/** A small stone of a player, to show who is who. */
export function chip(geometry, player) {
  return picture(geometry.stones[geometry.chips[player] - 1]);
}

/** Markup about the origin as a small picture of its own. */
export function picture(drawing) {
  const drawn = svg("svg", { viewBox: "-50 -50 100 100", class: "chip", "aria-hidden": "true" });
  if (drawing) drawn.append(markup(drawing));
  return drawn;
}

export const sideName = (geometry, player) => capital(geometry.sides[player] ?? `player ${player + 1}`);
