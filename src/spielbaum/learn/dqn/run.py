"""A training by deep Q-learning in its folder: rounds of games, lessons and measurements.

``checkpoint.safetensors`` has the networks, the optimizer and all results of the round that was
finished last; ``games/`` has the games that are remembered. Both are there as a whole or not at
all, and a round depends on nothing but these and its number: a run that was killed goes on as if
nothing had happened.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielbaum.agents import Budget
from spielbaum.agents.net import NetAgent
from spielbaum.arena.limits import Limits
from spielbaum.errors import ModelError, SpecError
from spielbaum.learn.alphazero.games_file import Memory, Totals, read_games
from spielbaum.learn.arrays import write_atomically
from spielbaum.learn.config_files import read_toml, write_toml
from spielbaum.learn.dqn.config import DqnConfig, read_config
from spielbaum.learn.dqn.database import Repetition, load_database
from spielbaum.learn.dqn.playing import play_games
from spielbaum.learn.dqn.replay import Replay
from spielbaum.learn.dqn.report import Row, write_metrics, write_plots
from spielbaum.learn.event_log import EventLog
from spielbaum.learn.nets.evaluator import NetEvaluator
from spielbaum.learn.run_folder import take_lock
from spielbaum.learn.strength import measure_agent

if TYPE_CHECKING:
    from spielbaum.learn.dqn.learner import Learner

CHECKPOINT = "checkpoint.safetensors"
METHOD = "dqn"


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    round: int
    of: int
    phase: str
    totals: Totals
    rates: tuple[float, float]
    """Games and steps per second, in this sitting."""
    seconds_left: float | None
    rows: tuple[Row, ...]


class Run:
    """A training in a folder, which is made, or goes on where it was interrupted."""

    def __init__(self, config: DqnConfig, folder: Path) -> None:
        self.config = config
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._check_config()
        self._lock = take_lock(folder)
        self.rows: list[Row] = []
        self._best_score = -1.0
        self._report: Callable[[Progress], None] | None = None
        self._phase = "starting"
        self._began = time.monotonic()
        self._before = 0.0
        self._first: tuple[int, int] = (0, 0)

    def run(self, report: Callable[[Progress], None] | None = None) -> list[Row]:
        """Train to the last round; what was done is kept whenever it is interrupted."""
        from spielbaum.learn.dqn.learner import Learner

        self._report = report
        with self._lock:
            learner = Learner(self.config)
            if (self.folder / CHECKPOINT).exists():
                self._restore(learner)
            if len(self.rows) < self.config.rounds:
                with EventLog(self.folder) as events:
                    self._train(learner, events)
            write_plots(self.folder, self.rows)
        return self.rows

    def _train(self, learner: Learner, events: EventLog) -> None:
        config, game = self.config, learner.game
        self._show()
        shape, history = learner.net.shape, config.network.history
        database = Replay(game, shape, history)
        played = load_database(config.database, game)
        database.add(played, config.database.reward_plies)
        repetition = Repetition(played, game, config.evaluation.repeated_plies)
        memory = Memory(self.folder / "games", config.learning.memory_size)
        replay = Replay(game, shape, history)
        done = len(self.rows)
        for file in memory.files:
            if file.generation <= done:
                replay.add(read_games(file.path))
        self._first = (memory.totals.games, learner.steps)
        for number in range(done + 1, config.rounds + 1):
            if number > config.database.rounds:
                self._play(number, learner, memory, replay)
            self._phase = "learning"
            self._show(memory.totals, learner.steps)
            errors = learner.learn(number, replay, database)
            row = Row(
                number,
                round(self._before + time.monotonic() - self._began, 1),
                memory.totals.games,
                memory.totals.positions,
                learner.steps,
                round(config.epsilon(number), 4),
                errors.q,
                errors.conservative,
                errors.regularisation,
            )
            if number % config.evaluation.every == 0 or number == config.rounds:
                row = self._measured(row, learner, repetition)
            self.rows.append(row)
            learner.save(self.folder / CHECKPOINT, self._header())
            events.add(number, row.numbers())
            if row.score is not None:
                write_metrics(self.folder, self.rows)
                write_plots(self.folder, self.rows)
            self._show(memory.totals, learner.steps)

    def _play(self, number: int, learner: Learner, memory: Memory, replay: Replay) -> None:
        """Play the games of a round, if they are not there already, and remember them."""
        self._phase = "playing"
        self._show(memory.totals, learner.steps)
        if not memory.games_of(number):
            seed = [self.config.seed, number, 0]
            epsilon = self.config.epsilon(number)
            games = play_games(learner.game, self.config.play, learner.q_values, epsilon, seed)
            new = Totals(len(games), sum(len(each.values) for each in games))
            memory.add(games, number, memory.totals + new)
        replay.add(read_games(memory.files[-1].path))
        before = memory.positions
        memory.forget(number)
        replay.forget(before - memory.positions)

    def _measured(self, row: Row, learner: Learner, repetition: Repetition) -> Row:
        """The row with what was measured; the network is written, and kept if it is the best."""
        self._phase = "measuring"
        settings = self.config.evaluation
        told: dict[str, Any] = {"round": row.round, "games": row.games}
        path = self.folder / "last.onnx"
        learner.export(path, told)
        budget = Limits.parse(settings.limits).budget(None)
        shares = {}
        for opponent in settings.opponents:
            player = NetAgent.of(NetEvaluator.load(path), play="policy")
            found = measure_agent(
                player,
                opponent,
                learner.game,
                settings.games,
                opening=settings.opening,
                budget=Budget(),
                other_budget=budget,
            )
            shares[opponent] = found.share
        repeated, possible = repetition.measure(learner.q_values)
        measured = Row(**{**asdict(row), "repeated": repeated, "possible": possible})
        measured = Row(**{**asdict(measured), "shares": shares})
        score = measured.score
        if score is not None and score >= self._best_score:
            self._best_score = score
            learner.export(self.folder / "best.onnx", {**told, "shares": shares})
        return measured

    # ---- files ----
    def _header(self) -> dict[str, Any]:
        return {
            "method": METHOD,
            "best_score": self._best_score,
            "rows": [asdict(row) for row in self.rows],
        }

    def _restore(self, learner: Learner) -> None:
        header = learner.load(self.folder / CHECKPOINT)
        try:
            self.rows = [Row(**row) for row in header["rows"]]
            self._best_score = float(header["best_score"])
        except (KeyError, TypeError, ValueError):
            raise ModelError(f"training {self.folder}: its checkpoint is damaged") from None
        if self.rows:
            self._before = self.rows[-1].seconds
            write_metrics(self.folder, self.rows)  # perhaps it came no further than the checkpoint

    def _check_config(self) -> None:
        path = self.folder / "config.toml"
        if not path.exists():
            told = {"method": METHOD, **self.config.model_dump(mode="json")}
            write_atomically(path, write_toml(told).encode())
        elif not saved_config(self.folder).same_training(self.config):
            raise SpecError(
                f"{self.folder} has a training with another configuration; give another folder"
            )

    # ---- progress ----
    def _show(self, totals: Totals | None = None, steps: int = 0) -> None:
        if self._report is None:
            return
        seconds = max(time.monotonic() - self._began, 1e-6)
        totals = totals or Totals()
        rates = (
            (totals.games - self._first[0]) / seconds if totals.games else 0.0,
            (steps - self._first[1]) / seconds if steps else 0.0,
        )
        left = None
        recent = self.rows[-50:]
        if len(recent) > 1:
            each = (recent[-1].seconds - recent[0].seconds) / (len(recent) - 1)
            left = each * (self.config.rounds - len(self.rows))
        self._report(
            Progress(
                min(len(self.rows) + 1, self.config.rounds),
                self.config.rounds,
                self._phase,
                totals,
                rates,
                left,
                tuple(self.rows),
            )
        )


def saved_config(folder: Path) -> DqnConfig:
    """The configuration of a training's folder; `SpecError` if it has none of this kind."""
    values = read_toml(folder / "config.toml")
    if values.pop("method", None) != METHOD:
        raise SpecError(f"{folder} has a training of another method; give another folder")
    return read_config(values)
