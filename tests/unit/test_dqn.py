"""Deep Q-learning: transitions, signs, targets, databases, networks of Q-values, and runs."""

import tomllib
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

import spielbaum as sb
from commands import assert_one_clear_line
from learning import runs_of
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.models.evaluator import Q_SHARPNESS, NetEvaluator
from spielbaum.models.inputs import Symmetries, random_images
from spielbaum.train.config import config_names, write_toml
from spielbaum.train.data.games_file import Memory, PlayedGame, Totals
from spielbaum.train.methods.alphazero import config as alphazero
from spielbaum.train.methods.dqn.config import CONFIGS, Database, Play, load_config, read_config
from spielbaum.train.methods.dqn.database import Repetition, load_database
from spielbaum.train.methods.dqn.learner import Learner, conservative_loss
from spielbaum.train.methods.dqn.playing import play_games
from spielbaum.train.methods.dqn.replay import Replay, final_rewards
from spielbaum.train.nets.net_config import NetConfig, shape_of
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.towers import make_net
from spielbaum.train.run_list import find_runs

Run = runs_of("dqn")

TICTACTOE = sb.game("tictactoe")
TINY = {
    "game": "tictactoe",
    "rounds": 3,
    "network": {"kind": "dense", "blocks": 1, "width": 16, "batch_norm": False},
    "play": {"games": 6, "opponents": ["random"]},
    "learning": {"memory_size": 60, "steps": 3, "batch_size": 16, "target_every": 2},
    "evaluation": {"every": 2, "games": 4},
}


def tiny(**changes):
    return read_config({**TINY, **changes})


def replay_of(game, *games, reward_plies=1):
    replay = Replay(game, shape_of(game, NetConfig(output="linear")))
    replay.add(games, reward_plies)
    return replay


def played(game, notation, rewards=None, meant=None):
    """A game of which every move was meant by who played, or as told for each."""
    final = game.state(notation)
    moves = list(final.history)
    found = PlayedGame(0, moves, rewards or final.outcome.rewards)
    state = game.initial()
    for move, wanted in zip(moves, meant or [True] * len(moves), strict=True):
        found.policies.append(
            np.array([(each == move) == wanted for each in state.legal_moves], np.float32)
        )
        state = state.play(move)
    return found


def take(replay, rows, n_step=1, discount=1.0, cut=False):
    return replay.take(np.array(rows), n_step=n_step, discount=discount, cut=cut)


# ---- configurations ----
@pytest.mark.parametrize("name", config_names(CONFIGS))
def test_every_configuration_of_the_package_is_in_order(name):
    config = load_config(name)
    values = tomllib.loads(write_toml(config.model_dump(mode="json")))
    assert read_config(values) == config
    assert config.dry().rounds <= 3


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"game": "tictactoe", "learning": {"steps": 0}}, "learning.steps = 0"),
        ({"game": "tictactoe", "network": {"output": "heads"}}, "expected 'linear'"),
        ({"game": "yavalath:players=3"}, "two players"),
        ({"game": "tictactoe", "play": {"limits": "hours=2"}}, "limit 'hours=2'"),
        ({"game": "tictactoe", "networks": {}}, "there is no 'networks' .did you mean network"),
        ({"game": "tictactoe", "play": {"opponents": ["utc"]}}, "play.opponents: .*uct"),
        ({"game": "tictactoe", "evaluation": {"opponents": ["utc"]}}, "evaluation.opponents: "),
    ],
)
def test_a_wrong_configuration_is_told_in_one_sentence(values, words):
    with pytest.raises(SpecError, match=words):
        read_config(values)


def test_alphazero_refuses_networks_of_q_values():
    with pytest.raises(SpecError, match="AlphaZero needs 'heads'"):
        alphazero.read_config({"game": "tictactoe", "network": {"output": "linear"}})


# ---- transitions ----
def test_the_opponents_turn_changes_the_sign():
    replay = replay_of(TICTACTOE, played(TICTACTOE, "a1 b1 a2 b2 a3"))
    found = take(replay, range(5))
    assert found.rewards.tolist() == [0, 0, 0, 0, 1]
    assert found.factors.tolist() == [-1, -1, -1, -1, 0]
    assert found.actions.tolist() == list(TICTACTOE.state("a1 b1 a2 b2 a3").history)


