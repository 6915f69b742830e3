"""The command analyse: reports, tables, limits, and Ctrl-C."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest

import spielbaum as sb
from commands import Cli, assert_one_clear_line
from spielbaum.agents.decision_table import ranked
from spielbaum.cli.commands.analyse import value_text
from timing import measures_time

REPORTING_AGENT = """
import time
import spielbaum as sb

class Reporting(sb.Agent):
    def __init__(self, rounds, pause):
        self.rounds, self.pause = rounds, pause

    def choose(self, state, budget=None):
        budgets.append(budget)
        for depth in range(1, self.rounds + 1):
            moves = tuple(
                sb.MoveEval(move, -0.01 * order, visits=10 * depth, prior=0.25, pv=(move,))
                for order, move in enumerate(state.legal_moves)
            )
            stats = {"depth": depth, "nodes": 1000 * depth, "seconds": 0.5 * depth}
            decision = sb.Decision(moves[0].move, 0.0, moves, (moves[0].move,), stats)
            if depth < self.rounds:
                budget.report(decision)
            time.sleep(self.pause)
        return decision

budgets = []
rounds, pause = sb.Option("rounds", 3, low=1), sb.Option("pause", 0.0, low=0)
sb.register_agent("reporting", Reporting, options=(rounds, pause), replace=True)
"""


@pytest.fixture
def budgets() -> list[sb.Budget]:
    """Registers the agent reporting; gives the budgets that it gets."""
    names: dict[str, list[sb.Budget]] = {}
    exec(REPORTING_AGENT, names)
    return names["budgets"]


@pytest.mark.usefixtures("budgets")
def test_a_line_for_every_report_and_the_final_table(cli: Cli) -> None:
    ran = cli("analyse", "connect4", "4453", "--agent", "reporting", "--lines", "3")
    assert (ran.code, ran.err) == (0, "")
    board = str(sb.game("connect4").state("4453"))
    assert ran.out == (
        f"{board}\n\n"
        "depth  1  0.50 s  1,000 nodes, 2 k/s  +0.000  a1\n"
        "depth  2  1.00 s  2,000 nodes, 2 k/s  +0.000  a1\n"
        "depth  3  1.50 s  3,000 nodes, 2 k/s  best a1 +0.000\n"
        "move  value   visits  prior  line\n"
        "a1    +0.000      30  25.0%  a1  \n"
        "b1    -0.010      30  25.0%  b1  \n"
        "c2    -0.020      30  25.0%  c2  \n"
        "4 more moves, with values from -0.060 to -0.030\n"
    )


def test_limits(cli: Cli, budgets: list[sb.Budget]) -> None:
    for arguments in (
        [],
        ["--seconds", "0.5"],
        ["--depth", "7"],
        ["--nodes", "9", "--iterations", "8", "--seconds", "2"],
    ):
        assert cli("analyse", "tictactoe", "--agent", "reporting", *arguments).code == 0
    limits = [(each.iterations, each.seconds, each.depth, each.nodes) for each in budgets]
    assert limits == [
        (None, 5.0, None, None),
        (None, 0.5, None, None),
        (None, None, 7, None),
        (8, 2.0, None, 9),
    ]


def test_a_limit_that_means_nothing_to_the_agent(cli: Cli) -> None:
    ran = cli("analyse", "tictactoe", "--iterations", "100")
    assert (ran.code, ran.err) == (0, "")
    assert re.findall(r"^depth +(\d+) .* [+-]\d.*[a-c]\d$", ran.out, re.MULTILINE)[0] == "1"


@pytest.mark.parametrize(
    ("game", "position"),
    [
        ("tictactoe", "b2"),
        ("connect4:columns=9", "4453"),
        ("yavalath", "e5 d4"),
        ("reversi", None),
        ("chess", "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"),
    ],
)
def test_every_game(cli: Cli, game: str, position: str | None) -> None:
    state = sb.game(game).initial() if position is None else sb.game(game).state(position)
    words = state.notation.split()  # several words, and dashes first in Reversi
    ran = cli("analyse", game, *words, "--depth", "2", "--lines", "500")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"{state}\n\n")
    table = ran.out.partition("\nmove ")[2].splitlines()[1:]
    assert [line.split()[0] for line in table if line] != []
    assert sorted(line.split()[0] for line in table) == sorted(
        state.text(move) for move in state.legal_moves
    )
    decision = sb.agent("alphabeta:analyse=on").choose(state, sb.Budget(depth=2))
    best = state.text(decision.move)
    assert table[0].startswith(f"{best} ")
    assert re.search(rf"depth +2 .* nodes, .*  best {best} [+-]\d\.\d{{3}}\n", ran.out)


def test_proven_results_and_their_distance(cli: Cli) -> None:
    # Without a table, in which lines break off, every line is complete.
    agent = "alphabeta:analyse=on,tt=off"
    ran = cli("analyse", "connect4", "121212", "--depth", "4", "--agent", agent)
    table = ran.out.partition("\nmove ")[2].splitlines()[1:]
    assert ran.out.count("best a4 win in 1 ply\n") == 1
    assert table[0].split() == ["a4", "win", "in", "1", "ply", "a4"]
    assert re.match(r"\w\d +loss in 2 plies  \w\d b4 *$", table[-1])


class Dice(sb.PythonGame):
    """Name a number; five wins, one loses, and others end in a draw."""

    name = "dice_for_analyse"
    num_actions = 6

    def initial(self) -> int | None:
        return None

    def to_move(self, state: int | None) -> int:
        return 0 if state is None else 1

    def legal_moves(self, state: int | None) -> range:
        return range(6 if state is None else 0)

    def play(self, state: int | None, action: int) -> int:
        return action

    def outcome(self, state: int | None) -> sb.Outcome | None:
        if state is None:
            return None
        return sb.Outcome.win(0 if state == 5 else 1) if state in (1, 5) else sb.Outcome.draw()

    def key(self, state: int | None) -> int:
        return 6 if state is None else state

    def text(self, state: int | None, action: int) -> str:
        return f"[{action}]"  # not to be taken for the markup of colours


def test_a_game_in_python(cli: Cli) -> None:
    sb.register_game(Dice, replace=True)
    ran = cli("analyse", "dice_for_analyse", "--depth", "3")
    assert (ran.code, ran.err) == (0, "")
    table = ran.out.partition("\nmove ")[2].splitlines()[1:]
    assert table[0].split() == ["[5]", "win", "in", "1", "ply", "[5]"]
    assert table[-1].split() == ["[1]", "loss", "in", "1", "ply", "[1]"]


def test_an_agent_that_only_chooses(cli: Cli) -> None:
    class First(sb.Agent):
        def choose(self, state: sb.State, budget: sb.Budget | None = None) -> sb.Decision:
            return sb.Decision(state.legal_moves[0], 0.5)

    sb.register_agent("first_for_analyse", First, replace=True)
    ran = cli("analyse", "tictactoe", "--agent", "first_for_analyse")
    assert ran.code == 0
    assert re.search(r"\n\d\.\d\d s  best a1 \+0.500\nmove +value +line\na1 +\+0.500 *\n$", ran.out)
    out = cli("analyse", "tictactoe", "--agent", "random").out
    assert out.count("11.1%") == 9


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["connect4", "1212121"], ["the game is over: four in a row"]),
        (["connect4", "9"], ["9"]),
        (["nosuch"], ["nosuch"]),
        (["connect4", "--nonsense"], ["--nonsense"]),
        (["connect4", "--agent", "nosuch"], ["nosuch", "alphabeta"]),
        (["connect4", "--agent", "human"], ["agent=human", "thinks by itself"]),
        (["connect4", "--agent", "alphabeta:iterative=off"], ["needs Budget(depth=...)"]),
        (["yavalath:players=3", "--agent", "perfect"], ["two players", "has 3"]),
        (["connect4", "--seconds", "0"], ["seconds=0", "1e-06"]),
        (["connect4", "--seconds", "soon"], ["seconds=soon"]),
        (["connect4", "--depth", "-1"], ["depth=-1"]),
        (["connect4", "--nodes", "0"], ["nodes=0"]),
        (["connect4", "--iterations", "many"], ["iterations=many"]),
        (["connect4", "--lines", "0"], ["lines=0"]),
    ],
)
def test_mistakes(cli: Cli, arguments: list[str], words: list[str]) -> None:
    assert_one_clear_line(cli("analyse", *arguments), *words)


def test_the_order_of_moves() -> None:
    values = {0: -0.5, 1: 0.5, 2: 0.25}
    moves = tuple(sb.MoveEval(move, value) for move, value in values.items())
    assert [each.move for each in ranked(sb.Decision(2, 0.25, moves))] == [2, 1, 0]
    counts = {0: (10, 0.9), 1: (500, 0.2), 2: (60, 0.3)}
    moves = tuple(sb.MoveEval(move, value, visits) for move, (visits, value) in counts.items())
    assert [each.move for each in ranked(sb.Decision(1, 0.2, moves))] == [1, 2, 0]
    late_loss, early_loss = (
        sb.MoveEval(len(pv), -1.0, proven=-1.0, pv=pv) for pv in ((1,) * 6, (1, 2))
    )
    unclear, draw = sb.MoveEval(1, -0.9), sb.MoveEval(3, 0.0, proven=0.0)
    decision = sb.Decision(3, 0.0, (early_loss, unclear, late_loss, draw))
    assert ranked(decision) == [draw, unclear, late_loss, early_loss]


def test_a_proven_result_without_a_distance() -> None:
    state = sb.game("connect4").state("4453")
    decision = sb.Decision(3)
    assert value_text(state, sb.MoveEval(0, -1.0, proven=-1.0, pv=(0, 3)), decision) == "loss"
    assert value_text(state, sb.MoveEval(0, 0.0, proven=0.0, pv=(0, 3)), decision) == "draw"


def slow_analysis(rounds: int, pause: float) -> list[str]:
    """A command that analyses with the agent reporting."""
    agent = f"reporting:rounds={rounds},pause={pause}"
    arguments = ["analyse", "connect4", "44", "--agent", agent]
    script = f"{REPORTING_AGENT}\nfrom spielbaum.cli.main import main\nmain({arguments!r})"
    return [sys.executable, "-c", script]


def test_moves_that_a_search_did_not_try_have_no_value(cli: Cli) -> None:
    out = cli("analyse", "connect4", "--agent", "uct", "--iterations", "3", "--lines", "5").out
    rows = [line.split() for line in out.splitlines() if re.match(r"[a-g]1 ", line)]
    assert [len(row) for row in rows] == [4, 4, 4, 3, 3]  # move, value, visits and line
    assert [row[-2] for row in rows[3:]] == ["0", "0"]
    assert "2 more moves, not tried" in out
    start = sb.game("connect4").initial()
    table = sb.agent("uct").choose(start, sb.Budget(iterations=3)).table(start)
    assert [row[1] == "" for row in table.rows()[1:]] == [False] * 3 + [True] * 4
    assert table._repr_html_().count("background:") == 3


@measures_time
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_shows_what_is_known() -> None:
    with subprocess.Popen(
        slow_analysis(rounds=100, pause=1),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if line.startswith("depth"):
                break
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert (running.returncode, err) == (130, "spielbaum: interrupted\n")
    assert out.startswith("depth  1  0.50 s  1,000 nodes, 2 k/s  best a1 +0.000\nmove ")


def seen_in_terminal(command: list[str], typed_after: str = "", typed: bytes = b"") -> str:
    """Everything that a command writes to a terminal, to which a person may type something."""
    import pty  # not on every system

    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
    running = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        start_new_session=True,
        preexec_fn=take_terminal,
    )
    os.close(slave)
    seen = b""
    ends_at = time.monotonic() + 30
    while time.monotonic() < ends_at and select.select([master], [], [], 30)[0]:
        try:
            read = os.read(master, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        seen += read
        if typed and typed_after in seen.decode(errors="replace"):
            os.write(master, typed)
            typed = b""
    os.close(master)
    running.wait(timeout=20)
    return seen.decode()


def take_terminal() -> None:
    """Make the standard input the terminal from which Ctrl-C comes."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@measures_time
