"""What a network is taught, judged by something that knows better.

Positions are drawn from the newest games of a run. In each, a solver says what every move is worth,
or a much longer search where there is none. By ply, it is then compared which moves and values the
lessons of these games have, what the network would do by itself, and what it would be taught by
searches with more simulations. Lessons that are no better than the network teach nothing: more
simulations are needed. Lessons that are much better want more games, or a larger network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from spielbaum.agents import Budget, Decision, choose_together
from spielbaum.base.errors import ModelError
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.solvers import NotSolved, solve
from spielbaum.train.data.games_file import PlayedGame, positions_of, read_games
from spielbaum.train.data.lessons import returns, with_search
from spielbaum.train.data.policy_target import policy_target
from spielbaum.train.methods.alphazero.config import AlphaZeroConfig
from spielbaum.train.methods.alphazero.run_memory import net_path, read_memory
from spielbaum.train.methods.alphazero.selfplay import searcher

if TYPE_CHECKING:
    from spielbaum.games import State

Floats = npt.NDArray[np.float32]
BAND = 6
"""Plies that are counted together."""
EFFORT = Budget(nodes=20_000_000)
"""What the solver may spend on a position and its moves; harder ones are left out."""
NEAR = 0.1
"""Moves that a long search finds this much worse than its best one are as good."""
TOGETHER = 64
LESSONS, NETWORK, RESULTS, SEARCH = "lessons", "network", "results", "search"


@dataclass(frozen=True)
class Lesson:
    """A position of self-play, and what is learnt from it."""

    state: State
    ply: int
    policy: Floats
    """Over the legal moves."""
    result: float
    """Result of the game, for the side to move."""
    search: float
    """What the search of self-play believed."""
    value: float
    """What is learnt, of these two."""


@dataclass
class Verdict:
    """How good teachers were at some plies: the mean over positions, by the teacher's name."""

    first: int
    last: int
    positions: int = 0
    mass: dict[str, float] = field(default_factory=dict)
    """Share of a policy on moves that keep the value of the position."""
    best: dict[str, float] = field(default_factory=dict)
    """How often the likeliest move keeps it."""
    error: dict[str, float] = field(default_factory=dict)
    """Squared difference of what a position is said to be worth and what it is worth."""

    def add(self, name: str, kept: npt.NDArray[np.bool_], policy: Floats) -> None:
        """Count what a teacher would play."""
        self.mass[name] = self.mass.get(name, 0.0) + float(policy[kept].sum())
        self.best[name] = self.best.get(name, 0.0) + float(kept[int(policy.argmax())])

    def value(self, name: str, said: float, worth: float) -> None:
        """Count what a teacher believes."""
        self.error[name] = self.error.get(name, 0.0) + (said - worth) ** 2

    def mean(self) -> Verdict:
        """The means, of sums."""
        means = [
            {name: total / self.positions for name, total in sums.items()}
            for sums in (self.mass, self.best, self.error)
        ]
        return Verdict(self.first, self.last, self.positions, *means)


def check_lessons(
    folder: Path,
    positions: int = 400,
    simulations: Sequence[int] = (),
    judge: int = 0,
    seed: int = 1,
    report: Callable[[int], None] | None = None,
) -> list[Verdict]:
    """Judge the newest lessons of a run, by bands of plies and at last for all of them.

    ``simulations``: searches by the newest network whose lessons are judged as well. ``judge``:
    simulations of the long search that judges; 0: a solver does. ``report`` is told how many
    positions are judged.
    """
    config = AlphaZeroConfig.load(folder / "config.toml")
    rules = config.rules()
    net = net_path(folder, read_memory(folder).generation)
    evaluator = NetEvaluator.load(net, precision=config.self_play.precision)
    verdicts: dict[int, Verdict] = {}
    everything = Verdict(0, 0)
    done = 0
    drawn = list(_draw(folder, config, positions, seed))
    for some in (drawn[first : first + TOGETHER] for first in range(0, len(drawn), TOGETHER)):
        judged = _judged(config, evaluator, some, judge)
        kept_lessons = [each for each, worth in zip(some, judged, strict=True) if worth is not None]
        worths = [worth for worth in judged if worth is not None]
        if kept_lessons:
            taught = _taught(config, evaluator, kept_lessons, simulations)
            values, logits = evaluator.evaluate_states([each.state for each in kept_lessons])
            for row, (lesson, worth) in enumerate(zip(kept_lessons, worths, strict=True)):
                band = lesson.ply // BAND
                here = verdicts.setdefault(band, Verdict(band * BAND, band * BAND + BAND - 1))
                everything.last = max(everything.last, here.last)
                own = _softmax(logits[row][list(lesson.state.legal_moves)])
                policies = {NETWORK: own, LESSONS: lesson.policy}
                said = {NETWORK: float(values[row, 0]), LESSONS: lesson.value}
                said |= {RESULTS: lesson.result, SEARCH: lesson.search}
                for name, decisions in taught.items():
                    policies[name] = policy_target(decisions[row], lesson.state)
                    said[name] = decisions[row].value
                for verdict in (here, everything):
                    _count(verdict, worth, policies, said)
        done += len(some)
        if report is not None:
            report(done)
    if not everything.positions:
        raise ModelError(
            f"training {folder}: no position of its games could be judged for {rules}; "
            "give --judge N for a search with N simulations"
        )
    return [verdicts[band].mean() for band in sorted(verdicts)] + [everything.mean()]


