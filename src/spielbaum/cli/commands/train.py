"""``spielbaum train``: train an agent, by any method, in as many sessions as it takes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.cli.main import plain
from spielbaum.cli.shared.arguments import parameters_of, with_parameters
from spielbaum.cli.shared.contest import Where, place_of
from spielbaum.cli.shared.training import LiveLine, list_configs, status_line
from spielbaum.games import game as make_game
from spielbaum.train.config import parse_values, write_toml
from spielbaum.train.event_log import has_tensorboard
from spielbaum.train.method import Method, check_needs, method, methods
from spielbaum.train.rows import plural
from spielbaum.train.run import Run, kept_config
from spielbaum.train.runs import Point, run_folders, write_summary
from spielbaum_command import INTERRUPTED

RUNS = Option("runs", 1, low=1, high=1000)
FIRST = Option("first_run", 1, low=1, high=1_000_000)
AnyMethod = type[Method[Any, Any]]


class Methods(TyperGroup):
    """A command for every training method, made from what the method declares."""

    def list_commands(self, context: object) -> list[str]:
        """Their names."""
        return list(methods())

    def get_command(self, context: object, name: str) -> TyperCommand | None:
        """Make the command of a method; None if there is none of the name."""
        try:
            wanted = method(name)
        except SpecError:
            return None

        def run(**given: Any) -> None:
            asked = Asked(**{each.name: given.pop(each.name) for each in fields(Asked)})
            _train(wanted, asked, given)

        single = typer.Typer(add_completion=False)
        words = wanted.help[:1].upper() + wanted.help[1:]
        help_text = f"{words}. Started again, a training goes on where it was interrupted."
        single.command(wanted.name, help=help_text)(with_parameters(run, _parameters(wanted)))
        return plain(typer.main.get_command(single))


train = typer.Typer(
    cls=Methods,
    help="Train an agent, by any method, in as many sessions as it takes.",
    no_args_is_help=True,
)


@train.callback()
def _nothing() -> None:
    """A group of commands does nothing by itself."""


@dataclass
class Asked:
    """What the command of every method takes."""

    game: Annotated[str, typer.Argument(help="The game, such as connect4.")]
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="Values of the configuration: seed=2."),
    ] = None
    config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A TOML file, or a configuration of the package; list: name those. Without it, "
            "one is chosen by the size of the game.",
        ),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="The folder; else CONFIG-METHOD."),
    ] = None
    runs: Annotated[
        str | None, typer.Option(metavar="N", help="Repetitions with other seeds, and their mean.")
    ] = None
    first_run: Annotated[
        str, typer.Option(metavar="N", help="Number of the first of them; for several processes.")
    ] = "1"
    on: Where = "local"
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Everything once, with tiny numbers.")
    ] = False


def _parameters(wanted: AnyMethod) -> list[Parameter]:
    """What the command of a method takes: what all take, and its shortcuts."""
    found = parameters_of(Asked)
    for name, each in wanted.shortcuts.items():
        kind: Any = list[str] | None if each.several else str | None
        about = typer.Option(f"--{name}", metavar=each.metavar, help=each.help)
        annotation = Annotated[kind, about]
        found.append(Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation))
    return found


def _train(wanted: AnyMethod, asked: Asked, given: Mapping[str, Any]) -> None:
    if asked.config == "list":
        list_configs(wanted.config_type.configs)
        return
    first = int(FIRST.parse(asked.first_run))
    count = 1 if asked.runs is None else int(RUNS.parse(asked.runs))
    check_needs(wanted)
    rules = make_game(asked.game)
    named = rules.name if asked.config is None else Path(asked.config).stem
    folder = asked.out or Path(f"{named}-{wanted.name}")
    changes = {**_changes(wanted, given), **parse_values(asked.values or ())}
    chosen = _config(wanted, rules, asked.config, folder).with_values(
        {"game": str(rules), **changes}
    )
    inputs = {
        name: given[name]
        for name, each in wanted.shortcuts.items()
        if not each.key and given[name] is not None
    }
    place = place_of(asked.on)
    if not has_tensorboard():
        typer.echo(f"TensorBoard is not installed: curves go to {wanted.table} alone", err=True)
    if asked.dry_run:
        wanted.check(chosen, inputs, None)
        _dry_run(wanted, chosen.dry(), place)
        return
    is_numbered = wanted.numbered or asked.runs is not None or (folder / "run1").is_dir()
    for number in range(first, first + count):
        own = folder / f"run{number}" if is_numbered else folder
        made = wanted.for_run(chosen, number)
        run = Run(wanted, made, own, number=number, inputs=inputs, place=place)
        if asked.config is None and number == first:
            typer.echo(write_toml(chosen.dump()))
        _watch(run)
        if not run.finished:
            if is_numbered:
                write_summary(wanted, folder)
            typer.echo("stopped; the same command goes on", err=True)
            raise typer.Exit(INTERRUPTED)
    best = wanted.made
    if is_numbered:
        _tell_summary(write_summary(wanted, folder), plural(wanted.row_type.axis))
        combined = wanted.combine(run_folders(folder, wanted.table), folder)
        best = f"run{first}/{best}"
        if combined is not None:
            best = f"{combined.name}, the mean of all runs, for {wanted.name}:FILE"
    table = "summary.csv, curve.svg" if is_numbered else wanted.table
    typer.echo(f"{folder}: {table}, and {best}")


def _changes(wanted: AnyMethod, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the configuration that options stand for."""
    changes: dict[str, Any] = {}
    for name, each in wanted.shortcuts.items():
        if each.key and given[name]:
            value = given[name] if each.several else parse_values([f"it={given[name]}"])["it"]
            changes[each.key] = value
    return changes


def _config(wanted: AnyMethod, rules: Any, name: str | None, folder: Path) -> Any:
    """The configuration that is named, or that of the folder, or one by the size of the game."""
    if name is None:
        for place in (folder, folder / "run1"):
            kept = kept_config(wanted, place)
            if kept is not None:
                return kept
        return wanted.default(rules)
    config = wanted.config_type.load(name)
    made_for = config.rules()
    if rules.name != made_for.name:
        raise SpecError(f"configuration {name} is for {made_for.name}, not for {rules.name}")
    return config


def _dry_run(wanted: AnyMethod, config: Any, place: Any) -> None:
    """Train in a folder that is gone afterwards; inputs do not fit its tiny sizes."""
    folder = Path(tempfile.mkdtemp(prefix="spielbaum-dry-run-"))
    try:
        _watch(Run(wanted, config, folder, place=place))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    typer.echo("the dry run went well; its folder is gone again")


def _watch(run: Run[Any]) -> None:
    """Train, and show how far it is."""
    line = LiveLine()
    with line.running():
        run.run(lambda status, lines: line.show(lines, status_line(status)))


def _tell_summary(points: Sequence[Point], unit: str) -> None:
    for label in dict.fromkeys(point.opponent for point in points):
        last = [point for point in points if point.opponent == label][-1]
        spread = f" +- {100 * last.deviation:.1f}" if last.runs > 1 else ""
        typer.echo(
            f"{last.step:,} {unit}, {last.runs} run{'s' * (last.runs > 1)}: "
            f"{100 * last.mean:.1f}{spread} % against {label}"
        )
