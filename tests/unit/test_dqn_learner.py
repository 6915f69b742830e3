"""Deep Q-learning: which rows are learnt, by which sums, and what is written down."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from learning import NETWORK, TICTACTOE, runs_of, samples, weights_of
from spielbaum.models.onnx_file import read_net
from spielbaum.train.data.games_file import PlayedGame
from spielbaum.train.methods.dqn import learner as dqn_learner
from spielbaum.train.methods.dqn.config import read_config as dqn_config
from spielbaum.train.methods.dqn.replay import Replay
from spielbaum.train.nets.training import squared_weights
from spielbaum.train.run_folder import read_status

DqnRun = runs_of("dqn")

pytestmark = pytest.mark.usefixtures("one_thread")


def q_config(rounds=4, **sections):
    learning = {"steps": 2, "batch_size": 10, "target_every": 2, "learning_rate": 0.01}
    values = {"game": "tictactoe", "rounds": rounds, "network": NETWORK, "learning": learning}
    for name, changes in sections.items():
        values[name] = {**values.get(name, {}), **changes}
    return dqn_config(values)


def replay_of(learner, count):
    moves = list(TICTACTOE.state("a1 b1 a2 b2 a3").history)
    replay = Replay(TICTACTOE, learner.net.shape)
    replay.add([PlayedGame(0, moves, (1.0, -1.0))] * count)
    return replay


def learnt(monkeypatch, own, masters, number=1, **sections):
    """The rows of each step from both memories, and what the learner was told to do with them."""
    learner = dqn_learner.Learner(q_config(**sections))
    replay, database = replay_of(learner, own), replay_of(learner, masters)
    rows, seen = [], []

    def drawn(memory, chosen, rng):
        rows.append(("own" if memory is replay else "masters", chosen.tolist()))
        return len(chosen)

    def step(parts, masters):
        seen.append((parts, masters))
        return np.array([1.0, 2.0, 3.0]) * len(seen)

    monkeypatch.setattr(learner, "_drawn", drawn)
    monkeypatch.setattr(learner, "_step", step)
    errors = learner.learn(number, replay, database)
    return SimpleNamespace(learner=learner, rows=rows, seen=seen, errors=errors)


@pytest.mark.parametrize(
    ("own", "masters", "seen"),
    [
        (3, 0, ([10], 0)),
        (3, 3, ([7, 3], 3)),
        (0, 3, ([10], 10)),  # as long as nothing was played
    ],
)
def test_a_batch_has_its_share_of_masters(monkeypatch, own, masters, seen):
    found = learnt(monkeypatch, own, masters, database={"share": 0.3})
    assert found.seen == [seen, seen]
    assert found.learner.steps == 2
    # The means over both steps.
    assert (found.errors.q, found.errors.conservative, found.errors.regularisation) == (1.5, 3, 4.5)


def test_all_positions_are_drawn(monkeypatch):
    found = learnt(monkeypatch, 2, 2, learning={"steps": 60}, database={"share": 0.5})
    for name in ("own", "masters"):
        assert {row for kind, rows in found.rows if kind == name for row in rows} == set(range(10))


@pytest.mark.parametrize(("share", "low", "high"), [(0.0, 0.3, 0.5), (0.5, 0.6, 0.8), (1.0, 1, 1)])
def test_openings_are_drawn_more_often(monkeypatch, share, low, high):
    database = {"share": 1.0, "opening_share": share, "opening_plies": 2}
    found = learnt(monkeypatch, 0, 4, learning={"steps": 100}, database=database)
    early = [row % 5 < 2 for _, rows in found.rows for row in rows]
    assert low <= np.mean(early) <= high


def test_rounds_draw_different_rows_and_the_same_round_the_same(monkeypatch):
    first, again, other = (learnt(monkeypatch, 5, 0, number).rows for number in (1, 1, 2))
    assert first == again != other


def test_the_learning_rate_of_a_round(monkeypatch):
    rates = {"learning_rate": 0.1, "final_learning_rate": 0.02}
    for number, rate in ((1, 0.02 + 0.08 * 0.853553), (2, 0.06), (4, 0.02)):
        found = learnt(monkeypatch, 3, 0, number, learning=rates)
        assert found.learner._optimizer.param_groups[0]["lr"] == pytest.approx(rate, rel=1e-4)


def test_the_target_follows_after_so_many_steps():
    learner = dqn_learner.Learner(q_config(learning={"steps": 3, "target_every": 2}))
    first = weights_of(learner.net)
    assert (weights_of(learner._target) == first).all()
    replay, nothing = replay_of(learner, 5), Replay(TICTACTOE, learner.net.shape)
    learner.learn(1, replay, nothing)
    target = weights_of(learner._target)
    assert not (target == first).all()
    assert not (target == weights_of(learner.net)).all()  # one step was made since
    learner.learn(2, replay, nothing)  # the fourth and the sixth
    assert (weights_of(learner._target) == weights_of(learner.net)).all()
    assert learner.steps == 6


def test_dropout_of_a_round_does_not_depend_on_what_was_before():
    found = []
    for drawn in (0, 5):
        learner = dqn_learner.Learner(q_config(network={"dropout": 0.5}))
        torch.rand(drawn)
        learner.learn(1, replay_of(learner, 5), Replay(TICTACTOE, learner.net.shape))
        found.append(weights_of(learner.net))
    assert (found[0] == found[1]).all()


def one_step(masters=0, **sections):
    """A step with four transitions, and what it should have said."""
    learner = dqn_learner.Learner(q_config(**sections))
    with torch.no_grad():
        for each in learner._target.parameters():
            each.mul_(0.5)
    memory = replay_of(learner, 2)
    part = memory.take(np.array([0, 3, 4, 7]), n_step=1, discount=0.5, cut=False)
    before = weights_of(learner.net)
    with torch.no_grad():
        q = learner.net(torch.from_numpy(part.planes))[1].numpy()
        then = learner._target(torch.from_numpy(part.next_planes))[1].numpy()
    best = [row[moves[moves >= 0]].max() for row, moves in zip(then, part.next_legal, strict=True)]
    off = q[np.arange(4), part.actions] - (part.rewards + part.factors * np.array(best))
    squares = squared_weights(learner.net).item()
    own = memory.take(np.array([0]), n_step=1, discount=1.0, cut=False)
    said = learner._step([own, part] if masters else [part], masters)
    return SimpleNamespace(
        learner=learner, said=said, off=off, squares=squares, before=before, q=q, part=part
    )


SINGLE = {"double": False, "symmetries": False}


def test_the_error_of_q_values():
    found = one_step(learning=SINGLE)
    assert found.said == pytest.approx((np.mean(found.off**2), 0, 0), rel=1e-4)
    huber = one_step(learning={**SINGLE, "loss": "huber"})
    off = np.abs(huber.off)
    expected = np.mean(np.where(off <= 1, off**2 / 2, off - 0.5))
    assert huber.said[0] == pytest.approx(expected, rel=1e-4)


def test_weights_are_kept_small():
    found = one_step(learning={**SINGLE, "reg_const": 0.25})
    assert found.said[2] == pytest.approx(0.25 * found.squares, rel=1e-4)


def test_gradients_are_shortened():
    # Adam does not care for the length of gradients: with plain steps it shows.
    for clip in (0.01, 0.02):
        learner = dqn_learner.Learner(q_config(learning={**SINGLE, "clip_norm": clip}))
        learner._optimizer = torch.optim.SGD(learner.net.parameters(), 1.0)
        before = weights_of(learner.net)
        part = replay_of(learner, 1).take(np.array([4]), n_step=1, discount=1.0, cut=False)
        learner._step([part], 0)
        length = np.sqrt(((weights_of(learner.net) - before) ** 2).sum())
        assert length == pytest.approx(clip, rel=1e-2)


def test_masters_are_the_last_of_a_batch():
    database = {"conservative": 2.0, "temperature": 0.5}
    found = one_step(masters=4, learning=SINGLE, database=database)
    expected = []
    for q, moves, played in zip(found.q, found.part.legal, found.part.actions, strict=True):
        own = q[moves[moves >= 0]]
        expected.append(0.5 * np.log(np.exp(own / 0.5).sum()) - q[played])
    assert found.said[1] == pytest.approx(2.0 * np.mean(expected), rel=1e-4)


@pytest.mark.parametrize(
    ("which", "sections"),
    [
        (1, {"learning": SINGLE, "database": {"conservative": 50.0, "temperature": 0.5}}),
        (2, {"learning": {**SINGLE, "reg_const": 10.0}}),
    ],
)
def test_steps_lower_what_is_added_to_the_error(which, sections):
    learner = dqn_learner.Learner(q_config(**sections))
    part = replay_of(learner, 2).take(np.array([0, 3, 4, 7]), n_step=1, discount=0.5, cut=False)
    said = [learner._step([part], 4)[which] for _ in range(6)]
    assert said == sorted(said, reverse=True)
    assert said[-1] < 0.95 * said[0]


def test_many_positions_are_seen_in_parts(monkeypatch):
    learner = dqn_learner.Learner(q_config())
    planes = samples(7).planes.astype(np.float32)
    whole = learner.q_of_planes(planes)
    assert whole.shape == (7, 9)
    monkeypatch.setattr(dqn_learner, "TOGETHER", 3)
    assert np.allclose(learner.q_of_planes(planes), whole, atol=1e-6)
    assert not learner.net.training


def test_symmetries_are_an_option():
    assert dqn_learner.Learner(q_config())._symmetries is not None
    assert dqn_learner.Learner(q_config(learning=SINGLE))._symmetries is None


def test_checkpoints_of_q_learning(tmp_path):
    learner = dqn_learner.Learner(q_config())
    learner.learn(1, replay_of(learner, 4), Replay(TICTACTOE, learner.net.shape))
    learner.save(tmp_path / "a", {"round": 1})
    again = dqn_learner.Learner(q_config())
    assert not (weights_of(again.net) == weights_of(learner.net)).all()
    assert again.load(tmp_path / "a")["round"] == 1
    assert again.steps == 2
    for one, other in ((again.net, learner.net), (again._target, learner._target)):
        assert (weights_of(one) == weights_of(other)).all()
    learner.net.train()
    learner.export(tmp_path / "a.onnx", {"round": 3})
    told = read_net(tmp_path / "a.onnx").training
    assert (told["method"], told["steps"], told["round"]) == ("dqn", 2, 3)
    assert told["config"]["learning"]["steps"] == 2


def test_rows_of_q_learning_say_what_was_done(tmp_path):
    config = q_config(
        rounds=3,
        play={"games": 4, "epsilon": 1.0, "final_epsilon": 0.0, "epsilon_rounds": 2},
        evaluation={"every": 2, "games": 2, "opponents": ["random"], "opening": 1},
    )
    run = DqnRun(config, tmp_path)
    rows = run.run()
    assert [row.games for row in rows] == [4, 8, 12]
    assert [row.steps for row in rows] == [2, 4, 6]
    assert [row.epsilon for row in rows] == [1.0, 0.5, 0.0]
    assert [set(row.shares) for row in rows] == [set(), {"random"}, {"random"}]
    assert [row.positions for row in rows] == [
        sum(file.positions for file in run.method._memory.files[:number]) for number in (1, 2, 3)
    ]
    assert read_status(tmp_path).counts == {"games": 12, "steps": 6}
    assert len(run.method._replay) == rows[-1].positions
    last, best = (read_net(tmp_path / f"{name}.onnx").training for name in ("last", "best"))
    assert (last["round"], last["games"]) == (3, 12)
    assert "shares" not in last
    measured = [row for row in rows if row.shares]
    top = max(row.shares["random"] for row in measured)
    winner = [row for row in measured if row.shares["random"] == top][-1]
    assert (best["round"], best["shares"]) == (winner.round, winner.shares)
    assert (tmp_path / "metrics.csv").read_text().count("\n") == 4
    assert (tmp_path / "losses.svg").exists()
    assert (tmp_path / "strength.svg").exists()


def test_a_run_of_q_learning_that_goes_on_ends_as_one_that_was_not_interrupted(tmp_path):
    def run(rounds, folder):
        config = q_config(
            rounds=rounds,
            play={"games": 4, "epsilon": 1.0, "final_epsilon": 0.0, "epsilon_rounds": 3},
            learning={"final_learning_rate": 0.0},
            evaluation={"every": 2, "opponents": []},
        )
        made, told = DqnRun(config, tmp_path / folder), []
        return (
            made,
            [replace(row, seconds=0.0) for row in made.run(lambda now, lines: told.append(now))],
            told,
        )

    whole, rows, told = run(2, "whole")
    assert [row.epsilon for row in rows] == [1.0, 0.6667]
    phases = [each.activity for each in told]
    assert phases[-5:] == ["playing", "learning", "measuring", "measuring", "finished"]
    run(1, "broken")
    again, others, later = run(2, "broken")
    assert others == rows
    assert {each.step for each in later} == {1, 2}  # the first is not done again
    # The games of earlier sittings are remembered, and learnt again.
    assert len(again.method._replay) == len(whole.method._replay) == rows[-1].positions
    assert (weights_of(again.method.learner.net) == weights_of(whole.method.learner.net)).all()


def test_what_is_forgotten_on_disk_is_not_replayed(tmp_path):
    config = q_config(rounds=4, play={"games": 4}, learning={"memory_size": 30})
    run = DqnRun(config, tmp_path)
    run.run()
    assert len(run.method._replay) == run.method._memory.positions < 60


# ---- memory ----
def test_legal_moves_come_first_also_where_others_have_more_of_them():
    moves = list(TICTACTOE.state("a1 b1 a2 b2 a3").history)
    replay = replay_of(dqn_learner.Learner(q_config()), 0)
    replay.add([PlayedGame(3, moves, (1.0, -1.0)), PlayedGame(0, moves, (1.0, -1.0))])
    found = replay.take(np.array([0, 2]), n_step=1, discount=1.0, cut=False).legal
    later, first = TICTACTOE.state("a1 b1 a2").legal_moves, TICTACTOE.initial().legal_moves
    assert found.tolist() == [[*later, *[-1] * 3], list(first)]


def test_a_game_that_fits_does_not_copy_the_whole_memory():
    replay = replay_of(dqn_learner.Learner(q_config()), 1)
    planes, legal = replay._planes, replay._legal
    replay.add([PlayedGame(0, [4, 0, 8, 1], (0.0, 0.0))])
    assert replay._planes is planes
    assert replay._legal is legal


def test_memory_takes_at_most_twice_the_room_of_its_positions():
    replay = replay_of(dqn_learner.Learner(q_config()), 200)
    rooms = set()
    for _ in range(10):  # beyond the 1024 positions for which there is room at once
        replay.add([PlayedGame(0, [4, 0, 8, 1], (0.0, 0.0))])
        rooms.add(len(replay._planes) / len(replay))
    assert max(rooms) == 2


def test_seeds_and_threads():
    one, again, other = (
        dqn_learner.Learner(each)
        for each in (q_config(), q_config(), q_config(learning={"threads": 2}))
    )
    assert torch.get_num_threads() == 2
    assert (weights_of(one.net) == weights_of(again.net)).all()
    other = dqn_learner.Learner(q_config().model_copy(update={"seed": 9}))
    assert torch.get_num_threads() == 1
    assert not (weights_of(one.net) == weights_of(other.net)).all()
