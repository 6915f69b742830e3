"""Training: configurations, what is learnt, resuming to the bit, and the command."""

import csv
import json

import numpy as np
import pytest

import spielbaum as sb
from learning import ntuple_training
from spielbaum import _core
from spielbaum.agents.ntuple import NTupleAgent
from spielbaum.arena.strength import Referee, against_perfect
from spielbaum.base.errors import ModelError, SpecError, StoreError
from spielbaum.models.ntuple_file import load_network
from spielbaum.train.methods.ntuple.config import configs, load_config, read_config
from spielbaum.train.methods.ntuple.method import METHOD, read_log
from spielbaum.train.runs import write_summary

SMALL = {
    "game": "connect4:rows=4,columns=5",
    "games": 900,
    "network": {"tuples": [{"number": 4, "length": 4}]},
    "learning": {
        "alpha": 0.02,
        "epsilon": {"kind": "sigmoid", "initial": 0.9, "final": 0.1, "at": 300},
    },
    "measure": {"every": 300, "games": 10},
}
LEARNINGS = [
    {},
    {"lambda": 0.7, "traces": "replacing", "resetting": True, "control": "tcl-exp"},
    {"lambda": 0.5, "control": "tcl", "count_uses": True},
    {"cut": 8, "look_ahead": 1},
]


def small(**learning):
    return read_config({**SMALL, "learning": {**SMALL["learning"], **learning}})


# ---- configurations ----
@pytest.mark.parametrize("name", configs())
def test_configurations_of_the_package_can_be_trained(name, tmp_path):
    config = load_config(name)
    network = config.make_network(1)
    options = config.options(1)
    assert network.num_weights > 0
    assert 0 <= options.epsilon.value(0) <= 1
    assert json.loads(json.dumps(config.facts())) == config.facts()


def test_base_configuration_is_that_of_the_thesis():
    config = load_config("s1-base")
    network = config.make_network(1)
    assert [len(cells) for cells in network.tuples] == [8] * 70
    assert network.weights.shape == (70 * 4**8, 2)
    assert config.make_network(2).tuples == network.tuples
    options = config.options(1)
    assert options.epsilon.value(2_000_000) == pytest.approx(0.525)
    assert options.alpha.value(10_000_000) == pytest.approx(0.001)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "nosuch"}, "there is no game 'nosuch'"),
        ({"games": 0}, "option games=0"),
        ({"gmaes": 5}, "there is no 'gmaes' .did you mean games"),
        (
            {"learning": {"alfa": 1}},
            "'learning.alfa' .did you mean alpha.*are alpha, beta",
        ),
        ({"network": {}}, "at least one"),
        ({"network": {"tuples": []}}, "at least one"),
        ({"network": {"tuples": [{"cells": ["a1 z9"]}]}}, "no cell 'z9'"),
        ({"network": {"tuples": [{"cells": [3]}]}}, "expected texts"),
        ({"network": {"tuples": [{"kind": "line"}]}}, "walk, slide or points"),
        ({"network": 3}, "network: expected a section"),
        ({"learning": {"alpha": "fast"}}, "learning.alpha: expected a number"),
        ({"learning": {"epsilon": 1.5}}, "it is a probability"),
        ({"learning": {"alpha": {"kind": "exponential", "initial": 1}}}, "numbers above 0"),
        ({"learning": {"control": "adam"}}, "plain, tcl or tcl-exp"),
        ({"learning": {"cut": 5, "threads": 2}}, "are for one thread"),
        ({"measure": {"opponents": "perfect"}}, "expected a list"),
    ],
)
def test_mistakes_in_configurations(change, message, tmp_path):
    with pytest.raises(SpecError, match=message):
        ntuple_training(read_config({**SMALL, **change}), 1, tmp_path).run()


def test_files_of_configurations(tmp_path):
    path = tmp_path / "a.toml"
    for text in ("game = ", "\x00", "game = 3\n", "[[game]]\n"):
        path.write_text(text)
        with pytest.raises(SpecError, match=r"a\.toml"):
            load_config(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SpecError, match=r"a\.toml"):
        load_config(path)
    with pytest.raises(SpecError, match="No such file"):
        load_config(tmp_path / "b.toml")


