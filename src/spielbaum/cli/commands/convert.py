"""``spielbaum convert``: game records from one file format to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from spielbaum.arena.export import to_tree
from spielbaum.base.arrays import write_atomically
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.cli.shared.stores import RunName, last_run, open_store
from spielbaum.games import game as make_game
from spielbaum.games.records import GameTree, first_plies, format_of, read_records

STORES = (".db", ".sqlite")
PLIES = Option("plies", 1, low=1, high=100_000)


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="File of games, or store of a match.")
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="File to write.")],
    source_format: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help="Format of IN; else its ending says it."),
    ] = None,
    target_format: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help="Format of OUT; else its ending says it."),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="Game of IN, where the file does not say it."),
    ] = None,
    plies: Annotated[
        str | None, typer.Option(metavar="N", help="Keep the first N plies of each game only.")
    ] = None,
    name: RunName = None,
) -> None:
    """Convert games between PGN, SGF, GGF, WTHOR, transcripts and Pons strings, or count moves.

    IN may also be the store of a match. OUT with the ending .json becomes a book: how often each
    move was played in each position, and how it scored.
    """
    writer = format_of(target, target_format)
    if writer.write is None:
        raise SpecError(f"file {target}: {writer.summary} can be read only")
    if source_format is not None:
        format_of(source, source_format)
    rules = None if game is None else make_game(game)
    most = None if plies is None else int(PLIES.parse(plies))
    counts = Counts()
    if source.suffix.lower() in STORES and source_format is None:
        with open_store(source) as store:
            run, _ = store.plan(name or last_run(store, source))
            trees = counts.watch(map(to_tree, store.records(run)), most)
            data = b"".join(writer.write(trees))
    else:
        trees = counts.watch(read_records(source, source_format, rules), most)
        data = b"".join(writer.write(trees))
    if not counts.games:
        raise SpecError(f"games {source}: there are none in it")
    write_atomically(target, data)
    typer.echo(f"{target}: {counts.games:,} games, {len(data):,} bytes")
    if counts.damaged:
        typer.echo(
            f"{counts.damaged:,} of them end early, where they could not be read; the first: "
            f"{counts.problem}",
            err=True,
        )


class Counts:
    """Counts games on their way from one file to another."""

    def __init__(self) -> None:
        self.games = 0
        self.damaged = 0
        self.problem = ""

    def watch(self, trees: Iterable[GameTree], most: int | None) -> Iterator[GameTree]:
        """Pass games on, cut to ``most`` plies, and count those that could not be read."""
        for tree in trees:
            if tree.errors:
                self.damaged += 1
                self.problem = self.problem or tree.errors[0]
            self.games += 1
            yield tree if most is None else first_plies(tree, most)
