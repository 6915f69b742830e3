"""Neural networks: what PyTorch computes is what ONNX Runtime plays, for every kind of network."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import spielbaum as sb
from helpers import check_message, random_game
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.models.inputs import Symmetries, encode, legal_mask
from spielbaum.models.shipped import shipped_models
from spielbaum.testing import check_evaluator
from spielbaum.train.data.samples import Samples
from spielbaum.train.methods.alphazero.config import load_config
from spielbaum.train.nets.checkpoints import load_checkpoint, save_checkpoint
from spielbaum.train.nets.net_config import NetConfig
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.onnx_weights import take_weights
from spielbaum.train.nets.towers import Pooling, make_net
from spielbaum.train.nets.training import LossWeights, make_batch, step

NETS = {
    "connect4": NetConfig(blocks=1, width=8),
    "connect4:rows=5,columns=5": NetConfig(kind="conv", blocks=2, width=8, batch_norm=False),
    "tictactoe": NetConfig(kind="dense", width=16, activation="leaky_relu", target="normalised"),
    "reversi": NetConfig(blocks=1, width=8, activation="leaky_relu", dropout=0.5),
    "yavalath:players=3": NetConfig(blocks=1, width=8),
    "yavalath": NetConfig(blocks=0, width=8, policy="none"),
    "chess": NetConfig(blocks=1, width=8, policy="conv", encoding="s4"),
    "connect4:rows=7": NetConfig(
        kind="conv", width=[8, 4, 8, 4], kernel=[5, 4, 2, 1], pool=2, value_width=0,
        value_hidden=[8, 4], policy="none",
    ),
    "connect4:columns=8": NetConfig(
        kind="conv", blocks=3, width=8, kernel=6, pool=3, pool_every=1, activation="sigmoid",
        body_dropout=0.5, dropout=0.5, target="normalised",
    ),
    "connect4:rows=5": NetConfig(
        kind="dense", width=[16, 32, 8], value_hidden=0, batch_norm=False, activation="sigmoid",
        body_dropout=0.5,
    ),
    "reversi:size=6": NetConfig(blocks=1, width=8, kernel=2, hidden_norm=False),
}  # fmt: skip


def random_net(game, config, seed=1):
    """A network in whose normalisations there is something to fold."""
    torch.manual_seed(seed)
    net = make_net(game, config)
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm1d | torch.nn.BatchNorm2d):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2.0)
            module.weight.data.uniform_(0.5, 1.5)
    return net.eval()


@pytest.fixture
def net_file(tmp_path):
    game = sb.game("connect4")
    path = tmp_path / "a.onnx"
    save_net(random_net(game, NetConfig(blocks=1, width=8)), game, path, {"games": 7})
    return path


@pytest.mark.parametrize("spec", NETS)
def test_played_as_it_was_trained(spec, tmp_path):
    game, config = sb.game(spec), NETS[spec]
    net = random_net(game, config)
    save_net(net, game, tmp_path / "a.onnx", {})
    evaluator = NetEvaluator.load(tmp_path / "a.onnx")
    states = [state for state in random_game(game, 3)[:20] if state.outcome is None]
    planes = np.stack([encode(state, net.shape.encoding) for state in states])
    values, logits = evaluator.evaluate(planes, legal_mask(states, game.num_actions))
    with torch.no_grad():
        expected_values, expected_logits = net(torch.from_numpy(planes))
    if config.target == "normalised":
        expected_values = 2 * expected_values - 1
    assert np.allclose(values, expected_values.numpy(), atol=1e-5)
    assert np.allclose(logits, expected_logits.numpy(), atol=1e-4)
    check_evaluator(evaluator, game, positions=16)


@pytest.mark.parametrize("spec", NETS)
def test_bytes_say_nearly_the_same(spec, tmp_path):
    game = sb.game(spec)
    save_net(random_net(game, NETS[spec]), game, tmp_path / "a.onnx", {})
    exact, quick = (NetEvaluator.load(tmp_path / "a.onnx", 0, each) for each in ("float", "int8"))
    states = [state for seed in range(4) for state in random_game(game, seed)[:-1]]
    values, logits = exact.evaluate_states(states)
    near_values, near_logits = quick.evaluate_states(states)
    assert np.abs(near_values - values).mean() < 0.03
    assert np.abs(near_logits - logits).mean() < 0.1 * max(logits.std(), 0.1)
    differs = (near_values != values).any() or (near_logits != logits).any()
    assert differs == (NETS[spec].kind != "dense")


@pytest.mark.parametrize("name", ["connect4", "reversi", "yavalath"])
def test_networks_of_the_package_play_with_bytes(name):
    game = sb.game(name)
    states = [state for seed in range(8) for state in random_game(game, 100 + seed)[:-1]]
    agents = [sb.agent(f"net:{name},play=policy,precision={each}") for each in ("float", "int8")]
    float_moves, byte_moves = ([agent.choose(state).move for state in states] for agent in agents)
    same = np.mean([one == other for one, other in zip(float_moves, byte_moves, strict=True)])
    assert same > 0.93


def test_cache_answers_the_same(net_file):
    states = random_game(sb.game("connect4"), 5)[:-1]
    plain, cached = NetEvaluator.load(net_file), NetEvaluator.load(net_file, cache=5)
    for _ in range(2):
        for few in (states[:4], states[2:6], states):
            legal = legal_mask(few, 7)
            expected, found = plain.evaluate_states(few), cached.evaluate_states(few)
            assert np.allclose(expected[0], found[0], atol=1e-5)
            assert np.allclose(expected[1][legal], found[1][legal], atol=1e-5)
    assert cached.hits > 0
    assert cached.evaluations < plain.evaluations


def test_averaging_over_symmetries(net_file):
    game, evaluator = sb.game("connect4"), NetEvaluator.load(net_file)
    state, mirrored = game.state("1123"), game.state("7765")
    values, logits = evaluator.evaluate_states([state, mirrored], average=True)
    assert np.allclose(values[0], values[1], atol=1e-6)
    assert np.allclose(logits[0], logits[1][::-1], atol=1e-5)
    alone, _ = evaluator.evaluate_states([state, mirrored])
    assert np.allclose(values[0], alone.mean(axis=0), atol=1e-6)


def test_averaging_turns_the_positions_before_as_well(tmp_path):
    game = sb.game("connect4")
    config = NetConfig(kind="dense", blocks=1, width=16, history=2)
    save_net(random_net(game, config), game, tmp_path / "a.onnx", {})
    evaluator = NetEvaluator.load(tmp_path / "a.onnx")
    state, mirrored = game.state("1123"), game.state("7765")
    values, logits = evaluator.evaluate_states([state], average=True)
    alone, own = evaluator.evaluate_states([state, mirrored])
    assert abs(alone[0] - alone[1]) > 1e-4
    assert np.allclose(values[0], alone.mean(axis=0), atol=1e-6)
    assert np.allclose(logits[0], (own[0] + own[1][::-1]) / 2, atol=1e-5)


@pytest.mark.parametrize("spec", ["tictactoe", "connect4", "reversi", "yavalath"])
def test_symmetries_of_planes_and_actions(spec):
    game = sb.game(spec)
    symmetries = Symmetries(game, "own")
    for state in random_game(game, 8)[::3]:
        for index, image in enumerate(state.symmetries()):
            planes = state.planes().reshape(3, -1)[:, symmetries.cells[index]]
            assert (planes == image.state.planes().reshape(3, -1)).all()
            assert symmetries.actions[index].tolist() == list(image.actions)


def test_history_planes():
    state = sb.game("connect4").state("44")
    planes = encode(state, "own", history=3)
    assert planes.shape == (12, 6, 7)
    assert (planes[:3] == state.planes()).all()
    assert (planes[3:6] == sb.game("connect4").state("4").planes()).all()
    assert (planes[6:9] == sb.game("connect4").initial().planes()).all()
    assert not planes[9:].any()


@pytest.mark.parametrize("play", ["search", "policy", "value"])
def test_agent(net_file, play):
    agent = sb.agent(f"net:{net_file},play={play}")
    assert str(sb.agent(str(agent))) == str(agent)
    state = sb.game("connect4").state("121212")
    decision = agent.choose(state, sb.Budget(iterations=40))
    assert decision.move in state.legal_moves
    assert -1 <= decision.value <= 1
    assert [each.move for each in decision.moves] == list(state.legal_moves)
    assert decision.stats["evaluations"] > 0
    if play != "policy":
        assert state.text(decision.move) == "a4"  # which wins
    again = agent.choose(state, sb.Budget(iterations=40)).move
    assert again in state.legal_moves


def test_options_of_puct(net_file):
    """They need no select=puct beside them: a network has no other rule."""
    state = sb.game("connect4").initial()
    visits = set()
    for options in ("", ",formula=s3", ",fpu=parent"):
        agent = sb.agent(f"net:{net_file}{options},reuse=off")
        assert str(sb.agent(str(agent))) == str(agent)
        decision = agent.choose(state, sb.Budget(iterations=60))
        visits.add(tuple(each.visits for each in decision.moves))
    assert len(visits) == 3


def test_agent_by_value_of_three_players(tmp_path):
    game = sb.game("yavalath:players=3")
    save_net(random_net(game, NETS["yavalath:players=3"]), game, tmp_path / "a.onnx", {})
    evaluator = NetEvaluator.load(tmp_path / "a.onnx")
    state = game.state("e5")
    decision = sb.agent(f"net:{tmp_path / 'a.onnx'},play=value").choose(state)
    values, _ = evaluator.evaluate_states([state.play(decision.move)])
    assert decision.value == pytest.approx(float(values[0, 2]), abs=1e-6)  # he moves after two


def test_policy_is_drawn_with_a_temperature(net_file):
    state = sb.game("connect4").initial()
    agent = sb.agent(f"net:{net_file},play=policy,temperature=5")
    moves = {agent.choose(state).move for _ in range(40)}
    assert len(moves) > 2


def test_networks_by_file_by_folder_and_by_name(net_file, tmp_path):
    state, budget = sb.game("connect4").initial(), sb.Budget(iterations=5)
    (tmp_path / "run").mkdir()
    net_file.rename(tmp_path / "run" / "best.onnx")
    for spec in (
        f"net:{tmp_path / 'run' / 'best.onnx'}",
        f"net:{tmp_path / 'run'}",
        "net:connect4",
    ):
        assert sb.agent(spec).choose(state, budget).move in state.legal_moves
    for spec in ("net:nosuch", f"net:{tmp_path}", "net:run"):
        with pytest.raises(ModelError, match=r"No such file|not a file"):
            sb.agent(spec)


def test_playing_does_not_import_pytorch(net_file):
    program = f"""
