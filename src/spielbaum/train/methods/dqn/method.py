"""Deep Q-learning as a method: rounds of games, lessons and measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from spielbaum.agents import Budget
from spielbaum.agents.net import NetAgent
from spielbaum.agents.trial import check_players
from spielbaum.base.discover import load
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.train.data.games_file import Memory, Totals, read_games, read_games_of
from spielbaum.train.data.recording import Progress
from spielbaum.train.method import Shortcut
from spielbaum.train.methods.dqn.config import DqnConfig
from spielbaum.train.methods.dqn.database import (
    Repetition,
    load_database,
    record_teacher,
    teacher_recording,
)
from spielbaum.train.methods.dqn.playing import play_games
from spielbaum.train.methods.dqn.replay import Replay
from spielbaum.train.rounds import RoundMethod, RoundRow
from spielbaum.train.rows import LOSSES, STRENGTH, Column


@dataclass(frozen=True, kw_only=True)
class DqnRow(RoundRow):
    """A round; a line of ``metrics.csv``.

    >>> row = DqnRow(
    ...     round=5, seconds=60, games=100, epsilon=0.5, q_loss=0.25, shares={"random": 0.9}
    ... )
    >>> print(row.line())
        5: 0:01:00  100 games  epsilon 0.50  loss 0.250  90.0 % against random
    """

    columns = (
        Column("games", "{:,} games", tag="games"),
        Column("epsilon", "epsilon {:.2f}", tag="epsilon"),
        Column("loss", "loss {:.3f}", "loss/total", LOSSES, "total"),
        Column("q_loss", "", "loss/q", LOSSES, "q"),
        Column("conservative_loss", "", "loss/conservative", LOSSES, "conservative"),
        Column("regularisation_loss", "", "loss/regularisation", LOSSES, "regularisation"),
        Column(
            "repeated",
            "{:.1f} % of the masters' moves",
            "repeated",
            STRENGTH,
            "moves of masters repeated",
            percent=True,
            strength=True,
        ),
    )
    round: int
    seconds: float = 0.0
    games: int = 0
    positions: int = 0
    steps: int = 0
    """Of the optimizer, so far."""
    epsilon: float = 0.0
    q_loss: float = 0.0
    conservative_loss: float = 0.0
    regularisation_loss: float = 0.0
    repeated: float | None = None
    """Share of the database's moves that the greedy network plays, too."""
    possible: float | None = None
    """The most that this can be: not all games go on alike from the same position."""
    shares: dict[str, float] = field(default_factory=dict)
    """Points by games against agents."""

    @property
    def loss(self) -> float:
        """What is minimised."""
        return self.q_loss + self.conservative_loss + self.regularisation_loss

    @property
    def score(self) -> float | None:
        """What decides which network is the best: points, or how often it plays as masters did."""
        return super().score if self.shares else self.repeated

    def strength(self) -> str:
        """Return what was measured, and how much of the masters' moves can be repeated at all."""
        most = "" if self.possible is None else f" (at most {100 * self.possible:.1f} %)"
        return super().strength() + most


