"""UCI: clocks, the words of the protocol, the engine for GUIs, and choosing among some moves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spielbaum as sb
from spielbaum.agents import registry
from spielbaum.agents.restricted import choose_among
from spielbaum.base.memory import MOST_MEGABYTES
from spielbaum.base.rng import Rng
from spielbaum.engines.uci import Info, is_chess960, move_text, position_text
from spielbaum.engines.words import read_line
from spielbaum.play.clock import LEAST, think_seconds
from spielbaum.protocols.uci.loop import Engine
from spielbaum.protocols.uci.strength import NODES, SPREAD, nodes_of, skill_elo
from spielbaum.protocols.uci.words import Limits, Shown, chances, info_lines
from timing import measures_time

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
SHUFFLED = "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1"
MATE_IN_TWO = "7k/8/8/8/8/8/1R6/R6K w - - 0 1"


def chess(fen: str = "", *moves: str) -> sb.State:
    """A position of chess, and moves from it."""
    state = sb.game("chess").state(fen) if fen else sb.game("chess").initial()
    for move in moves:
        state = state.play(move)
    return state


# The clock


clocks = st.floats(-10, 10_000)
increments = st.floats(0, 100)
overheads = st.floats(0, 5)
numbers_of_moves = st.none() | st.integers(1, 100)


@given(clocks, increments, numbers_of_moves, overheads)
def test_never_more_than_what_remains(
    remaining: float, increment: float, moves: int | None, overhead: float
) -> None:
    seconds = think_seconds(remaining, increment, moves, overhead)
    assert LEAST <= seconds <= max(LEAST, remaining - overhead)
    assert seconds <= max(LEAST, remaining / 2, remaining - 11 * overhead)


@given(clocks, increments, numbers_of_moves)
def test_more_time_is_never_less_thinking(
    remaining: float, increment: float, moves: int | None
) -> None:
    seconds = think_seconds(remaining, increment, moves)
    assert think_seconds(remaining + 1, increment, moves) >= seconds
    assert think_seconds(remaining, increment + 1, moves) >= seconds


@pytest.mark.parametrize(
    ("remaining", "increment", "moves", "least", "most"),
    [
        (60, 0, None, 1, 3),
        (60, 1, None, 2, 4),
        (60, 0, 10, 5, 7),
        (60, 0, 1, 59, 59.7),
        (60, 0, 2, 29, 31),
        (0.5, 10, None, 0.1, 0.25),
        (0.005, 0, None, LEAST, LEAST),
    ],
)
def test_shares_of_a_clock(
    remaining: float, increment: float, moves: int | None, least: float, most: float
) -> None:
    assert least <= think_seconds(remaining, increment, moves) <= most


@pytest.mark.parametrize("lost", [0.0, 0.03, 0.06])
def test_a_clock_with_increment_lasts_for_ever(lost: float) -> None:
    clock = 3.0
    for _ in range(500):
        clock -= think_seconds(clock, 0.1) + lost
        assert clock > 0
        clock += 0.1


@pytest.mark.parametrize(
    ("clock", "increment", "control", "overhead"),
    [(4.0, 0.1, 0, 0.1), (10.0, 0.1, 0, 0.1), (60.0, 0.6, 0, 0.03), (20.0, 0.0, 40, 0.1)],
)
def test_a_busy_machine_loses_no_game_on_time(
    clock: float, increment: float, control: int, overhead: float
) -> None:
    # Measured at a load of 5 with others first: half of the moves lost 60 ms, and some 0.4 s.
    for seed in range(20):
        rng, left = Rng(seed), clock
        for number in range(120):
            if control and number and number % control == 0:
                left += clock
            moves = control - number % control if control else None
            stalled = 0.4 if rng.below(50) == 0 else 0.0
            left -= (
                think_seconds(left, increment, moves, overhead)
                + 0.12 * rng.below(1000) / 1000
                + stalled
            )
            assert left > 0, (seed, number)
            left += increment


# Limits of go


def limits(line: str) -> Limits:
    """The limits of a line without mistakes."""
    read, problems = Limits.read(line.split())
    assert problems == ()
    return read


def test_every_limit_is_read() -> None:
    read = limits(
        "searchmoves e2e4 d2d4 ponder wtime 1 btime 2 winc 3 binc 4 movestogo 5 movetime 6 "
        "depth 7 nodes 8 mate 9"
    )
    assert read.searchmoves == ("e2e4", "d2d4")
    assert list(read.numbers.values()) == list(range(1, 10))
    assert (read.ponder, read.infinite, read.depth) == (True, False, 7)


def test_the_clock_of_the_side_to_move_counts() -> None:
    read = limits("wtime 60000 btime 6000 winc 0 binc 0")
    white, black = (read.seconds(player, overhead=0.03) for player in (0, 1))
    assert white == think_seconds(60.0)
    assert black == think_seconds(6.0)


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("movetime 100", 0.09),
        ("movetime 0", LEAST),
        ("movetime 10", 0.005),  # half of it, where the overhead would take all
        ("wtime 60000 movetime 50", 0.04),
        ("depth 4", None),
        ("nodes 4", None),
        ("mate 4", None),
        ("infinite movetime 100", None),
        ("", None),
        ("ponder", None),
        ("btime 1000", 1.0),  # it is white's turn, and somebody waits for an answer
        ("wtime 99999999999999", 1e6),
    ],
)
def test_seconds_of_a_go(line: str, seconds: float | None) -> None:
    assert limits(line).seconds(player=0, overhead=0.01) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("depth", "go: option depth=: expected a whole number of at least 1"),
        ("depth 0", "go: option depth=0: expected"),
        ("nodes -1", "go: option nodes=-1: expected"),
        ("movetime 1e3", "go: option movetime=1e3: expected"),
        ("wtime 99999999999999999999999", "go: option wtime=999"),
        ("fast", "go: there is no limit 'fast'"),
    ],
)
def test_limits_that_cannot_be_read_are_named_and_answered(line: str, problem: str) -> None:
    read, (problems,) = Limits.read(line.split())
    assert problems.startswith(problem)
    assert not read.infinite
    assert read.seconds(player=0, overhead=0.01) == 1.0


# Moves, positions and infos


@pytest.mark.parametrize(
    ("fen", "move", "plain", "chess960"),
    [
        (CASTLING, "e1g1", "e1g1", "e1h1"),
        (CASTLING, "e1c1", "e1c1", "e1a1"),
        (CASTLING.replace(" w ", " b "), "e8g8", "e8g8", "e8h8"),
        (CASTLING.replace(" w ", " b "), "e8c8", "e8c8", "e8a8"),
        (SHUFFLED, "e1g1", "e1g1", "e1g1"),
        ("3k4/8/8/8/8/8/8/4QK2 w - - 0 1", "e1c1", "e1c1", "e1c1"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "a7a8n", "a7a8n"),
    ],
)
def test_castling_is_written_as_the_gui_wants(
    fen: str, move: str, plain: str, chess960: str
) -> None:
    state = chess(fen)
    action = state.parse(move)
    assert move_text(state, action, chess960=False) == plain
    assert move_text(state, action, chess960=True) == chess960
    assert state.parse(plain) == state.parse(chess960) == action


@pytest.mark.parametrize(
    ("fen", "special"),
    [
        ("", False),
        (CASTLING, False),
        (SHUFFLED, True),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", False),
        ("3k3r/8/8/8/8/8/8/4K3 w k - 0 1", True),
        ("4k3/8/8/8/8/8/8/4KR1R w F - 0 1", True),
    ],
)
def test_chess960_is_told_by_its_castling_rights(fen: str, special: bool) -> None:
    assert is_chess960(chess(fen)) == special


def test_a_position_comes_with_its_path() -> None:
    assert position_text(chess(), chess960=False) == "startpos"
    state = chess(CASTLING, "e1g1", "a8a7")
    assert position_text(state, chess960=False) == f"fen {CASTLING} moves e1g1 a8a7"
    assert position_text(state, chess960=True) == f"fen {CASTLING} moves e1h1 a8a7"


@pytest.mark.parametrize(
    ("plies", "value", "mate"), [(1, 1.0, 1), (3, 1.0, 2), (2, -1.0, -1), (4, -1.0, -2)]
)
def test_mates_survive_the_way_through_an_info(plies: int, value: float, mate: int) -> None:
    state = chess()
    move = state.parse("e2e4")
    stats = {"depth": 5, "nodes": 7, "plies_to_end": plies}
    (line,) = info_lines(sb.Decision(move, value, stats=stats), state, Shown())
    assert line == f"info depth 5 score mate {mate} nodes 7 pv e2e4"
    info = Info.read(line.split())
    assert info is not None
    assert info.score == (32000 - plies) * int(value)
    assert read_line(state, info.line) == (move,)


def test_an_agent_without_statistics_has_no_info() -> None:
    state = chess()
    assert not list(info_lines(sb.Decision(state.legal_moves[0]), state, Shown()))


@pytest.mark.parametrize(
    "line",
    [
        "info",
        "info depth 5",
        "info pv e2e4",
        "info score pv e2e4",
        "info score cp pv e2e4",
        "info score cp x pv e2e4",
        "info score mate pv",
        "info depth score cp 1 pv e2e4",
        "info score cp 5 lowerbound pv e2e4",
        "info string score cp 5 pv e2e4",
    ],
)
def test_infos_without_an_exact_score_are_skipped(line: str) -> None:
    assert Info.read(line.split()) is None


def test_infos_of_several_lines_have_numbers() -> None:
    info = Info.read(["info", "depth", "3", "multipv", "2", "score", "cp", "5", "pv", "e2e4"])
    assert info is not None
    assert (info.number, info.score, info.line) == (2, 5, ("e2e4",))


INFO_WORDS = "info depth score cp mate nodes pv multipv 1 -2 x e2e4"


@given(st.lists(st.sampled_from(INFO_WORDS.split())))
def test_no_info_is_too_strange(words: list[str]) -> None:
    Info.read(words)


# The engine


@pytest.fixture
def clean_registry() -> Iterator[None]:
    """Forget the agents that a test registers."""
    before = dict(registry._registered)
    yield
    registry._registered.clear()
    registry._registered.update(before)


class Gui:
    """An engine in this process, and what it has said."""

    def __init__(self, spec: str = "alphabeta:memory=1") -> None:
        self.lines: list[str] = []
        self._news = threading.Condition()
        self.engine = Engine(spec, self._hear)

    def _hear(self, line: str) -> None:
        with self._news:
            self.lines.append(line)
            self._news.notify_all()

    def send(self, *lines: str) -> None:
        for line in lines:
            assert self.engine.obey(line)

    def wait(self, start: str, seconds: float = 10) -> str:
        """The line that begins so, once it is there; all lines before it are forgotten."""

        def found() -> str | None:
            return next((line for line in self.lines if line.startswith(start)), None)

        with self._news:
            assert self._news.wait_for(lambda: found() is not None, seconds), self.lines
            line = found()
            assert line is not None
            del self.lines[: self.lines.index(line) + 1]
            return line

    def is_quiet(self, start: str = "bestmove", seconds: float = 0.1) -> bool:
        """Whether no line begins so for a while."""
        time.sleep(seconds)
        return not any(line.startswith(start) for line in self.lines)

    def fen(self) -> str:
        """The position of the engine."""
        self.send("d")
        return self.wait("Fen: ").removeprefix("Fen: ")


@pytest.fixture
def gui() -> Iterator[Gui]:
    """A GUI whose engine is ended after the test."""
    made = Gui()
    yield made
    made.engine.run(["quit"])


@pytest.fixture
def quick() -> Iterator[Gui]:
    """The same with an agent that answers at once and knows nothing."""
    made = Gui("random")
    yield made
    made.engine.run(["quit"])


def test_the_handshake(gui: Gui) -> None:
    gui.send("uci")
    assert gui.lines[0].startswith("id name Spielbaum ")
    assert gui.lines[1].startswith("id author ")
    assert gui.lines[-1] == "uciok"
    options = {line.split(" type ")[0] for line in gui.lines[2:-1]}
    assert options == {
        f"option name {name}"
        for name in (
            "Hash",
            "Threads",
            "Clear Hash",
            "Ponder",
            "MultiPV",
            "UCI_ShowWDL",
            "UCI_Chess960",
            "UCI_LimitStrength",
            "UCI_Elo",
            "Skill Level",
            "Move Overhead",
            "Agent",
        )
    }
    assert f"option name Hash type spin default 1 min 1 max {MOST_MEGABYTES}" in gui.lines
    assert "option name Agent type string default alphabeta:memory=1" in gui.lines


def test_a_search_tells_and_answers(gui: Gui) -> None:
    gui.send("ucinewgame", "isready", f"position fen {MATE_IN_TWO}", "go depth 4")
    answer = gui.wait("bestmove", 20)
    gui.lines.clear()
    assert answer.split()[1][:2] in ("a1", "b2")
    gui.send("go depth 4")
    assert gui.wait("info").startswith("info depth ")


def test_the_last_info_has_the_mate(gui: Gui) -> None:
    gui.send(f"position fen {MATE_IN_TWO}", "go depth 6")
    seen: list[str] = []
    while not seen or not seen[-1].startswith("bestmove"):
        seen.append(gui.wait(""))
    assert " score mate 2 " in seen[-2]
    best = seen[-1].split()
    assert best[2] == "ponder"
    assert f" pv {best[1]} {best[3]} " in seen[-2]


@pytest.mark.parametrize(
    "go",
    [
        "go depth 2",
        "go nodes 500",
        "go movetime 30",
        "go wtime 100 btime 100",
        "go wtime 100 btime 100 winc 10 binc 10 movestogo 3",
        "go wtime -100 btime -100",
        "go mate 1",
        "go depth 2 nodes 500 movetime 1000",
        "go depth 99999999999 movetime 20",
        "go searchmoves a2a3 b2b3 depth 3",
        "go searchmoves a2a3 movetime 30",
        "go searchmoves a2a3 nodes 300",
    ],
)
def test_every_limit_ends_a_search(gui: Gui, go: str) -> None:
    gui.send(go)
    move = gui.wait("bestmove").split()[1]
    assert chess().parse(move) in chess().legal_moves
    if "searchmoves" in go:
        assert move in ("a2a3", "b2b3")
    assert gui.is_quiet(seconds=0.02)


@measures_time
def test_isready_is_answered_while_searching_and_stop_ends_it(gui: Gui) -> None:
    gui.send("go infinite")
    gui.wait("info depth 3")
    began = time.perf_counter()
    gui.send("isready")
    gui.wait("readyok")
    assert time.perf_counter() - began < 0.5
    assert gui.is_quiet()
    began = time.perf_counter()
    gui.send("stop")
    gui.wait("bestmove")
    assert time.perf_counter() - began < 0.5


@pytest.mark.parametrize("go", ["go infinite", "go ponder movetime 10", "go ponder depth 1", "go"])
def test_the_answer_is_held_back_although_the_search_has_ended(quick: Gui, go: str) -> None:
    quick.send(go)
    assert quick.is_quiet()
    quick.send("stop")
    quick.wait("bestmove")
    assert quick.is_quiet(seconds=0.02)


@measures_time
def test_ponderhit_releases_an_answer_that_is_ready(quick: Gui) -> None:
    quick.send("go ponder wtime 600000 btime 600000")
    assert quick.is_quiet()
    quick.send("ponderhit")
    quick.wait("bestmove", 2)


@measures_time
def test_ponderhit_starts_the_clock(gui: Gui) -> None:
    gui.send("go ponder movetime 200")
    assert gui.is_quiet(seconds=0.4)
    began = time.perf_counter()
    gui.send("ponderhit")
    gui.wait("bestmove")
    assert 0.1 < time.perf_counter() - began < 2


def test_an_infinite_search_takes_no_ponderhit(quick: Gui) -> None:
    quick.send("go infinite", "ponderhit")
    assert quick.is_quiet()


def test_stop_and_ponderhit_without_a_search_are_nothing(quick: Gui) -> None:
    quick.send("stop", "ponderhit", "", "   ", "debug on", "register later")
    assert quick.lines == []


def test_one_answer_for_each_go(gui: Gui) -> None:
    gui.send(*["go infinite"] * 5, "go depth 1")
    for _ in range(6):
        gui.wait("bestmove")
    assert gui.is_quiet()


def test_illegal_moves_and_positions_leave_the_position_as_it_was(quick: Gui) -> None:
    quick.send("position startpos moves e2e4 e7e5")
    before = quick.fen()
    for line, named in [
        ("position startpos moves e2e4 e2e4", "e2e4"),
        ("position startpos moves e2e4 xyz", "xyz"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("position fen", "FEN"),
        ("position", "startpos"),
        ("position middle", "middle"),
        ("position startpos e2e4", "startpos"),
    ]:
        quick.send(line)
        assert named in quick.wait("info string position: ")
        assert quick.fen() == before


def test_a_game_goes_on_after_draws_that_nobody_claims(gui: Gui) -> None:
    there_and_back = "g1f3 g8f6 f3g1 f6g8 " * 3
    for position in (
        f"startpos moves {there_and_back}",
        f"startpos moves {there_and_back} e2e4 e7e5",
        "fen 4k3/8/8/8/8/8/8/R3K3 w - - 120 90",
        "fen 4k3/8/8/8/8/8/8/R3K3 w - - 99 90 moves a1a2 e8e7",
    ):
        gui.send(f"position {position}")
        assert gui.lines == []
        gui.send("go depth 2")
        assert gui.wait("bestmove").split()[1] not in ("(none)", "0000")


@pytest.mark.parametrize(
    "fen",
    [
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        "7k/8/6K1/8/8/8/8/8 b - - 0 1",
    ],
)
def test_no_move_in_a_finished_game(quick: Gui, fen: str) -> None:
    quick.send(f"position fen {fen}", "go depth 3")
    assert "the game is over: " in quick.wait("info string")
    assert quick.wait("bestmove") == "bestmove (none)"


@pytest.mark.parametrize(("mode", "text"), [("false", "e1g1"), ("true", "e1h1")])
def test_castling_follows_the_mode_of_the_gui(gui: Gui, mode: str, text: str) -> None:
    gui.send(f"setoption name UCI_Chess960 value {mode}", f"position fen {CASTLING}")
    gui.send("go depth 2 searchmoves e1g1")
    assert gui.wait("bestmove").split()[1] == text
    gui.send(f"position fen {CASTLING} moves {text}")
    assert "R4RK1 b" in gui.fen()


def test_options_reach_the_agent(gui: Gui) -> None:
    gui.send(
        "setoption name hash value 2",
        "setoption name Threads value 2",
        "setoption name Move Overhead value 100",
        "setoption name Ponder value true",
        "setoption name Clear Hash",
        "isready",
    )
    assert gui.lines == ["readyok"]
    assert str(gui.engine.ready_agent()) == "alphabeta:threads=2,memory=2"
    gui.send("setoption name Agent value random:seed=3", "go depth 1")
    gui.wait("bestmove")
    assert str(gui.engine.ready_agent()) == "random:seed=3"


def test_an_option_beyond_the_limits_of_the_next_agent_is_left_out(gui: Gui) -> None:
    gui.send("setoption name Agent value uci:path=cat", "setoption name Threads value 1000")
    gui.send("setoption name Agent value alphabeta:memory=1", "go depth 1")
    assert "threads=1000: expected a whole number from 1 to 256" in gui.wait("info string")
    assert gui.wait("bestmove") != "bestmove 0000"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("setoption", "expected name ... value"),
        ("setoption Hash 3", "expected name ... value"),
        ("setoption name Nonsense value 3", "there is no option 'Nonsense'"),
        ("setoption name Hash value 3", "agent random has no option for Hash; it is ignored"),
        ("setoption name Threads value 3", "agent random has no option for Threads"),
        ("setoption name Ponder value maybe", "expected true or false"),
        ("setoption name Move Overhead value -1", "from 0 to 5000"),
        ("setoption name Agent value randm", "did you mean random?"),
        ("setoption name Agent value human", "choose another agent"),
        ("setoption name Agent value perfect:fallback=human", "fallback=human: expected another"),
        ("setoption name Agent value perfect:book=/nowhere", "book /nowhere: No such file"),
        ("setoption name Agent", "expected a name"),
        ("go searchmoves e2e5 depth 1", "e2e5"),
        ("isredy", "there is no command 'isredy' (did you mean isready?)"),
        ("\x00\x01", "there is no command"),
    ],
)
def test_mistakes_are_named_in_one_line(quick: Gui, line: str, problem: str) -> None:
    quick.send(line)
    assert problem in quick.wait("info string")


def test_a_bad_agent_is_refused_at_once() -> None:
    with pytest.raises(sb.SpecError, match="choose another agent"):
        Gui("human")


class Teller(sb.Agent):
    """Tells what it knows, as it was told to, and then answers or fails."""

    def __init__(self, told: Sequence[sb.Decision], end: Callable[[], sb.Decision]) -> None:
        self._told = told
        self._end = end

    def choose(self, state: sb.State, budget: sb.Budget | None = None) -> sb.Decision:
        assert budget is not None
        assert budget.report is not None
        for decision in self._told:
            budget.report(decision)
        return self._end()


def register_teller(told: Sequence[sb.Decision], end: Callable[[], sb.Decision]) -> None:
    """Make the agent known as teller."""
    sb.register_agent("teller", lambda: Teller(told, end), replace=True)


@pytest.mark.usefixtures("clean_registry")
def test_reports_become_infos() -> None:
    state = chess()
    line = tuple(read_line(state, ("e2e4", "e7e5")))
    told = [
        sb.Decision(line[0], 0.1, (), line[:depth], {"depth": depth, "score": 10 * depth})
        for depth in (1, 2)
    ]
    register_teller(told, lambda: sb.Decision(line[0], pv=line))
    gui = Gui("teller")
    gui.send("go depth 2")
    assert gui.wait("info") == "info depth 1 score cp 10 pv e2e4"
    assert gui.wait("info") == "info depth 2 score cp 20 pv e2e4 e7e5"
    assert gui.wait("bestmove") == "bestmove e2e4 ponder e7e5"


@pytest.mark.usefixtures("clean_registry")
@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (sb.EngineError("engine x ended"), "info string engine x ended"),
        (ZeroDivisionError("a bug"), "info string the agent failed: ZeroDivisionError: a bug"),
    ],
)
def test_an_agent_that_fails_is_no_end(
    error: Exception, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> sb.Decision:
        raise error

    move = chess().parse("e2e4")
    for told, answer in (([], "bestmove 0000"), ([sb.Decision(move)], "bestmove e2e4")):
        register_teller(told, fail)
        gui = Gui("teller")
        gui.send("isready", "go depth 1")
        assert gui.wait("info string") == problem
        assert gui.wait("bestmove") == answer
    is_bug = not isinstance(error, sb.EngineError)
    assert ("Traceback" in capsys.readouterr().err) == is_bug


@pytest.mark.usefixtures("clean_registry")
def test_an_agent_that_answers_nonsense_is_no_end() -> None:
    register_teller([], lambda: sb.Decision(4671))
    gui = Gui("teller")
    gui.send("go depth 1")
    assert gui.wait("info string") == "info string agent teller chose 4671, which is not legal"
    assert gui.wait("bestmove") == "bestmove 0000"


def test_options_without_limits_are_shown_with_some() -> None:
    gui = Gui("uci:path=/bin/true")
    gui.send("uci")
    assert f"option name Hash type spin default 0 min 0 max {MOST_MEGABYTES}" in gui.lines


@pytest.mark.usefixtures("clean_registry")
def test_an_agent_that_never_stops_does_not_block_the_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spielbaum.protocols.session.PATIENCE", 0.1)
    release = threading.Event()

    def end() -> sb.Decision:
        release.wait(10)
        return sb.Decision(chess().legal_moves[0])

    register_teller([], end)
    gui = Gui("teller")
    gui.send("go depth 1", "go depth 1", "isready")
    assert "does not stop" in gui.wait("info string")
    release.set()
    gui.wait("readyok")
    gui.wait("bestmove")


# Several lines, chances, strength


def told(gui: Gui, *lines: str) -> list[str]:
    """The infos of the last depth of a search."""
    gui.send(*lines)
    seen: list[str] = []
    while not seen or not seen[-1].startswith("bestmove"):
        seen.append(gui.wait(""))
    depth = " ".join(seen[-2].split()[:3])
    return [line for line in seen if line.startswith(f"{depth} ")]


@pytest.mark.parametrize("agent", ["alphabeta:memory=1", "mcts"])
def test_several_lines_are_told_best_first(agent: str) -> None:
    gui = Gui(agent)
    gui.send("setoption name MultiPV value 3", "setoption name UCI_ShowWDL value true")
    infos = [Info.read(line.split()) for line in told(gui, "go nodes 3000")][-3:]
    assert [each.number for each in infos if each] == [1, 2, 3]
    assert len({each.line[0] for each in infos if each}) == 3
    gui.send("setoption name MultiPV value 1")
    alone = told(gui, "go nodes 300")
    assert alone
    assert all(" multipv " not in line and " wdl " in line for line in alone)


def test_the_values_of_several_lines_are_exact() -> None:
    gui = Gui("alphabeta:memory=1")
    gui.send("setoption name MultiPV value 2")
    gui.send("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    first, second = told(gui, "go depth 3")[-2:]
    assert " multipv 1 score mate 1 " in first
    alone = Gui("alphabeta:memory=1")
    alone.send("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    best = second.split(" pv ")[1].split()[0]
    (only,) = told(alone, f"go depth 3 searchmoves {best}")[-1:]
    assert second.split(" score ")[1].split()[:2] == only.split(" score ")[1].split()[:2]


def test_a_tree_search_is_heard_as_well() -> None:
    gui = Gui("mcts")
    gui.send("go nodes 500")
    info = gui.wait("info depth ")
    assert " score cp " in info
    assert " nodes " in info
    assert gui.wait("bestmove").split()[1] in map(chess().text, chess().legal_moves)


@given(st.floats(-1, 1))
def test_chances_add_up_and_agree_with_the_value(value: float) -> None:
    won, drawn, lost = map(int, chances(value).split())
    assert won + drawn + lost == 1000
    assert min(won, drawn, lost) >= 0
    assert (won - lost) / 1000 == pytest.approx(value, abs=0.002)


def test_a_limited_strength_limits_the_nodes(gui: Gui) -> None:
    gui.send("setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 1400")
    nodes = []
    for _ in range(8):
        gui.send("go depth 30")
        seen: list[str] = []
        while not seen or not seen[-1].startswith("bestmove"):
            seen.append(gui.wait(""))
        nodes.append(int(seen[-2].split(" nodes ")[1].split()[0]))
    assert NODES[1400] / SPREAD - 1 <= min(nodes) < max(nodes) <= NODES[1400] * SPREAD + 1
    gui.send("setoption name UCI_Elo value 9999")
    assert "expected a whole number from 1400 to" in gui.wait("info string")
    gui.send("setoption name Agent value random", "go depth 1")
    assert "only alphabeta's is known" in gui.wait("info string")
    gui.wait("bestmove")


def test_ratings_between_the_measured_ones_are_between_them() -> None:
    figures = [nodes_of(elo) for elo in range(1400, 1801, 50)]
    assert figures == sorted(figures)
    assert [nodes_of(elo) for elo in NODES] == pytest.approx(list(NODES.values()))
    assert skill_elo(0) == 1400
    assert skill_elo(20) is None


# Rubbish


VOCABULARY = (
    "uci isready ucinewgame position startpos fen moves e2e4 e7e5 e2e5 go depth nodes movetime "
    "wtime btime infinite ponder searchmoves mate 0 1 5 -3 99999999999999999999 stop ponderhit "
    "setoption name value Hash Threads Agent random nosuch Clear UCI_Chess960 true Move Overhead "
    "d debug 8/8/8/8/8/8/8/8 w - K7/8/k7/8/8/8/8/8 \ud800 é \x00"
)
words = st.sampled_from(VOCABULARY.split(" "))
lines = st.lists(words, max_size=8).map(" ".join) | st.text(max_size=40)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(lines, max_size=12))
def test_no_rubbish_ends_or_blocks_the_engine(rubbish: list[str]) -> None:
    sent: list[str] = []
    engine = Engine("random", sent.append)
    engine.run([*rubbish, "isready"])
    assert "readyok" in sent
    assert all("\n" not in line for line in sent)
    searches = sum(line.split()[:1] == ["go"] for line in rubbish)
    assert sum(line.startswith("bestmove") for line in sent) == searches


# Some of the moves only


def test_the_best_of_some_moves_is_chosen() -> None:
    state = chess("6k1/5ppp/8/8/8/8/q4PPP/R3Q1K1 w - - 0 1")
    agent = sb.agent("alphabeta:memory=1")
    for names, best in (
        (("a1a2", "e1e8", "g1f1"), "e1e8"),
        (("a1a2", "g1f1"), "a1a2"),
        (("g1f1",), "g1f1"),
    ):
        moves = [state.parse(name) for name in names]
        decision = choose_among(agent, state, moves, sb.Budget(depth=3))
        assert state.text(decision.move) == best
        assert decision.pv[0] == decision.move
    mate = choose_among(agent, state, [state.parse("e1e8")], sb.Budget(depth=3))
    assert (mate.value, mate.stats["plies_to_end"]) == (1.0, 1)


def test_all_moves_are_judged_as_by_the_whole_search() -> None:
    state = chess("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
    budget = sb.Budget(depth=3)
    plain = "alphabeta:memory=1,quiescence=off,tt=off,windows=off"
    whole = sb.agent(plain).choose(state, budget)
    some = choose_among(sb.agent(plain), state, state.legal_moves, budget)
    assert some.value == whole.value
    assert some.stats["depth"] == whole.stats["depth"] == 3


def test_reports_and_the_end_of_a_restricted_search() -> None:
    state = chess()
    told: list[sb.Decision] = []
    budget = sb.Budget(depth=4, report=told.append)
    decision = choose_among(sb.agent("alphabeta:memory=1"), state, state.legal_moves[:3], budget)
    assert [each.stats["depth"] for each in told] == [2, 3, 4]
    assert decision == told[-1]
    once: list[sb.Decision] = []
    choose_among(sb.agent("random"), state, state.legal_moves[:3], sb.Budget(report=once.append))
    assert len(once) == 1


class Counter(sb.Agent):
    """Searches as deep as it is told, always with ten nodes."""

    def choose(self, state: sb.State, budget: sb.Budget | None = None) -> sb.Decision:
        assert budget is not None
        assert budget.depth is not None
        return sb.Decision(state.legal_moves[0], stats={"depth": budget.depth, "nodes": 10})


def test_a_round_that_is_not_finished_does_not_count() -> None:
    state = chess()
    # Two rounds of two moves take 40 nodes; the third ends after its first move.
    decision = choose_among(Counter(), state, state.legal_moves[:2], sb.Budget(nodes=45))
    assert decision.stats == {"depth": 3, "nodes": 40}


def test_a_drawn_ending_does_not_deepen_for_ever() -> None:
    state = sb.game("tictactoe").state("a1 b2 c3 a3 c1 b1 b3")
    moves = state.legal_moves
    decision = choose_among(sb.agent("alphabeta"), state, moves, sb.Budget(stop=sb.StopToken()))
    assert decision.move in moves


@measures_time
@pytest.mark.parametrize("spec", ["alphabeta", "mcts", "mcts:parallel=tree"])
@pytest.mark.parametrize("threads", ["1", "16", "256"])
def test_every_number_of_threads_stops_at_once(spec, threads):
    lines: list[str] = []
    moved = threading.Event()

    def send(line: str) -> None:
        lines.append(line)
        if line.startswith("bestmove"):
            moved.set()

    engine = Engine(spec, send)
    for line in (f"setoption name Threads value {threads}", "isready"):
        engine.obey(line)
    fastest = 10.0
    for _ in range(5):  # other processes may have the cores for a while
        moved.clear()
        engine.obey("go infinite")
        time.sleep(0.3)
        began = time.monotonic()
        engine.obey("stop")
        assert moved.wait(10)
        fastest = min(fastest, time.monotonic() - began)
        if fastest < 0.2:
            break
    assert fastest < 0.2
    assert not any(line.startswith("info string") for line in lines)
