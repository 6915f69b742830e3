"""The agent perfect: optimal wherever it solves, honest where it does not, and in time."""

import random
import re
import subprocess
import sys
import threading
import time

import pytest

import spielbaum as sb
from spielbaum.solvers.book import BookError, build_book
from timing import measures_time

SMALL = "connect4:rows=4,columns=5"
# Every move wins, e3 the fastest.
WINS = "52753311433677442422121"


@pytest.fixture(scope="module")
def small_book(tmp_path_factory):
    path = tmp_path_factory.mktemp("book") / "small.book"
    build_book(sb.game(SMALL), 4, path, jobs=1)
    return path


def random_state(game, plies, rng):
    while True:
        state = game.initial()
        while state.outcome is None and len(state.history) < plies:
            state = state.play(rng.choice(state.legal_moves))
        if state.outcome is None:
            return state


def play(first, second, start):
    """The winner of a game, or None."""
    state, agents = start, (first, second)
    while state.outcome is None:
        state = state.play(agents[state.to_move].choose(state).move)
    return state.outcome.winner


# What it decides


@pytest.mark.parametrize("prefer", ["value", "distance"])
@pytest.mark.parametrize(
    ("spec", "plies"), [("tictactoe", 2), ("connect4", 24), ("reversi", 50), ("reversi:size=4", 3)]
)
def test_every_move_is_valued_and_a_best_one_chosen(spec, plies, prefer):
    rng = random.Random(f"{spec} {prefer}")
    agent = sb.agent(f"perfect:prefer={prefer}")
    for _ in range(10):
        state = random_state(sb.game(spec), plies, rng)
        decision = agent.choose(state)
        solution = sb.solve(state, lookup=False)
        assert [each.move for each in decision.moves] == list(state.legal_moves)
        for each, solved in zip(decision.moves, solution.moves, strict=True):
            assert each.value == each.proven == solved.value
            assert each.pv[0] == each.move
        scores = {each.move: each.score for each in solution.moves}
        if prefer == "distance":
            assert scores[decision.move] == solution.score == decision.stats["score"]
        assert sb.solve(state.play(decision.move), lookup=False).value == -solution.value
        assert decision.value == solution.value
        assert decision.pv[0] == decision.move
        assert decision.stats["solved"] is True
        assert decision.stats["source"] in ("solver", "cache")
        assert decision.stats["exact"] is (prefer == "distance")


def test_it_never_loses_at_tic_tac_toe():
    agent, opponent = sb.agent("perfect:among=equal"), sb.agent("random")
    start = sb.game("tictactoe").initial()
    results = [play(agent, opponent, start) for _ in range(30)]
    assert 1 not in results
    assert 0 in results
    assert 0 not in [play(opponent, agent, start) for _ in range(30)]
    assert play(agent, sb.agent("perfect"), start) is None


def test_by_distance_it_wins_as_fast_as_can_be():
    state = sb.game("connect4").state(WINS)
    agent = sb.agent("perfect:prefer=distance")
    decision = agent.choose(state)
    assert state.text(decision.move) == "e3"
    assert decision.pv == sb.solve(state).pv
    end = state
    while end.outcome is None:
        end = end.play(agent.choose(end).move)
    assert end.outcome.winner == state.to_move
    assert len(end.history) - len(state.history) == len(decision.pv)


def test_equally_good_moves_come_up_by_chance_and_repeat_with_the_seed():
    start = sb.game("tictactoe").initial()

    def moves(agent):
        return [agent.choose(start).move for _ in range(40)]

    assert set(moves(sb.agent("perfect"))) == {0}
    agent = sb.agent("perfect:among=equal,seed=5")
    first = moves(agent)
    assert set(first) == set(range(9))
    assert moves(agent) != first
    agent.reset()
    assert moves(agent) == first
    agent.reset(seed=6)
    assert moves(agent) == moves(sb.agent("perfect:among=equal,seed=6"))


def test_a_forced_pass_is_a_move():
    state = sb.game("reversi:size=4").state("XXXXXXXXXXXO--O- O")
    while "pa" not in [state.text(move) for move in state.legal_moves]:
        state = state.play(state.legal_moves[0])
    assert state.text(sb.agent("perfect").choose(state).move) == "pa"


