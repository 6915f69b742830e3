"""All that determines a training by deep Q-learning: small TOML files, and those of the package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from spielbaum.arena.strength import check_opponents
from spielbaum.base.errors import SpecError
from spielbaum.train import rounds
from spielbaum.train.config import Section
from spielbaum.train.nets.net_config import NetConfig, shape_of
from spielbaum.train.rounds import RoundConfig

CONFIGS = Path(__file__).parent / "configs"


class Database(Section):
    """Games of masters, from which the network learns first; section ``[database]``."""

    games: tuple[str, ...] = ()
    """Files of game records, such as PGN, and folders that ``spielbaum record`` made."""
    teacher: str = ""
    """Agent whose games stand in where ``games`` names none: the training records them in its
    folder, once. Empty: no games stand in."""
    teacher_limits: str = ""
    """Limits of the teacher for each move, such as ``nodes=400``."""
    teacher_positions: int = Field(default=20_000, ge=1, le=100_000_000)
    """Positions that are recorded then."""
    most: int = Field(default=1_000_000, ge=1, le=100_000_000)
    """Positions that are taken from them."""
    rounds: int = Field(default=0, ge=0, le=10_000_000)
    """Rounds that learn from these games alone, before the network plays itself."""
    share: float = Field(default=0.25, ge=0, le=1)
    """Share of them in what is learnt in the rounds after those."""
    opening_plies: int = Field(default=10, ge=1, le=10_000)
    opening_share: float = Field(default=0.0, ge=0, le=1)
    """Share of what is drawn from the first ``opening_plies`` plies of games, however short these
    are: positions of openings look much alike, and take more effort to be told apart."""
    reward_plies: int = Field(default=10, ge=1, le=10_000)
    """The last plies of a game that are rewarded, rising linearly from 0 to its result (S4)."""
    conservative: float = Field(default=0.0, ge=0, le=1000)
    """How much it counts that moves are kept below the one that was played (CQL); 0: not at all."""
    temperature: float = Field(default=0.1, gt=0, le=100)
    """The difference of Q-values by which a move is then e times as likely as another."""


class Play(Section):
    """How the network plays the games from which it learns; section ``[play]``."""

    games: int = Field(default=64, ge=1, le=1_000_000)
    """Games of a round, which are played side by side."""
    epsilon: float = Field(default=1.0, ge=0, le=1)
    """Share of random moves in the first round with games."""
    final_epsilon: float = Field(default=0.05, ge=0, le=1)
    epsilon_rounds: int = Field(default=100, ge=1, le=10_000_000)
    """Rounds in which the share falls linearly from the one to the other."""
    opening: int = Field(default=0, ge=0, le=1000)
    """Random plies before a game, at most; nothing is learnt from them."""
    max_plies: int = Field(default=1000, ge=1, le=65_535)
    """A game that is not over by then counts as a draw."""
    opponents: tuple[str, ...] = ()
    """Agents that the network also plays against, such as ``uci:path=stockfish``."""
    opponents_share: float = Field(default=0.5, ge=0, le=1)
    """Share of games against them; the others are games with itself."""
    limits: str = ""
    """Limits of the opponents for each move, as ``depth=2`` or ``nodes=100``."""


class Learning(Section):
    """How the network learns from what it remembers; section ``[learning]``."""

    memory_size: int = Field(default=100_000, ge=1, le=100_000_000)
    """Positions that are remembered of the network's own games; the oldest are forgotten first."""
    steps: int = Field(default=100, ge=1, le=10_000_000)
    """Steps of the optimizer in a round."""
    batch_size: int = Field(default=128, ge=2, le=1_000_000)
    discount: float = Field(default=0.99, ge=0, le=1)
    """What a reward is worth one ply later (gamma)."""
    n_step: int = Field(default=1, ge=1, le=1000)
    """Plies whose rewards are added before the target network says what follows."""
    cut: bool = True
    """Such a sum ends before a move that was not the best one in the network's eyes."""
    double: bool = True
    """The network chooses the move that its target network judges (double DQN)."""
    target_every: int = Field(default=500, ge=1, le=10_000_000)
    """Steps after which the target network becomes equal to the network (C)."""
    loss: Literal["mse", "huber"] = "mse"
    learning_rate: float = Field(default=0.001, gt=0, le=10)
    final_learning_rate: float = Field(default=0.0, ge=0, le=10)
    """If not 0, the learning rate falls to it over all rounds, as a half cosine."""
    reg_const: float = Field(default=0.0, ge=0, le=10)
    """Weight of the sum of squared weights (L2)."""
    clip_norm: float = Field(default=5.0, gt=0, le=1e9)
    """Longer gradients are shortened to this."""
    symmetries: bool = True
    """Every position is shown as a random one of its images."""
    threads: int = Field(default=1, ge=1, le=1024)
    """Threads of PyTorch."""


