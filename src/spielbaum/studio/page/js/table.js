// The board with the players around it, as every view of a game shows it.

import * as api from "./api.js";
import { Board, chip, picture, sideName } from "./board.js";
import { announce, button, h, replace, toast } from "./dom.js";
import { capital, short, signed, t, word } from "./i18n.js";
import { showLine, showValues } from "./marks.js";
import { moveSound } from "./sound.js";

/** More players than these stand in a grid above the board; fewer if there is much to say of each. */
const MOST_AROUND = 3;

export class Table {
  /** Options: usable() says whether a person may move now; with values, there is room for them. */
  constructor(session, { usable, label = () => "", values = false } = {}) {
    this.session = session;
    this.usable = usable ?? (() => false);
    this.label = label;
    this.thoughts = new Map();
    this.board = new Board({
      onmove: (moves) => this.#choose(moves),
      preview: (move) => api.preview(session.position(), move.text),
      onzoom: () => this.#showZoom(),
    });
    this.top = h("div", { class: "player-row" });
    this.bottom = h("div", { class: "player-row" });
    this.thought = h("div", { class: "thinking-line", hidden: true });
    this.notes = h("div", { class: "notes" });
    const look = (label, sign, change) =>
      button(t(label), { sign, iconOnly: true, look: "quiet", onclick: () => change(this.board.zoom) });
    this.zoom = h(
      "div",
      { class: "zoom", role: "group", "aria-label": t("zoom.title"), hidden: true },
      look("zoom.out", "minus", (zoom) => zoom.out()),
      look("zoom.in", "plus", (zoom) => zoom.in()),
      look("zoom.fit", "fit", (zoom) => zoom.fit()),
    );
    this.sizes = new ResizeObserver(() => this.#showZoom());
    this.sizes.observe(this.board.element);
    this.result = h("div", { class: "result", role: "status", hidden: true });
    this.extra = h("div", { class: "extra-moves" });
    this.strip = h("div", { class: "strip" });
    this.withValues = values;
    this.element = h(
      "div",
      { class: "field" },
      this.top,
      this.thought,
      this.board.element,
      h("div", { class: "under-board" }, this.notes, this.zoom),
      this.strip,
      this.extra,
      this.result,
      this.bottom,
    );
    this.onchange = (event) => this.#changed(event.detail);
    session.addEventListener("change", this.onchange);
  }

  close() {
    this.session.removeEventListener("change", this.onchange);
    this.sizes.disconnect();
  }

  #showZoom() {
    this.zoom.hidden = !this.board.isSmall;
  }

  flip() {
    this.board.flip();
    this.refresh();
  }

  refresh() {
    const { session, board } = this;
    if (!session.view) return;
    board.setGeometry(session.board);
    const { width, height, margin } = session.board;
    this.element.classList.toggle("with-values", this.withValues && session.board.by_column);
    if (width) this.element.style.setProperty("--board-ratio", (width + 2 * margin) / (height + 2 * margin));
    board.show(session.view, this.usable() && !session.over);
    showLine(board, null);
    showValues(board, this.strip, []);
    this.#showPlayers();
    this.#showNotes();
    this.#showZoom();
    this.#showResult();
    replace(this.extra, board.usable ? this.#extraMoves() : []);
  }

  showLine(line) {
    showLine(this.board, line);
  }

  showValues(sources) {
    showValues(this.board, this.strip, sources);
  }

  /** What a player is thinking, beside his name. */
  setThought(player, ...children) {
    this.thoughts.set(player, children);
    this.#showThought(player);
    const place = this.element.querySelector(`[data-player="${player}"] .thought`);
    if (place && !this.#isCrowded) replace(place, ...children);
  }

  get #isCrowded() {
    const { seats, view } = this.session;
    return seats.length > (Object.keys(view.counts).length ? 2 : MOST_AROUND);
  }

  /** Among many players there is no room beside each for what he thinks. */
  #showThought(player) {
    const said = this.thoughts.get(player);
    if (!this.#isCrowded) {
      this.thought.hidden = true;
      replace(this.thought);
      return;
    }
    if (!said) return;
    // The line stays where it is once something was said in it, so that the board does not jump.
    this.thought.hidden = false;
    const again = said.map((each) => (each instanceof Node ? each.cloneNode(true) : each));
    replace(this.thought, chip(this.session.board, player), " ", again);
  }

  #extraMoves() {
    const { board } = this;
    const moves = board.geometry.cells.length ? board.others : board.view.legal;
    return moves.map((move) =>
      button(word(move.text), { look: "main", onclick: () => this.#choose([move]) }),
    );
  }

  async #choose(moves) {
    const move = moves.length === 1 ? moves[0] : await ask(this.session.board, moves);
    if (!move) return;
    try {
      await this.session.play(move.text);
    } catch (error) {
      toast(error.message, true);
    }
  }

