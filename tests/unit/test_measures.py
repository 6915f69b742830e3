"""Clocks, exams and measurements against perfect play."""

import json
from itertools import pairwise

import pytest

import spielbaum as sb
from spielbaum.arena import accuracy, exams, strength
from spielbaum.arena.accuracy import Answer, Exam, judge, judge_all, judge_kept, random_exams
from spielbaum.arena.exams import (
    Question,
    load_questions,
    make_questions,
    save_questions,
    share_kept,
)
from spielbaum.arena.strength import (
    Referee,
    against_perfect,
    check_opponents,
    measure_agent,
    measure_perfect,
)
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.base.rng import Rng
from spielbaum.base.statistics import Score
from spielbaum.play.clock import LEAST, think_seconds
from spielbaum.play.limits import Limits
from spielbaum.play.referee import Seat
from spielbaum.play.table import Result
from spielbaum.solvers import NotSolved

GAME = sb.game("tictactoe")


# ---- clocks ----
@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ((30.3,), 0.97),  # a thirtieth, without ten overheads in reserve and one for this move
        ((30.0, 0.0, None, 0.0), 1.0),
        ((30.3, 4.0), 3.97),  # and three quarters of the increment
        ((30.3, 0.0, 40), 0.97),  # never less than a thirtieth
        ((30.3, 0.0, 10), 2.97),
        ((10.3, 0.0, 2), 4.97),
        ((10.3, 4.0, 2), 5.97),  # at most six tenths while others are to come
        ((10.3, 4.0, 1), 9.97),
        ((10.3, 0.0, 0), 9.97),
        ((0.2, 0.0, 1), 0.07),  # half of a short clock is the reserve
        ((0.062, 0.0, 1), LEAST),
        ((-3.0, 9.0), LEAST),
    ],
)
def test_shares_of_a_clock(given, seconds):
    assert think_seconds(*given) == pytest.approx(seconds)


# ---- exams of random positions ----
def seat(agent="random", limits=None):
    return Seat(agent, limits or Limits(), 7)


def test_random_exams_are_those_of_their_seed():
    found = random_exams(sb.game("connect4"), seat(limits=Limits(depth=3)), 5, range(20, 23), 1)
    assert [each.ply for each in found] == [20, 21, 22, 20, 21]
    assert {(each.game, each.seat.agent, each.seat.limits.depth) for each in found} == {
        ("connect4", "random", 3)
    }
    # Exams of an earlier version are asked again with the same seeds.
    seeds = [1382449828, 214805560, 912321234, 57177974, 695401882]
    assert [each.seat.seed for each in found] == seeds
    for each in found:
        state = sb.game("connect4").state(each.notation)
        assert len(state.history) == each.ply
        assert len(state.legal_moves) > 1
    assert found == random_exams(
        sb.game("connect4"), seat(limits=Limits(depth=3)), 5, range(20, 23), 1
    )


def test_a_last_move_is_no_choice(monkeypatch):
    monkeypatch.setattr(accuracy, "ATTEMPTS", 20)
    for ply, fine in ((7, True), (8, False)):
        if fine:
            assert random_exams(GAME, seat(), 1, range(ply, ply + 1), 1)
        else:
            with pytest.raises(SpecError, match="at ply 8: random games of tictactoe"):
                random_exams(GAME, seat(), 1, range(ply, ply + 1), 1)


def exam(notation, agent="alphabeta", depth=9):
    return Exam("tictactoe", notation, len(notation.split()), seat(agent, Limits(depth=depth)))


def test_answers_keep_values_or_do_not(monkeypatch):
    def answer(text, notation="a1 b1 a2 b2"):  # a3 wins at once, c1 and c2 later
        decision = sb.Decision(GAME.state(notation).parse(text))
        chooses = type("Chooses", (), {"choose": lambda self, *_: decision})()
        players = type("Players", (), {"get": lambda self, seats: [chooses]})()
        return judge(exam(notation), players)

    assert answer("a3") == Answer(4, keeps=True, best=True)
    assert not answer("c2").best
    assert answer("c3") == Answer(4, keeps=False, best=False)
    assert answer("a2", "a1 b1") == Answer(2, keeps=True, best=True)
    assert answer("c1", "a1 b1") == Answer(2, keeps=False, best=False)  # a win became a draw
    assert answer("a2", "b2") == Answer(1, keeps=False, best=False)  # and a draw a loss
    assert judge(exam("b2")) == Answer(1, keeps=True, best=True)  # draws are kept, too

    def too_hard(state, **options):
        assert options == {"pv": False, "budget": accuracy.EFFORT}
        raise NotSolved("no")

    monkeypatch.setattr(accuracy, "solve", too_hard)
    assert judge(exam("b2")) is None


def test_exams_are_judged_in_their_order(monkeypatch):
    class Here:
        def __init__(self, jobs, imports):
            self.jobs = jobs

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def map(self, function, given):
            assert (function, self.jobs) == (judge_kept, 3)
            return [None if each == "hard" else each for each in given]

    monkeypatch.setattr(accuracy, "Pool", Here)
    assert list(judge_all(["a", "hard", "b"], jobs=3)) == ["a", "b"]
    assert judge_kept(exam("b2")) == Answer(1, keeps=True, best=True)


