"""Value networks as a method: games, perhaps a search for a network, epochs.

Beside the checkpoint, ``games.db`` has the games, and ``search/`` the study and what it found.
After a crash the run looks how far each of them is, and goes on from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from spielbaum.arena.executor import Workers
from spielbaum.arena.plan import Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.store import Store
from spielbaum.base.arrays import write_atomically
from spielbaum.base.discover import load
from spielbaum.base.errors import WorkerError
from spielbaum.base.imports import shared_modules
from spielbaum.train.config import read_toml, write_toml
from spielbaum.train.method import Method, Phase, Shortcut
from spielbaum.train.methods.value.config import ValueConfig
from spielbaum.train.methods.value.positions import Lessons, make_lessons
from spielbaum.train.nets.net_config import shape_of
from spielbaum.train.rows import Chart, Column, Row, clock
from spielbaum.train.run_folder import needs_extra

if TYPE_CHECKING:
    from spielbaum.train.methods.value.architectures import Tried
    from spielbaum.train.methods.value.training import Trainer

GAMES = "games.db"
NET = "best.onnx"
SEARCH = "search"
FOUND = "best.toml"
SOME = 100
"""Games after which it is told how many have been read."""
SQUARES = Chart("mse", "Mean squared error", "mean squared error")
ABSOLUTES = Chart("mae", "Mean absolute error", "mean absolute error")


@dataclass(frozen=True)
class ValueRow(Row):
    """An epoch; a line of ``metrics.csv``.

    Errors are those of values in [-1, 1], whatever the target. In units of a normalised target,
    which S0 prints, mean squares are a quarter of that and absolute errors a half.

    >>> print(ValueRow(3, 12.0, 0.001, 0.30, 0.41, 0.35, 0.44).line())
        3: 0:00:12  mean squared error 0.3500, absolute 0.4400; of what was learnt 0.3000 and 0.4100
    """

    axis = "epoch"
    columns = (
        Column("learning_rate", "", "learning rate"),
        Column("mse", "", "mse/validation", SQUARES, "validation"),
        Column("train_mse", "", "mse/training", SQUARES, "training"),
        Column("mae", "", "mae/validation", ABSOLUTES, "validation"),
        Column("train_mae", "", "mae/training", ABSOLUTES, "training"),
    )
    epoch: int
    seconds: float
    """Of training, in all sessions."""
    learning_rate: float
    train_mse: float
    """Of a sample of the positions that are learnt."""
    train_mae: float
    mse: float
    """Of the positions that are kept for validation."""
    mae: float

    def line(self) -> str:
        """Return the row in words."""
        learnt = f"of what was learnt {self.train_mse:.4f} and {self.train_mae:.4f}"
        return f"{self.epoch:5}: {clock(self.seconds)}  {self.strength()}; {learnt}"

    def strength(self) -> str:
        """Return both errors in validation."""
        return f"mean squared error {self.mse:.4f}, absolute {self.mae:.4f}"


class Value(Method[ValueConfig, ValueRow]):
    """Networks for values alone, from games of agents."""

    name = "value"
    help = "a network for values alone, from games of agents"
    titles: ClassVar = {"en": "Value network", "de": "Wertenetz"}
    config_type = ValueConfig
    row_type = ValueRow
    made = "best.onnx for mcts:eval=net:FILE"
    agents = ("games.agents",)
    heavy: ClassVar = {
        "games.number": "positions",
        "games.processes": "processes",
        "training.threads": "threads",
    }
    shortcuts: ClassVar = {
        "games": Shortcut("", "FILE", "Where games are kept, if trainings share them."),
        "search": Shortcut("search.trials", "N", "Try so many networks, and train the best."),
        "epochs": Shortcut("training.epochs", "N", "How often every position is learnt."),
        "processes": Shortcut("games.processes", "N", "Processes that play; else one per core."),
    }

    def start(self) -> None:
        """Look where the games are."""
        self._make: Any = load(__package__, "training")
        self._games = Path(self.desk.inputs.get("games", self.desk.folder / GAMES))
        self._plan = self.config.plan()
        self._now = Phase("games", "games", 0, self._plan.num_games)
        self._trainer: Trainer | None = None

    def load(self) -> None:
        """Read the epochs so far; the network is loaded when its positions are there."""
        self.desk.rows = self._make.read_epochs(self.desk.folder)

    def phase(self) -> Phase | None:
        """Return the games, positions, trials or epochs that are done."""
        rows, learning = self.desk.rows, self.config.training
        if self._make.is_done(rows, learning):
            return None
        if self._trainer is not None:
            return Phase("training", "epochs", len(rows), learning.epochs)
        return self._now

    def prepare(self) -> None:
        """Get games, positions and the network, as far as they are missing."""
        self._play()
        self._lessons = lessons = self._read_lessons()
        self._chosen = config = self._with_best_network(lessons)
        settings = config.positions
        samples = lessons.split(settings.most, settings.validation, config.seed, settings.split)
        self._trainer = trainer = self._make.Trainer(
            self.desk.game, config.network, config.training, samples, config.seed
        )
        trainer.restore(self.desk.folder)
        square, absolute = trainer.guess()
        self.desk.note(
            f"network with {trainer.net.parameter_count():,} weights; whoever always answers the "
            f"mean has a mean squared error of {square:.4f}, absolute {absolute:.4f}"
        )

    def step(self) -> Sequence[ValueRow]:
        """Train for an epoch."""
        trainer = self._trainer
        assert trainer is not None
        row = trainer.epoch()
        if row == trainer.best:
            self._export(trainer)
        return [row]

    def save(self) -> None:
        """Write the checkpoint."""
        if self._trainer is not None:
            self._trainer.save(self.desk.folder)

    def _play(self) -> None:
        """Play the games that are missing."""
        plan = self._plan
        self._games.parent.mkdir(parents=True, exist_ok=True)
        with Store(self._games) as store:
            run = store.open_run(run_name(plan), plan)
            done = len(store.done(run))
            self._tell("games", "games", done, plan.num_games)
            if done < plan.num_games:
                executor = self.desk.inputs.get("executor") or Workers(
                    self.config.games.processes or None,
                    imports=shared_modules(),
                    place=self.desk.place,
                )
                records = run_plan(plan, executor, store, run_name(plan))
                for number, _ in enumerate(records, start=1):
                    self._tell("games", "games", number, plan.num_games)
                done = len(store.done(run))
        if done < plan.num_games:
            raise WorkerError(f"{done} of {plan.num_games} games were played before it was stopped")

    def _read_lessons(self) -> Lessons:
        config, wanted = self.config, self._plan.num_games
        encoding = shape_of(self.desk.game, config.network).encoding

        def report(games: int) -> None:
            if games % SOME == 0:
                self._tell("positions", "games", games, wanted)

        with Store(self._games) as store:
            run, _ = store.plan(run_name(self._plan))
            lessons = make_lessons(
                store.records(run),
                self.desk.game,
                encoding,
                symmetries=config.positions.symmetries,
                ends=config.positions.ends,
                report=report,
            )
        self.desk.note(
            f"{lessons.games:,} games with {lessons.seen:,} positions, {lessons.distinct:,} of "
            f"them different, {lessons.all_images:,} with all images"
        )
        self._tell("positions", "games", lessons.games, lessons.games)
        return lessons

    def _with_best_network(self, lessons: Lessons) -> ValueConfig:
        """The configuration, with the network that the search finds if there is one."""
        config, folder = self.config, self.desk.folder / SEARCH
        if config.search.trials == 0:
            return config
        try:
            find_network = load(__package__, "architectures").find_network
        except ImportError as error:
            raise needs_extra(error, "the search") from None
        shown: list[Tried] = []

        def tell(done: int, of: int, trials: list[Tried]) -> None:
            for each in trials[len(shown) :]:
                shown.append(each)
                self.desk.note(each.line())
            self._tell("search", "epochs", done, of)

        found = folder / FOUND
        if not found.exists():
            settings = config.positions
            most = min(config.search.most, settings.most)
            samples = lessons.split(most, settings.validation, config.seed, settings.split)
            best = find_network(config, self.desk.game, samples, folder, tell)
            write_atomically(found, write_toml(best.dump()).encode())
        best = ValueConfig.read(read_toml(found))
        return best.with_values({"training.epochs": config.training.epochs})

    def _export(self, trainer: Trainer) -> None:
        best, config, lessons = trainer.best, self._chosen, self._lessons
        assert best is not None
        guess_mse, guess_mae = trainer.guess()
        training = {
            "method": config.method,
            "epoch": best.epoch,
            "mse": best.mse,
            "mae": best.mae,
            "guess_mse": guess_mse,
            "guess_mae": guess_mae,
            "games": lessons.games,
            "positions": min(config.positions.most, lessons.all_images),
            "config": config.dump(),
        }
        trainer.export(self.desk.folder / NET, training)

    def _tell(self, name: str, unit: str, done: int, of: int) -> None:
        self._now = Phase(name, unit, done, of)
        self.desk.enter(self._now)


def run_name(plan: Plan) -> str:
    """What games of a plan are called in a store: those of other plans may lie beside them."""
    return "value " + hashlib.sha256(plan.to_json().encode()).hexdigest()[:12]


METHOD = Value
