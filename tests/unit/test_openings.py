"""Openings: always the same ones where there are many, all in rounds where there are few."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import spielbaum as sb
from spielbaum.arena import accuracy, exams
from spielbaum.arena.accuracy import random_exams
from spielbaum.arena.executor import Here
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.standings import Standings
from spielbaum.arena.store import Store
from spielbaum.base.rng import Rng
from spielbaum.games.records import GameTree, formats
from spielbaum.play import random_openings
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Opening, Openings, _enough_plies
from spielbaum.play.referee import Seat, score_of
from spielbaum.train.data import random_opening

DATA = Path(__file__).parents[1] / "data" / "arena"
DRAWN = json.loads((DATA / "openings.json").read_text(encoding="utf-8"))
"""Openings as stored plans have them: drawn when games with few openings had no list yet."""
FAST = Limits(iterations=30)


@pytest.mark.parametrize("case", DRAWN, ids=lambda case: f"{case['game']} {case['rule']}")
def test_stored_plans_keep_their_openings(case):
    rule, wanted = Openings.parse(case["rule"]), case["openings"]
    drawn = rule.draw(sb.game(case["game"]), len(wanted), case["seed"])
    assert [" ".join(opening.moves) for opening in drawn] == wanted


def test_stored_tasks_keep_their_ids():
    clock = Limits(clock=2.0, increment=0.1)
    plan = Plan("connect4", (Entrant("uct", FAST), Entrant("rave", clock)), games=4, seed=3)
    assert [task.id for task in plan.tasks()] == [
        "2a16739471157d0d552c9a74",
        "088cebc395ec27fe4019c22b",
        "cb16c3671b5981343a739989",
        "321612fb13348f27d1e969ae",
    ]
    entrants = (Entrant("uct", FAST), Entrant("random", FAST))
    plan = Plan("tictactoe", entrants, 2, Openings.parse("position:b2"), adjudicate=True)
    assert [task.id for task in plan.tasks()] == [
        "d81b5f7074e6ae4522497329",
        "a660ffec1c8292aabc6fdd81",
    ]


def test_whether_an_end_is_forced_does_not_depend_on_the_evaluation(monkeypatch):
    rules, rng, decided = sb.game("connect4"), Rng(4), Counter()
    lookers = []
    monkeypatch.setattr(random_openings, "_looker", lambda *named: lookers.append(named))
    monkeypatch.setattr(random_openings, "_value", lambda *_: 0.5)
    random_openings._is_decided(rules.initial())
    random_openings._is_decided(sb.game("tictactoe").initial())  # nine moves are too many
    monkeypatch.undo()
    assert lookers == [("none",), ("auto",)]
    for plies in range(60):
        state = rules.initial().wander(6 + plies % 12, rng)
        if state.outcome is None:
            looker = random_openings._looker("auto")
            full = abs(random_openings._value(looker, state, random_openings.GLANCE)) == 1.0
            assert random_openings._is_decided(state) is full
            decided[full] += 1
    assert min(decided[True], decided[False]) > 5


@pytest.fixture
def looks(monkeypatch):
    """How often each position was searched for a forced end."""
    counted = Counter()
    is_decided = random_openings._is_decided

    def count(state):
        counted[state] += 1
        return is_decided(state)

    monkeypatch.setattr(random_openings, "_is_decided", count)
    return counted


def test_few_openings_are_listed_once_and_repeated(looks, monkeypatch):
    def never(*arguments):
        raise AssertionError("nothing is drawn where all openings are known")

    monkeypatch.setattr(random_openings, "_draw", never)
    rules = sb.game("tictactoe")
    drawn = Openings.parse("random:6").draw(rules, 1000, seed=1)
    assert len(set(drawn)) == len({opening.state(rules) for opening in drawn}) == 200
    assert drawn[:200] == drawn[200:400] == drawn[800:]
    assert len(set(drawn[:200])) == 200
    assert max(looks.values()) == 1
    assert len(looks) == 1372  # positions after six plies without three in a row
    again = Openings.parse("random:6").draw(rules, 1000, seed=2)
    assert drawn != again
    assert set(drawn) == set(again)
    # Two positions for each opening are few; one more would not be.
    assert len(set(Openings.parse("random:6").draw(rules, 1372 // 2, seed=1))) == 200
    with pytest.raises(AssertionError, match="nothing is drawn"):
        Openings.parse("random:6").draw(rules, 1372 // 2 - 1, seed=1)


def test_many_openings_are_not_searched_for_a_list(looks):
    Openings.parse("random:4").draw(sb.game("connect4"), 20, seed=1)
    assert sum(looks.values()) < 60


def test_drawing_that_finds_nothing_new_goes_on_with_the_list(looks):
    # 72 positions, of which the last few would be drawn only by luck.
    rules = sb.game("tictactoe")
    drawn = Openings.parse("random:2").draw(rules, 72, seed=1)
    assert len({opening.state(rules) for opening in drawn}) == 72
    # 756 positions of four plies are not few for 300 openings, until 160 of them turn out to do.
    drawn = Openings.parse("random:4").draw(rules, 300, seed=1)
    assert len({opening.state(rules) for opening in drawn}) == 160
    assert max(looks.values()) <= 2  # once for each of the two rules


def test_drawing_ends_where_no_list_can_be_made(monkeypatch):
    monkeypatch.setattr(random_openings, "LISTED_AT_LEAST", 3)
    rules = sb.game("connect4")
    monkeypatch.setattr(random_openings, "LISTED_AT_MOST", 3)
    drawn = Openings.parse("random:1").draw(rules, 30, seed=1)
    assert len(set(drawn)) == 7
    assert drawn[:7] == drawn[7:14]


@pytest.mark.parametrize(
    ("tries", "attempts", "met"),
    [(10, 5000, 11), (0, 5000, 1), (5000, 30, 30)],
)
def test_a_draw_is_given_up(tries, attempts, met, monkeypatch):
    class Known:
        """All positions; counts how many were met."""

        def __init__(self):
            self.met = 0

        def __contains__(self, state):
            self.met += 1
            return True

    monkeypatch.setattr(random_openings, "TRIES", tries)
    monkeypatch.setattr(random_openings, "ATTEMPTS", attempts)
    known, judge = Known(), random_openings._Judge(balanced=False)
    rules = sb.game("connect4")
    assert random_openings._draw(rules, 2, Rng(1), judge, known) is None
    assert known.met == met


def test_balanced_openings_that_are_few():
    rules = sb.game("tictactoe")
    assert len(set(Openings.parse("balanced:6").draw(rules, 400, seed=1))) == 200
    with pytest.raises(sb.SpecError, match="balanced:9: games of tictactoe are over or unbalanced"):
        Openings.parse("balanced:9").draw(rules, 5, seed=1)


def test_how_many_plies_leave_a_choice():
    """Stored plans say "random" alone, so that the number must stay the same."""
    chess = sb.game("chess")
    assert [_enough_plies(chess, count) for count in (1, 50, 51, 25650, 25651)] == [2, 2, 4, 4, 6]
    assert _enough_plies(sb.game("connect4"), 10**9) == 8


def test_openings_of_games_that_begin_elsewhere(tmp_path):
    path, fen = tmp_path / "endings.pgn", "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"
    path.write_text(f'[SetUp "1"]\n[FEN "{fen}"]\n\n1. e4 *\n')
    rule = Openings.parse(str(path))
    assert rule == Openings("file", None, str(path))
    drawn = rule.draw(sb.game("chess"), 2, seed=1)
    assert drawn == [Opening(fen, ("e2e4",))] * 2
    path.write_text("")
    with pytest.raises(sb.SpecError, match="it has no game"):
        rule.draw(sb.game("chess"), 1, seed=1)


def test_openings_of_games_of_another_kind(tmp_path):
    path, reversi = tmp_path / "games.ggf", sb.game("reversi")
    tree = GameTree.of_moves(reversi.initial(), [reversi.initial().text(19)])
    path.write_bytes(b"".join(formats()["ggf"].write([tree])))
    assert Openings.parse(str(path)).draw(reversi, 1, seed=1)[0].state(reversi).history == (19,)
    with pytest.raises(sb.SpecError, match="game 1: it is a game of reversi, not of connect4"):
        Openings.parse(str(path)).draw(sb.game("connect4"), 1, seed=1)


def test_files_of_positions(tmp_path):
    path = tmp_path / "positions.txt"
    path.write_text("# some\n44\n\n4 # the centre\n")
    assert Openings.parse(f"file:{path}").draw(sb.game("connect4"), 3, seed=1) == [
        Opening("44"),
        Opening("4"),
        Opening("44"),
    ]
    with pytest.raises(sb.SpecError, match="expected empty"):
        Openings.parse(str(path))  # only games need no "file:"
    for text, problem in (("#\n", "it has no position"), ("4\n9\n", "line 2: ")):
        path.write_text(text)
        with pytest.raises(sb.SpecError, match=problem):
            Openings.parse(f"file:{path}").draw(sb.game("connect4"), 1, seed=1)
    path.write_text("1212121\n")
    with pytest.raises(sb.SpecError, match="line 1: the game is over there"):
        Openings.parse(f"file:{path}").draw(sb.game("connect4"), 1, seed=1)


def twins(games, **options):
    entrant = Entrant("random", Limits())
    return Plan("tictactoe", (entrant, entrant), games, **options)


def test_one_agent_in_both_seats(tmp_path):
    plan = twins(60, seed=4)
    assert Plan.from_json(plan.to_json()) == plan
    first, second = (task for task in plan.tasks() if task.group == 0)
    assert [seat.name for seat in first.seats] == ["random", "random (2)"]
    assert [seat.name for seat in second.seats] == ["random (2)", "random"]
    assert len({seat.seed for task in plan.tasks() for seat in task.seats}) == 120
    standings = Standings(plan)
    with Store(tmp_path / "games.db") as store:
        standings.add_all(run_plan(plan, Here(), store, "twins"))
        run, read = store.plan("twins")
        assert read == plan
        again = Standings(read)
        records = list(store.records(run))
        again.add_all(records)
    assert {record.task.id for record in records} == {task.id for task in plan.tasks()}
    assert standings.names == again.names == ["random", "random (2)"]
    one, two = (again.total(name) for name in again.names)
    assert one == standings.total("random")
    assert (one.wins, one.draws, one.losses) == (two.losses, two.draws, two.wins)
    assert one.games == 60
    assert one == sum((score_of(each, "random") for each in records), start=type(one)(0, 0, 0))
    assert set(again.ratings().players) == {"random", "random (2)"}


def test_names_of_equal_entrants_with_other_limits():
    entrants = (Entrant("uct", FAST), Entrant("uct", FAST), Entrant("uct", Limits(depth=1)))
    names = Standings(Plan("tictactoe", entrants, 2)).names
    assert names == ["uct (iterations=30)", "uct (iterations=30) (2)", "uct (depth=1)"]


def test_repeated_openings_are_reported():
    plan = twins(40, openings=Openings.parse("random:1"))
    standings = Standings(plan)
    records = run_plan(plan, Here())
    for record in records:
        standings.add(record)
        if standings.games == 18:
            assert standings.repeats is None
    assert standings.repeats.text == "9 different openings, each played 4 to 6 times."
    fixed = Standings(twins(4, openings=Openings.parse("empty")))
    fixed.add_all(run_plan(fixed.plan, Here()))
    assert fixed.repeats is None


def test_exams_at_plies_that_no_game_has(monkeypatch):
    monkeypatch.setattr(accuracy, "ATTEMPTS", 50)
    with pytest.raises(sb.SpecError, match="positions at ply 14: random games of tictactoe"):
        random_exams(sb.game("tictactoe"), Seat("random", Limits()), 3, range(14, 35), seed=1)


def test_questions_are_solved_once_and_run_out(monkeypatch):
    solved = Counter()
    question = exams._question

    def count(state, ply):
        solved[state] += 1
        return question(state, ply)

    monkeypatch.setattr(exams, "_question", count)
    found = exams.make_questions(sb.game("tictactoe"), 200, range(2, 3), seed=1)
    assert 0 < len(found) < 73
    assert max(solved.values()) == 1
    assert len({each.notation for each in found}) == len(found)


def test_a_random_beginning_is_found_however_many_moves_are_wanted():
    rules, rng = sb.game("tictactoe"), np.random.default_rng(1)
    state, played = random_opening.begin_game(rules, 10**9, rng)
    assert state.outcome is None
    assert list(state.history) == played.moves
    assert len(played.moves) >= 4
