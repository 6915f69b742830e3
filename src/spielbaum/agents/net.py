"""The agent ``net``: a trained neural network, alone or inside a tree search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spielbaum import _core
from spielbaum.agents.agent import Agent, choices
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.mcts import MctsAgent
from spielbaum.agents.mcts_options import DEFAULTS
from spielbaum.agents.mcts_options import OPTIONS as MCTS_OPTIONS
from spielbaum.agents.random import SEED
from spielbaum.agents.registry import register_agent
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.base.options import Option, OptionValue
from spielbaum.models.evaluator import Q_SHARPNESS, NetEvaluator, Precision
from spielbaum.models.onnx_file import shared_net
from spielbaum.models.shipped import find_model

if TYPE_CHECKING:
    from spielbaum.base.budget import Budget
    from spielbaum.games import State

SEARCH = (
    *("c", "formula", "fpu", "fpu_drop", "root", "considered", "noise", "dirichlet"),
    *("temperature", "blend", "batch", "multi", "final", "solver", "reuse", "memory"),
)
"""Options of the tree search that a network's agent has."""
CHANGED: dict[str, OptionValue] = {"c": 1.5}
"""Give options of ``mcts`` the defaults that suit a network."""

_BY_PUCT = ("select", ("puct",))
_MCTS = {option.name: option for option in MCTS_OPTIONS}
OPTIONS = (
    Option(
        "path",
        "none",
        "file of a network, or name of one of the package: net:FILE",
        bare=True,
    ),
    Option(
        "play",
        "auto",
        "by what it moves: search is PUCT with the network's values and priors; policy, the move "
        "that the network likes best; value, the move whose position it likes best; auto, policy "
        "for a network of Q-values (DQN), and else search",
        choices=("auto", "search", "policy", "value"),
    ),
    *(
        replace(
            option,
            default=CHANGED.get(name, option.default),
            # The rule of selection is PUCT, and nobody can choose another one.
            only_with=None if option.only_with in (None, _BY_PUCT) else option.only_with,
        )
        for name, option in _MCTS.items()
        if name in SEARCH
    ),
    Option(
        "precision",
        "float",
        "numbers that the network computes with: float has 32 bits; int8 is up to 2.5 times as "
        "fast, and changes values by about 0.01",
        choices=("float", "int8"),
    ),
    *(_MCTS[name] for name in ("average", "cache", "seed")),
)


