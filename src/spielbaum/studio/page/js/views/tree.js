// The search tree: what an agent looked at, from the position on the board, to be opened move by move.

import * as api from "../api.js";
import { agentPicker, analysing } from "../agentpicker.js";
import { button, h, replace, toast } from "../dom.js";
import { short, t } from "../i18n.js";
import { readSeat, seatText } from "../link.js";
import { tint, valueText } from "../marks.js";
import { MoveList } from "../movelist.js";
import { card, gameCard, positionCard, stepButtons, stepKeys } from "../panels.js";
import { socket } from "../socket.js";
import { effort, Table } from "../table.js";

const ROWS = 3000;
const SHOWN = 12;
const STORED = "tree agent";

export async function tree(session) {
  const table = new Table(session, { usable: () => true, label: () => " " });
  const moves = new MoveList(session);
  const status = h("div", { class: "thinking-line", role: "status" });
  const list = h("div");
  let seat = readSeat(localStorage.getItem(STORED), { agent: "uct", limits: { iterations: 20000 } });
  let search = null;
  let opening = [];

  function grow() {
    search?.cancel();
    opening.forEach((each) => each.cancel());
    opening = [];
    replace(list);
    replace(status);
    table.showLine(null);
    if (session.over) return;
    const base = session.position();
    replace(status, h("span", { class: "badge live" }, t("search.thinks")));
    search = socket.search(
      { position: base, agent: analysing(seat.agent), limits: seat.limits, tree: ROWS },
      {
        queued: (place) => replace(status, h("span", { class: "badge warn" }, t("search.waits", { place }))),
        report: (decision) =>
          replace(status, h("span", { class: "badge live" }, t("search.thinks")), " ", effort(decision)),
        done: (decision) => {
          replace(status, effort(decision));
          const root = decision.tree.length ? fromRows(decision.tree) : fromDecision(decision);
          replace(list, root.length ? branch(root, base, []) : h("p", { class: "empty" }, t("tree.none")));
        },
        failed: (text) => replace(status, h("span", { class: "problem-text" }, text)),
      },
    );
  }

  /** The moves of a level; only the most visited are shown at first. */
  function branch(nodes, base, path, all = false) {
    const most = Math.max(1, ...nodes.map((node) => node.visits));
    const shown = all ? nodes : nodes.slice(0, SHOWN);
    const items = shown.map((node) => item(node, base, path, most));
    const element = h(
      "ul",
      { class: path.length ? "" : "tree", role: path.length ? "group" : "tree" },
      items,
    );
    if (shown.length < nodes.length) {
      const more = button(t("tree.more", { count: nodes.length - shown.length }), {
        look: "quiet",
        onclick: () => element.replaceWith(branch(nodes, base, path, true)),
      });
      element.append(h("li", {}, more));
    }
    return element;
  }

  function item(node, base, path, most) {
    const here = [...path, node.text];
    const below = h("div");
    const canOpen = node.children === null || node.children.length > 0;
    const twist = h(
      "button",
      {
        type: "button",
        class: "twist",
        "aria-expanded": "false",
        "aria-label": t("tree.open", { move: node.text }),
        onclick: () => toggle(),
      },
      "▸",
    );
    twist.hidden = !canOpen;
    const value = h("span", { class: "tint" }, valueText(node));
    value.style.background = tint(node.value);
    const bar = h("span");
    bar.style.width = `${(100 * node.visits) / most}%`;

    async function toggle() {
      const open = twist.getAttribute("aria-expanded") === "true";
      twist.setAttribute("aria-expanded", String(!open));
      line.setAttribute("aria-expanded", String(!open));
      if (open) return replace(below);
      try {
        node.children ??= await lookAhead(base, here);
        replace(
          below,
          node.children.length
            ? branch(node.children, base, here)
            : h("p", { class: "soft small" }, t("tree.end")),
        );
      } catch (error) {
        toast(error.message, true);
      }
      return undefined;
    }

    const line = h(
      "li",
      { role: "treeitem", "aria-expanded": canOpen ? "false" : undefined },
      h(
        "div",
        { class: "tree-line" },
        canOpen ? twist : h("span", { class: "twist" }),
        h(
          "button",
          { type: "button", class: "move", title: t("tree.show"), onclick: () => showPath(base, here) },
          node.text,
        ),
        value,
        node.visits > 0 && h("span", { class: "share meter" }, bar),
        node.visits > 0 && h("span", { class: "visits" }, short(node.visits)),
        node.proven !== null && h("span", { class: "badge" }, t("tree.proven")),
      ),
      below,
    );
    return line;
  }

  /** Alpha-beta keeps no tree: the position after the moves is searched one ply less deep. */
  function lookAhead(base, path) {
    const limits = { ...seat.limits };
    if (limits.depth) limits.depth = Math.max(1, limits.depth - path.length);
    const position = { ...base, moves: [...base.moves, ...path] };
    return new Promise((resolve, reject) => {
      opening.push(
        socket.search(
          { position, agent: analysing(seat.agent), limits },
          {
            done: (decision) => resolve(fromDecision(decision)),
            failed: (text) => (text.startsWith("the game is over") ? resolve([]) : reject(new Error(text))),
            cancelled: () => resolve([]),
          },
        ),
      );
    });
  }

  /** Draw the moves of a path on the board, without leaving the position. */
  async function showPath(base, path) {
    const line = [];
    for (let length = 0; length < path.length; length++) {
      const view = await api.position({ ...base, moves: [...base.moves, ...path.slice(0, length)] });
      const move = view.legal.find((each) => each.text === path[length]);
      line.push({ text: path[length], cells: move?.cells ?? [], player: view.to_move });
    }
    table.showLine(line);
  }

  session.addEventListener("change", (event) => event.detail !== "seats" && grow());
  const picker = await agentPicker(
    seat,
    (changed) => {
      seat = changed;
      localStorage.setItem(STORED, seatText(seat));
      grow();
    },
    { game: () => session.game },
  );
  const side = h(
    "div",
    { class: "side" },
    card(
      t("tree.title"),
      h(
        "div",
        { class: "stack" },
        h(
          "div",
          { class: "row" },
          stepButtons(session),
          button(t("tree.again"), { look: "main", onclick: grow }),
        ),
        moves.element,
        status,
        h("div", { class: "scroller" }, list),
      ),
    ),
    card(t("tree.agent"), picker),
    await gameCard(session),
    positionCard(session),
  );
  const offKeys = stepKeys(session, { f: () => table.flip() });
  return {
    element: h("div", { class: "stage" }, table.element, side),
    begin: () => {
      table.refresh();
      moves.draw();
      grow();
    },
    close: () => {
      search?.cancel();
      opening.forEach((each) => each.cancel());
      table.close();
      moves.close();
      offKeys();
    },
  };
}

/** Rows with parents, the most visited first, as nodes with children. */
function fromRows(rows) {
  const nodes = rows.map((row) => ({ ...row, children: [] }));
  const roots = [];
  for (const node of nodes) (node.parent === null ? roots : nodes[node.parent].children).push(node);
  return roots;
}

/** The moves of a decision as nodes whose children are not known yet. */
function fromDecision(decision) {
  return [...decision.moves]
    .sort(
      (a, b) =>
        (b.text === decision.move) - (a.text === decision.move) || b.visits - a.visits || b.value - a.value,
    )
    .map((move) => ({ ...move, children: null }));
}
