// Analyse: several agents think about the position side by side; the game as a graph; mistakes.

import { agentPicker, analysing } from "../agentpicker.js";
import { button, check, h, replace, toast } from "../dom.js";
import { Exact } from "../exact.js";
import { Graph } from "../graph.js";
import { t } from "../i18n.js";
import { limitsText, readSeat, seatText } from "../link.js";
import { decisionSource, exactText, showLine, solutionSource } from "../marks.js";
import { MoveList } from "../movelist.js";
import { MoveTable } from "../movetable.js";
import { card, gameCard, positionCard, stepButtons, stepKeys } from "../panels.js";
import { socket } from "../socket.js";
import { effort, Table } from "../table.js";

const MOST_AGENTS = 4;
const STORED = "analysts";

function analysts() {
  const stored = JSON.parse(localStorage.getItem(STORED) ?? "null");
  return (stored ?? ["mcts~seconds=3", "alphabeta~seconds=3"]).map((text) => readSeat(text));
}

export async function analyse(session) {
  const table = new Table(session, { usable: () => true, label: () => " ", values: true });
  const moves = new MoveList(session);
  const exact = new Exact();
  const judge = new Exact();
  const graph = new Graph((ply) => session.goTo(ply));
  const agents = analysts().map((seat) => makeAgent(seat));
  const values = new Map();
  /** By agent and ply: what the position is worth to the first player. */
  const truths = new Map();
  const faults = new Map();
  let solution = null;
  let solving = session.board.solver;
  let sweep = null;
  let onBoard = agents[0];

  function makeAgent(seat) {
    const agent = { seat, decision: null, search: null, status: h("div", { class: "thinking-line" }) };
    agent.table = new MoveTable({
      onhover: (line) => showLine(table.board, line),
      onpick: (text) => session.play(text).catch((error) => toast(error.message, true)),
    });
    return agent;
  }

  /** Whose values and line are on the board; by default those of the first. */
  const shown = () => Math.max(0, agents.indexOf(onBoard));
  const line = () => session.moves.join(" ");
  let known = line();

  function think(agent) {
    agent.search?.cancel();
    agent.decision = null;
    agent.table.clear();
    replace(agent.status);
    if (session.over) return;
    const ply = session.ply;
    const player = session.view.to_move;
    const take = (decision, live) => {
      agent.decision = decision;
      remember(agent, ply, player, decision.value);
      replace(
        agent.status,
        live && h("span", { class: "badge live" }, t("search.thinks")),
        " ",
        effort(decision),
      );
      agent.table.draw(decision, solution);
      draw();
    };
    replace(agent.status, h("span", { class: "badge live" }, t("search.thinks")));
    agent.search = socket.search(
      { position: session.position(), agent: analysing(agent.seat.agent), limits: agent.seat.limits },
      {
        queued: (place) =>
          replace(agent.status, h("span", { class: "badge warn" }, t("search.waits", { place }))),
        report: (decision) => take(decision, true),
        done: (decision) => {
          agent.search = null;
          take(decision, false);
        },
        failed: (text) => {
          agent.search = null;
          replace(agent.status, h("span", { class: "problem-text" }, text));
        },
      },
    );
  }

  const name = (agent) => `${agent.seat.agent} (${limitsText(agent.seat.limits)})`;
  const forFirst = (player, value) => (session.board.players === 2 && player === 1 ? -value : value);

  function remember(agent, ply, player, value) {
    if (session.board.players !== 2) return;
    if (!values.has(name(agent))) values.set(name(agent), new Map());
    values.get(name(agent)).set(ply, forFirst(player, value));
  }

  function draw() {
    const sources = agents
      .filter((agent) => agent.decision)
      .map((agent) => decisionSource(analysing(agent.seat.agent), agent.decision, agents.indexOf(agent) + 1));
    // On cells there is room for one agent, beside the exact values.
    if (!table.board.geometry.by_column)
      sources.splice(0, sources.length, ...sources.slice(shown(), shown() + 1));
    if (solving && solution?.solved) sources.push(solutionSource(t("exact.title"), solution));
    table.showValues(session.over ? [] : sources);
    table.showLine(session.over ? null : agents[shown()]?.decision?.pv);
    drawGraph();
  }

  function drawGraph() {
    if (session.board.players !== 2) return;
    const series = agents.map((agent, index) => ({
      name: agent.seat.agent,
      points: values.get(name(agent)) ?? new Map(),
      series: index + 1,
    }));
    if (truths.size) series.push({ name: t("exact.title"), points: truths, exact: true });
    graph.draw(series, { plies: session.moves.length, now: session.ply, faults });
  }

  function changed() {
    // Values of more than two players have no common scale.
    graph.element.hidden = sweepButton.hidden = session.board.players !== 2;
    if (!known.startsWith(line()) && !line().startsWith(known)) {
      values.clear();
      truths.clear();
      faults.clear();
      stopSweep();
    }
    known = line();
    solution = null;
    agents.forEach(think);
    if (solving && !session.over) {
      exact.ask(session.position(), (found) => {
        solution = found;
        agents.forEach((agent) => agent.decision && agent.table.draw(agent.decision, solution));
        replace(verdict, exactSentence(found));
        draw();
      });
    }
    replace(verdict);
    draw();
  }

  const verdict = h("p", { class: "small soft", role: "status" });
  function exactSentence(found) {
    if (!found.solved) return t("exact.notSolved");
    const best = found.moves
      .filter((move) => (move.score ?? move.value) === (found.score ?? found.value))
      .map((move) => move.text);
    return t("exact.best", {
      value: exactText({ value: found.value, score: found.score }),
      moves: best.join(" "),
    });
  }

  /** Go through the game: every agent's value of each position, and the solver's verdict. */
  async function sweepGame() {
    if (sweep) return stopSweep();
    const mine = (sweep = { stopped: false, searches: [] });
    sweepButton.textContent = t("analyse.stop");
    const last = session.moves.length;
    const views = await Promise.all(Array.from({ length: last + 1 }, (_, ply) => session.viewAt(ply)));
    if (session.board.solver && session.board.players === 2) await judgeGame(views, mine);
    for (let ply = 0; ply <= last && !mine.stopped; ply++) {
      if (views[ply].outcome) continue;
      await Promise.all(agents.map((agent) => evaluate(agent, ply, views[ply].to_move, mine)));
      drawGraph();
    }
    if (sweep === mine) stopSweep();
  }

  function evaluate(agent, ply, player, mine) {
    if (values.get(name(agent))?.has(ply)) return Promise.resolve();
    const limits = agent.seat.limits.seconds
      ? { seconds: Math.min(agent.seat.limits.seconds, 0.3) }
      : agent.seat.limits;
    return new Promise((resolve) => {
      const search = socket.search(
        { position: session.position(ply), agent: agent.seat.agent, limits },
        {
          done: (decision) => (remember(agent, ply, player, decision.value), resolve()),
          failed: resolve,
          cancelled: resolve,
        },
      );
      mine.searches.push({ cancel: () => (search.cancel(), resolve()) });
    });
  }

  /** From the end to the beginning: what was solved later makes the earlier positions faster. */
  async function judgeGame(views, mine) {
    for (let ply = views.length - 1; ply >= 0 && !mine.stopped; ply--) {
      const { outcome, to_move: player } = views[ply];
      if (outcome) {
        truths.set(ply, outcome.rewards[0]);
        continue;
      }
      const found = await judge.solve(session.position(ply), 2);
      if (!found.solved) break;
      truths.set(ply, forFirst(player, found.value));
      const played = found.moves.find((move) => move.text === session.moves[ply]);
      if (played && played.value < found.value) {
        faults.set(
          ply + 1,
          t("fault.words", {
            had: exactText({ value: found.value }),
            got: exactText({ value: played.value }),
          }),
        );
      }
      moves.setFaults(faults);
      drawGraph();
    }
  }

  function stopSweep() {
    if (sweep) {
      sweep.stopped = true;
      sweep.searches.forEach((search) => search.cancel());
      sweep = null;
    }
    sweepButton.textContent = t("analyse.sweep");
  }

  const sweepButton = button(t("analyse.sweep"), { onclick: sweepGame });
  const list = h("div", { class: "stack" });
  async function drawAgents() {
    const cards = await Promise.all(
      agents.map(async (agent, index) => {
        const swatch = h("i");
        swatch.style.background = `var(--series-${index + 1})`;
        const picker = h(
          "details",
          {},
          h("summary", {}, t("analyse.change")),
          await agentPicker(
            agent.seat,
            (seat) => {
              agent.seat = seat;
              title.textContent = seat.agent;
              keep();
              think(agent);
            },
            { game: () => session.game },
          ),
        );
        const title = h("span", { class: "mono" }, agent.seat.agent);
        return h(
          "section",
          { class: "card" },
          h(
            "div",
            { class: "card-head legend" },
            swatch,
            h("h2", {}, title),
            agents.length > 1 &&
              button(t("analyse.onBoard"), {
                look: "quiet push",
                "aria-pressed": String(index === shown()),
                onclick: () => ((onBoard = agent), drawAgents(), draw()),
              }),
            button(t("analyse.remove"), {
              sign: "close",
              iconOnly: true,
              look: "quiet",
              onclick: () => remove(agent),
              disabled: agents.length === 1,
            }),
          ),
          agent.status,
          agent.table.element,
          picker,
        );
      }),
    );
    replace(
      list,
      cards,
      button(t("analyse.add"), { sign: "plus", onclick: add, disabled: agents.length >= MOST_AGENTS }),
    );
  }
  const keep = () =>
    localStorage.setItem(STORED, JSON.stringify(agents.map((agent) => seatText(agent.seat))));
  async function add() {
    const agent = makeAgent({ agent: "uct", limits: { seconds: 3 } });
    agents.push(agent);
    keep();
    await drawAgents();
    think(agent);
  }
  async function remove(agent) {
    agent.search?.cancel();
    agents.splice(agents.indexOf(agent), 1);
    keep();
    await drawAgents();
    draw();
  }
  await drawAgents();

  session.addEventListener("change", changed);
  const controls = card(
    t("analyse.title"),
    h(
      "div",
      { class: "stack" },
      h(
        "div",
        { class: "row" },
        stepButtons(session),
        button(t("play.flip"), { sign: "flip", iconOnly: true, onclick: () => (table.flip(), draw()) }),
      ),
      moves.element,
      graph.element,
      h(
        "div",
        { class: "row" },
        sweepButton,
        session.board.solver && check(t("watch.exact"), solving, (on) => ((solving = on), changed())),
      ),
      verdict,
    ),
  );
  const side = h("div", { class: "side" }, controls, list, await gameCard(session), positionCard(session));
  const offKeys = stepKeys(session, { f: () => (table.flip(), draw()) });
  return {
    element: h("div", { class: "stage" }, table.element, side),
    begin: () => {
      table.refresh();
      moves.draw();
      changed();
    },
    close: () => {
      stopSweep();
      table.close();
      moves.close();
      exact.close();
      judge.close();
      agents.forEach((agent) => agent.search?.cancel());
      session.removeEventListener("change", changed);
      offKeys();
    },
  };
}
