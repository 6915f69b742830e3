// Trainings: the list of all, and a form for a new one, made from the options that its kind declares.

import { optionRow } from "../agentpicker.js";
import * as api from "../api.js";
import { deleteButton } from "../deletion.js";
import { button, choose, field, grid, h, replace, toast } from "../dom.js";
import { currentLanguage, number, short, t } from "../i18n.js";
import { write } from "../link.js";
import { card } from "../panels.js";

const REFRESH = 3000;

const LOOKS = { running: "good live", stopping: "warn live", stopped: "warn", killed: "bad", done: "" };

export const trainingBadge = ({ status, signal }) =>
  h("span", { class: `badge ${LOOKS[status]}` }, t(`status.${status}`, { signal }));

/** A share as percent, anything else as it is. */
export const latestText = (value) =>
  value === null ? "" : value >= 0 && value <= 1 ? `${number(100 * value, 1)} %` : number(value);

export async function trainings(values = {}) {
  const list = h("div", { class: "scroller" });
  let timer = null;

  async function draw() {
    const all = await api.get("trainings");
    if (!all.length) return replace(list, h("p", { class: "empty" }, t("trainings.none")));
    const rows = all.map((each) => {
      const href = write(["training", each.name]);
      return h(
        "tr",
        { class: "link", onclick: () => (location.hash = href) },
        h("td", {}, h("a", { href }, each.name), h("div", { class: "soft small" }, each.game)),
        h("td", {}, trainingBadge(each)),
        h("td", { class: "number" }, each.of ? `${short(each.step)} / ${short(each.of)}` : ""),
        h("td", { class: "number" }, each.rate >= 0.5 ? `${short(Math.round(each.rate))}/s` : ""),
        h("td", { class: "number" }, latestText(each.latest)),
      );
    });
    const head = [
      "trainings.name",
      "trainings.status",
      "trainings.steps",
      "trainings.rate",
      "trainings.latest",
    ];
    return replace(
      list,
      grid(
        head.map((key) => t(key)),
        rows,
        { numbers: [2, 3, 4] },
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
        h("h1", {}, t("trainings.title")),
        h("span", { class: "soft" }, t("trainings.lead")),
      ),
      card(t("trainings.all"), list),
      await newTraining(values),
    ),
    begin: () => (timer = setInterval(() => draw().catch(() => {}), REFRESH)),
    close: () => clearInterval(timer),
  };
}

async function newTraining(values) {
  let kinds = await api.get("training-kinds");
  const sections = h("div", { class: "form-sections" });
  const about = h("p", { class: "small soft" });
  const problem = h("p", { class: "problem-text", role: "alert" });
  const stamp = new Date().toISOString().slice(0, 16).replace("T", " ").replace(":", ".");
  const name = h("input", { class: "input", maxlength: 60 });
  const reload = () => load().catch((error) => toast(error.message, true));
  const kindHelp = h("p", { class: "small soft" });
  const configField = h("div", { class: "stack" });
  let changes = new Map();
  let select = null;
  let asked = 0;

  const kindSelect = choose(
    kinds.map((each) => [each.name, each.titles[currentLanguage()] ?? each.name]),
    kinds.some((each) => each.name === values.kind) ? values.kind : kinds[0].name,
    () => {
      chooseKind();
      reload();
    },
  );
  const chosenKind = () => kinds.find((each) => each.name === kindSelect.value);
  const removal = deleteButton(t("configs.delete"), {
    iconOnly: true,
    question: () => t("configs.sure", { name: select.value }),
    path: () => `ntuple/configs/${encodeURIComponent(select.value)}`,
    done: async () => {
      kinds = await api.get("training-kinds");
      chooseKind();
      await load();
      removal.disabled = false;
    },
  });

  /** Another kind has other configurations; the small ones come first to mind. */
  function chooseKind() {
    const { configs, help } = chosenKind();
    const wanted = [values.config, "tictactoe-9", "tictactoe"];
    kindHelp.textContent = help;
    select = choose(
      ["own", "shipped"]
        .map((source) => ({
          group: t(`configs.${source}`),
          pairs: configs
            .filter((config) => config.source === source)
            .map((config) => [config.name, `${config.name} · ${config.game}`]),
        }))
        .filter((group) => group.pairs.length),
      wanted.find((config) => configs.some((each) => each.name === config)),
      reload,
    );
    const row = h("div", { class: "inline-fields" }, field(t("trainings.config"), select, true), removal);
    replace(configField, row, about);
  }

  async function load() {
    const kind = chosenKind();
    const config = kind.configs.find((each) => each.name === select.value);
    const query = `kind=${kind.name}&config=${encodeURIComponent(config.name)}`;
    const ticket = (asked += 1);
    sections.inert = true; // what is changed or opened now would be lost
    try {
      const form = await api.get(`training-form?${query}`);
      if (ticket !== asked) return; // somebody has chosen another one meanwhile
      changes = new Map();
      removal.hidden = config.source !== "own";
      about.textContent = config.title;
      name.value = `${config.name} ${stamp}`.slice(0, 60);
      const opened = [...sections.querySelectorAll("details[open]")].map((each) => each.dataset.section);
      replace(
        sections,
        form.sections.map((section) => drawSection(section, opened.includes(section.name))),
      );
    } finally {
      if (ticket === asked) sections.inert = false;
    }
  }

  function drawSection(section, isOpen) {
    const key = (option) => (section.name ? `${section.name}.${option}` : option);
    const count = h("span", { class: "soft" });
    const change = (option, text) => {
      const each = section.fields.find((one) => one.name === option);
      const value = { switch: text === "on", whole: Number(text), number: Number(text) }[each.type] ?? text;
      if (value === each.value) changes.delete(key(option));
      else changes.set(key(option), value);
      const changed = section.fields.filter((one) => changes.has(key(one.name))).length;
      count.textContent = changed ? ` (${t("agent.changed", { count: changed })})` : "";
    };
    const rows = h(
      "div",
      { class: "options" },
      section.fields.map((each) => optionRow({ ...each, default: each.value }, new Map(), change)),
    );
    return h(
      "details",
      { open: section.name === "" || isOpen || undefined, "data-section": section.name },
      h("summary", {}, t(`section.${section.name || "general"}`), count),
      rows,
    );
  }

  async function start() {
    problem.textContent = "";
    try {
      const made = await api.post("trainings", {
        name: name.value.trim(),
        kind: kindSelect.value,
        config: select.value,
        values: Object.fromEntries(changes),
      });
      location.hash = write(["training", made.name]);
    } catch (error) {
      problem.textContent = error.message;
      toast(error.message, true);
    }
  }

  chooseKind();
  await load();
  return card(
    t("trainings.new"),
    h(
      "div",
      { class: "stack" },
      h(
        "div",
        { class: "columns" },
        h("div", { class: "stack" }, field(t("trainings.kind"), kindSelect), kindHelp),
        configField,
        field(t("trainings.name"), name),
      ),
      sections,
      problem,
      h(
        "div",
        { class: "row" },
        button(t("trainings.start"), { look: "main", sign: "play", onclick: start }),
      ),
    ),
  );
}
