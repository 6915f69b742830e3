"""Forced wins in Yavalath that Monte-Carlo tree searches find, beside plain search in equal time.

A position counts as solved if the move that is chosen in the end wins in the fewest plies. Every
agent gets every position, so the differences are those of pairs: McNemar's exact test counts the
positions that one of two agents solves and the other does not.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from generate_forced_wins import FILE, PLIES, ForcedWin, read_file
from parallel import on_all_cores, progress_of

import spielbaum as sb
from spielbaum.base.statistics import Score, share_estimate, sign_test

PLAIN = "uct:c=0.7"
BETTER = ("mcts-pn", "mcts-ab")  # each must solve more than plain search
AGENTS = ("mcts-gdk", *BETTER)
LEVEL = 0.05
ROW = "{:<24} {:>10} {:>10} {:>26} {:>12} {:>6} {:>6} {:>9}"


class Attempt(NamedTuple):
    """Whether an agent found a winning move, and after how many iterations it had to answer."""

    solved: bool
    iterations: int


def attempt(task: tuple[str, ForcedWin, float, int]) -> Attempt:
    """One agent at one position."""
    spec, case, seconds, seed = task
    agent, state = _agent(spec), sb.game("yavalath").state(case.position)
    agent.reset(seed=seed)
    decision = agent.choose(state, sb.Budget(seconds=seconds))
    return Attempt(state.text(decision.move) in case.moves, int(decision.stats["iterations"]))


@cache
def _agent(spec: str) -> sb.Agent:
    """An agent that keeps its memory: memory is given to a program when it is first used."""
    return sb.agent(spec)


def attempt_all(
    specs: Sequence[str], cases: Sequence[ForcedWin], seconds: float
) -> dict[str, list[Attempt]]:
    """Every agent at every position."""
    # Agents take turns, so that a machine that is busy for a while is so for all of them.
    tasks = [(spec, case, seconds, seed) for seed, case in enumerate(cases) for spec in specs]
    attempts: dict[str, list[Attempt]] = {spec: [] for spec in specs}
    with progress_of("searches") as progress:
        bar = progress.add_task("searches", total=len(tasks))
        for (spec, *_), result in zip(tasks, on_all_cores(attempt, tasks), strict=True):
            attempts[spec].append(result)
            progress.advance(bar)
    return attempts


def main() -> None:
    """Print the table; the exit code says whether those that should be better than plain are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each position")
    parser.add_argument("--file", type=Path, default=FILE, help="as generate_forced_wins.py writes")
    parser.add_argument("--plain", default=PLAIN, help="the agent that the others stand beside")
    parser.add_argument("--agent", action="append", help="instead of the usual ones; repeatable")
    given = parser.parse_args()
    cases = read_file(given.file)
    attempts = attempt_all([given.plain, *(given.agent or AGENTS)], cases, given.seconds)
    heads = [f"in {plies} plies" for plies in PLIES]
    print(f"{len(cases)} positions, {given.seconds * 1000:g} ms each")
    print(ROW.format("agent", *heads, "solved", "iterations", "only", "plain", "p"))
    good = True
    for spec, results in attempts.items():
        solved = Counter(
            case.plies for case, each in zip(cases, results, strict=True) if each.solved
        )
        pairs = list(zip(results, attempts[given.plain], strict=True))
        only = sum(one.solved and not plain.solved for one, plain in pairs)
        only_plain = sum(plain.solved and not one.solved for one, plain in pairs)
        p = sign_test(only, only_plain)
        iterations = statistics.mean(each.iterations for each in results)
        share = share_estimate(Score(solved.total(), 0, len(cases) - solved.total()))
        columns = (f"{share:.1%}", f"{iterations:,.0f}")
        against = ("", "", "") if spec == given.plain else (only, only_plain, f"{p:.2g}")
        print(ROW.format(spec, *(solved[plies] for plies in PLIES), *columns, *against))
        good &= spec not in BETTER or (only > only_plain and p < LEVEL)
    print("only, plain: positions that only the agent, or only the first one, solves")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
