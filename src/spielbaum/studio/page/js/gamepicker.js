// Choosing a game and its options, such as the size of the board or the number of players.

import * as api from "./api.js";
import { button, choose, field, h, named, replace, toast } from "./dom.js";
import { formatSpec, parseSpec } from "./agentpicker.js";
import { t } from "./i18n.js";

/** A select of all games, and a form for the options of the chosen one. */
export async function gamePicker(spec, onchange) {
  const games = await api.games();
  const element = h("div", { class: "stack" });

  function draw(current) {
    const { name, options } = parseSpec(current);
    const game = games.find((each) => each.name === name) ?? games[0];
    const select = choose(
      games.map((each) => [each.name, each.title]),
      game.name,
      (chosen) => pick(chosen),
    );
    const hasMaps = (option) => option.maps.length > 0;
    const maps = game.options.filter(hasMaps).map((option) => {
      const value = options.get(option.name) ?? String(option.default);
      const take = (chosen) => {
        const others = new Map(options);
        if (chosen === option.default) others.delete(option.name);
        else others.set(option.name, chosen);
        return pick(formatSpec(game.name, others));
      };
      const select = choose(
        option.maps.map((map) => [map.name, `${map.name} (${mapText(map)})`]),
        value,
        take,
      );
      select.dataset.option = option.name;
      return h(
        "div",
        { class: "map-field" },
        h("img", { src: api.sketch(formatSpec(game.name, new Map([[option.name, value]]))), alt: "" }),
        h(
          "div",
          { class: "grow" },
          named(t("map.title"), select),
          button(t("map.all"), { look: "quiet", onclick: () => gallery(game.name, option, take) }),
        ),
      );
    });
    const plain = game.options.filter((option) => !hasMaps(option));
    const inputs = plain.map((option) => {
      const value = options.get(option.name) ?? String(option.default);
      let control;
      if (option.type === "switch")
        control = choose(
          [
            ["off", t("off")],
            ["on", t("on")],
          ],
          value === "true" || value === "on" ? "on" : "off",
        );
      else if (option.type === "choice")
        control = choose(
          option.choices.map((each) => [String(each), String(each)]),
          value,
        );
      else
        control = h("input", { class: "input", type: "number", min: option.low, max: option.high, value });
      control.dataset.option = option.name;
      control.title = option.help;
      return field(option.name, control);
    });
    const apply = () => {
      const chosen = new Map();
      for (const control of element.querySelectorAll("[data-option]")) {
        const option = game.options.find((each) => each.name === control.dataset.option);
        const initial = option.type === "switch" ? (option.default ? "on" : "off") : String(option.default);
        if (control.value !== initial) chosen.set(option.name, control.value);
      }
      pick(formatSpec(game.name, chosen));
    };
    replace(
      element,
      named(t("game.title"), select),
      maps,
      inputs.length > 0 &&
        h(
          "details",
          { open: plain.some((option) => options.has(option.name)) || undefined },
          h("summary", {}, t("game.options")),
          h("div", { class: "inline-fields" }, inputs, button(t("game.apply"), { onclick: apply })),
        ),
      h("p", { class: "small soft sentence" }, game.summary),
    );
  }

  async function pick(chosen) {
    try {
      await onchange(chosen);
      draw(chosen);
    } catch (error) {
      toast(error.message, true);
    }
  }

  draw(spec);
  return element;
}

const mapText = ({ players, columns, rows }) => t("map.text", { players, columns, rows });

/** All maps as pictures, to choose one of them. */
function gallery(game, option, take) {
  const list = h("div", { class: "gallery" });
  const show = (players) =>
    replace(
      list,
      option.maps
        .filter((map) => !players || map.players === Number(players))
        .map((map) =>
          h(
            "button",
            { type: "button", onclick: () => (dialog.close(), take(map.name)) },
            h("img", { src: api.sketch(`${game}:${option.name}=${map.name}`), alt: "", loading: "lazy" }),
            h("span", { class: "name" }, map.name),
            h("span", { class: "small soft" }, mapText(map)),
          ),
        ),
    );
  const counts = [...new Set(option.maps.map((map) => map.players))].sort((a, b) => a - b);
  const players = choose(
    [["", t("map.any")], ...counts.map((count) => [count, t("map.players", { players: count })])],
    "",
    show,
  );
  const dialog = h(
    "dialog",
    { class: "wide", "aria-label": t("map.title"), onclose: () => dialog.remove() },
    h(
      "div",
      { class: "card-head" },
      h("h2", {}, t("map.title")),
      h("div", {}, named(t("map.any"), players)),
      button(t("choice.cancel"), {
        sign: "close",
        iconOnly: true,
        look: "quiet push",
        onclick: () => dialog.close(),
      }),
    ),
    list,
  );
  show("");
  document.body.append(dialog);
  dialog.showModal();
}