  #changed(kind) {
    if (kind !== "seats") this.thoughts.clear();
    this.refresh();
    if (kind === "play") {
      moveSound();
      const { session } = this;
      const mover = session.movers[session.ply - 1];
      announce(`${sideName(session.board, mover)}: ${session.moves[session.ply - 1]}`);
    }
    if (this.session.over && kind !== "seats") announce(this.result.textContent);
  }

  #showPlayers() {
    const { session, board } = this;
    const bars = session.seats.map((seat, player) => this.#bar(seat, player));
    const many = this.#isCrowded;
    this.element.classList.toggle("many", many);
    this.element.style.setProperty("--players", Math.min(bars.length, 4));
    this.#showThought(session.view.to_move);
    if (many) {
      replace(this.bottom);
      replace(this.top, bars);
      return;
    }
    const lower = board.flipped ? bars.length - 1 : 0;
    replace(this.bottom, bars[lower]);
    replace(
      this.top,
      bars.filter((_, player) => player !== lower),
    );
  }

  #bar(seat, player) {
    const { session } = this;
    const { counts, out, outcome } = session.view;
    const turn = !session.over && session.view.to_move === player;
    const isOut = out.includes(player);
    const place = outcome && session.seats.length > 2 ? placeOf(outcome.rewards, player) : null;
    const state = isOut ? t("player.out") : place ? t("player.place", { place }) : "";
    const thought = !this.#isCrowded && (this.thoughts.get(player) ?? (turn && t("turn.now")));
    const who = this.label(player) || (seat.agent === "human" ? t("seat.human") : seat.agent);
    return h(
      "div",
      { class: `player ${turn ? "turn" : ""} ${isOut ? "out" : ""}`, "data-player": player },
      chip(session.board, player),
      h("span", { class: "name" }, sideName(session.board, player)),
      h("span", { class: "who", title: who }, who),
      Object.entries(counts).map(([name, values]) => this.#count(name, values[player])),
      h("span", { class: "thought" }, state || thought),
    );
  }

  #count(name, value) {
    const drawn = this.session.board.icons[name];
    const text = `${capital(name)}: ${value}`;
    return h(
      "span",
      { class: "count", title: text },
      drawn && picture(drawn),
      h("span", { class: "unseen" }, capital(name), " "),
      value,
    );
  }

  /** What is to be known about the position, and what lies on its cells. */
  #showNotes() {
    const { board, view } = this.session;
    const there = new Set(view.cells);
    replace(
      this.notes,
      view.notes.map((note) => h("span", { class: "note" }, capital(note))),
      board.explained
        .filter((content) => there.has(content))
        .map((content) =>
          h("span", { class: "explained" }, picture(board.stones[content - 1]), word(board.names[content - 1])),
        ),
    );
  }

  #showResult() {
    const { session } = this;
    this.result.hidden = !session.over;
    if (session.isResigned) {
      this.result.textContent = t("result.resigned", { side: sideName(session.board, session.resigned) });
    } else if (session.view.outcome) {
      const { winner, reason, rewards } = session.view.outcome;
      const first = rewards.flatMap((reward, player) => (reward === Math.max(...rewards) ? [player] : []));
      const sides = first.map((player) => sideName(session.board, player)).join(", ");
      let text = t("result.draw");
      if (winner !== null) text = t("result.win", { side: sideName(session.board, winner) });
      else if (first.length < rewards.length) text = t("result.shared", { sides });
      this.result.textContent = `${text}: ${word(reason)}`;
    }
  }
}

/** The place of a player among the rewards of all: those with the same share one. */
const placeOf = (rewards, player) => 1 + rewards.filter((reward) => reward > rewards[player]).length;

/** Ask which of several moves on the same cells is meant. */
function ask(board, moves) {
  return new Promise((resolve) => {
    const close = (move) => {
      dialog.close();
      resolve(move);
    };
    const title = moves[0].choice ? capital(moves[0].choice.question) : t("choice.title");
    const answer = ({ choice, text }) =>
      choice
        ? [choice.content > 0 && picture(board.stones[choice.content - 1]), capital(choice.answer)]
        : text;
    const dialog = h(
      "dialog",
      { "aria-label": title, onclose: () => dialog.remove(), oncancel: () => resolve(null) },
      h("h2", {}, title),
      h(
        "div",
        { class: "choices" },
        moves.map((move) => button(answer(move), { onclick: () => close(move) })),
      ),
      h("div", { class: "row end" }, button(t("choice.cancel"), { look: "quiet", onclick: () => close(null) })),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** What a search knows so far in one line: effort, and what the position is worth. */
export function effort(decision) {
  const { stats } = decision;
  const parts = [];
  if (stats.source && stats.solved) parts.push(t("effort.solved"));
  if (stats.depth !== undefined) parts.push(t("effort.depth", { depth: stats.depth }));
  if (stats.iterations !== undefined) parts.push(t("effort.iterations", { count: short(stats.iterations) }));
  else if (stats.nodes) parts.push(t("effort.nodes", { count: short(stats.nodes) }));
  if (stats.seconds > 0.02 && (stats.iterations || stats.nodes)) {
    parts.push(`${short(Math.round((stats.iterations || stats.nodes) / stats.seconds))}/s`);
  }
  parts.push(signed(decision.value));
  return parts.join(" · ");
}
