"""TD learning of n-tuple networks as a method.

A run's folder has ``checkpoint.npz`` (all that is needed to go on), ``last.npz`` and ``best.npz``
(networks, for the agent ``ntuple``), and ``log.csv`` with a row for each opponent measured.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

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
from spielbaum.base.bounded import typed
from spielbaum.base.budget import Budget
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.games import Game, State
from spielbaum.models.ntuple import combine, count_weights, network_from
from spielbaum.models.ntuple_file import (
    check_header,
    header_of,
    load_network,
    pack,
    save_network,
    unpack,
)
from spielbaum.train.defaults import default_values
from spielbaum.train.method import Method, Phase, Shortcut
from spielbaum.train.methods.ntuple.config import TrainingConfig, default_tuples, from_facts
from spielbaum.train.rows import Row, read_rows

FORMAT = "spielbaum ntuple training 1"
CHECKPOINT = "checkpoint.npz"
LOG = "log.csv"
COMBINED = "combined.npz"
BREATH = 0.25
"""Seconds of training between two reports."""


@dataclass(frozen=True)
class NTupleRow(Row):
    """One measurement against one opponent; a line of ``log.csv``.

    >>> NTupleRow(100, 0.5, 0.1, 0.01, 0.1, "perfect", 0.5, 1, 0, 1, 0.1).strengths()
    {'perfect': 0.5}
    """

    axis = "games"
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

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1 or min(self.games, self.wins, self.draws, self.losses) < 0:
            raise ValueError("a share is from 0 to 1, and nothing is counted below 0")

    def strengths(self) -> dict[str, float]:
        """Return the share of points by the opponent."""
        return {self.opponent: self.share}

    def numbers(self) -> dict[str, float]:
        """Return what TensorBoard shows, by its tags."""
        return {
            f"strength against {self.opponent}": self.share,
            "alpha": self.alpha,
            "epsilon": self.epsilon,
            "games per second": self.games / max(self.training_seconds, 1e-6),
        }

    def line(self) -> str:
        """Return the row in words."""
        return (
            f"{self.games:>12,} games  {self.strength()}  ({self.wins} won, {self.draws} drawn, "
            f"{self.losses} lost; epsilon {self.epsilon:.3f}, alpha {self.alpha:.4f}; "
            f"{1e6 * self.training_seconds / max(1, self.games):.0f} us a game)"
        )

    def strength(self) -> str:
        """Return the share in words."""
        return f"{100 * self.share:5.1f} % against {self.opponent}"


class NTuple(Method[TrainingConfig, NTupleRow]):
    """N-tuple networks that learn by temporal differences."""

    name = "ntuple"
    help = "tables of patterns that learn by temporal differences"
    titles: ClassVar = {"en": "N-tuple network", "de": "N-Tupel-Netz"}
    config_type = TrainingConfig
    row_type = NTupleRow
    needs = ()
    made = "best.npz for ntuple:FILE"
    table = LOG
    numbered = True
    shortcuts: ClassVar = {
        "games": Shortcut("games", "N", "Games of each run, such as 3e6."),
        "threads": Shortcut("learning.threads", "N", "Threads, 1 or 2; the weights are the same."),
    }

    @classmethod
    def default(cls, game: Game) -> TrainingConfig:
        """Return walks over the board, as long as tables stay small."""
        values = default_values(cls.config_type.configs.parent, game)
        return TrainingConfig.read({**values, "network": {"tuples": default_tuples(game)}})

    @classmethod
    def adopt(cls, folder: Path) -> TrainingConfig | None:
        """Return the configuration that a checkpoint has, which once was the only place for it."""
        named: TrainingConfig | None = super().adopt(folder)
        if named is not None:
            return named
        path = folder / CHECKPOINT
        if not path.exists():
            return None
        with open_arrays(path) as file:
            header = file.header
        if header.get("format") != FORMAT:
            raise ModelError(
                f"model {path}: it is no checkpoint of a training, or of another version"
            )
        return from_facts(header["config"])

    @classmethod
    def for_run(cls, config: TrainingConfig, number: int) -> TrainingConfig:
        """Return the same for all: seeds are made from the number of the run."""
        return config

    @classmethod
    def combine(cls, folders: Sequence[Path], out: Path) -> Path | None:
        """Write ``combined.npz``, the mean of the runs' best networks, if all have the same tuples.

        It usually plays better than each of them: their errors are not the same.
        """
        files = [path / "best.npz" for path in folders]
        # Another process may be about to write that of its run.
        networks = [load_network(file) for file in files if file.exists()]
        if len(networks) < 2 or len({network.tuples for network in networks}) > 1:
            return None
        save_network(combine(networks), out / COMBINED)
        return out / COMBINED

    def start(self) -> None:
        """Make the network and its trainer, with the perfect player if one is needed."""
        self.games = 0
        self.training_seconds = 0.0
        self.measuring_seconds = 0.0
        self._measuring = False
        self._referee = Referee(self.config.game) if self._needs_referee() else None
        self.network = self.config.make_network(self.desk.number)
        self.trainer = self._make_trainer()

    def phase(self) -> Phase | None:
        """Return the games that are trained."""
        if self.games >= self.config.games and self._measured():
            return None
        return Phase("training", "games", self.games, self.config.games)

    @property
    def heeds_stop(self) -> bool:
        """Whether it trains; a measurement is done again anyway, and can be broken off."""
        return not self._measuring

    def step(self) -> Sequence[NTupleRow]:
        """Measure if it is time for that, or train for a moment."""
        if self._due("measure", at_end=True) and not self._measured():
            self.save()
            self.desk.tell("measuring")
            self._measuring = True
            rows = self._measure()
            self._measuring = False
            return rows
        self.desk.tell("training")
        self._train(self._next_event())
        if self._due("replacement", at_end=False):
            self._replace_tuples()
        return []

    # ---- training ----
    def _make_trainer(self) -> _core.TdTrainer:
        game, referee = self.config.game, self._referee
        oracle = None
        if int(self.config.learning["cut"]) >= 0:
            assert referee is not None

            def oracle(core: _core.State) -> float:
                state = State(game, core)
                return referee.value(state) * (1.0 if state.to_move == 0 else -1.0)

        return _core.make_trainer(self.network._core, self.config.options(self.desk.number), oracle)

    def _train(self, end: int) -> None:
        began = time.perf_counter()
        threads = int(self.config.learning["threads"])
        try:
            self.games = self.trainer.train(self.games, end, threads, BREATH, self.desk.stop.flag)
        except _core.OptionError as error:
            raise SpecError(f"training of {self.config.game}: {error}") from None
        self.training_seconds += time.perf_counter() - began

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
        rng = _core.Rng(self.config.seed + self.desk.number + self.games)
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
        rows = self.desk.rows
        return bool(rows) and rows[-1].games == self.games

    def _measure(self) -> list[NTupleRow]:
        measured: list[NTupleRow] = []
        for opponent in self.config.opponents:
            found = self._measure_against(opponent)
            self.measuring_seconds += found.seconds
            options = self.config.options(self.desk.number)
            measured.append(
                NTupleRow(
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
        rows = [*self.desk.rows, *measured]
        self.network.training = self._facts(rows)
        save_network(self.network, self.desk.folder / "last.npz")
        own = [row for row in rows if row.opponent == self.config.opponents[0]]
        if own[-1].share >= max(row.share for row in own):
            save_network(self.network, self.desk.folder / "best.npz")
        return measured

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
    def _facts(self, rows: Sequence[NTupleRow]) -> dict[str, Any]:
        """How the network was trained, for its header."""
        return {
            "config": self.config.facts(),
            "run": self.desk.number,
            "games": self.games,
            "seconds": round(self.training_seconds, 1),
            "strength": [
                {"opponent": row.opponent, "share": row.share}
                for row in rows
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

    def save(self) -> None:
        """Write the checkpoint."""
        self._check_weights()
        header = {
            "format": FORMAT,
            "network": header_of(self.network),
            "config": self.config.facts(),
            "run": self.desk.number,
            "games": self.games,
            "training_seconds": self.training_seconds,
            "measuring_seconds": self.measuring_seconds,
            "rows": [asdict(row) for row in self.desk.rows],
        }
        arrays = {
            **pack("weights", self.network.weights),
            **pack("changes", self.trainer.changes),
            **pack("uses", self.trainer.uses),
        }
        write_arrays(self.desk.folder / CHECKPOINT, header, arrays, compress=False)

    def load(self) -> None:
        """Go on from the checkpoint."""
        path = self.desk.folder / CHECKPOINT
        if not path.exists():
            return
        with open_arrays(path) as file:
            header = file.header
            if header.get("format") != FORMAT:
                raise ModelError(
                    f"model {path}: it is no checkpoint of a training, or of another version"
                )
            if header.get("config") != self.config.facts() or header.get("run") != self.desk.number:
                raise SpecError(
                    f"{self.desk.folder} has a training with another configuration; give another "
                    "folder"
                )
            settings = header["network"]
            check_header(settings, path)
            # Tuples may have been replaced meanwhile, but by others of the same length.
            if count_weights(settings, self.config.game) != self.network.num_weights:
                raise ModelError(f"model {path}: its network is not that of its configuration")
            self.network = network_from(settings, self.config.game)
            self.games = int(header["games"])
            self.training_seconds = float(header["training_seconds"])
            self.measuring_seconds = float(header["measuring_seconds"])
            self.desk.rows = [typed(NTupleRow, row) for row in header["rows"]]
            self.trainer = self._make_trainer()
            outs: dict[str, npt.NDArray[Any]] = {
                "weights": self.network.weights,
                "changes": self.trainer.changes,
                "uses": self.trainer.uses,
            }
            for name, out in outs.items():
                unpack(name, file, out)
        self.network.training = self._facts(self.desk.rows)


def read_log(folder: Path) -> list[NTupleRow]:
    """Return the measurements of a run, from its ``log.csv``; `StoreError` if it is damaged."""
    return read_rows(folder / LOG, NTupleRow)


METHOD = NTuple
