"""Value networks from games: what is learnt of them, how, and how searches use it."""

import csv
from collections import defaultdict

import numpy as np
import onnx
import pytest
import torch
from optuna.distributions import CategoricalDistribution
from optuna.trial import FixedTrial

import spielbaum as sb
from helpers import check_message
from learning import value_run
from spielbaum.base.errors import ModelError, WorkerError
from spielbaum.cli.main import run as command
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.models.inputs import random_states
from spielbaum.models.onnx_file import graph_bytes, read_net
from spielbaum.play.limits import Limits
from spielbaum.play.referee import GameTask, Seat, play_game
from spielbaum.train.methods.value import architectures
from spielbaum.train.methods.value.config import CONFIGS, load_config, read_config
from spielbaum.train.methods.value.method import NET, ValueRow
from spielbaum.train.methods.value.positions import make_lessons
from spielbaum.train.nets.checkpoints import load_weights
from spielbaum.train.nets.towers import make_net
from spielbaum.train.rows import read_rows
from spielbaum.train.run_folder import CHECKPOINT
from spielbaum.train.run_list import find_runs

TINY = {
    "game": "tictactoe",
    "games": {"number": 20, "agents": ["random"], "iterations": 10, "processes": 1},
    "positions": {"most": 300, "validation": 0.2},
    "network": {"kind": "dense", "blocks": 1, "width": 8, "value_hidden": 8, "dropout": 0.2},
    "training": {"epochs": 4, "batch_size": 32, "learning_rate": 0.01},
}


def tiny(**changes):
    return read_config(TINY).with_values(
        {name.replace("__", "."): value for name, value in changes.items()}
    )


