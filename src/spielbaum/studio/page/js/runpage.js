// The page of one run, a tournament or a training: its head, its progress, and stop, resume and delete.

import * as api from "./api.js";
import { deleteButton } from "./deletion.js";
import { button, h, replace, toast } from "./dom.js";
import { t } from "./i18n.js";
import { write } from "./link.js";
import { socket } from "./socket.js";

/**
 * A page that follows a run. heading(view) returns its badge and a text about it, share(view) how much of it is done,
 * and draw(view) draws the rest: "parts", below the progress, and "cards", below that.
 */
export async function runPage(kind, name, { list, title, watched, heading, share, draw, parts, cards }) {
  const path = `${kind}s/${encodeURIComponent(name)}`;
  const head = h("div", { class: "page-head" });
  const progress = h("span");
  const meter = h(
    "div",
    {
      class: "meter",
      role: "progressbar",
      "aria-valuemin": 0,
      "aria-valuemax": 100,
      "aria-label": t("training.progress"),
    },
    progress,
  );
  const toggle = button("", { look: "main", onclick: () => act() });
  const removal = deleteButton(t("delete.button"), {
    question: () => t(`sure.${kind}`, { name }),
    path: () => path,
    done: () => (location.hash = write([list])),
  });
  let status = "";

  async function act() {
    toggle.disabled = true;
    try {
      await show(await api.post(`${path}/${status === "running" ? "stop" : "start"}`));
    } catch (error) {
      toast(error.message, true);
    }
    toggle.disabled = status === "stopping";
  }

  const refresh = api.oneAtATime(async () => show(await api.get(path)));

  function show(view) {
    status = view.status;
    const [badge, about] = heading(view);
    replace(head, h("h1", {}, view.name), badge, h("span", { class: "soft" }, about));
    progress.style.width = `${100 * share(view)}%`;
    meter.setAttribute("aria-valuenow", Math.round(100 * share(view)));
    replace(toggle, t(status === "running" ? "tournament.stop" : "tournament.resume"));
    toggle.hidden = status === "done" || !view.kind;
    toggle.disabled = status === "stopping";
    removal.hidden = ["running", "stopping"].includes(status);
    return draw(view);
  }

  const heard = (event) =>
    event.detail.kind === kind &&
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
          h("h2", {}, title),
          h("span", { class: "push row" }, removal, toggle),
        ),
        h("div", { class: "stack" }, meter, parts),
      ),
      cards,
    ),
    begin: () => socket.watch(watched),
    close: () => {
      socket.watch(null);
      socket.removeEventListener("run", heard);
    },
  };
}
