"""Runs a plan: what the store has is taken from there, the rest is played and stored."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from spielbaum.arena.executor import Executor
from spielbaum.arena.plan import Plan
from spielbaum.arena.store import Store
from spielbaum.play.referee import GameRecord


def run_plan(
    plan: Plan, executor: Executor, store: Store | None = None, name: str = "match"
) -> Generator[GameRecord, None, None]:
    """The games of a plan, those that are stored first, then the others as they end.

    A game is stored before it is handed over. Whoever stops listening ends the games that are
    still played; the next run of the same plan under the same name plays them again.

    >>> from spielbaum.play.limits import Limits
    >>> from spielbaum.arena.plan import Entrant
    >>> from spielbaum.arena.executor import Workers
    >>> players = (Entrant("random", Limits()), Entrant("random:seed=1", Limits()))
    >>> plan = Plan("tictactoe", players, games=4)
    >>> len(list(run_plan(plan, Workers(jobs=1))))
    4
    """
    with contextlib.closing(run_batches(plan, executor, store, name)) as batches:
        for batch in batches:
            yield from batch


def run_batches(
    plan: Plan, executor: Executor, store: Store | None = None, name: str = "match"
) -> Generator[list[GameRecord], None, None]:
    """The games of a plan as `run_plan` has them, those together that ended together."""
    if store is None:
        yield from executor.batches(plan.tasks())
        return
    run = store.open_run(name, plan)
    done = store.done(run)
    yield list(store.records(run))
    for batch in executor.batches(task for task in plan.tasks() if task.id not in done):
        yield store.add_all(run, batch)  # without those that another process had stored
