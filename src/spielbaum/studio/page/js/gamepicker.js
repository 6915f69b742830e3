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
    const inputs = game.options.map((option) => {
      const value = options.get(option.name) ?? String(option.default);
      const control =
        option.type === "switch"
          ? choose(
              [
                ["off", t("off")],
                ["on", t("on")],
              ],
              value === "true" || value === "on" ? "on" : "off",
            )
          : h("input", { class: "input", type: "number", min: option.low, max: option.high, value });
      control.dataset.option = option.name;
      control.title = option.help;
      return field(option.name, control);
    });
    const apply = () => {
      const chosen = new Map();
      for (const control of element.querySelectorAll("[data-option]")) {
        const option = game.options.find((each) => each.name === control.dataset.option);
        const plain = option.type === "switch" ? (option.default ? "on" : "off") : String(option.default);
        if (control.value !== plain) chosen.set(option.name, control.value);
      }
      pick(formatSpec(game.name, chosen));
    };
    replace(
      element,
      named(t("game.title"), select),
      inputs.length > 0 &&
        h(
          "details",
          { open: options.size > 0 || undefined },
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
