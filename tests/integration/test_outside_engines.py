"""Outside engines by GTP, NBoard and UGI: good ones, and some that die, hang or talk nonsense."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest

import spielbaum as sb
from spielbaum.engines import process

RHINO = shutil.which("gtp-rhino", path=f"{os.environ['PATH']}:/usr/games")
FAIRY = shutil.which("fairy-stockfish", path=f"{os.environ['PATH']}:/usr/games")
VARIANTS = Path(__file__).parents[2] / "benchmarks" / "variants.ini"
START = sb.game("reversi").initial()

# What a fake engine of each protocol says to a line; `move` is its answer when it has to move.
TONGUES = {
    "gtp": """
        if line == "list_commands": say("= name\\nlist_commands\\nclear_board\\nplay\\ngenmove\\n")
        elif line.startswith("genmove"): think("= " + move + "\\n")
        else: say("= \\n")
    """,
    "nboard": """
        if line.startswith("ping"): say("pong " + line.split()[1])
        elif line == "go": think("=== " + move + "/1.5/0.1")
    """,
    "ugi": """
        if line == "ugi": say("ugiok")
        elif line == "isready": say("readyok")
        elif line.startswith("go"): think("bestmove " + move)
    """,
}
FAULTS = {
    "dies": ("sys.exit()", "d3", "ended while it was thinking"),
    "hangs": ("time.sleep(60)", "d3", "did not answer within"),
    "plays an illegal move": ("say(answer)", "a1", "which is not a legal move"),
    "answers nonsense": ("say('x' * 999); say('\\x00'); say(answer)", "%&/", "not a legal move"),
    "writes without end": ("while True: say('x' * 65536, '')", "d3", "more than a megabyte"),
}


def engine(folder: Path, protocol: str, think: str = "say(answer)", move: str = "d3") -> str:
    """Write a fake engine, and return its path."""
    path = folder / protocol
    path.write_text(
        f"#!{sys.executable} -IS\n"
        "import sys, time\n"
        f"move = {move!r}\n"
        "def say(text, end='\\n'):\n    print(text, end=end, flush=True)\n"
        f"def think(answer):\n    {think}\n"
        "for line in sys.stdin:\n"
        "    line = line.strip()\n"
        "    if line == 'quit': break\n"
        + textwrap.indent(textwrap.dedent(TONGUES[protocol]), "    ")
    )
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("protocol", TONGUES)
def test_a_good_engine_plays(protocol: str, tmp_path: Path) -> None:
    agent = sb.agent(protocol, path=engine(tmp_path, protocol))
    decision = agent.choose(START)
    assert START.text(decision.move) == "d3"
    assert decision.value == pytest.approx(1.5 / 64 if protocol == "nboard" else 0)
    agent.reset()


@pytest.mark.parametrize("protocol", TONGUES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_engine_is_one_clear_error(
    protocol: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "ANSWER_SECONDS", 0.3)
    monkeypatch.setattr(process, "GOODBYE_SECONDS", 0.1)
    think, move, message = FAULTS[fault]
    options = {"startup": 60.0} | ({} if protocol == "ugi" else {"patience": 0.3})
    agent = sb.agent(protocol, path=engine(tmp_path, protocol, think, move), **options)
    with pytest.raises(sb.EngineError) as caught:
        agent.choose(START, sb.Budget(seconds=0.05))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("step", "hangs"), [(500.0, False), (0.9, True)])
def test_a_pause_of_ours_is_not_a_hang_of_theirs(
    step: float, hangs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is stopped once for minutes, or looks at the engine again and again."""
    heard: list[str] = []
    lines = iter([None, None, None, "done"])
    moments = (
        itertools.count(0.0, step) if hangs else itertools.chain([0.0] * 3, itertools.repeat(step))
    )
    blamed = (
        pytest.raises(sb.EngineError, match="within 1 s") if hangs else contextlib.nullcontext()
    )
    with contextlib.closing(process.EngineProcess(["cat"])) as engine:
        monkeypatch.setattr(engine, "read", lambda seconds, when: next(lines))
        monkeypatch.setattr(process, "time", SimpleNamespace(monotonic=lambda: next(moments)))
        with blamed:
            engine.watch(lambda line: not heard.append(line), 0.5, lambda: False, patience=1.0)
        assert heard == ([] if hangs else ["done"])


@pytest.mark.parametrize("protocol", TONGUES)
def test_a_program_that_speaks_another_language(protocol: str) -> None:
    agent = sb.agent(protocol, path="true")
    with pytest.raises(sb.EngineError, match=r"; is it an? "):
        agent.choose(START)


def test_a_gtp_engine_hears_every_move_once_and_again_after_others(tmp_path: Path) -> None:
    log = tmp_path / "log"
    path = Path(engine(tmp_path, "gtp"))
    path.write_text(
        path.read_text().replace(
            "line = line.strip()\n",
            f"line = line.strip(); open({str(log)!r}, 'a').write(line + ';')\n",
        )
    )
    agent = sb.agent("gtp", path=str(path), commands="level 5")
    agent.choose(START)
    state = START.play("d3").play("c3")
    with pytest.raises(sb.EngineError):  # d3 is occupied now
        agent.choose(state)
    assert log.read_text() == (
        "list_commands;name;level 5;clear_board;genmove black;play white C3;genmove black;quit;"
    )
    log.unlink()
    agent.choose(START)
    assert "clear_board;genmove black;" in log.read_text()
    agent.reset()


@pytest.mark.parametrize(
    ("spec", "rules", "message"),
    [
        ("gtp:path=true", "yavalath:players=3", "two players"),
        ("ugi:path=true", "yavalath:players=3", "two players"),
        ("nboard:path=true", "reversi:size=6", "8 x 8"),
        ("uci:path=true,variant=flipello", "chess", "variant flipello is reversi, not chess"),
        ("uci:path=true,variant=flipello", "reversi:size=6", "not reversi:size=6"),
    ],
)
def test_games_that_an_engine_does_not_play(spec: str, rules: str, message: str) -> None:
    with pytest.raises(sb.SpecError, match=message):
        sb.agent(spec).choose(sb.game(rules).initial())


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("uci:path=true,options=Contempt", "expected NAME:VALUE"),
        ("uci:path=true,variant=chess9", "no game here for the variant"),
        ("gtp", "needs path="),
        ("nboard:path=/nowhere", "a program that can be run"),
        ("nboard:path=true,version=3", "version=3"),
    ],
)
def test_specs_that_make_no_engine(spec: str, message: str) -> None:
    with pytest.raises(sb.SpecError, match=message):
        sb.agent(spec)


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino is not installed (package grhino)")
def test_rhino_plays_a_game_of_reversi() -> None:
    agent, state = sb.agent(f"gtp:path={RHINO},args=-l 1 -b 0"), START
    while state.outcome is None:
        move = agent.choose(state).move if state.to_move == 0 else state.legal_moves[0]
        state = state.play(move)
    agent.reset()


@pytest.mark.skipif(FAIRY is None, reason="fairy-stockfish is not installed")
def test_fairy_stockfish_plays_tictactoe() -> None:
    agent = sb.agent(f"uci:path={FAIRY},variant=tictactoe,variants={VARIANTS}")
    state = sb.game("tictactoe").state("a1 b2 c3 a3")
    assert state.text(agent.choose(state, sb.Budget(depth=6)).move) == "c1"
    agent.reset()