import sys
import spielbaum as sb
state = sb.game("connect4").initial()
for play in ("search", "policy", "value"):
    sb.agent("net:{net_file},play=" + play).choose(state, sb.Budget(iterations=20))
assert "onnxruntime" in sys.modules
assert not {{"torch", "onnx", "safetensors"}} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_pooling_by_hand():
    """Whole windows where two fit in each direction; else all, and the last may be incomplete."""
    board = torch.arange(42.0).reshape(1, 1, 6, 7)
    pooled = Pooling(2, 6, 7)(board)
    assert pooled.tolist() == [[[[8, 10, 12], [22, 24, 26], [36, 38, 40]]]]  # without column g
    again = Pooling(2, 3, 3)(-pooled)
    assert again.tolist() == [[[[-8, -12], [-36, -40]]]]
    assert Pooling(2, 1, 1)(torch.full((1, 1, 1, 1), -3.0)).tolist() == [[[[-3]]]]


def test_dropout_is_for_training_alone():
    game = sb.game("connect4")
    net = make_net(game, NETS["connect4:columns=8"].model_copy(update={"batch_norm": False}))
    planes = torch.rand(5, 3, 6, 7)
    torch.manual_seed(1)
    net.train()
    assert not torch.equal(net(planes)[0], net(planes)[0])
    net.eval()
    assert torch.equal(net(planes)[0], net(planes)[0])
    # Behind each of four poolings, and before the last layers of both heads.
    assert sum(isinstance(module, torch.nn.Dropout) for module in net.modules()) == 6


