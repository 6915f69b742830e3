"""What the commands that train share: arguments, configurations, dry runs, and a live line."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.live import Live
from rich.text import Text

from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.cli.shared.output import SlowLog, console, is_live
from spielbaum.games import Game
from spielbaum.games import game as make_game
from spielbaum.train.config import config_names, config_title
from spielbaum.train.event_log import has_tensorboard

GameName = Annotated[str, typer.Argument(help="The game, such as connect4.")]
ConfigName = Annotated[
    str,
    typer.Option(
        metavar="FILE", help="A TOML file, or a configuration of the package; list: name those."
    ),
]
OutFolder = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FOLDER", help="Where everything goes; else CONFIG-METHOD."
    ),
]
Processes = Annotated[
    str | None, typer.Option(metavar="N", help="Processes that play; else one per core.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Everything once, with tiny numbers.")]
PROCESSES = Option("processes", 1, low=1, high=1024)


def list_configs(folder: Path) -> None:
    """Name the configurations of the package, and what they say about themselves."""
    names = config_names(folder)
    width = max(map(len, names))
    for name in names:
        typer.echo(f"{name:<{width}}  {config_title(folder / f'{name}.toml')}")


def game_for(config: str, made_for: Game, wanted: str) -> Game:
    """The game that the command names: that of the configuration, perhaps of another size."""
    rules = make_game(wanted)
    if rules.name != made_for.name:
        raise SpecError(f"configuration {config} is for {made_for.name}, not for {rules.name}")
    return rules


def tell_without_tensorboard(table: str = "metrics.csv") -> None:
    """Say that curves go to a file of ours alone, if that is so; once a run can begin."""
    if not has_tensorboard():
        typer.echo(f"TensorBoard is not installed: curves go to {table} alone", err=True)


def train_in(folder: Path | None, train: Callable[[Path], None], made: str) -> None:
    """Train in a folder, and say what it has now; without one, a dry run that leaves nothing."""
    if folder is not None:
        train(folder)
        typer.echo(f"{folder}: {made}")
        return
    folder = Path(tempfile.mkdtemp(prefix="spielbaum-dry-run-"))
    try:
        train(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    typer.echo("the dry run went well; its folder is gone again")


def time_left(seconds: float | None) -> str:
    """The end of a line about what goes on.

    >>> time_left(3700.0), time_left(None)
    ('; 1:01:40 left', '')
    """
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    return f"; {minutes // 60}:{minutes % 60:02}:{rest:02} left"


class LiveLine:
    """Lines that stay, and on a terminal one below them that says what goes on."""

    def __init__(self, shown: int = 0) -> None:
        self.shown = shown
        """Lines so far."""
        self._console = console()
        self._live = Live(console=self._console, transient=True) if is_live(self._console) else None
        self._log = SlowLog(self._console)

    def running(self) -> AbstractContextManager[object]:
        """As long as the last line is there."""
        return self._live or nullcontext()

    def show(self, lines: Iterable[str], status: str) -> None:
        """Add lines, and change the last one."""
        for line in lines:
            self._console.print(line, highlight=False, soft_wrap=True)
            self.shown += 1
        self._log.say(lambda: status)
        if self._live is not None:
            self._live.update(Text(status))
