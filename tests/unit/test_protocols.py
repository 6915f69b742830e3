"""GTP, UGI and NBoard as an engine: commands, mistakes, and rubbish for every protocol."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pytest

import spielbaum as sb
from spielbaum.protocols.gtp import GtpEngine
from spielbaum.protocols.nboard import NBoardEngine
from spielbaum.protocols.session import Session
from spielbaum.protocols.uci.loop import UGI, Engine

GAME = (
    "(;GM[Othello]PC[NBoard]PB[Edax]PW[chris]RE[?]TI[15:00]TY[8]"
    "BO[8 ---------------------------O*------*O--------------------------- *]"
    "B[F5]W[F6]B[D3]W[C5];)"
)


class Talk:
    """A session in this process, and what it has said."""

    def __init__(self, make: Callable[[Callable[[str], None]], Session]) -> None:
        self.lines: list[str] = []
        self.session = make(self.lines.append)

    def ask(self, *lines: str) -> list[str]:
        """What is answered to lines, once nobody thinks any more."""
        del self.lines[:]
        for line in lines:
            self.session.obey(line)
        if self.session.search is not None:
            self.session.search.join(10)
        return list(self.lines)


def gtp(rules: str = "reversi", agent: str = "random", **limits: int) -> Talk:
    """An engine of GTP."""
    return Talk(lambda send: GtpEngine(rules, agent, send, sb.Budget(**limits or {"depth": 1})))


def nboard(agent: str = "alphabeta:memory=1") -> Talk:
    """An engine of NBoard's protocol."""
    return Talk(lambda send: NBoardEngine(agent, send))


def ugi(rules: str, agent: str = "random") -> Talk:
    """An engine of UGI."""
    return Talk(lambda send: Engine(agent, send, rules, UGI))


# GTP


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("protocol_version", "= 2"),
        ("12 name", "=12 Spielbaum"),
        ("known_command genmove", "= true"),
        ("known_command fly", "= false"),
        ("5 fly", "?5 unknown command 'fly'"),
        ("play black d3 # a comment", "="),
        ("play B D3", "="),
        ("play white d3", "? play: it is black's turn"),
        ("play black a1", "? play: illegal move: "),
        ("play black", "? play: expected a colour and a vertex"),
        ("play red d3", "? play: expected black or white, not 'red'"),
        ("undo", "? undo: cannot undo"),
        ("boardsize 6", "="),
        ("boardsize 5", "? boardsize: unacceptable size"),
        ("boardsize x", "? boardsize: option boardsize=x: expected"),
        ("set_game othello", "="),
        ("set_game Chess", "? set_game: expected Othello or Reversi"),
        ("komi 6.5", "="),
        ("final_score", "? final_score: cannot score"),
        ("time_settings 10 5 1", "="),
        ("time_left b 9 0", "="),
        ("time_left b", "? time_left: expected a colour and two numbers"),
        ("genmove w", "? genmove: it is black's turn"),
        ("quit", "="),
    ],
)
def test_commands_of_gtp(line: str, answer: str) -> None:
    said = gtp().ask(line)
    assert said[0].startswith(answer)
    assert said[-1] == ""
    assert "" not in said[:-1]


@pytest.mark.parametrize("rules", ["reversi", "hex:size=4", "tictactoe", "connect4", "chess"])
def test_gtp_plays_whole_games(rules: str) -> None:
    talk, state = gtp(rules, "random:seed=3"), sb.game(rules).initial()
    colours = ("white", "black") if rules == "chess" else ("black", "white")
    while state.outcome is None and len(state.history) < 80:
        answer, _ = talk.ask(f"genmove {colours[state.to_move]}")
        word = answer.removeprefix("= ").lower()
        state = state.play("pa" if word == "pass" else word)
    if state.outcome is not None:
        assert "the game is over" in talk.ask("genmove b")[0]
        winner = state.outcome.winner
        score = talk.ask("final_score")[0]
        assert score[2] == ("0" if winner is None else colours[winner][0].upper())


def test_columns_of_hex_have_an_i() -> None:
    talk = gtp("hex:size=11")
    assert talk.ask("play black i9") == ["=", ""]
    assert any("h i j" in line for line in talk.ask("showboard"))


