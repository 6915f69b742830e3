"""The loop of AlphaZero's training: who plays, learns and judges when, without any processes.

Workers answer at once what a test says; the learner answers when it has been looked for a few
times, so that there is something to do meanwhile. Time passes only when nobody has an answer.
"""

import inspect
from collections import deque
from types import SimpleNamespace

import numpy as np
import pytest

import spielbaum as sb
from learning import runs_of
from spielbaum.arena.exams import Question
from spielbaum.base.errors import SpecError, WorkerError
from spielbaum.base.lock import is_running
from spielbaum.base.statistics import Score
from spielbaum.base.workers import Done, File, Lost, Note
from spielbaum.models.onnx_file import read_net
from spielbaum.train import run as one_run
from spielbaum.train.data.games_file import Memory, PlayedGame, Totals
from spielbaum.train.methods.alphazero import method as runs
from spielbaum.train.methods.alphazero.config import read_config
from spielbaum.train.methods.alphazero.learning import Trained, begin_learning, learn_on
from spielbaum.train.methods.alphazero.method import AlphaZero
from spielbaum.train.methods.alphazero.player import (
    Played,
    answer,
    find_questions,
    oppose,
    play_match,
    play_on,
)
from spielbaum.train.methods.alphazero.run_memory import net_path, read_memory
from spielbaum.train.nets.net_config import NetConfig
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.towers import make_net
from spielbaum.train.run_folder import read_status

GAME = PlayedGame(0, [4], (0.0, 0.0), [np.ones(9) / 9], [0.0], [True], [False])
"""Of one position."""
NEW = Totals(games=2, positions=2, evaluations=30, hits=4, seconds=0.5)
"""What a worker does at a time."""
NETWORK = {"kind": "dense", "blocks": 1, "width": 4}


def config(updates=2, **sections):
    values = {
        "game": "tictactoe",
        "recipe": "s4",
        "model_updates": updates,
        "network": NETWORK,
        "self_play": {"episodes": 8, "processes": 2, "memory_size": 1000},
        "retraining": {"starting_memory_size": 1},
        "evaluation": {"start_evaluation": 0, "eval_episodes": 4, "scoring_threshold": 1.0},
    }
    for name, changes in sections.items():
        values[name] = {**values[name], **changes}
    return read_config(values)


class Hands:
    """A pool without processes: what was given is answered at the next look."""

    pipes = ()

    def __init__(self, size, answers):
        self.size, self.answers = size, answers
        self.given, self.waiting, self.closed = [], {}, False
        self.started = size

    @property
    def open(self):
        return len(self.waiting)

    def give(self, function, *arguments):
        number = len(self.given)
        plain = [each.path if isinstance(each, File) else each for each in arguments]
        named = inspect.signature(function).bind(*plain).arguments
        self.given.append((function, SimpleNamespace(**named)))
        self.waiting[number] = self.given[-1]
        return number

    def events(self, seconds):
        assert seconds == 0.0
        return [self.event(number, *self.waiting.pop(number)) for number in list(self.waiting)]

    def event(self, number, function, task):
        found = self.answers(function, task)
        if found is None:
            self.started += 1
            return Lost(number, "death", "SIGKILL", Note(number, (), 0.0, is_late=False))
        return Done(number, found)

    def close(self):
        self.closed = True


