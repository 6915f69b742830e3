"""How often an agent keeps win, draw or loss in Pons' endgames of Connect Four, by the solver."""

from __future__ import annotations

import argparse
import sys

from parallel import progress_of
from solve_connect4 import SETS, read_set

from spielbaum.arena.accuracy import Exam, judge_all
from spielbaum.base.statistics import Score, share_estimate
from spielbaum.play.limits import Limits
from spielbaum.play.referee import Seat

GOAL = 0.99


def main() -> None:
    """Print the percentage; the exit code says whether the goal is reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent", default="mcts")
    parser.add_argument("--iterations", type=int, default=5_000)
    parser.add_argument("--set", default="Test_L3_R1", choices=SETS)
    parser.add_argument("--seed", type=int, default=0, help="of the first position")
    given = parser.parse_args()
    limits = Limits(iterations=given.iterations)
    exams = [
        Exam("connect4", state.notation, len(state.history), Seat(given.agent, limits, seed))
        for seed, (state, _) in enumerate(read_set(given.set), start=given.seed)
    ]
    kept = lost = 0
    with progress_of("positions") as progress:
        bar = progress.add_task("positions", total=len(exams))
        for answer in judge_all(exams):
            kept += answer.keeps
            lost += not answer.keeps
            progress.advance(bar)
    share = share_estimate(Score(kept, 0, lost))
    reached = share.value >= GOAL
    print(
        f"{given.set}, {given.agent}, {given.iterations:,} iterations: win, draw or loss kept in "
        f"{share:.1%} of {kept + lost:,} positions "
        f"(goal {GOAL:.0%}, {'reached' if reached else 'MISSED'})"
    )
    sys.exit(0 if reached else 1)


if __name__ == "__main__":
    main()
