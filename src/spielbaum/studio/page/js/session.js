// The game on the board: where it began, its moves, which of them is shown, and who plays.

import * as api from "./api.js";
import { readSeat, seatText } from "./link.js";

const HUMAN = { agent: "human", limits: { seconds: 1 } };
const OPPONENT = { agent: "mcts", limits: { seconds: 1 } };

export class Session extends EventTarget {
  board = null;
  view = null;
  game = "connect4";
  start = "";
  moves = [];
  /** Who made each of the moves. */
  movers = [];
  ply = 0;
  seats = [HUMAN, OPPONENT];
  resigned = null;
  /** What a view keeps in the address beside the game. */
  extra = {};
  #views = new Map();
  #turn = 0;

  /** What the address says; answers whether there was anything. */
  async load(values, seats) {
    this.game = values.game ?? "connect4";
    const asked = (values.moves ?? "").split(" ").filter(Boolean);
    const [board, full] = await Promise.all([
      api.board(this.game),
      api.position({ game: this.game, start: values.start ?? "", moves: asked }),
    ]);
    this.board = board;
    this.#take(full);
    const ply = values.ply === undefined ? this.moves.length : Number(values.ply);
    this.resigned = values.resigned === undefined ? null : Number(values.resigned);
    this.seats = this.#seated(seats ?? this.#readSeats(values));
    await this.goTo(
      Number.isInteger(ply) ? Math.max(0, Math.min(ply, this.moves.length)) : this.moves.length,
    );
  }

  get values() {
    const values = { game: this.game, ...this.extra };
    if (this.start) values.start = this.start;
    if (this.moves.length) values.moves = this.moves.join(" ");
    if (this.ply < this.moves.length) values.ply = this.ply;
    if (this.resigned !== null) values.resigned = this.resigned;
    this.seats.forEach((seat, index) => (values[`p${index + 1}`] = seatText(seat)));
    return values;
  }

  get over() {
    return this.view?.outcome !== null || this.isResigned;
  }

  get isResigned() {
    return this.resigned !== null && this.ply === this.moves.length;
  }

  get seat() {
    return this.seats[this.view.to_move];
  }

  /** The position that is shown, as the server reads it. */
  position(ply = this.ply) {
    return { game: this.game, start: this.start, moves: this.moves.slice(0, ply) };
  }

  /** Another game, or another start position or notation of it. */
  async begin(game, notation = "") {
    const board = await api.board(game);
    const view = await api.position({ game: board.game, start: notation, moves: [] });
    this.board = board;
    this.game = board.game;
    this.seats = this.#seated(this.seats);
    this.#start(view);
  }

  #start(view) {
    this.resigned = null;
    this.#take(view);
    this.ply = this.moves.length;
    this.view = view;
    this.#turn++;
    this.#changed("begin");
  }

  /** Play a move here; moves that followed are forgotten. */
  async play(text) {
    const turn = ++this.#turn;
    const moves = [...this.moves.slice(0, this.ply), text];
    const view = await api.position({ game: this.game, start: this.start, moves });
    if (turn !== this.#turn) return;
    for (const ply of this.#views.keys()) if (ply > this.ply) this.#views.delete(ply);
    this.moves = view.moves;
    this.movers = view.movers;
    this.ply = this.moves.length;
    this.#views.set(this.ply, view);
    this.view = view;
    this.resigned = null;
    this.#changed("play");
  }

  async goTo(ply) {
    const turn = ++this.#turn;
    const view = await this.viewAt(ply);
    if (turn !== this.#turn) return;
    this.ply = ply;
    this.view = view;
    this.#changed("step");
  }

  async viewAt(ply) {
    if (!this.#views.has(ply)) this.#views.set(ply, await api.position(this.position(ply)));
    return this.#views.get(ply);
  }

  /** Whoever is to move gives up; where the game goes on without him, the others play on. */
  async resign() {
    if (this.board.disqualifies && this.board.players > 2) {
      this.#start(await api.disqualify(this.position(), this.view.to_move));
      return;
    }
    this.moves = this.moves.slice(0, this.ply);
    this.resigned = this.view.to_move;
    this.#changed("resign");
  }

  /** Keep something else in the address. */
  setExtra(values) {
    this.extra = { ...this.extra, ...values };
    this.#changed("extra");
  }

  setSeat(index, seat) {
    this.seats = this.seats.map((old, place) => (place === index ? seat : old));
    this.#changed("seats");
  }

  #take(view) {
    this.start = view.start;
    this.moves = view.moves;
    this.movers = view.movers;
    this.#views = new Map([[view.moves.length, view]]);
  }

  #readSeats(values) {
    return [0, 1, 2, 3, 4, 5, 6, 7].map((index) =>
      readSeat(values[`p${index + 1}`], index ? OPPONENT : HUMAN),
    );
  }

  #seated(seats) {
    return Array.from({ length: this.board.players }, (_, index) => seats[index] ?? OPPONENT);
  }

  #changed(kind) {
    this.dispatchEvent(new CustomEvent("change", { detail: kind }));
  }
}
