// Help inside the page: what the views do, and the keys.

import * as api from "../api.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { card } from "../panels.js";

const KEYS = [
  ["←  →", "help.key.step"],
  ["Home  End", "help.key.ends"],
  ["Space", "help.key.space"],
  ["F", "help.key.flip"],
  ["N", "help.key.new"],
  ["U", "help.key.undo"],
  ["+ −", "help.key.zoom"],
  ["Tab", "help.key.tab"],
];
const VIEWS = ["play", "watch", "analyse", "tree", "ntuples", "training", "tournaments", "lab"];

export async function help() {
  const about = await api.about();
  return {
    element: h(
      "div",
      { class: "page help-page" },
      h("h1", {}, t("help.title")),
      card(
        t("help.views"),
        h(
          "dl",
          {},
          VIEWS.flatMap((view) => [h("dt", {}, t(`nav.${view}`)), h("dd", {}, t(`help.${view}`))]),
        ),
      ),
      card(t("help.values.title"), h("p", {}, t("help.values")), h("p", {}, t("help.exact"))),
      card(
        t("help.keys"),
        h(
          "table",
          {},
          h(
            "tbody",
            {},
            KEYS.map(([key, text]) =>
              h(
                "tr",
                {},
                h(
                  "td",
                  {},
                  key.split("  ").map((each) => [h("kbd", {}, each), " "]),
                ),
                h("td", {}, t(text)),
              ),
            ),
          ),
        ),
      ),
      card(
        t("help.server"),
        h(
          "p",
          {},
          t("help.limits", {
            version: about.version,
            seconds: about.seconds,
            workers: about.workers,
            megabytes: about.megabytes,
          }),
        ),
        h("p", {}, t("help.data")),
        h("p", {}, h("a", { href: "api.html" }, t("help.api"))),
      ),
    ),
    begin: () => {},
    close: () => {},
  };
}
