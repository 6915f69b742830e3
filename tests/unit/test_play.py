"""The table at which games are played, and halls of many tables."""

import numpy as np
import pytest

import spielbaum as sb
from spielbaum.play.hall import Hall, SearchBatch
from spielbaum.play.limits import Limits
from spielbaum.play.table import Player, Result, Rules, Table, Watcher, play_one, take

TICTACTOE = sb.game("tictactoe")
LINE = (0, 3, 1, 4, 2)  # the first player wins


class Plays:
    """Plays the moves of a list; an exception in it is raised."""

    def __init__(self, *moves):
        self.moves = iter(moves)
        self.budgets = []

    def choose(self, state, budget=None):
        self.budgets.append(budget)
        move = next(self.moves)
        if isinstance(move, Exception):
            raise move
        return sb.Decision(move)


class Notes(Watcher):
    def __init__(self):
        self.heard = []

    def asked(self, turn):
        self.heard.append(("asked", turn.player, turn.ply))

    def played(self, turn, decision, move, seconds):
        self.heard.append(("played", turn.player, decision.move, move))

    def disqualified(self, table, player, how, why):
        self.heard.append(("out", player, how, why))

    def over(self, table):
        self.heard.append(("over", table.result.ended_by))


def seated(*thinkers, **options):
    return [Player(each, **options) for each in thinkers]


def test_a_game_to_its_end():
    notes = Notes()
    table = Table(TICTACTOE.initial(), seated(Plays(*LINE[::2]), Plays(*LINE[1::2])), None, [notes])
    assert play_one(table) == Result((1.0, -1.0), "rules", "three in a row")
    assert (table.ply, table.loser, table.turn()) == (5, None, None)
    expected = []
    for ply, move in enumerate(LINE):
        expected += [("asked", ply % 2, ply), ("played", ply % 2, move, move)]
    assert notes.heard == [*expected, ("over", "rules")]


def test_a_turn_is_the_same_until_it_is_played():
    table = Table(TICTACTOE.initial(), seated(Plays(4), Plays()))
    turn = table.turn()
    assert turn is table.turn()
    take(turn)
    assert table.state.history == (4,)
    assert table.turn().player == 1


@pytest.mark.parametrize(
    ("move", "how", "why"),
    [
        (0, "illegal", "move 0 is not legal"),
        ("c3", "illegal", "move 'c3' is not legal"),  # a state would read it
        (True, "illegal", "move True is not legal"),
        (ValueError("no idea"), "crash", "ValueError: no idea"),
    ],
)
def test_what_a_player_does_wrong(move, how, why):
    players = seated(Plays(0), Plays(move))
    table = Table(TICTACTOE.initial(), players)
    assert play_one(table) == Result((1.0, -1.0), how, why)
    assert table.loser == 1
    players = seated(Plays(0), Plays(move))
    with pytest.raises((RuntimeError, ValueError), match=why.removeprefix("ValueError: ")):
        play_one(Table(TICTACTOE.initial(), players, Rules("raise")))


def test_numbers_of_others_are_moves():
    table = Table(TICTACTOE.initial(), seated(Plays(np.int64(4)), Plays()))
    take(table.turn())
    assert table.state.history == (4,)


def test_games_that_are_too_long_are_draws():
    table = Table(TICTACTOE.state("b2"), seated(Plays(0), Plays(1)), Rules(max_plies=3), ply=1)
    result = play_one(table)
    assert (result.rewards, result.ended_by, table.ply) == ((0.0, 0.0), "length", 3)


def test_rules_that_end_a_game():
    seen = []

    def end(table):
        seen.append(table.ply)
        return Result((0.5, -0.5), "adjudication", "enough") if table.ply == 2 else None

    table = Table(TICTACTOE.initial(), seated(Plays(0), Plays(1)), Rules(end=end))
    assert play_one(table).reason == "enough"
    assert seen == [0, 1, 2]


def test_moves_may_be_picked_otherwise():
    notes = Notes()
    players = seated(Plays(*LINE[::2]), Plays(8, 8), pick=lambda turn, decision: LINE[turn.ply])
    assert play_one(Table(TICTACTOE.initial(), players, None, [notes])).rewards[0] == 1.0
    assert ("played", 1, 8, 3) in notes.heard


def test_clocks_and_budgets():
    slow = Player(Plays(0), Limits(clock=10.0, increment=2.0))
    quick = Player(Plays(1), sb.Budget(depth=3))
    table = Table(TICTACTOE.initial(), [slow, quick])
    assert table.clocks == [10.0, None]
    first = table.turn()
    assert first.budget == Limits(clock=10.0, increment=2.0).budget(10.0)
    table.play(sb.Decision(0), 4.0)
    assert table.clocks == [8.0, None]
    assert table.turn().budget is quick.limits
    table.play(sb.Decision(1), 4.0)
    assert table.turn().budget == slow.limits.budget(8.0)
    table.play(sb.Decision(2), 8.5)
    assert table.result == Result((-1.0, 1.0), "time", "the clock ran out 0.50 s ago")
    assert table.spent == 8.5