# ---- questions ----
def test_questions_have_a_wrong_move_each():
    told = []
    found = make_questions(GAME, 6, range(3, 6), seed=2, report=told.append)
    assert told == [1, 2, 3, 4, 5, 6]
    assert [each.ply for each in found] == [3, 4, 5, 3, 4, 5]
    # Whoever measures an agent again, with a later version, asks the same questions.
    written = ["b3 b1 c3", "b3 a1 a3 c3", "b3 b2 c3 a3 c1", "a2 b2 a1", "b2 c3 b3 b1"]
    assert [each.notation for each in found] == [*written, "b1 b2 a1 c1 a3"]
    for each in found:
        state = GAME.state(each.notation)
        assert (len(state.history), each.moves) == (each.ply, state.legal_moves)
        assert len(set(each.values)) > 1
        assert each.values == tuple(-Referee(GAME).value(state.play(m)) for m in each.moves)
    assert found == make_questions(GAME, 6, range(3, 6), seed=2)
    assert found != make_questions(GAME, 6, range(3, 6), seed=3)
    for plies in (range(0), range(-1, 3)):
        with pytest.raises(SpecError, match="there are no such"):
            make_questions(GAME, 1, plies, seed=1)
    assert len(make_questions(GAME, 2, range(3), seed=1)) == 2
    assert make_questions(GAME, 3, range(9, 10), seed=1) == []  # all games are over by then


def test_where_questions_are_looked_for_in_vain(monkeypatch):
    asked = []

    def none(game, player, plies, rng):
        asked.append(plies)

    monkeypatch.setattr(exams, "_played", none)
    assert make_questions(GAME, 3, range(2, 5), seed=1) == []
    assert asked[:21] == [2] * 21  # the ply whose turn it is
    assert asked[21:25] == [2, 3, 4, 2]  # all of them, for it seems to have no more
    assert len(asked) == 150
    asked.clear()
    monkeypatch.setattr(exams, "PATIENCE", 8)
    assert make_questions(GAME, 1000, range(2, 6), seed=1) == []
    assert asked == [2, 2, 2, 5, 2, 3, 4, 5]


def test_hard_positions_and_those_without_mistakes_are_left_out(monkeypatch):
    assert exams._question(GAME.initial(), 0) is None

    def too_hard(state, **options):
        assert options == {"exact": False, "pv": False, "budget": exams.EFFORT}
        raise NotSolved("no")

    monkeypatch.setattr(exams, "solve", too_hard)
    assert exams._question(GAME.state("a1"), 1) is None


def test_positions_are_played_by_an_agent_after_a_few_random_plies():
    plies, player = [], sb.agent("uct")

    class Counting(type(player)):
        def choose(self, state, budget=None):
            plies.append(len(state.history))
            assert budget.iterations == 200
            return super().choose(state, budget)

    for seed in range(12):
        plies.append("next")
        state = exams._played(GAME, Counting(), 6, Rng(seed))
        assert state is None or len(state.history) == 6
    firsts = {b for a, b in pairwise(plies) if a == "next" and b != "next"}
    assert {0, 4} <= firsts <= {0, 1, 2, 3, 4}


def test_questions_in_a_file(tmp_path):
    found = [Question("a1", 1, (1, 2), (1.0, -1.0)), Question("b2", 1, (3,), (0.0,))]
    path = tmp_path / "questions.json"
    path.write_text(save_questions(found, GAME))
    assert load_questions(path, GAME) == found
    with pytest.raises(ModelError, match="no questions about connect4"):
        load_questions(path, sb.game("connect4"))
    good = json.loads(path.read_text())
    for moves, values in (([], []), ([1], [1.0, 2.0])):
        path.write_text(json.dumps(good | {"questions": [["a1", 1, moves, values]]}))
        with pytest.raises(ModelError, match="no questions about tictactoe"):
            load_questions(path, GAME)
    path.write_text(json.dumps(good | {"format": "spielbaum questions 2"}))
    with pytest.raises(ModelError):
        load_questions(path, GAME)
    with pytest.raises(ModelError, match="No such file"):
        load_questions(tmp_path / "none.json", GAME)
    assert share_kept(found, [1, 3]) == 1.0
    assert share_kept(found, [2, 3]) == 0.5
    assert share_kept([], []) == 0.0


# ---- against perfect play ----
@pytest.fixture(scope="module")
def referee():
    return Referee(GAME)


def best(referee):
    def choose(state):
        values = {move: -referee.value(state.play(move)) for move in state.legal_moves}
        return max(values, key=values.get)

    return choose


