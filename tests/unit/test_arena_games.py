"""One game of the arena: tasks and their ids, agents and their mistakes, adjudication, records."""

from types import SimpleNamespace

import pytest

import spielbaum as sb
from spielbaum.base.statistics import Score
from spielbaum.play import referee as games
from spielbaum.play.limits import Limits
from spielbaum.play.referee import (
    GameRecord,
    GameTask,
    Players,
    Seat,
    play_game,
    score_of,
    start_of,
)
from spielbaum.play.table import Watcher, forfeit


class Scripted(sb.Agent):
    """Plays the moves of a list, and says of each what it is told to."""

    def __init__(self, moves=(), value=0.0, stats=None):
        self.moves, self.value, self.stats = iter(moves), value, stats or {}

    def choose(self, state, budget=None):
        move = next(self.moves, None)
        chosen = state.legal_moves[0] if move is None else state.parse(move)
        return sb.Decision(chosen, value=self.value, stats=self.stats)


def given(*agents):
    """Players that are there already."""
    return SimpleNamespace(get=lambda seats: list(agents))


def task(game="tictactoe", **more):
    names = ("a", "b", "c")[: sb.game(game).num_players]
    return GameTask(game, tuple(Seat(name, Limits()) for name in names), **more)


def record_with(rewards, agents=("a", "b", "c")):
    seats = tuple(Seat(name, Limits()) for name in agents[: len(rewards)])
    return GameRecord(GameTask("tictactoe", seats), (), rewards, "rules", "")


# ---- tasks ----
def test_ids_of_tasks_stay_the_same_for_ever():
    """Games that were stored by earlier versions are found by them."""
    seats = (Seat("uct", Limits(iterations=100), 7), Seat("rave", Limits(clock=5.0), 8))
    assert GameTask("connect4", seats, "", ("d1",), 3, 1).id == KNOWN_ID
    assert GameTask("connect4", seats, "", ("d1",), 3, 1, adjudicate=True).id != KNOWN_ID
    assert GameTask("connect4", seats, "", ("d1",), 3, 2).id != KNOWN_ID


KNOWN_ID = "eb9f77251857bfbe82c37ca3"


def test_a_plain_task_is_the_first_game_and_played_to_its_end():
    plain = task()
    assert (plain.number, plain.group, plain.adjudicate) == (0, 0, False)
    assert (plain.start, plain.opening) == ("", ())
    assert Seat("a", Limits()).seed == 0
    assert start_of(plain) == sb.game("tictactoe").initial()
    there = GameTask("connect4", plain.seats, start="44", opening=("a1",))
    assert start_of(there).notation == "441"


# ---- players ----
def test_agents_are_kept_in_whichever_seat_they_are():
    players = Players()
    uct, rave = Seat("uct", Limits(), 1), Seat("rave", Limits(), 2)
    first = players.get((uct, rave))
    assert [str(each).partition(":")[0] for each in first] == ["uct", "rave"]
    again = players.get((uct, rave))
    assert all(one is other for one, other in zip(first, again, strict=True))
    assert players.get((rave, uct)) == first[::-1]
    # Two of a kind are two agents, and those that are not asked for are gone: trees take memory.
    one, other = players.get((uct, uct))
    assert one is first[0]
    assert other is not one
    assert players.get((rave, uct))[0] is not first[1]


def test_one_seat_may_change_while_the_other_stays():
    players = Players()
    first = players.get((Seat("uct", Limits()), Seat("rave", Limits())))
    second = players.get((Seat("uct", Limits()), Seat("random", Limits())))
    assert second[0] is first[0]
    assert second[1] is not first[1]


def test_agents_are_reset_with_the_seed_of_their_seat():
    players = Players()
    state = sb.game("connect4").initial()

    def moves(seed):
        agent, _ = players.get((Seat("random", Limits(), seed), Seat("random", Limits(), 0)))
        return [agent.choose(state).move for _ in range(8)]

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)


# ---- games ----
def test_everything_that_agents_say_is_kept():
    agents = (
        Scripted(["a1", "a2", "a3"], 1 / 3, {"iterations": 12, "nodes": 34}),
        Scripted(["b1", "b2"], -0.5),
    )
    record = play_game(task(), given(*agents))
    assert record.moves == ("a1", "b1", "a2", "b2", "a3")
    assert record.rewards == (1.0, -1.0)
    assert record.ended_by == "rules"
    assert record.values == (0.333333, -0.5, 0.333333, -0.5, 0.333333)
    assert record.iterations == (12, 0, 12, 0, 12)
    assert record.nodes == (34, 0, 34, 0, 34)
    assert len(record.seconds) == 5
    assert all(0 <= each < 60 for each in record.seconds)


def test_moves_of_the_opening_come_first():
    record = play_game(task(opening=("b2", "a1")), given(Scripted(), Scripted()))
    assert record.moves[:2] == ("b2", "a1")
    assert len(record.values) == len(record.moves) - 2


def test_watchers_hear_who_thinks_and_what_was_played_before():
    heard = []
    agents = given(Scripted(["a1", "a2", "a3"]), Scripted(["b1", "b2"]))

    class Hearing(Watcher):
        before = None

        def asked(self, turn):
            heard.append((turn.player, self.before))

        def played(self, turn, decision, move, seconds):
            self.before = move

    play_game(task(), agents, [Hearing()])
    start = sb.game("tictactoe").initial()
    actions = [start.parse(text) for text in ("a1", "b1", "a2", "b2")]
    assert heard == list(zip([0, 1, 0, 1, 0], [None, *actions], strict=True))


