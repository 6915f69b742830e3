"""Damaged files and small ones that ask for gigabytes: refused in a sentence, in little memory."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import spielbaum as sb
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.store import Store
from spielbaum.base.errors import ModelError, StoreError
from spielbaum.play.limits import Limits
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.model_process import ModelProcess
from spielbaum.studio.services.services import Services
from spielbaum.train.run_list import find_runs

TESTS = Path(__file__).parents[1]
MOST_MEGABYTES = 500


def test_damaged_files_of_every_kind():
    """SPIELBAUM_FUZZ_FILES=500 damages so many of each kind; a few by default."""
    count = int(os.environ.get("SPIELBAUM_FUZZ_FILES", "6"))
    stores = count if "SPIELBAUM_FUZZ_FILES" in os.environ else 2
    # Not the file as the main program: each process that plays games would import it again.
    program = f"import sys; sys.path.insert(0, {str(TESTS)!r}); import file_fuzzer; "
    program += "file_fuzzer.main(sys.argv[1:])"
    ran = subprocess.run(
        [sys.executable, "-c", program, str(count), str(stores)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    results = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(results) == 18
    assert [(each["kind"], each["bad"]) for each in results if each["bad"]] == []
    for each in results:
        assert each["megabytes"] < MOST_MEGABYTES, each


def players(*specs):
    return tuple(Entrant(spec, Limits(iterations=5)) for spec in specs)


@pytest.fixture
def services(tmp_path):
    made = Services.of(Settings(data=tmp_path, workers=1))
    yield made
    made.models.reader.close()


def test_a_damaged_plan_is_one_bad_row(services, tmp_path):
    path = tmp_path / "tournaments.db"
    with Store(path) as store:
        for name in ("good", "bad", "gone"):
            store.open_run(name, Plan("tictactoe", players("random", "uct"), games=2))
        update = "UPDATE runs SET plan = ? WHERE name = ?"
        store._connection.execute(update, ('{"game": 7}', "bad"))
        plan = Plan("tictactoe", players("random", "uct"), games=2).to_json()
        store._connection.execute(update, (plan.replace("uct", "nosuch"), "gone"))
        with pytest.raises(StoreError, match="the plan of the run 'bad': it is damaged"):
            store.plan("bad")
        with pytest.raises(StoreError, match="the plan of the run 'gone': there is no agent"):
            store.plan("gone")
    rows = {row.name: row for row in services.tournaments.all()}
    assert (rows["good"].total, rows["good"].problem) == (2, "")
    assert rows["bad"].problem == "the plan of the run 'bad': it is damaged"
    assert "there is no agent 'nosuch'" in rows["gone"].problem


def test_a_damaged_store_is_one_bad_row(services, tmp_path):
    (tmp_path / "tournaments.db").write_bytes(random.Random(1).randbytes(5000))
    [row] = services.tournaments.all()
    assert (row.name, row.problem) == ("tournaments.db", "file is not a database")
    (tmp_path / "lab.db").write_bytes(random.Random(1).randbytes(5000))
    view = services.experiments.view("S0.table10", 20)
    assert view.problem == "store lab.db: file is not a database"
    assert view.figures[0].published is not None


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("task", "[]"),
        ("task", '{"game": "tictactoe"}'),
        ("rewards", "[1.0]"),
        ("rewards", "[1.0, NaN]"),
        ("rewards", "[1.5, -1.5]"),
        ("moves", "b2 b2"),
        ("vals", '["much"]'),
        ("seconds", "{}"),
        ("started", "never"),
        ("reason", b"\xff"),
        ("nodes", "[1]"),
    ],
)
def test_damaged_games(tmp_path, column, text):
    from spielbaum.play.referee import GameTask, Seat, play_game

    seats = (Seat("random", Limits(), 1), Seat("random", Limits(), 2))
    with Store(tmp_path / "a.db") as store:
        run = store.open_run("a", Plan("tictactoe", players("random", "uct"), games=2))
        store.add(run, play_game(GameTask("tictactoe", seats, opening=("b2", "a1"))))
        assert len(list(store.records(run))) == 1
        store._connection.execute(f"UPDATE games SET {column} = ?", (text,))
        with pytest.raises(StoreError, match="a game: it is damaged"):
            list(store.records(run))


def test_stores_that_do_something(tmp_path):
    path = tmp_path / "a.db"
    with Store(path) as store:
        store._connection.execute("CREATE VIEW v AS SELECT * FROM runs")
    with pytest.raises(StoreError, match="a view that no store of Spielbaum has"):
        Store(path)


def test_a_damaged_run_is_one_bad_row(tmp_path):
    for name, text in (("a", "method = 'dqn'\ngame = 'tictactoe'\n"), ("b", "x = [[[")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.toml").write_text(text)
    shutil.copytree(TESTS / "data" / "runs" / "ntuple", tmp_path / "c")
    (tmp_path / "c" / "run1" / "log.csv").write_text("games,share\n1,much\n")
    shutil.copytree(tmp_path / "a", tmp_path / "d")
    (tmp_path / "a" / "run.json").write_text('{"format": Infinity, "method": "dqn"}')
    (tmp_path / "d" / "status.json").write_text('{"activity": 3, "step": Infinity}')
    said = {run.folder.name: run.progress for run in find_runs(tmp_path)}
    assert said["a"].endswith("its run.json is damaged")
    assert said["d"] == "nothing done yet"
    assert "config.toml" in said["b"]
    assert said["c"].endswith("its log.csv is damaged")


def test_the_server_reads_models_in_a_process_with_limited_memory(services):
    reader = services.models.reader
    assert services.inspector.network("models/tictactoe.npz").game == "tictactoe"
    process = reader.ask(os.getpid)
    assert process != os.getpid()
    with pytest.raises(ModelError, match="not enough memory"):
        reader.ask(bytearray, 10**11)
    with pytest.raises(ModelError, match="more memory or time"):
        reader.ask(os._exit, 1)
    assert services.models.summary("models/tictactoe.npz").game == "tictactoe"
    assert reader.ask(os.getpid) != process
    path = services.settings.data / "models" / "broken.npz"
    path.parent.mkdir()
    path.write_bytes(b"PK nonsense")
    with pytest.raises(ModelError, match=r"^model models/broken\.npz: it is damaged"):
        services.inspector.network("models/broken.npz")
    with pytest.raises(ModelError, match="it is damaged"):
        reader.check_agents([f"ntuple:{path}"])


def test_plans_do_not_load_models():
    plan = Plan("connect4", players("random", "ntuple:/nowhere/a.npz"), games=2)
    assert plan.num_games == 2


def test_a_closed_reader_starts_again():
    reader = ModelProcess(Settings(workers=1))
    for _ in range(2):
        assert reader.ask(sb.games)
        reader.close()
