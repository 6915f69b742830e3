"""What notebooks show: boards, decisions as tables, results as plots."""

import threading
import time
from pathlib import Path
from xml.etree import ElementTree

import spielbaum as sb
from spielbaum.arena.executor import Workers
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.standings import Standings
from spielbaum.arena.store import Store
from spielbaum.games.drawing.text import BoardFace
from spielbaum.play.limits import Limits
from spielbaum.play.referee import play_game
from timing import measures_time


def small_plan(games=4):
    return Plan("tictactoe", (Entrant("perfect", Limits()), Entrant("random", Limits())), games)


def test_a_decision_is_a_table():
    state = sb.game("connect4").state("4453")
    decision = sb.agent("uct:seed=1").choose(state, sb.Budget(iterations=200))
    table = ElementTree.fromstring(decision.table(state)._repr_html_())
    rows = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    assert rows[0] == ["move", "value", "visits", "line"]
    assert rows[1][0] == state.text(decision.move)
    assert sorted(row[0] for row in rows[1:]) == sorted(map(state.text, state.legal_moves))
    assert sum(int(row[2]) for row in rows[1:]) == 200
    assert str(decision.move) in decision._repr_html_()
    assert str(decision.table(state)).splitlines()[0].split() == rows[0]


def test_a_match_is_a_plot():
    standings = Standings(small_plan())
    assert ElementTree.fromstring(standings._repr_svg_()) is not None
    standings.add_all(play_game(task) for task in standings.plan.tasks())
    picture = ElementTree.fromstring(standings._repr_svg_())
    words = ["".join(each.itertext()) for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "tictactoe: 4 games" in words
    assert words.index("perfect") < words.index("random")


def test_a_game_in_python_with_a_layout_is_drawn_as_a_board(page_games):
    state = sb.game("pyhex:size=4").initial().play("b2").play("c3")
    assert isinstance(state.game.face, BoardFace)
    picture = ElementTree.fromstring(state.svg())
    stones = [each for each in picture.iter() if each.get("class") == "stone"]
    assert [each.get("data-cell") for each in stones] == ["5", "10"]
    assert "player 1 to move" in str(state)
    assert not isinstance(sb.game("nim").face, BoardFace)


@measures_time
def test_an_executor_can_be_stopped_from_another_thread():
    executor = Workers(jobs=1)
    players = (Entrant("uct", Limits(seconds=5)), Entrant("rave", Limits(seconds=5)))
    threading.Timer(1.5, executor.stop).start()
    began = time.monotonic()
    assert list(run_plan(Plan("connect4", players, 2), executor)) == []
    assert time.monotonic() - began < 20


def test_some_of_the_stored_games_can_be_read(tmp_path: Path):
    plan = small_plan()
    with Store(tmp_path / "games.db") as store:
        run = store.open_run("first", plan)
        for task in plan.tasks():
            store.add(run, play_game(task))
        numbers = lambda **some: [each.task.number for each in store.records(run, **some)]  # noqa: E731
        assert numbers() == [0, 1, 2, 3]
        assert numbers(offset=1, limit=2) == [1, 2]
        assert numbers(number=3) == [3]
        assert numbers(number=9) == []
