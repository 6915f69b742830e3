// The frame of the page: bar, theme, language, and which view is shown.

import * as api from "./api.js";
import { button, h, icon, replace, toast } from "./dom.js";
import { currentLanguage, setLanguage, t, word } from "./i18n.js";
import { read, remember, write } from "./link.js";
import { Session } from "./session.js";
import { socket } from "./socket.js";
import * as sound from "./sound.js";
import { analyse } from "./views/analyse.js";
import { help } from "./views/help.js";
import { experiment, lab } from "./views/lab.js";
import { ntuples } from "./views/ntuples.js";
import { play } from "./views/play.js";
import { tournament } from "./views/tournament.js";
import { tournaments } from "./views/tournaments.js";
import { training } from "./views/training.js";
import { trainings } from "./views/trainings.js";
import { tree } from "./views/tree.js";
import { watch } from "./views/watch.js";

const GAME_VIEWS = { play, watch, analyse, tree, ntuples };
const TABS = ["play", "watch", "analyse", "tree", "ntuples", "training", "tournaments", "lab"];
const AGENTS = [
  { agent: "mcts", limits: { seconds: 0.5 } },
  { agent: "alphabeta", limits: { seconds: 0.5 } },
];

const main = document.getElementById("main");
let current = null;
/** The game that the visitor was at, so that another view shows the same. */
let last = {};
let visits = 0;

function theme() {
  const wanted =
    localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  document.documentElement.dataset.theme = wanted;
  return wanted;
}

function drawBar(view) {
  document.documentElement.lang = currentLanguage();
  document.getElementById("skip").textContent = t("nav.skip");
  const dark = theme() === "dark";
  const tabs = TABS.map((name) =>
    h(
      "a",
      {
        href: name in GAME_VIEWS ? write([name], linked(name)) : write([name]),
        "aria-current": view === name ? "page" : undefined,
        "data-view": name,
      },
      t(`nav.${name}`),
    ),
  );
  const state = h("span", { class: "link-state", id: "link-state", role: "status" });
  replace(
    document.getElementById("bar"),
    h("a", { class: "brand", href: "#/play" }, h("img", { src: "icon.svg", alt: "" }), "Spielbaum"),
    h("nav", { class: "tabs", "aria-label": t("nav.title") }, tabs),
    h(
      "div",
      { class: "tools" },
      state,
      button(currentLanguage() === "de" ? "English" : "Deutsch", {
        look: "quiet",
        onclick: () => (setLanguage(currentLanguage() === "de" ? "en" : "de"), route()),
      }),
      button(t(sound.isOn() ? "tool.mute" : "tool.sound"), {
        sign: sound.isOn() ? "sound" : "mute",
        iconOnly: true,
        look: "quiet",
        onclick: () => (sound.toggle(), drawBar(view)),
      }),
      button(t(dark ? "tool.light" : "tool.dark"), {
        sign: dark ? "sun" : "moon",
        iconOnly: true,
        look: "quiet",
        onclick: () => (localStorage.setItem("theme", dark ? "light" : "dark"), drawBar(view)),
      }),
      h(
        "a",
        { class: "button icon quiet", href: "#/help", "aria-label": t("nav.help"), title: t("nav.help") },
        icon("help"),
      ),
    ),
  );
  const here = document.querySelector(".tabs [aria-current]");
  if (here) here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.clientWidth / 2 + 40;
  showState();
}

/** A view of a game links to the others with its position; seats belong to Play and Watch each. */
function linked(name) {
  const { game, start, moves, ply } = last;
  const seats = Object.fromEntries(
    Object.entries(name === "watch" ? (last.watch ?? {}) : (last.play ?? {})).filter(([key]) =>
      /^p\d$/.test(key),
    ),
  );
  return { game, start, moves, ply, ...seats };
}

function showState() {
  const state = document.getElementById("link-state");
  if (state) state.textContent = socket.connected ? "" : t("socket.lost");
}

