// Choosing an agent: its kind, how long it thinks, and a form made from the options it declares.

import * as api from "./api.js";
import { button, choose, field, h, named, replace, toast } from "./dom.js";
import { t } from "./i18n.js";

const LIMITS = { seconds: 1, iterations: 5000, depth: 6, nodes: 100000 };
const SAVED = "agents";

const readSaved = () => JSON.parse(localStorage.getItem(SAVED) ?? "{}");

/** A spec as its name and the options that it sets; a value without a name has an empty one. */
export function parseSpec(spec) {
  const [name, rest = ""] = spec.split(/:(.*)/s);
  const options = new Map(
    rest
      .split(",")
      .filter(Boolean)
      .map((pair) => (pair.includes("=") ? pair.split(/=(.*)/s).slice(0, 2) : ["", pair])),
  );
  return { name, options };
}

export function formatSpec(name, options) {
  const bare = options.has("") ? [options.get("")] : [];
  const pairs = [...options].filter(([key]) => key).map(([key, value]) => `${key}=${value}`);
  const all = [...bare, ...pairs];
  return all.length ? `${name}:${all.join(",")}` : name;
}

/** Alpha-beta knows the values of all moves only if it is told to. */
export function analysing(spec) {
  const { name, options } = parseSpec(spec);
  if (name !== "alphabeta" || options.has("analyse")) return spec;
  return `${spec}${options.size ? "," : ":"}analyse=on`;
}

/**
 * A picker: value is {agent, limits}; onchange gets a new one. With `human` a person is offered,
 * without `limits` only the agent is chosen; `head` stands before the kind; `game()` is the game
 * whose models are offered.
 */
export async function agentPicker(
  value,
  onchange,
  { human = false, limits = true, head = [], game = () => null } = {},
) {
  const [kinds, models] = await Promise.all([api.agents(), api.models()]);
  const element = h("div", { class: "agent-picker" });
  let current = value;

  function set(changed) {
    current = { ...current, ...changed };
    onchange(current);
    draw();
  }

  function draw(open = element.querySelector("details")?.open === true) {
    const { name } = parseSpec(current.agent);
    const isHuman = current.agent === "human";
    const kind = kinds.find((each) => each.name === name);
    const parts = [h("div", { class: "seat-head" }, head, named(t("agent.kind"), kindSelect(name)))];
    if (!isHuman && limits) parts.push(limitFields());
    if (!isHuman && kind) parts.push(optionForm(kind, open));
    replace(element, parts);
  }

  function kindSelect(name) {
    const saved = Object.keys(readSaved());
    const pairs = kinds.map((kind) => [kind.name, kind.name]);
    if (!kinds.some((kind) => kind.name === name) && name !== "human") pairs.push([name, name]);
    const groups = [];
    if (human) groups.push(["human", t("seat.human")]);
    if (saved.length)
      groups.push({ group: t("agent.saved"), pairs: saved.map((each) => [`saved:${each}`, each]) });
    groups.push({ group: t("agent.kinds"), pairs });
    const select = choose(groups, name, (chosen) => {
      if (chosen.startsWith("saved:")) set(readSaved()[chosen.slice(6)]);
      else pickKind(chosen);
    });
    return select;
  }

  const modelsOf = (kind) =>
    models.filter((model) => model.kind === kind && (!game() || model.game === game()));

  /** An agent that plays by a model begins with one for this game. */
  function pickKind(name) {
    const needsModel = kinds.find((kind) => kind.name === name)?.options.some(isModel);
    if (!needsModel) return set({ agent: name });
    const [model] = modelsOf(name);
    if (model) return set({ agent: `${name}:${model.name}` });
    toast(t("agent.noModel"), true);
    return draw();
  }

  function limitFields() {
    const [name, count] = Object.entries(current.limits ?? {})[0] ?? ["seconds", 1];
    const input = h("input", {
      class: "input",
      type: "number",
      min: name === "seconds" ? 0.05 : 1,
      step: name === "seconds" ? "any" : 1,
      value: count,
      onchange: () => {
        if (!(Number(input.value) > 0)) return;
        current = { ...current, limits: { [name]: Number(input.value) } };
        onchange(current);
      },
    });
    const unit = choose(
      Object.keys(LIMITS).map((each) => [each, t(`limit.${each}`)]),
      name,
      (chosen) => set({ limits: { [chosen]: LIMITS[chosen] } }),
    );
    return h(
      "div",
      { class: "inline-fields" },
      field(t("limit.title"), input),
      field(t("limit.unit"), unit, true),
    );
  }

  function optionForm(kind, open) {
    const { name, options } = parseSpec(current.agent);
    const bare = kind.options.find((option) => option.bare)?.name;
    if (options.has("")) options.set(bare, options.get(""));
    options.delete("");
    const change = (key, text) => {
      const option = kind.options.find((each) => each.name === key);
      if (text === show(option.default)) options.delete(key);
      else options.set(key, text);
      const written = [...options].map(([each, value]) => [each === bare ? "" : each, value]);
      current = { ...current, agent: formatSpec(name, new Map(written)) };
      onchange(current);
      tell();
    };
    // The rows stay as they are: somebody may be typing in the next one already.
    const tell = () => {
      spec.value = current.agent;
      const count = options.size ? ` (${t("agent.changed", { count: options.size })})` : "";
      replace(summary, t("agent.options") + count);
      replace(saving, button(t("agent.save"), { sign: "save", onclick: save }), savedButton());
    };
    const summary = h("summary");
    const saving = h("div", { class: "row" });
    const spec = h("input", {
      class: "input mono",
      value: current.agent,
      spellcheck: "false",
      onchange: async () => {
        try {
          set({ agent: (await api.post("agents/check", { agent: spec.value })).agent });
        } catch (error) {
          spec.classList.add("wrong");
          toast(error.message, true);
        }
      },
    });
    tell();
    return h(
      "details",
      { open: open || undefined },
      summary,
      h("p", { class: "small soft sentence" }, kind.help),
      field(t("agent.spec"), spec),
      kind.options.length > 0 &&
        h(
          "div",
          { class: "options" },
          kind.options.map((option) => optionRow(option, options, change, modelsOf(kind.name))),
        ),
      saving,
    );
  }

  function savedButton() {
    const saved = readSaved();
    const mine = Object.keys(saved).find((name) => saved[name].agent === current.agent);
    if (!mine) return null;
    return button(t("agent.forget", { name: mine }), {
      look: "quiet",
      onclick: () => {
        delete saved[mine];
        localStorage.setItem(SAVED, JSON.stringify(saved));
        draw(true);
      },
    });
  }

  function save() {
    const name = prompt(t("agent.saveAs"), current.agent)?.trim();
    if (!name) return;
    localStorage.setItem(SAVED, JSON.stringify({ ...readSaved(), [name]: current }));
    draw(true);
    toast(t("agent.wasSaved", { name }));
  }

  draw();
  return element;
}