def test_moves_can_be_taken_back_and_seats_taken_over():
    table = Table(TICTACTOE.initial(), seated(Plays(*LINE[::2]), Plays(*LINE[1::2])))
    play_one(table)
    table.back(1)
    assert (table.result, table.ply, table.state.history) == (None, 4, LINE[:4])
    table.reseat(0, Plays(8, 7))
    table.reseat(1, Plays(5))
    assert play_one(table).rewards == (-1.0, 1.0)
    with pytest.raises(ValueError, match="7 plies cannot be taken back"):
        table.back(7)


def test_as_many_players_as_the_game_has():
    with pytest.raises(ValueError, match="1 agents for tictactoe, which has 2 players"):
        Table(TICTACTOE.initial(), seated(Plays()))


class Batch:
    """Decides for the first legal move, a round after it was asked."""

    def __init__(self):
        self.waiting, self.sizes = [], []

    def begin(self, turn):
        self.waiting.append(turn)

    def round(self):
        turns, self.waiting = self.waiting, []
        self.sizes.append(len(turns))
        return [(turn, sb.Decision(turn.state.legal_moves[0])) for turn in turns]


def test_a_hall_plays_many_games_with_one_batch():
    batch = Batch()
    waiting = [
        Table(TICTACTOE.initial(), [Player(batch, batch=batch), Player(sb.agent("random"))])
        for _ in range(5)
    ]
    tables = iter(waiting)
    hall = Hall(lambda: next(tables, None), size=3)
    assert hall.step() == []
    assert len(hall.tables) == 3
    assert batch.sizes == [3]
    ended = hall.play()
    assert len(ended) == 5
    assert {id(each) for each in ended} == {id(each) for each in waiting}
    assert all(each.result.ended_by == "rules" for each in waiting)
    assert max(batch.sizes) == 3
    assert hall.step() == []


def test_two_batches_in_one_hall():
    first, second = Batch(), Batch()
    players = [Player(first, batch=first), Player(second, batch=second)]
    tables = iter([Table(TICTACTOE.initial(), players) for _ in range(2)])
    (one, other) = Hall(lambda: next(tables, None), size=2).play()
    assert one.state == other.state
    assert sum(first.sizes) + sum(second.sizes) == 2 * one.ply


class Leans:
    """Values positions by their stones, and counts the positions of each batch."""

    def __init__(self):
        self.sizes = []

    def evaluate(self, planes, legal):
        self.sizes.append(len(planes))
        weights = np.linspace(-0.1, 0.1, planes[0].size).reshape(planes[0].shape)
        return (planes * weights).sum((1, 2, 3)), np.zeros(legal.shape)


def test_searches_of_many_games_share_a_network():
    def player(evaluator, batch=None):
        searcher = sb.agent("mcts:select=puct,batch=1,memory=4").with_evaluator(evaluator)
        return Player(searcher, sb.Budget(iterations=20), batch=batch)

    starts = [TICTACTOE.state(text) for text in ("b2", "a1", "b1")]
    alone = [Table(start, [player(Leans()), player(Leans())]) for start in starts]
    for table in alone:
        play_one(table)
    leans = Leans()
    batch = SearchBatch(TICTACTOE, leans, rows=3)
    assert batch.round() == []
    assert leans.sizes == []  # nobody asks a network about nothing
    tables = [Table(start, [player(leans, batch), player(leans, batch)]) for start in starts]
    waiting = iter(tables)
    Hall(lambda: next(waiting, None), size=3).play()
    assert [each.state.history for each in tables] == [each.state.history for each in alone]
    assert max(leans.sizes) == 3


def test_a_game_goes_on_without_whoever_is_disqualified():
    notes = Notes()
    rules = sb.game("reversixt:map=map4")
    thinkers = [sb.agent("random", seed=1), Plays(-1), Plays(ValueError("no idea"))]
    table = Table(rules.initial(), seated(*thinkers), Rules("disqualify"), [notes])
    assert play_one(table).ended_by == "rules"
    assert table.state.disqualified == (1, 2)
    assert table.loser is None
    assert [each for each in notes.heard if each[0] == "out"] == [
        ("out", 1, "illegal", "move -1 is not legal"),
        ("out", 2, "crash", "ValueError: no idea"),
    ]


def test_whoever_is_to_move_goes_on_thinking_when_another_is_disqualified():
    notes = Notes()
    limits = Limits(clock=10.0)
    players = [Player(None, limits) for _ in range(3)]
    table = Table(sb.game("reversixt:map=map4").initial(), players, Rules("disqualify"), [notes])
    turn = table.turn()
    table.fail(2, "connection", "gone")
    again = table.turn()
    assert (again.player, again.budget) == (turn.player, turn.budget)
    assert again.state.disqualified == (2,)
    assert notes.heard == [("asked", 0, 0), ("out", 2, "connection", "gone")]
    table.play(sb.Decision(again.state.legal_moves[0]), 4.0)
    assert table.turn().player == 1
    table.play(sb.Decision(table.state.legal_moves[0]), 11.0)
    assert table.turn() is None
    assert table.result.reason == "last player left"
    assert notes.heard[-2:] == [
        ("out", 1, "time", "the clock ran out 1.00 s ago"),
        ("over", "rules"),
    ]
