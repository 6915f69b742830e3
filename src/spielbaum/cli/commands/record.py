"""``spielbaum record``: games of agents, or of people, for networks to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.cli.shared.arguments import parse_count, taking
from spielbaum.cli.shared.effort import Efforts
from spielbaum.cli.shared.output import SlowLog, console, progress_bar, rate
from spielbaum.games import game as make_game
from spielbaum.train.data.imports import import_games
from spielbaum.train.data.recording import Progress, Recording, recorded_score
from spielbaum.train.data.recording import record as record_games

OPENING = Option("opening", 8, low=0, high=1000)
DRAWN = Option("drawn", 16, low=0, high=100_000)
NOISE = Option("noise", 0.02, low=0.0, high=1.0)
MAX_PLIES = Option("max_plies", 300, low=1, high=65_535)
SEED = Option("seed", 1, low=0)
JOBS = Option("jobs", 1, low=1, high=1024)


@taking(Efforts)
def record(
    game: Annotated[str, typer.Argument(help="The game, such as chess.")],
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[AGENT [AGENT]]",
            help="Agent that plays all sides, or two agents that play each other.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Where the games go.")
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Instead of agents: games of people (.pgn, .sgf, .ggf, .wtb, ...).",
        ),
    ] = None,
    positions: Annotated[str, typer.Option(metavar="N", help="How many, such as 2e6.")] = "1e5",
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
    *,
    efforts: Efforts,
) -> None:
    """Record games of an agent with itself, of two agents, or of files of games, for training.

    Two agents swap colours after every game, and each position remembers who moved there: train
    imitate --learn first learns from the first agent alone. Started again with the same options, a
    recording goes on until it has enough positions.
    """
    rules = make_game(game)
    folder = out or Path(f"{rules.name}-games")
    if files:
        if agents:
            raise SpecError("--from FILE is instead of an agent")
        imported = import_games(files, folder, rules)
        totals = imported.totals
        typer.echo(
            f"{imported.games:,} games read, {imported.known:,} known already, "
            f"{imported.left_out:,} left out"
        )
        typer.echo(f"{folder}: {totals.games:,} games with {totals.positions:,} positions")
        return
    if not agents:
        raise SpecError("record needs an agent that plays, or --from FILE")
    if len(agents) > 2:
        raise SpecError(f"record was given {len(agents)} agents: expected one or two")
    recording = Recording(
        str(rules),
        agents[0],
        efforts.limits or efforts.limits_of_all().text,
        int(OPENING.parse(opening)),
        int(DRAWN.parse(drawn)),
        float(NOISE.parse(noise)),
        int(MAX_PLIES.parse(max_plies)),
        int(SEED.parse(seed)),
        "".join(agents[1:]),
    )
    processes = 0 if jobs is None else int(JOBS.parse(jobs))
    wanted = parse_count(positions, "positions")
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

        totals = record_games(recording, folder, wanted, processes, show)
    typer.echo(f"{folder}: {totals.games:,} games with {totals.positions:,} positions")
    if recording.opponent:
        score = recorded_score(folder)
        typer.echo(
            f"{recording.teacher} against {recording.opponent}: {score.wins:,} won, "
            f"{score.draws:,} drawn, {score.losses:,} lost"
        )
