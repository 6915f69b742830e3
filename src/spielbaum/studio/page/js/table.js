// The board with the players around it, as every view of a game shows it.

import { Board, chip, sideName, stoneName } from "./board.js";
import { announce, button, h, replace, toast } from "./dom.js";
import { capital, short, signed, t, word } from "./i18n.js";
import { showLine, showValues } from "./marks.js";
import { moveSound } from "./sound.js";

export class Table {
  /** Options: usable() says whether a person may move now; with values, there is room for them. */
  constructor(session, { usable, label = () => "", values = false } = {}) {
    this.session = session;
    this.usable = usable ?? (() => false);
    this.label = label;
    this.thoughts = new Map();
    this.board = new Board({ onmove: (moves) => this.#choose(moves) });
    this.top = h("div", { class: "player-row" });
    this.bottom = h("div", { class: "player-row" });
    this.result = h("div", { class: "result", role: "status", hidden: true });
    this.extra = h("div", { class: "extra-moves" });
    this.strip = h("div", { class: "strip" });
    this.withValues = values;
    this.element = h(
      "div",
      { class: "field" },
      this.top,
      this.board.element,
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
    const place = this.element.querySelector(`[data-player="${player}"] .thought`);
    if (place) replace(place, ...children);
  }

  #extraMoves() {
    const { board } = this;
    const moves = board.geometry.cells.length ? board.others : board.view.legal;
    return moves.map((move) =>
      button(word(move.text), { look: "main", onclick: () => this.#choose([move]) }),
    );
  }

  async #choose(moves) {
    const move = moves.length === 1 ? moves[0] : await promotion(moves);
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
      const before = (session.view.to_move + session.board.players - 1) % session.board.players;
      announce(`${sideName(session.board, before)}: ${session.moves[session.ply - 1] ?? ""}`);
    }
    if (this.session.over && kind !== "seats") announce(this.result.textContent);
  }

  #showPlayers() {
    const { session, board } = this;
    const bars = session.seats.map((seat, player) => this.#bar(seat, player));
    const lower = board.flipped ? bars.length - 1 : 0;
    replace(this.bottom, bars[lower]);
    replace(
      this.top,
      bars.filter((_, player) => player !== lower),
    );
  }

  #bar(seat, player) {
    const { session } = this;
    const turn = !session.over && session.view.to_move === player;
    const who = this.label(player) || (seat.agent === "human" ? t("seat.human") : seat.agent);
    return h(
      "div",
      { class: `player ${turn ? "turn" : ""}`, "data-player": player },
      chip(session.board, player),
      h("span", { class: "name" }, sideName(session.board, player)),
      h("span", { class: "who" }, who),
      h("span", { class: "thought" }, this.thoughts.get(player) ?? (turn ? t("turn.now") : "")),
    );
  }

  #showResult() {
    const { session } = this;
    this.result.hidden = !session.over;
    if (session.isResigned) {
      this.result.textContent = t("result.resigned", { side: sideName(session.board, session.resigned) });
    } else if (session.view.outcome) {
      const { winner, reason } = session.view.outcome;
      const text =
        winner === null ? t("result.draw") : t("result.win", { side: sideName(session.board, winner) });
      this.result.textContent = `${text}: ${word(reason)}`;
    }
  }
}

/** Ask which of several moves is meant: the piece that a pawn becomes. */
function promotion(moves) {
  return new Promise((resolve) => {
    const close = (move) => {
      dialog.close();
      resolve(move);
    };
    const name = (move) =>
      stoneName({ Q: "queen", R: "rook", B: "bishop", N: "knight" }[move.text.match(/=(.)/)?.[1]] ?? move.text);
    const dialog = h(
      "dialog",
      { "aria-label": t("promotion.title"), onclose: () => dialog.remove(), oncancel: () => resolve(null) },
      h("h2", {}, t("promotion.title")),
      h(
        "div",
        { class: "choices" },
        moves.map((move) => button(capital(name(move)), { onclick: () => close(move) })),
      ),
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
