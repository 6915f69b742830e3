"""The sessions that the documents show are what the commands say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from spielbaum.engines.process import EngineProcess

DOCS = Path(__file__).parents[2] / "docs"
SECONDS = 60


def sessions() -> Iterator[tuple[str, str]]:
    """Every session of the documents, with a name for it."""
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for number, block in enumerate(re.findall(r"```session\n(.*?)```", text, re.DOTALL), 1):
            yield f"{path.stem}-{number}", block


def pattern(line: str) -> re.Pattern[str]:
    """What a line of a session matches: three dots stand for anything."""
    return re.compile(".*".join(map(re.escape, line.strip().split("..."))))


@pytest.mark.parametrize(("name", "text"), list(sessions()), ids=lambda each: each[:12])
def test_sessions(name: str, text: str) -> None:
    first, *lines = text.splitlines()
    assert first.startswith("$ spielbaum ")
    engine = EngineProcess([sys.executable, "-m", *shlex.split(first[2:])])
    anything = False
    for line in lines:
        if line.startswith("> "):
            engine.send(line[2:])
            anything = False
        elif line == "...":  # as many lines as there are
            anything = True
        else:
            wanted, latest = pattern(line), time.monotonic() + SECONDS
            while True:
                said = engine.read(latest - time.monotonic(), f"before it said {line!r}")
                assert said is not None, f"no {line!r} in {name}"
                if wanted.fullmatch(said):
                    break
                assert anything, f"{said!r} instead of {line!r}"
            anything = False
    engine.close()


def test_every_protocol_has_a_page_with_a_session() -> None:
    shown = {name.partition("-")[0] for name, _ in sessions()}
    assert {"uci", "ugi", "gtp", "nboard"} <= shown


def test_a_session_that_says_something_else_is_noticed() -> None:
    assert not pattern("bestmove ...").fullmatch("info string")
    done = subprocess.run(
        [sys.executable, "-m", "spielbaum", "ugi", "tictactoe"],
        input="query p1turn\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert pattern("response true").fullmatch(done.stdout.strip())
