"""Methods that go on in rounds: a learner, its checkpoint, and games against opponents.

``checkpoint.safetensors`` has everything of the round that was finished last: networks, optimizer
and rows. A round depends on nothing but it, its number and the games on disk, so that a run that
was killed goes on as if nothing had happened.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic import Field

from spielbaum.agents import Agent, Budget
from spielbaum.arena.strength import check_opponents, measure_agent
from spielbaum.base.bounded import typed
from spielbaum.play.limits import Limits
from spielbaum.train.config import Section, TrainConfig
from spielbaum.train.method import Method, Phase
from spielbaum.train.rows import Row
from spielbaum.train.run_folder import CHECKPOINT


class Evaluation(Section):
    """How it is measured what was learnt; section ``[evaluation]``."""

    every: int = Field(default=5, ge=1, le=10_000_000)
    """Rounds between two measurements."""
    opponents: tuple[str, ...] = ("random",)
    """Agents that are played against."""
    games: int = Field(default=100, ge=1, le=1_000_000)
    """Games against each, of pairs with swapped seats."""
    opening: int = Field(default=2, ge=0, le=100)
    """Random plies before these games."""
    limits: str = "iterations=1000"
    """Limits of the opponents for each move."""


class RoundConfig(TrainConfig):
    """A configuration with a number of rounds, and an `Evaluation`; subclasses have the fields."""

    free = ("rounds",)
    if TYPE_CHECKING:
        rounds: int
        evaluation: Evaluation

    def check(self) -> None:
        """Raise `SpecError` for values that do not go together."""
        self.rules()  # says what is wrong with the game
        settings = self.evaluation
        check_opponents("evaluation.opponents", settings.opponents, settings.limits)


class RoundRow(Row):
    """A round; its field ``shares`` has points by games against the opponents of `Evaluation`."""

    @property
    def score(self) -> float | None:
        """The mean of the points against all opponents."""
        shares = vars(self)["shares"].values()
        return sum(shares) / len(shares) if shares else None

    @property
    def is_news(self) -> bool:
        """Whether the round was measured."""
        return self.score is not None


C = TypeVar("C", bound=RoundConfig)
R = TypeVar("R", bound=RoundRow)


class RoundMethod(Method[C, R]):
    """A method whose step is a round."""

    checkpoint: ClassVar[str] = CHECKPOINT
    """Name of the learner's file."""
    learner: Any
    """Made by ``start``; has ``save(path, header)``, and ``load(path)``, which returns it."""

    @property
    def rounds(self) -> int:
        """Number of all rounds."""
        return self.config.rounds

    def load(self) -> None:
        """Go on from the checkpoint."""
        path = self.desk.folder / self.checkpoint
        if path.exists():
            header = self.learner.load(path)
            if header["method"] != self.name:
                raise ValueError
            self.desk.rows = [typed(self.row_type, row) for row in header["rows"]]

    def save(self) -> None:
        """Write the checkpoint."""
        rows = [asdict(row) for row in self.desk.rows]  # type: ignore[call-overload]
        self.learner.save(self.desk.folder / self.checkpoint, {"method": self.name, "rows": rows})

    def phase(self) -> Phase | None:
        """Return the rounds that are done."""
        done = len(self.desk.rows)
        return Phase("rounds", "rounds", done, self.rounds) if done < self.rounds else None

    def step(self) -> Sequence[R]:
        """Do a round."""
        return [self.round(len(self.desk.rows) + 1)]

    @abstractmethod
    def round(self, number: int) -> R:
        """Do a round; return what was measured."""

    def is_due(self, number: int) -> bool:
        """Return whether a round is measured: one in so many, and the last."""
        return number % self.config.evaluation.every == 0 or number == self.rounds

    def shares(self, make: Callable[[], Agent], budget: Budget) -> dict[str, float]:
        """Let a new agent play each opponent of ``[evaluation]``; return points by games."""
        settings = self.config.evaluation
        return {
            opponent: measure_agent(
                make(),
                opponent,
                self.desk.game,
                settings.games,
                opening=settings.opening,
                budget=budget,
                other_budget=Limits.parse(settings.limits).budget(None),
            ).share
            for opponent in settings.opponents
        }
