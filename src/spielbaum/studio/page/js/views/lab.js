// The lab: the experiments of the source documents, with published and measured figures.

import * as api from "../api.js";
import { button, field, grid, h, replace, toast } from "../dom.js";
import { number, t } from "../i18n.js";
import { write } from "../link.js";
import { card } from "../panels.js";
import { socket } from "../socket.js";

export async function lab() {
  const all = await api.get("lab");
  const documents = group(all);
  const cards = [...documents].map(([name, experiments]) =>
    card(
      t(`document.${name}`),
      h(
        "div",
        { class: "scroller" },
        h(
          "table",
          {},
          h(
            "tbody",
            {},
            experiments.map((each) => {
              const href = write(["lab", each.id]);
              return h(
                "tr",
                { class: "link", onclick: () => (location.hash = href) },
                h("td", { class: "mono" }, h("a", { href }, each.id)),
                h("td", {}, h("strong", {}, each.title), h("div", { class: "soft small" }, each.question)),
                h("td", { class: "number soft" }, t("lab.cells", { count: each.cells })),
                h("td", {}, each.running && h("span", { class: "badge good live" }, t("status.running"))),
              );
            }),
          ),
        ),
      ),
    ),
  );
  return {
    element: h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "page-head" },
        h("h1", {}, t("lab.title")),
        h("span", { class: "soft" }, t("lab.lead")),
      ),
      cards,
    ),
    begin: () => {},
    close: () => {},
  };
}

function group(all) {
  const found = new Map();
  for (const each of all) {
    const name = each.id.split(".")[0];
    found.set(name, [...(found.get(name) ?? []), each]);
  }
  return found;
}

export async function experiment(id) {
  const body = h("div", { class: "page" });
  const games = h("input", {
    class: "input",
    type: "number",
    min: 2,
    max: 10000,
    step: 2,
    value: 20,
    onchange: () => refresh(),
  });
  const path = `lab/${encodeURIComponent(id)}`;
  const toggle = button("", { look: "main", onclick: () => act() });
  let running = false;

  async function act() {
    try {
      show(await api.post(`${path}/${running ? "stop" : "start"}`, { games: Number(games.value) }));
    } catch (error) {
      toast(error.message, true);
    }
  }

  const refresh = api.oneAtATime(async () => {
    show(await api.get(`${path}?games=${Number(games.value) || 20}`));
  });

  const controls = h("div", { class: "inline-fields" }, field(t("lab.games"), games), toggle);

  function show(view) {
    running = view.running;
    replace(toggle, running ? t("tournament.stop") : t("lab.play"));
    replace(
      body,
      h(
        "div",
        { class: "page-head" },
        h("h1", {}, `${view.id}: ${view.title}`),
        running && h("span", { class: "badge good live" }, `${view.progress} ${view.done}/${view.total}`),
      ),
      card(
        view.question,
        h("p", { class: "soft" }, `${view.source} · ${view.game}`),
        view.playable ? controls : h("p", { class: "soft small" }, t("lab.notPlayable")),
        view.problem && h("p", { class: "problem-text" }, view.problem),
      ),
      card(
        t("lab.figures"),
        h("div", { class: "scroller" }, figures(view)),
        h("p", { class: "small soft" }, view.summary),
      ),
      view.notes.length > 0 &&
        card(
          t("lab.notes"),
          h(
            "ul",
            {},
            view.notes.map((note) => h("li", { class: "small" }, note)),
          ),
        ),
    );
  }

  const heard = (event) =>
    event.detail.kind === "experiment" && event.detail.name === id && refresh().catch(() => {});
  socket.addEventListener("run", heard);
  await refresh();
  return {
    element: body,
    begin: () => socket.watch(`lab/${id}`),
    close: () => {
      socket.watch(null);
      socket.removeEventListener("run", heard);
    },
  };
}

function figures(view) {
  const digits = (value) => (Math.abs(value) >= 1000 ? 0 : 1);
  const show = (value) =>
    value === null ? "–" : `${number(value, digits(value))}${view.unit === "%" ? " %" : ""}`;
  const rows = view.figures.map((figure) =>
    h(
      "tr",
      {},
      h("td", {}, figure.row),
      h("td", {}, figure.column),
      h("td", { class: "number" }, show(figure.published)),
      h("td", { class: "number" }, h("strong", {}, show(figure.measured))),
      h(
        "td",
        { class: "number soft" },
        figure.low === null ? "" : `${number(figure.low, 1)} – ${number(figure.high, 1)}`,
      ),
      h("td", { class: "number" }, figure.games || ""),
      h(
        "td",
        {},
        figure.verdict &&
          h(
            "span",
            { class: `badge ${figure.verdict === "contained" ? "good" : "warn"}` },
            t(`verdict.${figure.verdict}`),
          ),
      ),
      h("td", { class: "mono small soft" }, [figure.agent, figure.opponent].filter(Boolean).join(" – ")),
    ),
  );
  const head = [
    "lab.row",
    "lab.column",
    "lab.published",
    "lab.measured",
    "lab.interval",
    "tournaments.games",
    "",
    "lab.agents",
  ];
  const texts = head.map((key) => key && t(key));
  return grid(texts, rows, { numbers: [2, 3, 4, 5], look: "figure-table" });
}
