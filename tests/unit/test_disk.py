"""Disks that cannot be written, and stores on them."""

import errno
import os
import subprocess
import sys

import pytest

from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.store import Store
from spielbaum.base.disk import check_writable
from spielbaum.base.errors import StoreError
from spielbaum.play.limits import Limits
from spielbaum.play.referee import GameRecord, GameTask, Seat

PLAN = Plan("tictactoe", (Entrant("random", Limits()), Entrant("random:seed=1", Limits())), games=2)
SEATS = (Seat("random", Limits(), 1), Seat("random:seed=1", Limits(), 2))
RECORD = GameRecord(
    GameTask("tictactoe", SEATS), ("a1",), (0.0, 0.0), "rules", "", (0.0,), (0.0,), (1,), (1,), 0.0
)


def test_a_run_is_removed_with_its_games_and_others_stay(tmp_path):
    with Store(tmp_path / "a.db") as store:
        for name in ("one", "two"):
            store.add(store.open_run(name, PLAN), RECORD)
        store.remove_run("one")
        assert store.runs() == ["two"]
        assert len(store.done(store.plan("two")[0])) == 1
        with pytest.raises(StoreError, match="no run 'one'"):
            store.remove_run("one")
        assert store.done(store.open_run("one", PLAN)) == set()


LIMITED = """
import resource, sys
from pathlib import Path
from spielbaum.arena.store import Store
from spielbaum.base.errors import StoreError
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
path, for_reading = Path(sys.argv[1]), sys.argv[2] == "reading"
try:
    with Store(path, for_reading=for_reading) as store:
        print(store.runs())
except StoreError as error:
    print(error.errno)
"""


def limited(path, how):
    """What a process sees that may write nothing."""
    command = [sys.executable, "-c", LIMITED, str(path), how]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_store_that_cannot_be_written_says_why_and_can_be_read(tmp_path):
    new, old = tmp_path / "new.db", tmp_path / "a file.db"
    assert limited(new, "reading") == str(errno.EFBIG)
    assert not new.exists()
    with Store(old) as store:
        store.open_run("one", PLAN)
    assert limited(old, "writing") == str(errno.EFBIG)
    assert limited(old, "reading") == "['one']"
    with Store(old) as store:
        assert store.runs() == ["one"]


def test_a_probe_leaves_nothing_behind(tmp_path):
    check_writable(tmp_path / "made")
    assert os.listdir(tmp_path / "made") == []
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        check_writable(tmp_path / "file")
