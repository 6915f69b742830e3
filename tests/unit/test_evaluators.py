"""Leaves that Python evaluates in batches: answers reach the tree, and mistakes leave it whole."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import spielbaum as sb
from spielbaum.models.inputs import encode
from spielbaum.testing import LawBroken, check_evaluator
from timing import measures_time


class Likes:
    """Likes one action, and believes that the side to move is a little better off."""

    def __init__(self, action=3, value=0.1, encoding=None):
        self.action, self.value, self.sizes = action, value, []
        if encoding is not None:
            self.encoding = encoding

    def evaluate(self, planes, legal):
        self.sizes.append(len(planes))
        logits = np.zeros(legal.shape, np.float32)
        logits[:, self.action] = 2.0
        return np.full(len(planes), self.value, np.float32), logits


def test_priors_come_from_the_logits():
    likes = Likes(action=2)
    state = sb.game("connect4").initial()
    agent = sb.agent("mcts:select=puct,c=1.5,batch=4").with_evaluator(likes)
    decision = agent.choose(state, sb.Budget(iterations=200))
    expected = np.exp([0, 0, 2, 0, 0, 0, 0]) / (6 + np.exp(2))
    assert [each.prior for each in decision.moves] == pytest.approx(expected, abs=1e-6)
    assert decision.move == 2
    assert decision.stats["iterations"] == 200
    assert sum(each.visits for each in decision.moves) == 199  # one was the root's own
    assert decision.stats["batches"] == len(likes.sizes)
    assert max(likes.sizes) == 4
    again = sb.agent("mcts:select=puct,c=1.5,batch=4").with_evaluator(Likes(action=2))
    assert again.choose(state, sb.Budget(iterations=200)) == decision


def test_illegal_moves_get_nothing():
    state = sb.game("connect4").state("444444")
    agent = sb.agent("mcts:select=puct").with_evaluator(Likes(action=3))
    decision = agent.choose(state, sb.Budget(iterations=50))
    assert [each.prior for each in decision.moves] == pytest.approx([1 / 6] * 6)


def test_uct_asks_for_values_only():
    """A network may take the place of playouts in any rule."""
    state = sb.game("connect4").initial()
    for spec in ("uct", "rave", "uct2:symmetry=off", "mcts:select=pn"):
        decision = sb.agent(spec).with_evaluator(Likes()).choose(state, sb.Budget(iterations=100))
        assert decision.stats["iterations"] == 100


@pytest.mark.parametrize(
    ("blend", "possible"),
    [(1.0, [0.9]), (0.5, [-0.05, 0.45, 0.95]), (0.0, [-1.0, 0.0, 1.0])],
)
def test_blend_mixes_playouts_in(blend, possible):
    state = sb.game("connect4").initial()
    agent = sb.agent(f"uct:blend={blend}").with_evaluator(Likes(value=0.9))
    # Every move is tried once, and then its opponent is the side to move.
    values = [-each.value for each in agent.choose(state, sb.Budget(iterations=7)).moves]
    assert all(min(abs(value - each) for each in possible) < 1e-6 for value in values)
    assert agent.choose(state, sb.Budget(iterations=300)).stats["iterations"] == 300


@pytest.mark.parametrize(
    ("game", "moves", "spec"),
    [
        ("tictactoe", "", "mcts:select=puct"),
        ("tictactoe", "a1 b2", "mcts:select=puct,batch=4"),
        ("connect4", "d1 d2", "mcts:select=puct,reuse=on"),
        ("chess", "g1f3 g8f6 f3g1 f6g8", "mcts:select=puct"),  # repeated, which its planes tell
        ("reversi:size=4", "", "uct"),
    ],
)
def test_earlier_positions_are_further_planes(game, moves, spec):
    class Remembers:
        history = 2

        def __init__(self):
            self.rows = []

        def evaluate(self, planes, legal):
            self.rows += [each.tobytes() for each in planes]
            return np.zeros(len(planes)), np.zeros(legal.shape)

    rules = sb.game(game)
    state = rules.initial()
    for move in moves.split():
        state = state.play(move)
    remembers = Remembers()
    sb.agent(spec).with_evaluator(remembers).choose(state, sb.Budget(iterations=40))
    possible, level = set(), [state]
    for _ in range(4):
        possible |= {encode(each, rules.encodings[0], 2).tobytes() for each in level}
        level = [each.play(move) for each in level for move in each.legal_moves][:5000]
    assert len(set(remembers.rows)) > 15
    assert set(remembers.rows) <= possible
    with pytest.raises(sb.SpecError, match="symmetry=off"):
        sb.agent("uct2:symmetry=on").with_evaluator(remembers)


def test_answers_are_averaged_over_symmetries():
    class Left:
        """Sees which half the stones are in, and so does not answer alike for mirror images."""

        def __init__(self):
            self.seen = []

        def evaluate(self, planes, legal):
            self.seen.append(planes.copy())
            logits = np.zeros(legal.shape, np.float32)
            logits[:, 0] = 3.0
            return planes[:, 0, :, :3].sum(axis=(1, 2)) / 10, logits

    left = Left()
    state = sb.game("connect4").state("1122")
    agent = sb.agent("mcts:select=puct,average=on,batch=1").with_evaluator(left)
    decision = agent.choose(state, sb.Budget(iterations=10))
    priors = [each.prior for each in decision.moves]
    assert priors == pytest.approx(priors[::-1])
    assert priors[0] == pytest.approx(np.exp(1.5) / (2 * np.exp(1.5) + 5))
    assert all(len(planes) == 2 for planes in left.seen)
    assert np.array_equal(left.seen[0][0], left.seen[0][1][:, :, ::-1])


def test_three_players_have_three_values():
    class Third:
        def evaluate(self, planes, legal):
            return np.tile([-0.5, -0.5, 1.0], (len(planes), 1)), np.zeros(legal.shape)

    state = sb.game("yavalath:players=3").initial()
    agent = sb.agent("mcts:select=puct").with_evaluator(Third())
    assert agent.choose(state, sb.Budget(iterations=30)).stats["iterations"] == 30
    with pytest.raises(ValueError, match=r"values of shape \(1,\) for 1 positions with 3 players"):
        sb.agent("mcts:select=puct").with_evaluator(Likes()).choose(state)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n, a: np.zeros(n), "answered no pair"),
        (lambda n, a: (np.zeros(n + 1), np.zeros((n, a))), "values of shape"),
        (lambda n, a: (np.zeros(n), np.zeros((n, a + 1))), "logits of shape"),
        (lambda n, a: (np.full(n, np.nan), np.zeros((n, a))), "not finite"),
        (lambda n, a: None, "answered no pair"),
    ],
)
def test_wrong_answers_are_named_and_leave_the_tree_whole(answer, message):
    class Sometimes(Likes):
        wrong = False

        def evaluate(self, planes, legal):
            return answer(*legal.shape) if self.wrong else super().evaluate(planes, legal)

    sometimes, state = Sometimes(), sb.game("connect4").initial()
    agent = sb.agent("mcts:select=puct,seed=5").with_evaluator(sometimes)
    first = agent.choose(state, sb.Budget(iterations=50))
    sometimes.wrong = True
    with pytest.raises(ValueError, match=message):
        agent.choose(state, sb.Budget(iterations=50))
    sometimes.wrong = False
    second = agent.choose(state, sb.Budget(iterations=50))
    assert second.stats["kept"] == first.stats["iterations"]
    assert sum(each.visits for each in second.moves) == 99


@pytest.mark.parametrize(("iterations", "largest"), [(50, 1), (200, 3), (2000, 8)])
def test_searches_of_few_iterations_ask_for_few_leaves_at_a_time(iterations, largest):
    likes = Likes()
    agent = sb.agent("mcts:select=puct").with_evaluator(likes)
    agent.choose(sb.game("connect4").initial(), sb.Budget(iterations=iterations))
    assert max(likes.sizes) == largest


def test_many_searches_share_batches():
    likes, game = Likes(), sb.game("connect4")
    agents = [
        sb.agent(f"mcts:select=puct,batch=2,seed={seed}").with_evaluator(likes) for seed in range(5)
    ]
    states = [game.state("4" * plies) for plies in range(5)]
    decisions = sb.choose_together(agents, states, sb.Budget(iterations=40))
    assert max(likes.sizes) == 10
    assert len(likes.sizes) < 40
    alone = sb.agent("mcts:select=puct,batch=2,seed=3").with_evaluator(Likes())
    assert alone.choose(states[3], sb.Budget(iterations=40)) == decisions[3]
    with pytest.raises(ValueError, match="one and the same evaluator"):
        sb.choose_together([agents[0], alone], states[:2])
    with pytest.raises(ValueError, match="an agent is given twice"):
        sb.choose_together([alone, alone], states[:2])
    with pytest.raises(ValueError, match="expected one state for each agent"):
        sb.choose_together(agents, states[:2])


@measures_time
def test_time_stop_and_reports():
    class Slow(Likes):
        def evaluate(self, planes, legal):
            time.sleep(0.01)
            return super().evaluate(planes, legal)

    state, reports = sb.game("connect4").initial(), []
    agent = sb.agent("mcts:select=puct").with_evaluator(Slow())
    decision = agent.choose(state, sb.Budget(seconds=0.5, report=reports.append))
    assert 0.4 < decision.stats["seconds"] < 1.5
    assert 1 <= len(reports) <= 5
    threading.Timer(0.2, agent.stop).start()
    began = time.perf_counter()
    agent.choose(state, sb.Budget(seconds=30))
    assert time.perf_counter() - began < 2
    with pytest.raises(sb.SpecError, match="expected threads=1 with an evaluator"):
        sb.agent("mcts:threads=2").with_evaluator(Likes())


def test_encodings():
    state = sb.game("connect4").initial()
    seen = []

    class Seeing(Likes):
        def evaluate(self, planes, legal):
            seen.append(planes.shape[1:])
            return super().evaluate(planes, legal)

    agent = sb.agent("mcts:select=puct").with_evaluator(Seeing(encoding="regular"))
    agent.choose(state, sb.Budget(iterations=5))
    assert set(seen) == {(1, 6, 7)}
    with pytest.raises(sb.SpecError, match="wants the encoding 'rgb'; connect4 has own, naive"):
        sb.agent("mcts:select=puct").with_evaluator(Likes(encoding="rgb")).choose(state)


def test_laws_of_evaluators():
    assert check_evaluator(Likes(), "chess", positions=16) == 16
    with pytest.raises(LawBroken, match=r"a value of 1.5 is not in \[-1, 1\]"):
        check_evaluator(Likes(value=1.5), "connect4")

    class Counting(Likes):
        def evaluate(self, planes, legal):
            self.value += 0.01
            return super().evaluate(planes, legal)

    with pytest.raises(LawBroken, match="values are others when positions are evaluated"):
        check_evaluator(Counting(), "connect4")

    class Short(Likes):
        def evaluate(self, planes, legal):
            return np.zeros(len(planes)), np.zeros((len(planes), 2))

    with pytest.raises(LawBroken, match="logits of shape"):
        check_evaluator(Short(), "connect4")


def test_gumbel_plans_few_iterations():
    class Knows(Likes):
        """Knows that a stone in column a is worth something, which its logits do not say."""

        def evaluate(self, planes, legal):
            values = (planes[:, 0, :, 0] - planes[:, 1, :, 0]).sum(axis=1) / 4
            return values, np.zeros(legal.shape)

    state = sb.game("connect4").initial()
    for seed in range(5):
        spec = f"mcts:select=puct,root=gumbel,considered=8,batch=1,seed={seed}"
        decision = sb.agent(spec).with_evaluator(Knows()).choose(state, sb.Budget(iterations=17))
        assert decision.move == 0
        visits = sorted(each.visits for each in decision.moves)
        assert visits[0] >= 1
        assert sum(visits) == 16
        policy = [each.policy for each in decision.moves]
        assert sum(policy) == pytest.approx(1.0)
        assert policy[0] == max(policy)


ENDGAME = """
import numpy as np
import spielbaum as sb

class Even:
    def evaluate(self, planes, legal):
        return np.zeros(len(planes)), np.zeros(legal.shape)

state = sb.game("tictactoe").initial()
for move in ("a1", "b2", "c3", "c1", "a3", "a2", "c2"):
    state = state.play(move)
assert state.outcome is None
sb.agent("uct").with_evaluator(Even()).choose(state, sb.Budget(seconds=0.05))
"""


def test_time_ends_a_search_whose_tree_is_whole():
    """Where every leaf is the end of a game, nothing is ever evaluated; the clock counts still."""
    subprocess.run([sys.executable, "-c", ENDGAME], timeout=60, check=True)