def test_a_player_who_moves_twice_keeps_the_sign():
    replay = replay_of(TICTACTOE, played(TICTACTOE, "a1 b1 a2 b2 a3"))
    replay._movers[:5] = [0, 0, 1, 1, 0]  # as if a player were skipped now and then
    assert take(replay, range(5)).factors.tolist() == [1, -1, 1, -1, 0]
    found = take(replay, range(5), n_step=2)
    assert found.factors.tolist() == [-1, -1, -1, 0, 0]
    assert found.rewards.tolist() == [0, 0, 0, -1, 1]


def test_n_step_sums_change_sign_and_end_with_the_game():
    replay = replay_of(TICTACTOE, played(TICTACTOE, "a1 b1 a2 b2 a3"), reward_plies=3)
    # rewards to the movers of the last three plies: 0, -0.5, 1
    found = take(replay, [2, 3, 4], n_step=3, discount=0.5)
    assert found.rewards.tolist() == [0.0 + 0.5 * 0.5 + 0.25 * 1.0, -0.5 - 0.5, 1.0]
    assert found.factors.tolist() == [0, 0, 0]
    early = take(replay, [0], n_step=3, discount=0.5)
    assert early.rewards.tolist() == [0.0]
    assert early.factors.tolist() == [-0.125]
    assert (early.next_planes[0] == TICTACTOE.state("a1 b1 a2").planes()).all()


def test_sums_are_cut_before_a_move_that_was_not_meant():
    meant = [True, True, False, True, True]
    replay = replay_of(TICTACTOE, played(TICTACTOE, "a1 b1 a2 b2 a3", meant=meant))
    found = take(replay, [0, 2], n_step=5, cut=True)
    assert found.meant.tolist() == [True, False]
    assert found.factors.tolist() == [1, 0]  # two plies further; to the end
    assert (found.next_planes[0] == TICTACTOE.state("a1 b1").planes()).all()


def test_memory_forgets_and_grows_without_mixing_games():
    first, second = "a1 b1 a2 b2 a3", "b2 a1 b1 a2 b3"
    replay = replay_of(TICTACTOE, *[played(TICTACTOE, first)] * 300)
    replay.forget(5 * 299)
    replay.add([played(TICTACTOE, second)] * 300)
    assert len(replay) == 5 * 301
    assert take(replay, [5]).actions.tolist() == [TICTACTOE.state(second).history[0]]
    assert (take(replay, [4, 9, 5 * 301 - 1]).factors == 0).all()
    assert replay.early(2)[:4].tolist() == [0, 1, 5, 6]


def test_only_legal_moves_are_listed():
    replay = replay_of(TICTACTOE, played(TICTACTOE, "a1 b1 a2 b2 a3"))
    found = take(replay, [3])
    legal = [set(row[row >= 0].tolist()) for row in (found.legal[0], found.next_legal[0])]
    assert legal[0] == set(TICTACTOE.state("a1 b1 a2").legal_moves)
    assert legal[1] == set(TICTACTOE.state("a1 b1 a2 b2").legal_moves)


def test_the_last_ten_plies_are_rewarded_linearly():
    shares = final_rewards(40, 10)
    assert shares[:31] == [0.0] * 31
    assert np.allclose(shares[30:], np.linspace(0, 1, 10))
    assert np.allclose(final_rewards(4, 10), np.linspace(0, 1, 10)[-4:])


# ---- learning ----
def forced_win_learner(double):
    """Learns a game of four plies by heart: what is known must spread from its end."""
    config = read_config(
        {
            "game": "tictactoe",
            "network": {"kind": "dense", "blocks": 1, "width": 32, "batch_norm": False},
            "learning": {
                "steps": 400,
                "batch_size": 16,
                "target_every": 20,
                "discount": 0.5,
                "double": double,
                "learning_rate": 0.01,
                "symmetries": False,
            },
        }
    )
    learner = Learner(config)
    replay = replay_of(TICTACTOE, played(TICTACTOE, "a1 b1 a2 b2 a3"))
    learner.learn(1, replay, Replay(TICTACTOE, learner.net.shape))
    return learner


def test_the_winning_move_is_worth_one_and_the_reply_that_allows_it_less():
    learner = forced_win_learner(double=False)
    state = TICTACTOE.state("a1 b1 a2 b2")
    assert learner.q_values([state])[0][state.parse("a3")] == pytest.approx(1.0, abs=0.05)
    # The best move of the position after it is worth at least 1 to the other player.
    before = TICTACTOE.state("a1 b1 a2")
    assert learner.q_values([before])[0][before.parse("b2")] < -0.3