const isModel = (option) => option.type === "model";

/** A value of an option as a spec writes it. */
const show = (value) => (value === true ? "on" : value === false ? "off" : String(value));

/** Models to choose from; one that is in use is there even if it is no longer on the list. */
function modelPairs(models, value) {
  const short = (name) => name.replace(/^(models|trainings)\//, "").replace(/\.(npz|onnx)$/, "");
  const pairs = models.map((model) => [model.name, short(model.name)]);
  return pairs.some(([name]) => name === value) ? pairs : [[value, short(value)], ...pairs];
}

/** A row of a form: tell(name, text) is told what a person chose; options has what is set. */
export function optionRow(option, options, tell, models = []) {
  const value = options.get(option.name) ?? show(option.default);
  const id = `o${Math.random().toString(36).slice(2)}`;
  const change = (name, text) => {
    row.classList.toggle("changed", text !== show(option.default));
    tell(name, text);
  };
  const changed = () => {
    const mayBeEmpty = option.type === "lines" || option.default === "";
    const fits = control.validity.valid && (control.value !== "" || mayBeEmpty);
    control.classList.toggle("wrong", !fits);
    if (fits) change(option.name, control.value);
    else toast(`${option.name}: ${option.expected}`, true);
  };
  let control;
  if (option.type === "switch") {
    control = h("input", {
      type: "checkbox",
      checked: value === "on",
      onchange: () => change(option.name, control.checked ? "on" : "off"),
    });
  } else if (option.type === "choice" || isModel(option)) {
    const pairs = isModel(option)
      ? modelPairs(models, value)
      : option.choices.map((each) => [show(each), show(each)]);
    control = choose(pairs, value, (chosen) => change(option.name, chosen));
  } else if (option.type === "lines") {
    control = h("textarea", { class: "input", rows: 3, spellcheck: "false", value, onchange: changed });
  } else {
    control = h("input", {
      class: "input",
      type: option.type === "text" ? "text" : "number",
      step: option.type === "whole" ? 1 : "any",
      min: option.low ?? undefined,
      max: option.high ?? undefined,
      value,
      onchange: changed,
    });
  }
  control.id = id;
  const row = h(
    "div",
    { class: `option ${option.type} ${options.has(option.name) ? "changed" : ""}` },
    h("label", { for: id, class: "mono" }, option.name),
    control,
    option.help && h("div", { class: "help" }, option.help),
  );
  return row;
}