def _count(
    verdict: Verdict, worth: Floats, policies: dict[str, Floats], said: dict[str, float]
) -> None:
    best = worth.max()
    verdict.positions += 1
    for name, policy in policies.items():
        verdict.add(name, worth >= best - 1e-6, policy)
    for name, value in said.items():
        verdict.value(name, value, float(best))


def _draw(folder: Path, config: AlphaZeroConfig, count: int, seed: int) -> Iterator[Lesson]:
    """Lessons of the newest games with whole searches, as many of each ply as there are."""
    files = sorted((folder / "games").glob("*.npz"), reverse=True)
    found: list[tuple[PlayedGame, int]] = []
    for path in files:
        for played in read_games(path):
            found += [(played, index) for index, full in enumerate(played.full) if full]
        if len(found) > 20 * count:
            break
    order = np.random.default_rng(seed).permutation(len(found))[:count]
    shares = config.retraining
    rules = config.rules()
    for number in order:
        played, index = found[number]
        states = list(positions_of(played, rules))
        movers = [state.to_move for state in states[played.first :]]
        state, mover = states[played.first + index], movers[index]
        believed = returns(played, movers, shares.result_share)[index][mover]
        value = with_search(played, index, believed, shares.search_share)
        yield Lesson(
            state,
            played.first + index,
            np.asarray(played.policies[index], np.float32),
            played.rewards[mover],
            played.values[index],
            value,
        )


def _judged(
    config: AlphaZeroConfig, evaluator: NetEvaluator, lessons: Sequence[Lesson], judge: int
) -> list[Floats | None]:
    """What each legal move is worth; None where nobody knows, or where all are worth the same."""
    if not judge:
        return [_solved(lesson.state) for lesson in lessons]
    found: list[Floats | None] = []
    for lesson, decision in zip(lessons, _ask(config, evaluator, lessons, judge), strict=True):
        values = {each.move: each.value for each in decision.moves}
        worth = np.array([values.get(move, -1.0) for move in lesson.state.legal_moves], np.float32)
        worth[worth >= worth.max() - NEAR] = worth.max()
        found.append(worth if worth.min() < worth.max() else None)
    return found


def _solved(state: State) -> Floats | None:
    try:
        solution = solve(state, exact=False, pv=False, budget=EFFORT)
    except (NotSolved, ValueError):
        return None
    values = {each.move: each.value for each in solution.moves}
    worth = np.array([values[move] for move in state.legal_moves], np.float32)
    return worth if worth.min() < worth.max() else None


def _taught(
    config: AlphaZeroConfig,
    evaluator: NetEvaluator,
    lessons: Sequence[Lesson],
    simulations: Sequence[int],
) -> dict[str, tuple[Decision, ...]]:
    return {f"{each:,} simulations": _ask(config, evaluator, lessons, each) for each in simulations}


def _ask(
    config: AlphaZeroConfig, evaluator: NetEvaluator, lessons: Sequence[Lesson], simulations: int
) -> tuple[Decision, ...]:
    agents = [
        searcher(config.self_play, evaluator, seed, simulations) for seed in range(len(lessons))
    ]
    states = [lesson.state for lesson in lessons]
    return choose_together(agents, states, Budget(iterations=simulations))


def _softmax(logits: Floats) -> Floats:
    shares = np.exp(logits - logits.max())
    return np.asarray(shares / shares.sum(), np.float32)