class Learner(Hands):
    """Has a network at once, and trains the next when it is asked; it takes three looks."""

    patience = 3

    def __init__(self, content, trained=0):
        super().__init__(1, self.answer)
        self.content, self.generation = content, trained
        self.looks, self.dies = 0, False

    def write(self, number):
        path = net_path(self.folder, number)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(self.content)

    def told(self):
        number = self.generation
        losses = [(1.0 * number, 2.0, 3.0), (3.0 * number, 4.0, 5.0)] if number else []
        return Trained(number, 10 * number, losses, 1.25)

    def give(self, function, *arguments):
        self.looks = 0
        return super().give(function, *arguments)

    def events(self, seconds):
        began = any(function is begin_learning for function, _ in self.waiting.values())
        return super().events(seconds) if began or self.looks > self.patience else []

    def answer(self, function, task):
        if self.dies:
            return None
        if function is begin_learning:
            self.folder = task.folder
            for number in range(self.generation + 1):
                self.write(number)
        else:
            self.generation += 1
            self.write(self.generation)
        return self.told()

    @property
    def tasks(self):
        return [task for function, task in self.given if function is learn_on]


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A network, which stands for all of them."""
    path = tmp_path_factory.mktemp("net") / "a.onnx"
    game = sb.game("tictactoe")
    save_net(make_net(game, NetConfig(**NETWORK)), game, path, {"method": "alphazero", "by": "x"})
    return path.read_bytes()


class World:
    """All that a run meets: its workers, its learner, the time, and what they are told to do."""

    def __init__(self, folder, content):
        self.folder, self.content = folder, content
        self.now, self.hands, self.looks = 1000.0, [], 0
        self.matches = deque()
        self.asked = [Question(f"q{number}", 2, (0, 1), (1.0, 0.0)) for number in range(3)]
        self.against = Score(3, 1, 0)
        self.moves = (0,)
        self.trained = 0
        self.deaths = 0

    def pool(self, size, place=None, imports=None):
        if size == 1:
            self.learner = Learner(self.content, self.trained)
            return self.learner
        self.hands.append(Hands(size or 3, self.answer))
        return self.hands[-1]

    def monotonic(self):
        return self.now

    def wait(self, pools, seconds):
        self.looks += 1
        self.now += 1.0
        for pool in pools:
            pool.looks = getattr(pool, "looks", 0) + 1

    def answer(self, function, task):
        if self.deaths:
            self.deaths -= 1
            return None
        if function is play_on:
            return Played([GAME] * NEW.games, NEW)
        if function is play_match:
            return [float(self.matches[0][number]) for number in task.numbers]
        if function is find_questions:
            return self.asked
        if function is answer:
            return [self.moves[0] for _ in task.questions]
        assert function is oppose
        return Score(*(len(task.numbers) * each // 4 for each in (2, 1, 1)))

    def given(self, wanted):
        return [task for pool in self.hands for function, task in pool.given if function is wanted]

    @property
    def started(self):
        return sum(pool.started for pool in self.hands)


@pytest.fixture
def world(tmp_path, content, monkeypatch):
    made = World(tmp_path / "run", content)
    made.matches = deque([[1.0, 1.0, 0.0, -1.0]])
    monkeypatch.setattr(runs, "wait_for", made.wait)
    monkeypatch.setattr(runs, "Pool", made.pool)
    for module in (runs, one_run):
        monkeypatch.setattr(module, "time", made)

    def draw(self):
        made.plotted = self.desk.rows, self.state.losses, self.state.results

    monkeypatch.setattr(AlphaZero, "draw", draw)
    return made


def make(world, settings):
    """A run that answers what is known at its end, and reports how far it is."""
    made = runs_of("alphazero")(settings, world.folder)
    train = made.run

    def run(report=None):
        train(None if report is None else lambda now, lines: report(now))
        return made.method.state

    made.run = run
    return made


# ---- a whole training ----
def test_a_training_from_start_to_end(world):
    told = []
    run = make(world, config(updates=3))
    state = run.run(told.append)
    assert (state.generation, state.best) == (3, 3)
    assert [row.generation for row in state.rows] == [1, 2, 3]
    first = state.rows[0]
    assert (first.wins, first.draws, first.losses) == (2, 1, 1)
    assert (first.policy_loss, first.value_loss, first.regularisation_loss) == (2.0, 3.0, 4.0)
    assert first.loss == 9.0
    assert (first.steps, first.training_seconds) == (10, 1.2)
    assert state.losses[:3] == [(1, 1.0, 2.0, 3.0), (1, 3.0, 4.0, 5.0), (2, 2.0, 2.0, 3.0)]
    assert state.results == [("1", "0", 2, 1, 1), ("2", "1", 2, 1, 1), ("3", "2", 2, 1, 1)]
    assert (first.accuracy, first.shares) == (None, {})
    # Two workers with two games at a time: eight games are there after two rounds.
    assert (first.games, first.positions, first.evaluations, first.hits) == (8, 8, 120, 16)
    assert first.play_seconds == 2.0
    assert [row.games for row in state.rows] == [8, 16, 24]
    assert read_memory(world.folder) == state
    assert world.learner.closed
    assert all(pool.closed for pool in world.hands)
    assert not is_running(world.folder)
    status = read_status(world.folder)
    assert (status.activity, status.step, status.of, status.unit) == (
        *("finished", 3, 3),
        "generations",
    )
    facts = read_net(world.folder / "best.onnx").training
    assert (facts["by"], facts["games"]) == ("x", 24)
    assert facts["hours"] == round(state.rows[-1].seconds / 3600, 3)
    assert "accuracy" not in facts
    assert "training" in {each.activity for each in told}
    assert (told[-1].activity, told[-1].step) == ("finished", 3)
    assert [len(part) for part in world.plotted] == [3, 6, 3]


@pytest.mark.parametrize("losses", [[(1.0, 2.0, 3.0)], []])
def test_losses_are_means_of_however_many_there_are(world, losses, monkeypatch):
    monkeypatch.setattr(Learner, "told", lambda self: Trained(self.generation, 0, losses, 0.0))
    [row] = make(world, config(updates=1)).run().rows
    found = (row.policy_loss, row.value_loss, row.regularisation_loss)
    assert found == (losses[0] if losses else (0.0, 0.0, 0.0))


def test_a_finished_training_has_nothing_to_do(world):
    make(world, config()).run()
    given = len(world.given(play_on))
    again = make(world, config())
    state = again.run()
    assert (state.generation, len(world.given(play_on))) == (2, given)
    assert not is_running(world.folder)


def test_a_training_goes_on(world):
    make(world, config(updates=1)).run()
    seeds = {task.seed for task in world.given(play_on)}
    before = read_memory(world.folder).seconds
    assert before > 0
    world.now += 10_000.0  # nobody trains meanwhile
    world.trained = 1
    world.hands.clear()
    state = make(world, config(updates=2)).run()
    assert [row.generation for row in state.rows] == [1, 2]
    assert [row.games for row in state.rows] == [8, 16]
    assert before < state.seconds < before + 100
    # Another seed in every sitting, and for every task.
    again = {task.seed for task in world.given(play_on)}
    assert len(seeds) == len(again) == 4
    assert not seeds & again


def test_what_was_trained_but_not_judged_is_judged_first(world):
    world.trained = 1
    run = make(world, config(updates=1))
    state = run.run()
    assert (state.generation, len(state.rows)) == (1, 1)
    assert world.given(play_on) == []
    assert world.learner.tasks == []
    assert len(world.given(play_match)) == 2


def test_interrupted_trainings_keep_their_games(world):
    run = make(world, config(self_play={"episodes": 100}))

    def stop(now):
        if now.activity == "self-play" and now.counts["games"] >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.run(stop)
    assert read_status(world.folder).activity == "stopped"
    assert Memory(world.folder / "games", 1000).totals.games == 8
    assert all(pool.closed for pool in world.hands)
    assert not is_running(world.folder)


# ---- self-play ----
def test_workers_play_with_the_best_network(world):
    make(world, config(updates=2, self_play={"episodes": 40})).run()
    plays = world.given(play_on)
    assert {task.games for task in plays} == {40 // (2 * 2)}
    assert {task.seconds for task in plays} == {2.0}
    assert {task.net.name for task in plays} == {"00000.onnx", "00001.onnx"}


def test_a_worker_plays_one_game_at_least(world):
    make(world, config(self_play={"episodes": 2})).run()
    assert {task.games for task in world.given(play_on)} == {1}


@pytest.mark.parametrize(
    ("settings", "games"),
    [
        ({}, 8),
        ({"retraining": {"starting_memory_size": 30}}, 32),
        # What memory cannot hold cannot be waited for.
        ({"retraining": {"starting_memory_size": 30}, "self_play": {"memory_size": 13}}, 16),
        ({"self_play": {"episodes": 9}}, 12),
    ],
)
def test_training_begins_with_enough_games(world, settings, games):
    state = make(world, config(updates=1, **settings)).run()
    assert state.rows[0].games == games


def test_the_learner_gets_the_games(world):
    make(world, config(updates=2, retraining={"window_share": 0.5})).run()
    first, second = world.learner.tasks
    assert (first.new_positions, second.new_positions) == (8, 8)
    assert [path.name for path in first.files] == ["00000001.npz"]
    # Half of all sixteen: those of the second generation.
    assert [path.name for path in second.files] == ["00000002.npz"]


def test_the_whole_memory_is_learnt_unless_told_otherwise(world):
    make(world, config(updates=2)).run()
    assert [len(task.files) for task in world.learner.tasks] == [1, 2]


def test_games_that_are_too_old_are_forgotten(world):
    run = make(world, config(updates=3, self_play={"memory_size": 8}))
    run.run()
    assert [file.generation for file in run.method.memory.files] == [3]


def test_nobody_plays_while_the_network_is_trained(world):
    run = make(world, config(updates=1))
    run.run()
    assert len(world.given(play_on)) == 4
    assert run.method.memory.games_of(2) == 0


def test_with_overlap_games_of_the_next_generation_are_played_meanwhile(world):
    run = make(world, config(updates=2, retraining={"overlap": True}))
    state = run.run()
    # Three looks for the learner, four games in each, but not more than eight.
    assert run.method.memory.games_of(2) == 8
    assert run.method.memory.games_of(3) == 8
    assert [row.games for row in state.rows] == [16, 24]
    assert [task.new_positions for task in world.learner.tasks] == [8, 8]


def test_games_are_written_now_and_then(world, monkeypatch):
    times = []
    add = Memory.add

    def counted(self, games, generation, totals):
        times.append((world.now, len(games)))
        add(self, games, generation, totals)

    monkeypatch.setattr(Memory, "add", counted)
    make(world, config(updates=1, self_play={"episodes": 120, "memory_size": 5000})).run()
    assert [count for _, count in times] == [84, 36]  # 21 seconds with four games in each


# ---- who plays on ----
def test_the_best_network_stays_until_it_is_beaten(world, monkeypatch):
    results = iter([[1.0, -1.0, 0.0, 0.0], [1.0, 1.0, -1.0, 0.0], [1.0, 0.0, -1.0, -1.0]])
    judge = AlphaZero._judge

    def with_result(self, *arguments):
        world.matches[0] = next(results)
        return judge(self, *arguments)

    monkeypatch.setattr(AlphaZero, "_judge", with_result)
    state = make(world, config(updates=3)).run()
    assert [row.best for row in state.rows] == [0, 2, 2]
    assert [each[:2] for each in state.results] == [("1", "0"), ("2", "0"), ("3", "2")]
    opponents = {(task.first.name, task.second.name) for task in world.given(play_match)}
    assert opponents == {
        ("00001.onnx", "00000.onnx"),
        ("00002.onnx", "00000.onnx"),
        ("00003.onnx", "00002.onnx"),
    }


@pytest.mark.parametrize(
    ("gate", "threshold", "score", "passes"),
    [
        ("ratio", 1.5, Score(3, 5, 2), False),  # it must exceed it
        ("ratio", 1.5, Score(4, 0, 2), True),
        ("ratio", 1.5, Score(0, 9, 0), False),
        ("ratio", 1.5, Score(1, 0, 0), True),
        ("win_rate", 0.5, Score(1, 4, 1), False),
        ("win_rate", 0.5, Score(2, 3, 1), True),
        ("none", 0.5, Score(0, 0, 6), True),
    ],
)
def test_gates(world, gate, threshold, score, passes):
    run = make(world, config(evaluation={"gate": gate, "scoring_threshold": threshold}))
    assert run.method._passes(score) is passes
    run._lock.close()


def test_without_a_gate_the_newest_plays_on_and_meets_the_last_that_was_judged(world):
    world.matches[0] = [-1.0] * 4
    evaluation = {"gate": "none", "every": 2}
    state = make(world, config(updates=5, evaluation=evaluation)).run()
    assert [row.best for row in state.rows] == [1, 2, 3, 4, 5]
    assert [each[:2] for each in state.results] == [("2", "0"), ("4", "2"), ("5", "4")]
    assert [row.losses for row in state.rows] == [0, 4, 0, 4, 4]


def test_between_two_matches_the_best_stays(world):
    evaluation = {"every": 2, "start_evaluation": 1}
    state = make(world, config(updates=4, evaluation=evaluation)).run()
    # Until the first match the untrained network is the best one, as in S4.
    assert [row.best for row in state.rows] == [0, 2, 2, 4]
    assert [each[:2] for each in state.results] == [("2", "0"), ("4", "2")]


def test_until_the_first_match_the_newest_may_play(world):
    evaluation = {"every": 2, "start_evaluation": 1, "before_first_match": "newest"}
    state = make(world, config(updates=4, evaluation=evaluation)).run()
    assert [row.best for row in state.rows] == [1, 2, 2, 4]
    assert [each[:2] for each in state.results] == [("2", "1"), ("4", "2")]


def test_three_players_have_no_matches(world, monkeypatch):
    run = make(world, config(updates=1, evaluation={"gate": "none"}))
    run.desk.game = SimpleNamespace(num_players=3)
    state = run.run()
    assert (state.results, state.best) == ([], 1)


# ---- measurements ----
def test_answers_and_opponents(world):
    evaluation = {"positions": 3, "plies": [2, 6], "opponents": ["random"], "games": 8, "every": 2}
    state = make(world, config(updates=3, evaluation=evaluation)).run()
    assert [row.accuracy for row in state.rows] == [None, 1.0, 1.0]
    assert [row.shares for row in state.rows] == [{}, {"random": 0.625}, {"random": 0.625}]
    assert [len(task.questions) for task in world.given(answer)] == [2, 1, 2, 1]
    assert sorted(task.numbers for task in world.given(oppose))[::2] == [(0, 1, 2, 3), (4, 5, 6, 7)]
    assert read_net(world.folder / "best.onnx").training["accuracy"] == 1.0
    [asked] = world.given(find_questions)  # once for all generations
    assert (asked.number, asked.plies, asked.seed) == (50, range(2, 7), 1_000_003)


def test_mistakes_count_against_a_network(world):
    world.moves = (1,)
    state = make(world, config(updates=1, evaluation={"positions": 3, "plies": [2, 6]})).run()
    assert state.rows[0].accuracy == 0.0


def test_questions_are_all_different_and_not_too_many(world):
    world.asked = [Question(f"q{number}", 2, (0, 1), (1.0, 0.0)) for number in range(70)]
    run = make(world, config(updates=1, evaluation={"positions": 60, "plies": [2, 6]}))
    run.run()
    asked = world.given(find_questions)
    assert [task.seed for task in asked] == [1_000_003, 1_000_004]
    assert len(run.method._questions()) == 60
    assert len(world.given(find_questions)) == 2  # they are kept


def test_positions_without_mistakes_are_told(world):
    world.asked = []
    with pytest.raises(SpecError, match=r"plies = \[2, 6\]: there are no positions of tictactoe"):
        make(world, config(updates=1, evaluation={"positions": 3, "plies": [2, 6]})).run()


# ---- processes that die ----
def test_a_worker_that_dies_is_replaced_and_its_task_done(world):
    world.deaths = 3
    state = make(world, config(updates=1)).run()
    assert state.generation == 1
    assert world.started == 5
    # Whoever comes after a worker that died does not play its games again.
    seeds = [task.seed for task in world.given(play_on)]
    assert len(set(seeds)) == len(seeds)
    assert all(pool.closed for pool in world.hands)


def test_a_match_survives_the_death_of_workers(world, monkeypatch):
    match = AlphaZero._match

    def dying(self, *nets):
        world.deaths = 2
        return match(self, *nets)

    monkeypatch.setattr(AlphaZero, "_match", dying)
    state = make(world, config(updates=1)).run()
    assert (state.rows[0].wins, state.rows[0].draws, state.rows[0].losses) == (2, 1, 1)


def test_workers_that_die_again_and_again_are_told(world):
    world.deaths = 10**6
    with pytest.raises(WorkerError, match="end again and again"):
        make(world, config()).run()
    assert 2 + 20 <= world.started <= 2 + 22
    world.deaths = 20  # as many are bad luck
    assert make(world, config(updates=1)).run().generation == 1


def test_a_learner_that_dies_is_told(world):
    run = make(world, config())

    def kill(now):
        world.learner.dies = now.activity == "training"

    with pytest.raises(WorkerError, match="the process that trains the network ended"):
        run.run(kill)


def test_a_full_disk_is_told_and_not_what_comes_of_it(world, monkeypatch):
    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(Memory, "add", full)
    with pytest.raises(OSError, match="no space left"):
        make(world, config()).run()
    assert not is_running(world.folder)


# ---- progress ----
def test_progress(world):
    told = []
    make(world, config(updates=3)).run(told.append)
    assert {(each.of, each.unit) for each in told} == {(3, "generations")}
    assert list(dict.fromkeys(each.step for each in told)) == [0, 1, 2, 3]
    assert {each.activity for each in told} == {
        *("starting", "self-play", "training", "judging", "finished")
    }
    playing = [each for each in told if each.activity == "self-play" and each.step == 0]
    assert [each.counts["games"] for each in playing] == [4, 8]
    assert playing[-1].counts == {"games": 8, "positions": 8, "evaluations": 120}
    # Four games a second, once there are two moments to compare.
    assert playing[-1].rates["games"] == pytest.approx(4.0)
    assert playing[-1].rates["evaluations"] == pytest.approx(60.0)
    assert told[0].seconds_left is None
    assert told[-1].seconds_left == 0.0
