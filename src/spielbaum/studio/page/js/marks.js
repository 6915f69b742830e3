// What is drawn on a board or under it: values of moves, and lines of play.

import { h, markup, replace, svg } from "./dom.js";
import { signed, t } from "./i18n.js";

const MOST_ARROWS = 3;
const MOST_NUMBERS = 7;
const MOST_AMONG_VALUES = 4;

/** The colour of a value: red at -1, nearly white at 0, green at 1. */
export function tint(value) {
  const [r, g, b] = value > 0 ? [116, 204, 140] : [242, 139, 130];
  const strength = Math.min(1, Math.abs(value));
  const mix = (from, to) => Math.round(from + strength * (to - from));
  return `rgb(${mix(251, r)} ${mix(248, g)} ${mix(239, b)})`;
}

/** A value as text: what is proven is said in a word. */
export function valueText(move) {
  if (move.proven === 1) return t("value.win");
  if (move.proven === -1) return t("value.loss");
  if (move.proven === 0) return t("value.draw");
  return signed(move.value);
}

/** A solver's verdict in few characters: the score if it is known, else win, draw or loss. */
export function exactText(move) {
  if (move.score !== null && move.score !== undefined)
    return move.score > 0 ? `+${move.score}` : move.score < 0 ? `−${-move.score}` : "0";
  return t(move.value > 0 ? "value.win" : move.value < 0 ? "value.loss" : "value.draw");
}

/** Draw an expected line: arrows where pieces move, numbered stones where they are placed. */
export function showLine(board, line) {
  if (!board.lines) return;
  replace(board.lines);
  const plates = [...board.marks.querySelectorAll("[data-at]")];
  const moves = (line ?? [])
    .filter((move) => move.cells.length)
    .slice(0, plates.length ? MOST_AMONG_VALUES : MOST_NUMBERS);
  // Where the line is drawn there is no room for a value.
  const taken = new Set(moves.filter((move) => move.cells.length === 1).map((move) => String(move.cells[0])));
  for (const each of plates) each.toggleAttribute("hidden", taken.has(each.dataset.at));
  moves.forEach((move, index) => {
    if (move.cells.length > 1) {
      if (index < MOST_ARROWS) board.lines.append(arrow(board, move.cells, index));
    } else board.lines.append(numbered(board, move, index));
  });
}

function arrow(board, cells, index) {
  const [x1, y1] = board.centre(cells[0]);
  const [x2, y2] = board.centre(cells.at(-1));
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = 34;
  const [ex, ey] = [x2 - ux * (head + 6), y2 - uy * (head + 6)];
  const tip = [x2 - ux * 6, y2 - uy * 6];
  const corners = [tip, [ex - uy * 19, ey + ux * 19], [ex + uy * 19, ey - ux * 19]];
  return svg(
    "g",
    { class: "line", opacity: 1 - 0.28 * index },
    svg("path", { class: "arrow", d: `M${x1 + ux * 18} ${y1 + uy * 18}L${ex} ${ey}` }),
    svg("polygon", { class: "arrow-head", points: corners.map((corner) => corner.join(",")).join(" ") }),
  );
}

function numbered(board, move, index) {
  const [x, y] = board.centre(move.cells[0]);
  const stone = markup(board.geometry.stones[move.player]);
  stone.setAttribute("opacity", 0.5);
  return svg(
    "g",
    { class: "line", transform: `translate(${x} ${y})`, opacity: 1 - 0.07 * index },
    stone,
    svg("text", { class: "number", y: 12 }, index + 1),
  );
}

/**
 * Values of moves. A source is {name, moves: Map from text to {label, value, best}, series}.
 * Under the columns if moves are columns, else on the cells (the first two sources).
 */
export function showValues(board, strip, sources) {
  if (board.marks) replace(board.marks);
  replace(strip);
  if (!board.geometry || !board.view) return;
  if (board.geometry.by_column) strip.append(...sources.map((source) => stripRow(board, source)));
  else if (board.geometry.cells.length)
    onCells(
      board,
      sources.filter((source) => source.moves.size),
    );
}