async function open(view, values) {
  if (view[0] === "tournaments" && view[2] !== undefined) return openStored(view[1], view[2]);
  if (view[0] === "tournaments") return view[1] === undefined ? tournaments() : tournament(view[1]);
  if (view[0] === "training") return view[1] === undefined ? trainings(values) : training(view[1]);
  if (view[0] === "lab") return view[1] === undefined ? lab() : experiment(view[1]);
  if (view[0] === "help") return help();
  const name = view[0] in GAME_VIEWS ? view[0] : "play";
  const session = new Session();
  await session.load(values, name === "watch" && !values.p1 ? AGENTS : undefined);
  if (name === "watch" && !values.p1 && session.board.players !== 2)
    session.seats = session.seats.map(() => AGENTS[0]);
  if (name === "ntuples" && values.model) session.extra = { model: values.model };
  // A game that is about to be left must not change the address any more.
  const mine = visits;
  session.addEventListener("change", () => mine === visits && keep(name, session));
  keep(name, session, false);
  return GAME_VIEWS[name](session);
}

function keep(name, session, changesAddress = true) {
  const { values } = session;
  last = {
    ...last,
    game: undefined,
    start: undefined,
    moves: undefined,
    ply: undefined,
    ...values,
    [name]: values,
  };
  if (changesAddress) remember([name], values);
  for (const tab of document.querySelectorAll(".tabs a")) {
    if (tab.dataset.view in GAME_VIEWS) tab.href = write([tab.dataset.view], linked(tab.dataset.view));
  }
}

/** A game of a tournament, in Watch, from its first move on. */
async function openStored(name, number) {
  const game = await api.get(`tournaments/${encodeURIComponent(name)}/games/${encodeURIComponent(number)}`);
  const session = new Session();
  const seats = game.agents.map((agent) => ({ agent, limits: { seconds: 0.5 } }));
  await session.load(
    { game: game.game, start: game.start, moves: game.moves.join(" "), ply: String(game.opening) },
    seats,
  );
  const result = game.rewards.map((reward) => (reward > 0 ? "+" : reward < 0 ? "−" : "=")).join(" ");
  return watch(session, {
    replay: {
      number: game.number + 1,
      agents: game.agents,
      text: `${name} · ${result} · ${word(game.reason)}`,
    },
  });
}

async function route() {
  const visit = ++visits;
  const { view, values } = read();
  const name =
    view[0] in GAME_VIEWS || ["training", "tournaments", "lab", "help"].includes(view[0]) ? view[0] : "play";
  drawBar(name);
  document.title = `${t(`nav.${name}`)} · Spielbaum`;
  let opened;
  try {
    opened = await open(view, values);
  } catch (error) {
    if (visit !== visits) return;
    current?.close();
    current = null;
    replace(
      main,
      h(
        "div",
        { class: "card stack" },
        h("h1", {}, t("error.title")),
        h("p", {}, error.message === "offline" ? t("socket.lost") : error.message),
        h("p", {}, h("a", { href: "#/play" }, t("error.home"))),
      ),
    );
    return;
  }
  if (visit !== visits) {
    opened.close();
    return;
  }
  current?.close();
  current = opened;
  replace(main, opened.element);
  opened.begin();
}

socket.addEventListener("state", showState);
addEventListener("hashchange", route);
addEventListener("unhandledrejection", (event) =>
  toast(
    event.reason?.message === "offline" ? t("socket.lost") : String(event.reason?.message ?? event.reason),
    true,
  ),
);
// The printed link has the token, which a cookie holds from now on: it need not stay in the address.
if (new URLSearchParams(location.search).has("token"))
  history.replaceState(null, "", location.pathname + location.hash);
theme();
socket.connect();
// What the forms of most views are made of: asked for at once, and not one after the other.
for (const ask of [api.games, api.agents]) ask().catch(() => {});
route();