def test_double_learning_judges_by_the_target_network():
    learner = Learner(tiny())
    planes = torch.from_numpy(TICTACTOE.initial().planes()[np.newaxis])
    legal = torch.ones(1, 9, dtype=torch.bool)
    with torch.no_grad():
        for each in learner._target.parameters():
            each.add_(0.3 * torch.randn_like(each))
        judged, chosen = learner._target(planes)[1][0], learner.net.eval()(planes)[1][0].argmax()
    assert learner._worth(planes, legal).item() == pytest.approx(judged[chosen].item())
    single = Learner(tiny(learning={**TINY["learning"], "double": False}))
    single._target = learner._target
    assert single._worth(planes, legal).item() == pytest.approx(judged.max().item())


def test_illegal_moves_are_never_the_best_of_the_next_position():
    learner = Learner(tiny())
    planes = torch.from_numpy(TICTACTOE.initial().planes()[np.newaxis])
    q = learner.q_of_planes(planes.numpy())[0]
    for action in range(9):
        legal = torch.zeros(1, 9, dtype=torch.bool)
        legal[0, action] = True
        assert learner._worth(planes, legal).item() == pytest.approx(q[action])


def test_conservative_learning_lowers_other_legal_moves_alone():
    q = torch.zeros(2, 3, requires_grad=True)
    legal = torch.tensor([[True, True, False]] * 2)
    meant = torch.tensor([True, False])
    conservative_loss(q, legal, torch.tensor([0, 0]), meant, 0.1).backward()
    assert q.grad is not None
    assert np.allclose(q.grad.numpy(), [[-0.5, 0.5, 0.0], [0.0, 0.0, 0.0]])


def test_images_move_planes_and_actions_alike():
    game = sb.game("connect4")
    symmetries = Symmetries(game, "own")
    state = game.state("1")
    planes = np.stack([state.planes()] * 50)
    actions = np.tile(np.array([[0, -1]]), (50, 1))
    seen, (moved,) = random_images(planes, [actions], symmetries, np.random.default_rng(1))
    mirrored = game.state("7").planes()
    for each, action in zip(seen, moved, strict=True):
        assert (each == (state.planes() if action[0] == 0 else mirrored)).all()
        assert action[1] == -1
    assert {int(action[0]) for action in moved} == {0, 6}


# ---- playing ----
def test_games_are_played_greedily_but_for_epsilon():
    first = lambda states: np.tile(-np.arange(9, dtype=np.float32), (len(states), 1))  # noqa: E731
    games = play_games(TICTACTOE, Play(games=3), first, 0.0, [1])
    assert all(each.moves == [0, 1, 2, 3, 4, 5, 6] for each in games)
    assert all(all(each.full) for each in games)
    assert games[0].rewards == (1.0, -1.0)
    random = play_games(TICTACTOE, Play(games=20), first, 1.0, [1])
    share = np.mean([flag for each in random for flag in each.full])
    assert 0.05 < share < 0.6
    assert len({tuple(each.moves) for each in random}) > 10


def test_opponents_take_turns_and_seats():
    first = lambda states: np.tile(-np.arange(9, dtype=np.float32), (len(states), 1))  # noqa: E731
    play = Play(games=8, opponents=("perfect",), opponents_share=0.5)
    games = play_games(TICTACTOE, play, first, 0.0, [3])
    assert len(games) == 8
    assert sum(each.moves == [0, 1, 2, 3, 4, 5, 6] for each in games) == 4


def test_long_games_count_as_draws():
    nothing = lambda states: np.zeros((len(states), 9), np.float32)  # noqa: E731
    games = play_games(TICTACTOE, Play(games=2, max_plies=3), nothing, 0.0, [1])
    assert [(len(each.moves), each.rewards) for each in games] == [(3, (0.0, 0.0))] * 2


# ---- databases ----
PGN = """[Event "one"]
[Result "1-0"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[Event "unfinished"]
[Result "*"]

1. d4 *

[Event "from elsewhere"]
[FEN "4k3/8/8/8/8/8/8/4KR2 w - - 0 1"]
[SetUp "1"]
[Result "1-0"]

1. Rf2 1-0

[Event "two"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1
"""


def test_games_of_masters_from_pgn(tmp_path):
    path = tmp_path / "masters.pgn"
    path.write_text(PGN, encoding="utf-8")
    chess = sb.game("chess")
    games = load_database(Database(games=(str(path),)), chess)
    assert [each.rewards for each in games] == [(1.0, -1.0), (-1.0, 1.0)]
    start = chess.initial()
    assert [start.text(each.moves[0]) for each in games] == ["e2e4", "f2f3"]
    assert len(load_database(Database(games=(str(path),), most=3), chess)) == 1
    with pytest.raises(SpecError, match="games of chess, not of"):
        load_database(Database(games=(str(path),)), TICTACTOE)


