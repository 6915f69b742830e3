"""Leaves of tree searches that something in Python evaluates, many at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from spielbaum.base.errors import SpecError

if TYPE_CHECKING:
    from spielbaum import _core
    from spielbaum.base.budget import Budget
    from spielbaum.games import Game

REPORT_SECONDS = 0.1


class Evaluator(Protocol):
    """Anything that says what positions are worth and which moves look good: a network, say.

    It may have an attribute ``encoding``, the name of the feature planes that it wants to see;
    without one it gets the first encoding of the game. An attribute ``history`` says how many
    positions before it wants to see as further planes, the newest first.
    `spielbaum.testing.check_evaluator` looks whether one keeps the rules.

    >>> import numpy as np
    >>> class Even:
    ...     def evaluate(self, planes, legal):
    ...         return np.zeros(len(planes)), np.zeros(legal.shape)
    >>> even: Evaluator = Even()
    """

    def evaluate(
        self, planes: npt.NDArray[np.float32], legal: npt.NDArray[np.bool_]
    ) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """Values and logits of a batch.

        ``planes`` has the shape (batch, planes, rows, columns), ``legal`` (batch, actions); both
        are overwritten after the answer. Values lie in [-1, 1]: one for each position, seen by the
        side to move, or one for each player in turn order from the side to move on. Logits have
        the shape of ``legal``; those of illegal moves do not matter.
        """
        ...


def history_of(evaluator: Evaluator | None) -> int:
    """How many earlier positions an evaluator wants to see.

    >>> history_of(None)
    0
    """
    return int(getattr(evaluator, "history", 0))


class BatchedSearch:
    """Runs searches side by side until all are done; each round asks the evaluator once."""

    def __init__(self, game: Game, evaluator: Evaluator, rows: int = 0) -> None:
        """``rows``: room in a batch."""
        self._evaluator = evaluator
        name = getattr(evaluator, "encoding", game.encodings[0])
        if name not in game.encodings:
            raise SpecError(
                f"the evaluator wants the encoding {name!r}; {game} has {', '.join(game.encodings)}"
            )
        self._encoding = game.encodings.index(name)
        planes, rows_of_board, columns = game.plane_shape(name)
        self._shape = (planes * (1 + history_of(evaluator)), rows_of_board, columns)
        self._num_actions = game.num_actions
        self._num_players = game.num_players
        self._planes = np.empty((rows, *self._shape), np.float32)
        self._legal = np.empty((rows, self._num_actions), np.bool_)
        self.batches = 0

    def run(
        self,
        searches: Sequence[_core.Mcts],
        limits: Budget,
        stops: Sequence[_core.StopFlag],
        report: Callable[[float], None] | None,
    ) -> float:
        """Answers the seconds that it took.

        The first round is taken whatever the limits are: without it, nothing is known of the moves.
        If the evaluator fails, the searches are as they were before they asked.
        """
        start = last_report = time.monotonic()
        limit = math.inf if limits.seconds is None else limits.seconds
        flags = [*stops, *([] if limits.stop is None else [limits.stop.flag])]
        running = [search for search in searches if not search.done]
        try:
            if running:
                self.round(running)
            while True:
                running = [search for search in running if not search.done]
                now = time.monotonic()
                if not running or now - start >= limit or any(flag.stopped for flag in flags):
                    return now - start
                if report is not None and now - last_report >= REPORT_SECONDS:
                    last_report = now
                    report(now - start)
                self.round(running, limit - (now - start), flags)
        except BaseException:
            for search in searches:
                search.cancel()
            raise

    def round(
        self,
        searches: Sequence[_core.Mcts],
        seconds: float = math.inf,
        stops: Sequence[_core.StopFlag] = (),
    ) -> None:
        """Evaluate the next leaves of all searches, in one batch.

        Playouts that take longer than ``seconds``, or that a flag of ``stops`` ends, are given up.
        """
        planes, legal = self._planes, self._legal
        row, starts = 0, []
        for search in searches:
            starts.append(row)
            row += search.collect(self._encoding, planes, legal, row, seconds, list(stops))
        if row == 0:
            return  # every leaf was the end of a game
        values, logits = self.ask(planes[:row], legal[:row])
        self.batches += 1
        for search, first in zip(searches, starts, strict=True):
            search.apply(values, logits, first)

    def ask(
        self, planes: npt.NDArray[np.float32], legal: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The evaluator's answer as arrays of two dimensions; ValueError if it is none."""
        rows = len(planes)
        answer = self._evaluator.evaluate(planes, legal)
        try:
            values, logits = (np.ascontiguousarray(each, np.float32) for each in answer)
        except (TypeError, ValueError):
            raise ValueError("the evaluator answered no pair of values and logits") from None
        if values.shape == (rows,) and self._num_players == 2:
            values = values[:, np.newaxis]
        players = self._num_players
        if values.shape not in ((rows, 1), (rows, players)) or (players > 2 > values.shape[1]):
            raise ValueError(
                f"the evaluator answered values of shape {values.shape} for {rows} positions with "
                f"{players} players"
            )
        if logits.shape != (rows, self._num_actions):
            raise ValueError(
                f"the evaluator answered logits of shape {logits.shape}: expected "
                f"{(rows, self._num_actions)}"
            )
        if not (np.isfinite(values).all() and np.isfinite(logits).all()):
            raise ValueError("the evaluator answered a number that is not finite")
        return values, logits
