// One training: how far it is, its curves as they grow, and what it has learnt to play against.

import * as api from "../api.js";
import { chart } from "../chart.js";
import { deleteButton } from "../deletion.js";
import { button, h, replace, toast } from "../dom.js";
import { number, short, t, word } from "../i18n.js";
import { write } from "../link.js";
import { card } from "../panels.js";
import { socket } from "../socket.js";
import { trainingBadge } from "./trainings.js";

/** Columns that are looked at first, in this order; the others are below. */
const FIRST = [/^share/, /elo/i, /accuracy/i, /loss(?!es)/i, /per second$/];
/** Activities that the badge says already. */
const QUIET = ["training", "finished", "stopped"];
const SHARES = [/^share/, /accuracy/i];

export async function training(name) {
  const path = `trainings/${encodeURIComponent(name)}`;
  const head = h("div", { class: "page-head" });
  const progress = h("span");
  const meter = h(
    "div",
    { class: "meter", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 },
    progress,
  );
  const facts = h("p", { class: "soft small", role: "status" });
  const problem = h("p", { class: "problem-text" });
  const charts = h("div", { class: "charts" });
  const others = h("div", { class: "charts" });
  const more = h("details", {}, h("summary", {}, t("training.more")), others);
  const models = h("div");
  const config = h("pre", { class: "toml" });
  const toggle = button("", { look: "main", onclick: () => act() });
  const removal = deleteButton(t("delete.button"), {
    question: () => t("training.sure", { name }),
    path: () => path,
    done: () => (location.hash = write(["training"])),
  });
  let view = null;
  let drawn = "";

  async function act() {
    toggle.disabled = true;
    try {
      show(await api.post(`${path}/${view.status === "running" ? "stop" : "start"}`));
    } catch (error) {
      toast(error.message, true);
    }
    toggle.disabled = view.status === "stopping";
  }

  const refresh = api.oneAtATime(async () => show(await api.get(path)));

  function show(found) {
    view = found;
    const share = view.of ? (100 * view.step) / view.of : 0;
    replace(
      head,
      h("h1", {}, view.name),
      trainingBadge(view),
      h("span", { class: "soft" }, [view.kind, view.game].filter(Boolean).join(" · ")),
    );
    progress.style.width = `${share}%`;
    meter.setAttribute("aria-valuenow", Math.round(share));
    meter.setAttribute("aria-label", t("training.progress"));
    replace(toggle, t(view.status === "running" ? "tournament.stop" : "tournament.resume"));
    toggle.hidden = view.status === "done" || !view.kind;
    toggle.disabled = view.status === "stopping";
    removal.hidden = ["running", "stopping"].includes(view.status);
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

  const heard = (event) =>
    event.detail.kind === "training" &&
    event.detail.name === name &&
    !removal.disabled &&
    refresh().catch(() => {});
  socket.addEventListener("run", heard);
  await refresh();
  return {
    element: h(
      "div",
      { class: "page" },
      head,
      h(
        "section",
        { class: "card" },
        h(
          "div",
          { class: "card-head" },
          h("h2", {}, t("training.progress")),
          h("span", { class: "push row" }, removal, toggle),
        ),
        h("div", { class: "stack" }, meter, facts, problem),
      ),
      card(t("training.curves"), charts, more),
      card(t("training.models"), models),
      card(t("training.config"), config),
    ),
    begin: () => socket.watch(`training/${name}`),
    close: () => {
      socket.watch(null);
      socket.removeEventListener("run", heard);
    },
  };
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