@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_the_live_table_is_refreshed_and_then_replaced() -> None:
    seen = seen_in_terminal(slow_analysis(rounds=3, pause=0.4))
    assert "thinks: 0." in seen
    assert "\x1b[1A" in seen  # the cursor goes up
    positions = [seen.find(f"depth  {depth}  ") for depth in (1, 2, 3)]
    assert -1 not in positions
    assert positions == sorted(positions)
    assert seen.count("o to move") + seen.count("x to move") == 1  # the board is printed once
    assert "thinks" not in seen[positions[2] :]


@measures_time
@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_solving_shows_that_it_works() -> None:
    command = [sys.executable, "-m", "spielbaum", "solve", "connect4", "--no-lookup"]
    seen = seen_in_terminal(command, typed_after="Ctrl-C ends it", typed=b"\x03")
    assert re.search(r"solving connect4: [\d,]+ nodes, .*, 0 of at most 600 s; Ctrl-C", seen)
    assert seen.rstrip().endswith("spielbaum: interrupted")
    assert "Traceback" not in seen


@measures_time
@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_ctrl_c_in_the_terminal_leaves_the_table() -> None:
    command = slow_analysis(rounds=100, pause=0.2)
    seen = seen_in_terminal(command, typed_after="depth  2", typed=b"\x03")
    end = seen.rpartition("thinks")[2]
    assert re.search(r"depth  \d  ", end)
    assert "best a1 +0.000" in end
    assert end.rstrip().endswith("spielbaum: interrupted")
    assert "Traceback" not in seen
