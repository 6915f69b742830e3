"""The agent ``qtable``: a table of what each move is worth in each position."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spielbaum._core import Rng
from spielbaum.agents.agent import Agent, choices
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.random import SEED
from spielbaum.agents.registry import register_agent
from spielbaum.base.arrays import open_arrays, write_arrays
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.base.options import Option
from spielbaum.games.game import game as make_game

if TYPE_CHECKING:
    from spielbaum.base.budget import Budget
    from spielbaum.games.game import Game
    from spielbaum.games.state import State

FORMAT = "spielbaum qtable 1"
MOST_ENTRIES = 1 << 26
"""Values of a table in a file: 256 MB."""

Values = npt.NDArray[np.float32]
PATH = Option("path", "none", "file of a table: qtable:FILE", bare=True)


class QTable:
    """What every move is worth to whoever makes it, for all positions that have been seen.

    >>> import spielbaum as sb
    >>> table = QTable(sb.game("tictactoe"))
    >>> table.of(table.game.initial())[4] = 0.5
    >>> table.best(table.game.initial()), len(table)
    (4, 1)
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.training: dict[str, Any] = {}
        """How it was trained; kept in its file."""
        self._values: dict[int, Values] = {}

    def __len__(self) -> int:
        return len(self._values)

    def of(self, state: State) -> Values:
        """Return the values of all actions in a position, which may be changed; at first 0."""
        found = self._values.get(state.key)
        if found is None:
            found = self._values[state.key] = np.zeros(self.game.num_actions, np.float32)
        return found

    def look(self, state: State) -> Values | None:
        """Return the values of a position, or None if it has not been seen."""
        return self._values.get(state.key)

    def best(self, state: State) -> int:
        """Return the legal move with the highest value, the first of equal ones."""
        values = self.of(state)
        return max(state.legal_moves, key=values.__getitem__)

    def save(self, path: Path, training: Mapping[str, Any]) -> None:
        """Write the table, at once or not at all."""
        header = {"format": FORMAT, "game": str(self.game), "training": dict(training)}
        keys = np.fromiter(self._values, np.uint64, len(self))
        values = np.array(list(self._values.values()), np.float32).ravel()
        write_arrays(path, header, {"keys": keys, "values": values}, compress=True)

    @classmethod
    def load(cls, path: Path) -> QTable:
        """Read a table; `ModelError` if the file is not a whole one."""
        with open_arrays(path) as file:
            header = file.header
            if header.get("format") != FORMAT:
                raise ModelError(f"model {path}: it is no table of values ({FORMAT})")
            table = cls(make_game(str(header.get("game"))))
            keys = file.read("keys", np.uint64, MOST_ENTRIES)
            values = file.read("values", np.float32, MOST_ENTRIES)
        actions = table.game.num_actions
        if len(values) != len(keys) * actions or not np.isfinite(values).all():
            raise ModelError(f"model {path}: it is damaged")
        rows = values.reshape(-1, actions).astype(np.float32)
        table._values = {int(key): row for key, row in zip(keys, rows, strict=True)}
        training = header.get("training")
        table.training = training if isinstance(training, dict) else {}
        return table


class QTableAgent(Agent):
    """Plays the move with the highest value of a table; any move in positions it has not seen.

    >>> import tempfile
    >>> import spielbaum as sb
    >>> table = QTable(sb.game("tictactoe"))
    >>> table.of(table.game.initial())[8] = 0.25
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.save(Path(folder) / "a.npz", {})
    ...     decision = sb.agent(f"qtable:{folder}/a.npz").choose(table.game.initial())
    >>> decision.move, decision.value
    (8, 0.25)
    """

    def __init__(self, path: str = "none", seed: int = 0) -> None:
        if path == "none":
            raise SpecError("agent qtable needs the file of a table, as in qtable:FILE")
        self._start(QTable.load(Path(path).expanduser()), seed)

    @classmethod
    def of(cls, table: QTable) -> QTableAgent:
        """Make an agent for a table that is in no file, such as one that is being trained."""
        made = cls.__new__(cls)
        made._start(table, 0)
        return made

    def _start(self, table: QTable, seed: int) -> None:
        self._table, self._seed = table, seed
        self._rng = Rng(seed)

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Look the position up; no budget is needed."""
        moves = choices(state)
        if state.game != self._table.game:
            raise ModelError(f"the table is for {self._table.game}, not for {state.game}")
        values = self._table.look(state)
        if values is None:
            move = moves[self._rng.below(len(moves))]
            evaluations = tuple(MoveEval(each, pv=(each,)) for each in moves)
            return Decision(move, 0.0, evaluations, (move,), {"known": False}, state)
        clipped = [float(min(max(values[each], -1.0), 1.0)) for each in moves]
        value = max(clipped)
        move = moves[clipped.index(value)]
        evaluations = tuple(map(MoveEval, moves, clipped))
        return Decision(move, value, evaluations, (move,), {"known": True}, state)

    def reset(self, seed: int | None = None) -> None:
        """Start the sequence of random numbers again."""
        self._rng = Rng(self._seed if seed is None else int(SEED.check(seed)))


register_agent(
    "qtable",
    QTableAgent,
    options=(PATH, SEED),
    help="a table of values of moves that Q-learning has filled",
)