def test_go_is_written_without_an_i() -> None:
    class Board(sb.PythonGame):
        """Moves with the names of sides, as OpenSpiel's Go has them."""

        name = "board"
        num_actions = 3

        def initial(self) -> tuple[int, ...]:
            return ()

        def to_move(self, moves: tuple[int, ...]) -> int:
            return len(moves) % 2

        def legal_moves(self, moves: tuple[int, ...]) -> list[int]:
            return [0, 1, 2]

        def play(self, moves: tuple[int, ...], action: int) -> tuple[int, ...]:
            return (*moves, action)

        def outcome(self, moves: tuple[int, ...]) -> sb.Outcome | None:
            return sb.Outcome.win(0) if len(moves) == 4 else None

        def key(self, moves: tuple[int, ...]) -> bytes:
            return bytes(moves)

        def text(self, moves: tuple[int, ...], action: int) -> str:
            return f"{'BW'[len(moves) % 2]} {('h1', 'j1', 'PASS')[action]}"

    sb.register_game(Board, replace=True)
    talk = gtp("board")
    assert talk.ask("play black J1", "play white pass") == ["=", "", "=", ""]
    assert talk.ask("play black I1")[0].startswith("? play: illegal move")
    assert talk.ask("genmove b")[0] in ("= H1", "= J1", "= pass")


def test_a_pass_that_is_forced_may_be_left_out() -> None:
    state, rng = sb.game("reversi").initial(), random.Random(4)
    while state.outcome is None and state.text(state.legal_moves[0]) != "pa":
        state = state.play(rng.choice(state.legal_moves))
    assert state.outcome is None
    talk, before = gtp(), state.root
    for move in state.history:
        assert talk.ask(f"play {'bw'[before.to_move]} {before.text(move)}") == ["=", ""]
        before = before.play(move)
    after = state.play("pa")
    assert talk.ask(f"play {'bw'[after.to_move]} {after.text(after.legal_moves[0])}") == ["=", ""]


def test_an_analysis_ends_with_the_next_command() -> None:
    talk = gtp("connect4", "mcts")
    seen = threading.Event()
    talk.session._write = lambda line: (talk.lines.append(line), line[:4] == "info" and seen.set())
    talk.session.obey("3 kata-analyze black 1 maxmoves 2")
    assert seen.wait(20)
    talk.session.obey("4 name")
    at = talk.lines.index("=4 Spielbaum")
    assert talk.lines[0] == "=3"
    assert talk.lines[at - 1] == ""
    report = talk.lines[at - 2]
    assert report.count("info move ") == 2
    first = report.split(" info ")[0].split()
    facts = dict(zip(first[1::2], first[2::2], strict=False))
    assert int(facts["visits"]) > 0
    assert 0 <= float(facts["winrate"]) <= 1
    assert facts["order"] == "0"
    assert first[first.index("pv") + 1] == facts["move"]


def test_a_move_with_analysis_is_played() -> None:
    talk = gtp("connect4", "mcts", iterations=200)
    said = talk.ask("lz-genmove_analyze b")
    assert said[0] == "="
    assert said[-2].startswith("play ")
    assert 0 <= int(said[1].split(" winrate ")[1].split()[0]) <= 10000
    assert talk.ask("undo") == ["=", ""]


def test_gtp_is_for_two_players() -> None:
    with pytest.raises(sb.SpecError, match="two players"):
        gtp("yavalath:players=3")
    with pytest.raises(sb.SpecError, match="choose another agent"):
        gtp(agent="human")


# UGI


def test_a_referee_that_knows_no_rules_can_play() -> None:
    for rules in ("tictactoe", "hex:size=3", "reversi:size=4"):
        talk, moves = ugi(rules, "random:seed=5"), []
        while talk.ask(f"position startpos moves {' '.join(moves)}", "query gameover") == [
            "response false"
        ]:
            turn = talk.ask("query p1turn")[0]
            assert turn in ("response true", "response false")
            assert talk.ask("query result") == ["response none"]
            moves.append(talk.ask("go p1time 1000 p2time 1000 p1inc 0 p2inc 0")[-1].split()[1])
        assert talk.ask("query result")[0] in (
            "response p1win",
            "response p2win",
            "response draw",
        )


def test_the_clock_of_ugi_is_that_of_the_player_to_move() -> None:
    talk = ugi("connect4", "mcts")
    said = talk.ask("go p1time 300 p2time 600000")
    assert int(said[-2].split(" time ")[1].split()[0]) < 300
    assert said[-1].startswith("bestmove ")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("query", "expected gameover, p1turn or result"),
        ("query weather", "not 'weather'"),
        ("uci", "there is no command 'uci' (did you mean ugi?)"),
        ("setoption name UCI_Elo value 1500", "there is no option 'UCI_Elo'"),
        ("position fen 99", "99"),
    ],
)
def test_mistakes_in_ugi(line: str, problem: str) -> None:
    (said,) = ugi("connect4").ask(line)
    assert said.startswith("info string ")
    assert problem in said


# NBoard


