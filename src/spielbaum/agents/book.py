"""The agent ``book``: moves that were played before, as often as they were played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spielbaum._core import Rng
from spielbaum.agents.agent import Agent, choices
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.random import SEED
from spielbaum.agents.registry import agent, register_agent
from spielbaum.base.errors import BookError, SpecError
from spielbaum.base.options import Option, parse_spec
from spielbaum.games.formats.book import MoveBook

if TYPE_CHECKING:
    from spielbaum.base.budget import Budget
    from spielbaum.games.state import State

OPTIONS = (
    Option(
        "path",
        "none",
        "book of moves, made by spielbaum convert GAMES BOOK.json: book:FILE",
        bare=True,
    ),
    Option("fallback", "mcts", "name of the agent that moves where the book ends"),
    Option(
        "play",
        "frequent",
        "the move that was played most often, or one that is drawn as often as it was played",
        choices=("frequent", "drawn"),
    ),
    Option("games", 1, "fewest games in which a move was played", low=1, high=10**9),
    SEED,
)


class BookAgent(Agent):
    """Plays from a book of moves, and asks another agent where it ends.

    The value of a decision is what the games of the book scored; ``stats["source"]`` is ``book``,
    or the name of the other agent.

    >>> import spielbaum as sb, tempfile
    >>> from spielbaum.games.formats.book import write
    >>> from spielbaum.games.records import GameTree
    >>> start = sb.game("tictactoe").initial()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "book.json"
    ...     _ = path.write_bytes(b"".join(write([GameTree.of_moves(start, ["b2"])])))
    ...     player = sb.agent("book", path=str(path), fallback="random")
    >>> player.choose(start).text, player.choose(start.play("b2")).stats["source"]
    ('b2', 'random')
    """

    def __init__(
        self,
        path: str = "none",
        fallback: str = "mcts",
        play: str = "frequent",
        games: int = 1,
        seed: int = 0,
    ) -> None:
        if path == "none":
            raise SpecError("agent book needs the file of a book of moves, as in book:FILE")
        if parse_spec(fallback)[0] in ("human", "book"):
            raise SpecError(f"agent book: option fallback={fallback}: expected another agent")
        self._book = MoveBook(Path(path).expanduser())
        self._fallback, self._fallback_name = agent(fallback), fallback
        self._by_chance = play == "drawn"
        self._games = games
        self._seed = seed
        self._rng = Rng(seed)

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Choose by the book; the budget is for the other agent."""
        choices(state)
        if self._book.game is not None and state.game != self._book.game:
            raise BookError(f"the book is for {self._book.game}, not for {state.game}")
        known = {
            move: counts
            for move, counts in self._book.moves(state).items()
            if counts[0] >= self._games
        }
        if not known:
            found = self._fallback.choose(state, budget)
            return replace(found, stats={**found.stats, "source": self._fallback_name})
        total = sum(games for games, _ in known.values())
        moves = tuple(
            MoveEval(move, 2 * points / games - 1, visits=games, prior=games / total, pv=(move,))
            for move, (games, points) in known.items()
        )
        chosen = self._drawn(moves, total) if self._by_chance else moves[0]
        stats = {"source": "book", "games": chosen.visits}
        return Decision(chosen.move, chosen.value, moves, (chosen.move,), stats, state)

    def _drawn(self, moves: tuple[MoveEval, ...], total: int) -> MoveEval:
        left = self._rng.below(total)
        for each in moves:
            left -= each.visits
            if left < 0:
                return each
        return moves[-1]

    def stop(self) -> None:
        """End a running search of the other agent."""
        self._fallback.stop()

    def reset(self, seed: int | None = None) -> None:
        """Start the sequence of random numbers again, and let the other agent forget the game."""
        self._rng = Rng(self._seed if seed is None else int(SEED.check(seed)))
        self._fallback.reset(seed)


register_agent(
    "book", BookAgent, options=OPTIONS, help="moves of a book, as often as they were played"
)
