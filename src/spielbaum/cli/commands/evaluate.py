"""``spielbaum evaluate``: an agent against perfect play, by games or by moves."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from spielbaum.agents.trial import check_players
from spielbaum.arena.accuracy import Answer, judge_all, random_exams
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.base.statistics import Score, share_estimate
from spielbaum.cli.shared.arguments import taking
from spielbaum.cli.shared.contest import GAMES, JOBS, SEED, Play
from spielbaum.cli.shared.output import console, print_json, progress_bar
from spielbaum.games import game as make_game
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings
from spielbaum.play.referee import Seat

RESISTING = "perfect:prefer=resist,among=equal"
"""The opponent unless another one is named: perfect play that is hard to beat once it has lost."""
POSITIONS = Option("positions", 1, low=1, high=10_000_000)


@taking(Play)
def evaluate(
    game: Annotated[str, typer.Argument(help="A game with a solver, such as connect4.")],
    agent: Annotated[str, typer.Argument(help="An agent, such as mcts.")],
    against: Annotated[
        str,
        typer.Option(
            metavar="AGENT",
            help="Who plays second. The default never gives a win or draw away, plays equally good "
            "moves at random, and resists as long as it can once it has lost; with 'perfect' it "
            "then plays any move.",
        ),
    ] = RESISTING,
    games: Annotated[str, typer.Option("--games", metavar="N", help="Games to play.")] = "100",
    positions: Annotated[
        str | None,
        typer.Option(metavar="N", help="Judge moves in this many solved positions, not games."),
    ] = None,
    plies: Annotated[
        str, typer.Option(metavar="FROM-TO", help="Stones on the board of these positions.")
    ] = "14-34",
    *,
    play: Play,
) -> None:
    """Measure an agent against perfection: games as first player, or the share of good moves."""
    limits, seed = play.limits_of_all(), int(SEED.parse(play.seed))
    rules = make_game(game)
    if positions is None:
        opponent = "perfect:among=equal" if against == "perfect" else against
        check_players([agent, opponent], rules, written=True)
        plan = Plan(
            str(rules),
            (Entrant(agent, limits), Entrant(opponent, Limits(seconds=10))),
            int(GAMES.parse(games)),
            Openings.parse("empty"),
            seed=seed,
            rotate=False,
        )
        play.run(plan)
        if not play.as_json:
            typer.echo(f"Measured against {opponent}, who played second.")
        return
    count = int(POSITIONS.parse(positions))
    exams = random_exams(rules, Seat(agent, limits), count, _range(plies), seed)
    answers: list[Answer] = []
    with progress_bar("positions", hidden=play.as_json) as progress:
        task = progress.add_task("positions", total=len(exams))
        for answer in judge_all(exams, None if play.jobs is None else int(JOBS.parse(play.jobs))):
            answers.append(answer)
            progress.update(task, completed=len(answers))
    if play.as_json:
        print_json([asdict(answer) for answer in answers])
        return
    console().print(accuracy_table(answers))
    if len(answers) < len(exams):
        typer.echo(f"{len(exams) - len(answers)} positions were too hard for the solver.")


def accuracy_table(answers: list[Answer]) -> Table:
    """By ply and for all: how often the value was kept, and how often the best move found.

    >>> from rich.console import Console
    >>> Console(width=60).print(accuracy_table([Answer(14, True, False)]))
    ply  positions  keeps the value  95 %             best move
     14          1           100.0%  20.7% to 100.0%       0.0%
    all          1           100.0%  20.7% to 100.0%       0.0%
    """
    table = Table(box=None, pad_edge=False)
    for column in ("ply", "positions", "keeps the value", "95 %", "best move"):
        table.add_column(column, justify="left" if column == "95 %" else "right")
    by_ply: dict[int, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_ply[answer.ply].append(answer)
    rows = [(str(ply), by_ply[ply]) for ply in sorted(by_ply)]
    for label, group in [*rows, ("all", answers)]:
        if not group:
            continue
        kept = sum(answer.keeps for answer in group)
        share = share_estimate(Score(kept, 0, len(group) - kept))
        table.add_row(
            label,
            f"{len(group):,}",
            f"{share.value:.1%}",
            f"{share.low:.1%} to {share.high:.1%}",
            f"{sum(answer.best for answer in group) / len(group):.1%}",
        )
    return table


def _range(text: str) -> range:
    low, _, high = text.partition("-")
    if not (low.isdecimal() and (high or low).isdecimal()) or int(low) > int(high or low):
        raise SpecError(f"--plies {text!r:.40}: expected two numbers, such as 14-34")
    return range(int(low), int(high or low) + 1)