def test_an_answer_from_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("SPIELBAUM_CACHE", str(tmp_path))
    state = sb.game("connect4").state("44444326")
    first = sb.agent("perfect").choose(state)
    again = sb.agent("perfect").choose(state)
    assert (first.stats["source"], again.stats["source"]) == ("solver", "cache")
    assert again == first


def test_the_decision_is_reported():
    reports = []
    decision = sb.agent("perfect").choose(
        sb.game("tictactoe").initial(), sb.Budget(report=reports.append)
    )
    assert reports == [decision]


# Where it cannot solve


@measures_time
@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("chess", "chess has no solver"),
        ("yavalath", "yavalath has no solver"),
        ("reversi", "reversi with 60 empty cells is too far from its end to be solved in time"),
        (
            "connect4:rows=8,columns=9",
            r"connect4:rows=8,columns=9 at '' is not solved after [\d,]+",
        ),
    ],
)
def test_the_fallback_moves_and_says_why(spec, reason):
    state = sb.game(spec).initial()
    began = time.perf_counter()
    decision = sb.agent("perfect").choose(state, sb.Budget(seconds=0.4))
    assert time.perf_counter() - began < 0.8
    assert decision.move in state.legal_moves
    assert decision.stats["solved"] is False
    assert decision.stats["source"] == "alphabeta"
    assert decision.stats["depth"] >= 1
    assert re.match(reason, decision.stats["reason"])


def test_budgets_of_nodes_are_kept_and_repeat():
    state = sb.game("connect4:columns=8").state("44")  # a board without a book
    decisions = []
    for _ in range(2):
        decision = sb.agent("perfect").choose(state, sb.Budget(nodes=20_000))
        assert 10_000 <= decision.stats["nodes"] <= 20_000
        assert decision.stats["reason"] == (
            "connect4:columns=8 at '44' is not solved after 10,000 nodes"
        )
        decisions.append(decision)
    assert decisions[0] == decisions[1]
    assert sb.agent("perfect").choose(state, sb.Budget(nodes=1)).move in state.legal_moves


def test_another_fallback():
    decision = sb.agent("perfect:fallback=random").choose(sb.game("chess").initial())
    assert decision.stats["source"] == "random"
    for name in ("nobody", "perfect", "human"):
        with pytest.raises(sb.SpecError, match=f"agent perfect: option fallback={name}: "):
            sb.agent(f"perfect:fallback={name}")


def test_distance_that_is_not_found_leaves_the_value():
    # All scores take about 400 nodes, only win, draw or loss about 40.
    state = sb.game("connect4").state("5554224333234511764415115")
    decision = sb.agent("perfect:prefer=distance").choose(state, sb.Budget(nodes=300))
    assert (decision.stats["solved"], decision.stats["exact"]) == (True, False)
    assert "is not solved after 150 nodes" in decision.stats["reason"]
    assert decision.value == sb.solve(state, exact=False).value


def test_three_players():
    with pytest.raises(sb.SpecError, match="perfect is for two players; yavalath:players=3 has 3"):
        sb.agent("perfect").choose(sb.game("yavalath:players=3").initial())


def test_a_finished_game():
    with pytest.raises(sb.IllegalMove, match="the game is over"):
        sb.agent("perfect").choose(sb.game("tictactoe").state("a1 a2 b1 b2 c1"))


@measures_time
@pytest.mark.parametrize("how", ["agent", "token"])
@pytest.mark.parametrize("when", ["solving", "falling back"])
def test_stop(how, when):
    # The empty board takes minutes; chess has no solver, and goes to the fallback at once.
    state = sb.game("connect4" if when == "solving" else "chess").initial()
    agent = sb.agent("perfect:book=none,memory=8")
    token = sb.StopToken()
    agent.choose(state, sb.Budget(seconds=0.2))  # memory is given out slowly
    stopped_at = []

    def stop():
        (agent if how == "agent" else token).stop()
        stopped_at.append(time.perf_counter())

    threading.Timer(0.3, stop).start()
    decision = agent.choose(state, sb.Budget(seconds=30, stop=token))
    took = time.perf_counter() - stopped_at[0]
    assert decision.move in state.legal_moves
    assert decision.stats["solved"] is False
    assert took < 0.25  # 50 ms on a machine that does nothing else


