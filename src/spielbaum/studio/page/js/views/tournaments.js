// Tournaments: the list of all, and a form for a new one.

import { agentPicker } from "../agentpicker.js";
import * as api from "../api.js";
import { button, choose, field, grid, h, replace, toast } from "../dom.js";
import { gamePicker } from "../gamepicker.js";
import { number, t } from "../i18n.js";
import { write } from "../link.js";
import { card } from "../panels.js";

const FIRST = ["rave-lgr", "uct", "random"];

export const statusBadge = (status) =>
  h(
    "span",
    { class: `badge ${{ running: "good live", stopped: "warn", done: "" }[status]}` },
    t(`status.${status}`),
  );

export async function tournaments() {
  const list = h("div", { class: "scroller" });

  async function draw() {
    const all = await api.get("tournaments");
    if (!all.length) return replace(list, h("p", { class: "empty" }, t("tournaments.none")));
    const rows = all.map((each) =>
      h(
        "tr",
        { class: "link", onclick: () => (location.hash = write(["tournaments", each.name])) },
        h("td", {}, h("a", { href: write(["tournaments", each.name]) }, each.name)),
        h("td", {}, each.game),
        h("td", { class: "number" }, each.agents.length),
        h("td", { class: "number" }, `${number(each.games)} / ${number(each.total)}`),
        h("td", {}, each.problem ? h("span", { class: "problem-text" }, each.problem) : statusBadge(each.status)),
      ),
    );
    const head = [
      "tournaments.name",
      "game.title",
      "tournaments.agents",
      "tournaments.games",
      "tournaments.status",
    ];
    return replace(
      list,
      grid(
        head.map((key) => t(key)),
        rows,
        { numbers: [2, 3] },
      ),
    );
  }

  await draw();
  return {
    element: h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "page-head" },
        h("h1", {}, t("tournaments.title")),
        h("span", { class: "soft" }, t("tournaments.lead")),
      ),
      card(t("tournaments.all"), list),
      await newTournament(),
    ),
    begin: () => {},
    close: () => {},
  };
}

async function newTournament() {
  const wanted = {
    game: "connect4",
    agents: FIRST.map((agent) => ({ agent })),
    games: 20,
    kind: "round robin",
  };
  const problem = h("p", { class: "problem-text", role: "alert" });
  const entrants = h("div", { class: "stack" });
  const name = h("input", {
    class: "input",
    value: `${t("tournaments.cup")} ${new Date().toISOString().slice(0, 16).replace("T", " ").replace(":", ".")}`,
    maxlength: 60,
  });
  const games = h("input", { class: "input", type: "number", min: 1, max: 10000, value: wanted.games });
  const limit = h("input", { class: "input", type: "number", min: 0.001, step: "any", value: 500 });
  const unit = choose(
    ["iterations", "seconds", "depth", "nodes"].map((each) => [each, t(`limit.${each}`)]),
    "iterations",
    () => {
      limit.value = { iterations: 500, seconds: 0.1, depth: 4, nodes: 10000 }[unit.value];
    },
  );
  const kind = choose(
    [
      ["round robin", t("kind.round")],
      ["gauntlet", t("kind.gauntlet")],
    ],
    wanted.kind,
  );
  const openings = choose(
    [
      ["random", t("openings.random")],
      ["balanced", t("openings.balanced")],
      ["empty", t("openings.empty")],
    ],
    "random",
  );

  async function drawEntrants() {
    const rows = await Promise.all(
      wanted.agents.map(async (agent, index) =>
        h(
          "div",
          { class: "entrant" },
          await agentPicker(agent, (changed) => (wanted.agents[index] = changed), {
            limits: false,
            game: () => wanted.game,
          }),
          button(t("tournaments.remove"), {
            sign: "close",
            iconOnly: true,
            look: "quiet",
            disabled: wanted.agents.length <= 2,
            onclick: () => (wanted.agents.splice(index, 1), drawEntrants()),
          }),
        ),
      ),
    );
    replace(
      entrants,
      rows,
      button(t("tournaments.add"), {
        sign: "plus",
        onclick: () => (wanted.agents.push({ agent: "mcts" }), drawEntrants()),
      }),
    );
  }

  async function start() {
    problem.textContent = "";
    try {
      await api.post("tournaments", {
        name: name.value.trim(),
        game: wanted.game,
        agents: wanted.agents.map((each) => each.agent),
        limits: { [unit.value]: Number(limit.value) },
        games: Number(games.value),
        kind: kind.value,
        openings: openings.value,
      });
      location.hash = write(["tournaments", name.value.trim()]);
    } catch (error) {
      problem.textContent = error.message;
      toast(error.message, true);
    }
  }

  await drawEntrants();
  const picker = await gamePicker(wanted.game, async (spec) => {
    await api.board(spec);
    wanted.game = spec;
  });
  return card(
    t("tournaments.new"),
    h(
      "div",
      { class: "columns" },
      h(
        "div",
        { class: "stack" },
        field(t("tournaments.name"), name),
        picker,
        h(
          "div",
          { class: "inline-fields" },
          field(t("tournaments.perPairing"), games),
          field(t("tournaments.kind"), kind, true),
        ),
        h(
          "div",
          { class: "inline-fields" },
          field(t("limit.title"), limit),
          field(t("limit.unit"), unit, true),
        ),
        field(t("tournaments.openings"), openings),
      ),
      h("div", { class: "stack" }, h("h3", {}, t("tournaments.entrants")), entrants),
    ),
    problem,
    h(
      "div",
      { class: "row" },
      button(t("tournaments.start"), { look: "main", sign: "play", onclick: start }),
    ),
  );
}
