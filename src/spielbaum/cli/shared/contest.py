"""What ``match``, ``tournament`` and ``sweep`` have in common: options, progress and tables."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from spielbaum.agents.trial import check_players
from spielbaum.arena.executor import Executor, Workers
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.ranking import ranking
from spielbaum.arena.relative import relative_limits
from spielbaum.arena.runner import run_batches
from spielbaum.arena.sprt import Sprt
from spielbaum.arena.standings import Standings
from spielbaum.arena.store import Store
from spielbaum.base.errors import SpecError
from spielbaum.base.imports import shared_modules
from spielbaum.base.options import Option
from spielbaum.base.statistics import (
    Scoring,
    bootstrap_estimate,
    elo_estimate,
    likelihood_of_superiority,
    share_estimate,
)
from spielbaum.base.workers import Place, Processes
from spielbaum.base.workers.cluster import Cluster
from spielbaum.cli.shared.effort import Efforts
from spielbaum.cli.shared.output import (
    AsJson,
    SlowLog,
    console,
    live,
    print_json,
    progress_bar,
    rate,
)
from spielbaum.games import game as make_game
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings

GAMES = Option("games", 100, low=1, high=10_000_000)
SEED = Option("seed", 0, low=0, high=2**31 - 1)
JOBS = Option("jobs", 1, low=1, high=1024)
RELATIVE = Option("relative", 1, low=1)
SCORING = Option("scoring", "half", choices=("half", "nothing"))
WIDEST_CROSSTABLE = 12
DEFAULT_LIMITS = "seconds=0.1"

Jobs: TypeAlias = Annotated[
    str | None, typer.Option("--jobs", metavar="N", help="Processes; without it, all cores.")
]
Where: TypeAlias = Annotated[
    str,
    typer.Option(
        "--on", metavar="WHERE", help="local, ray, or ray:ADDRESS of a cluster that runs."
    ),
]
ScoringRule: TypeAlias = Annotated[
    str, typer.Option("--scoring", metavar="RULE", help="What a draw counts: half or nothing.")
]


@dataclass(frozen=True)
class Play(Efforts):
    """How games are played and kept, as it was typed."""

    seed: Annotated[
        str, typer.Option("--seed", metavar="N", help="Seed of the openings and of the agents.")
    ] = "0"
    jobs: Jobs = None
    store: Annotated[
        Path | None,
        typer.Option("--store", metavar="FILE", help="Keep games here, and resume from them."),
    ] = None
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Name of the run in the store.")
    ] = None
    where: Where = "local"
    scoring: ScoringRule = "half"
    as_json: AsJson = False

    def limits_of_all(self, default: str = DEFAULT_LIMITS) -> Limits:
        """Read the limits of every agent."""
        return super().limits_of_all(default)

    def run(self, plan: Plan, sprt: Sprt | None = None) -> None:
        """Play, show how it goes, and print the result."""
        rule: Scoring = "nothing" if SCORING.parse(self.scoring) == "nothing" else "half"
        executor = make_executor(self.where, self.jobs)
        opened = None if self.store is None else Store(self.store)
        shown, standings = console(), Standings(plan)
        progress = progress_bar("games")
        task = progress.add_task("games", total=plan.num_games)
        began, played = time.time(), 0
        log = SlowLog(shown)
        batches = run_batches(plan, executor, opened, self.name or "match")
        try:
            with live(shown, lambda: Group(result_table(standings, rule), progress)):
                for batch in batches:
                    standings.add_all(batch)
                    played += sum(record.started >= began for record in batch)
                    progress.update(task, completed=standings.games)
                    log.say(partial(_how_far, standings, played / (time.time() - began)))
                    if sprt is not None and _is_decided(sprt, standings):
                        break
        finally:
            batches.close()
            if opened is not None:
                opened.close()
            if self.as_json:
                print_json(standings_data(standings, rule, sprt))
            elif standings.games:
                shown.print(result_table(standings, rule))
                shown.print(_summary(standings, sprt, played, time.time() - began))


@dataclass(frozen=True)
class Contest(Play):
    """The options of a contest, as they were typed."""

    games: Annotated[str, typer.Option("--games", metavar="N", help="Games per pairing.")] = "100"
    relative: Annotated[
        str | None,
        typer.Option(
            "--relative",
            metavar="N",
            help="Give each the time in which --reference iterates N times.",
        ),
    ] = None
    reference: Annotated[
        str,
        typer.Option("--reference", metavar="AGENT", help="Whose iterations --relative counts."),
    ] = "uct"
    openings: Annotated[
        str,
        typer.Option(
            "--openings",
            metavar="RULE",
            help="Where games begin: empty, random:PLIES, balanced:PLIES, file:PATH or "
            "position:NOTATION.",
        ),
    ] = "random"
    adjudicate: Annotated[
        bool, typer.Option("--adjudicate", help="End games whose result a solver knows.")
    ] = False

    def plan(self, game: str, specs: Sequence[str], kind: str) -> Plan:
        """Plan what is to be played."""
        rules = make_game(game)
        games, seed = int(GAMES.parse(self.games)), int(SEED.parse(self.seed))
        rule = Openings.parse(self.openings)
        limits = self.limits_of_each(len(specs), DEFAULT_LIMITS)
        if self.relative is not None:
            if limits[0] != Limits.parse(DEFAULT_LIMITS):
                raise SpecError(f"--relative {self.relative:.20}: expected no other limits")
            count = int(RELATIVE.parse(self.relative))
            openings = rule.draw(rules, -(-games // rules.num_players), seed)
            limits = [relative_limits(rules, self.reference, count, openings)] * len(specs)
        check_players(specs, rules, written=True)
        entrants = tuple(map(Entrant, specs, limits))
        return Plan(str(rules), entrants, games, rule, kind, seed, self.adjudicate)


def _how_far(standings: Standings, pace: float) -> str:
    return f"{standings.games:,} of {standings.plan.num_games:,} games, {rate(pace)}"


def make_executor(where: str, jobs: str | None) -> Executor:
    """Who plays the games: processes of this machine, or workers of a Ray cluster."""
    count = None if jobs is None else int(JOBS.parse(jobs))
    return Workers(count, imports=shared_modules(), place=place_of(where, count))


def place_of(where: str, workers: int | None = None) -> Place:
    """What ``--on`` names; `SpecError` if it names nothing.

    >>> type(place_of("local")).__name__
    'Processes'
    """
    kind, _, address = where.partition(":")
    if where == "local":
        return Processes()
    if kind != "ray":
        raise SpecError(f"--on {where!r:.60}: expected local, ray or ray:ADDRESS")
    return Cluster(address or None, workers)


def _is_decided(sprt: Sprt, standings: Standings) -> bool:
    """Feed the test with pairs of games that have been played, in the order of their openings.

    In the order in which they ended, short games would come first, and those may be the lost ones.
    """
    one, other = standings.names
    while sprt.verdict == "running":
        pair = standings.group(one, other, sum(sprt.counts))
        if pair.games < 2:
            return False
        sprt.add(pair)
    return True


def result_table(standings: Standings, scoring: Scoring) -> RenderableType:
    """How it stands: one row for a match of two, a crosstable for more."""
    if not standings.games:
        return Text("")
    return (
        _match(standings, scoring) if len(standings.names) == 2 else _crosstable(standings, scoring)
    )


def _match(standings: Standings, scoring: Scoring) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("", "games", "won", "drawn", "lost", "points", "95 %", "by pairs", "Elo", "LOS"):
        table.add_column(column, justify="left" if not column else "right")
    table.columns[0].overflow = "fold"
    one, other = standings.names
    shown = dict(zip(standings.names, short_names(standings.names), strict=True))
    for first, second in ((one, other), (other, one)):
        pairing = standings.pairing(first, second)
        score = pairing.score
        share = share_estimate(score, scoring)
        pairs = bootstrap_estimate(pairing.groups, scoring, resamples=2000)
        elo = elo_estimate(share_estimate(score))
        table.add_row(
            shown[first],
            f"{score.games:,}",
            f"{score.wins:,}",
            f"{score.draws:,}",
            f"{score.losses:,}",
            f"{share.value:.1%}",
            f"{share.low:.1%} to {share.high:.1%}",
            f"{pairs.low:.1%} to {pairs.high:.1%}",
            f"{elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})",
            f"{likelihood_of_superiority(score):.1%}",
        )
    return table


def short_names(names: Sequence[str]) -> list[str]:
    """Names of agents without the folders of their files, unless they would be the same then.

    >>> short_names(["net:/home/a/models/connect4.onnx,c=2", "uct"])
    ['net:connect4.onnx,c=2', 'uct']
    >>> short_names(["net:a/best.onnx", "net:b/best.onnx"])
    ['net:a/best.onnx', 'net:b/best.onnx']
    """
    short = [re.sub(r"(?<=[:=])[^,:=]*/(?=[^,/]+)", "", name) for name in names]
    return short if len(set(short)) == len(set(names)) else list(names)


def _crosstable(standings: Standings, scoring: Scoring) -> Table:
    ranks = ranking(standings, scoring)
    table = Table(box=None, pad_edge=False)
    for column in ("", "agent", "Elo", "games", "points", "95 %"):
        table.add_column(column, justify="left" if column == "agent" else "right")
    wide = len(ranks) <= WIDEST_CROSSTABLE
    for number in range(1, len(ranks) + 1 if wide else 1):
        table.add_column(str(number), justify="right")
    for number, rank in enumerate(ranks, start=1):
        elo = rank.elo
        cells = ["" if share is None else f"{share:.0%}" for share in rank.against]
        cells[number - 1] = "-"
        table.add_row(
            str(number),
            rank.agent,
            "" if elo is None else f"{elo.value:+.0f} ± {elo.high - elo.value:.0f}",
            f"{rank.games:,}",
            f"{rank.points:.1%}",
            f"{rank.low:.1%} to {rank.high:.1%}",
            *(cells if wide else []),
        )
    return table


def _summary(standings: Standings, sprt: Sprt | None, played: int, seconds: float) -> Text:
    """What else there is to know, a line each."""
    lines = []
    first = [standings.pairing(*pair).as_first for pair in _ordered_pairs(standings)]
    games = sum(score.games for score in first)
    if games:
        points = sum(score.points() for score in first)
        lines.append(f"The earlier seat scored {points / games:.1%}.")
    copies, swapped = standings.copies, standings.swapped_copies
    text = f"{standings.games:,} games, {copies:,} of them copies of another one"
    lines.append(text + (f", {swapped:,} with swapped seats." if swapped else "."))
    if (repeats := standings.repeats) is not None:
        lines.append(repeats.text)
    stored = standings.games - played
    if stored:
        lines.append(f"{stored:,} games were in the store already.")
    if played:
        lines.append(f"{played:,} games in {seconds:.1f} s, {played / seconds:.1f} a second.")
    faults = Counter(standings.faults)
    lines += [f"Lost by default {count}x: {reason}" for reason, count in faults.most_common(5)]
    if sprt is not None:
        lower, upper = sprt.bounds
        lines.append(
            f"SPRT of {sprt.elo0:g} against {sprt.elo1:g} Elo: {sprt.verdict}, with a "
            f"log-likelihood ratio of {sprt.llr:.2f} between {lower:.2f} and {upper:.2f}."
        )
    return Text("\n".join(lines))


def standings_data(
    standings: Standings, scoring: Scoring, sprt: Sprt | None = None
) -> dict[str, object]:
    """Give the standings for programs."""
    return {
        "game": standings.plan.game,
        "games": standings.games,
        "agents": [asdict(rank) for rank in ranking(standings, scoring)],
        "faults": dict(Counter(standings.faults)),
        "sprt": None if sprt is None else {"verdict": sprt.verdict, "llr": sprt.llr},
    }


def _ordered_pairs(standings: Standings) -> list[tuple[str, str]]:
    names = standings.names
    return [(one, other) for one in names for other in names if one != other]
