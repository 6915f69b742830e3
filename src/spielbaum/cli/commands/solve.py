"""``spielbaum solve``: the exact value of a position and of its moves."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from spielbaum.base.budget import Budget
from spielbaum.base.errors import SpecError
from spielbaum.cli.shared.output import (
    RESULTS,
    SECONDS,
    AsJson,
    board,
    join_position,
    line_text,
    print_json,
    read_state,
    speed,
    watched,
)
from spielbaum.solvers import NotSolved, SolveProgress
from spielbaum.solvers import solve as solve_state
from spielbaum.solvers.reach import most_empty_cells, too_early

DEFAULT_SECONDS = 600.0
"""How long to search if nothing else is asked for."""
SOURCES = {"book": "the opening book", "cache": "the cache on disk, solved earlier"}

SETTINGS = {"ignore_unknown_options": True}
"""For Typer: a position may begin with a hyphen."""


def solve(
    game: Annotated[str, typer.Argument(help="A game with a solver, such as connect4.")],
    position: Annotated[
        list[str] | None,
        typer.Argument(help="A position in the notation of the game; without it, the start."),
    ] = None,
    weak: Annotated[
        bool, typer.Option("--weak", help="Only win, draw or loss, which is much faster.")
    ] = False,
    seconds: Annotated[
        str | None,
        typer.Option(
            metavar="S",
            help="Give up after this time. Without it, after ten minutes; a position with "
            "so many empty cells that this cannot be enough is not even tried.",
        ),
    ] = None,
    no_lookup: Annotated[
        bool, typer.Option("--no-lookup", help="Search, even if book or cache has the answer.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Solve a position exactly: its score, the score of every move, and a line of best play."""
    state = read_state(game, join_position(position))
    limit = DEFAULT_SECONDS if seconds is None else float(SECONDS.parse(seconds))
    budget = Budget(seconds=limit)
    if seconds is None and (reason := too_early(state, budget)):
        raise SpecError(
            f"{reason}: in {limit / 60:g} minutes the solver handles up to "
            f"{most_empty_cells(state.game, budget)}; give it more time with --seconds S"
        )
    progress, began = SolveProgress(), time.perf_counter()

    def how_far() -> str:
        took = time.perf_counter() - began
        pace = speed(progress.nodes, took)
        return (
            f"solving {state.game}: {progress.nodes:,} nodes, {pace}, {took:.0f} of at most "
            f"{limit:g} s; Ctrl-C ends it"
        )

    try:
        with watched(how_far):
            solution = solve_state(
                state, exact=not weak, budget=budget, lookup=not no_lookup, progress=progress
            )
    except NotSolved as error:
        raise SpecError(
            f"{error} and {limit:g} seconds; give it more time with --seconds S"
        ) from None
    if as_json:
        moves = {
            state.text(each.move): each.value if weak else each.score for each in solution.moves
        }
        print_json(
            {
                "game": str(state.game),
                "position": state.notation,
                "value": solution.value,
                "score": None if weak else solution.score,
                "moves": moves,
                "pv": line_text(state, solution.pv).split(),
                "nodes": solution.nodes,
                "seconds": solution.seconds,
                "source": solution.source,
            }
        )
        return
    typer.echo(board(state))
    typer.echo()
    score = "" if weak else f", score {solution.score:+d}"
    typer.echo(f"value  {RESULTS[solution.value]}{score} for the side to move")
    for move in solution.moves:
        score = "" if weak else f"  {move.score:+d}"
        typer.echo(f"{state.label(move.move):>5}  {RESULTS[move.value]:<4}{score}")
    if solution.pv:
        typer.echo(f"line   {line_text(state, solution.pv)}")
    if solution.source == "solver":
        nodes_per_second = speed(solution.nodes, solution.seconds)
        typer.echo(f"nodes  {solution.nodes:,} in {solution.seconds:.3f} s, {nodes_per_second}")
    else:
        typer.echo(f"source {SOURCES[solution.source]}")