def test_one_number_is_that_of_all_layers():
    """As in files and headers of earlier versions, whose networks have the same parts as ever."""
    one = NetConfig.model_validate({"kind": "conv", "blocks": 1, "width": 4, "value_hidden": 8})
    assert one == NetConfig(kind="conv", blocks=1, width=[4], value_hidden=[8])
    assert one.widths == (4, 4)
    names = list(make_net(sb.game("connect4"), one).state_dict())
    norm = ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")
    layer = ["linear.weight", *(f"norm.{each}" for each in norm)]
    parts = ["body.0", "body.1", "policy.0", "value.0", "value.2"]
    last = [f"{head}.{each}" for head in ("policy.3", "value.4") for each in ("weight", "bias")]
    assert sorted(names) == sorted([f"{part}.{each}" for part in parts for each in layer] + last)


def test_networks_of_the_package_still_teach():
    game = sb.game("connect4")
    net = make_net(game, load_config("connect4").network)
    take_weights(shipped_models() / "connect4.onnx", net, game)
    values, _ = NetEvaluator.load(shipped_models() / "connect4.onnx").evaluate_states(
        [game.initial()]
    )
    found, _ = net.eval()(torch.from_numpy(game.initial().planes()[None]))
    assert found.item() == pytest.approx(float(values[0, 0]), abs=1e-3)


