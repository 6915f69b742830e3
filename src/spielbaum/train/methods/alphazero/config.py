"""All that determines an AlphaZero training: small TOML files, and those of the package.

The names are those of S4's figure 4.3 in lower case. ``recipe`` chooses what a file does not say:
``s4`` as the document did it (``docs/s4-differences.md`` lists what is left), or ``modern``, which
needs far fewer evaluations: a Gumbel root, playouts of two lengths, proven values, and values of
the search in the targets.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from spielbaum.arena.strength import check_opponents
from spielbaum.base.errors import SpecError
from spielbaum.models.evaluator import Precision
from spielbaum.train.config import Section, TrainConfig
from spielbaum.train.nets.net_config import NetConfig, shape_of

CONFIGS = Path(__file__).parent / "configs"


class SelfPlay(Section):
    """How games are played from which the network learns; section ``[self_play]``."""

    episodes: int = Field(default=15, ge=1, le=10_000_000)
    """Games before the network is trained again."""
    num_simulations: int = Field(default=50, ge=1, le=1_000_000)
    """Iterations of the search for every move."""
    memory_size: int = Field(default=30_000, ge=1, le=100_000_000)
    """Positions that are remembered on disk; the oldest games are forgotten first."""
    turns_until_not_random: int = Field(default=8, ge=0, le=10_000)
    """Plies in which moves are drawn by their visits; later the most visited is played."""
    const: float = Field(default=3.5, ge=0, le=1e6)
    """Weight of exploration."""
    formula: Literal["alphazero", "s3"] = "alphazero"
    """How visits count in it: const P sqrt(N) / (1 + n), or const P sqrt(N / (1 + n)) (S3), which
    explores more; matches and measurements have it, too."""
    epsilon: float = Field(default=0.2, ge=0, le=1)
    """Share of noise in the priors of the root."""
    alpha: float = Field(default=0.9, ge=0.001, le=1e6)
    """Parameter of that Dirichlet noise."""
    root: Literal["same", "gumbel"] = "same"
    """``gumbel``: sequential halving of sampled moves, which has noise of its own."""
    considered: int = Field(default=16, ge=1, le=65535)
    """Moves that a Gumbel root tries at first."""
    full_share: float = Field(default=1.0, gt=0, le=1)
    """Share of moves with all simulations; the others are only there to get on with the game."""
    fast_simulations: int = Field(default=10, ge=1, le=1_000_000)
    """Simulations of those others, whose visits are not learnt."""
    fpu: Literal["zero", "loss", "parent"] = "zero"
    """Worth of a move that was not tried yet."""
    solver: bool = False
    """Proven wins, draws and losses are kept, used, and learnt."""
    reuse: bool = True
    """The tree below the move that is played is kept (S4)."""
    opening_share: float = Field(default=0.0, ge=0, le=1)
    """Share of games that begin with random moves."""
    opening_plies: int = Field(default=6, ge=1, le=1000)
    """How many they are at most."""
    concurrent: int = Field(default=64, ge=1, le=4096)
    """Games that a process plays at a time, whose leaves are evaluated together."""
    processes: int = Field(default=0, ge=0, le=1024)
    """Processes; 0: one for each core."""
    cache: int = Field(default=100_000, ge=0, le=100_000_000)
    """Answers of the network that a process keeps."""
    precision: Precision = "float"
    """Numbers that the network computes with when it plays; ``int8`` is up to 2.5 times as fast."""
    end_at_proof: bool = False
    """A game of two players ends as soon as the search has proven its result."""
    max_plies: int = Field(default=1000, ge=1, le=100_000)
    """A game that is not over by then counts as a draw."""


class Retraining(Section):
    """How the network is trained; section ``[retraining]``."""

    starting_memory_size: int = Field(default=2000, ge=1, le=100_000_000)
    """Positions before training begins."""
    window_share: float = Field(default=1.0, gt=0, le=1)
    """Share of all positions so far that are learnt from, if the memory has as many: below 1, the
    clumsy games of the beginning are forgotten sooner."""
    batch_size_1: int = Field(default=1024, ge=1, le=10_000_000)
    """Positions that are drawn from the memory for a training loop."""
    batch_size_2: int = Field(default=256, ge=2, le=1_000_000)
    """Positions of one step of the optimizer."""
    epochs: int = Field(default=2, ge=1, le=1000)
    """How often each drawn position is used."""
    training_loops: int = Field(default=20, ge=1, le=1_000_000)
    """Training loops after each round of games."""
    samples_per_position: float = Field(default=0.0, ge=0, le=1000)
    """If not 0, there are as many training loops as use every new position so often on average."""
    reg_const: float = Field(default=0.00001, ge=0, le=10)
    """Weight of the sum of squared weights (L2)."""
    optimizer: Literal["adam", "sgd"] = "adam"
    learning_rate: float = Field(default=0.00002, gt=0, le=10)
    final_learning_rate: float = Field(default=0.0, ge=0, le=10)
    """If not 0, the learning rate falls to it over all updates, as a half cosine."""
    beta_1: float = Field(default=0.9, ge=0, lt=1)
    """Of Adam; the momentum of SGD."""
    beta_2: float = Field(default=0.999, ge=0, lt=1)
    clip_norm: float = Field(default=1.0, gt=0, le=1e9)
    """Longer gradients are shortened to this."""
    value_weight: float = Field(default=0.5, ge=0, le=1000)
    policy_weight: float = Field(default=0.5, ge=0, le=1000)
    mask_unvisited: bool = False
    """Leave legal moves that the search never visited out of the policy loss, like illegal ones:
    the logits of both are set to -100 (S4)."""
    search_share: float = Field(default=0.0, ge=0, le=1)
    """Share of the search's value in the target, beside the game's result."""
    result_share: float = Field(default=1.0, ge=0, le=1)
    """What the value of a position takes over from the next one, ply by ply from the result on, the
    rest being what the search believed: the lambda of TD(lambda)'s returns. 1: the result alone."""
    symmetries: bool = True
    """Every position is shown as a random one of its images."""
    threads: int = Field(default=1, ge=1, le=1024)
    """Threads of PyTorch; more are slower where others work on the same cores."""
    overlap: bool = False
    """Games go on with the network before while the next one is trained."""


