// One tournament: the live crosstable, ratings with intervals, and every game that was played.

import * as api from "../api.js";
import { button, grid, h, replace, svg } from "../dom.js";
import { number, signed, t, word } from "../i18n.js";
import { write } from "../link.js";
import { tint } from "../marks.js";
import { card } from "../panels.js";
import { runPage } from "../runpage.js";
import { statusBadge } from "./tournaments.js";

const PAGE = 50;

export function tournament(name) {
  const summary = h("div", { class: "stack" });
  const table = h("div", { class: "scroller" });
  const games = h("div", { class: "scroller" });
  let offset = 0;

  function draw(view) {
    const facts = [t("tournament.played", { games: number(view.games), total: number(view.total) })];
    if (view.first_seat !== null)
      facts.push(t("tournament.first", { share: number(100 * view.first_seat, 1) }));
    if (view.openings_repeated !== null)
      facts.push(t("tournament.repeated", { count: number(view.openings_repeated) }));
    if (view.copies) facts.push(t("tournament.copies", { count: view.copies }));
    replace(
      summary,
      h("p", { class: "small soft" }, facts.join(" ")),
      view.problem && h("p", { class: "problem-text" }, view.problem),
      view.faults.map((fault) => h("p", { class: "problem-text" }, t("tournament.fault", { fault }))),
    );
    replace(table, crosstable(view.standings));
    return drawGames();
  }

  async function drawGames() {
    const found = await api.get(`tournaments/${encodeURIComponent(name)}/games?offset=${offset}&limit=${PAGE}`);
    if (!found.length) return replace(games, h("p", { class: "empty" }, t("tournament.noGames")));
    const result = (rewards) =>
      rewards.length === 2
        ? { 1: "1 – 0", "-1": "0 – 1", 0: "½ – ½" }[Math.sign(rewards[0])]
        : rewards.map((reward) => signed(reward, 1)).join(" ");
    const rows = found.map((game) => {
      const href = write(["tournaments", name, String(game.number)]);
      return h(
        "tr",
        { class: "link", onclick: () => (location.hash = href) },
        h("td", {}, h("a", { href }, game.number + 1)),
        h("td", { class: "mono" }, game.agents.join(" – ")),
        h("td", {}, result(game.rewards)),
        h("td", { class: "number" }, game.plies),
        h("td", {}, word(game.reason)),
      );
    });
    const columns = [
      "tournament.number",
      "tournament.players",
      "tournament.result",
      "tournament.plies",
      "tournament.reason",
    ];
    const page = (label, to, disabled) =>
      button(t(label), { disabled, onclick: () => ((offset = to), drawGames()) });
    return replace(
      games,
      grid(
        columns.map((key) => t(key)),
        rows,
        { numbers: [3] },
      ),
      h(
        "div",
        { class: "row" },
        page("page.back", Math.max(0, offset - PAGE), offset === 0),
        page("page.forward", offset + PAGE, found.length < PAGE),
      ),
    );
  }

  return runPage("tournament", name, {
    list: "tournaments",
    title: t("tournament.table"),
    watched: name,
    heading: (view) => [
      statusBadge(view.status),
      `${view.game} · ${view.limits} · ${t("tournaments.openings")}: ${view.openings}`,
    ],
    share: (view) => view.games / view.total,
    draw,
    parts: [summary, table],
    cards: card(t("tournament.games"), games),
  });
}

function crosstable(standings) {
  const rated = standings.filter((row) => row.elo);
  const low = Math.min(-50, ...rated.map((row) => row.elo.low));
  const high = Math.max(50, ...rated.map((row) => row.elo.high));
  const rows = standings.map((row, index) =>
    h(
      "tr",
      {},
      h("td", { class: "number soft" }, index + 1),
      h("td", { class: "agent-name" }, row.agent),
      h(
        "td",
        { class: "number" },
        row.elo ? `${signed(row.elo.value, 0)} ± ${number(row.elo.high - row.elo.value)}` : "",
      ),
      h("td", {}, row.elo && whisker(row.elo, low, high)),
      h("td", { class: "number" }, row.share ? `${number(100 * row.share.value, 1)} %` : ""),
      h(
        "td",
        { class: "number soft small" },
        row.share ? `${number(100 * row.share.low, 0)}–${number(100 * row.share.high, 0)} %` : "",
      ),
      h("td", { class: "number" }, row.games),
      row.against.map((met, other) => cell(met, index === other)),
    ),
  );
  const columns = [
    "",
    t("table.agent"),
    "Elo",
    t("table.interval"),
    t("table.points"),
    "95 %",
    t("tournaments.games"),
    ...standings.map((_, index) => index + 1),
  ];
  return grid(columns, rows, { numbers: [0, 2, 4, 5, 6], look: "cross" });
}

function cell(met, self) {
  if (self || !met) return h("td", { class: "met self" });
  const [wins, draws, losses] = met;
  const games = wins + draws + losses;
  if (!games) return h("td", { class: "met soft" }, "–");
  const share = (wins + draws / 2) / games;
  const text = h("span", { title: t("table.met", { wins, draws, losses }) }, `${number(100 * share, 0)} %`);
  text.style.background = tint(2 * share - 1);
  return h("td", { class: "met" }, text);
}

function whisker(elo, low, high) {
  const x = (value) => (160 * (value - low)) / (high - low);
  return svg(
    "svg",
    {
      class: "whisker",
      viewBox: "0 0 160 20",
      role: "img",
      "aria-label": `${number(elo.low)} – ${number(elo.high)}`,
    },
    svg("line", { class: "zero", x1: x(0), x2: x(0), y1: 1, y2: 19 }),
    svg("line", { class: "range", x1: x(elo.low), x2: x(elo.high), y1: 10, y2: 10 }),
    svg("circle", { class: "mid", cx: x(elo.value), cy: 10, r: 4.5 }),
  );
}
