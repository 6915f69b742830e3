// Exact values from the solver, for one position at a time or for a whole game.

import { socket } from "./socket.js";

export class Exact {
  #known = new Map();
  #search = null;

  close() {
    this.#search?.cancel();
    this.#search = null;
  }

  /** Solve a position; tell(solution, last) perhaps twice: first win or loss, then scores. */
  ask(position, tell, seconds = 3) {
    this.close();
    const key = JSON.stringify(position);
    if (this.#known.has(key)) {
      tell(this.#known.get(key), true);
      return;
    }
    this.#search = socket.solve(
      { position, seconds },
      {
        report: (solution) => tell(solution, false),
        done: (solution) => {
          this.#known.set(key, solution);
          tell(solution, true);
        },
        failed: (reason) => tell({ solved: false, moves: [], reason }, true),
      },
    );
  }

  /** The same as a promise, of the last word only. */
  solve(position, seconds) {
    return new Promise((resolve) => {
      this.ask(position, (solution, last) => last && resolve(solution), seconds);
    });
  }
}
