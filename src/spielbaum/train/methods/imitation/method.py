"""Imitation as a method: rounds of reading, learning and measuring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from spielbaum.agents import Budget
from spielbaum.agents.net import NetAgent
from spielbaum.agents.trial import check_players
from spielbaum.base.discover import load
from spielbaum.base.errors import IllegalMove, SpecError
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.train.data.games_file import FileInfo, PlayedGame, read_games
from spielbaum.train.data.lessons import lessons
from spielbaum.train.data.recording import Progress, Recording, check_games, record
from spielbaum.train.data.samples import Samples
from spielbaum.train.method import Shortcut
from spielbaum.train.methods.imitation.config import ImitationConfig
from spielbaum.train.rounds import RoundMethod, RoundRow
from spielbaum.train.rows import LOSSES, Column

OWN = "recorded"
"""Folder of games that the training has recorded itself."""
OPENING = 4
"""Random plies before them, at most."""


@dataclass(frozen=True, kw_only=True)
class ImitationRow(RoundRow):
    """A round; a line of ``metrics.csv``.

    >>> row = ImitationRow(round=2, positions=5000, policy_loss=2.0, value_loss=0.25, accuracy=0.4,
    ...                    held_policy_loss=2.1, held_value_loss=0.3)
    >>> print(row.line().partition("held")[2])
     out: policy 2.100  value 0.300  40.0 % of moves
    """

    columns = (
        Column("positions", "{:,} positions"),
        Column("loss", "loss {:.3f}", "loss/total", LOSSES, "total"),
        Column("policy_loss", "", "loss/policy", LOSSES, "policy"),
        Column("value_loss", "", "loss/value", LOSSES, "value"),
        Column("regularisation_loss", "", "loss/regularisation", LOSSES, "regularisation"),
        Column(
            "held_policy_loss",
            "held out: policy {:.3f}",
            "held out/policy",
            LOSSES,
            "policy, held out",
        ),
        Column("held_value_loss", "value {:.3f}", "held out/value", LOSSES, "value, held out"),
        Column("accuracy", "{:.1f} % of moves", "held out/accuracy", percent=True, strength=True),
    )
    round: int
    seconds: float = 0.0
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


class Imitation(RoundMethod[ImitationConfig, ImitationRow]):
    """Learning from recorded games.

    Folders of games may grow meanwhile: every round looks anew what is there.
    """

    name = "imitation"
    help = "a network for moves and values, from recorded games of others"
    titles: ClassVar = {"en": "Imitation", "de": "Nachahmung"}
    aliases = ("imitate",)
    config_type = ImitationConfig
    row_type = ImitationRow
    agents = ("evaluation.opponents",)
    hidden = ("games", "teacher.agent", "teacher.limits")
    heavy: ClassVar = {
        "teacher.positions": "positions",
        "training.positions": "positions",
        "training.threads": "threads",
    }
    shortcuts: ClassVar = {
        "games": Shortcut("games", "FOLDER", "Recorded games; see spielbaum record.", several=True),
        "learn": Shortcut(
            "training.learn",
            "WHO",
            "In games of two agents: learn the moves of both, or of the first or second.",
        ),
        "rounds": Shortcut("rounds", "N", "Rounds of lessons."),
    }

    @classmethod
    def is_complete(cls, config: ImitationConfig) -> bool:
        """Return whether it records the games that it learns from."""
        return bool(config.teacher.agent)

    @classmethod
    def check(
        cls, config: ImitationConfig, inputs: Mapping[str, Any], folder: Path | None
    ) -> Mapping[str, Any]:
        """Look whether there is anything to learn from."""
        if not config.games and not config.teacher.agent:
            raise SpecError("imitation needs games to learn from; give --games FOLDER")
        return inputs

    def start(self) -> None:
        """Make the network."""
        check_players(self.config.evaluation.opponents, self.config.rules())
        self.learner = load(__package__, "learner").Learner(self.config)

    def prepare(self) -> None:
        """Read the games that are held out; record some first, if none are named."""
        if not self.config.games:
            self._record()
        settings = self.config.evaluation
        held: list[PlayedGame] = []
        for file in self._files():  # the oldest first: they are the same when more have been added
            if sum(len(each.values) for each in held) < settings.positions:
                held += self._games(file, held_out=True)
        self._held = self._lessons(held)

    def round(self, number: int) -> ImitationRow:
        """Read some games, learn from them, and perhaps measure."""
        self._show("reading")
        samples = self._drawn(number)
        self._show("learning")
        losses = self.learner.learn(samples, number)
        row = ImitationRow(
            round=number,
            positions=self.learner.positions,
            steps=self.learner.steps,
            policy_loss=losses.policy,
            value_loss=losses.value,
            regularisation_loss=losses.regularisation,
        )
        if self.is_due(number):
            self._show("measuring")
            row = self._measured(row)
        return replace(row, seconds=self.desk.seconds())

    def _show(self, activity: str) -> None:
        self.desk.tell(activity, positions=self.learner.positions, steps=self.learner.steps)

    def _files(self) -> list[FileInfo]:
        folders = [Path(name).expanduser() for name in self.config.games]
        found = []
        for folder in folders or [self.desk.folder / OWN]:
            found += check_games(folder, self.learner.game)
        return found

    def _record(self) -> None:
        """Record games of the teacher, unless they are there."""
        teacher = self.config.teacher

        def tell(now: Progress) -> None:
            self._show(f"recording games of {teacher.agent} ({now.totals.positions:,} positions)")

        recording = Recording(
            self.config.game,
            teacher.agent,
            teacher.limits,
            opening=OPENING,
            max_plies=teacher.max_plies,
            seed=self.config.seed,
        )
        record(recording, self.desk.folder / OWN, teacher.positions, report=tell)

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
        game, config = self.learner.game, self.config
        try:
            return lessons(
                games,
                game,
                self.learner.net.shape,
                history=config.network.history,
                search_share=config.training.search_share,
                learn=config.training.learn,
            )
        except (IllegalMove, IndexError):
            raise SpecError(f"{', '.join(config.games)}: these are not games of {game}") from None

    def _measured(self, row: ImitationRow) -> ImitationRow:
        """The row with what was measured; the network is written, and kept if it is the best."""
        settings, learner = self.config.evaluation, self.learner
        if len(self._held):
            policy, value, accuracy = learner.judge(self._held)
            row = replace(row, held_policy_loss=policy, held_value_loss=value, accuracy=accuracy)
        path = self.desk.folder / "last.onnx"
        learner.export(path, {"round": row.round})
        budget = Budget(iterations=settings.simulations)
        shares = self.shares(lambda: NetAgent.of(NetEvaluator.load(path)), budget)
        row = replace(row, shares=shares)
        if self.desk.is_best(row.score):
            facts = {"round": row.round, "accuracy": row.accuracy, "shares": shares}
            learner.export(self.desk.folder / "best.onnx", facts)
        return row


METHOD = Imitation