def test_weights_do_not_fit_another_pooling(tmp_path):
    """Though its layers have the same sizes: two windows of 2 or one of 3 make 2x2 of 6x7."""
    game = sb.game("connect4")
    config = NetConfig(kind="conv", blocks=3, width=4, pool=2)
    save_net(make_net(game, config).eval(), game, tmp_path / "a.onnx", {})
    take_weights(tmp_path / "a.onnx", make_net(game, config), game)
    other = make_net(game, config.model_copy(update={"pool": 3, "pool_every": 4}))
    with pytest.raises(ModelError, match="does not fit"):
        take_weights(tmp_path / "a.onnx", other, game)


@pytest.mark.parametrize(
    ("game", "network", "words"),
    [
        ("connect4", {"pool": 2}, "network.pool = 2: expected 0 with network.kind = 'residual'"),
        ("connect4", {"kind": "dense", "pool": 2}, "expected 0 with network.kind = 'dense'"),
        ("connect4", {"width": [8, 16]}, "network.width = [8, 16]: expected one number"),
        ("connect4", {"kernel": [3, 5]}, "network.kernel = [3, 5]: expected one number"),
        ("connect4", {"kind": "dense", "kernel": [3, 5]}, "expected one number"),
        (
            "connect4",
            {"kind": "conv", "blocks": 2, "width": [8, 16]},
            "network.width = [8, 16]: expected one number, or 3",
        ),
        (
            "connect4",
            {"kind": "conv", "blocks": 2, "kernel": [3, 5]},
            "network.kernel = [3, 5]: expected one number, or 3",
        ),
        ("chess", {"kind": "conv", "pool": 2, "policy": "conv"}, "lie on the cells of the board"),
    ],
)
def test_layers_that_do_not_go_together(game, network, words):
    with pytest.raises(SpecError) as caught:
        make_net(sb.game(game), NetConfig.model_validate(network))
    check_message(caught.value)
    assert words in str(caught.value)


def test_the_tower_of_s3_has_its_size():
    """AlphaGo Zero's, counted by hand.

    First convolution: 3 * 256 * 3 * 3 weights and 2 * 256 of its normalisation = 7,424. A block:
    twice 256 * 256 * 3 * 3 + 512 = 1,180,672. Policy head: 256 * 2 + 2 * 2, then 2 * 64 * 65 + 65
    = 8,901. Value head: 256 + 2, then 64 * 256 + 256 without normalisation, then 256 + 1 = 17,155.
    """
    config = load_config("s3-reversi")
    for blocks, total in ((19, 22_466_248), (39, 46_079_688)):
        assert total == 7_424 + blocks * 1_180_672 + 8_901 + 17_155
        network = config.network.model_copy(update={"blocks": blocks})
        with torch.device("meta"):
            assert make_net(config.rules(), network).parameter_count() == total