class Dqn(RoundMethod[DqnConfig, DqnRow]):
    """Deep Q-learning.

    Beside the checkpoint, ``games/`` has the games that are remembered, those of each round in a
    file of its own, and ``database/`` those of a teacher that stands in for masters.
    """

    name = "dqn"
    help = "deep Q-learning: a network for what each move is worth"
    titles: ClassVar = {"en": "Deep Q-learning", "de": "Deep Q-Learning"}
    config_type = DqnConfig
    row_type = DqnRow
    agents = ("play.opponents", "evaluation.opponents")
    hidden = (
        "database.games",
        "database.teacher",
        "database.teacher_limits",
        "database.teacher_positions",
    )
    heavy: ClassVar = {
        "play.games": "games",
        "learning.memory_size": "positions",
        "learning.threads": "threads",
    }
    shortcuts: ClassVar = {
        "games": Shortcut(
            "database.games",
            "PATH",
            "File of games (PGN, WTHOR, ...), or folder of recorded games, to learn from.",
            several=True,
        ),
        "rounds": Shortcut("rounds", "N", "Rounds of games and lessons."),
    }

    @classmethod
    def is_complete(cls, config: DqnConfig) -> bool:
        """Return whether it learns from its own games alone."""
        return not config.database.rounds

    @classmethod
    def check(
        cls, config: DqnConfig, inputs: Mapping[str, Any], folder: Path | None
    ) -> Mapping[str, Any]:
        """Look whether the teacher can play that stands in where no games are named."""
        if config.needs_teacher:
            teacher_recording(config)
        return inputs

    def start(self) -> None:
        """Make the network and its memories."""
        config = self.config
        check_players((*config.play.opponents, *config.evaluation.opponents), config.rules())
        self.learner = load(__package__, "learner").Learner(self.config)
        game, shape = self.learner.game, self.learner.net.shape
        self._replay = Replay(game, shape, self.config.network.history)
        self._database = Replay(game, shape, self.config.network.history)
        self._memory = Memory(self.desk.folder / "games", self.config.learning.memory_size)

    def prepare(self) -> None:
        """Read the games of masters, and those that were played in earlier sittings."""
        game, settings = self.learner.game, self.config.database
        if self.config.needs_teacher:
            self.desk.note(
                f"no games are named (--games FILE.pgn): games of {settings.teacher} stand in for "
                "those of masters"
            )
            settings = record_teacher(
                self.config, self.desk.folder / "database", self._tell_recorded
            )
        masters = load_database(settings, game)
        self._database.add(masters, settings.reward_plies)
        self._repetition = Repetition(masters, game, self.config.evaluation.repeated_plies)
        for file in self._memory.files:
            if file.generation <= len(self.desk.rows):
                self._replay.add(read_games_of(file.path, game))

    def round(self, number: int) -> DqnRow:
        """Play, learn, and perhaps measure."""
        if number > self.config.database.rounds:
            self._show("playing")
            self._play(number)
        self._show("learning")
        errors = self.learner.learn(number, self._replay, self._database)
        row = DqnRow(
            round=number,
            games=self._memory.totals.games,
            positions=self._memory.totals.positions,
            steps=self.learner.steps,
            epsilon=round(self.config.epsilon(number), 4),
            q_loss=errors.q,
            conservative_loss=errors.conservative,
            regularisation_loss=errors.regularisation,
        )
        if self.is_due(number):
            self._show("measuring")
            row = self._measured(row)
        return replace(row, seconds=self.desk.seconds())

    def _show(self, activity: str) -> None:
        self.desk.tell(activity, games=self._memory.totals.games, steps=self.learner.steps)

    def _tell_recorded(self, now: Progress) -> None:
        done = f"{now.totals.positions:,} of {now.wanted:,}"
        self._show(f"recording games of {self.config.database.teacher} ({done} positions)")

    def _play(self, number: int) -> None:
        """Play the games of a round, if they are not there already, and remember them."""
        config, memory = self.config, self._memory
        if not memory.games_of(number):
            seed = [config.seed, number, 0]
            games = play_games(
                self.learner.game,
                config.play,
                self.learner.q_values,
                config.epsilon(number),
                seed,
            )
            new = Totals(len(games), sum(len(each.values) for each in games))
            memory.add(games, number, memory.totals + new)
        self._replay.add(read_games(memory.files[-1].path))
        before = memory.positions
        memory.forget(number)
        self._replay.forget(before - memory.positions)

    def _measured(self, row: DqnRow) -> DqnRow:
        """The row with what was measured; the network is written, and kept if it is the best."""
        told: dict[str, Any] = {"round": row.round, "games": row.games}
        path = self.desk.folder / "last.onnx"
        self.learner.export(path, told)
        shares = self.shares(lambda: NetAgent.of(NetEvaluator.load(path), play="policy"), Budget())
        repeated, possible = self._repetition.measure(self.learner.q_values)
        row = replace(row, shares=shares, repeated=repeated, possible=possible)
        # If nothing is measured, the last is the best.
        if row.score is None or self.desk.is_best(row.score):
            facts = {"shares": shares, "repeated": repeated}
            self.learner.export(self.desk.folder / "best.onnx", {**told, **facts})
        return row


METHOD = Dqn