class Evaluation(rounds.Evaluation):
    """How strength is measured while it learns; section ``[evaluation]``."""

    every: int = Field(default=50, ge=1, le=10_000_000)
    """Rounds between two measurements."""
    limits: str = ""
    """Limits of the opponents for each move, as ``depth=2``."""
    repeated_plies: tuple[int, int] = (1, 10)
    """Plies of the database's games in which it is counted how often the network plays as they."""


class DqnConfig(RoundConfig):
    """A whole configuration.

    >>> config = load_config("s4-chess")
    >>> config.network.blocks, config.network.output, config.database.reward_plies
    (19, 'relu', 10)
    """

    configs = CONFIGS
    tiny: ClassVar = {
        "rounds": 3,
        "database.rounds": 1,
        "database.most": 500,
        "database.teacher_positions": 50,
        "play.games": 4,
        "play.max_plies": 60,
        "learning.steps": 2,
        "learning.batch_size": 16,
        "learning.target_every": 1,
        "evaluation.every": 1,
        "evaluation.games": 2,
    }

    game: str
    rounds: int = Field(default=500, ge=1, le=10_000_000)
    """How often games are played and learnt from."""
    seed: int = Field(default=1, ge=0, le=2**62)
    network: NetConfig = Field(default_factory=lambda: NetConfig(output="linear"))
    database: Database = Field(default_factory=lambda: Database())
    play: Play = Field(default_factory=lambda: Play())
    learning: Learning = Field(default_factory=lambda: Learning())
    evaluation: Evaluation = Field(default_factory=lambda: Evaluation())

    def epsilon(self, number: int) -> float:
        """The share of random moves in a round.

        >>> config = read_config({"game": "tictactoe", "play": {"epsilon_rounds": 10}})
        >>> [round(config.epsilon(number), 3) for number in (1, 6, 100)]
        [1.0, 0.525, 0.05]
        """
        play = self.play
        done = min(1.0, max(0, number - 1 - self.database.rounds) / play.epsilon_rounds)
        return (1.0 - done) * play.epsilon + done * play.final_epsilon

    @property
    def needs_teacher(self) -> bool:
        """Whether games of the teacher stand in for those of masters.

        >>> load_config("s4-chess").needs_teacher, load_config("chess").needs_teacher
        (True, False)
        """
        database = self.database
        return bool(database.rounds and database.teacher and not database.games)

    @classmethod
    def completed(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Return values whose network has Q-values, unless it says something else."""
        network = values.get("network", {})
        if isinstance(network, Mapping):
            values["network"] = {"output": "linear", **network}
        return values

    def check(self) -> None:
        """Raise `SpecError` for values that do not go together.

        >>> read_config({"game": "yavalath:players=3"})
        Traceback (most recent call last):
            ...
        spielbaum.base.errors.SpecError: network.output = 'linear': Q-values need a head for moves \
and two players
        """
        if self.network.output == "heads":
            raise SpecError("network.output = 'heads': expected 'linear', or 'relu' as S4 had it")
        shape_of(self.rules(), self.network)
        play = self.play
        if self.database.teacher:
            teacher = (self.database.teacher,)
            check_opponents("database.teacher", teacher, self.database.teacher_limits)
        check_opponents("play.opponents", play.opponents, play.limits)
        super().check()


load_config, read_config = DqnConfig.load, DqnConfig.read
