"""Figures of stored runs and of experiments."""

import pytest

from spielbaum.base.figures import Curve, curves, save_figure
from spielbaum.base.statistics import Estimate, Score
from spielbaum.cli.main import run
from spielbaum.lab import Matches, Measured, experiments

PNG = b"\x89PNG"


@pytest.fixture
def reported(tmp_path, capsys):
    """Play, store, and report with figures; their names, and the folder."""

    def call(*command, image="png"):
        store = str(tmp_path / "games.db")
        assert run([*command, "--games", "2", "--jobs", "1", "--store", store]) == 0
        folder = tmp_path / "drawn"
        assert run(["report", store, "--plots", str(folder), "--image", image]) == 0
        capsys.readouterr()
        return sorted(path.name for path in folder.iterdir()), folder

    return call


def test_a_tournament_is_drawn(reported):
    names, folder = reported("tournament", "tictactoe", "perfect", "random", "random:seed=3")
    assert names == ["elo.png", "heat-map.png", "win-rate.png"]
    assert all((folder / name).read_bytes().startswith(PNG) for name in names)


def test_a_sweep_is_drawn_by_its_options(reported):
    grid = "uct:c={0.5,1},playout={random,gdk}"
    names, folder = reported(
        "sweep", "tictactoe", grid, "--against", "random", "--iterations", "9", image="svg"
    )
    assert names == ["elo.svg", "heat-map.svg", "win-rate.svg"]
    text = (folder / "heat-map.svg").read_text(encoding="utf-8")
    assert all(f">{word}<" in text for word in ("0.5", "1", "random", "gdk", "c", "playout"))


def test_one_option_is_a_curve(reported):
    names, _ = reported(
        "sweep", "tictactoe", "uct:c={0.5,1}", "--against", "random", "--iterations", "9"
    )
    assert names == ["elo.png", "options.png", "win-rate.png"]


def test_other_formats_are_refused(tmp_path, capsys):
    assert run(["report", str(tmp_path / "none.db"), "--image", "gif"]) == 2
    assert "expected png or svg" in capsys.readouterr().err


def test_equal_figures_are_equal_files(tmp_path):
    line = Curve("uct", (0.0, 1.0), (Estimate(50, 40, 60), Estimate(55, 45, 65)), (51.0, None))
    files = [
        save_figure(curves("A match", [line], labels=("", "points")), tmp_path / name)
        for name in ("one.svg", "two.svg")
    ]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("each", experiments(), ids=lambda each: each.id)
def test_every_experiment_can_be_drawn(each, tmp_path):
    cells = [*each.cells, *(each.variants if isinstance(each, Matches) else ())]
    if isinstance(each, Matches):
        results = [Measured(cell, Estimate(60, 55, 65), Score(6, 0, 4)) for cell in cells]
    else:
        results = [Measured(cell, 1.5) for cell in cells]
    path = save_figure(each.draw(results), tmp_path / "drawn.svg")
    text = path.read_text(encoding="utf-8")
    assert each.id in text
    rows = {cell.row for cell in cells}
    assert sum(f">{row}<" in text or f">{row}, " in text for row in rows) == len(rows)
