// One training: how far it is, its curves as they grow, and what it has learnt to play against.

import { chart } from "../chart.js";
import { h, replace } from "../dom.js";
import { number, short, t, word } from "../i18n.js";
import { write } from "../link.js";
import { card } from "../panels.js";
import { runPage } from "../runpage.js";
import { trainingBadge } from "./trainings.js";

/** Columns that are looked at first, in this order; the others are below. */
const FIRST = [/^share/, /elo/i, /accuracy/i, /loss(?!es)/i, /per second$/];
/** Activities that the badge says already. */
const QUIET = ["training", "finished", "stopped"];
const SHARES = [/^share/, /accuracy/i];

export function training(name) {
  const facts = h("p", { class: "soft small", role: "status" });
  const problem = h("p", { class: "problem-text" });
  const charts = h("div", { class: "charts" });
  const others = h("div", { class: "charts" });
  const more = h("details", {}, h("summary", {}, t("training.more")), others);
  const models = h("div");
  const config = h("pre", { class: "toml" });
  let view = null;
  let drawn = "";

  function draw(found) {
    view = found;
    replace(facts, factsText(view));
    problem.textContent = view.problem;
    problem.hidden = !view.problem;
    drawCurves();
    drawModels();
    if (config.textContent !== view.config) config.textContent = view.config;
  }

  function drawCurves() {
    const key = JSON.stringify(
      view.curves.map((curve) => [curve.run, curve.column, curve.label, curve.points.at(-1)]),
    );
    if (key === drawn) return;
    drawn = key;
    const columns = [...new Set(view.curves.map((curve) => curve.column))];
    const place = (column) => {
      const found = FIRST.findIndex((each) => each.test(column));
      return found < 0 ? FIRST.length : found;
    };
    columns.sort((a, b) => place(a) - place(b));
    const isFirst = (column) => place(column) < FIRST.length;
    const draw = (column) => {
      const curves = view.curves.filter((curve) => curve.column === column);
      const runs = new Set(curves.map((curve) => curve.run)).size > 1;
      const series = curves.map((curve) => ({
        name: [runs && curve.run, curve.label || (!runs && columnName(column))].filter(Boolean).join(" · "),
        points: curve.points,
      }));
      const percent =
        SHARES.some((each) => each.test(column)) &&
        curves.every((curve) => curve.points.every(([, y]) => y >= 0 && y <= 1));
      return chart(columnName(column), series, { percent, unit: word(view.unit) });
    };
    replace(
      charts,
      columns.length ? columns.filter(isFirst).map(draw) : h("p", { class: "empty" }, t("training.noCurves")),
    );
    replace(others, columns.filter((column) => !isFirst(column)).map(draw));
    more.hidden = columns.every(isFirst);
  }

  function drawModels() {
    if (!view.models.length) return replace(models, h("p", { class: "empty" }, t("training.noModels")));
    const rows = view.models.map((model) => {
      const agent = `${model.kind}:${model.name}`;
      const seats = { game: model.game, p1: "human", p2: `${agent}~seconds=1` };
      const label = model.name
        .split("/")
        .slice(2)
        .join("/")
        .replace(/\.\w+$/, "");
      return h(
        "tr",
        {},
        h("td", { class: "mono" }, label),
        h("td", { class: "number" }, model.games === null ? "" : `${number(model.games)} ${word("games")}`),
        h(
          "td",
          {},
          model.strength
            .map((each) =>
              t("ntuples.against", { share: number(100 * each.share, 1), opponent: each.opponent }),
            )
            .join(", "),
        ),
        h(
          "td",
          {},
          h(
            "div",
            { class: "row" },
            h("a", { class: "button", href: write(["play"], seats) }, t("training.play")),
            model.kind === "ntuple" &&
              h(
                "a",
                { class: "button quiet", href: write(["ntuples"], { game: model.game, model: model.name }) },
                t("training.inspect"),
              ),
          ),
        ),
      );
    });
    return replace(models, h("div", { class: "scroller" }, h("table", {}, h("tbody", {}, rows))));
  }

  return runPage("training", name, {
    list: "training",
    title: t("training.progress"),
    watched: `training/${name}`,
    heading: (of) => [trainingBadge(of), [of.kind, of.game].filter(Boolean).join(" · ")],
    share: (of) => (of.of ? of.step / of.of : 0),
    draw,
    parts: [facts, problem],
    cards: [
      card(t("training.curves"), charts, more),
      card(t("training.models"), models),
      card(t("training.config"), config),
    ],
  });
}

/** A column of a log in words, where there are any. */
function columnName(column) {
  const known = word(`column ${column}`);
  return known === `column ${column}` ? column.replaceAll("_", " ") : known;
}

function factsText(view) {
  if (!view.of) return t("training.begins");
  const parts = [
    t("training.steps", { step: number(view.step), of: number(view.of), unit: word(view.unit) }),
  ];
  if (view.status === "running") {
    if (view.activity === "measuring") parts.push(t("training.measuring"));
    else if (!QUIET.includes(view.activity)) parts.push(word(view.activity));
    if (view.rate >= 0.5)
      parts.push(t("training.rate", { rate: short(Math.round(view.rate)), unit: word(view.unit) }));
    if (view.seconds_left) parts.push(t("training.left", { time: duration(view.seconds_left) }));
  }
  return parts.join(" · ");
}

/** A time in words that need no seconds when it is long. */
function duration(seconds) {
  if (seconds < 90) return `${number(Math.ceil(seconds))} s`;
  if (seconds < 5400) return `${number(Math.round(seconds / 60))} min`;
  return `${number(seconds / 3600, 1)} h`;
}