class Evaluation(Section):
    """How it is decided which network plays on, and how strength is measured: ``[evaluation]``."""

    start_evaluation: int = Field(default=4, ge=0, le=1_000_000)
    """Updates before the first match."""
    before_first_match: Literal["newest", "untrained"] = "newest"
    """Network that plays until a gate's first match, and is the opponent there: the newest one, or
    the untrained one (S4)."""
    eval_episodes: int = Field(default=10, ge=0, le=100_000)
    """Games of a match between the new network and the best one; 0: there are none."""
    scoring_threshold: float = Field(default=1.3, ge=0, le=1000)
    """The new one is better if its wins / losses (ratio) or points / games (win_rate) exceed it."""
    gate: Literal["ratio", "win_rate", "none"] = "ratio"
    """``none``: the newest network plays in any case, and matches are for the ratings alone."""
    every: int = Field(default=1, ge=1, le=1_000_000)
    """Updates between two matches and measurements."""
    simulations: int = Field(default=50, ge=1, le=1_000_000)
    """Of matches and measurements."""
    positions: int = Field(default=0, ge=0, le=1_000_000)
    """Solved positions in which the network must keep the value; 0: none."""
    plies: tuple[int, int] = (4, 30)
    """First and last ply of these positions."""
    opponents: tuple[str, ...] = ()
    """Agents that are played against."""
    games: int = Field(default=20, ge=1, le=1_000_000)
    """Games against each."""
    opponent_iterations: int = Field(default=1000, ge=1, le=100_000_000)
    opening: int = Field(default=2, ge=0, le=100)
    """Random plies before the games of matches and against opponents."""


