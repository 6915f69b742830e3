// Watch: agents play step by step, with what they think of every move beside the exact values.

import { button, check, h, replace } from "../dom.js";
import { Driver } from "../driver.js";
import { Exact } from "../exact.js";
import { number, t } from "../i18n.js";
import { decisionSource, solutionSource } from "../marks.js";
import { MoveList } from "../movelist.js";
import { card, gameCard, positionCard, seatsCard, stepButtons, stepKeys } from "../panels.js";
import { socket } from "../socket.js";
import { effort, Table } from "../table.js";

export async function watch(session, { replay = null } = {}) {
  const label = replay ? (player) => replay.agents[player] : undefined;
  const table = new Table(session, { usable: () => false, label, values: true });
  const driver = new Driver(session, table);
  const moves = new MoveList(session);
  const exact = new Exact();
  // A game that is over, or that comes from a tournament, is not played on by itself.
  driver.running = false;
  driver.delay = 700;

  /** By the moves and the player: what an agent thought of a position. */
  const known = new Map();
  let solution = null;
  let both = false;
  let asked = [];
  const key = (player) => `${session.moves.slice(0, session.ply).join(" ")} ${player}`;
  const show = { values: true, exact: session.board.solver, line: true };
  const status = h("div", { class: "thinking-line" });

  function draw() {
    const player = session.view.to_move;
    const decision = known.get(key(player));
    const sources = [];
    if (show.values) {
      session.seats.forEach((seat, index) => {
        const thought = known.get(key(index));
        if (seat.agent === "human" || (!thought && index !== player)) return;
        const source = decisionSource(seat.agent, thought, index + 1);
        // On cells there is room for two: whoever is to move, and one more.
        if (index === player && !session.board.by_column) sources.unshift(source);
        else sources.push(source);
      });
    }
    if (show.exact && session.board.solver && !session.over)
      sources.push(solutionSource(exactName(), solution));
    table.showValues(session.over ? [] : sources);
    table.showLine(show.line && decision && !session.over ? decision.pv : null);
    replace(status, decision ? `${decision.pv.map((move) => move.text).join(" ")}` : "");
  }

  const exactName = () =>
    solution && !solution.solved ? `${t("exact.title")}: ${t("exact.unknown")}` : t("exact.title");

  driver.addEventListener("report", (event) => remember(event.detail));
  driver.addEventListener("decision", (event) => remember(event.detail));
  function remember(decision) {
    known.set(key(session.view.to_move), decision);
    draw();
  }

  function changed(kind) {
    if (kind === "seats") known.clear();
    solution = null;
    asked.forEach((search) => search.cancel());
    asked = [];
    if (show.exact && session.board.solver && !session.over) {
      exact.ask(session.position(), (found) => {
        solution = found;
        draw();
      });
    }
    if (both && !session.over) askOthers();
    const thought = known.get(key(session.view.to_move));
    table.setThought(session.view.to_move, thought ? effort(thought) : "");
    update();
    draw();
  }

  /** What the agents who are not to move think of the position. */
  function askOthers() {
    const position = session.position();
    session.seats.forEach((seat, index) => {
      if (
        seat.agent === "human" ||
        known.has(key(index)) ||
        (driver.running && index === session.view.to_move)
      )
        return;
      const place = key(index);
      const take = (decision) => {
        known.set(place, decision);
        draw();
      };
      asked.push(
        socket.search({ position, agent: seat.agent, limits: seat.limits }, { report: take, done: take }),
      );
    });
  }

  const toggle = button(t("watch.play"), {
    sign: "play",
    look: "main",
    onclick: () => playOrPause(),
  });
  const again = button(t("play.new"), { onclick: () => session.begin(session.game, session.start) });
  const step = button(t("watch.step"), { onclick: () => forward() });
  let stepping = null;
  /** First the moves that are there, then new ones, unless the game is a stored one. */
  async function go() {
    if (session.over) await session.goTo(0);
    const next = async () => {
      if (session.ply >= session.moves.length) {
        stepping = null;
        if (!replay && !session.over) driver.go();
        else update();
        return;
      }
      stepping = setTimeout(async () => {
        await session.goTo(session.ply + 1);
        if (stepping) next();
      }, driver.delay);
      update();
    };
    next();
  }
  function pause() {
    clearTimeout(stepping);
    stepping = null;
    driver.pause();
  }
  const isRunning = () => driver.running || stepping !== null;
  const playOrPause = () => (isRunning() ? pause() : go());
  /** The next move of the game if there is one, else the next decision. */
  async function forward() {
    if (session.ply < session.moves.length) await session.goTo(session.ply + 1);
    else driver.step();
  }
  function update() {
    replace(toggle, isRunning() ? t("watch.pause") : t("watch.play"));
    step.disabled = isRunning() || (session.over && session.ply === session.moves.length);
    if (driver.running && (session.over || session.ply < session.moves.length)) driver.pause();
  }
  driver.addEventListener("state", update);
  session.addEventListener("change", (event) => changed(event.detail));

  const shown = h("span", { class: "numbers small soft" });
  const slider = h("input", {
    type: "range",
    min: 0,
    max: 3000,
    step: 100,
    value: driver.delay,
    "aria-label": t("watch.delay"),
    oninput: () => setDelay(),
  });
  const setDelay = () => {
    driver.delay = Number(slider.value);
    shown.textContent = `${number(driver.delay / 1000, 1)} s`;
  };
  setDelay();

  const controls = card(
    t("watch.title"),
    h(
      "div",
      { class: "stack" },
      h("div", { class: "transport" }, toggle, step, !replay && again),
      h(
        "div",
        { class: "transport" },
        stepButtons(session),
        button(t("play.flip"), { sign: "flip", iconOnly: true, onclick: () => (table.flip(), draw()) }),
      ),
      h(
        "div",
        { class: "inline-fields" },
        h("span", { class: "label" }, t("watch.delay")),
        h("div", { class: "grow" }, slider),
        shown,
      ),
      status,
      moves.element,
    ),
  );
  const options = card(
    t("watch.show"),
    h(
      "div",
      { class: "stack" },
      check(t("watch.values"), show.values, (on) => ((show.values = on), draw())),
      check(t("watch.both"), both, (on) => ((both = on), changed("both"))),
      session.board.solver &&
        check(t("watch.exact"), show.exact, (on) => ((show.exact = on), changed("exact"))),
      check(t("watch.line"), show.line, (on) => ((show.line = on), draw())),
    ),
  );
  const side = h(
    "div",
    { class: "side" },
    replay && card(t("replay.title", { number: replay.number }), h("p", {}, replay.text)),
    controls,
    options,
    !replay && (await gameCard(session)),
    !replay && (await seatsCard(session, { human: false })),
    positionCard(session),
  );
  const offKeys = stepKeys(session, {
    " ": playOrPause,
    ArrowRight: forward,
    f: () => (table.flip(), draw()),
  });
  return {
    element: h("div", { class: "stage" }, table.element, side),
    begin: () => {
      table.refresh();
      moves.draw();
      changed("begin");
    },
    close: () => {
      clearTimeout(stepping);
      stepping = null;
      table.close();
      driver.close();
      moves.close();
      exact.close();
      asked.forEach((search) => search.cancel());
      offKeys();
    },
  };
}
