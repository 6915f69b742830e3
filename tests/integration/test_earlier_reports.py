"""The lab reads what an earlier version has measured, and reports the same figures from it.

``tests/data/lab/README.md`` says how the store was made, and the reports of that version.
"""

import re
import tarfile
from pathlib import Path

import pytest
from matplotlib import __version__ as matplotlib_version

from spielbaum.arena.executor import Workers
from spielbaum.arena.store import Store
from spielbaum.cli.main import run
from spielbaum.lab import Lab, Matches, experiments
from spielbaum.lab.kinds import matches
from spielbaum.play.limits import Limits

DATA = Path(__file__).parents[1] / "data" / "lab"
DRAWN_BY = "3.11.2"
"""The version of Matplotlib that drew the figures."""
GAMES = 4
"""Games of each cell."""


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    """The folder with the store, its trainings, and what was reported."""
    folder = tmp_path_factory.mktemp("earlier")
    with tarfile.open(DATA / "earlier.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_the_same_reports(earlier, capsys):
    reports = (earlier / "reports.md").read_text(encoding="utf-8")
    ids = re.findall(r"^# (S\d\.[\w.-]+):", reports, re.MULTILINE)  # others are newer
    assert run(["lab", "report", *ids, "--store", str(earlier / "lab.db")]) == 0
    assert capsys.readouterr().out == reports


@pytest.mark.skipif(matplotlib_version != DRAWN_BY, reason=f"Matplotlib {DRAWN_BY} drew them")
def test_the_same_drawings(earlier, tmp_path):
    drawn = sorted((earlier / "drawn").iterdir())
    store = ["--store", str(earlier / "lab.db"), "--out", str(tmp_path)]
    assert run(["lab", "report", *(path.stem for path in drawn), *store]) == 0
    for path in drawn:
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_runs_go_on_with_the_same_plans(earlier, monkeypatch):
    monkeypatch.setattr(matches, "relative_limits", lambda *_: Limits(seconds=0.25))
    lab = Lab(earlier / "lab.db", Workers(jobs=1), games=GAMES)
    files = Lab(Path("lab.db"), Workers(jobs=1))  # where the networks were then
    tables = [each for each in experiments() if isinstance(each, Matches)]
    cells = [(table, cell) for table in tables for cell in table.distinct]
    names = {table.run_name(lab, cell): (table, cell) for table, cell in cells}
    assert len(names) == len(cells)
    with Store(lab.store) as store:
        assert len(store.runs()) > 0.9 * len(cells)  # some cells were left out, to be missing
        for name in store.runs():
            table, cell = names[name]
            plan = table.plan(cell, table.scale_of(lab), files.with_files)
            assert store.find(name)[1] == plan.to_json(), name
