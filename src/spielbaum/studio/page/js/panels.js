// Panels that several views of a game share: the game, the seats, steps, notation and files.

import { agentPicker } from "./agentpicker.js";
import { chip, sideName } from "./board.js";
import { button, field, h, replace, toast } from "./dom.js";
import { gamePicker } from "./gamepicker.js";
import { t } from "./i18n.js";
import { readSeat, seatText } from "./link.js";

export const card = (title, ...children) => h("section", { class: "card" }, h("h2", {}, title), ...children);

export async function gameCard(session) {
  return card(t("game.title"), await gamePicker(session.game, (spec) => session.begin(spec)));
}

/** A picker for every seat; drawn again when the number of players changes. */
export async function seatsCard(session, { human = true } = {}) {
  const body = h("div");
  async function draw() {
    const seats = await Promise.all(
      session.seats.map(async (seat, index) =>
        h(
          "div",
          { class: "seat" },
          await agentPicker(seat, (changed) => session.setSeat(index, changed), {
            human,
            game: () => session.game,
            head: [
              chip(session.board, index),
              h("span", { class: "seat-name" }, sideName(session.board, index)),
              session.seats.length > 2 &&
                button(t("seats.same"), {
                  sign: "all",
                  iconOnly: true,
                  look: "quiet",
                  onclick: () => like(session.seats[index]),
                }),
            ],
          }),
        ),
      ),
    );
    replace(body, seats);
  }
  /** All other agents become like one; people stay where they are. */
  function like(wanted) {
    session.seats.forEach((seat, index) => {
      if (seat.agent !== "human" && wanted.agent !== "human") session.setSeat(index, wanted);
    });
    draw();
  }
  await draw();
  session.addEventListener("change", (event) => {
    if (event.detail === "begin") draw();
  });
  return card(t("seats.title"), body);
}

export async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    prompt(said, text);
  }
}

/** The notation of the position: to copy, to change, to paste another one; files and the link. */
export function positionCard(session) {
  const text = h("textarea", { class: "input", rows: 2, spellcheck: "false" });
  const show = () => (text.value = session.view?.notation ?? "");
  const set = async (value) => {
    try {
      await session.begin(session.game, value.trim());
      text.classList.remove("wrong");
    } catch (error) {
      text.classList.add("wrong");
      toast(error.message, true);
    }
  };
  session.addEventListener("change", show);
  show();
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      set(text.value);
    }
  });
  const file = h("input", {
    type: "file",
    accept: ".json,application/json",
    hidden: true,
    onchange: () => load(session, file),
  });
  return card(
    t("position.title"),
    h(
      "div",
      { class: "stack" },
      field(t("position.notation"), text),
      h(
        "div",
        { class: "row" },
        button(t("position.set"), { onclick: () => set(text.value) }),
        button(t("position.copy"), { onclick: () => copy(session.view.notation, t("position.copied")) }),
        button(t("link.copy"), { sign: "link", onclick: () => copy(location.href, t("link.copied")) }),
      ),
      h(
        "div",
        { class: "row" },
        button(t("file.save"), { sign: "save", onclick: () => save(session) }),
        button(t("file.load"), { sign: "load", onclick: () => file.click() }),
        file,
      ),
    ),
  );
}

function save(session) {
  const { values } = session;
  const content = {
    spielbaum: 1,
    game: values.game,
    start: session.start,
    moves: session.moves,
    seats: session.seats.map(seatText),
    resigned: session.resigned,
  };
  const link = h("a", {
    href: URL.createObjectURL(new Blob([JSON.stringify(content, null, 1)], { type: "application/json" })),
    download: `${values.game.replace(/[^a-z0-9]+/g, "-")}.json`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function load(session, file) {
  try {
    const content = JSON.parse(await file.files[0].text());
    if (content.spielbaum !== 1 || !Array.isArray(content.moves)) throw new Error(t("file.strange"));
    await session.load(
      {
        game: content.game,
        start: content.start ?? "",
        moves: content.moves.join(" "),
        resigned: content.resigned ?? undefined,
      },
      (content.seats ?? []).map((seat) => readSeat(seat)),
    );
  } catch (error) {
    toast(error instanceof SyntaxError ? t("file.strange") : error.message, true);
  } finally {
    file.value = "";
  }
}

/** First, back, forward, last: through the moves of the game. */
export function stepButtons(session, middle) {
  const go = (ply) => () => session.goTo(Math.max(0, Math.min(ply(), session.moves.length)));
  const make = (label, sign, ply) => button(t(label), { sign, iconOnly: true, onclick: go(ply) });
  return h(
    "div",
    { class: "group", role: "group", "aria-label": t("step.title") },
    make("step.first", "first", () => 0),
    make("step.back", "back", () => session.ply - 1),
    middle,
    make("step.forward", "forward", () => session.ply + 1),
    make("step.last", "last", () => session.moves.length),
  );
}

/** Arrow keys step through the game, unless somebody types. */
export function stepKeys(session, more = {}) {
  const listen = (event) => {
    if (
      event.target.closest("input, textarea, select, dialog, [role=button], summary") ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    const steps = {
      ArrowLeft: () => session.goTo(Math.max(0, session.ply - 1)),
      ArrowRight: () => session.goTo(Math.min(session.moves.length, session.ply + 1)),
      Home: () => session.goTo(0),
      End: () => session.goTo(session.moves.length),
      ...more,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    steps[event.key]();
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}