function stripRow(board, source) {
  const { geometry, view } = board;
  const columns = [...new Set(geometry.cells.map((cell) => cell.x))].sort((a, b) =>
    board.flipped ? b - a : a - b,
  );
  const share = geometry.margin / (geometry.width + 2 * geometry.margin);
  const cells = columns.map((x) => {
    const move = view.legal.find((each) => each.cells.length && geometry.cells[each.cells[0]].x === x);
    const known = move && source.moves.get(move.text);
    if (!known) return h("span", { class: "none" }, "·");
    const cell = h(
      "span",
      { class: known.best ? "best" : "", title: `${move.text}: ${known.label}` },
      known.label,
    );
    cell.style.background = tint(known.value);
    return cell;
  });
  const row = h("div", { class: "strip-cells" }, cells);
  row.style.gridTemplateColumns = `repeat(${columns.length}, 1fr)`;
  row.style.margin = `0 ${100 * share}%`;
  const name = h("div", { class: "strip-name" }, h("i"), source.name);
  name.querySelector("i").style.color = `var(--series-${source.series})`;
  name.style.margin = `0 ${100 * share}%`;
  return h("div", { class: "strip-row" }, name, row);
}

function onCells(board, sources) {
  const best = new Map();
  sources.slice(0, 2).forEach((source, index) => {
    for (const move of board.view.legal) {
      const known = source.moves.get(move.text);
      if (!known || !move.cells.length) continue;
      // Of several moves to a cell, as in chess, the best one is shown.
      const key = `${move.cells.at(-1)} ${index}`;
      if (!best.has(key) || best.get(key).value < known.value) best.set(key, known);
    }
  });
  const both = sources.length > 1;
  const most = board.isSmall ? 42 : both ? 22 : 25;
  for (const [key, known] of best) {
    const [cell, index] = key.split(" ").map(Number);
    const [x, y] = board.centre(cell);
    const down = both ? (index ? 24 : -20) : board.view.cells[cell] ? 28 : 0;
    board.marks.append(plate(cell, x, y + down, board.isSmall ? brief(known) : known, most));
  }
}

/** On small cells a value is told in hundredths, and in larger letters. */
function brief(known) {
  const label = `${known.value < 0 ? "−" : "+"}${Math.round(100 * Math.abs(known.value))}`;
  return known.label.length < 5 ? known : { ...known, label };
}

function plate(cell, x, y, known, most) {
  const size = Math.min(most, 122 / Math.max(1, known.label.length));
  const width = Math.min(96, 0.63 * size * known.label.length + 14);
  return svg(
    "g",
    { class: `mark plate ${known.best ? "best" : ""}`, "data-at": cell, transform: `translate(${x} ${y})` },
    svg("rect", {
      x: -width / 2,
      y: -0.7 * size,
      width,
      height: 1.4 * size,
      rx: 0.45 * size,
      fill: tint(known.value),
    }),
    svg("text", { y: 0.35 * size, "font-size": size }, known.label),
  );
}

/** Whether an agent has a value for a move: a search that counts has none without a visit. */
export function wasTried(move, decision) {
  const counts = "iterations" in decision.stats || decision.moves.some((each) => each.visits > 0);
  return move.visits > 0 || move.proven !== null || !counts;
}

/** The values of a decision of an agent as a source. */
export function decisionSource(agent, decision, series) {
  const moves = new Map();
  const bounds = agent.startsWith("alphabeta") && !agent.includes("analyse=on");
  for (const move of decision?.moves ?? []) {
    // What alpha-beta has cut off has only a bound.
    if (!wasTried(move, decision)) continue;
    if (bounds && move.proven === null && move.text !== decision.move) continue;
    moves.set(move.text, { label: valueText(move), value: move.value, best: move.text === decision.move });
  }
  return { name: agent, moves, series };
}

/** The values of a solution as a source; of the scores only the best are bright. */
export function solutionSource(name, solution) {
  const moves = new Map();
  const best = Math.max(...(solution?.moves ?? []).map((move) => move.score ?? move.value));
  for (const move of solution?.moves ?? []) {
    moves.set(move.text, {
      label: exactText(move),
      value: move.value,
      best: (move.score ?? move.value) === best,
    });
  }
  return { name, moves, series: 4 };
}
