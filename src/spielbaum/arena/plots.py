"""Figures of a match, a tournament or a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spielbaum.arena.standings import NOTHING, Standings
from spielbaum.base.figures import Curve, bars, curves, heat_map, save_figure
from spielbaum.base.options import parse_spec
from spielbaum.base.statistics import Score, Scoring, share_estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CURVES = 8
POINTS = "points in percent"


def figures(standings: Standings, scoring: Scoring = "half") -> dict[str, Figure]:
    """The figures that suit what was played, by the names of their files.

    Ratings as bars; who beat whom, or which options did, as a heat map; shares over the games that
    were played, or over the values of an option, as curves.

    >>> from spielbaum.play.limits import Limits
    >>> from spielbaum.arena.plan import Entrant, Plan
    >>> from spielbaum.arena.runner import run_plan
    >>> from spielbaum.arena.executor import Workers
    >>> plan = Plan("tictactoe", (Entrant("perfect", Limits()), Entrant("random", Limits())), 4)
    >>> standings = Standings(plan)
    >>> standings.add_all(run_plan(plan, Workers(jobs=1)))
    >>> sorted(figures(standings))
    ['elo', 'heat-map', 'win-rate']
    """
    made = {"win-rate": _course(standings, scoring)}
    grid = _grid(standings)
    if len(grid) == 1:
        made["options"] = _option_curve(standings, scoring, *grid.popitem())
    elif len(grid) == 2:
        made["heat-map"] = _option_map(standings, scoring, grid)
    else:
        made["heat-map"] = _crosstable(standings, scoring)
    try:
        ratings = standings.ratings()
    except ValueError:  # not everybody has met somebody
        return made
    names = list(ratings.players)
    made["elo"] = bars("Ratings", names, [ratings[name] for name in names], "Elo")
    return made


def save_figures(
    standings: Standings, folder: Path, image: str = "png", scoring: Scoring = "half"
) -> list[Path]:
    """Write all figures; the paths, in the order of their names."""
    made = figures(standings, scoring)
    return [save_figure(made[name], folder / f"{name}.{image}") for name in sorted(made)]


def _crosstable(standings: Standings, scoring: Scoring) -> Figure:
    names = _by_points(standings, scoring)
    rows = [
        [_percent(standings, name, other, scoring) if other != name else None for other in names]
        for name in names
    ]
    return heat_map("Who beat whom", names, names, rows, labels=("", "against"), unit=POINTS)


def _course(standings: Standings, scoring: Scoring) -> Figure:
    """How the shares went while games were played."""
    names = _by_points(standings, scoring)
    if len(names) == 2:
        names = names[:1]  # the other one's curve is its reflection
    lines = []
    for name in names[:MOST_CURVES]:
        rounds = _rounds(standings, name)
        sums = [sum(rounds[: end + 1], NOTHING) for end in _ends(len(rounds))]
        values = tuple(share_estimate(score, scoring).percent for score in sums)
        lines.append(Curve(name, tuple(float(score.games) for score in sums), values))
    labels = ("games", POINTS)
    return curves("Points as games were played", lines, labels=labels, level=50, band=True)


def _ends(count: int, most: int = 200) -> list[int]:
    """Indices up to the last one, no more than can be told apart in a figure."""
    step = -(-count // most)
    return sorted({*range(step - 1, count, step), count - 1})


def _rounds(standings: Standings, name: str) -> list[Score]:
    """What an agent scored against all others, round by round."""
    groups = [standings.pairing(name, other).groups for other in standings.names if other != name]
    return [
        sum((each[number] for each in groups if number < len(each)), NOTHING)
        for number in range(max(map(len, groups)))
    ]


def _grid(standings: Standings) -> dict[str, list[str]]:
    """The options in which the challengers of a gauntlet differ, with their values in order."""
    if standings.plan.kind != "gauntlet" or len(standings.names) < 3:
        return {}
    specs = [parse_spec(each.agent) for each in standings.plan.entrants[1:]]
    if len({(name, tuple(sorted(options))) for name, options in specs}) != 1:
        return {}
    grid = {
        option: list(dict.fromkeys(options[option] for _, options in specs))
        for option in specs[0][1]
    }
    return {option: values for option, values in grid.items() if len(values) > 1}


def _option_curve(
    standings: Standings, scoring: Scoring, option: str, values: Sequence[str]
) -> Figure:
    rival, *names = standings.names
    shares = tuple(
        share_estimate(standings.pairing(name, rival).score, scoring).percent for name in names
    )
    line = Curve(f"against {rival}", tuple(map(float, range(len(values)))), shares)
    return curves("Points by option", [line], labels=(option, POINTS), ticks=values, level=50)


def _option_map(standings: Standings, scoring: Scoring, grid: dict[str, list[str]]) -> Figure:
    rival, *names = standings.names
    (row_option, rows), (column_option, columns) = grid.items()
    percents: dict[tuple[str, str], float | None] = {}
    for name, entrant in zip(names, standings.plan.entrants[1:], strict=True):
        options = parse_spec(entrant.agent)[1]
        place = options[row_option], options[column_option]
        percents[place] = _percent(standings, name, rival, scoring)
    table = [[percents.get((row, column)) for column in columns] for row in rows]
    labels = (row_option, column_option)
    return heat_map(f"Points against {rival}", rows, columns, table, labels=labels, unit=POINTS)


def _by_points(standings: Standings, scoring: Scoring) -> list[str]:
    played = [name for name in standings.names if standings.total(name).games]
    return sorted(played, key=lambda name: -standings.total(name).share(scoring))


def _percent(standings: Standings, name: str, other: str, scoring: Scoring) -> float | None:
    score = standings.pairing(name, other).score
    return 100 * score.share(scoring) if score.games else None