class AlphaZeroConfig(TrainConfig):
    """A whole configuration.

    >>> config = load_config("s4-chess")
    >>> config.self_play.num_simulations, config.retraining.learning_rate, config.network.blocks
    (50, 2e-05, 19)
    """

    configs = CONFIGS
    free = ("model_updates", "self_play.processes", "retraining.threads")
    tiny: ClassVar = {
        "model_updates": 2,
        "self_play.episodes": 4,
        "self_play.num_simulations": 8,
        "self_play.fast_simulations": 4,
        "self_play.concurrent": 4,
        "self_play.max_plies": 60,
        "retraining.starting_memory_size": 1,
        "retraining.batch_size_1": 32,
        "retraining.batch_size_2": 16,
        "retraining.training_loops": 2,
        "retraining.samples_per_position": 0.0,
        "retraining.epochs": 1,
        "evaluation.start_evaluation": 1,
        "evaluation.eval_episodes": 2,
        "evaluation.every": 1,
        "evaluation.simulations": 4,
        "evaluation.positions": 8,
        "evaluation.games": 2,
        "evaluation.opponent_iterations": 20,
    }
    before: ClassVar = {
        "retraining.mask_unvisited": False,
        "retraining.result_share": 1.0,
        "self_play.precision": "float",
        "self_play.end_at_proof": False,
        "evaluation.before_first_match": "newest",
    }

    game: str
    recipe: Literal["s4", "modern"] = "s4"
    model_updates: int = Field(default=20, ge=1, le=10_000_000)
    """How often the network is trained."""
    seed: int = Field(default=1, ge=0, le=2**62)
    network: NetConfig = Field(default_factory=lambda: NetConfig())
    self_play: SelfPlay = Field(default_factory=lambda: SelfPlay())
    retraining: Retraining = Field(default_factory=lambda: Retraining())
    evaluation: Evaluation = Field(default_factory=lambda: Evaluation())

    @classmethod
    def completed(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Return values with those that the recipe says.

        >>> read_config({"game": "tictactoe", "self_play": {"episodes": 0}})
        Traceback (most recent call last):
            ...
        spielbaum.base.errors.SpecError: self_play.episodes = 0: input should be greater than or \
equal to 1
        """
        recipe = RECIPES.get(str(values.get("recipe", "s4")), {})
        for section, defaults in recipe.items():
            own = values.get(section, {})
            values[section] = {**defaults, **own} if isinstance(own, Mapping) else own
        return values

    def check(self) -> None:
        """Raise `SpecError` for values that do not go together."""
        shape_of(self.rules(), self.network)
        if self.network.output != "heads":
            raise SpecError(
                f"network.output = {self.network.output!r}: AlphaZero needs 'heads', for it learns "
                "values and policies"
            )
        if self.network.policy == "none":
            raise SpecError("network.policy = 'none': AlphaZero needs a head for moves")
        if self.self_play.root == "gumbel" and self.self_play.epsilon:
            raise SpecError(
                f"self_play.epsilon = {self.self_play.epsilon}: expected 0 with root = 'gumbel', "
                "which has noise of its own"
            )
        if self.self_play.end_at_proof and not (
            self.self_play.solver and self.rules().num_players == 2
        ):
            raise SpecError(
                "self_play.end_at_proof = true: expected solver = true and a game of two players, "
                "for others have no proofs"
            )
        _check_evaluation(self)


RECIPES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "s4": {
        "retraining": {"mask_unvisited": True},
        "evaluation": {"before_first_match": "untrained"},
    },
    "modern": {
        "self_play": {
            "root": "gumbel",
            "num_simulations": 32,
            "full_share": 0.5,
            "fast_simulations": 8,
            "turns_until_not_random": 0,
            "epsilon": 0.0,
            "const": 1.5,
            "fpu": "parent",
            "solver": True,
            "reuse": False,
            "opening_share": 0.3,
            "episodes": 500,
            "memory_size": 200_000,
        },
        "retraining": {
            "learning_rate": 0.002,
            "final_learning_rate": 0.0002,
            "reg_const": 0.0001,
            "epochs": 1,
            "samples_per_position": 4.0,
            "search_share": 0.5,
            "value_weight": 1.0,
            "policy_weight": 1.0,
            "clip_norm": 5.0,
            "overlap": True,
            "window_share": 0.6,
        },
        "evaluation": {"gate": "none", "start_evaluation": 0, "every": 5},
    },
}
"""What recipes change in the defaults, whose numbers are those of S4."""


def _check_evaluation(config: AlphaZeroConfig) -> None:
    settings, players = config.evaluation, config.rules().num_players
    if settings.gate != "none" and (players != 2 or settings.eval_episodes == 0):
        reason = f"games of {players} players" if players != 2 else "eval_episodes = 0"
        raise SpecError(
            f"evaluation.gate = {settings.gate!r}: expected 'none' with {reason}, for there are no "
            "matches by which a network could pass"
        )
    if settings.gate == "win_rate" and settings.scoring_threshold >= 1:
        raise SpecError(
            f"evaluation.scoring_threshold = {settings.scoring_threshold}: expected a share below "
            "1 with gate = 'win_rate', for no network has more than all points"
        )
    if not 0 <= settings.plies[0] <= settings.plies[1]:
        raise SpecError(
            f"evaluation.plies = {list(settings.plies)}: expected the first ply, then the last"
        )
    check_opponents("evaluation.opponents", settings.opponents)


load_config, read_config = AlphaZeroConfig.load, AlphaZeroConfig.read
