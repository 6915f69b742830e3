// N-tuple networks: every tuple on the board, what it adds to each move, its patterns and weights.

import * as api from "../api.js";
import { button, check, choose, field, grid, h, named, replace, toast } from "../dom.js";
import { number, signed, t } from "../i18n.js";
import { write } from "../link.js";
import { tint } from "../marks.js";
import { MoveList } from "../movelist.js";
import { card, positionCard, stepButtons, stepKeys } from "../panels.js";
import { PatternEditor } from "../patterneditor.js";
import { Table } from "../table.js";
import { TupleDrawer } from "../tupledrawer.js";
import { showTuples } from "../tuples.js";

const FEW_MOVES = 9;
const ROWS = 12;
const KIND = "ntuple";

export async function ntuples(session) {
  const models = (await api.models()).filter((model) => model.kind === KIND);
  const table = new Table(session, { usable: () => true, label: () => " ", values: true });
  const moves = new MoveList(session);
  const pattern = new PatternEditor();
  const drawer = new TupleDrawer();
  const facts = h("div", { class: "stack" });
  const verdict = h("p", { class: "small", role: "status" });
  const list = h("div");
  const told = h("p", { class: "tuple-told small soft", role: "status" });
  const patternCard = card("", pattern.element);
  let network = null;
  let sums = null;
  let chosen = null;
  let hovered = null;
  let order = "added";
  let afterMove = "";
  let all = false;
  let drawn = true;
  let asked = 0;

  const weights = () => {
    const after = sums?.moves.find((move) => move.text === afterMove);
    return after ? after.weights : (sums?.tuples.map((each) => each.weight) ?? []);
  };

  const picker = named(
    t("ntuples.network"),
    choose(
      ["shipped", "own", "training"]
        .map((source) => ({
          group: t(`models.${source}`),
          pairs: models
            .filter((model) => model.source === source)
            .map((model) => [
              model.name,
              `${model.name.replace(/^(models|trainings)\//, "")} · ${model.game}`,
            ]),
        }))
        .filter((group) => group.pairs.length),
      session.extra.model ?? "",
      (name) => open(name).catch((error) => toast(error.message, true)),
    ),
  );

  /** Another network; if it is of another game, that begins. */
  async function open(name) {
    const view = await api.get(`ntuple?model=${encodeURIComponent(name)}`);
    network = view;
    chosen = null;
    sums = null;
    picker.value = name;
    if (view.game !== session.game) await session.begin(view.game);
    session.setExtra({ model: name });
    drawFacts();
    await drawer.show(session.board, network);
  }

  function drawFacts() {
    const lengths = new Map();
    for (const { cells } of network.tuples) lengths.set(cells.length, (lengths.get(cells.length) ?? 0) + 1);
    const trained = network.tuples.reduce((sum, each) => sum + each.trained, 0);
    const entries = network.tuples.reduce((sum, each) => sum + each.entries, 0);
    const rows = [
      [
        t("ntuples.tuples"),
        [...lengths].map(([length, count]) => t("ntuples.ofLength", { count, length })).join(", "),
      ],
      [t("ntuples.contents"), `${network.contents}:  ${network.symbols.join("  ")}`],
      [
        t("ntuples.tables"),
        [
          t(network.table_per_player ? "ntuples.perPlayer" : "ntuples.oneTable"),
          t(network.symmetries ? "ntuples.symmetric" : "ntuples.notSymmetric"),
        ].join(", "),
      ],
      [
        t("ntuples.weights"),
        t("ntuples.trained", { entries: number(entries), share: number((100 * trained) / entries, 1) }),
      ],
      network.games !== null && [t("ntuples.training"), t("ntuples.games", { games: number(network.games) })],
      ...network.strength.map((each) => [
        t("ntuples.strength"),
        t("ntuples.against", { share: number(100 * each.share, 1), opponent: each.opponent }),
      ]),
    ];
    const seats = { game: network.game, p1: "human", p2: `${KIND}:${network.name}~seconds=1` };
    replace(
      facts,
      h(
        "dl",
        { class: "facts" },
        rows.filter(Boolean).map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]),
      ),
      h("p", { class: "small" }, h("a", { href: write(["play"], seats) }, t("ntuples.play"))),
    );
  }

  async function think() {
    if (!network || session.game !== network.game) return;
    const turn = ++asked;
    try {
      const found = await api.post("ntuple/position", { model: network.name, position: session.position() });
      if (turn !== asked) return;
      sums = found;
      if (!sums.moves.some((move) => move.text === afterMove)) afterMove = "";
      draw();
    } catch (error) {
      toast(error.message, true);
    }
  }

  function draw() {
    const source = new Map(
      sums.moves.map((move) => [
        move.text,
        {
          label: signed(move.value),
          value: move.value,
          best: move.value === Math.max(...sums.moves.map((each) => each.value)),
        },
      ]),
    );
    if (!drawn || session.board.by_column)
      table.showValues([{ name: t("ntuples.values"), moves: source, series: 1 }]);
    else table.showValues([]);
    replace(
      verdict,
      sums.tuples.length
        ? t("ntuples.sum", { value: signed(sums.value, 3), total: signed(sums.total, 3) })
        : "",
    );
    // At first the tuple that matters most here.
    if (chosen === null) {
      const sizes = sums.tuples.map((each) => Math.abs(each.weight));
      chosen = Math.max(0, sizes.indexOf(Math.max(...sizes)));
    }
    drawBoard();
    drawList();
    pick(chosen);
  }

  function drawBoard() {
    if (!network || !table.board.lines) return;
    const cells = network.tuples.map((each) => each.cells);
    if (hovered?.cell !== undefined) {
      const through = new Set(cells.flatMap((tuple, index) => (tuple.includes(hovered.cell) ? [index] : [])));
      showTuples(table.board, cells, { weights: weights(), only: through });
      replace(
        told,
        t("ntuples.through", { count: through.size, cell: session.board.cells[hovered.cell].name }),
      );
      return;
    }
    const strong = hovered?.tuple ?? chosen ?? 0;
    if (drawn || hovered) showTuples(table.board, cells, { weights: weights(), chosen: [strong] });
    else showTuples(table.board, cells, { only: new Set() });
    const added = sums?.tuples[strong];
    replace(told, added ? describe(strong, added) : "");
  }

  function describe(index, added) {
    const text = (contents) => contents.map((content) => network.symbols[content]).join(" ");
    return [
      h("strong", {}, t("ntuples.tuple", { number: index })),
      ": ",
      h("span", { class: "mono pattern-text" }, [...new Set(added.contents.map(text))].join("  |  ")),
      ` ${t("ntuples.adds", { weight: signed(added.weight, 3) })}`,
    ];
  }

  /** What every tuple adds: now, and after each move if there are few. */
  function drawList() {
    if (!sums?.tuples.length) {
      replace(list, h("p", { class: "empty" }, t("ntuples.over")));
      return;
    }
    const now = sums.tuples.map((each) => each.weight);
    const few = sums.moves.length <= FEW_MOVES;
    const columns = few ? sums.moves : sums.moves.filter((move) => move.text === afterMove);
    const most = Math.max(
      1e-6,
      ...now.map(Math.abs),
      ...columns.flatMap((move) => move.weights.map(Math.abs)),
    );
    const rank = {
      number: (a, b) => a - b,
      added: (a, b) => Math.abs(weights()[b]) - Math.abs(weights()[a]),
      trained: (a, b) => network.tuples[b].trained - network.tuples[a].trained,
    }[order];
    const indices = network.tuples.map((_, index) => index).sort(rank);
    const shown = all ? indices : indices.slice(0, ROWS);
    const heat = (value) => {
      const cell = h(
        "td",
        { class: "heat" },
        value === undefined ? "·" : signed(value, 2).replace(/^([+−])0/, "$1"),
      );
      if (value !== undefined) cell.style.background = tint(Math.max(-1, Math.min(1, value / most)));
      return cell;
    };
    const head = [t("ntuples.number"), t("ntuples.now"), ...columns.map((move) => move.text)];
    replace(
      list,
      h(
        "div",
        { class: "scroller" },
        grid(
          head,
          [
            shown.map((index) =>
              h(
                "tr",
                {
                  class: index === chosen ? "chosen" : "",
                  onpointerenter: () => hover({ tuple: index }),
                  onpointerleave: () => hover(null),
                },
                h(
                  "td",
                  {},
                  h(
                    "button",
                    {
                      type: "button",
                      class: "button quiet tuple-number",
                      "aria-pressed": String(index === chosen),
                      "aria-label": t("ntuples.tuple", { number: index }),
                      onfocus: () => hover({ tuple: index }),
                      onblur: () => hover(null),
                      onclick: () => (pick(index), drawList()),
                    },
                    index,
                  ),
                ),
                heat(now[index]),
                columns.map((move) => heat(move.weights[index])),
              ),
            ),
            h(
              "tr",
              { class: "total" },
              h("td", {}, t("ntuples.total")),
              h("td", {}, signed(sums.total, 2)),
              columns.map((move) =>
                h(
                  "td",
                  {},
                  move.weights.length
                    ? signed(
                        move.weights.reduce((a, b) => a + b, 0),
                        2,
                      )
                    : "·",
                ),
              ),
            ),
          ],
          { look: "heat-table" },
        ),
      ),
      indices.length > ROWS &&
        button(all ? t("ntuples.fewer") : t("ntuples.all", { count: indices.length }), {
          look: "quiet",
          onclick: () => ((all = !all), drawList()),
        }),
    );
    drawChoices(few);
  }

  const choices = h("div", { class: "inline-fields" });
  function drawChoices(few) {
    const rankBy = choose(
      ["added", "number", "trained"].map((each) => [each, t(`order.${each}`)]),
      order,
      (value) => ((order = value), drawList()),
    );
    const after = choose(
      [["", t("ntuples.now")], ...sums.moves.map((move) => [move.text, move.text])],
      afterMove,
      (value) => ((afterMove = value), drawList(), drawBoard()),
    );
    const focused = choices.contains(document.activeElement)
      ? [...choices.querySelectorAll("select")].indexOf(document.activeElement)
      : -1;
    replace(
      choices,
      field(t("ntuples.order"), rankBy, true),
      field(t(few ? "ntuples.onBoard" : "ntuples.after"), after, true),
    );
    if (focused >= 0) choices.querySelectorAll("select")[focused].focus();
  }

  function hover(what) {
    hovered = what;
    drawBoard();
  }

  function pick(index) {
    chosen = index;
    patternCard.querySelector("h2").textContent = t("ntuples.tuple", { number: index });
    pattern.show(session.board, network, index, sums).catch((error) => toast(error.message, true));
    drawBoard();
  }

  const changed = () => think();
  session.addEventListener("change", changed);
  const cellOf = (event) => event.target.closest?.(".hit")?.dataset.cell;
  table.board.element.addEventListener("pointerover", (event) => {
    const cell = cellOf(event);
    if (drawn && cell !== undefined && event.pointerType !== "touch") hover({ cell: Number(cell) });
  });
  table.board.element.addEventListener("pointerleave", () => hover(null));
  table.strip.after(told);

  const side = h(
    "div",
    { class: "side" },
    card(t("ntuples.network"), picker, facts),
    card(
      t("ntuples.adding"),
      h(
        "div",
        { class: "stack" },
        h(
          "div",
          { class: "row" },
          stepButtons(session),
          button(t("play.flip"), {
            sign: "flip",
            iconOnly: true,
            onclick: () => (table.flip(), sums && draw()),
          }),
          check(t("ntuples.draw"), drawn, (on) => ((drawn = on), sums && draw())),
        ),
        moves.element,
        verdict,
        choices,
        list,
      ),
    ),
    patternCard,
    card(t("drawer.title"), drawer.element),
    positionCard(session),
  );
  const offKeys = stepKeys(session, { f: () => (table.flip(), sums && draw()) });
  if (!models.length) replace(facts, h("p", { class: "empty" }, t("ntuples.none")));
  const fitting = models.find((model) => model.game === session.game) ?? models[0];
  const wanted = session.extra.model ?? fitting?.name;
  return {
    element: h("div", { class: "stage ntuples" }, table.element, side),
    begin: () => {
      table.refresh();
      moves.draw();
      if (wanted)
        open(wanted).catch((error) => {
          toast(error.message, true);
          if (fitting && wanted !== fitting.name) open(fitting.name);
        });
      else drawer.show(session.board, null);
    },
    close: () => {
      session.removeEventListener("change", changed);
      table.close();
      moves.close();
      offKeys();
    },
  };
}
