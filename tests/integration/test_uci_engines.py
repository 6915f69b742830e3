"""UCI between processes: our engine under python-chess, and outside engines as agents."""

from __future__ import annotations

import gc
import os
import pickle
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import chess
import chess.engine
import pytest

import spielbaum as sb
from spielbaum.agents.uci import UciAgent
from spielbaum.engines import process as uci_process
from timing import measures_time

COMMAND = [sys.executable, "-m", "spielbaum", "uci"]
STOCKFISH = shutil.which("stockfish", path=f"{os.environ['PATH']}:/usr/games")
needs_stockfish = pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")
START = sb.game("chess").initial()
QUICK = sb.Budget(depth=1)


# Our engine as a process


def talk(*lines: str | bytes, agent: str = "random") -> subprocess.CompletedProcess[str]:
    """What the engine answers to these lines and the end of its input."""
    typed = b"".join(line if isinstance(line, bytes) else f"{line}\n".encode() for line in lines)
    done = subprocess.run(
        [*COMMAND, "--agent", agent], input=typed, capture_output=True, timeout=30, check=False
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_the_end_of_the_input_ends_the_engine() -> None:
    done = talk("uci", b"\xff\xfe rubbish\n", "go infinite", agent="alphabeta")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("bestmove") == 1
    assert "info string there is no command" in done.stdout


def test_quit_ends_the_engine_while_it_thinks() -> None:
    done = talk("go infinite", "quit", "isready", agent="alphabeta")
    assert (done.returncode, done.stderr) == (0, "")
    assert "readyok" not in done.stdout


def test_a_bad_agent_is_one_line_and_exit_code_2() -> None:
    done = talk(agent="randm")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("spielbaum: there is no agent 'randm' (did you mean random?)")


def test_a_gui_that_goes_away_is_no_traceback() -> None:
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(b"isready\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"readyok\n"
    process.stdout.close()
    process.stdin.write(b"go infinite\nuci\n")
    process.stdin.close()
    process.wait(20)
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    """Our engine, driven by python-chess."""
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=30) as running:
        running.configure({"Hash": 1})
        yield running


def test_python_chess_knows_the_options(engine: chess.engine.SimpleEngine) -> None:
    assert engine.id["name"].startswith("Spielbaum ")
    assert engine.options["Hash"].default == 64
    assert engine.options["Agent"].type == "string"


@pytest.mark.parametrize(
    "limit",
    [
        chess.engine.Limit(time=0.05),
        chess.engine.Limit(depth=3),
        chess.engine.Limit(nodes=1000),
        chess.engine.Limit(mate=2, time=0.2),
        chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.01, black_inc=0.01),
        chess.engine.Limit(white_clock=1, black_clock=1, remaining_moves=5),
    ],
)
def test_python_chess_plays(engine: chess.engine.SimpleEngine, limit: chess.engine.Limit) -> None:
    board = chess.Board()
    for _ in range(2):
        result = engine.play(board, limit)
        assert result.move is not None
        board.push(result.move)


def test_python_chess_plays_whole_games(engine: chess.engine.SimpleEngine) -> None:
    for board in (chess.Board(), chess.Board.from_chess960_pos(313)):
        while not board.is_game_over() and board.ply() < 60:
            # python-chess itself raises an error at an illegal move.
            result = engine.play(board, chess.engine.Limit(depth=1), game=board.chess960)
            assert result.move is not None
            board.push(result.move)


