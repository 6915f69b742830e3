"""What games add up to, how they are stored, and how they are written, from games made by hand."""

import csv
import io
import json
import os
import sqlite3
from pathlib import Path

import pytest

import spielbaum as sb
from spielbaum.arena import store as stores
from spielbaum.arena.executor import Executor
from spielbaum.arena.export import export, to_csv, to_json, to_tree
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.ranking import to_markdown
from spielbaum.arena.runner import run_plan
from spielbaum.arena.standings import NOTHING, Standings
from spielbaum.arena.store import Store
from spielbaum.base.errors import StoreError
from spielbaum.base.statistics import Score
from spielbaum.play.limits import Limits
from spielbaum.play.referee import GameRecord, GameTask, Seat, play_game

FEW = Limits(iterations=20)
AGENTS = ("uct", "rave", "lgr")


def plan(*agents, games=4, game="tictactoe", limits=FEW):
    return Plan(game, tuple(Entrant(agent, limits) for agent in agents), games)


def played(agents, rewards, group=0, moves=("a1", "b1"), number=0, limits=FEW, **more):
    seats = tuple(Seat(agent, limits, seed) for seed, agent in enumerate(agents))
    task = GameTask("tictactoe", seats, opening=moves[:1], number=number, group=group)
    facts = {"ended_by": "rules", "reason": "line", "started": 86400.0, **more}
    return GameRecord(task, tuple(moves), rewards, **facts)


WIN, DRAW, LOSS = (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)


@pytest.fixture
def standings():
    """Two openings of uct against rave, and one game of each against lgr."""
    found = Standings(plan(*AGENTS))
    found.add_all(
        [
            played(("uct", "rave"), WIN, group=0, moves=("a1", "a2")),
            played(("rave", "uct"), WIN, group=0, moves=("a1", "a3")),
            played(("uct", "rave"), WIN, group=3, moves=("b1", "a2")),
            played(("rave", "uct"), DRAW, group=3, moves=("b1", "a3")),
            played(("uct", "lgr"), LOSS, group=1, moves=("c1", "a2")),
            played(("rave", "lgr"), DRAW, group=2, moves=("c1", "a3")),
        ]
    )
    return found


# ---- standings ----
def test_pairings(standings):
    uct = standings.pairing("uct", "rave")
    assert uct.score == Score(2, 1, 1)
    assert uct.as_first == Score(2, 0, 0)
    assert uct.groups == (Score(1, 0, 1), Score(1, 1, 0))
    rave = standings.pairing("rave", "uct")
    assert rave.score == Score(1, 1, 2)
    assert rave.as_first == Score(1, 1, 0)
    assert rave.groups == (Score(1, 0, 1), Score(0, 1, 1))
    assert standings.pairing("lgr", "uct").score == Score(1, 0, 0)
    assert standings.pairing("lgr", "uct").as_first == NOTHING


def test_groups_and_totals(standings):
    assert standings.games == 6
    assert standings.group("uct", "rave", 0) == Score(1, 0, 1)
    assert standings.group("uct", "rave", 3) == Score(1, 1, 0)
    assert standings.group("uct", "rave", 9) == Score(0, 0, 0)
    assert standings.total("uct") == Score(2, 1, 2)
    assert standings.total("rave") == Score(1, 2, 2)
    assert standings.total("lgr") == Score(1, 1, 0)


def test_groups_are_in_the_order_of_their_numbers():
    found = Standings(plan("uct", "rave"))
    for group, rewards in ((7, WIN), (2, DRAW), (5, LOSS)):
        found.add(played(("uct", "rave"), rewards, group))
    assert found.pairing("uct", "rave").groups == (Score(0, 1, 0), Score(0, 0, 1), Score(1, 0, 0))


def test_standings_know_their_plan_and_draw_themselves(standings):
    assert standings.plan == plan(*AGENTS)
    assert "<svg" in standings._repr_svg_()


def test_ratings_follow_the_results(standings):
    ratings = standings.ratings()
    assert ratings.players[0] == "lgr"
    assert set(ratings.players) == set(AGENTS)
    with pytest.raises(ValueError, match="expected two or more"):
        Standings(plan(*AGENTS)).ratings()


def test_faults_are_kept_in_words():
    found = Standings(plan("uct", "rave"))
    found.add(played(("uct", "rave"), WIN, ended_by="rules"))
    found.add(played(("uct", "rave"), WIN, ended_by="adjudication", reason="solved"))
    found.add(played(("uct", "rave"), LOSS, ended_by="time", reason="uct: too late"))
    found.add(played(("uct", "rave"), LOSS, ended_by="time", reason="uct: late again"))
    assert found.faults == ["uct: too late", "uct: late again"]
    assert found.ended_by == {"rules": 1, "adjudication": 1, "time": 2}