# The book


def test_a_book_of_ones_own(small_book):
    game = sb.game(SMALL)
    agent = sb.agent(f"perfect:book={small_book}")
    rng = random.Random(3)
    for plies in (0, 1, 2, 3) * 5:
        state = random_state(game, plies, rng)
        decision = agent.choose(state)
        assert decision.stats["source"] == "book"
        assert decision.stats["nodes"] == 0
        solution = sb.solve(state, exact=False, lookup=False)
        assert [each.proven for each in decision.moves] == [each.value for each in solution.moves]
        assert decision.value == solution.value
    last = random_state(game, 4, rng)  # the values of its moves are not in the book
    assert agent.choose(last).stats["source"] in ("solver", "cache")
    exact = sb.agent(f"perfect:prefer=distance,book={small_book}").choose(game.initial())
    assert exact.stats["exact"] is True
    hurried = sb.agent(f"perfect:prefer=distance,book={small_book}")
    decision = hurried.choose(game.initial(), sb.Budget(nodes=100))
    assert (decision.stats["exact"], decision.stats["source"]) == (False, "book")
    assert "is not solved after 50 nodes" in decision.stats["reason"]


def test_books_that_cannot_be_used(small_book, tmp_path):
    agent = sb.agent(f"perfect:book={small_book}")
    with pytest.raises(BookError, match="is of connect4:rows=4,columns=5, not of connect4"):
        agent.choose(sb.game("connect4").initial())
    cut = tmp_path / "cut.book"
    cut.write_bytes(small_book.read_bytes()[:-3])
    with pytest.raises(BookError, match="checksum differs"):
        sb.agent(f"perfect:book={cut}")
    with pytest.raises(BookError, match="No such file"):
        sb.agent(f"perfect:book={tmp_path / 'missing'}")
    command = [sys.executable, "-m", "spielbaum", "play", SMALL, "--against"]
    done = subprocess.run(
        [*command, f"perfect:book={cut}"], input="", capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"spielbaum: book {cut}: it is damaged")
    assert len(done.stderr.splitlines()) == 1


@measures_time
def test_openings_are_answered_at_once_and_without_mistake():
    rng = random.Random(7)
    game = sb.game("connect4")
    agent = sb.agent("perfect")
    agent.choose(game.initial())  # reads the book
    times = []
    for number in range(200):
        state = random_state(game, number % 8, rng)
        began = time.perf_counter()
        decision = agent.choose(state)
        times.append(time.perf_counter() - began)
        assert decision.stats["source"] == "book"
        after = sb.solve(state.play(decision.move), exact=False, moves=False)
        assert -after.value == decision.value == max(each.value for each in decision.moves)
    times.sort()
    assert times[len(times) // 2] < 0.005
    # One in twenty may meet a busy processor.
    assert times[190] < 0.005


def test_a_lost_game_is_lost_as_late_as_six_plies_tell():
    game, rng = sb.game(SMALL), random.Random(5)
    resisting, plain = sb.agent("perfect:prefer=resist"), sb.agent("perfect")
    lost = earlier = 0
    while lost < 40:
        state = random_state(game, rng.randrange(4, 16), rng)
        solution = sb.solve(state)
        if solution.value >= 0:
            assert resisting.choose(state).value == solution.value
            continue
        scores = {move.move: move.score for move in solution.moves}
        # With n stones of 20, a loss by the winner's k-th last stone comes in 22 - n - 2 k plies
        # or one less.
        if 22 - len(state.history) + 2 * max(scores.values()) > 6 or len(set(scores.values())) == 1:
            continue
        lost += 1
        assert scores[resisting.choose(state).move] == max(scores.values())
        earlier += scores[plain.choose(state).move] < max(scores.values())
    assert earlier > 0
