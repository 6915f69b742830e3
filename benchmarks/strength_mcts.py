"""Strength of Monte-Carlo tree searches beside the plain one, with 95 % intervals.

Connect Four is played with equal iterations, so that its results are repeatable, and Yavalath in
equal time. Games begin with the empty board, colours alternate, and a draw is half a point. Other
matches can be played by ``spielbaum match``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

from parallel import progress_of

from spielbaum.arena.executor import Workers
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.standings import Standings
from spielbaum.base.statistics import Estimate, share_estimate
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings

# The agents that play Connect Four, and what the lower end of their interval must exceed.
CONNECT4 = {
    "amaf": None,
    "rave": 0.55,
    "lgr": 0.68,
    "lgr:forget=on": None,
    "amaf-lgr": None,
    "rave-lgr": 0.75,
    "mcts": None,
}
BETTER, WORSE = "lgr", "lgr:forget=on"  # to forget must be worse than to remember
ROW = "{:<9} {:<14} {:<10} {:>6} {:>26}  {}"


class Match(NamedTuple):
    """Who plays, how many games, and what the lower end of the interval must exceed."""

    game: str
    agent: str
    opponent: str
    limits: Limits
    games: int
    goal: float | None

    def plan(self) -> Plan:
        """The games; each has seeds of its own."""
        entrants = (Entrant(self.agent, self.limits), Entrant(self.opponent, self.limits))
        return Plan(self.game, entrants, self.games, Openings.parse("empty"))


def matches(iterations: int, seconds: float) -> Iterator[Match]:
    """All matches, in the order of the table."""
    counted, timed = Limits(iterations=iterations), Limits(seconds=seconds)
    for agent, goal in CONNECT4.items():
        yield Match("connect4", agent, "uct:c=0.8", counted, 2_000, goal)
    yield Match("yavalath", "mcts-gdk", "uct:c=0.7", timed, 200, 0.60)


def play_all(chosen: Iterable[Match]) -> Iterator[tuple[Match, Estimate]]:
    """The share of points in each match."""
    chosen = list(chosen)
    with progress_of("games") as progress:
        bar = progress.add_task("games", total=sum(match.games for match in chosen))
        for match in chosen:
            standings = Standings(match.plan())
            with closing(run_plan(standings.plan, Workers())) as records:
                for record in records:
                    standings.add(record)
                    progress.advance(bar)
            yield match, share_estimate(standings.total(match.agent))


def main() -> None:
    """Print the table; the exit code says whether every goal is reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, help="of every match; otherwise 2,000 and 200")
    parser.add_argument("--only", metavar="NAME", help="the match of one agent")
    parser.add_argument("--iterations", type=int, default=1_000, help="for a move of Connect Four")
    parser.add_argument("--seconds", type=float, default=0.1, help="for a move of Yavalath")
    given = parser.parse_args()
    chosen = [
        match._replace(games=given.games or match.games)
        for match in matches(given.iterations, given.seconds)
        if given.only in (None, match.agent)
    ]
    print(ROW.format("game", "agent", "against", "games", "score", ""))
    good, shares = True, dict[str, Estimate]()
    for match, share in play_all(chosen):
        verdict = ""
        if match.goal is not None:
            reached = share.low > match.goal
            verdict = f"(above {match.goal:.0%}: {'reached' if reached else 'MISSED'})"
            good &= reached
        row = (match.game, match.agent, match.opponent, match.games)
        print(ROW.format(*row, f"{share:.1%}", verdict), flush=True)
        shares[match.agent] = share
    if BETTER in shares and WORSE in shares:
        # Intervals that do not even touch are more than a significant difference.
        worse = shares[WORSE].high < shares[BETTER].low
        print(f"{WORSE} is {'' if worse else 'NOT '}worse than {BETTER} beyond doubt")
        good &= worse
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
