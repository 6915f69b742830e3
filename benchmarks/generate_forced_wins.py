"""Yavalath positions in which the side to move can force a win in exactly 5 or 7 plies.

Both sides play by chance, but for moves that lose within two plies. Of every such game the first
position counts in which alpha-beta proves a win in 5 or 7 plies and none that is shorter, and in
which the opponent does not threaten to win, for then there would be little to choose. Nothing
depends on a clock: the seed decides which positions are found.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from parallel import on_all_cores, progress_of

import spielbaum as sb

FILE = Path(__file__).parents[1] / "tests" / "data" / "yavalath" / "forced_wins.txt"
PLIES = (5, 7)
FEWEST_STONES = 6  # with fewer, searches are long and find nothing
MOST_GAMES = 5_000
PROVER = "alphabeta:eval=none,memory=16"
HEADER = """\
# {count} positions of Yavalath in which the side to move can force a win in exactly 5 or 7 plies,
# as alpha-beta proves. The opponent does not threaten to win at once, and no two positions are
# equal up to symmetry.
# Fields: the moves from the start | plies to the win | all first moves with which it comes in so
# many plies; others may win later.
# Made by: python benchmarks/generate_forced_wins.py --seed {seed} --count {count}
"""


class ForcedWin(NamedTuple):
    """A position with the length of its shortest win, and all moves with which that begins."""

    position: str
    plies: int
    moves: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.position} | {self.plies} | {' '.join(self.moves)}"

    @property
    def key(self) -> int:
        """What symmetric positions have in common."""
        state = sb.game("yavalath").state(self.position)
        return min(image.state.key for image in state.symmetries())


def read_file(path: Path) -> list[ForcedWin]:
    """What was written."""
    lines = path.read_text(encoding="utf-8").splitlines()
    fields = (line.split("|") for line in lines if not line.startswith("#"))
    return [
        ForcedWin(position.strip(), int(plies), tuple(moves.split()))
        for position, plies, moves in fields
    ]


def play(seed: int, number: int) -> Iterator[sb.State]:
    """The positions of a game in which chance decides between moves that do not lose soon."""
    rng = random.Random(f"{seed} {number}")
    state = sb.game("yavalath").initial()
    watcher = sb.agent("alphabeta:eval=none,analyse=on,memory=1")
    while state.outcome is None:
        yield state
        moves = watcher.choose(state, sb.Budget(depth=2)).moves
        state = state.play(
            rng.choice([each.move for each in moves if each.value > -1] or state.legal_moves)
        )


def is_threatened(state: sb.State) -> bool:
    """Whether the opponent would win at once if he were to move."""
    # A move stands in the way of one threat at most, so what two moves leave is all there is.
    afters = (state.play(move) for move in state.legal_moves)
    going_on = [after for after in afters if after.outcome is None][:2]
    ends = (after.play(move).outcome for after in going_on for move in after.legal_moves)
    return any(end is not None and end.winner == 1 - state.to_move for end in ends)


def winning_moves(state: sb.State, plies: int) -> tuple[str, ...]:
    """The moves after which the opponent cannot put off his loss beyond so many plies."""
    agent, found = sb.agent(PROVER), []
    for move in state.legal_moves:
        after = state.play(move)
        if after.outcome is None:
            decision = agent.choose(after, sb.Budget(depth=plies - 1))
            # What the table knows may be a loss that is farther away than the search looked.
            if decision.value == -1 and decision.stats["plies_to_end"] == plies - 1:
                found.append(state.text(move))
    return tuple(found)


def find_in_game(task: tuple[int, int]) -> ForcedWin | None:
    """The first forced win of a game, if there is one."""
    for state in play(*task):
        if len(state.history) < FEWEST_STONES:
            continue
        decision = sb.agent(PROVER).choose(state, sb.Budget(depth=max(PLIES)))
        if decision.value < 1:
            continue
        plies = int(decision.stats["plies_to_end"])
        # A win that is as long as the search is deep was not there one ply before.
        if plies in PLIES and decision.stats["depth"] == plies and not is_threatened(state):
            return ForcedWin(state.notation, plies, winning_moves(state, plies))
    return None


def collect(seed: int, count: int) -> list[ForcedWin]:
    """As many positions of each length, in the order of their games."""
    chosen: dict[int, ForcedWin] = {}
    lengths = Counter[int]()
    games = closing(on_all_cores(find_in_game, [(seed, n) for n in range(MOST_GAMES)]))
    with progress_of("positions") as progress, games as results:
        bar = progress.add_task("positions", total=count)
        for found in results:
            if found and found.key not in chosen and lengths[found.plies] < count // len(PLIES):
                chosen[found.key] = found
                lengths[found.plies] += 1
                progress.advance(bar)
            if len(chosen) == count:
                break
    return list(chosen.values())


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200, help="half of them of each length")
    parser.add_argument("--file", type=Path, default=FILE)
    given = parser.parse_args()
    found = collect(given.seed, given.count)
    header = HEADER.format(count=given.count, seed=given.seed)
    lines = [f"{each}\n" for each in sorted(found, key=lambda each: each.plies)]
    given.file.write_text(header + "".join(lines), encoding="utf-8")
    if len(found) < given.count:
        sys.exit(f"{MOST_GAMES:,} games have only {len(found)} such positions")


if __name__ == "__main__":
    main()