def random_records(game, count):
    seats = tuple(Seat("random", Limits(), seed) for seed in range(sb.game(game).num_players))
    return [
        play_game(
            GameTask(
                game,
                tuple(Seat(seat.agent, seat.limits, 10 * number + seat.seed) for seat in seats),
            )
        )
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A finished training of a tiny network."""
    folder = tmp_path_factory.mktemp("value") / "run"
    value_run(tiny(), folder).run()
    return folder


# ---- positions ----
def test_equal_positions_and_images_have_their_mean():
    game = sb.game("connect4:rows=4,columns=4,inarow=3")
    records = random_records(str(game), 40)
    results = defaultdict(list)
    for record in records:
        state = game.initial()
        for move in record.moves:
            for image in state.symmetries():
                key = image.state.planes("own").tobytes()
                results[key].append(record.rewards[state.to_move])
            state = state.play(move)
    lessons = make_lessons(records, game, "own")
    learnt, held = lessons.split(10**6, 0.25, seed=3)
    seen = {}
    for samples in (learnt, held):
        for planes, value in zip(samples.planes.astype(np.float32), samples.values, strict=True):
            seen[planes.tobytes()] = value[0]
    assert len(seen) == len(learnt) + len(held) == lessons.all_images == len(results)
    for key, rewards in results.items():
        # A position that is its own image is there twice for each game, with the same result.
        assert seen[key] == pytest.approx(np.mean(rewards), abs=1e-6)
    assert lessons.games == 40
    assert lessons.seen == sum(len(record.moves) for record in records)
    assert lessons.distinct <= lessons.all_images


def test_ends_of_games_are_learnt_if_wanted():
    game = sb.game("tictactoe")
    records = random_records("tictactoe", 20)
    without, lessons = (make_lessons(records, game, "own", ends=ends) for ends in (False, True))
    assert lessons.seen == without.seen + len(records)
    learnt, held = lessons.split(10**6, 0.2, seed=1)
    results = {
        planes.astype(np.float32).tobytes(): value[0]
        for samples in (learnt, held)
        for planes, value in zip(samples.planes, samples.values, strict=True)
    }
    for record in records:
        state = game.initial()
        for move in record.moves:
            state = state.play(move)
        assert results[state.planes("own").tobytes()] == record.rewards[state.to_move]


def test_images_of_a_position_are_on_one_side():
    game = sb.game("tictactoe")
    lessons = make_lessons(random_records("tictactoe", 30), game, "own")
    learnt, held = lessons.split(10**6, 0.3, seed=1)
    boards = {planes.tobytes() for planes in learnt.planes}
    for planes in held.planes:
        for turns in range(4):
            turned = np.rot90(planes, turns, axes=(1, 2))
            for image in (turned, turned[:, :, ::-1]):
                assert np.ascontiguousarray(image).tobytes() not in boards
    assert 0.15 < len(held) / (len(held) + len(learnt)) < 0.45


def test_validation_by_games_learns_nothing_of_them():
    game = sb.game("connect4:rows=4,columns=4,inarow=3")
    records = random_records(str(game), 60)
    lessons = make_lessons(records, game, "own", symmetries=False)
    learnt, held = lessons.split(10**6, 0.2, seed=3, by="games")
    questions = {planes.tobytes() for planes in held.planes}
    results, apart = defaultdict(list), 0
    for record in records:
        state, boards = game.initial(), []
        for move in record.moves:
            key = state.planes("own").astype(np.float16).tobytes()
            boards.append((key, record.rewards[state.to_move]))
            state = state.play(move)
        if any(key in questions for key, _ in boards):
            apart += 1
        else:
            for key, reward in boards:
                results[key].append(reward)
    assert apart == 12  # all of them have positions of their own
    pairs = zip(learnt.planes, learnt.values, strict=True)
    answers = {planes.tobytes(): value[0] for planes, value in pairs}
    assert answers.keys() == results.keys()
    for key, rewards in results.items():
        assert answers[key] == pytest.approx(np.mean(rewards), abs=1e-6)
    with pytest.raises(WorkerError, match=r"0 of \d+ positions are only in the 1 games"):
        make_lessons([records[0]] * 2, game, "own").split(100, 0.5, seed=1, by="games")


def test_most_limits_positions_and_splits_differ_by_seed():
    lessons = make_lessons(random_records("tictactoe", 30), sb.game("tictactoe"), "own")
    learnt, held = lessons.split(100, 0.1, seed=1)
    assert 80 < len(learnt) + len(held) <= 100
    again, _ = lessons.split(100, 0.1, seed=1)
    other, _ = lessons.split(100, 0.1, seed=2)
    assert np.array_equal(again.planes, learnt.planes)
    assert not np.array_equal(other.values, learnt.values[: len(other)])


def test_three_players_have_three_results():
    game = sb.game("yavalath:players=3")
    lessons = make_lessons(random_records(str(game), 2), game, "own", symmetries=False)
    assert lessons.values.shape[1] == 3
    assert np.allclose(lessons.values.sum(axis=1), 0.0, atol=1e-6)


def test_games_that_agents_lost_by_mistake_teach_nothing():
    seats = (Seat("ntuple:/nowhere", Limits()), Seat("random", Limits()))
    record = play_game(GameTask("tictactoe", seats))
    with pytest.raises(WorkerError, match=r"0 different positions.*nowhere"):
        make_lessons([record], sb.game("tictactoe"), "own")


# ---- configurations ----
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"games": {"number": 1}}, "games.number = 1"),
        ({"games": {"agents": ["nosuch"]}}, "nosuch"),
        ({"games": {"openings": "middle"}}, "middle"),
        ({"positions": {"validation": 1.5}}, "positions.validation = 1.5"),
        ({"network": {"encoding": "naive"}}, "no encoding 'naive'"),
        ({"network": {"policy": "dense"}}, "teach values alone"),
        ({"network": {"history": 2}}, "learnt once"),
        (
            {"training": {"epoch": 3}},
            "'training.epoch' (did you mean epochs?); known are batch_size",
        ),
        ({"search": {"width": []}}, "search.width"),
        ({"game": "nosuch"}, "nosuch"),
    ],
)
def test_bad_configurations_are_named(changes, words):
    with pytest.raises(sb.SpecError) as caught:
        read_config({**TINY, **changes})
    check_message(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_configurations_of_the_package(path):
    config = load_config(path.stem)
    assert read_config(config.model_dump(mode="json")) == config
    assert config.plan().num_games == config.games.number
    assert path.read_text(encoding="utf-8").startswith("# ")


# By hand. Dense: 42 * 32 + 32 = 1,376; 32 * 128 + 128 = 4,224; 128 * 32 + 32 = 4,128; 32 + 1.
# Normalised: 42 * 512 + 512 = 22,016; 512 * 1,024 + 1,024 = 525,312; 1,024 * 16 + 16 = 16,400;
# 16 + 1. Convolutions: 3 * 32 * 9 + 32 = 896 and 3 * (32 * 32 * 9 + 32) = 27,744; pooling makes
# 6x7 cells 3x3 and these 2x2, so that 4 * 32 numbers are left: 128 * 32 + 32 = 4,128, then
# 32 * 32 + 32 = 1,056, and 32 + 1.
S0 = {
    "s0-densenet": ("regular", "raw", 1_376 + 4_224 + 4_128 + 33),
    "s0-densenet-norm": ("regular", "normalised", 22_016 + 525_312 + 16_400 + 17),
    "s0-convnet": ("planes", "raw", 896 + 27_744 + 4_128 + 1_056 + 33),
    "s0-convnet-norm": ("planes", "normalised", 896 + 27_744 + 4_128 + 1_056 + 33),
}


@pytest.mark.parametrize("name", S0)
def test_s0s_configurations_are_those_of_the_document(name):
    config, (encoding, target, weights) = load_config(name), S0[name]
    assert (config.games.number, config.positions.most) == (16_000, 400_000)
    assert config.positions.validation == 0.05
    assert (config.network.encoding, config.network.target) == (encoding, target)
    assert config.training.epochs == 100
    assert make_net(config.rules(), config.network).parameter_count() == weights


@pytest.fixture(scope="module")
def few_games(tmp_path_factory):
    """Some quick games of Connect Four, which all trainings of it share."""
    return tmp_path_factory.mktemp("games") / "games.db"


@pytest.mark.parametrize("name", S0)
def test_s0s_networks_are_trained_and_played(name, few_games, tmp_path):
    """From games to a file that answers in a search what PyTorch answers."""
    quick = {
        "games.number": 6,
        "games.iterations": 5,
        "games.processes": 1,
        "positions.most": 300,
        "positions.validation": 0.2,
        "training.epochs": 1,
    }
    config = load_config(name).with_values(quick)
    [row] = value_run(config, tmp_path, few_games).run()
    assert 0 < row.mse < 2
    file = read_net(tmp_path / NET)
    assert file.header["parameters"] == S0[name][2]
    operations = {node.op_type for node in onnx.load_from_string(file.content).graph.node}
    assert ("MaxPool" in operations) == ("convnet" in name)
    assert "Dropout" not in operations
    game = config.rules()
    states = random_states(game, 40)  # finished ones among them
    planes = np.stack([state.planes(config.network.encoding) for state in states])
    net = make_net(game, config.network)
    load_weights(tmp_path / CHECKPOINT, net)
    with torch.no_grad():
        expected, _ = net.eval()(torch.from_numpy(planes))
    if config.network.target == "normalised":
        expected = 2 * expected - 1
    found, _ = NetEvaluator.load(tmp_path / NET).evaluate_states(states)
    assert np.allclose(found, expected.numpy(), atol=1e-5)
    agent = sb.agent(f"uct:c=0.8,eval=net:{tmp_path / NET},blend=0.85,average=on,batch=1")
    assert agent.choose(game.initial(), sb.Budget(iterations=20)).stats["iterations"] == 20


# ---- training ----
def test_a_training_leaves_everything_in_its_folder(trained):
    rows = read_rows(trained / "metrics.csv", ValueRow)
    assert [row.epoch for row in rows] == [1, 2, 3, 4]
    assert all(0 <= row.mae <= 2 and 0 <= row.mse <= 4 for row in rows)
    best = min(rows, key=lambda row: row.mse)
    told = read_net(trained / NET).training
    assert told["method"] == "value"
    assert told["epoch"] == best.epoch
    assert told["mse"] == pytest.approx(best.mse, rel=1e-4)
    assert told["guess_mse"] > 0
    for name in ("mse.svg", "mae.svg"):
        assert (trained / name).read_text(encoding="utf-8").startswith("<?xml")
    [info] = find_runs(trained.parent)
    assert (info.method, info.game, info.running) == ("value", "tictactoe", False)
    assert info.progress == "4 of 4 epochs"


def test_an_interrupted_training_goes_on_to_the_same_network(trained, tmp_path):
    class Enough(Exception):
        pass

    def interrupt(now, lines):
        if now.activity == "training" and now.step == 2:
            raise Enough

    games = trained / "games.db"
    with pytest.raises(Enough):
        value_run(tiny(), tmp_path, games).run(interrupt)
    assert len(read_rows(tmp_path / "metrics.csv", ValueRow)) == 2
    value_run(tiny(), tmp_path, games).run()
    assert errors(tmp_path) == errors(trained)
    one, other = ((folder / NET).read_bytes() for folder in (tmp_path, trained))
    assert graph_bytes(one) == graph_bytes(other)


def errors(folder):
    return [
        (row.epoch, row.train_mse, row.train_mae, row.mse, row.mae)
        for row in read_rows(folder / "metrics.csv", ValueRow)
    ]


def test_more_epochs_go_on_and_another_configuration_is_refused(trained, tmp_path):
    games = trained / "games.db"
    value_run(tiny(training__epochs=1), tmp_path, games).run()
    rows = value_run(tiny(training__epochs=2), tmp_path, games).run()
    assert len(rows) == 2
    assert errors(tmp_path) == errors(trained)[:2]
    with pytest.raises(sb.SpecError, match="another configuration"):
        value_run(tiny(network__width=9), tmp_path, games)


def test_errors_of_both_targets_are_on_one_scale(trained, tmp_path):
    """A network that knows nothing answers about 0, whichever target it has."""
    changes = {"training__learning_rate": 1e-9, "training__epochs": 1}
    found = {}
    for target in ("raw", "normalised"):
        config = tiny(network__target=target, **changes)
        [row] = value_run(config, tmp_path / target, trained / "games.db").run()
        found[target] = row
    assert found["raw"].mse == pytest.approx(found["normalised"].mse, rel=0.15)
    assert found["raw"].mae == pytest.approx(found["normalised"].mae, rel=0.15)


def test_patience_ends_a_training(trained, tmp_path):
    config = tiny(training__epochs=50, training__patience=2, training__learning_rate=1.0)
    rows = value_run(config, tmp_path, trained / "games.db").run()
    best = min(rows, key=lambda row: row.mse)
    assert len(rows) == best.epoch + 2 < 50


def test_a_search_goes_on_with_the_trial_that_was_interrupted(trained, tmp_path):
    config = tiny(
        search__trials=3,
        search__epochs=2,
        search__most=100,
        search__width=[4, 8],
        training__epochs=1,
    )

    class Enough(Exception):
        pass

    def interrupt(now, lines):
        if now.activity == "search" and now.step == 3:  # after the first epoch of the second trial
            raise Enough

    games = trained / "games.db"
    with pytest.raises(Enough):
        value_run(config, tmp_path, games).run(interrupt)
    lines = []
    value_run(config, tmp_path, games).run(lambda now, told: lines.extend(told))
    with (tmp_path / "search" / architectures.TRIALS).open(newline="") as file:
        trials = list(csv.DictReader(file))
    assert len(trials) == 3
    assert sorted(int(each["trial"]) for each in trials) == [0, 2, 3]  # 1 was begun again as 2
    found = load_config(tmp_path / "search" / "best.toml")
    assert found.network.widths == tuple(map(int, trials[0]["width"].split("-")))
    assert read_net(tmp_path / NET).header["network"]["width"] == list(found.network.width)
    assert any("weights; blocks" in line for line in lines)
    value_run(config, tmp_path, games).run()  # nothing is tried again


CHOICES = {
    "blocks": 1,
    "width 1": 4,
    "width 2": 8,
    "width": 8,
    "kernel": 5,
    "pool": 2,
    "value_hidden": 16,
    "batch_norm": False,
    "dropout": 0.5,
    "body_dropout": 0.25,
    "activation": "sigmoid",
    "learning_rate": 0.01,
}


@pytest.mark.parametrize(
    ("kind", "own_widths", "width", "without"),
    [
        ("conv", True, [4, 8], ()),
        ("conv", False, 8, ()),
        ("residual", True, 8, ("pool",)),
        ("dense", True, [4], ("kernel", "pool")),
    ],
)
def test_a_search_varies_what_a_kind_of_network_has(kind, own_widths, width, without):
    config = tiny(
        network__kind=kind,
        search__own_widths=own_widths,
        search__width=[4, 8],
        search__activation=["relu", "sigmoid"],
        search__learning_rate=[0.01],
    )
    chosen = architectures._chosen(FixedTrial(CHOICES), config)
    expected = {name: CHOICES[name] for name in (*architectures.NETWORK, "learning_rate")}
    assert chosen == {
        name: value for name, value in {**expected, "width": width}.items() if name not in without
    }


def test_a_search_finds_networks_with_pooling(trained, tmp_path):
    config = tiny(
        network__kind="conv",
        search__trials=3,
        search__epochs=1,
        search__most=100,
        search__blocks=[1, 2],
        search__width=[2, 4],
        search__kernel=[2, 5],
        search__pool=[2],
        search__body_dropout=[0.1],
        search__activation=["sigmoid"],
        training__epochs=1,
    )
    value_run(config, tmp_path, trained / "games.db").run()
    with (tmp_path / "search" / architectures.TRIALS).open(newline="") as file:
        trials = list(csv.DictReader(file))
    found = load_config(tmp_path / "search" / "best.toml").network
    assert (found.pool, found.body_dropout, found.activation) == (2, 0.1, "sigmoid")
    assert [found.blocks, *found.kernel] == [int(trials[0][name]) for name in ("blocks", "kernel")]
    assert "-".join(map(str, found.width)) == trials[0]["width"]
    operations = onnx.load_from_string((tmp_path / NET).read_bytes()).graph.node
    assert {"MaxPool", "Sigmoid"} <= {node.op_type for node in operations}


def test_a_study_of_an_earlier_version_goes_on(trained, tmp_path):
    """Its trials have one width, and neither kernels nor pooling."""
    config = tiny(search__trials=1)
    study = architectures._open(config, tmp_path / architectures.STUDY)
    names = ("blocks", "width", "value_hidden", "batch_norm", "dropout", "activation")
    choices = {name: getattr(config.search, name) for name in (*names, "learning_rate")}
    trial = study.ask({name: CategoricalDistribution(each) for name, each in choices.items()})
    trial.set_user_attr("mse", 0.5)
    trial.set_user_attr("parameters", 99)
    study.tell(trial, 0.5)
    found = architectures.find_network(config, config.rules(), None, tmp_path)
    assert found.network.width == (trial.params["width"],)
    assert found.training.learning_rate == trial.params["learning_rate"]


def test_a_folder_has_one_training_at_a_time(tmp_path):
    def again(now, lines):
        with pytest.raises(sb.SpecError, match="running already"):
            value_run(tiny(), tmp_path).run()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        value_run(tiny(), tmp_path).run(again)


def test_the_command(capsys):
    assert command(["train", "value", "connect4", "--config", "list"]) == 0
    assert "s0-convnet" in capsys.readouterr().out
    assert command(["train", "value", "chess", "--config", "connect4"]) == 2
    assert "configuration connect4 is for connect4, not for chess" in capsys.readouterr().err
    arguments = ["train", "value", "tictactoe", "--config", "tictactoe", "--dry-run"]
    assert command([*arguments, "--search", "2", "--processes", "1"]) == 0
    assert "the dry run went well" in capsys.readouterr().out


# ---- networks in searches ----
def test_a_spec_names_the_network(trained):
    spec = f"rave-lgr:eval=net:{trained / NET},blend=0.5,average=on,batch=1"
    agent = sb.agent(spec)
    assert str(sb.agent(str(agent))) == str(agent)
    state = sb.game("tictactoe").initial().play("b2")
    decision = agent.choose(state, sb.Budget(iterations=60))
    assert decision.stats["iterations"] == 60
    plain = sb.agent("rave-lgr:blend=0.5,average=on,batch=1")
    other = plain.with_evaluator(NetEvaluator.load(trained / NET))
    assert other.choose(state, sb.Budget(iterations=60)).moves == decision.moves


def test_the_network_says_what_positions_are_worth(trained):
    """Without playouts, a move is worth what the network says of the position behind it."""
    state = sb.game("tictactoe").initial()
    agent = sb.agent(f"uct:eval=net:{trained / NET},batch=1")
    decision = agent.choose(state, sb.Budget(iterations=9))
    children = [state.play(each.move) for each in decision.moves]
    values, _ = NetEvaluator.load(trained / NET).evaluate_states(children)
    assert [each.value for each in decision.moves] == pytest.approx(-values[:, 0], abs=1e-5)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("uct:eval=net:/nowhere/a.onnx", "No such file"),
        ("uct:eval=net:{},threads=2", "expected threads=1 with a network"),
        ("uct:eval=net:{},cut=3", "expected cut=-1 with a network"),
        ("mcts:select=puct,prior=eval,eval=net:{}", "expected prior=uniform with a network"),
    ],
)
def test_what_does_not_go_together_is_named(spec, words, trained):
    with pytest.raises(ValueError, match=words) as caught:
        sb.agent(spec.format(trained / NET))
    check_message(caught.value)


def test_a_network_of_another_game_is_refused(trained):
    agent = sb.agent(f"uct:eval=net:{trained / NET}")
    with pytest.raises(ModelError, match="the network is for tictactoe, not for connect4"):
        agent.choose(sb.game("connect4").initial())


def test_blend_needs_a_network():
    with pytest.raises(sb.SpecError, match="expected eval=net:FILE"):
        sb.agent("uct:blend=0.5").choose(sb.game("tictactoe").initial())