def test_values_of_positions(referee, monkeypatch):
    won = GAME.state("a1 b1 a2 b2 a3")
    assert referee.value(won) == -1.0  # whose turn it would be has lost
    assert referee.value(GAME.state("a1 b1 a2 b2")) == 1.0
    monkeypatch.setattr(strength, "solve", None)
    assert referee.value(GAME.state("a1 b1 a2 b2")) == 1.0  # it is remembered
    lost = GAME.state("a1 b1 a2 c1 b2")
    assert referee.last_losing(lost) is referee.last_losing(lost)
    assert referee.last_losing(lost, 0) != []
    with pytest.raises(SpecError, match="has no solver"):
        Referee(sb.game("chess"))


def test_perfect_play_draws_and_mistakes_lose(referee):
    start = GAME.initial()
    for own in (0, 1):
        assert against_perfect(best(referee), referee, start, seat=own, seed=5) == 0.5
    first = [
        against_perfect(lambda state: state.legal_moves[0], referee, start, seat=1, seed=seed)
        for seed in range(10)
    ]
    assert first.count(0.0) > 5
    ahead = GAME.state("a1 b1")  # the first player wins
    assert against_perfect(best(referee), referee, ahead, seed=1) == 1.0
    assert against_perfect(best(referee), referee, ahead, seat=1, seed=1) == 0.0


def test_games_are_cut_with_the_value_of_their_position(referee):
    seen = []

    def choose(state):
        seen.append(len(state.history))
        return best(referee)(state)

    assert against_perfect(choose, referee, GAME.initial(), cut=4, seed=1) == 0.5
    assert seen == [0, 2]
    assert against_perfect(choose, referee, GAME.state("a1 b1"), cut=0, seed=1) == 1.0
    assert seen == [0, 2]


def test_a_lost_game_ends_at_once(referee):
    seen = []

    def choose(state):
        seen.append(len(state.history))
        return state.parse("b1" if len(state.history) == 1 else state.text(state.legal_moves[-1]))

    corner = GAME.state("a1")
    assert against_perfect(choose, referee, corner, seat=1, seed=1) == 0.0
    assert seen == [1]


def test_the_perfect_player_draws_its_moves_by_the_seed(referee):
    def replies(**options):
        seen = []

        def choose(state):
            seen.append(state.history)
            return state.legal_moves[-1]

        against_perfect(choose, referee, GAME.initial(), seat=1, **options)
        return seen

    assert replies() == replies(seed=0) == [(5,), (5, 8, 6)]
    assert replies(seed=1) == [(3,)]


def test_measurements_count_what_was_played(referee):
    found = measure_perfect(best(referee), referee, GAME, 4, seat=1)
    assert (found.opponent, found.score, found.share) == ("perfect", Score(0, 4, 0), 0.5)
    assert 0 < found.seconds < 60
    resisting = measure_perfect(best(referee), referee, GAME, 1, cut=2, resistance=3)
    assert (resisting.opponent, resisting.score) == ("perfect-resisting", Score(0, 1, 0))


def test_measurements_against_agents(monkeypatch):
    seen, resets = [], []

    class First(sb.Agent):
        def reset(self, seed=None):
            resets.append(seed)

        def choose(self, state, budget=None):
            seen.append((state.to_move, len(state.history), budget.iterations))
            return sb.Decision(state.legal_moves[0])

    monkeypatch.setattr(strength, "stored_agent", lambda spec: First())
    budgets = {"budget": sb.Budget(iterations=5), "other_budget": sb.Budget(iterations=9)}
    found = measure_agent(First(), "uct", GAME, 4, opening=2, **budgets)
    assert (found.opponent, found.score.games) == ("uct", 4)
    assert 0 < found.seconds < 60
    assert resets == [0, 0, 1, 1, 2, 2, 3, 3]
    assert {iterations for _, _, iterations in seen} == {5, 9}
    assert min(ply for _, ply, _ in seen) == 2
    begins = [iterations for _, ply, iterations in seen if ply == 2]
    assert begins == [5, 9, 5, 9]  # who has the first seat, in turn
    seen.clear()
    resets.clear()
    measure_agent(First(), "uct", GAME, 2, opening=1, seat=1, first=3, **budgets)
    assert [iterations for _, ply, iterations in seen if ply == 1] == [5, 5]
    assert resets == [3, 3, 4, 4]


def test_points_of_measurements(monkeypatch):
    rewards = iter([(1.0, -1.0), (1.0, -1.0), (0.0, 0.0), (0.25, -0.25)])
    monkeypatch.setattr(strength, "play_one", lambda table: Result(next(rewards), "rules", ""))
    player = sb.agent("random")
    found = measure_agent(player, "random", GAME, 4, opening=1, budget=sb.Budget(iterations=1))
    assert found.score == Score(1, 1, 2)


def test_opponents_that_do_not_exist():
    check_opponents("key", ["random", "uct:c=1"], "iterations=5")
    with pytest.raises(SpecError, match="key: there is no agent 'nobody'"):
        check_opponents("key", ["random", "nobody"])
    with pytest.raises(SpecError, match="limit 'hours=3'"):
        check_opponents("key", ["random"], "hours=3")
