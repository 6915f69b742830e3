"""The laws that searches, learning and the studio rely on, checked on random games."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from spielbaum.agents import Budget, agent
from spielbaum.base.errors import IllegalMove, NotationError
from spielbaum.base.rng import Rng
from spielbaum.games import Game, State, Symmetry, game
from spielbaum.games.python_game import value_of

ITERATIONS = 50
SECONDS = 10
"""What a tree search of a law may do, and how long that may take."""


WALKS = 10
WALK_PLIES = 4
"""Random walks that try to undo an irreversible move, and their length."""


class LawBroken(AssertionError):
    """A game breaks a law; the message names the law, the game and the position, or both positions.

    >>> issubclass(LawBroken, AssertionError)
    True
    """


def check_game(
    rules: Game | str,
    *,
    games: int = 20,
    seed: int = 0,
    max_plies: int = 2000,
    alternates: bool | None = None,
) -> int:
    """Play random games and check every law at every ply; returns the number of positions seen.

    ``alternates=True`` adds the law that two players take turns strictly (a pass is a move);
    ``False`` demands that they sometimes do not. Tree searches of the start, some of which share
    equal positions, must return within their budget. What a game in Python declares is checked as
    well: contents of cells, its evaluation, and irreversible moves. Raises `LawBroken` at the first
    violation.

    >>> from spielbaum.testing import check_game
    >>> check_game("tictactoe", games=2, alternates=True) > 10
    True
    """
    checker = _Checker(game(rules) if isinstance(rules, str) else rules)
    rng = Rng(seed)
    turns_alternated = True
    for _ in range(games):
        state = checker.rules.initial()
        past = _Past()
        for _ in range(max_plies):
            checker.check(state, rng)
            checker.check_past(state, past)
            moves = state.legal_moves
            if not moves:
                break
            move = moves[rng.below(len(moves))]
            following = state.play(move)
            if checker.irreversible(state, move):
                past.reversible_from = len(past.states)
                checker.check_undoing(state, following, rng)
            turns_alternated &= following.to_move == 1 - state.to_move
            state = following
        else:
            raise LawBroken(f"{checker.rules}: a random game is not over after {max_plies} plies")
    if alternates is not None and alternates != turns_alternated:
        found = "do" if turns_alternated else "do not"
        raise LawBroken(f"{checker.rules}: alternates={alternates}, but the players {found}")
    checker.check_searches(checker.rules.initial())
    return checker.positions


@dataclass
class _Past:
    """Earlier positions of a game by key, and how many precede the last irreversible move."""

    states: dict[int, tuple[int, State]] = field(default_factory=dict)
    reversible_from: int = 0


class _Checker:
    def __init__(self, rules: Game) -> None:
        self.rules = rules
        self.positions = 0
        self._declared = rules._python
        self._by_key: dict[int, tuple[tuple[object, ...], State]] = {}
        self._board: npt.NDArray[np.float32] | None = None
        self._laws: tuple[Callable[[State, Rng], None], ...] = (
            self._turns_and_outcome,
            self._moves,
            self._illegal_moves,
            self._texts,
            self._notation,
            self._value,
            self._keys,
            self._symmetries,
            self._planes,
            *((self._contents,) if self._declared and self._declared.num_contents else ()),
            *(
                (self._evaluation,)
                if self._declared and self._declared.declares("evaluate")
                else ()
            ),
        )

    def check(self, state: State, rng: Rng) -> None:
        """Check every law on one position."""
        self.positions += 1
        for law in self._laws:
            law(state, rng)

    def check_searches(self, state: State) -> None:
        """Check that searches return, also those in which equal positions share a node."""
        two = self.rules.num_players == 2
        for name in ("uct", "uct1", "uct2", *(("uct3",) if two else ())):
            budget = Budget(iterations=ITERATIONS, seconds=SECONDS)
            decision = agent(f"{name}:memory=4").choose(state, budget)
            self._require(decision.move in state.legal_moves, f"{name} plays a legal move", state)
            ended = decision.stats["iterations"] == ITERATIONS
            self._require(ended, f"{name} ends {ITERATIONS} playouts in {SECONDS} s", state)

    def irreversible(self, state: State, move: int) -> bool:
        """Whether the game declares that a move can never be undone."""
        if self._declared is None or not self._declared.declares("irreversible"):
            return False
        return bool(self._declared.irreversible(value_of(state), move))

    def check_past(self, state: State, past: _Past) -> None:
        """Check that no position comes again after an irreversible move."""
        at, earlier = past.states.setdefault(state.key, (len(past.states), state))
        law = "no position comes again after an irreversible move"
        self._require(at >= past.reversible_from, law, state, other=earlier)

    def check_undoing(self, before: State, after: State, rng: Rng) -> None:
        """Check by random walks that an irreversible move cannot be undone."""
        for _ in range(WALKS):
            state = after
            for _ in range(WALK_PLIES):
                moves = state.legal_moves
                law = "no position comes again after an irreversible move"
                self._require(state.key != before.key, law, state, other=before)
                if not moves:
                    break
                state = state.play(moves[rng.below(len(moves))])

    def _require(
        self,
        holds: bool,
        law: str,
        state: State,
        detail: object = "",
        *,
        other: State | None = None,
    ) -> None:
        if not holds:
            shown = f" ({detail})" if detail != "" else ""
            both = "" if other is None else f"; see {other.notation!r}\n{state}\n\n{other}"
            raise LawBroken(f"{self.rules} at {state.notation!r}: {law}{shown}{both}")

    def _turns_and_outcome(self, state: State, rng: Rng) -> None:
        players = self.rules.num_players
        self._require(0 <= state.to_move < players, "to_move is a player", state, state.to_move)
        outcome = state.outcome
        over = outcome is not None
        self._require(
            over == (not state.legal_moves), "legal_moves is empty exactly at the end", state
        )
        if outcome is None:
            return
        rewards = outcome.rewards
        self._require(len(rewards) == players, "a reward for each player", state, rewards)
        self._require(all(-1 <= r <= 1 for r in rewards), "rewards in [-1, 1]", state, rewards)
        self._require(abs(sum(rewards)) < 1e-6, "rewards sum to 0", state, rewards)
        if outcome.winner is not None:
            best = rewards[outcome.winner] == max(rewards) > 0
            self._require(best, "the winner has the highest reward", state, outcome)
        self._require(bool(outcome.reason), "an outcome has a reason", state)

    def _moves(self, state: State, rng: Rng) -> None:
        moves = state.legal_moves
        self._require(len(set(moves)) == len(moves), "legal moves are different", state, moves)
        self._require(
            len(moves) <= self.rules.max_moves, "at most max_moves moves", state, len(moves)
        )
        in_range = all(0 <= move < self.rules.num_actions for move in moves)
        self._require(in_range, "moves are below num_actions", state, moves)
        if moves:
            before = (state.notation, state.key, moves, state.to_move)
            following = state.play(moves[0])
            after = (state.notation, state.key, state.legal_moves, state.to_move)
            self._require(before == after, "play leaves the state unchanged", state)
            self._require(following.last_move == moves[0], "last_move is the move played", state)
            again = state.play(moves[0])
            same = following == again
            self._require(same, "play is deterministic", following, moves[0], other=again)

    def _illegal_moves(self, state: State, rng: Rng) -> None:
        legal = set(state.legal_moves)
        tries = {-1, self.rules.num_actions, rng.below(self.rules.num_actions)} - legal
        for move in tries:
            try:
                state.play(move)
            except IllegalMove as error:
                self._require(len(str(error)) > 10, "an error says what is wrong", state, move)
            else:
                self._require(False, "illegal moves are refused", state, move)

    def _texts(self, state: State, rng: Rng) -> None:
        texts = [state.text(move) for move in state.legal_moves]
        self._require(len(set(texts)) == len(texts), "texts of moves are different", state, texts)
        for move, text in zip(state.legal_moves, texts, strict=True):
            self._require(state.parse(text) == move, "parse reads what text wrote", state, text)
            label = state.label(move)
            self._require(state.parse(label) == move, "parse reads what label wrote", state, label)

    def _notation(self, state: State, rng: Rng) -> None:
        parsed = self.rules.state(state.notation)
        self._require(
            parsed.notation == state.notation and parsed.key == state.key,
            "state() reads what notation wrote",
            state,
            parsed.notation,
        )

    def _value(self, state: State, rng: Rng) -> None:
        for twin in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
            same = twin == state and hash(twin) == hash(state) and twin.history == state.history
            self._require(same, "copies and pickles are equal states", state)
            self._require(twin.outcome == state.outcome, "copies keep the outcome", state)
        replayed = self.rules.initial()
        for move in state.history:
            replayed = replayed.play(move)
        self._require(replayed == state, "the history leads to the state", state)

    def _keys(self, state: State, rng: Rng) -> None:
        self._require(0 <= state.key < 2**64, "the key has 64 bits", state, state.key)
        # What a Python game calls its state is the position; a native one has cells.
        own = value_of(state) if self.rules._python is not None else state.cells
        position = (own, state.to_move)
        known, other = self._by_key.setdefault(state.key, (position, state))
        law = "different positions have different keys"
        self._require(known == position, law, state, other=other)

    def _symmetries(self, state: State, rng: Rng) -> None:
        symmetries = state.symmetries()
        identity = symmetries[0]
        self._require(
            identity.actions == tuple(range(self.rules.num_actions)),
            "the first symmetry is the identity",
            state,
        )
        self._require(identity.state == state, "the identity keeps the state", state)
        moves = state.legal_moves
        move = moves[rng.below(len(moves))] if moves else None
        following = state.play(move).symmetries() if move is not None else ()
        for index, symmetry in enumerate(symmetries):
            self._symmetry(state, symmetry)
            if index > 0:
                self._image_notation(symmetry.state)
            if move is not None:
                image, other = symmetry.state.play(symmetry.actions[move]), following[index].state
                law = f"symmetry {index} commutes with play"
                self._require(self._same(image, other), law, image, move, other=other)

    def _same(self, one: State, other: State) -> bool:
        """Whether two positions are equal; an image does not know how often it occurred."""
        if self._declared is None:
            return one == other and one.key == other.key
        return bool(value_of(one) == value_of(other)) and one.key == other.key

    def _symmetry(self, state: State, symmetry: Symmetry) -> None:
        image = symmetry.state
        permutes = sorted(symmetry.actions) == list(range(self.rules.num_actions))
        self._require(permutes, "a symmetry permutes the actions", state)
        if state.outcome is None and image.outcome is None:
            moved = {symmetry.actions[move] for move in state.legal_moves}
            law = "symmetries map legal moves"
            self._require(moved == set(image.legal_moves), law, state, other=image)
        law = "symmetries keep the side to move"
        self._require(image.to_move == state.to_move, law, state, other=image)
        marked = np.zeros(self.rules.num_actions, dtype=np.float32)
        marked[list(state.legal_moves)] = 1.0
        image_marked = np.zeros_like(marked)
        image_marked[[symmetry.actions[move] for move in state.legal_moves]] = 1.0
        same = bool(np.array_equal(symmetry.policy(marked), image_marked))
        self._require(same, "symmetries map policies like moves", state)

    def _image_notation(self, image: State) -> None:
        # An image has no path, so its text and its key come from the position alone.
        try:
            parsed = self.rules.state(image.notation)
        except NotationError as error:
            self._require(False, "state() reads the notation of an image", image, error)
            return
        same = parsed == image and parsed.key == image.key and parsed.outcome == image.outcome
        self._require(same, "state() reads the notation of an image", image, other=parsed)

    def _contents(self, state: State, rng: Rng) -> None:
        rules = self._declared
        assert rules is not None
        contents = list(rules.contents(value_of(state)))
        cells = range(rules.num_cells)
        self._require(len(contents) == len(cells), "contents() has all cells", state, contents)
        below = all(0 <= content < rules.num_contents for content in contents)
        self._require(below, "contents are below num_contents", state, contents)
        for index in range(rules.num_symmetries):
            image = state.image(index)
            moved = [rules.transform_cell(cell, index) for cell in cells]
            permutes = sorted(moved) == list(cells)
            self._require(permutes, "a symmetry permutes the cells", state, moved)
            there = rules.contents(value_of(image))
            same = all(there[moved[cell]] == contents[cell] for cell in cells)
            self._require(same, f"symmetry {index} moves contents of cells", state, other=image)

    def _evaluation(self, state: State, rng: Rng) -> None:
        rules = self._declared
        assert rules is not None
        if state.outcome is not None:
            return
        value = rules.evaluate(value_of(state))
        self._require(-1 <= value <= 1, "evaluations are from -1 to 1", state, value)
        for index in range(rules.num_symmetries):
            image = state.image(index)
            mirrored = rules.evaluate(value_of(image))
            law = f"symmetry {index} keeps the evaluation"
            shown = f"{value} and {mirrored}"
            self._require(abs(mirrored - value) < 1e-9, law, state, shown, other=image)

    def _planes(self, state: State, rng: Rng) -> None:
        for encoding in self.rules.encodings:
            planes = state.planes(encoding)
            self._require(planes.dtype == np.float32, "planes are float32", state, planes.dtype)
            self._require(
                planes.shape == self.rules.plane_shape(encoding), "planes have their shape", state
            )
            self._require(bool(np.isfinite(planes).all()), "planes are finite", state)
            partition = self.rules.plane_partition(encoding)
            if partition:
                board = planes[:partition].sum(axis=0)
                binary = bool(np.isin(planes[:partition], (0, 1)).all())
                if self._board is None:
                    self._board = board
                covers = bool(np.array_equal(board, self._board)) and set(np.unique(board)) <= {
                    0,
                    1,
                }
                self._require(binary and covers, "planes partition the board", state, encoding)
