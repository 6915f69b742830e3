"""Random openings: drawn where a game has many, listed and repeated where it has few."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator
from functools import cache
from typing import TypeAlias

from spielbaum.agents import Budget
from spielbaum.agents.alphabeta import AlphaBetaAgent
from spielbaum.base.errors import SpecError
from spielbaum.base.rng import Rng
from spielbaum.games import Game, State

TRIES = 200
"""Undecided positions that may be known already, or unbalanced, before a draw is given up."""
ATTEMPTS = 5000
"""Random games before a draw is given up: most are over or decided by then."""
FEW = 2
"""A game has few positions if it has at most this many for each opening that is asked for."""
LISTED_AT_LEAST = 2000
LISTED_AT_MOST = 200_000
"""Positions of one ply beyond which no list of them is made."""
BALANCE = 0.2
"""A balanced opening is worth at most so much to either side, by a search of `LOOK`."""
LOOK = Budget(nodes=20_000)
GLANCE = Budget(depth=4, nodes=20_000)
"""How far one looks for a forced end: both games of such an opening would be the same."""
FEW_MOVES = 8
"""With at most so many moves in each position, `GLANCE` has enough nodes for its whole depth:
whether an end is forced then does not depend on what an evaluation thinks of the leaves."""

Moves: TypeAlias = tuple[str, ...]


def random_openings(
    rules: Game, plies: int, count: int, seed: int, *, balanced: bool
) -> Iterator[Moves]:
    """Draw ``count`` openings of so many plies, all different as long as there are enough.

    None of them ends the game or decides it within a few plies; ``balanced`` ones are also worth
    about the same to both sides. If the game has fewer, each is taken once, in random order, and
    then all of them again in rounds. No position is searched twice. `SpecError` if there are none.
    Each is drawn when it is asked for: games can begin before the last one is found.

    >>> import spielbaum as sb
    >>> found = list(random_openings(sb.game("tictactoe"), 1, 20, seed=1, balanced=False))
    >>> len(set(found)), found[:9] == found[9:18]
    (9, True)
    """
    rng, judge = Rng(seed), _Judge(balanced)
    listed = _positions(rules, plies, min(max(LISTED_AT_LEAST, FEW * count), LISTED_AT_MOST))
    found: dict[State, Moves] = {}
    if listed is None or len(listed) > FEW * count or sum(map(judge.suits, listed)) >= count:
        while len(found) < count and (drawn := _draw(rules, plies, rng, judge, found)) is not None:
            found[drawn[0]] = drawn[1]
            yield drawn[1]
    if len(found) < count and listed is not None:
        others = [state for state in listed if judge.suits(state) and state not in found]
        while others and len(found) < count:
            state = others.pop(rng.below(len(others)))
            found[state] = listed[state]
            yield listed[state]
    if not found:
        kind, lack = ("balanced", "unbalanced") if balanced else ("random", "decided")
        raise SpecError(f"openings {kind}:{plies}: games of {rules} are over or {lack} by then")
    yield from itertools.islice(itertools.cycle(found.values()), count - len(found))


class _Judge:
    """Which positions suit as openings; each is searched at most once."""

    def __init__(self, balanced: bool) -> None:
        self._wants_balance = balanced
        self._undecided: dict[State, bool] = {}
        self._balanced: dict[State, bool] = {}

    def suits(self, state: State) -> bool:
        return self.is_undecided(state) and self.is_balanced(state)

    def is_undecided(self, state: State) -> bool:
        if state not in self._undecided:
            self._undecided[state] = not _is_decided(state)
        return self._undecided[state]

    def is_balanced(self, state: State) -> bool:
        """Whether a position is balanced, if that is wanted at all."""
        if self._wants_balance and state not in self._balanced:
            self._balanced[state] = _is_balanced(state)
        return self._balanced.get(state, True)


def _positions(rules: Game, plies: int, most: int) -> dict[State, Moves] | None:
    """Every unfinished position after so many plies; None if a ply has more than ``most``."""
    level: dict[State, Moves] = {rules.initial(): ()}
    for _ in range(plies):
        following: dict[State, Moves] = {}
        for state, moves in level.items():
            for move in state.legal_moves:
                after = state.play(move)
                if after not in following and after.outcome is None:
                    following[after] = (*moves, state.text(move))
            if len(following) > most:
                return None
        level = following
    return level


def _draw(
    rules: Game, plies: int, rng: Rng, judge: _Judge, known: Container[State]
) -> tuple[State, Moves] | None:
    """Random moves to a position that suits and is not known; None if no such turns up."""
    rejected = 0
    for _ in range(ATTEMPTS):
        state = rules.initial().wander(plies, rng)
        if state.outcome is not None or not judge.is_undecided(state):
            continue
        if state not in known and judge.is_balanced(state):
            return state, state.texts
        rejected += 1
        if rejected > TRIES:
            break
    return None


def _is_decided(state: State) -> bool:
    """Whether there is a win at once, or with two players one that can be forced soon."""
    if state.num_players == 2:
        looker = _looker("none" if state.game.max_moves <= FEW_MOVES else "auto")
        return abs(_value(looker, state, GLANCE)) == 1.0
    outcomes = (state.play(move).outcome for move in state.legal_moves)
    return any(outcome is not None and outcome.winner == state.to_move for outcome in outcomes)


def _is_balanced(state: State) -> bool:
    return abs(_value(_looker(), state, LOOK)) <= BALANCE


def _value(looker: AlphaBetaAgent, state: State, budget: Budget) -> float:
    looker.reset()  # what it answers must not depend on what it was asked before
    return looker.value(state, budget)


@cache
def _looker(evaluation: str = "auto") -> AlphaBetaAgent:
    return AlphaBetaAgent(memory=4, eval=evaluation)
