"""Trainings by AlphaZero in the lab: run, and read for what a document says about its losses."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.store import Store
from spielbaum.arena.workers import Executor
from spielbaum.base.statistics import Estimate, Score, share_estimate
from spielbaum.lab.experiment import Claim, SelfPlay
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings
from spielbaum.play.referee import score_of
from spielbaum.train.methods.alphazero.config import load_config
from spielbaum.train.methods.alphazero.report import Loss
from spielbaum.train.methods.alphazero.run import Progress, Run
from spielbaum.train.methods.alphazero.run_memory import RunMemory, net_path, read_memory

OPENING_PLIES = 4
"""Random moves before the games between the networks."""

Tell = Callable[[str, int, int], None]


def folder_of(experiment: SelfPlay, base: Path) -> Path:
    """Where the training is kept."""
    return base / Path(experiment.config).stem


def train(
    experiment: SelfPlay, base: Path, store_path: Path, executor: Executor, tell: Tell
) -> None:
    """Train what is missing, and let the last network play the first."""
    config, folder = load_config(experiment.config), folder_of(experiment, base)

    def pass_on(now: Progress) -> None:
        tell(f"{experiment.id}, update {now.generation} of {now.of}", now.games, now.games_wanted)

    state = Run(config, folder).run(pass_on)
    limits = Limits(iterations=config.evaluation.simulations)
    nets = [net_path(folder, generation) for generation in (state.generation, 0)]
    plan = Plan(
        experiment.game,
        tuple(Entrant(f"net:{net},c={config.self_play.const}", limits) for net in nets),
        experiment.games,
        Openings("random", OPENING_PLIES),
        seed=1,
    )
    score = Score(0, 0, 0)
    with Store(store_path) as store:
        for done, record in enumerate(run_plan(plan, executor, store, experiment.id), start=1):
            score += score_of(record, plan.entrants[0].agent)
            tell(f"{experiment.id}, trained against untrained", done, plan.num_games)
        store.set_note(note_name(experiment), f"{score.wins} {score.draws} {score.losses}")


def note_name(experiment: SelfPlay) -> str:
    """Under which name a store has the score of the trained network."""
    return f"{experiment.id}/score"


def result(
    experiment: SelfPlay, cell: Claim, base: Path, score: str | None
) -> tuple[Estimate | float | None, tuple[float, ...]]:
    """The figure of a cell, and the losses that it is about, loop by loop."""
    if cell.measure == "points":
        if score is None:
            return None, ()
        wins, draws, losses = map(int, score.split())
        return share_estimate(Score(wins, draws, losses), "half").percent, ()
    state = read_memory(folder_of(experiment, base))
    if state.generation < load_config(experiment.config).model_updates:
        return None, ()
    course = course_of(state, cell.loss)
    return figure(cell, state, course), course if cell.measure == "change" else ()


def course_of(state: RunMemory, loss: str) -> tuple[float, ...]:
    """A loss after every training loop."""
    names = ("policy", "value", "regularisation")
    wanted = names if loss == "total" else (loss,)
    return tuple(
        sum(each[1 + names.index(name)] for name in wanted) for each in state.losses
    )  # fmt: skip


def figure(cell: Claim, state: RunMemory, course: Sequence[float]) -> float:
    """What a cell asks for.

    >>> losses = [(1, 4.0, 1.0, 0.0), (1, 3.0, 0.5, 0.0), (2, 3.0, 1.0, 0.0), (2, 1.0, 0.5, 0.0)]
    >>> state = RunMemory(2, losses=losses)
    >>> cell = Claim(row="policy loss", column="last by first update", loss="policy")
    >>> round(figure(cell, state, course_of(state, "policy")), 3)
    0.571
    """
    if cell.measure == "share":
        return statistics.fmean(course) / statistics.fmean(course_of(state, "total"))
    updates = _by_update(state.losses, course)
    if cell.measure == "change":
        return statistics.fmean(updates[-1]) / statistics.fmean(updates[0])
    rises = [after[0] - before[-1] for before, after in itertools.pairwise(updates)]
    half = len(rises) // 2
    return statistics.fmean(rises[-half:]) / statistics.fmean(rises[:half])


def _by_update(losses: Sequence[Loss], course: Sequence[float]) -> list[list[float]]:
    updates: dict[int, list[float]] = {}
    for (generation, *_), value in zip(losses, course, strict=True):
        updates.setdefault(generation, []).append(value)
    return list(updates.values())