def test_copies_of_games():
    found = Standings(plan("uct", "rave"))
    same = ("a1", "b1", "c1")
    assert (found.copies, found.swapped_copies) == (0, 0)
    found.add(played(("uct", "rave"), WIN, group=0, moves=same))
    assert (found.copies, found.swapped_copies) == (0, 0)
    found.add(played(("rave", "uct"), WIN, group=0, moves=same))  # with swapped seats
    assert (found.copies, found.swapped_copies) == (1, 1)
    found.add(played(("uct", "rave"), WIN, group=1, moves=same))  # after another opening
    assert (found.copies, found.swapped_copies) == (2, 1)
    found.add(played(("uct", "rave"), WIN, group=2, moves=("a1", "b1", "c2")))
    assert (found.copies, found.swapped_copies) == (2, 1)


def test_games_of_three():
    found = Standings(plan(*AGENTS, game="yavalath:players=3"))
    found.add(played(AGENTS, (1.0, -0.5, -0.5)))
    found.add(played(("lgr", "uct", "rave"), (-0.5, -0.5, 1.0), group=1))
    assert found.pairing("uct", "rave").score == Score(1, 0, 1)
    assert found.pairing("rave", "lgr").score == Score(1, 1, 0)
    assert found.pairing("uct", "lgr").score == Score(1, 1, 0)
    assert found.pairing("uct", "lgr").as_first == Score(1, 0, 0)
    assert found.total("uct") == Score(2, 1, 1)


def test_agents_are_called_by_their_limits_only_where_these_differ():
    one, other = Limits(iterations=10), Limits(iterations=20)
    assert Standings(plan("uct", "rave")).names == ["uct", "rave"]
    mixed = Plan("tictactoe", (Entrant("uct", one), Entrant("uct", other)), 2)
    found = Standings(mixed)
    assert found.names == ["uct (iterations=10)", "uct (iterations=20)"]
    seats = (Seat("uct", other, 1), Seat("uct", one, 2))
    found.add(GameRecord(GameTask("tictactoe", seats), (), WIN, "rules", "line"))
    assert found.pairing("uct (iterations=20)", "uct (iterations=10)").score == Score(1, 0, 0)
    with pytest.raises(StoreError, match="rave does not take part in this tournament"):
        found.add(played(("uct", "rave"), WIN, limits=one))


# ---- as text ----
def test_csv_has_a_line_for_each_game():
    quick = played(("uct", "rave"), (0.5, -0.5), group=3, number=7, seconds=(0.25, 1.5))
    lines = list(csv.DictReader(io.StringIO(to_csv([quick, quick]))))
    assert len(lines) == 2
    assert lines[0] == {
        "number": "7",
        "group": "3",
        "game": "tictactoe",
        "agents": "uct | rave",
        "limits": "iterations=20 | iterations=20",
        "start": "",
        "opening": "1",
        "moves": "a1 b1",
        "rewards": "0.5 -0.5",
        "ended_by": "rules",
        "reason": "line",
        "seconds": "1.750",
        "started": "1970-01-02T00:00:00Z",
    }


def test_json_has_everything():
    record = played(("uct", "rave"), WIN, number=7, values=(0.5,), nodes=(3,))
    [told] = json.loads(to_json([record]))
    assert told["task"]["seats"][1]["agent"] == "rave"
    assert (told["values"], told["nodes"], told["rewards"]) == ([0.5], [3], [1.0, -1.0])


def test_times_belong_to_the_moves_after_the_opening():
    record = played(("uct", "rave"), WIN, moves=("a1", "b1", "a2"), seconds=(0.5, 1.25))
    facts = [node.facts for node in to_tree(record).main_line()]
    assert facts == [{}, {"seconds": "0.5"}, {"seconds": "1.25"}]


def to_pgn(records):
    return b"".join(export(records, "pgn")).decode()


def test_pgn_of_a_game():
    record = played(("uct", 'a\\"b'), LOSS, number=7, moves=("a1", "b1", "a2"), reason='no "a"')
    assert to_pgn([record]).splitlines() == [
        '[Event "game 7"]',
        '[Date "1970.01.02"]',
        '[Player1 "uct"]',
        '[Player2 "a\\\\\\"b"]',
        '[Result "0-1"]',
        '[Variant "tictactoe"]',
        '[Limits1 "iterations=20"]',
        '[Limits2 "iterations=20"]',
        '[Opening "1 plies"]',
        '[Termination "rules: no \\"a\\""]',
        "",
        "1. a1 b1 2. a2 0-1",
    ]
    assert to_pgn([played(("uct", "rave"), WIN)]).splitlines()[-1].endswith(" 1-0")
    assert to_pgn([played(("uct", "rave"), DRAW)] * 2).count(" 1/2-1/2\n\n[Event") == 1


