"""Experiments of the lab are run, go on, and are compared with what was published."""

import re
import threading
import time
from dataclasses import replace

import pytest

from spielbaum.arena.executor import Workers
from spielbaum.base.statistics import Estimate, Score
from spielbaum.cli.main import run
from spielbaum.lab import Course, Lab, Matches, Measured, Pairing, Scale, Trainings, experiment
from spielbaum.lab.experiment import Agreement
from spielbaum.lab.report import to_markdown
from spielbaum.play.limits import Limits
from spielbaum.train.methods.ntuple.method import read_log


def small_table(**changes):
    quick = Limits(iterations=10)
    cells = (
        Pairing(row="a", column="b", agent="uct", opponent="random", limits=quick, published=90.0),
        Pairing(row="b", column="a", agent="random", opponent="uct", limits=quick, published=10.0),
    )
    values = {
        "id": "X.table1",
        "title": "A table",
        "source": "nowhere",
        "game": "tictactoe",
        "question": "Who?",
        "cells": cells,
        "scoring": "half",
        "games": 8,
        "small": Scale(6),
        "both_sides": True,
    }
    return Matches(**{**values, **changes})


def test_both_sides_of_a_table_are_the_same_games(tmp_path):
    table = small_table()
    lab = Lab(tmp_path / "lab.db", Workers(jobs=1))
    assert table.distinct == [table.cells[0]]
    told = []
    lab.tell = lambda what, done, total: told.append((done, total))
    first, second = lab.run(table)
    assert first.score.games == second.score.games == 6
    assert first.score.wins == second.score.losses
    assert told[-1] == (6, 6)
    told.clear()
    assert lab.run(table) == [first, second]  # nothing is played again
    text = to_markdown(table, [first, second], "Run here.")
    assert "| a | b | `uct` | `random` | 90 | " in text
    assert table.summary([first, second]) in text


def test_directions():
    table = small_table()
    cell = table.cells[0]

    def verdict(wins, losses):
        share = 100 * wins / (wins + losses)
        return table.judge(
            Measured(cell, Estimate(share, share - 5, share + 5), Score(wins, 0, losses))
        )

    assert verdict(90, 10).direction == "agrees"
    assert verdict(90, 10).contained
    assert verdict(10, 90).direction == "differs"
    assert not verdict(10, 90).contained
    assert verdict(52, 48).direction == "undecided"
    assert table.judge(Measured(cell, None)).contained is None


def test_a_start_position_and_scaled_times():
    table = experiment("S2.table3.5")
    plan = table.plan(table.cells[0], table.small)
    assert plan.entrants[0].limits.seconds == pytest.approx(0.05)
    assert all(task.start == table.start for task in plan.tasks())


def test_the_commands(tmp_path, capsys):
    store = ["--store", str(tmp_path / "lab.db")]
    command = ["lab", "run", "S0.table10", "--games", "2", "--jobs", "1", *store]
    assert run([*command, "--out", str(tmp_path)]) == 0
    text = (tmp_path / "S0.table10.md").read_text(encoding="utf-8")
    assert "RAVE-LGR" in text
    assert "![" in text
    assert "(S0.table10.svg)" in text
    assert (tmp_path / "S0.table10.svg").exists()
    assert f"Run on {time.strftime('%Y-')}" in text
    assert " cores, " in text
    assert re.search(r"^S0.table10 RAVE-LGR / .*: 2$", capsys.readouterr().err, re.MULTILINE)
    assert run(["lab", "report", "S0.table10", "S0.beta", "--games", "2", *store]) == 0
    out = capsys.readouterr().out
    assert run(["lab", "report", "S0.table10", "S0.beta", *store]) == 0  # as many as there are
    assert capsys.readouterr().out == out.replace("yet, 2 games", "yet, 100 games")
    assert "missing" in out
    assert "Not run to its end yet" in out
    assert "| [S0.table10](S0.table10.md) | " in out
    assert "| all |  | 2 | " in out
    assert run(["lab", "list"]) == 0
    assert "S2.table3.4" in capsys.readouterr().out
    assert run(["lab", "run", "S0.tabel7"]) == 2
    assert "did you mean S0.table7?" in capsys.readouterr().err


def test_speeds_are_measured_once_and_kept(tmp_path):
    speeds = replace(experiment("S0.speed"), iterations=200)
    lab = Lab(tmp_path / "lab.db", Workers(jobs=1))
    assert all(each.value is None for each in speeds.results(lab))
    assert speeds.facts(lab) == ""
    measured = lab.run(speeds)
    assert speeds.results(lab) == measured
    assert speeds.facts(lab).startswith("20")
    plain = next(each for each in measured if each.cell.row == speeds.baseline)
    assert plain.ratio == 1
    counts = speeds.agreement(measured)
    assert counts.compared == counts.agrees + counts.differs
    assert counts.compared < len(measured), "the plain agent is not compared with itself"


def test_both_sides_of_a_game_are_one_comparison():
    table = small_table()
    results = [
        Measured(table.cells[0], Estimate(90, 80, 95), Score(90, 0, 10)),
        Measured(table.cells[1], Estimate(10, 5, 20), Score(10, 0, 90)),
    ]
    assert table.agreement(results) == Agreement(1, 1, 1, 1, 0, 0)


def test_variants_of_ours_are_not_counted():
    table = experiment("S0.table6")
    won = (Estimate(58, 55, 62), Score(580, 0, 420))
    results = [Measured(cell, *won) for cell in (table.cells[0], *table.variants)]
    assert table.agreement(results).compared == 1


# ---- trainings ----
def small_trainings():
    """Two cells that share trainings, one of which looks at them before their end."""

    def course(row, **changes):
        return Course(
            row=row, column="success", config="tictactoe-9", opponent="perfect", **changes
        )

    return Trainings(
        id="X.figure1",
        title="A figure",
        source="nowhere",
        game="tictactoe",
        question="How fast?",
        small_runs=3,
        cells=(
            course("early", at=1_000),
            course("smooth", at=500, changes=(("learning.gamma", 0.9),)),
            course("second", seat=1),
        ),
    )


def test_trainings_are_shared_and_go_no_further_than_needed(tmp_path):
    figure = small_trainings()
    told = []
    lab = Lab(tmp_path / "lab.db", Workers(jobs=1), jobs=2)
    lab.tell = lambda what, done, total: told.append((what, done, total))
    early, smooth, second = lab.run(figure)
    assert told[-1] == ("X.figure1", 3 * 5_000 + 3 * 500, 3 * 5_000 + 3 * 500)
    assert 0 <= early.value.value <= 50
    assert 0 <= smooth.value.value <= 50
    assert 0 <= second.value.value <= 50
    logs = sorted(read_log(each.parent)[-1].games for each in tmp_path.glob("lab-*/*/*/log.csv"))
    assert logs == [500] * 3 + [5_000] * 3
    assert lab.run(figure) == [early, smooth, second]


def test_interrupted_trainings_end_and_go_on(tmp_path):
    figure = replace(small_trainings(), cells=small_trainings().cells[2:])
    lab = Lab(tmp_path / "lab.db", Workers(jobs=1), jobs=2)

    def interrupt(what, done, total):
        raise KeyboardInterrupt

    lab.tell = interrupt
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        lab.run(figure)
    assert threading.active_count() == threads
    lab.tell = lambda what, done, total: None
    assert lab.run(figure)[0].value is not None
