"""Runs a plan: what the store has is taken from there, the rest is played and stored."""

from __future__ import annotations

from collections.abc import Generator

from spielbaum.arena.plan import Plan
from spielbaum.arena.store import Store
from spielbaum.arena.workers import Executor
from spielbaum.play.referee import GameRecord


def run_plan(
    plan: Plan, executor: Executor, store: Store | None = None, name: str = "match"
) -> Generator[GameRecord, None, None]:
    """The games of a plan, those that are stored first, then the others as they end.

    A game is stored before it is handed over. Whoever stops listening ends the games that are
    still played; the next run of the same plan under the same name plays them again.

    >>> from spielbaum.play.limits import Limits
    >>> from spielbaum.arena.plan import Entrant
    >>> from spielbaum.arena.workers import LocalExecutor
    >>> players = (Entrant("random", Limits()), Entrant("random:seed=1", Limits()))
    >>> plan = Plan("tictactoe", players, games=4)
    >>> len(list(run_plan(plan, LocalExecutor(jobs=1))))
    4
    """
    if store is None:
        yield from executor.run(plan.tasks())
        return
    run = store.open_run(name, plan)
    done = store.done(run)
    yield from list(store.records(run))
    for record in executor.run([task for task in plan.tasks() if task.id not in done]):
        if store.add(run, record):  # otherwise another process was faster
            yield record
