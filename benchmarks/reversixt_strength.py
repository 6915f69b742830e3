"""Strength of searches in ReversiXT, over several maps, with 95 % intervals.

All agents sit at one table, so that a map for four needs four. Every opening is played in all
seats. Per map and in all: the reward of each agent by rank as points (last 0, first 100 %), and
with more than two players how often it was first alone. With ``--store`` a run goes on where it was
stopped.

    reversixt_strength.py alphabeta uct --limits seconds=0.1
    reversixt_strength.py alphabeta alphabeta:eval=stones --limits seconds=0.1/depth=1
    reversixt_strength.py alphabeta:multi={maxn,paranoid,brs} mcts --maps map31,map2
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import spielbaum as sb
from spielbaum.arena.plan import expand_grid
from spielbaum.base.statistics import Estimate, Score, normal_quantile, share_estimate
from spielbaum.play.limits import Limits
from spielbaum.play.referee import GameRecord, score_of

TWO_PLAYERS = "map47,map20,map34,map36,map26,map11,map5,map48"


def points(records: Sequence[GameRecord], name: str) -> Estimate:
    """The mean of an agent's points; games of one opening depend on each other."""
    groups = defaultdict(list)
    for record in records:
        seat = [each.name for each in record.task.seats].index(name)
        groups[record.task.game, record.task.group].append((record.rewards[seat] + 1) / 2)
    means = [statistics.fmean(group) for group in groups.values()]
    mean, spread = statistics.fmean(means), statistics.stdev(means) if len(means) > 1 else 1.0
    reach = normal_quantile(0.95) * spread / len(means) ** 0.5
    return Estimate(mean, max(mean - reach, 0.0), min(mean + reach, 1.0))


def firsts(records: Sequence[GameRecord], name: str) -> Estimate:
    """How often an agent was first alone."""
    won = sum(
        record.winner is not None and record.task.seats[record.winner].name == name
        for record in records
    )
    return share_estimate(Score(won, 0, len(records) - won))


def show(where: str, records: Sequence[GameRecord]) -> None:
    """Print a line for each agent."""
    for seat in sorted(records[0].task.seats, key=lambda each: each.name):
        line = f"{where:<8} {len(records):>4} games  {seat.name:<32}"
        if len(records[0].task.seats) == 2:
            scores = (score_of(record, seat.name) for record in records)
            line += f" points {share_estimate(sum(scores, Score(0, 0, 0))).percent:.1f}"
        else:
            line += f" points {points(records, seat.name).percent:.1f}"
            line += f"  first {firsts(records, seat.name).percent:.1f}"
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="+")
    parser.add_argument("--maps", default=TWO_PLAYERS)
    parser.add_argument("--games", type=int, default=200, help="on all maps together")
    parser.add_argument("--limits", default="seconds=0.1", help="of all agents, or of each, by /")
    parser.add_argument("--openings", default="random:4")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    agents = [spec for each in given.agents for spec in expand_grid(each)]
    limits = [Limits.parse(each) for each in given.limits.split("/")]
    maps = given.maps.split(",")
    players = sb.game(f"reversixt:map={maps[0]}").num_players
    rounds, more = divmod(given.games // players, len(maps))
    played: list[GameRecord] = []
    for number, name in enumerate(maps):
        result = sb.match(
            f"reversixt:map={name}",
            agents,
            (rounds + (number < more)) * players,
            [each.budget(None) for each in islice(cycle(limits), len(agents))],
            openings=given.openings,
            seed=number,
            jobs=given.jobs,
            store=given.store,
            name=f"{name}/{'/'.join(agents)}/{given.limits}",
        )
        show(name, result.records)
        played += result.records
    show("all", played)


if __name__ == "__main__":
    main()
