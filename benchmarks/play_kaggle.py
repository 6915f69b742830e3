"""Games of ConnectX in Kaggle's own environment, against its agents, under its clock.

Of ours play `protocols.kaggle.agent` in this process, and exported files: a search in a Python that
has nothing but the standard library, a network and n-tuples in one that also has numpy. An illegal
move, a failure or a loss on time is an error.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spielbaum.protocols.kaggle import agent as kaggle
from spielbaum.protocols.kaggle.export import submission

Player = Callable[[Any, Any], Any]

# Kaggle runs the text of a submission in an empty namespace and calls the last callable in it.
BARE_PYTHON = """
import json, sys
names = {}
exec(compile(open(sys.argv[1]).read(), "submission", "exec"), names)
agent = [value for value in names.values() if callable(value)][-1]
for line in sys.stdin:
    action = agent(*json.loads(line))
    assert type(action) is int and "spielbaum" not in sys.modules
    assert "numpy" in sys.modules or "site" not in sys.modules
    print(action, flush=True)
"""


class ExportedAgent:
    """The exported file, at work in a process of its own."""

    def __init__(self, spec: str, folder: Path) -> None:
        path = folder / "submission.py"
        source = submission(spec)
        path.write_text(source, encoding="utf-8")
        bare = [] if "import numpy" in source else ["-S"]
        command = [sys.executable, "-I", *bare, "-c", BARE_PYTHON, str(path)]
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, observation: Any, configuration: Any) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([observation, configuration]), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def play(make: Callable[..., Any], ours: Player, opponent: str, first: bool, limit: float) -> str:
    """Play one game, and say how it ended for us: won, drawn, lost, or what went wrong."""
    environment = make("connectx", configuration={"actTimeout": limit})
    seat = 0 if first else 1
    seats = [ours, opponent] if first else [opponent, ours]
    last = environment.run(seats)[-1]
    statuses = [player["status"] for player in last]
    if statuses != ["DONE", "DONE"]:
        return f"ended as {statuses}"
    return {1: "won", 0: "drawn", -1: "lost"}[last[seat]["reward"]]


def match(make: Callable[..., Any], name: str, ours: Player, given: argparse.Namespace) -> bool:
    """Play a match with sides swapped; whether nine of ten games are won and none is spoilt."""
    results: Counter[str] = Counter()
    bank = least = 60.0

    def timed(observation: Any, configuration: Any) -> Any:
        nonlocal bank
        bank = observation.remainingOverageTime
        return ours(observation, configuration)

    for number in range(given.games):
        result = play(make, timed, given.opponent, number % 2 == 0, given.limit)
        results[result] += 1
        least = min(least, bank)
        print(f"{name}, game {number + 1} of {given.games}: {result}", flush=True)
    spoilt = sum(results.values()) - sum(results[each] for each in ("won", "drawn", "lost"))
    print(
        f"{name} against {given.opponent}, {given.limit:g} s a move: {results['won']} won, "
        f"{results['drawn']} drawn, {results['lost']} lost, {spoilt} spoilt; at least "
        f"{least:.1f} s of 60 left in the bank before the last move"
    )
    return spoilt == 0 and results["won"] >= 0.9 * given.games


def main() -> None:
    """Play both matches and print their results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="of each match")
    parser.add_argument(
        "--agent", default="mcts", help="spec of the agent in this process, or none"
    )
    parser.add_argument(
        "--export",
        nargs="*",
        default=["mcts", "net:connect4", "ntuple:connect4"],
        help="specs of files",
    )
    parser.add_argument("--opponent", default="negamax", help="one of Kaggle's agents")
    parser.add_argument("--limit", type=float, default=0.5, help="actTimeout; 2 on Kaggle")
    given = parser.parse_args()
    try:
        from kaggle_environments import make
    except ImportError as error:
        sys.exit(f"there are no games, for kaggle-environments cannot be used ({error})")
    good = True
    if given.agent != "none":
        good = match(make, f"agent {given.agent}", kaggle.agent(given.agent), given)
    for spec in given.export:
        with tempfile.TemporaryDirectory() as folder:
            exported = ExportedAgent(spec, Path(folder))
            good &= match(make, f"exported {spec}", exported, given)
            exported.close()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