def test_pgn_of_three_players_from_a_position():
    seats = tuple(Seat(agent, FEW) for agent in AGENTS)
    start = sb.game("yavalath:players=3").state("a1 b1").image(1).notation
    task = GameTask("yavalath:players=3", seats, start=start)
    record = GameRecord(task, ("e5", "e6", "e7", "f5"), (1.0, -0.5, -0.5), "rules", "four")
    text = to_pgn([record])
    assert f'[FEN "{start}"]' in text
    assert '[Player3 "lgr"]' in text
    assert '[Result "1/-0.5/-0.5"]' in text
    assert text.splitlines()[-1] == "1. e5 e6 e7 2. f5 *"


def rows_of(markdown):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()]


def test_the_table_of_a_tournament(standings):
    header, rule, *rows = rows_of(to_markdown(standings, "half"))
    assert header == ["", "agent", "Elo", "games", "points", "95 % interval", "1", "2", "3"]
    assert rule == ["---"] * 9
    assert [row[1] for row in rows] == [f"`{name}`" for name in standings.ratings().players]
    by_name = {row[1]: row for row in rows}
    uct = by_name["`uct`"]
    assert uct[3:5] == ["5", "50.0%"]
    low, high = (float(each.strip("%")) for each in uct[5].split(" to "))
    assert 0 < low < 50 < high < 100
    assert [row[0] for row in rows] == ["1", "2", "3"]
    order = [row[1].strip("`") for row in rows]
    assert uct[6 + order.index("rave")] == "62.5%"
    assert uct[6 + order.index("lgr")] == "0.0%"
    assert uct[6 + order.index("uct")] == ""
    assert uct[2] == f"{standings.ratings()['uct']:.0f}"
    strict = rows_of(to_markdown(standings, "nothing"))
    assert next(row for row in strict if row[1] == "`uct`")[4] == "40.0%"


def test_the_table_of_a_tournament_that_has_just_begun():
    found = Standings(plan("uct", "rave", "lgr", "mcts"))
    found.add(played(("uct", "rave"), WIN))
    found.add(played(("lgr", "mcts"), WIN))
    rows = rows_of(to_markdown(found, "half"))[2:]
    assert [(row[1], row[2], row[3]) for row in rows] == [
        (f"`{name}`", "", "1") for name in ("uct", "rave", "lgr", "mcts")
    ]
    assert rows[0][6:] == ["", "100.0%", "", ""]
    half = Standings(plan("uct", "rave", "lgr"))
    half.add(played(("uct", "lgr"), WIN))
    assert [row[1] for row in rows_of(to_markdown(half, "half"))[2:]] == ["`uct`", "`lgr`"]


# ---- stores ----
@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "games.db") as opened:
        yield opened


def test_games_come_back_as_they_were(store):
    run = store.open_run("first", plan("uct", "rave"))
    assert run == 1
    record = played(
        ("uct", "rave"),
        WIN,
        number=3,
        seconds=(0.5,),
        values=(0.25,),
        iterations=(20,),
        nodes=(7,),
    )
    assert store.add(run, record) is True
    assert store.add(run, record) is False
    assert store.done(run) == {record.task.id}
    assert list(store.records(run)) == [record]


def test_a_game_without_players_is_damaged(store):
    run = store.open_run("first", plan("uct", "rave"))
    store.add(run, played((), ()))
    with pytest.raises(StoreError, match="a game: it is damaged"):
        list(store.records(run))


def test_some_of_the_games(store):
    run = store.open_run("first", plan("uct", "rave", games=9))
    other = store.open_run("second", plan("uct", "rave", games=9))
    for number in (4, 1, 3, 0, 2):
        assert store.add(run, played(("uct", "rave"), WIN, number=number))
    store.add(other, played(("uct", "rave"), LOSS, number=2))

    def numbers(**which):
        return [record.task.number for record in store.records(run, **which)]

    assert numbers() == [0, 1, 2, 3, 4]
    assert numbers(limit=2) == [0, 1]
    assert numbers(offset=3) == [3, 4]
    assert numbers(offset=1, limit=3) == [1, 2, 3]
    assert numbers(number=2) == [2]
    assert numbers(number=9) == []
    assert numbers(limit=0) == []
    assert len(store.done(other)) == 1


