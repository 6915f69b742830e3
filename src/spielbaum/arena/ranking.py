"""The agents of a match or a tournament, the best first: what every table of results shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spielbaum.base.statistics import Estimate, Scoring, share_estimate
from spielbaum.base.text_table import markdown_table

if TYPE_CHECKING:
    from spielbaum.arena.standings import Standings


@dataclass(frozen=True)
class Rank:
    """One agent among all."""

    agent: str
    elo: Estimate | None
    """None as long as not everybody has met somebody."""
    games: int
    won: int
    drawn: int
    lost: int
    points: float
    """Share of all points, from 0 to 1."""
    low: float
    """Ends of its 95 % interval."""
    high: float
    against: tuple[float | None, ...]
    """Share of points against each agent, in the order of the ranks; None for itself."""


def ranking(standings: Standings, scoring: Scoring = "half") -> list[Rank]:
    """All agents that have played, by their ratings, or as they were named where there are none.

    >>> import spielbaum as sb
    >>> standings = sb.match("tictactoe", ["random", "perfect"], games=4, jobs=0)
    >>> [each.agent for each in ranking(standings)]
    ['perfect', 'random']
    """
    totals = {name: standings.total(name) for name in standings.names}
    names = [name for name in standings.names if totals[name].games]
    try:
        ratings = standings.ratings()
        names = list(ratings.players)
    except ValueError:  # not everybody has met somebody
        ratings = None
    ranks = []
    for name in names:
        score, share = totals[name], share_estimate(totals[name], scoring)
        scores = [standings.pairing(name, other).score for other in names]
        ranks.append(
            Rank(
                name,
                None if ratings is None else ratings[name],
                score.games,
                score.wins,
                score.draws,
                score.losses,
                share.value,
                share.low,
                share.high,
                tuple(each.share(scoring) if each.games else None for each in scores),
            )
        )
    return ranks


def rows_of(ranks: list[Rank]) -> list[tuple[str, ...]]:
    """The ranks as texts; the first row has the names of the columns.

    >>> rows_of([])
    [('', 'agent', 'Elo', 'games', 'points', '95 % interval')]
    """
    numbers = [str(number) for number in range(1, len(ranks) + 1)]
    head = ("", "agent", "Elo", "games", "points", "95 % interval")
    rows = [(*head, *numbers)]
    for number, each in zip(numbers, ranks, strict=True):
        cells = ["" if share is None else f"{share:.1%}" for share in each.against]
        elo = "" if each.elo is None else f"{each.elo:.0f}"
        interval = f"{each.low:.1%} to {each.high:.1%}"
        games, points = f"{each.games:,}", f"{each.points:.1%}"
        rows.append((number, each.agent, elo, games, points, interval, *cells))
    return rows


def to_markdown(standings: Standings, scoring: Scoring = "half") -> str:
    """The table of a run: who scored how much, and against whom."""
    ranks = [replace(each, agent=f"`{each.agent}`") for each in ranking(standings, scoring)]
    table = markdown_table(rows_of(ranks))
    return table if standings.repeats is None else f"{table}\n{standings.repeats.text}\n"