def test_python_chess_sees_castling_of_chess960(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", chess960=True)
    castling = list(board.generate_castling_moves())
    assert castling
    for move in castling:
        result = engine.play(board, chess.engine.Limit(depth=2), root_moves=[move])
        assert result.move == move


def test_python_chess_analyses(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board("7k/8/8/8/8/8/1R6/R6K w - - 0 1")
    info = engine.analyse(board, chess.engine.Limit(depth=6))
    assert info["score"].relative == chess.engine.Mate(2)
    assert info["pv"][0] in board.legal_moves
    assert info["nodes"] > 0
    losing = engine.analyse(
        chess.Board("7k/R7/1R6/8/8/8/8/7K b - - 0 1"), chess.engine.Limit(depth=6)
    )
    assert losing["score"].relative == chess.engine.Mate(-1)


@measures_time
def test_python_chess_ends_an_infinite_analysis(engine: chess.engine.SimpleEngine) -> None:
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 4:
                break
        engine.ping()
        began = time.perf_counter()
        analysis.stop()
        assert analysis.wait().move is not None
        assert time.perf_counter() - began < 0.5


def test_python_chess_ponders(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    limit = chess.engine.Limit(white_clock=2, black_clock=2)
    first = engine.play(board, limit, ponder=True)
    assert first.move is not None
    board.push(first.move)
    for hit in (True, False):
        assert first.ponder is not None
        replies = [move for move in board.legal_moves if (move == first.ponder) == hit]
        board.push(replies[0])
        first = engine.play(board, limit, ponder=True)
        assert first.move is not None
        board.push(first.move)
    engine.play(board, chess.engine.Limit(depth=1))


# Outside engines as agents

ENGINE = """\
#!{python} -IS
import os, sys, time
pid = os.getpid()
open({log!r}, "a").write("pid %d\\n" % pid)
def say(text):
    print(text, flush=True)
def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    line = line.strip()
    open({log!r}, "a").write(line + "\\n")
    return line
def on_uci():
    say("id name Fake 1.0")
    say("option name Skill Level type spin default 20 min 0 max 20")
    say("uciok")
def on_ready():
    say("readyok")
def on_go(line):
    say("bestmove e2e4")
{code}
while True:
    line = read()
    if line == "uci":
        on_uci()
    elif line == "isready":
        on_ready()
    elif line.startswith("go"):
        on_go(line)
    elif line == "quit":
        break
"""


class Script:
    """A fake engine and the log of what it was sent."""

    def __init__(self, folder: Path, code: str) -> None:
        self._log = folder / "log"
        self.path = str(folder / "engine")
        text = ENGINE.format(python=sys.executable, log=str(self._log), code=textwrap.dedent(code))
        Path(self.path).write_text(text)
        Path(self.path).chmod(0o755)

    def agent(self, **options: Any) -> sb.Agent:
        """The engine as an agent."""
        return sb.agent("uci", path=self.path, **options)

    @property
    def log(self) -> list[str]:
        """The lines that were sent."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [line for line in lines if not line.startswith("pid ")]

    @property
    def pids(self) -> list[int]:
        """The processes that were started."""
        return [
            int(line.split()[1])
            for line in self._log.read_text().splitlines()
            if line.startswith("pid ")
        ]


Maker: TypeAlias = Callable[[str], Script]


@pytest.fixture
def fake(tmp_path: Path) -> Maker:
    """Makes a fake engine from what differs from a good one."""
    return lambda code: Script(tmp_path, code)


def is_gone(pid: int, seconds: float = 5, zombies: bool = False) -> bool:
    """Whether a process ends within a time; a zombie has not, unless it is no child of ours."""
    latest = time.monotonic() + seconds
    while time.monotonic() < latest:
        try:
            status = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if zombies and status == "Z":
            return True
        time.sleep(0.02)
    return False


def test_a_good_engine_is_asked_properly(fake: Maker) -> None:
    code = """
    def on_go(line):
        say("info depth 1 score cp 20 nodes 30 pv e2e4 e7e5")
        say("info currmove d2d4 currmovenumber 2")
        say("info depth 2 score cp 25 lowerbound nodes 50 pv d2d4")
        say("info depth 3 score cp 400 nodes 900 time 5 pv e2e4 e7e5 e1e8")
        say("bestmove e2e4 ponder e7e5")
    """
    script = fake(code)
    agent = script.agent(skill=3)
    told: list[sb.Decision] = []
    decision = agent.choose(START, sb.Budget(seconds=0.5, depth=3, report=told.append))
    assert START.text(decision.move) == "e2e4"
    assert decision.value == 0.5
    assert len(decision.pv) == 2
    assert {**decision.stats, "seconds": 0} == {
        "seconds": 0,
        "engine": "Fake 1.0",
        "depth": 3,
        "nodes": 900,
        "score": 400,
    }
    assert [each.stats["depth"] for each in told] == [1, 3]
    assert script.log == [
        "uci",
        "setoption name Skill Level value 3",
        "ucinewgame",
        "isready",
        "position startpos",
        "isready",
        "go depth 3 movetime 500",
    ]


def test_an_agent_that_is_reset_while_it_thinks(fake: Maker) -> None:
    script = fake("def on_go(line):\n    read()")
    agent = script.agent()

    def reset() -> None:
        while not any(line.startswith("go ") for line in script.log):
            time.sleep(0.01)
        agent.reset()

    other = threading.Thread(target=reset, daemon=True)
    other.start()
    # The engine may be quick to obey, or we to close what it writes to.
    with pytest.raises(sb.EngineError, match=r"(ended|was closed) while it was thinking"):
        agent.choose(START, sb.Budget(seconds=20))
    other.join(10)


def test_the_end_of_a_fork_is_not_the_end_of_the_engine(fake: Maker) -> None:
    script = fake('def on_go(line):\n    say("bestmove e2e4")')
    agent = script.agent()
    agent.choose(START, QUICK)
    child = os.fork()
    if child == 0:
        try:  # it has an engine of its own; the one of its parent it only forgets
            agent.choose(START, QUICK)
            agent.close()
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    agent.choose(START, QUICK)
    assert len(set(script.pids)) == 2


def test_the_path_is_sent_along(fake: Maker) -> None:
    script = fake('def on_go(line):\n    say("bestmove b8c6")')
    state = START.play("g1f3").play("g8f6").play("f3g1").play("f6g8").play("e2e4")
    script.agent().choose(state, QUICK)
    assert "position startpos moves g1f3 g8f6 f3g1 f6g8 e2e4" in script.log


def test_a_weak_engine_may_not_play_its_best_move(fake: Maker) -> None:
    code = """
    def on_go(line):
        say("info depth 1 score mate -3 nodes 30 pv e2e4 e7e5")
        say("bestmove d2d4 ponder d7d5")
    """
    decision = fake(code).agent().choose(START, QUICK)
    assert [START.text(decision.move), len(decision.pv)] == ["d2d4", 2]
    assert (decision.value, decision.stats["plies_to_end"]) == (-1.0, 6)


@pytest.mark.parametrize("through_token", [True, False])
def test_a_search_can_be_stopped(fake: Maker, through_token: bool) -> None:
    code = """
    def on_go(line):
        assert line == "go infinite"
        say("info depth 1 score cp 0 pv d2d4")
        while read() != "stop":
            pass
        say("bestmove d2d4")
    """
    agent, token = fake(code).agent(), sb.StopToken()
    end = token.stop if through_token else agent.stop

    def stop_soon(decision: sb.Decision) -> None:
        threading.Timer(0.05, end).start()

    decision = agent.choose(START, sb.Budget(stop=token, report=stop_soon))
    assert START.text(decision.move) == "d2d4"


def test_a_silent_engine_is_asked_whether_it_is_there(
    fake: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uci_process, "SILENCE_SECONDS", 0.15)
    code = """
    def on_go(line):
        for _ in range(3):
            assert read() == "isready"
            say("readyok")
        say("bestmove d2d4")
    """
    assert fake(code).agent().choose(START, QUICK).move == START.parse("d2d4")


# What may go wrong: the code of the engine, and the message.
FAULTS = {
    "dies at once": ("sys.exit(3)", "ended before it said uciok; is it a UCI engine?"),
    "hangs at the handshake": (
        "def on_uci(): time.sleep(60)",
        "did not say uciok within 1 s; is it a UCI engine?",
    ),
    "is not ready": ("def on_ready(): pass", "did not say readyok within 1 s"),
    "dies when it should be ready": ("def on_ready(): sys.exit()", "ended before it said readyok"),
    "dies while thinking": (
        "def on_go(line):\n    say('info depth 1 score cp 1 pv e2e4')\n    os._exit(1)",
        "ended while it was thinking",
    ),
    "hangs while thinking": (
        "def on_go(line): time.sleep(60)",
        "did not answer within 0.3 s after its time was up",
    ),
    "thinks for ever": (
        "def on_go(line):\n    while True: say('info depth 1 nodes 1'); time.sleep(0.01)",
        "did not answer within 0.3 s after its time was up",
    ),
    "plays an illegal move": ("def on_go(line): say('bestmove e2e5')", "'bestmove e2e5'"),
    "plays no move": ("def on_go(line): say('bestmove (none)')", "'bestmove (none)'"),
    "plays a null move": ("def on_go(line): say('bestmove 0000')", "'bestmove 0000'"),
    "forgets its move": ("def on_go(line): say('bestmove')", "'bestmove '"),
    "talks garbage": (
        "def on_go(line):\n"
        "    sys.stdout.buffer.write(bytes(range(256)) * 99)\n"
        "    say('\\nbestmove \\x00\\xff zz')",
        "which is not a legal move",
    ),
    "writes a line without end": (
        "def on_go(line):\n    while True: sys.stdout.write('x' * 65536)",
        "a line of more than a megabyte",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_engine_is_one_clear_error_and_then_gone(
    fault: str, fake: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, message = FAULTS[fault]
    if "within 1 s" in message:
        monkeypatch.setattr(uci_process, "HANDSHAKE_SECONDS", 1.0)
    monkeypatch.setattr(uci_process, "ANSWER_SECONDS", 0.3)
    monkeypatch.setattr(uci_process, "GOODBYE_SECONDS", 0.1)
    script = fake(code)
    agent = script.agent(startup=1.0 if "within 1 s" in message else 10.0)
    with pytest.raises(sb.EngineError) as caught:
        agent.choose(START, sb.Budget(seconds=0.05))
    assert str(caught.value).startswith(f"engine {script.path} ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert all(is_gone(pid, 1) for pid in script.pids)


def test_an_engine_that_died_is_started_again(fake: Maker, tmp_path: Path) -> None:
    died = tmp_path / "died"
    code = f"""
    def on_go(line):
        if not os.path.exists({str(died)!r}):
            open({str(died)!r}, "w").close()
            sys.exit()
        say("bestmove e2e4")
    """
    script = fake(code)
    agent = script.agent()
    with pytest.raises(sb.EngineError):
        agent.choose(START, QUICK)
    for _ in range(2):
        assert agent.choose(START, QUICK).move == START.parse("e2e4")
    assert len(script.pids) == 2
    os.kill(script.pids[-1], 9)  # between two moves
    with pytest.raises(sb.EngineError, match="ended"):
        agent.choose(START, QUICK)
    assert agent.choose(START, QUICK).move == START.parse("e2e4")


def test_an_engine_is_ended_when_a_report_raises(fake: Maker) -> None:
    code = """
    def on_go(line):
        say("info depth 1 score cp 0 pv d2d4")
        time.sleep(60)
    """
    script = fake(code)

    def interrupt(decision: sb.Decision) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        script.agent().choose(START, sb.Budget(seconds=1, report=interrupt))
    assert is_gone(script.pids[0])


def test_an_engine_lives_as_long_as_it_is_needed(fake: Maker) -> None:
    script = fake("")
    agent = script.agent()
    assert isinstance(agent, UciAgent)
    agent.choose(START, QUICK)
    agent.choose(START, QUICK)
    assert len(script.pids) == 1
    agent.reset()
    assert is_gone(script.pids[0], 1)
    agent.choose(START, QUICK)
    agent.close()
    agent.close()
    assert is_gone(script.pids[1], 1)
    agent.choose(START, QUICK)
    del agent
    gc.collect()
    assert is_gone(script.pids[2], 1)


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)"])
def test_no_engine_survives_its_user(fake: Maker, end: str) -> None:
    script = fake("")
    program = (
        "import os, spielbaum as sb\n"
        f"agent = sb.agent('uci', path={script.path!r})\n"
        "agent.choose(sb.game('chess').initial(), sb.Budget(depth=1))\n"
        f"{end}\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30)
    assert done.stderr == b""
    assert is_gone(script.pids[0], zombies=True)


def test_the_agent_is_pickled_by_its_spec(fake: Maker) -> None:
    script = fake("")
    agent = script.agent(args="-x 'a b'", skill=2)
    copy = pickle.loads(pickle.dumps(agent))
    assert str(copy) == str(agent) == f"uci:path={script.path},args=-x 'a b',skill=2"
    assert copy.choose(START, QUICK).move == START.parse("e2e4")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": ""}, "agent uci needs path="),
        ({"path": "/nosuch/engine"}, "option path=/nosuch/engine: expected a program"),
        ({"path": "/etc/passwd"}, "option path=/etc/passwd: expected a program"),
        ({"path": "/bin/true", "args": "'"}, "option args="),
        ({"path": "/bin/true", "skill": -2}, "option skill=-2: expected"),
    ],
)
def test_bad_options_are_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(sb.SpecError, match=message):
        sb.agent("uci", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"skill": 21}, "option skill=21: expected a whole number from 0 to 20"),
        ({"elo": 1500}, "has no option 'UCI_Elo', which elo= sets"),
        ({"threads": 2}, "has no option 'Threads', which threads= sets"),
    ],
)
def test_options_that_the_engine_does_not_have(
    options: dict[str, Any], message: str, fake: Maker
) -> None:
    script = fake("")
    with pytest.raises(sb.SpecError, match=message):
        script.agent(**options).choose(START, QUICK)
    assert is_gone(script.pids[0])


def test_only_chess_is_played_and_chess960_if_the_engine_can(fake: Maker) -> None:
    agent = fake("").agent()
    with pytest.raises(sb.SpecError, match="agent uci plays chess, not connect4"):
        agent.choose(sb.game("connect4").initial(), QUICK)
    shuffled = sb.game("chess").state("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1")
    with pytest.raises(sb.SpecError, match="cannot play Chess960"):
        agent.choose(shuffled, QUICK)


def test_the_command_line_says_it_in_one_line(fake: Maker) -> None:
    script = fake("def on_go(line): sys.exit()")
    command = [sys.executable, "-m", "spielbaum", "play", "chess", "--as", "2"]
    done = subprocess.run(
        [*command, "--against", f"uci:path={script.path}"],
        input="",
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2
    assert done.stderr == f"spielbaum: engine {script.path} ended while it was thinking\n"


def test_our_own_engine_is_an_engine_like_others() -> None:
    agent = sb.agent("uci", path=sys.executable, args="-m spielbaum uci", memory=1)
    state = sb.game("chess").state("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    decision = agent.choose(state, sb.Budget(depth=3))
    assert (state.text(decision.move), decision.value) == ("a1a8", 1.0)
    assert str(decision.stats["engine"]).startswith("Spielbaum ")


# Stockfish


@needs_stockfish
def test_stockfish_finds_a_mate() -> None:
    assert STOCKFISH is not None
    agent = sb.agent("uci", path=STOCKFISH, memory=1, threads=1)
    state = sb.game("chess").state("7k/8/8/8/8/8/1R6/R6K w - - 0 1")
    decision = agent.choose(state, sb.Budget(depth=8))
    assert (decision.value, decision.stats["plies_to_end"]) == (1.0, 3)
    assert str(decision.stats["engine"]).startswith("Stockfish")


@needs_stockfish
def test_stockfish_plays_chess960_with_castling_on_the_path() -> None:
    assert STOCKFISH is not None
    agent = sb.agent("uci", path=STOCKFISH, elo=1500)
    shuffled = sb.game("chess").state("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1")
    classic = sb.game("chess").state("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1")
    for start, moves in ((shuffled, ("e1b1", "e8g8")), (classic, ("e1c1", "e8g8"))):
        state = start
        for move in moves:
            state = state.play(move)
            reply = agent.choose(state, sb.Budget(nodes=500))
            assert reply.move in state.legal_moves


@measures_time
@needs_stockfish
def test_stockfish_without_limits_is_stopped() -> None:
    assert STOCKFISH is not None
    agent, token = sb.agent("uci", path=STOCKFISH, skill=0), sb.StopToken()
    threading.Timer(0.2, token.stop).start()
    began = time.perf_counter()
    agent.choose(START, sb.Budget(stop=token))
    assert time.perf_counter() - began < 3