# ---- learning ----
@pytest.mark.parametrize("name", ["tictactoe-9", "tictactoe-3"])
def test_tictactoe_is_learnt_perfectly(name, tmp_path):
    config = load_config(name)
    rows = ntuple_training(config, 1, tmp_path).run()
    assert [row.share for row in rows[-2:]] == [0.5, 0.5]
    # As the second player, too, if the tuple sees whose turn it is.
    if name == "tictactoe-3":
        return
    network, referee = load_network(tmp_path / "last.npz"), Referee(config.game)
    player, start = NTupleAgent.of(network), config.game.initial()
    points = [against_perfect(player.greedy, referee, start, seat=1, seed=s) for s in range(30)]
    assert points == [0.5] * 30


def test_resistance_of_the_perfect_player():
    game = sb.game("connect4")
    state = game.state("44536")  # x threatens g1
    referee = Referee(game)
    assert referee.last_losing(state, 0) == list(state.legal_moves)
    assert [state.text(move) for move in referee.last_losing(state, 4)] == ["g1"]


def test_updated_entries_of_tictactoe_grow_to_4520_and_never_beyond(tmp_path):
    written = {
        "game": "tictactoe",
        "games": 400_000,
        "network": {
            "symmetries": False,
            "table_per_player": False,
            "tuples": [{"cells": ["a1 b1 c1 a2 b2 c2 a3 b3 c3"]}],
        },
        "learning": {"alpha": 0.1, "epsilon": 0.5, "count_uses": True},
        "measure": {"every": 0, "games": 1},
    }
    config = read_config(written)
    network = config.make_network(1)
    trainer = _core.make_trainer(network._core, config.options(1), None)
    counts = []
    for first, end in ((0, 1000), (1000, 20_000), (20_000, 400_000)):
        trainer.train(first, end, 1, 600.0, _core.StopFlag())
        counts.append(network.usage(trainer.uses)[0])
    assert counts == sorted(counts)
    assert counts[-1] == 4520


def test_replacement_of_tuples(tmp_path):
    config = read_config({**SMALL, "replacement": {"every": 200, "share": 0.5, "games": 5}})
    training = ntuple_training(config, 1, tmp_path)
    before = training.network.tuples
    training.run()
    after = training.network.tuples
    assert len(set(before) & set(after)) < len(before)
    assert [len(cells) for cells in after] == [len(cells) for cells in before]
    assert load_network(tmp_path / "last.npz").tuples == after


def with_network(**settings):
    return read_config({**SMALL, "network": {**SMALL["network"], **settings}})


def test_first_weights_are_drawn_and_the_files_say_so(tmp_path):
    config = with_network(first_weights=0.25, squash=False)
    network = config.make_network(1)
    assert 0.24 < np.abs(network.weights).max() <= 0.25
    assert (network.weights == config.make_network(1).weights).all()
    assert (network.weights != config.make_network(2).weights).any()
    assert not small().make_network(1).weights.any()
    ntuple_training(config, 1, tmp_path).run()
    saved = load_network(tmp_path / "last.npz")
    assert not saved.squash
    assert saved.training["config"]["network"]["first_weights"] == 0.25
    assert saved.training["config"]["network"]["squash"] is False
    rows = ntuple_training(config, 1, tmp_path).run()  # a finished one goes on to nowhere
    assert rows[-1].games == config.games


def test_replaced_tuples_get_first_weights_as_well(tmp_path):
    written = {"every": 400, "share": 0.5, "games": 5}
    network = {**SMALL["network"], "first_weights": 0.25}
    config = read_config({**SMALL, "network": network, "replacement": written})
    training = ntuple_training(config, 1, tmp_path)
    training._train(400)
    training.games = 400
    before = training.network.tuples
    training._replace_tuples()
    for index, cells in enumerate(training.network.tuples):
        if cells != before[index]:
            assert training.network.table(index).all()
            return
    raise AssertionError("no tuple was replaced")


def test_options_that_came_later_do_not_change_what_older_trainings_are():
    network = small().facts()["network"]
    assert "squash" not in network
    assert "first_weights" not in network
    assert with_network(squash=False).facts()["network"]["squash"] is False
    assert small().dump()["network"]["squash"] is True


def test_weights_that_grow_beyond_all_numbers_end_a_training(tmp_path):
    config = read_config(
        {**SMALL, "network": {**SMALL["network"], "squash": False}, "learning": {"alpha": 100.0}}
    )
    with pytest.raises(SpecError, match=r"grew beyond all numbers .* smaller learning.alpha"):
        ntuple_training(config, 1, tmp_path).run()