def test_the_recorded_session_of_nboard() -> None:
    """The session of NBoard's documentation, with an answer that the rules allow."""
    talk = nboard()
    assert talk.ask("nboard 2") == []
    assert talk.ask("set depth 3") == ["set myname Spielbaum 3"]
    assert talk.ask(f"set game {GAME}", "ping 1") == ["pong 1"]
    said = talk.ask("go")
    assert (said[0], said[-1]) == ("status Spielbaum is thinking", "status Spielbaum is waiting")
    assert said[-3].startswith("nodestats ")
    state = sb.game("reversi").initial()
    for move in ("f5", "f6", "d3", "c5"):
        state = state.play(move)
    answer = said[-2].removeprefix("=== ").split("/")
    assert answer[0] == answer[0].upper()
    state = state.play(answer[0].lower())
    float(answer[1])
    assert float(answer[2]) >= 0
    # The engine has not played its move: it waits for it.
    assert talk.ask(f"move {answer[0]}/{answer[1]}/{answer[2]}", "ping 2") == ["pong 2"]
    hints = [line for line in talk.ask("hint 3") if line.startswith("search ")][-3:]
    moves = [line.split()[1].split("-")[0].lower() for line in hints]
    assert len(set(moves)) == 3
    assert all(state.parse(move) in state.legal_moves for move in moves)
    assert talk.ask("learn") == ["learned"]
    assert talk.ask("set contempt 5") == []


def test_version_1_sends_bare_moves_and_passes() -> None:
    talk = nboard()
    assert talk.ask("nboard 1", "F5", "d6", "ping 7") == ["pong 7"]
    assert talk.ask("pa")[0].startswith("status move: ")


def test_a_search_of_nboard_ends_before_the_pong() -> None:
    talk = nboard("mcts")
    talk.session.obey("set depth 60")
    talk.session.obey("hint 1")
    talk.session.obey("ping 3")
    assert talk.lines[-1] == "pong 3"
    assert talk.lines[-2] == "status Spielbaum is waiting"


def test_analysis_of_a_whole_game() -> None:
    talk = nboard()
    said = talk.ask("set depth 2", f"set game {GAME}", "analyze")[1:]
    assert [line.split()[:2] for line in said] == [["analysis", str(n)] for n in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize(
    "line",
    [
        "nboard 3",
        "set depth x",
        "set game (;GM[Chess];)",
        "set game",
        "set colour red",
        "move z9",
        "move",
        "hint x",
        "ping",
        "dance",
    ],
)
def test_mistakes_are_told_in_the_status(line: str) -> None:
    (said,) = nboard().ask(line)
    assert said.startswith("status ")


# Rubbish

ENGINES: dict[str, tuple[Callable[[], Talk], str, str, str]] = {
    "uci": (
        lambda: Talk(lambda send: Engine("random", send)),
        "uci isready ucinewgame position startpos fen moves e2e4 e7e5 go depth nodes movetime "
        "wtime infinite ponder searchmoves mate 0 1 5 -3 stop ponderhit setoption name value Hash "
        "MultiPV UCI_Elo UCI_ShowWDL true UCI_LimitStrength Skill Level d",
        "isready",
        "readyok",
    ),
    "ugi": (
        lambda: ugi("connect4"),
        "ugi isready uginewgame position startpos fen moves d1 d2 44 go depth p1time p2inc "
        "movetime infinite stop query p1turn gameover result 0 1 -3 setoption name "
        "value Agent random",
        "isready",
        "readyok",
    ),
    "gtp": (
        lambda: gtp("reversi"),
        "1 99999999999999999999 play black white b w d3 c3 pass genmove reg_genmove undo boardsize "
        "8 6 clear_board komi 6.5 showboard time_settings time_left list_commands kata-analyze "
        "lz-genmove_analyze interval maxmoves final_score known_command #",
        "77 protocol_version",
        "=77 2",
    ),
    "nboard": (
        lambda: nboard("random"),
        "nboard set depth game move hint go ping learn 1 2 3 F5 d6 PA f5/1/2 contempt analyze "
        f"{GAME}",
        "ping 77",
        "pong 77",
    ),
}
STRANGE = ("\x00", "é", "\ud800", "9" * 400, "a" * 5000, "-", "=", "?", "\x1b[2J", "%s%n")


@pytest.mark.parametrize("protocol", ENGINES)
def test_ten_thousand_lines_of_rubbish(protocol: str) -> None:
    make, vocabulary, question, answer = ENGINES[protocol]
    rng, talk = random.Random(protocol), make()
    words = [*vocabulary.split(), *STRANGE]
    for _ in range(10_000):
        line = " ".join(rng.choice(words) for _ in range(rng.randrange(6)))
        assert talk.session.obey(line)
        del talk.lines[:-100]
    talk.session.obey(question)
    assert answer in talk.lines
    assert not any("\n" in line for line in talk.lines)
    talk.session.run([])
