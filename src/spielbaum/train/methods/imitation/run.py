"""A training by imitation in its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spielbaum.agents import Budget
from spielbaum.agents.net import NetAgent
from spielbaum.agents.trial import check_players
from spielbaum.arena.strength import measure_agent
from spielbaum.base.discover import load
from spielbaum.base.errors import IllegalMove, SpecError
from spielbaum.base.figures import Curve, curves, save_figure
from spielbaum.base.statistics import Estimate
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.play.limits import Limits
from spielbaum.train.data.games_file import FileInfo, PlayedGame, read_games
from spielbaum.train.data.lessons import lessons
from spielbaum.train.data.recording import check_games
from spielbaum.train.data.samples import Samples
from spielbaum.train.methods.imitation.config import METHOD, ImitationConfig, read_config
from spielbaum.train.rounds import RoundRow, RoundRun
from spielbaum.train.run_folder import write_table

if TYPE_CHECKING:
    from spielbaum.train.methods.imitation.learner import Learner


@dataclass(frozen=True, kw_only=True)
class Row(RoundRow):
    """A round; a line of ``metrics.csv``.

    >>> row = Row(round=2, positions=5000, policy_loss=2.0, value_loss=0.25, accuracy=0.4,
    ...           held_policy_loss=2.1, held_value_loss=0.3)
    >>> print(row.line().partition("held")[2])
     out: policy 2.100, value 0.300  40.0 % of moves
    """

    positions: int = 0
    steps: int = 0
    policy_loss: float = 0.0
    value_loss: float = 0.0
    regularisation_loss: float = 0.0
    held_policy_loss: float | None = None
    """Cross-entropy of games that are not learnt from."""
    held_value_loss: float | None = None
    """Mean squared error of their values, in [-1, 1]."""
    accuracy: float | None = None
    """Share of their positions in which it likes the teacher's best move best."""
    shares: dict[str, float] = field(default_factory=dict)
    """Points by games against agents."""

    @property
    def loss(self) -> float:
        """What is minimised."""
        return self.policy_loss + self.value_loss + self.regularisation_loss

    @property
    def score(self) -> float | None:
        """The less it errs on games that it has not seen, the better."""
        if self.held_policy_loss is None or self.held_value_loss is None:
            return None
        return -(self.held_policy_loss + self.held_value_loss)

    def numbers(self) -> dict[str, float]:
        """What a curve can show."""
        numbers = {
            "loss/total": self.loss,
            "loss/policy": self.policy_loss,
            "loss/value": self.value_loss,
            "loss/regularisation": self.regularisation_loss,
            "held out/policy": self.held_policy_loss,
            "held out/value": self.held_value_loss,
            "held out/accuracy": self.accuracy,
        }
        numbers |= {f"share against {name}": each for name, each in self.shares.items()}
        return {name: number for name, number in numbers.items() if number is not None}

    def line(self) -> str:
        """The row in words."""
        text = super().line() + f"  {self.positions:,} positions  loss {self.loss:.3f}"
        if self.held_policy_loss is not None:
            text += f"  held out: policy {self.held_policy_loss:.3f}, value "
            text += f"{self.held_value_loss:.3f}"
        return "  ".join(filter(None, [text, self.strength()]))

    def strength(self) -> str:
        """What was measured, in a few words."""
        words = [] if self.accuracy is None else [f"{100 * self.accuracy:.1f} % of moves"]
        words += [f"{100 * share:.1f} % against {name}" for name, share in self.shares.items()]
        return "  ".join(words)