class NetAgent(Agent):
    """Plays by a network: its policy, its values, or a tree search with both.

    The search is PUCT: mean + c P sqrt(N) / (1 + n). It evaluates the position itself even if it is
    stopped at once, so that it never plays worse than the network's policy. ``Decision.stats`` have
    the value of the position by the network alone (``network``) and how often it was asked
    (``evaluations``). ``temperature`` also draws moves of ``play=policy``.
    """

    def __init__(
        self,
        path: str = "none",
        play: str = "auto",
        precision: Precision = "float",
        average: bool = False,
        cache: int = 20_000,
        seed: int = 0,
        **search: OptionValue,
    ) -> None:
        if path == "none":
            raise SpecError("agent net needs the file of a network, as in net:FILE")
        evaluator = NetEvaluator(shared_net(find_model(path, ".onnx")), cache, precision)
        self._start(evaluator, play, average, seed, search)

    @classmethod
    def of(
        cls,
        evaluator: NetEvaluator,
        play: str = "auto",
        seed: int = 0,
        average: bool = False,
        **search: OptionValue,
    ) -> NetAgent:
        """An agent for a network that is there already; several agents may share one."""
        made = cls.__new__(cls)
        made._start(evaluator, play, average, seed, search)
        return made

    def _start(
        self,
        evaluator: NetEvaluator,
        play: str,
        average: bool,
        seed: int,
        search: dict[str, OptionValue],
    ) -> None:
        self.evaluator = evaluator
        self._play = ("policy" if evaluator.net.is_q else "search") if play == "auto" else play
        self._average = average
        self._seed = seed
        self._rng = _core.Rng(seed)
        self._temperature = float(search.get("temperature", 0.0))
        self._search: MctsAgent | None = None
        if self._play == "search":
            self._search = puct_search(evaluator, seed, average=average, **search)

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Choose; only the search looks at the budget."""
        choices(state)
        net = self.evaluator.net
        if state.game != net.game:
            raise ModelError(f"the network is for {net.game}, not for {state.game}")
        before = self.evaluator.evaluations
        if self._search is not None:
            found = self._search.choose(state, budget)
        elif self._play == "policy":
            found = self._by_policy(state)
        else:
            found = self._by_value(state)
        asked = self.evaluator.evaluations - before
        values, _ = self.evaluator.evaluate_states([state])
        stats = {**found.stats, "evaluations": asked, "network": float(values[0, 0])}
        return replace(found, stats=stats)

    def stop(self) -> None:
        """End a running search."""
        if self._search is not None:
            self._search.stop()

    def reset(self, seed: int | None = None) -> None:
        """Forget the tree, and start the sequence of random numbers again."""
        self._rng = _core.Rng(self._seed if seed is None else int(SEED.check(seed)))
        if self._search is not None:
            self._search.reset(seed)

    def _by_policy(self, state: State) -> Decision:
        if not self.evaluator.net.has_policy:
            raise ModelError(
                f"model {self.evaluator.net.path}: it has values alone; expected play=value"
            )
        values, logits = self.evaluator.evaluate_states([state], average=self._average)
        legal = list(state.legal_moves)
        own = logits[0][legal].astype(np.float64)
        shares = np.exp(own - own.max())
        shares /= shares.sum()
        value = float(values[0, 0])
        worth = np.full(len(legal), value)
        if self.evaluator.net.is_q:
            worth = np.clip(own / Q_SHARPNESS, -1.0, 1.0)
        moves = tuple(
            MoveEval(move, each, prior=share, policy=share, pv=(move,))
            for move, each, share in zip(legal, worth.tolist(), shares.tolist(), strict=True)
        )
        move = legal[self._draw(shares)]
        return Decision(move, value, moves, (move,), state=state)

    def _draw(self, shares: np.ndarray[tuple[int], np.dtype[np.float64]]) -> int:
        """The largest share, or one that is drawn."""
        if self._temperature == 0.0:
            return int(np.argmax(shares))
        powers = np.exp(np.log(np.maximum(shares, 1e-30)) / self._temperature)
        sums = np.cumsum(powers / powers.sum())
        return min(int(np.searchsorted(sums, self._rng.below(2**30) / 2**30)), len(shares) - 1)

    def _by_value(self, state: State) -> Decision:
        player, players = state.to_move, state.num_players
        children = {move: state.play(move) for move in state.legal_moves}
        going_on = [child for child in children.values() if child.outcome is None]
        rows = np.zeros((0, 1), np.float32)
        if going_on:
            rows, _ = self.evaluator.evaluate_states(going_on, average=self._average)
        answers = iter(rows)
        moves = []
        for move, child in children.items():
            outcome = child.outcome
            if outcome is not None:
                value = outcome.rewards[player]
                moves.append(MoveEval(move, value, proven=value, pv=(move,)))
                continue
            row = next(answers)
            turn = (player - child.to_move) % players  # turns until the chooser moves again
            value = float(row[turn]) if len(row) > 1 else float(row[0]) * (-1.0 if turn else 1.0)
            moves.append(MoveEval(move, value, pv=(move,)))
        best = max(moves, key=lambda each: each.value)
        return Decision(best.move, best.value, tuple(moves), (best.move,), state=state)


def puct_search(
    evaluator: NetEvaluator, seed: int = 0, *, average: bool = False, **options: OptionValue
) -> MctsAgent:
    """PUCT with a network, as an agent; ``options`` are those of ``mcts`` in `SEARCH`."""
    rules = {**DEFAULTS, **CHANGED}
    rules.update(options, select="puct", playout="random", average=average, seed=seed)
    made = MctsAgent(**rules)  # type: ignore[arg-type]  # the seed is a whole number
    return made.with_evaluator(evaluator)


register_agent(
    "net",
    NetAgent,
    options=OPTIONS,
    help="a trained neural network, alone or inside a tree search",
)