def test_the_chess_network_repeats_the_games_it_was_trained_with(tmp_path):
    path = tmp_path / "masters.pgn"
    path.write_text(PGN, encoding="utf-8")
    config = read_config(
        {
            "game": "chess",
            "rounds": 2,
            "network": {"kind": "dense", "blocks": 1, "width": 32, "batch_norm": False},
            "database": {"games": [str(path)], "rounds": 2, "conservative": 1.0},
            "learning": {"steps": 40, "batch_size": 22, "learning_rate": 0.01},
            "evaluation": {"opponents": [], "every": 1},
        }
    )
    rows = Run(config, tmp_path / "run").run()
    assert rows[-1].repeated is not None
    assert rows[-1].repeated >= 0.8
    assert rows[-1].possible == pytest.approx(10 / 11)  # 1. e4 and 1. f3 cannot both be played
    assert rows[-1].games == 0
    agent = sb.agent(f"net:{tmp_path / 'run' / 'best.onnx'},play=policy")
    state = sb.game("chess").initial().play("e2e4").play("e7e5")
    assert state.text(agent.choose(state).move) == "d1h5"


def test_rounds_of_a_database_need_games():
    with pytest.raises(SpecError, match="give --games PATH"):
        load_database(Database(rounds=2), TICTACTOE)


def test_recorded_games_of_another_game_are_refused(tmp_path):
    memory = Memory(tmp_path, 100)
    memory.add([PlayedGame(3, [0, 1, 40], (0.0, 0.0))], 0, Totals(games=1))
    with pytest.raises(SpecError, match="games of another game than tictactoe"):
        load_database(Database(games=(str(tmp_path),)), TICTACTOE)


def test_openings_do_not_count_as_repeated():
    games = [PlayedGame(1, [4, 0], (0.0, 0.0))]
    asked = []

    def first(states):
        asked.extend(states)
        return np.eye(9, dtype=np.float32)[[0] * len(states)]

    assert Repetition(games, TICTACTOE, (1, 10)).measure(first) == (1.0, 1.0)
    assert [state.notation for state in asked] == [TICTACTOE.state("b2").notation]
    assert Repetition([], TICTACTOE, (1, 10)).measure(first) == (None, None)


# ---- networks of Q-values ----
@pytest.mark.parametrize(
    ("game", "network"),
    [
        ("tictactoe", {"kind": "dense", "blocks": 1, "width": 8}),
        ("connect4", {"kind": "conv", "blocks": 1, "width": 4}),
        ("connect4", {"kind": "conv", "blocks": 1, "width": 4, "output": "relu"}),
        ("chess", {"kind": "residual", "blocks": 1, "width": 4, "policy": "planes"}),
        (
            "chess",
            {"kind": "residual", "blocks": 1, "width": 4, "policy": "planes", "output": "relu"},
        ),
    ],
)
def test_q_values_in_pytorch_and_onnx_are_equal(tmp_path, game, network):
    torch.manual_seed(2)
    rules, path = sb.game(game), tmp_path / "a.onnx"
    net = make_net(rules, NetConfig(**{"output": "linear", **network})).eval()
    with torch.no_grad():
        for each in net.buffers():
            if each.dtype.is_floating_point:
                each.add_(0.1 * torch.rand_like(each))
    save_net(net, rules, path, {})
    evaluator = NetEvaluator.load(path)
    assert evaluator.net.is_q
    state = rules.initial()
    values, logits = evaluator.evaluate_states([state])
    with torch.no_grad():
        q = net(torch.from_numpy(state.planes()[np.newaxis]))[1][0].numpy()
    assert np.allclose(logits[0] / Q_SHARPNESS, q, atol=1e-5)
    best = q[list(state.legal_moves)].max()
    assert values[0, 0] == pytest.approx(np.clip(best, -1, 1), abs=1e-5)
    if net.config.output == "relu":
        assert q.min() >= 0


def test_the_agent_plays_the_largest_q_value_and_searches_with_it(tmp_path):
    path = tmp_path / "a.onnx"
    torch.manual_seed(3)
    net = make_net(TICTACTOE, NetConfig(kind="dense", blocks=1, width=8, output="linear"))
    save_net(net, TICTACTOE, path, {})
    state = TICTACTOE.state("b2")
    decision = sb.agent(f"net:{path},play=policy").choose(state)
    best = max(decision.moves, key=lambda each: each.value)
    assert decision.move == best.move
    assert decision.value == pytest.approx(best.value)
    assert sum(each.policy or 0.0 for each in decision.moves) == pytest.approx(1.0)
    assert sb.agent(f"net:{path}").choose(state) == decision
    searched = sb.agent(f"net:{path},play=search").choose(state, sb.Budget(iterations=30))
    assert searched.stats["iterations"] == 30