def test_runs_and_their_plans(store):
    first, second = plan("uct", "rave"), plan("uct", "random", games=8)
    assert store.runs() == []
    assert (store.open_run("z", first), store.open_run("a", second)) == (1, 2)
    assert store.open_run("z", first) == 1
    assert store.runs() == ["z", "a"]
    assert store.plan("a") == (2, second)
    with pytest.raises(StoreError, match="the run 'a' has another plan"):
        store.open_run("a", first)
    with pytest.raises(StoreError, match="no run 'b'; there are z, a"):
        store.plan("b")


def test_notes(store):
    assert store.note("title") is None
    store.set_note("title", "one")
    store.set_note("title", "two")
    store.set_note("other", "three")
    assert (store.note("title"), store.note("other")) == ("two", "three")


def test_what_is_not_finished_is_undone(store):
    store.set_note("title", "before")

    def interrupted():
        with store._writing():
            store._connection.execute("UPDATE notes SET text = 'after'")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.note("title") == "before"
    store.set_note("title", "later")  # another one can begin
    assert store.note("title") == "later"


def test_a_disk_that_is_full_leaves_the_store_usable(store):
    """SQLite rolls back by itself then, and there is nothing left to undo."""

    def full():
        with store._errors(), store._writing():
            store._connection.execute("ROLLBACK")
            raise sqlite3.OperationalError("the disk is full")

    with pytest.raises(StoreError, match="the disk is full"):
        full()
    store.set_note("title", "later")
    assert store.note("title") == "later"


def test_others_see_what_is_stored_at_once(store, tmp_path):
    store.set_note("title", "here")
    with Store(tmp_path / "games.db") as other:
        assert other.note("title") == "here"
        other.set_note("title", "there")
    assert store.note("title") == "there"
    with pytest.raises(StoreError, match="closed"):
        other.note("title")
    mode = store._connection.execute("PRAGMA journal_mode").fetchone()
    assert mode == ("wal",)  # readers do not wait for who writes
    # And who writes does not wait for the disk each time: a crash of the program loses nothing.
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (1,)


def test_a_store_that_cannot_be_opened_is_let_go(tmp_path):
    path = tmp_path / "newer.db"
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(StoreError, match="newer version of Spielbaum") as caught:
        Store(path)
    handles = [each for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    assert not any(str(path) in os.readlink(each) for each in handles if each.exists())
    assert caught.traceback  # which would keep the connection


def test_a_file_of_the_first_version_is_brought_up_to_date(tmp_path):
    path = tmp_path / "old.db"
    old = sqlite3.connect(path)
    old.executescript(stores.MIGRATIONS[0] + "PRAGMA user_version = 1;")
    old.execute("INSERT INTO runs VALUES (5, 'old', ?, 0)", (plan("uct", "rave").to_json(),))
    old.commit()
    old.close()
    with Store(path) as store:
        assert store.plan("old") == (5, plan("uct", "rave"))
        store.set_note("title", "new")
    with Store(path) as store:
        assert store.note("title") == "new"
        version = store._connection.execute("PRAGMA user_version").fetchone()
    assert version == (len(stores.MIGRATIONS),)


# ---- plans that are run ----
class InThisProcess(Executor):
    """Plays one game after the other, and knows which it was asked for."""

    def __init__(self, meanwhile=None):
        self.asked, self.meanwhile = [], meanwhile

    def batches(self, tasks):
        for task in tasks:
            self.asked.append(task.number)
            record = play_game(task)
            if self.meanwhile is not None:
                self.meanwhile(record)
            yield [record]


def test_a_plan_without_a_store():
    executor = InThisProcess()
    records = list(run_plan(plan("random", "random:seed=1"), executor))
    assert executor.asked == [0, 1, 2, 3]
    assert [record.task.number for record in records] == [0, 1, 2, 3]


def test_only_missing_games_are_played(store):
    wanted = plan("random", "random:seed=1")
    games = run_plan(wanted, InThisProcess(), store, "mine")
    first = [next(games), next(games)]
    games.close()
    assert store.runs() == ["mine"]
    assert len(store.done(1)) == 2  # stored before they were handed over
    executor = InThisProcess()
    records = list(run_plan(wanted, executor, store, "mine"))
    assert executor.asked == [2, 3]
    assert records[:2] == first
    assert [record.task.number for record in records] == [0, 1, 2, 3]


def test_games_that_another_process_stored_are_not_counted_again(store):
    wanted = plan("random", "random:seed=1")
    run = store.open_run("mine", wanted)

    def other_process(record):
        if record.task.number == 1:
            store.add(run, record)

    records = list(run_plan(wanted, InThisProcess(other_process), store, "mine"))
    assert [record.task.number for record in records] == [0, 2, 3]
    assert len(store.done(run)) == 4
