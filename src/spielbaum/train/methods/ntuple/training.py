"""The training of a network: one run in a folder, which goes on where it was interrupted.

A run's folder has ``checkpoint.npz`` (all that is needed to go on), ``last.npz`` and ``best.npz``
(networks, for the agent ``ntuple``), ``log.csv`` with a row for each measurement, ``status.json``
with how far it is, and the curves for TensorBoard if that is installed.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from spielbaum import _core
from spielbaum.agents.ntuple import NTupleAgent
from spielbaum.arena.strength import (
    PERFECT,
    RESISTING,
    Referee,
    Strength,
    measure_agent,
    measure_perfect,
)
from spielbaum.base.arrays import open_arrays, write_arrays
from spielbaum.base.bounded import DAMAGE, read_text, typed
from spielbaum.base.budget import Budget
from spielbaum.base.errors import ModelError, SpecError, StoreError
from spielbaum.games import State
from spielbaum.models.ntuple import count_weights, network_from
from spielbaum.models.ntuple_file import check_header, header_of, pack, save_network, unpack
from spielbaum.train.event_log import EventLog
from spielbaum.train.methods.ntuple.config import TrainingConfig
from spielbaum.train.run_folder import FINISHED, STOPPED, RunStatus, StatusFile, write_table

FORMAT = "spielbaum ntuple training 1"
BREATH = 0.25
"""Seconds of training between two reports."""
SAVE_EVERY = 120.0
"""Seconds between two checkpoints."""


@dataclass(frozen=True)
class Row:
    """One measurement of a run; a line of ``log.csv``.

    >>> Row(100, 0.5, 0.1, 0.01, 0.1, "perfect", 0.5, 1, 0, 1, 0.1).share
    0.5
    """

    games: int
    """Training games so far."""
    training_seconds: float
    measuring_seconds: float
    """Of all measurements so far."""
    alpha: float
    epsilon: float
    opponent: str
    share: float
    wins: int
    draws: int
    losses: int
    seconds: float
    """Of this measurement."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    run: int
    games: int
    of: int
    rate: float
    """Games per second, of late."""
    rows: tuple[Row, ...]


Report = Callable[[Progress], None]


