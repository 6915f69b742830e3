// Tuples on a board: a line through their cells, what they add as its colour, and digits.

import { replace, svg } from "./dom.js";

const STRONGEST = 0.95;

/** The colour of what a tuple adds, for lines on any board: red, pale, or green. */
export function weightColour(weight, most) {
  if (!most || Math.abs(weight) < 1e-9) return "rgb(235 232 222)";
  const share = Math.sqrt(Math.min(1, Math.abs(weight) / most));
  const [r, g, b] = weight > 0 ? [86, 214, 126] : [255, 118, 105];
  const mix = (from, to) => Math.round(from + share * (to - from));
  return `rgb(${mix(235, r)} ${mix(232, g)} ${mix(222, b)})`;
}

/** One tuple as a line with a dot on every cell; `digits` numbers them from the lowest. */
function tuplePath(board, cells, { colour, width, opacity, digits = false, index = "" }) {
  const points = cells.map((cell) => board.centre(cell));
  const line = points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const group = svg(
    "g",
    { class: "tuple-path", opacity, "data-tuple": index },
    digits && svg("path", { d: line, class: "tuple-edge", "stroke-width": width + 6 }),
    svg("path", { d: line, stroke: colour, "stroke-width": width }),
    points.map(([cx, cy]) => svg("circle", { cx, cy, r: digits ? 15 : width * 0.9, fill: colour })),
    digits && points.map(([x, y], digit) => svg("text", { x, y: y + 7, "font-size": 19 }, digit)),
  );
  return group;
}

/** All tuples as thin lines, those that add most on top; `chosen` are drawn strongly. */
export function showTuples(board, tuples, { weights = [], chosen = [], only = null } = {}) {
  if (!board.lines) return;
  const most = Math.max(...weights.map(Math.abs), 0);
  const shown = tuples
    .map((cells, index) => ({ cells, index, weight: weights[index] ?? 0 }))
    .filter(({ index }) => (only === null || only.has(index)) && !chosen.includes(index))
    .sort((a, b) => Math.abs(a.weight) - Math.abs(b.weight));
  replace(
    board.lines,
    shown.map(({ cells, index, weight }) => {
      const share = most ? Math.abs(weight) / most : 0;
      const opacity = only === null && chosen.length ? 0.12 : only ? 0.75 : 0.22 + 0.6 * share;
      return tuplePath(board, cells, {
        colour: weightColour(weight, most),
        width: 5 + 6 * share,
        opacity,
        index,
      });
    }),
    chosen.map((index) =>
      tuplePath(board, tuples[index], {
        colour: weightColour(weights[index] ?? 0, most),
        width: 12,
        opacity: STRONGEST,
        digits: true,
        index,
      }),
    ),
  );
}

/** Tuples that somebody draws: finished ones pale, the one at hand with digits. */
export function showDrawn(board, tuples, current) {
  replace(
    board.lines,
    tuples.map((cells) => tuplePath(board, cells, { colour: "rgb(235 232 222)", width: 6, opacity: 0.35 })),
    current.length > 0 &&
      tuplePath(board, current, { colour: "#f2c14e", width: 11, opacity: STRONGEST, digits: true }),
  );
}

/** A position without moves, for boards that are forms. */
export const still = (cells) => ({ cells, legal: [], last_cells: [], moves: [], outcome: null, to_move: 0 });