@pytest.mark.parametrize("name", ["connect4", "reversi", "yavalath-3", "tictactoe-9", "chess"])
def test_two_threads_learn_the_same_as_one(name):
    config = load_config(name).with_games(60)
    networks = []
    for threads in (1, 2):
        network = config.make_network(1)
        trainer = _core.make_trainer(network._core, config.options(1), None)
        assert trainer.train(0, 60, threads, 1e9, _core.StopFlag()) == 60
        networks.append(network)
    assert networks[0].weights.any()
    assert (networks[0].weights == networks[1].weights).all()


def test_chess_learns_what_pieces_are_worth(tmp_path):
    cells = [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh"]
    written = {
        "game": "chess",
        "games": 10_000,
        "network": {"tuples": [{"cells": cells}]},
        "learning": {"alpha": 0.01, "lambda": 0.7},
        "measure": {"every": 0, "games": 20, "opponents": ["random"]},
    }
    rows = ntuple_training(read_config(written), 1, tmp_path).run()
    network = load_network(tmp_path / "last.npz")
    worths = np.mean([network.table(cell)[:, 0] for cell in range(64)], axis=0)
    bishop, rook, queen = worths[3:6]
    assert queen > rook > bishop > 0
    bishop, rook, queen = worths[9:12]
    assert queen < rook < bishop < 0
    assert rows[-1].share > 0.8


def test_games_without_contents_have_no_tuples(page_games):
    with pytest.raises(sb.SpecError, match="games whose cells have contents, such as connect4, no"):
        read_config({"game": "nim", "network": {"tuples": [{"length": 2}]}}).make_network(1)


def test_a_game_in_python_is_learnt(page_games, tmp_path):
    written = {
        "game": "pyhex:size=4",
        "games": 600,
        "network": {"tuples": [{"number": 12, "length": 5}]},
        "learning": {"alpha": 0.05, "control": "tcl-exp"},
        "measure": {"every": 0, "games": 40, "opponents": ["random"]},
    }
    rows = ntuple_training(read_config(written), 1, tmp_path).run()
    assert rows[-1].share > 0.7
    again = ntuple_training(read_config(written), 1, tmp_path / "again")
    again.run()
    ours, theirs = (load_network(folder / "last.npz") for folder in (tmp_path, tmp_path / "again"))
    assert np.array_equal(ours.weights, theirs.weights)
    state = sb.game("pyhex:size=4").initial()
    for spec in ("alphabeta:eval=ntuple:{}", "mcts:cut=0,eval=ntuple:{}", "ntuple:{}"):
        found = sb.agent(spec.format(tmp_path / "last.npz")).choose(state, sb.Budget(seconds=0.1))
        assert found.move in state.legal_moves


def test_games_in_python_are_trained_by_one_thread(page_games, tmp_path):
    written = {
        "game": "pyhex:size=4",
        "games": 10,
        "network": {"tuples": [{"number": 2, "length": 3}]},
        "measure": {"every": 0, "games": 2, "opponents": ["random"]},
    }
    with pytest.raises(sb.SpecError, match="threads=2: the game is written in Python"):
        ntuple_training(
            read_config(written).with_values({"learning.threads": 2}), 1, tmp_path
        ).run()


def test_three_players_learn(tmp_path):
    written = {
        "game": "yavalath:players=3",
        "games": 300,
        "network": {"tuples": [{"number": 4, "length": 4}]},
        "measure": {"every": 0, "games": 6, "opponents": ["random"]},
    }
    rows = ntuple_training(read_config(written), 1, tmp_path).run()
    assert rows[-1].wins + rows[-1].draws + rows[-1].losses == 6


# ---- resuming ----
def all_files(training):
    return [
        training.network.weights.tobytes(),
        training.trainer.changes.tobytes(),
        training.trainer.uses.tobytes(),
    ]


@pytest.mark.parametrize("learning", LEARNINGS)
def test_interrupted_training_goes_on_to_the_same_weights(learning, tmp_path):
    config = small(**learning)
    once = ntuple_training(config, 1, tmp_path / "once")
    rows = once.run()
    stops = iter([100, 350, 600])
    limit = next(stops)
    while True:
        part = ntuple_training(config, 1, tmp_path / "parts")
        while part.games < config.games and part.games < limit:
            part._train(min(part._next_event(), limit))
        if part.games == config.games:
            break
        part.save()
        limit = next(stops, config.games)
    assert all_files(part) == all_files(once)
    finished = ntuple_training(config, 1, tmp_path / "once")
    assert finished.run() == rows
    assert all_files(finished) == all_files(once)
    other = ntuple_training(config, 2, tmp_path / "other")
    other.run()
    assert all_files(other) != all_files(once)


def test_folders_of_other_trainings(tmp_path):
    ntuple_training(small(), 1, tmp_path).run()
    with pytest.raises(SpecError, match="another configuration"):
        ntuple_training(small(gamma=0.9), 1, tmp_path)
    path = tmp_path / "checkpoint.npz"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ModelError, match="damaged"):
        ntuple_training(small(), 1, tmp_path)
    path.write_bytes((tmp_path / "last.npz").read_bytes())
    with pytest.raises(ModelError, match=r"damaged|no checkpoint"):
        ntuple_training(small(), 1, tmp_path)


