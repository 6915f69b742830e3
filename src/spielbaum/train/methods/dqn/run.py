"""A training by deep Q-learning in its folder: rounds of games, lessons and measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielbaum.agents import Budget
from spielbaum.agents.net import NetAgent
from spielbaum.agents.trial import check_players
from spielbaum.arena.strength import measure_agent
from spielbaum.base.discover import load
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.play.limits import Limits
from spielbaum.train.data.games_file import Memory, Totals, read_games, read_games_of
from spielbaum.train.data.recording import Progress
from spielbaum.train.methods.dqn.config import METHOD, DqnConfig, read_config
from spielbaum.train.methods.dqn.database import Repetition, load_database, record_teacher
from spielbaum.train.methods.dqn.playing import play_games
from spielbaum.train.methods.dqn.replay import Replay
from spielbaum.train.methods.dqn.report import Row, write_metrics, write_plots
from spielbaum.train.rounds import RoundRun

if TYPE_CHECKING:
    from spielbaum.train.methods.dqn.learner import Learner


class Run(RoundRun[DqnConfig, Row]):
    """A training in a folder, which is made, or goes on where it was interrupted.

    Beside the checkpoint, ``games/`` has the games that are remembered, those of each round in a
    file of its own, and ``database/`` those of a teacher that stands in for masters.
    """

    method = METHOD
    row_type = Row

    def start(self) -> None:
        """Make the network and its memories."""
        config = self.config
        check_players((*config.play.opponents, *config.evaluation.opponents), config.rules())
        self._learner: Learner = load(__package__, "learner").Learner(self.config)
        game, shape = self._learner.game, self._learner.net.shape
        self._replay = Replay(game, shape, self.config.network.history)
        self._database = Replay(game, shape, self.config.network.history)
        self._memory = Memory(self.folder / "games", self.config.learning.memory_size)

    def load(self, path: Path) -> dict[str, Any]:
        """Go on from a checkpoint; answers its header."""
        return self._learner.load(path)

    def save(self, path: Path, header: Mapping[str, Any]) -> None:
        """Write a checkpoint with a header."""
        self._learner.save(path, header)

    def prepare(self) -> None:
        """Read the games of masters, and those that were played in earlier sittings."""
        game, settings = self._learner.game, self.config.database
        if self.config.needs_teacher:
            settings = record_teacher(self.config, self.folder / "database", self._tell_recorded)
        masters = load_database(settings, game)
        self._database.add(masters, settings.reward_plies)
        self._repetition = Repetition(masters, game, self.config.evaluation.repeated_plies)
        for file in self._memory.files:
            if file.generation <= len(self.rows):
                self._replay.add(read_games_of(file.path, game))

    def round(self, number: int) -> Row:
        """Play, learn, and perhaps measure."""
        if number > self.config.database.rounds:
            self.show("playing")
            self._play(number)
        self.show("learning")
        errors = self._learner.learn(number, self._replay, self._database)
        row = Row(
            round=number,
            games=self._memory.totals.games,
            positions=self._memory.totals.positions,
            steps=self._learner.steps,
            epsilon=round(self.config.epsilon(number), 4),
            q_loss=errors.q,
            conservative_loss=errors.conservative,
            regularisation_loss=errors.regularisation,
        )
        if self.is_due(number, self.config.evaluation.every):
            self.show("measuring")
            row = self._measured(row)
        return replace(row, seconds=self.seconds())

    def counts(self) -> dict[str, int]:
        """Games and steps so far."""
        return {"games": self._memory.totals.games, "steps": self._learner.steps}

    def draw(self) -> None:
        """Write ``metrics.csv`` and the drawings."""
        write_metrics(self.folder, self.rows)
        write_plots(self.folder, self.rows)

    @classmethod
    def read_config(cls, values: Mapping[str, Any]) -> DqnConfig:
        """A configuration from plain values."""
        return read_config(values)

    def _tell_recorded(self, now: Progress) -> None:
        done = f"{now.totals.positions:,} of {now.wanted:,}"
        self.show(f"recording games of {self.config.database.teacher} ({done} positions)")

    def _play(self, number: int) -> None:
        """Play the games of a round, if they are not there already, and remember them."""
        config, memory = self.config, self._memory
        if not memory.games_of(number):
            seed = [config.seed, number, 0]
            games = play_games(
                self._learner.game,
                config.play,
                self._learner.q_values,
                config.epsilon(number),
                seed,
            )
            new = Totals(len(games), sum(len(each.values) for each in games))
            memory.add(games, number, memory.totals + new)
        self._replay.add(read_games(memory.files[-1].path))
        before = memory.positions
        memory.forget(number)
        self._replay.forget(before - memory.positions)

    def _measured(self, row: Row) -> Row:
        """The row with what was measured; the network is written, and kept if it is the best."""
        settings = self.config.evaluation
        told: dict[str, Any] = {"round": row.round, "games": row.games}
        path = self.folder / "last.onnx"
        self._learner.export(path, told)
        budget = Limits.parse(settings.limits).budget(None)
        shares = {}
        for opponent in settings.opponents:
            found = measure_agent(
                NetAgent.of(NetEvaluator.load(path), play="policy"),
                opponent,
                self._learner.game,
                settings.games,
                opening=settings.opening,
                budget=Budget(),
                other_budget=budget,
            )
            shares[opponent] = found.share
        repeated, possible = self._repetition.measure(self._learner.q_values)
        row = replace(row, shares=shares, repeated=repeated, possible=possible)
        if self.is_best(row) or row.score is None:  # if nothing is measured, the last is the best
            facts = {"shares": shares, "repeated": repeated}
            self._learner.export(self.folder / "best.onnx", {**told, **facts})
        return row
