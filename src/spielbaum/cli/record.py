"""``spielbaum record``: games of a teacher, or of people, for networks to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spielbaum.cli.output import SlowLog, console, progress_bar, rate
from spielbaum.errors import SpecError
from spielbaum.games import game as make_game
from spielbaum.learn.ntuple_config import parse_games
from spielbaum.learn.pgn import import_pgn
from spielbaum.learn.recording import Progress, Recording, record
from spielbaum.specs import Option

OPENING = Option("opening", 8, low=0, high=1000)
DRAWN = Option("drawn", 16, low=0, high=100_000)
NOISE = Option("noise", 0.02, low=0.0, high=1.0)
MAX_PLIES = Option("max_plies", 300, low=1, high=65_535)
SEED = Option("seed", 1, low=0)
JOBS = Option("jobs", 1, low=1, high=1024)


def record_games(
    game: Annotated[str, typer.Argument(help="The game, such as chess.")],
    teacher: Annotated[
        str | None, typer.Argument(metavar="[AGENT]", help="Who plays both sides.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Where the games go.")
    ] = None,
    pgn: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Instead of a teacher: games of people, in PGN."),
    ] = None,
    positions: Annotated[str, typer.Option(metavar="N", help="How many, such as 2e6.")] = "1e5",
    limits: Annotated[
        str, typer.Option(metavar="LIMITS", help="Of the teacher, such as nodes=400.")
    ] = "",
    opening: Annotated[
        str, typer.Option(metavar="N", help="Random plies at the beginning, at most.")
    ] = "8",
    drawn: Annotated[
        str, typer.Option(metavar="N", help="Plies after them that are drawn by the policy.")
    ] = "16",
    noise: Annotated[
        str, typer.Option(metavar="SHARE", help="Share of random moves after those.")
    ] = "0.02",
    max_plies: Annotated[
        str, typer.Option(metavar="N", help="A longer game counts as a draw.")
    ] = "300",
    seed: Annotated[str, typer.Option(metavar="N", help="Of the random numbers.")] = "1",
    jobs: Annotated[
        str | None, typer.Option("--jobs", "-j", metavar="N", help="Processes; one per core.")
    ] = None,
) -> None:
    """Record games of an agent with itself, or of PGN files, as files for training.

    Started again with the same options, a recording goes on until it has enough positions.
    """
    rules = make_game(game)
    folder = out or Path(f"{rules.name}-games")
    if pgn:
        if teacher is not None or rules.name != "chess":
            raise SpecError("--pgn is for chess, and instead of an agent")
        imported = import_pgn(pgn, folder)
        totals = imported.totals
        typer.echo(
            f"{imported.games:,} games read, {imported.known:,} known already, "
            f"{imported.left_out:,} left out"
        )
        typer.echo(f"{folder}: {totals.games:,} games with {totals.positions:,} positions")
        return
    if teacher is None:
        raise SpecError("record needs an agent that plays, or --pgn FILE")
    recording = Recording(
        str(rules),
        teacher,
        limits,
        int(OPENING.parse(opening)),
        int(DRAWN.parse(drawn)),
        float(NOISE.parse(noise)),
        int(MAX_PLIES.parse(max_plies)),
        int(SEED.parse(seed)),
    )
    processes = 0 if jobs is None else int(JOBS.parse(jobs))
    wanted = parse_games(positions, "positions")
    recording.check()  # before anything is shown
    with progress_bar("positions") as bar:
        task = bar.add_task("recording", total=wanted)
        log = SlowLog(console())

        def show(now: Progress) -> None:
            bar.update(task, completed=now.totals.positions)
            log.say(
                lambda: (
                    f"{now.totals.games:,} games, {now.totals.positions:,} of {now.wanted:,} "
                    f"positions, {rate(now.rate)}"
                )
            )

        totals = record(recording, folder, wanted, processes, show)
    typer.echo(f"{folder}: {totals.games:,} games with {totals.positions:,} positions")
