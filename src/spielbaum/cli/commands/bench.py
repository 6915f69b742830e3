"""``spielbaum bench``: the speed of the games, and the signature of what they compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from spielbaum.base.core import processor
from spielbaum.base.options import Option
from spielbaum.cli.shared.output import AsJson, print_json, rate
from spielbaum.games import game
from spielbaum.testing import bench as benchmark

# The workloads of the signature cover every native game; here each game once, as it is by default.
DEFAULT_GAMES = tuple(dict.fromkeys(work.spec.split(":")[0] for work in benchmark.WORKLOADS))

HEADINGS = ("playouts", "plies", "perft depth", "perft nodes", "perft")
ROW = "{:<{width}}  {:>10}  {:>10}  {:>11}  {:>16}  {:>10}"
SECONDS = Option("seconds", 1.0, low=0.01, high=3600)


def bench(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME]...", help="Games to measure; without any, all native ones."),
    ] = None,
    seconds: Annotated[
        str, typer.Option(metavar="S", help="Time for each of the two measurements of a game.")
    ] = "1",
    signature: Annotated[
        bool, typer.Option("--signature", help="Print the signature only.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the games in one thread, and print a signature that is equal on every machine."""
    specs = () if signature else [str(game(spec)) for spec in games or DEFAULT_GAMES]
    time_of_each = float(SECONDS.parse(seconds))
    if as_json:
        speeds = {spec: asdict(benchmark.measure(spec, time_of_each)) for spec in specs}
        print_json({"speeds": speeds, "signature": f"{benchmark.signature():016x}"})
        return
    if specs:
        print_speeds(specs, time_of_each)
    typer.echo(f"signature {benchmark.signature():016x}")


def print_speeds(specs: Sequence[str], seconds: float) -> None:
    """A row for every game, as soon as it is measured."""
    width = max(map(len, specs))
    typer.echo(f"One thread, core for {processor()}; playouts are the median of 5 runs.")
    typer.echo(ROW.format("game", *HEADINGS, width=width))
    for spec in specs:
        speed = benchmark.measure(spec, seconds)
        columns = (
            rate(speed.playouts_per_second),
            rate(speed.plies_per_second),
            speed.perft_depth,
            f"{speed.perft_nodes:,}",
            rate(speed.perft_nodes_per_second),
        )
        typer.echo(ROW.format(spec, *columns, width=width))