def test_log_and_summary(tmp_path):
    for run in (1, 2):
        ntuple_training(small(), run, tmp_path / f"run{run}").run()
    rows = read_log(tmp_path / "run1")
    assert [row.games for row in rows] == [300, 600, 900]
    points = write_summary(METHOD, tmp_path)
    assert [(point.step, point.runs) for point in points] == [(300, 2), (600, 2), (900, 2)]
    with (tmp_path / "summary.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 3
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    (tmp_path / "run1" / "log.csv").write_text("nonsense\n1\n")
    with pytest.raises(StoreError, match=r"log\.csv is damaged"):
        write_summary(METHOD, tmp_path)


# ---- the command ----
def test_train_command(cli, tmp_path):
    arguments = ["train", "ntuple", "tictactoe", "--config", "tictactoe-9", "--games", "5e2"]
    ran = cli(*arguments, "--runs", "2", "--out", str(tmp_path))
    assert ran.code == 0, ran
    assert "500 games, 2 runs" in ran.out
    assert {path.name for path in tmp_path.iterdir()} == {
        *("run1", "run2", "summary.csv", "curve.svg", "combined.npz")
    }
    start = sb.game("tictactoe").initial()
    paths = [tmp_path / "run1" / "best.npz", tmp_path / "run2" / "best.npz"]
    for path in paths:
        assert sb.agent(f"ntuple:{path}").choose(start).move in range(9)
    runs = [load_network(path) for path in paths]
    combined = load_network(tmp_path / "combined.npz")
    assert combined.tuples == runs[0].tuples
    assert combined.training["games"] == 1000
    mean = (runs[0].weights + runs[1].weights) * runs[0].k / 2
    assert np.allclose(combined.weights, mean, atol=1e-6)
    again = cli(*arguments, "--runs", "2", "--out", str(tmp_path))
    assert again.code == 0
    assert "s1-base" in cli("train", "ntuple", "connect4", "--config", "list").out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["tictactoe", "--config", "s1-base"], "is for connect4"),
        (["chess", "--config", "s1-base"], "is for connect4"),
        (["connect4", "--config", "nosuch"], "no configuration"),
        (["connect4", "--config", "s1-base", "--games", "many"], "whole number"),
        (["connect4", "--config", "s1-base", "--runs", "0"], "runs"),
        (["connect4", "--config", "/nowhere/a.toml"], "No such file"),
    ],
)
def test_mistakes_at_the_command(cli, arguments, word, tmp_path):
    ran = cli("train", "ntuple", *arguments, "--out", str(tmp_path / "out"))
    assert ran.code == 2
    assert word in ran.err
    assert ran.err.strip().splitlines()[-1].startswith("spielbaum: ")
    assert not (tmp_path / "out").exists()


def test_weights_do_not_depend_on_the_machine(tmp_path):
    """One number stands for all arithmetic of a training: it changes only on purpose."""
    config = small(**LEARNINGS[1])
    training = ntuple_training(config, 1, tmp_path)
    training.run()
    bits = training.network.weights.view(np.uint32)
    assert int(np.bitwise_xor.reduce(bits.reshape(-1))) == SIGNATURE


SIGNATURE = 2288236187