@pytest.mark.parametrize("number", [1, 3])
def test_as_many_agents_as_players(number):
    seats = tuple(Seat("random", Limits(), each) for each in range(number))
    with pytest.raises(ValueError, match=f"{number} agents for tictactoe, which has 2 players"):
        play_game(GameTask("tictactoe", seats))


@pytest.mark.parametrize(("specs", "loser"), [(("nosuch", "random"), 0), (("random", "nosuch"), 1)])
def test_who_cannot_be_made_loses(specs, loser):
    record = play_game(GameTask("tictactoe", tuple(Seat(spec, Limits()) for spec in specs)))
    assert record.ended_by == "crash"
    assert record.rewards[loser] == -1.0
    assert record.reason.startswith("nosuch: SpecError: ")
    assert record.moves == ()


def test_if_nobody_fails_a_second_time_the_first_loses():
    def fail(seats):
        raise RuntimeError("this once")

    seats = (Seat("random", Limits()), Seat("random", Limits()))
    record = play_game(GameTask("tictactoe", seats), SimpleNamespace(get=fail))
    assert (record.rewards, record.reason) == ((-1.0, 1.0), "random: RuntimeError: this once")


class Failing(sb.Agent):
    def __init__(self, error):
        self.error = error

    def choose(self, state, budget=None):
        if isinstance(self.error, Exception):
            raise self.error
        return sb.Decision(self.error)


def test_mistakes_are_told_in_few_words():
    record = play_game(task(), given(Scripted(), Failing(RuntimeError("x" * 1000))))
    assert (record.ended_by, record.rewards) == ("crash", (1.0, -1.0))
    assert record.reason == "b: RuntimeError: " + "x" * (300 - len("RuntimeError: "))
    assert (len(record.moves), len(record.seconds)) == (1, 1)
    record = play_game(task(), given(Failing(77), Scripted()))
    assert (record.ended_by, record.reason) == ("illegal", "a: move 77 is not legal")
    assert (record.moves, record.values) == ((), ())
    assert len(record.seconds) == 1


def test_three_players_share_what_the_loser_loses():
    agents = given(Scripted(), Failing(RuntimeError("no")), Scripted())
    record = play_game(task("yavalath:players=3"), agents)
    assert record.rewards == (0.5, -1.0, 0.5)
    assert forfeit(2, 0) == (-1.0, 1.0)
    assert forfeit(2, 1) == (1.0, -1.0)
    assert sum(forfeit(4, 3)) == pytest.approx(0)


# ---- adjudication ----
@pytest.mark.parametrize(
    ("opening", "rewards"),
    [
        (("a1", "b1", "a2", "b2"), (1.0, -1.0)),  # who is to move wins at once
        (("a1", "b1", "a2", "b2", "c3"), (-1.0, 1.0)),
        (("a1", "b2", "c1", "b1", "b3", "a2", "c2"), (0.0, 0.0)),
    ],
)
def test_the_solver_ends_a_game_with_its_result(opening, rewards):
    judged = play_game(task(opening=opening, adjudicate=True), given(Scripted(), Scripted()))
    assert (judged.ended_by, judged.reason) == ("adjudication", "solved")
    assert judged.rewards == rewards
    assert judged.moves == opening
    played = play_game(task(opening=opening), given(Scripted(), Scripted()))
    assert played.ended_by == "rules"


def test_the_solver_is_asked_for_the_value_alone(monkeypatch):
    """Moves and variations would use up what it may spend on a position."""
    asked = []

    def solve(state, **options):
        asked.append(options)
        return SimpleNamespace(value=1.0)

    monkeypatch.setattr(games, "solve", solve)
    play_game(task(adjudicate=True), given(Scripted(), Scripted()))
    [options] = asked
    assert [options[name] for name in ("exact", "moves", "pv")] == [False] * 3
    assert options["budget"].nodes == pytest.approx(200_000, rel=0.1)


def test_games_of_three_and_games_that_cannot_be_solved_are_played():
    three = play_game(
        task("yavalath:players=3", adjudicate=True), given(Scripted(), Scripted(), Scripted())
    )
    assert three.ended_by == "rules"
    stopped = play_game(
        task("chess", adjudicate=True), given(Failing(RuntimeError("enough")), Scripted())
    )
    assert stopped.ended_by == "crash"


# ---- results ----
@pytest.mark.parametrize(
    ("rewards", "winner"),
    [
        ((1.0, -1.0), 0),
        ((-1.0, 1.0), 1),
        ((0.0, 0.0), None),
        ((-0.5, -0.5, 1.0), 2),
        ((0.5, 0.5, -1.0), None),
    ],
)
def test_the_winner_is_the_only_one_with_the_highest_reward(rewards, winner):
    assert record_with(rewards).winner == winner


def test_scores_of_one_agent():
    assert score_of(record_with((1.0, -1.0)), "a") == Score(1, 0, 0)
    assert score_of(record_with((1.0, -1.0)), "b") == Score(0, 0, 1)
    assert score_of(record_with((0.0, 0.0)), "b") == Score(0, 1, 0)
    assert score_of(record_with((-0.5, -0.5, 1.0)), "c") == Score(1, 0, 0)