class Training:
    """One run of a training.

    >>> import tempfile
    >>> from spielbaum.train.methods.ntuple.config import load_config
    >>> config = load_config("tictactoe-9").with_games(300)
    >>> folder = tempfile.TemporaryDirectory()
    >>> rows = Training(config, 1, Path(folder.name)).run()
    >>> rows[-1].games, 0.0 <= rows[-1].share <= 0.5
    (300, True)
    >>> folder.cleanup()
    """

    def __init__(self, config: TrainingConfig, run: int, folder: Path) -> None:
        self.config = config
        self.number = run
        self.folder = folder
        self.games = 0
        self.rows: list[Row] = []
        self.training_seconds = 0.0
        self.measuring_seconds = 0.0
        self.rate = 0.0
        self.measuring = False
        """Whether it measures, which does not notice `stop` but can be broken off at any moment."""
        self._stop = _core.StopFlag()
        self._referee = Referee(config.game) if self._needs_referee() else None
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "checkpoint.npz").exists():
            self._restore()
        else:
            self.network = config.make_network(run)
            self.trainer = self._make_trainer()

    def stop(self) -> None:
        """End a running training soon; what was done is kept."""
        self._stop.stop()

    def run(self, report: Report | None = None) -> list[Row]:
        """Train to the end, or until `stop`; answers all measurements."""
        saved = time.perf_counter()
        status = StatusFile(self.folder)
        with EventLog(self.folder) as events:
            while True:
                if self._due("measure", at_end=True) and not self._measured():
                    self._save_checkpoint()
                    status.tell(self._status("measuring"))
                    self.measuring = True
                    self._measure(events)
                    self.measuring = False
                    self._save_checkpoint()
                    saved = time.perf_counter()
                status.tell(self._status("training"))
                if report is not None:
                    report(self.progress())
                if self.games >= self.config.games or self._stop.stopped:
                    break
                self._train(self._next_event())
                if self._due("replacement", at_end=False):
                    self._replace_tuples()
                if time.perf_counter() - saved > SAVE_EVERY:
                    self._save_checkpoint()
                    saved = time.perf_counter()
        self._save_checkpoint()
        ended = FINISHED if self.games >= self.config.games else STOPPED
        status.tell(self._status(ended))
        return self.rows

    def progress(self) -> Progress:
        """How far the run is."""
        return Progress(self.number, self.games, self.config.games, self.rate, tuple(self.rows))

    def _status(self, activity: str) -> RunStatus:
        return RunStatus(activity, self.games, self.config.games, "games", self.rate)

    # ---- training ----
    def _make_trainer(self) -> _core.TdTrainer:
        game, referee = self.config.game, self._referee
        oracle = None
        if int(self.config.learning["cut"]) >= 0:
            assert referee is not None

            def oracle(core: _core.State) -> float:
                state = State(game, core)
                return referee.value(state) * (1.0 if state.to_move == 0 else -1.0)

        return _core.make_trainer(self.network._core, self.config.options(self.number), oracle)

    def _train(self, end: int) -> None:
        began = time.perf_counter()
        threads = int(self.config.learning["threads"])
        first = self.games
        try:
            self.games = self.trainer.train(first, end, threads, BREATH, self._stop)
        except _core.OptionError as error:
            raise SpecError(f"training of {self.config.game}: {error}") from None
        took = time.perf_counter() - began
        self.training_seconds += took
        if took > 0:
            now = (self.games - first) / took
            self.rate = now if self.rate == 0 else 0.9 * self.rate + 0.1 * now

    def _next_event(self) -> int:
        """The next number of games at which something else than training is to be done."""
        ends = [self.config.games]
        for section in (self.config.measure, self.config.replacement):
            every = int(section["every"])
            if every > 0:
                ends.append((self.games // every + 1) * every)
        return min(ends)

    def _due(self, section: str, *, at_end: bool) -> bool:
        every = int(getattr(self.config, section)["every"])
        if self.games >= self.config.games:
            return at_end
        return every > 0 and self.games > 0 and self.games % every == 0

    def _replace_tuples(self) -> None:
        """Put new tuples in the place of those that are worth least."""
        settings = self.config.replacement
        until = int(settings["until"]) or self.config.games // 2
        if self.games > until:
            return
        worths = np.array(self.trainer.worths(self.games, int(settings["games"])))
        number = int(float(settings["share"]) * len(worths))
        rng = _core.Rng(self.config.seed + self.number + self.games)
        for index in np.argsort(worths, kind="stable")[:number].tolist():
            others = self.network.tuples
            cells = self.config.draw_tuple(len(others[index]), others, rng)
            self.trainer.replace(index, cells)
            self.config.draw_weights(self.network, rng, index)

    # ---- measuring ----
    def _needs_referee(self) -> bool:
        perfect = {PERFECT, RESISTING} & set(self.config.opponents)
        return bool(perfect) or int(self.config.learning["cut"]) >= 0

    def _measured(self) -> bool:
        return bool(self.rows) and self.rows[-1].games == self.games

    def _measure(self, events: EventLog) -> None:
        for opponent in self.config.opponents:
            found = self._measure_against(opponent)
            self.measuring_seconds += found.seconds
            options = self.config.options(self.number)
            self.rows.append(
                Row(
                    self.games,
                    round(self.training_seconds, 3),
                    round(self.measuring_seconds, 3),
                    options.alpha.value(self.games),
                    options.epsilon.value(self.games),
                    opponent,
                    found.share,
                    found.score.wins,
                    found.score.draws,
                    found.score.losses,
                    round(found.seconds, 3),
                )
            )
            events.add(self.games, {f"strength against {opponent}": found.share})
        row = self.rows[-1]
        events.add(
            self.games, {"alpha": row.alpha, "epsilon": row.epsilon, "games per second": self.rate}
        )
        self.network.training = self._facts()
        save_network(self.network, self.folder / "last.npz")
        own = [row for row in self.rows if row.opponent == self.config.opponents[0]]
        if own[-1].share >= max(row.share for row in own):
            save_network(self.network, self.folder / "best.npz")

    def _measure_against(self, opponent: str) -> Strength:
        settings, game = self.config.measure, self.config.game
        games = int(settings["games"])
        if opponent in (PERFECT, RESISTING):
            assert self._referee is not None
            player = NTupleAgent.of(self.network, among="any")
            cut = int(self.config.learning["cut"])
            resistance = int(settings["resistance"]) if opponent == RESISTING else 0
            return measure_perfect(
                player.greedy, self._referee, game, games, cut=cut, resistance=resistance
            )
        return measure_agent(
            NTupleAgent.of(self.network, among="any"),
            opponent,
            game,
            games,
            opening=int(settings["opening"]),
            budget=Budget(iterations=int(settings["iterations"]), depth=int(settings["depth"])),
        )

    # ---- files ----
    def _facts(self) -> dict[str, Any]:
        """How the network was trained, for its header."""
        return {
            "config": self.config.facts(),
            "run": self.number,
            "games": self.games,
            "seconds": round(self.training_seconds, 1),
            "strength": [
                {"opponent": row.opponent, "share": row.share}
                for row in self.rows
                if row.games == self.games
            ],
        }

    def _check_weights(self) -> None:
        """Refuse to go on with weights that are no numbers; with tanh they cannot grow so far."""
        if not self.network.squash and not np.isfinite(self.network.weights).all():
            raise SpecError(
                f"training of {self.config.game}: without squashing the weights grew beyond all "
                f"numbers within {self.games:,} games; expected a smaller learning.alpha"
            )

    def _save_checkpoint(self) -> None:
        self._check_weights()
        header = {
            "format": FORMAT,
            "network": header_of(self.network),
            "config": self.config.facts(),
            "run": self.number,
            "games": self.games,
            "training_seconds": self.training_seconds,
            "measuring_seconds": self.measuring_seconds,
            "rows": [asdict(row) for row in self.rows],
        }
        arrays = {
            **pack("weights", self.network.weights),
            **pack("changes", self.trainer.changes),
            **pack("uses", self.trainer.uses),
        }
        write_arrays(self.folder / "checkpoint.npz", header, arrays, compress=False)
        self._write_log()

    def _write_log(self) -> None:
        rows = [list(asdict(row).values()) for row in self.rows]
        write_table(self.folder / "log.csv", [list(Row.__dataclass_fields__), *rows])

    def _restore(self) -> None:
        path = self.folder / "checkpoint.npz"
        with open_arrays(path) as file:
            header = file.header
            if header.get("format") != FORMAT:
                raise ModelError(
                    f"model {path}: it is no checkpoint of a training, or of another version"
                )
            if header.get("config") != self.config.facts() or header.get("run") != self.number:
                raise SpecError(
                    f"{self.folder} has a training with another configuration; give another folder"
                )
            settings = header["network"]
            check_header(settings, path)
            fresh = self.config.make_network(self.number)
            # Tuples may have been replaced meanwhile, but by others of the same length.
            if count_weights(settings, self.config.game) != fresh.num_weights:
                raise ModelError(f"model {path}: its network is not that of its configuration")
            self.network = network_from(settings, self.config.game)
            self.games = int(header["games"])
            self.training_seconds = float(header["training_seconds"])
            self.measuring_seconds = float(header["measuring_seconds"])
            self.rows = [typed(Row, row) for row in header["rows"]]
            self.trainer = self._make_trainer()
            outs: dict[str, npt.NDArray[Any]] = {
                "weights": self.network.weights,
                "changes": self.trainer.changes,
                "uses": self.trainer.uses,
            }
            for name, out in outs.items():
                unpack(name, file, out)
        self.network.training = self._facts()


def read_log(folder: Path) -> list[Row]:
    """The measurements of a run, from its ``log.csv``; `StoreError` if it is damaged."""
    try:
        text = read_text(folder / "log.csv")
        return [_row(each) for each in csv.DictReader(io.StringIO(text, newline=""))]
    except OSError as error:
        raise StoreError(f"training {folder}: {error.strerror or error}") from None
    except (*DAMAGE, csv.Error):
        raise StoreError(f"training {folder}: its log.csv is damaged") from None


def _row(written: dict[str, str]) -> Row:
    row = typed(Row, written)
    if not 0 <= row.share <= 1 or min(row.games, row.wins, row.draws, row.losses) < 0:
        raise ValueError
    return row
