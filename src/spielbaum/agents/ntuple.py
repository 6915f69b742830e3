"""The agent ``ntuple``: a trained n-tuple network, alone or at the leaves of alpha-beta."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spielbaum import _core
from spielbaum.agents.agent import Agent, choices
from spielbaum.agents.alphabeta import AlphaBetaAgent
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.random import SEED
from spielbaum.agents.registry import register_agent
from spielbaum.base.budget import Budget
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.base.memory import memory_option
from spielbaum.base.options import Option
from spielbaum.models.ntuple_file import shared_network
from spielbaum.models.shipped import find_model

if TYPE_CHECKING:
    from spielbaum.games import State
    from spielbaum.models.ntuple import NTupleNetwork

OPTIONS = (
    Option(
        "path",
        "none",
        "file of a network, or name of one of the package: ntuple:FILE",
        bare=True,
    ),
    Option(
        "depth",
        0,
        "plies of alpha-beta below each move, with the network at its leaves; 0: the best move by "
        "the network alone",
        low=0,
        high=200,
    ),
    Option(
        "among",
        "first",
        "of moves that the network alone finds equally good, the first, or any",
        choices=("first", "any"),
    ),
    memory_option(64, "megabytes of alpha-beta's table"),
    SEED,
)


class NTupleAgent(Agent):
    """Plays the move whose position a network likes best; with ``depth`` it searches further.

    ``Decision.stats`` have the value of the position itself (``network``), and what each tuple adds
    to its sum for the player to move (``tuple 0``, ``tuple 1`` and so on).

    >>> import tempfile
    >>> from pathlib import Path
    >>> import spielbaum as sb
    >>> from spielbaum.models.ntuple import NTupleNetwork
    >>> from spielbaum.models.ntuple_file import save_network
    >>> game = sb.game("tictactoe")
    >>> network = NTupleNetwork(game, [[4]])
    >>> network.table(0)[1, 1] = 0.1  # x likes the centre
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "centre.npz"
    >>> save_network(network, path)
    >>> decision = sb.agent(f"ntuple:{path}").choose(game.initial())
    >>> game.initial().text(decision.move), round(decision.value, 3)
    ('b2', 0.664)
    >>> folder.cleanup()
    """

    def __init__(
        self,
        path: str = "none",
        depth: int = 0,
        among: str = "first",
        memory: int = 64,
        seed: int = 0,
    ) -> None:
        if path == "none":
            raise SpecError("agent ntuple needs the file of a network, as in ntuple:FILE")
        self._start(shared_network(find_model(path, ".npz")), depth, among, memory, seed)

    @classmethod
    def of(cls, network: NTupleNetwork, depth: int = 0, among: str = "first") -> NTupleAgent:
        """An agent for a network that is in no file, such as one that is being trained."""
        made = cls.__new__(cls)
        made._start(network, depth, among, 64, 0)
        return made

    def _start(
        self, network: NTupleNetwork, depth: int, among: str, memory: int, seed: int
    ) -> None:
        self.network = network
        self._depth = depth
        self._by_chance = among == "any"
        self._seed = seed
        self._rng = _core.Rng(seed)
        if depth > 0 and network.game.num_players != 2:
            raise SpecError(f"agent ntuple: alpha-beta is for two players; {network.game} has more")
        self._search = AlphaBetaAgent.with_network(network, memory=memory) if depth > 0 else None

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Choose by the network; of a budget only what stops a deeper search is used."""
        choices(state)
        if state.game != self.network.game:
            raise ModelError(f"the network is for {self.network.game}, not for {state.game}")
        found = self._by_network(state) if self._search is None else self._by_search(state, budget)
        return replace(found, stats={**found.stats, **self._stats(state)})

    def stop(self) -> None:
        """End a running search."""
        if self._search is not None:
            self._search.stop()

    def reset(self, seed: int | None = None) -> None:
        """Forget the table of the search, and start the sequence of random numbers again."""
        self._rng = _core.Rng(self._seed if seed is None else int(SEED.check(seed)))
        if self._search is not None:
            self._search.reset()

    def greedy(self, state: State) -> int:
        """The move of `choose`, and nothing else; faster."""
        if self._search is not None:
            return self._by_search(state, None).move
        return self._best(self.network.move_values(state))

    def _best(self, values: dict[int, float]) -> int:
        highest = max(values.values())
        equal = [move for move, value in values.items() if value == highest]
        return equal[self._rng.below(len(equal)) if self._by_chance else 0]

    def _by_network(self, state: State) -> Decision:
        player = state.to_move
        values = self.network.move_values(state)
        moves = []
        for move, value in values.items():
            outcome = state.play(move).outcome if abs(value) == 1.0 or value == 0.0 else None
            proven = None if outcome is None else outcome.rewards[player]
            moves.append(MoveEval(move, value, proven=proven, pv=(move,)))
        move = self._best(values)
        return Decision(move, values[move], tuple(moves), (move,), state=state)

    def _by_search(self, state: State, budget: Budget | None) -> Decision:
        assert self._search is not None
        limits = budget or Budget()
        depth = self._depth + 1  # what lies below a move
        return self._search.choose(
            state,
            Budget(depth=depth, seconds=limits.seconds, stop=limits.stop, report=limits.report),
        )

    def _stats(self, state: State) -> dict[str, bool | int | float | str]:
        added = {f"tuple {each.index}": each.weight for each in self.network.contributions(state)}
        return {"network": self.network.value(state), **added}


register_agent(
    "ntuple",
    NTupleAgent,
    options=OPTIONS,
    help="a trained n-tuple network, alone or at the leaves of alpha-beta",
)