class Run(RoundRun[ImitationConfig, Row]):
    """A training in a folder, which is made, or goes on where it was interrupted.

    Folders of games may grow meanwhile: every round looks anew what is there.
    """

    method = METHOD
    row_type = Row

    def start(self) -> None:
        """Make the network."""
        check_players(self.config.evaluation.opponents, self.config.rules())
        self._learner: Learner = load(__package__, "learner").Learner(self.config)

    def load(self, path: Path) -> dict[str, Any]:
        """Go on from a checkpoint; answers its header."""
        return self._learner.load(path)

    def save(self, path: Path, header: Mapping[str, Any]) -> None:
        """Write a checkpoint with a header."""
        self._learner.save(path, header)

    def prepare(self) -> None:
        """Read the games that are held out."""
        settings = self.config.evaluation
        held: list[PlayedGame] = []
        for file in self._files():  # the oldest first: they are the same when more have been added
            if sum(len(each.values) for each in held) < settings.positions:
                held += self._games(file, held_out=True)
        self._held = self._lessons(held)

    def round(self, number: int) -> Row:
        """Read some games, learn from them, and perhaps measure."""
        self.show("reading")
        samples = self._drawn(number)
        self.show("learning")
        losses = self._learner.learn(samples, number)
        row = Row(
            round=number,
            positions=self._learner.positions,
            steps=self._learner.steps,
            policy_loss=losses.policy,
            value_loss=losses.value,
            regularisation_loss=losses.regularisation,
        )
        if self.is_due(number, self.config.evaluation.every):
            self.show("measuring")
            row = self._measured(row)
        return replace(row, seconds=self.seconds())

    def counts(self) -> dict[str, int]:
        """Positions and steps so far."""
        return {"positions": self._learner.positions, "steps": self._learner.steps}

    def draw(self) -> None:
        """Write ``metrics.csv`` and the drawings."""
        names = [name for name in Row.__dataclass_fields__ if name != "shares"]
        opponents = list(self.config.evaluation.opponents)
        table: list[list[object]] = [[*names, *(f"share against {each}" for each in opponents)]]
        for row in self.rows:
            shares = [row.shares.get(name) for name in opponents]
            table.append([*(getattr(row, name) for name in names), *shares])
        write_table(self.folder / "metrics.csv", table)
        wanted = {
            "total": "loss",
            "policy": "policy_loss",
            "value": "value_loss",
            "regularisation": "regularisation_loss",
            "policy, held out": "held_policy_loss",
            "value, held out": "held_value_loss",
        }
        lines = []
        for words, name in wanted.items():
            known = [(row.round, getattr(row, name)) for row in self.rows]
            points = [(float(place), value) for place, value in known if value is not None]
            if points:
                values = tuple(Estimate(value, value, value) for _, value in points)
                lines.append(Curve(words, tuple(place for place, _ in points), values))
        save_figure(curves("Losses", lines, labels=("rounds", "loss")), self.folder / "losses.svg")

    @classmethod
    def read_config(cls, values: Mapping[str, Any]) -> ImitationConfig:
        """A configuration from plain values."""
        return read_config(values)

    def _files(self) -> list[FileInfo]:
        if not self.config.games:
            raise SpecError("imitation needs games to learn from; give --games FOLDER")
        found = []
        for name in self.config.games:
            found += check_games(Path(name).expanduser(), self._learner.game)
        return found

    def _drawn(self, number: int) -> Samples:
        """Positions of files that are drawn, without those of held-out games."""
        files, wanted = self._files(), self.config.training.positions
        rng = np.random.default_rng([self.config.seed, number, 0])
        games: list[PlayedGame] = []
        for index in rng.permutation(len(files)):
            if sum(len(each.values) for each in games) >= wanted:
                break
            games += self._games(files[index], held_out=False)
        samples = self._lessons(games)
        if len(samples) == 0:
            raise SpecError(f"there are no positions to learn from in {self.config.games}")
        return samples

    def _games(self, file: FileInfo, *, held_out: bool) -> list[PlayedGame]:
        """The games of a file that are held out, or those that are not."""
        every = self.config.evaluation.held_out
        numbered = enumerate(read_games(file.path), start=file.first)
        return [each for number, each in numbered if (number % every == 0) is held_out]

    def _lessons(self, games: Sequence[PlayedGame]) -> Samples:
        game, config = self._learner.game, self.config
        try:
            return lessons(
                games,
                game,
                self._learner.net.shape,
                history=config.network.history,
                search_share=config.training.search_share,
                learn=config.training.learn,
            )
        except (IllegalMove, IndexError):
            raise SpecError(f"{', '.join(config.games)}: these are not games of {game}") from None

    def _measured(self, row: Row) -> Row:
        """The row with what was measured; the network is written, and kept if it is the best."""
        settings, learner = self.config.evaluation, self._learner
        if len(self._held):
            policy, value, accuracy = learner.judge(self._held)
            row = replace(row, held_policy_loss=policy, held_value_loss=value, accuracy=accuracy)
        path = self.folder / "last.onnx"
        learner.export(path, {"round": row.round})
        shares = {}
        for opponent in settings.opponents:
            found = measure_agent(
                NetAgent.of(NetEvaluator.load(path)),
                opponent,
                learner.game,
                settings.games,
                opening=settings.opening,
                budget=Budget(iterations=settings.simulations),
                other_budget=Limits.parse(settings.limits).budget(None),
            )
            shares[opponent] = found.share
        row = replace(row, shares=shares)
        if self.is_best(row):
            facts = {"round": row.round, "accuracy": row.accuracy, "shares": shares}
            learner.export(self.folder / "best.onnx", facts)
        return row
