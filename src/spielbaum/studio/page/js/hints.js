// What is shown under the pointer: which cells are joined, and what a move would change.

import { markup, replace, svg } from "./dom.js";
import { t } from "./i18n.js";

/** The links of a board by the cells that they join. */
export function linksByCell(geometry) {
  const found = new Map();
  for (const link of geometry.links)
    for (const cell of new Set(link.cells)) found.set(cell, [...(found.get(cell) ?? []), link]);
  return found;
}

const otherEnd = (link, cell) => (link.cells[0] === cell ? link.cells[1] : link.cells[0]);

const at = ([x, y]) => ({ transform: `translate(${x} ${y})` });

/** In words, to which cells one is joined. */
export function joinedTo(board, cell) {
  const links = board.linksOf.get(cell) ?? [];
  const names = new Set(links.map((link) => board.geometry.cells[otherEnd(link, cell)].name));
  return names.size ? `, ${t("cell.joined", { cells: [...names].join(" ") })}` : "";
}

/** Draw lines to the cells that are joined to one. */
export function showLinks(board, cell) {
  replace(board.joined);
  for (const link of board.linksOf.get(cell) ?? []) {
    const [x1, y1, x2, y2] = link.ends;
    const d = `M${board.turned(x1, y1).join(" ")}L${board.turned(x2, y2).join(" ")}`;
    const frame = svg("rect", { x: -47, y: -47, width: 94, height: 94 });
    board.joined.append(
      svg(
        "g",
        { class: "link", stroke: link.colour },
        svg("path", { class: "halo", d }),
        svg("path", { d }),
        svg("g", at(board.centre(otherEnd(link, cell))), frame),
      ),
    );
  }
}

/** Draw what a move would change: small stones on the cells. */
export function showChanges(board, cells, contents) {
  const drawn = cells.map((cell, index) => {
    const stone = svg("g", { transform: "scale(0.6)" });
    if (contents[index]) stone.append(markup(board.geometry.stones[contents[index] - 1]));
    return svg("g", { class: "change", ...at(board.centre(cell)) }, svg("circle", { r: 45 }), stone);
  });
  replace(board.ghosts, drawn);
}
