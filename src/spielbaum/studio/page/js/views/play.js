// Play: any game, every seat a person or an agent.

import { button, h, toast } from "../dom.js";
import { Driver } from "../driver.js";
import { t } from "../i18n.js";
import { write } from "../link.js";
import { MoveList } from "../movelist.js";
import { card, gameCard, positionCard, seatsCard, stepButtons, stepKeys } from "../panels.js";
import { Table } from "../table.js";

export async function play(session) {
  const table = new Table(session, { usable: () => session.seat.agent === "human" });
  const driver = new Driver(session, table);
  const moves = new MoveList(session);
  const people = () => session.seats.filter((seat) => seat.agent === "human").length;

  /** Take back until a person is to move again. */
  async function undo() {
    let ply = session.ply - 1;
    while (ply > 0 && people() && session.seats[session.movers[ply]].agent !== "human") ply--;
    if (ply >= 0) await session.goTo(ply);
  }

  async function redo() {
    let ply = session.ply + 1;
    while (ply < session.moves.length && people() && session.seats[session.movers[ply]].agent !== "human")
      ply++;
    if (ply <= session.moves.length) await session.goTo(ply);
  }

  const undoButton = button(t("play.undo"), { sign: "undo", iconOnly: true, onclick: undo });
  const redoButton = button(t("play.redo"), { sign: "redo", iconOnly: true, onclick: redo });
  const flip = button(t("play.flip"), { sign: "flip", iconOnly: true, onclick: () => table.flip() });
  const resign = button(t("play.resign"), { sign: "flag", onclick: () => session.resign() });
  const now = button(t("play.now"), { onclick: () => driver.hurry() });
  const update = () => {
    undoButton.disabled = session.ply === 0;
    redoButton.disabled = session.ply >= session.moves.length;
    resign.disabled = session.over || session.seat.agent !== "human";
    now.disabled = session.over || session.seat.agent === "human";
  };
  session.addEventListener("change", update);

  const again = async () => {
    try {
      await session.begin(session.game, session.start);
    } catch (error) {
      toast(error.message, true);
    }
  };
  const controls = card(
    t("moves.title"),
    h(
      "div",
      { class: "stack" },
      moves.element,
      h("div", { class: "row" }, undoButton, redoButton, stepButtons(session), flip),
      h("div", { class: "row" }, button(t("play.new"), { look: "main", onclick: again }), resign, now),
      h(
        "p",
        { class: "small" },
        h("a", { href: "", onclick: (event) => toAnalysis(event) }, t("play.analyse")),
      ),
    ),
  );
  const toAnalysis = (event) => {
    event.preventDefault();
    location.hash = write(["analyse"], session.values);
  };

  const side = h(
    "div",
    { class: "side" },
    controls,
    await gameCard(session),
    await seatsCard(session),
    positionCard(session),
  );
  const offKeys = stepKeys(session, { f: () => table.flip(), n: again, u: undo });
  return {
    element: h("div", { class: "stage" }, table.element, side),
    begin: () => {
      table.refresh();
      moves.draw();
      update();
      driver.restart();
    },
    close: () => {
      table.close();
      driver.close();
      moves.close();
      offKeys();
    },
  };
}
