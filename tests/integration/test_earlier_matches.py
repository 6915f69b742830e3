"""Matches of the version before the one pool (ecec6b2): same ids and games, and stores that go on.

``tests/data/arena`` has three matches, game by game, and a store with seven games of one of them.
"""

import json
import shutil
from pathlib import Path

import pytest

from spielbaum.arena.executor import Here, Workers
from spielbaum.arena.plan import Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.store import Store

DATA = Path(__file__).parent.parent / "data" / "arena"
MATCHES = json.loads((DATA / "matches.json").read_text(encoding="utf-8"))


def told(records):
    ordered = sorted(records, key=lambda each: each.task.number)
    return [[each.task.id, " ".join(each.moves), list(each.rewards)] for each in ordered]


def plan_of(name):
    return Plan.from_json(json.dumps(MATCHES[name]["plan"]))


@pytest.mark.parametrize("name", MATCHES)
@pytest.mark.parametrize("executor", [Here(), Workers(2)], ids=["here", "workers"])
def test_the_same_games_move_by_move(name, executor):
    assert told(executor.run(plan_of(name).tasks())) == MATCHES[name]["games"]


def test_a_store_is_gone_on_with(tmp_path):
    path = tmp_path / "half.db"
    shutil.copy(DATA / "half.db", path)
    with Store(path) as store:
        before = list(store.records(1))
        assert len(before) == 7
        everything = list(run_plan(plan_of("connect4"), Workers(2), store, "connect4"))
        assert told(everything) == MATCHES["connect4"]["games"]
        assert everything[:7] == before  # they are not played again
