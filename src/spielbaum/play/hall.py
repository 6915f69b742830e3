"""Many games at a time, whose players share the batches of networks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from spielbaum.agents.batches import BatchedSearch
from spielbaum.agents.mcts import MctsAgent
from spielbaum.play.table import Table, Turn, take

if TYPE_CHECKING:
    from spielbaum import _core
    from spielbaum.agents import Decision, Evaluator
    from spielbaum.games import Game


class Batch(Protocol):
    """Thinks for many turns at a time."""

    def begin(self, turn: Turn) -> None:
        """Think about one turn more."""
        ...

    def round(self) -> Iterable[tuple[Turn, Decision]]:
        """Ask the network once; the turns that are decided by now."""
        ...


class SearchBatch:
    """Tree searches whose leaves go to one evaluator; a thinker is a `MctsAgent` with it."""

    def __init__(self, game: Game, evaluator: Evaluator, rows: int) -> None:
        """``rows``: room in a batch."""
        self._batched = BatchedSearch(game, evaluator, rows)
        self._turns: dict[_core.Mcts, tuple[Turn, MctsAgent]] = {}

    def begin(self, turn: Turn) -> None:
        """Start the search of a turn, with the iterations of its budget."""
        searcher = turn.thinker
        assert isinstance(searcher, MctsAgent)
        assert turn.budget.iterations is not None
        self._turns[searcher.begin(turn.state, turn.budget.iterations)] = turn, searcher

    def round(self) -> list[tuple[Turn, Decision]]:
        """Take a step of every search."""
        searches = list(self._turns)
        if searches:
            self._batched.round(searches)
        decided = []
        for search in [each for each in searches if each.done]:
            turn, searcher = self._turns.pop(search)
            decided.append((turn, searcher.decide(turn.state, search)))
        return decided


class Hall:
    """Tables side by side; where a game ends, the next one begins.

    >>> import spielbaum as sb
    >>> from spielbaum.play.table import Player
    >>> players = [Player(sb.agent("random")), Player(sb.agent("random:seed=1"))]
    >>> starts = iter([sb.game("tictactoe").initial()] * 3)
    >>> hall = Hall(lambda: next((Table(each, players) for each in starts), None), size=2)
    >>> len(hall.play())
    3
    """

    def __init__(self, next_table: Callable[[], Table | None], size: int) -> None:
        """``next_table``: the next game, or None if there is none; at most ``size`` at a time."""
        self._next = next_table
        self._size = size
        self.tables: list[Table] = []
        self._batches: dict[int, Batch] = {}
        """The batches of all players who have sat at a table of this hall, by their ids."""

    def step(self) -> list[Table]:
        """Let everybody move who has decided, and ask each network once; the games that ended."""
        ended = [table for table in self._refill() if _ask(table)]
        for batch in self._batches.values():
            for turn, decision in batch.round():
                turn.table.play(decision)
                if _ask(turn.table):
                    ended.append(turn.table)
        if ended:
            gone = {id(table) for table in ended}
            self.tables = [table for table in self.tables if id(table) not in gone]
        return ended

    def play(self) -> list[Table]:
        """Play all games to their ends, in the order in which they end."""
        ended: list[Table] = []
        while (now := self.step()) or self.tables:
            ended += now
        return ended

    def _refill(self) -> list[Table]:
        """The games that begin where others have ended."""
        fresh = []
        while len(self.tables) < self._size and (table := self._next()) is not None:
            self.tables.append(table)
            fresh.append(table)
            for player in table.players:
                if player.batch is not None:
                    self._batches[id(player.batch)] = player.batch
        return fresh


def _ask(table: Table) -> bool:
    """Go on until a batch is asked; True if the game has ended."""
    while (turn := table.turn()) is not None:
        batch = table.players[turn.player].batch
        if batch is not None:
            batch.begin(turn)
            return False
        take(turn)
    return True