def test_configurations_that_do_not_fit():
    with pytest.raises(SpecError, match="expected 'dense' for connect4"):
        make_net(sb.game("connect4"), NetConfig(policy="conv"))
    with pytest.raises(SpecError, match="has no encoding 'naive'"):
        make_net(sb.game("reversi"), NetConfig(encoding="naive"))
    assert NetConfig.model_validate({"num_res_layer": 19}).blocks == 19


def samples_of(game, count=64):
    rng = np.random.default_rng(2)
    states = [state for seed in range(20) for state in random_game(game, seed)[:-1]][:count]
    legal = [state.legal_moves for state in states]
    most = max(map(len, legal))
    actions = np.full((count, most), -1, np.int32)
    policy = np.zeros((count, most), np.float16)
    for row, moves in enumerate(legal):
        actions[row, : len(moves)] = moves
        policy[row, int(rng.integers(len(moves)))] = 1
    return Samples(
        np.stack([state.planes() for state in states]).astype(np.float16),
        actions,
        policy,
        rng.choice([-1.0, 1.0], size=(count, 1)).astype(np.float32),
        np.ones(count, np.float32),
    )


@pytest.mark.parametrize("config", [NETS["connect4"], NETS["tictactoe"]])
def test_learns_what_it_is_taught(config):
    game = sb.game("connect4")
    net = random_net(game, config)
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    samples, rng = samples_of(game), np.random.default_rng(1)
    losses = [
        step(
            net,
            optimizer,
            make_batch(samples, np.arange(64), None, rng),
            LossWeights(0.5, 0.5, 1e-5),
            5.0,
        )
        for _ in range(60)
    ]
    assert losses[-1].policy < 0.3 * losses[0].policy
    assert losses[-1].value < 0.3 * losses[0].value


def test_images_of_samples_are_consistent():
    """The best move is that on which the image's planes say it is."""
    game = sb.game("tictactoe")
    symmetries, rng = Symmetries(game, "own"), np.random.default_rng(5)
    state = game.state("a1 b1 a2 c1")  # a3 wins
    winning = state.parse("a3")
    legal = state.legal_moves
    samples = Samples(
        np.repeat(state.planes()[None].astype(np.float16), 50, axis=0),
        np.repeat(np.array([legal], np.int32), 50, axis=0),
        np.repeat(np.array([[move == winning for move in legal]], np.float16), 50, axis=0),
        np.ones((50, 1), np.float32),
        np.ones(50, np.float32),
    )
    batch = make_batch(samples, np.arange(50), symmetries, rng)
    images = {image.state.planes().tobytes(): image.state for image in state.symmetries()}
    seen = set()
    for planes, actions, policy in zip(batch.planes, batch.actions, batch.policy, strict=True):
        image = images[planes.numpy().tobytes()]
        seen.add(image.key)
        best = int(actions[int(policy.argmax())])
        assert image.play(best).outcome is not None
    assert len(seen) == 8


def test_checkpoints_come_back(tmp_path):
    game, path = sb.game("connect4"), tmp_path / "a.safetensors"
    samples, rng = samples_of(game), np.random.default_rng(1)
    nets = [random_net(game, NETS["connect4"], seed) for seed in (1, 2)]
    optimizers = [torch.optim.Adam(net.parameters(), 0.01) for net in nets]
    batch = make_batch(samples, np.arange(64), None, rng)
    for _ in range(3):
        step(nets[0], optimizers[0], batch, LossWeights(0.5, 0.5, 1e-5), 5.0)
    save_checkpoint(path, nets[0], optimizers[0], {"steps": 3})
    assert load_checkpoint(path, nets[1], optimizers[1]) == {"steps": 3}
    losses = [
        step(net, optimizer, batch, LossWeights(0.5, 0.5, 1e-5), 5.0)
        for net, optimizer in zip(nets, optimizers, strict=True)
    ]
    assert losses[0] == losses[1]
    first, second = (list(net.parameters()) for net in nets)
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))
