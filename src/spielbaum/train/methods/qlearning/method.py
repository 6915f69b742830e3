"""Tabular Q-learning as a method: rounds of games against itself that fill the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from spielbaum.agents import Budget, Decision
from spielbaum.agents.qtable import QTable, QTableAgent
from spielbaum.agents.trial import check_players
from spielbaum.play.table import Player, Rules, Table, Turn, Watcher, play_one
from spielbaum.train.method import Phase, Shortcut
from spielbaum.train.methods.qlearning.config import QLearningConfig
from spielbaum.train.rounds import RoundMethod, RoundRow
from spielbaum.train.rows import Chart, Column

CHANGES = Chart("changes", "How much values change", "mean absolute change")


@dataclass(frozen=True, kw_only=True)
class QLearningRow(RoundRow):
    """A round; a line of ``metrics.csv``.

    >>> print(QLearningRow(round=2, games=2000, positions=900, change=0.125, epsilon=0.5).line())
        2: 0:00:00  2,000 games  900 positions  epsilon 0.50  change 0.1250
    """

    columns = (
        Column("games", "{:,} games", tag="games"),
        Column("positions", "{:,} positions", tag="positions"),
        Column("epsilon", "epsilon {:.2f}", tag="epsilon"),
        Column("change", "change {:.4f}", "change", CHANGES, "change"),
    )
    round: int
    seconds: float = 0.0
    games: int = 0
    positions: int = 0
    epsilon: float = 0.0
    change: float = 0.0
    """By how much values differed from what was found, on average."""
    shares: dict[str, float] = field(default_factory=dict)
    """Points by games against agents."""


class Learner(Watcher):
    """Fills the table while it watches a game: every move is corrected by the next position."""

    def __init__(self, config: QLearningConfig) -> None:
        self.table = QTable(config.rules())
        self.settings = config.learning
        self.changes: list[float] = []

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        """Learn from a move: Q(s, a) goes towards the reward, or the best value that follows."""
        following = turn.state.play(move)
        outcome = following.outcome
        if outcome is not None:
            found = outcome.rewards[turn.player]
        else:
            best = float(self.table.of(following)[self.table.best(following)])
            # With more than two players, what is good for another need not be bad for this one.
            same, two = following.to_move == turn.player, following.num_players == 2
            found = self.settings.discount * (best if same else -best if two else 0.0)
        values = self.table.of(turn.state)
        change = found - float(values[move])
        values[move] += self.settings.alpha * change
        self.changes.append(abs(change))

    def save(self, path: Path, header: Mapping[str, Any]) -> None:
        """Write the table."""
        self.table.save(path, header)

    def load(self, path: Path) -> Mapping[str, Any]:
        """Go on with a table that was written; return its header."""
        found = QTable.load(path)
        if found.game != self.table.game:
            raise ValueError
        self.table = found
        return found.training


class QLearning(RoundMethod[QLearningConfig, QLearningRow]):
    """Self-play with random moves, and a table that remembers what came of every move."""

    name = "qlearning"
    help = "Q-learning with a table, for small games"
    titles: ClassVar = {"en": "Q-learning (table)", "de": "Q-Learning (Tabelle)"}
    config_type = QLearningConfig
    row_type = QLearningRow
    needs = ()
    made = "best.npz for qtable:FILE"
    checkpoint = "checkpoint.npz"
    agents = ("evaluation.opponents",)
    heavy: ClassVar = {"games": "games", "positions": "positions"}
    shortcuts: ClassVar = {"rounds": Shortcut("rounds", "N", "Rounds of games.")}
    learner: Learner

    def start(self) -> None:
        """Make an empty table."""
        check_players(self.config.evaluation.opponents, self.desk.game)
        self.learner = Learner(self.config)

    def phase(self) -> Phase | None:
        """Return the rounds that are done; a table that is full ends them."""
        return None if len(self.learner.table) > self.config.positions else super().phase()

    def round(self, number: int) -> QLearningRow:
        """Play, learn, and perhaps measure."""
        config, learner = self.config, self.learner
        rng = np.random.default_rng([config.seed, number])
        share = (number - 1) / max(1, self.rounds - 1)
        first, last = config.learning.epsilon, config.learning.final_epsilon
        epsilon = first + share * (last - first)

        def pick(turn: Turn, decision: Decision) -> int:
            return (
                int(rng.choice(turn.state.legal_moves)) if rng.random() < epsilon else decision.move
            )

        start = self.desk.game.initial()
        player = Player(QTableAgent.of(learner.table), Budget(), pick)
        learner.changes = []
        for played in range(config.games):
            if played % 100 == 0:
                self._show("playing", (number - 1) * config.games + played)
            players = [player] * start.num_players
            play_one(Table(start, players, Rules("raise", config.max_plies), [learner]))
        games = number * config.games
        row = QLearningRow(
            round=number,
            games=games,
            positions=len(learner.table),
            epsilon=round(epsilon, 4),
            change=float(np.mean(learner.changes)),
        )
        if self.is_due(number):
            self._show("measuring", games)
            row = self._measured(row)
        return replace(row, seconds=self.desk.seconds())

    def _show(self, activity: str, games: int) -> None:
        self.desk.tell(activity, games=games, positions=len(self.learner.table))

    def _measured(self, row: QLearningRow) -> QLearningRow:
        """Measure the table and write it, whatever came out: the last one has seen most."""
        row = replace(row, shares=self.shares(lambda: QTableAgent.of(self.learner.table), Budget()))
        facts = {"method": self.name, "games": row.games, "shares": row.shares}
        self.learner.save(self.desk.folder / "best.npz", facts)
        return row


METHOD = QLearning