# ---- runs ----
def test_a_run_makes_its_folder_and_goes_on_in_it(tmp_path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    rows = Run(tiny(), whole).run()
    assert [row.round for row in rows] == [1, 2, 3]
    names = {path.name for path in whole.iterdir()}
    assert {"config.toml", "metrics.csv", "losses.svg", "strength.svg", "best.onnx"} <= names
    Run(tiny(rounds=2), broken).run()
    again = Run(tiny(), broken).run()
    assert [replace(row, seconds=0) for row in again[2:]] == [
        replace(row, seconds=0) for row in rows[2:]
    ]
    assert (whole / "best.onnx").exists()
    (found,) = find_runs(whole)
    assert (found.method, found.game, found.progress) == ("dqn", "tictactoe", "3 of 3 rounds")
    assert "against random" in found.strength
    assert not found.running


def test_games_of_a_round_that_was_not_finished_are_not_played_again(tmp_path, monkeypatch):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    rows = Run(tiny(), whole).run()

    class Killed(Exception):
        pass

    run, learn, calls = Run(tiny(), broken), Learner.learn, []

    def dies(self, number, *memories):
        calls.append(number)
        if number == 3:
            raise Killed
        return learn(self, number, *memories)

    monkeypatch.setattr(Learner, "learn", dies)
    with pytest.raises(Killed):
        run.run()
    monkeypatch.setattr(Learner, "learn", learn)
    monkeypatch.setattr(
        "spielbaum.train.methods.dqn.method.play_games", None
    )  # nobody may play any more
    again = Run(tiny(), broken).run()
    assert [strip(row) for row in again] == [strip(row) for row in rows]


def strip(row):
    return {**asdict(row), "seconds": 0}


def test_without_anything_to_measure_the_last_network_is_the_best(tmp_path):
    config = tiny(rounds=2, evaluation={"opponents": [], "every": 1})
    Run(config, tmp_path).run()
    assert (tmp_path / "best.onnx").exists()


def test_an_engine_that_is_missing_is_told_before_the_first_round(tmp_path):
    config = tiny(evaluation={"opponents": ["uci:path=/nowhere/engine"]})
    with pytest.raises(SpecError, match="/nowhere/engine"):
        Run(config, tmp_path).run()
    assert not (tmp_path / "checkpoint.safetensors").exists()


def test_another_configuration_in_the_same_folder_is_refused(tmp_path):
    Run(tiny(rounds=1), tmp_path).run()
    with pytest.raises(SpecError, match="another configuration"):
        Run(tiny(seed=2), tmp_path)
    (tmp_path / "checkpoint.safetensors").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="damaged"):
        Run(tiny(rounds=1), tmp_path).run()


def test_dqn_learns_to_beat_random_at_tictactoe(tmp_path):
    config = read_config(
        {
            "game": "tictactoe",
            "rounds": 40,
            "network": {"kind": "dense", "blocks": 2, "width": 48, "batch_norm": False},
            "play": {"games": 32, "epsilon_rounds": 25, "final_epsilon": 0.2},
            "learning": {
                "steps": 25,
                "batch_size": 64,
                "n_step": 2,
                "target_every": 50,
                "discount": 0.95,
                "learning_rate": 0.002,
                "memory_size": 10000,
            },
            "evaluation": {"every": 40, "games": 100, "opening": 0},
        }
    )
    (last,) = [row for row in Run(config, tmp_path).run() if row.shares]
    assert last.shares["random"] > 0.8


# ---- the command ----
def test_command(cli, tmp_path):
    listed = cli("train", "dqn", "chess", "--config", "list")
    assert "s4-chess" in listed.out
    done = cli("train", "dqn", "tictactoe", "--config", "tictactoe", "--dry-run")
    assert done.code == 0, done
    assert "the dry run went well" in done.out


def test_mistakes_are_one_line(cli, tmp_path):
    assert_one_clear_line(
        cli("train", "dqn", "chess", "--config", "connect4"), "is for connect4, not for chess"
    )
    assert_one_clear_line(cli("train", "dqn", "chess", "--config", "conect4"), "connect4")
