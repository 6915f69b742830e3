"""AlphaZero's learner, its games with itself, and its matches."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from learning import NETWORK, TICTACTOE, Steps, flat, weights_of
from spielbaum.agents import Decision, MoveEval
from spielbaum.agents.mcts import MctsAgent
from spielbaum.base.errors import ModelError
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.models.onnx_file import read_net
from spielbaum.play.table import Table
from spielbaum.train.data.games_file import Memory, PlayedGame, Totals
from spielbaum.train.data.policy_target import policy_target
from spielbaum.train.methods.alphazero import judging
from spielbaum.train.methods.alphazero import learner as alphazero_learner
from spielbaum.train.methods.alphazero.config import SelfPlay
from spielbaum.train.methods.alphazero.config import read_config as alphazero_config
from spielbaum.train.methods.alphazero.learner import check_weights
from spielbaum.train.methods.alphazero.run_memory import net_path
from spielbaum.train.methods.alphazero.selfplay import (
    SelfPlayer,
    _draw,
    tree_megabytes,
)
from spielbaum.train.nets.net_config import NetConfig
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.towers import make_net
from spielbaum.train.nets.training import Losses
from spielbaum.train.run_folder import CHECKPOINT

pytestmark = pytest.mark.usefixtures("one_thread")


def az_config(updates=4, **sections):
    values = {"game": "tictactoe", "recipe": "s4", "model_updates": updates, "network": NETWORK}
    values["retraining"] = {"batch_size_1": 12, "batch_size_2": 5, "epochs": 2, "training_loops": 3}
    values["retraining"] |= {"learning_rate": 0.1, "clip_norm": 2.5}
    for name, changes in sections.items():
        values[name] = {**values.get(name, {}), **changes}
    return alphazero_config(values)


@pytest.fixture
def taught(tmp_path, monkeypatch):
    """A learner, its steps, and a file of games of six positions."""

    def make(games=2, **sections):
        moves = [4, 0, 8]
        policies = [np.ones(9 - ply, np.float32) / (9 - ply) for ply in range(3)]
        game = PlayedGame(0, moves, (0.0, 0.0), policies, [0.0] * 3, [True] * 3, [False] * 3)
        memory = Memory(tmp_path / "games", 1000)
        memory.add([game] * games, 1, Totals(games))
        steps = Steps(monkeypatch, alphazero_learner)
        learner = alphazero_learner.Learner(az_config(**sections), tmp_path)
        return learner, steps, [file.path for file in memory.files]

    return make


def test_a_generation_of_alphazero(taught, tmp_path):
    learner, steps, files = taught(retraining={"final_learning_rate": 0.02, "policy_weight": 0.75})
    assert (learner.generation, learner.steps, learner.seconds, learner.losses) == (0, 0, 0.0, [])
    losses = learner.train(files, 6)
    # Three loops of twelve positions, each used twice, in batches of five, five and two.
    assert [len(rows) for rows in steps.rows] == [5, 5, 2] * 6
    assert (learner.generation, learner.steps) == (1, 18)
    assert [loss.policy for loss in losses] == [3.5, 9.5, 15.5]
    assert losses[0] == Losses(3.5, 7.0, 10.5)
    assert learner.losses == losses
    assert steps.rates == [(0.1, 0.02, 0.25)]
    assert steps.clips == [2.5] * 18
    weights = steps.weights[0]
    assert (weights.policy, weights.value, weights.regularisation) == (0.75, 0.5, 1e-5)
    first, second = flat(steps.rows[:3]), flat(steps.rows[3:6])
    assert sorted(first) == sorted(second)
    assert first != second
    assert set(flat(steps.rows)) == set(range(6))
    assert not learner._net.training
    assert 0 < learner.seconds < 600
    assert steps.symmetries[0] is not None
    told = read_net(net_path(tmp_path, 1)).training
    assert [told[name] for name in ("method", "generation", "steps")] == ["alphazero", 1, 18]
    again = alphazero_learner.Learner(az_config(retraining={"final_learning_rate": 0.02}), tmp_path)
    assert (again.generation, again.steps, again.losses) == (1, 18, losses)


@pytest.mark.parametrize(
    ("new", "wanted", "loops"), [(6, 4.0, 1), (60, 4.0, 10), (66, 4.0, 11), (1, 0.1, 1)]
)
def test_as_many_loops_as_use_every_new_position_so_often(taught, new, wanted, loops):
    learner, _, files = taught(retraining={"samples_per_position": wanted})
    assert len(learner.train(files, new)) == loops


def test_few_positions_are_drawn_four_times_at_most(taught):
    learner, steps, files = taught(games=1, retraining={"batch_size_1": 500, "epochs": 1})
    learner.train(files, 3)
    assert [len(rows) for rows in steps.rows] == [5, 5, 2] * 3


def test_a_batch_of_one_is_left_out(taught):
    learner, steps, files = taught(retraining={"batch_size_1": 6, "epochs": 1})
    learner.train(files, 6)
    assert [len(rows) for rows in steps.rows] == [5] * 3
    assert learner.steps == 3


def test_files_are_read_once(taught, monkeypatch):
    learner, _, files = taught()
    learner.train(files, 6)
    monkeypatch.setattr(alphazero_learner, "lessons_of", None)
    learner.train(files, 6)
    assert learner.generation == 2


def test_symmetries_of_alphazero_are_an_option(taught):
    learner, steps, files = taught(retraining={"symmetries": False})
    learner.train(files, 6)
    assert set(steps.symmetries) == {None}


def test_weights_are_checked_before_there_is_a_folder(taught, tmp_path):
    learner, *_ = taught()
    check_weights(az_config(), tmp_path / CHECKPOINT)
    check_weights(az_config(), net_path(tmp_path, 0))
    wider = az_config(network={"width": 9})
    for path in (tmp_path / CHECKPOINT, net_path(tmp_path, 0)):
        with pytest.raises(ModelError, match="does not fit"):
            check_weights(wider, path)
    (tmp_path / "b").mkdir()
    other = alphazero_learner.Learner(az_config(), tmp_path / "b", tmp_path / CHECKPOINT)
    assert (weights_of(other._net) == weights_of(learner._net)).all()


def test_seeds_and_threads(tmp_path):
    def made(name, **changes):
        (tmp_path / name).mkdir()
        config = az_config(retraining={"threads": changes.pop("threads", 1)})
        return alphazero_learner.Learner(config.model_copy(update=changes), tmp_path / name)

    one, again, other = made("a"), made("b", threads=2), made("c", seed=9)
    assert torch.get_num_threads() == 1
    assert (weights_of(one._net) == weights_of(again._net)).all()
    assert not (weights_of(one._net) == weights_of(other._net)).all()
    made("d", threads=2)
    assert torch.get_num_threads() == 2


# ---- self-play and judging ----
@pytest.fixture(scope="module")
def evaluator(tmp_path_factory):
    path = tmp_path_factory.mktemp("net") / "a.onnx"
    torch.manual_seed(1)
    save_net(make_net(TICTACTOE, NetConfig(**NETWORK)), TICTACTOE, path, {})
    return NetEvaluator.load(path, cache=1000)


def move(action, policy=0.0, value=0.0, proven=False):
    return MoveEval(action, value, policy=policy, proven=value if proven else None)


def target(legal, moves, chosen=0):
    return policy_target(Decision(chosen, moves=tuple(moves)), SimpleNamespace(legal_moves=legal))


def test_the_target_of_a_policy():
    found = target((2, 5, 7), [move(7, 0.5), move(2, 0.25), move(5, 0.25)])
    assert found.tolist() == [0.25, 0.25, 0.5]
    assert target((2, 5), [move(5, 3.0), move(2, 1.0)]).tolist() == [0.25, 0.75]
    # Where there is a proven win, only such moves are learnt.
    won = [move(2, 0.5, 1.0, True), move(5, 0.4, 1.0), move(7, 0.1, 1.0, True), move(8, 0, 0, True)]
    assert target((2, 5, 7, 8), won).tolist() == [0.5, 0.0, 0.5, 0.0]
    # Without a policy, it is the chosen move.
    unknown = [move(each) for each in (1, 2, 3, 4)]
    assert target((1, 2, 3, 4), unknown, chosen=3).tolist() == [0.0, 0.0, 1.0, 0.0]
    assert found.dtype == np.float32


def test_moves_are_drawn_by_their_shares():
    rng = SimpleNamespace(random=lambda: rng.value)
    shares = np.array([0.5, 0.0, 1.0, 0.5], np.float32)  # of two in all
    drawn = []
    for rng.value in (0.0, 0.2499, 0.25, 0.7499, 0.75, 0.9999):
        drawn.append(_draw(shares, rng))
    assert drawn == [0, 0, 2, 2, 3, 3]
    rng.value = 1.0  # never beyond the last
    assert _draw(shares, rng) == 3


def test_trees_grow_with_simulations_within_bounds():
    assert [tree_megabytes(each) for each in (1, 149, 150, 800, 1600, 10**6)] == [
        2,
        2,
        3,
        16,
        32,
        32,
    ]


def self_player(evaluator, seed=1, **settings):
    values = {"num_simulations": 6, "concurrent": 3, "turns_until_not_random": 0, "epsilon": 0.0}
    player = SelfPlayer(TICTACTOE, SelfPlay(**{**values, **settings}), seed)
    player.use(evaluator)
    return player


def test_long_games_are_draws(evaluator):
    games = self_player(evaluator, max_plies=3).play(4)
    assert all((len(each.moves), each.rewards) == (3, (0.0, 0.0)) for each in games)


def test_games_without_chance_are_all_alike(evaluator):
    games = self_player(evaluator).play(5)
    assert len({tuple(each.moves) for each in games}) == 1
    state = TICTACTOE.initial()
    for action, policy in zip(games[0].moves, games[0].policies, strict=True):
        # Without chance the move that the search likes best is played.
        assert policy[state.legal_moves.index(action)] == pytest.approx(policy.max())
        state = state.play(action)
    assert games[0].rewards == state.outcome.rewards
    assert all(all(each.full) for each in games)


@pytest.fixture
def batches(evaluator, monkeypatch):
    """The planes of all batches that the network is asked about."""
    seen, evaluate = [], evaluator.evaluate

    def noted(planes, legal):
        seen.append(planes.copy())
        return evaluate(planes, legal)

    monkeypatch.setattr(evaluator, "evaluate", noted)
    return seen


def test_every_game_has_one_position_in_a_batch(evaluator, batches):
    self_player(evaluator).play(3)
    # Without chance the games are all alike, and so are their positions.
    assert all(len(each) == 3 and (each == each[0]).all() for each in batches)


def test_every_game_has_a_seed_of_its_own(evaluator, monkeypatch):
    player = self_player(evaluator, max_plies=1)
    agent, seeds = MctsAgent, []
    reset = agent.reset

    def noted(self, seed=None):
        seeds.append(seed)
        reset(self, seed)

    monkeypatch.setattr(agent, "reset", noted)
    player.play(60)
    assert len(set(seeds)) == len(seeds) >= 60 - 3  # of which the first are new
    assert max(seeds) > 2**30  # from all that there are


def test_moves_are_drawn_for_some_plies(evaluator):
    games = self_player(evaluator, turns_until_not_random=2).play(30)
    assert len({tuple(each.moves[:2]) for each in games}) > 5
    by_opening = {}
    for each in games:
        by_opening.setdefault(tuple(each.moves[:2]), set()).add(tuple(each.moves))
    # What follows depends on nothing else, for the tree of one game is not that of another.
    assert all(len(found) == 1 for found in by_opening.values())


def test_games_go_on_until_there_are_enough(evaluator):
    player = self_player(evaluator)
    player.step()
    assert len(player._hall.tables) == 3
    games = player.play(2)
    assert 2 <= len(games) <= 4
    assert player.finished == []


def test_openings_of_self_play(evaluator):
    games = self_player(evaluator, opening_share=1.0, opening_plies=4).play(40)
    assert {each.first for each in games} == {1, 2, 3, 4}
    for each in games:
        assert len(each.moves) == each.first + len(each.values)
        assert len(each.values) >= 1  # they do not end the game
    assert all(each.first == 0 for each in self_player(evaluator, opening_share=0.0).play(5))
    some = self_player(evaluator, opening_share=0.5, opening_plies=4).play(60)
    assert 10 < sum(each.first > 0 for each in some) < 50
    # Random moves to the end of the game stop just before it.
    ends = self_player(evaluator, opening_share=1.0, opening_plies=30).play(20)
    assert all(len(each.values) >= 1 for each in ends)


def test_fast_moves_are_marked(evaluator):
    games = self_player(evaluator, full_share=0.25, fast_simulations=2).play(30)
    share = np.mean([flag for each in games for flag in each.full])
    assert 0.1 < share < 0.45


def test_matches_swap_seats_in_every_opening(evaluator):
    config = az_config(
        self_play={"turns_until_not_random": 0}, evaluation={"simulations": 4, "opening": 2}
    )
    rewards = judging.match(config, evaluator, evaluator, range(8))
    assert len(rewards) == 8
    # The same network in both seats: what is won in one is lost in the other.
    assert all(one == -other for one, other in zip(rewards[::2], rewards[1::2], strict=True))
    # However the games are shared out, each has its own opening.
    assert judging.match(config, evaluator, evaluator, (5, 2)) == [rewards[5], rewards[2]]


def test_matches_that_take_too_long_are_draws(evaluator):
    config = az_config(
        self_play={"max_plies": 2, "turns_until_not_random": 0},
        evaluation={"simulations": 4, "opening": 2},
    )
    assert judging.match(config, evaluator, evaluator, range(4)) == [0.0] * 4


@pytest.fixture
def tables(monkeypatch):
    """The tables of matches, in the order of their games."""
    found = []

    def noted(*arguments):
        found.append(Table(*arguments))
        return found[-1]

    monkeypatch.setattr(judging, "Table", noted)
    return found


def test_matches_end_after_so_many_plies(evaluator, tables):
    config = az_config(
        self_play={"max_plies": 2, "turns_until_not_random": 0},
        evaluation={"simulations": 4, "opening": 2},
    )
    judging.match(config, evaluator, evaluator, range(4))
    assert [each.ply for each in tables] == [2] * 4


class Prefers:
    """Likes moves the better the lower their number is, or with -1 the higher."""

    def __init__(self, sign):
        self.sign = sign

    def evaluate(self, planes, legal):
        logits = np.tile(-10.0 * self.sign * np.arange(9), (len(planes), 1))
        return np.zeros(len(planes)), logits


def test_each_network_moves_in_its_own_seat(tables):
    config = az_config(
        self_play={"max_plies": 2, "turns_until_not_random": 0},
        evaluation={"simulations": 4, "opening": 0},
    )
    judging.match(config, Prefers(1), Prefers(-1), range(2))
    moves = [each.state.history for each in tables]
    assert moves == [(0, 8), (8, 0)]  # the first network moves first in the first game


def test_moves_of_matches_are_drawn_if_the_configuration_says_so(evaluator):
    found = []
    for plies in (0, 9):
        config = az_config(
            self_play={"turns_until_not_random": plies}, evaluation={"simulations": 8, "opening": 0}
        )
        found.append(judging.match(config, evaluator, evaluator, range(12)))
    assert len({abs(each) for each in found[0]}) == 1  # always the same game
    assert found[0] != found[1]


def test_moves_of_matches_are_drawn_by_their_shares():
    config = az_config(self_play={"turns_until_not_random": 200})
    shares = {0: 1.0, 1: None, 2: 3.0}  # of four
    decision = SimpleNamespace(
        move=1, moves=[SimpleNamespace(move=each, policy=share) for each, share in shares.items()]
    )
    turns = [SimpleNamespace(ply=ply, state=TICTACTOE.initial()) for ply in range(201)]
    drawn = [judging._drawn(config, turn, decision) for turn in turns]
    assert drawn[-1] == 1  # from then on the best one
    assert set(drawn[:-1]) == {0, 2}
    assert 0.65 < drawn.count(2) / 200 < 0.85


def test_questions_are_answered_in_parts(evaluator, monkeypatch):
    config = az_config(evaluation={"simulations": 8})
    notations = ["", "b2", "a1 b2", "a1 b1 a2 b2", "c3"]
    questions = [SimpleNamespace(notation=each) for each in notations]
    moves = judging.answers(config, evaluator, questions)
    assert len(moves) == 5
    for notation, action in zip(notations, moves, strict=True):
        assert action in TICTACTOE.state(notation).legal_moves
    monkeypatch.setattr(judging, "TOGETHER", 2)
    assert judging.answers(config, evaluator, questions) == moves
