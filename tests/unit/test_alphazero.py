"""The parts of AlphaZero: configurations, games on disk, lessons, self-play, learning, judging."""

import numpy as np
import pytest
import torch

import spielbaum as sb
from commands import assert_one_clear_line
from learning import runs_of
from spielbaum.arena.exams import load_questions, make_questions, save_questions, share_kept
from spielbaum.base.errors import ModelError, SpecError, StoreError
from spielbaum.base.lock import is_running
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.train.config import config_names, read_toml, write_toml
from spielbaum.train.data.games_file import RECORDED, Memory, PlayedGame, Totals, read_games
from spielbaum.train.data.lessons import lessons, lessons_of, returns
from spielbaum.train.data.recording import Recording, record
from spielbaum.train.methods.alphazero.config import CONFIGS, load_config, read_config
from spielbaum.train.methods.alphazero.judging import answers, match, searcher
from spielbaum.train.methods.alphazero.learner import Learner
from spielbaum.train.methods.alphazero.lesson_check import check_lessons
from spielbaum.train.methods.alphazero.method import shared_out
from spielbaum.train.methods.alphazero.run_memory import (
    AlphaZeroRow,
    RunMemory,
    net_path,
    read_memory,
)
from spielbaum.train.methods.alphazero.selfplay import SelfPlayer
from spielbaum.train.nets.checkpoints import read_header
from spielbaum.train.nets.net_config import NetConfig, shape_of
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.towers import make_net
from spielbaum.train.run_folder import CHECKPOINT

Run = runs_of("alphazero")

TINY = {
    "game": "tictactoe",
    "recipe": "modern",
    "model_updates": 2,
    "network": {"kind": "dense", "blocks": 1, "width": 16},
    "self_play": {"episodes": 8, "num_simulations": 8, "concurrent": 4, "processes": 1},
    "retraining": {"starting_memory_size": 20, "batch_size_1": 64, "batch_size_2": 32},
    "evaluation": {"every": 1, "eval_episodes": 2, "positions": 6, "plies": [2, 6]},
}


def tiny(**changes):
    return read_config({**TINY, **changes})


@pytest.fixture
def evaluator(tmp_path):
    torch.manual_seed(1)
    game = sb.game("tictactoe")
    save_net(make_net(game, NetConfig(blocks=1, width=8)), game, tmp_path / "net.onnx", {})
    return NetEvaluator.load(tmp_path / "net.onnx", cache=1000)


# ---- configurations ----
def test_every_configuration_of_the_package_is_in_order():
    for name in config_names(CONFIGS):
        config = load_config(name)
        written = write_toml(config.model_dump(mode="json"))
        assert read_config(read_toml_text(written)) == config
        assert config.dry().model_updates == 2


def read_toml_text(text):
    import tomllib

    return tomllib.loads(text)


def test_the_hyperparameters_of_s4():
    config = load_config("s4-chess")
    play, train, judge = config.self_play, config.retraining, config.evaluation
    assert config.model_updates == 20
    assert (play.episodes, play.num_simulations, play.memory_size) == (15, 50, 30_000)
    assert (play.turns_until_not_random, play.const) == (8, 3.5)
    assert (play.epsilon, play.alpha) == (0.2, 0.9)
    assert (train.starting_memory_size, train.batch_size_1, train.batch_size_2) == (2000, 1024, 256)
    assert (train.epochs, train.training_loops) == (2, 20)
    assert (train.reg_const, train.learning_rate) == (1e-5, 2e-5)
    assert (train.beta_1, train.beta_2, train.clip_norm) == (0.9, 0.999, 1.0)
    assert (judge.start_evaluation, judge.eval_episodes) == (4, 10)
    assert (judge.scoring_threshold, judge.gate) == (1.3, "ratio")
    # What a file does not say is as in S4, too.
    assert read_config({"game": "chess"}).self_play.const == 3.5


def test_s3s_configuration_is_that_of_the_document():
    config = load_config("s3-reversi")
    network = config.network
    assert config.rules().options["reward"] == "stones"
    assert (network.kind, network.blocks, network.width) == ("residual", 19, (256,))
    assert (network.policy, network.policy_width) == ("dense", 2)
    assert (network.value_width, network.value_hidden, network.target) == (1, (256,), "raw")
    assert (network.batch_norm, network.hidden_norm) == (True, False)
    assert (config.self_play.formula, config.self_play.const) == ("s3", 1.0)
    assert config.self_play.reuse
    assert (config.retraining.optimizer, config.retraining.beta_1) == ("sgd", 0.9)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"self_play": {"formula": "s5"}}, "self_play.formula = 's5'"),
        ({"game": "nosuch"}, "there is no game"),
        ({"recipe": "old"}, "recipe = 'old'"),
        ({"self_plai": {}}, "there is no 'self_plai' .did you mean self_play"),
        ({"self_play": {"episodes": "many"}}, r"self_play.episodes = 'many'"),
        ({"self_play": {"epsiode": 5}}, "there is no 'self_play.epsiode' .did you mean episodes"),
        ({"self_play": 5}, "self_play = 5"),
        ({"self_play": {"epsilon": 0.3}}, "noise of its own"),
        ({"network": {"policy": "none"}}, "needs a head for moves"),
        ({"network": {"encoding": "naive"}}, "has no encoding 'naive'"),
        ({"retraining": {"learning_rate": 0}}, "greater than 0"),
        (
            {"game": "yavalath:players=3", "recipe": "s4", "self_play": {}},
            "gate = 'ratio': expected 'none' with games of 3 players",
        ),
        ({"evaluation": {"gate": "ratio", "eval_episodes": 0}}, "with eval_episodes = 0"),
        ({"evaluation": {"gate": "win_rate"}}, "scoring_threshold = 1.3: expected a share below 1"),
        ({"evaluation": {"plies": [30, 4]}}, "the first ply, then the last"),
        ({"evaluation": {"opponents": ["utc"]}}, "evaluation.opponents: .*did you mean uct"),
    ],
)
def test_bad_configurations(changes, what):
    with pytest.raises(SpecError, match=what) as caught:
        tiny(**changes)
    assert len(str(caught.value).splitlines()) == 1


def test_bad_files(tmp_path, cli):
    path = tmp_path / "a.toml"
    path.write_text("game = [")
    assert_one_clear_line(cli("train", "alphazero", "tictactoe", "--config", str(path)))
    path.write_text("model_updates = 3")
    ran = cli("train", "alphazero", "tictactoe", "--config", str(path))
    assert_one_clear_line(ran, "game")
    ran = cli("train", "alphazero", "chess", "--config", "tictactoe")
    assert_one_clear_line(ran, "is for tictactoe, not for chess")
    assert "connect4" in cli("train", "alphazero", "chess", "--config", "list").out


# ---- games on disk ----
def some_games(evaluator, number=6):
    player = SelfPlayer(sb.game("tictactoe"), tiny().self_play, seed=3)
    player.use(evaluator)
    return player.play(number)


def test_games_come_back(evaluator, tmp_path):
    games = some_games(evaluator)
    memory = Memory(tmp_path / "games", 1000)
    memory.add(games, 1, Totals(games=len(games)))
    read = read_games(memory.files[0].path)
    for one, other in zip(games, read, strict=True):
        assert (one.moves, one.first, one.rewards) == (other.moves, other.first, other.rewards)
        assert (one.full, one.proven) == (other.full, other.proven)
        assert np.allclose(one.values, other.values)
        for policy, again in zip(one.policies, other.policies, strict=True):
            assert np.allclose(policy, again, atol=1e-3)
    again = Memory(tmp_path / "games", 1000)
    assert again.totals == memory.totals
    assert again.positions == memory.positions


def test_memory_forgets_the_oldest_that_were_learnt(tmp_path):
    game = PlayedGame(0, [4], (0.0, 0.0), [np.ones(9) / 9], [0.0], [True], [False])
    memory = Memory(tmp_path, 3)
    for generation in (1, 1, 2, 2, 3):
        memory.add([game], generation, Totals())
        memory.forget(generation)
    assert [each.generation for each in memory.files] == [2, 2, 3]
    assert len(list(tmp_path.glob("*.npz"))) == 3
    memory.add([game], 3, Totals())
    assert memory.files[-1].path.name == "00000006.npz"


def test_damaged_files_of_games(evaluator, tmp_path):
    memory = Memory(tmp_path / "games", 1000)
    memory.add(some_games(evaluator, 2), 1, Totals())
    path = memory.files[0].path
    content = path.read_bytes()
    path.write_bytes(content[:-30])
    with pytest.raises(ModelError, match="damaged"):
        Memory(tmp_path / "games", 1000)
    path.write_bytes(content)
    game = sb.game("connect4")
    with pytest.raises(ModelError, match="are not games of connect4"):
        lessons_of(path, game, shape_of(game, NetConfig()))


# ---- lessons ----
def test_lessons():
    game = sb.game("tictactoe")
    state, played = game.initial(), PlayedGame(1)
    for index, text in enumerate(["a1", "b1", "a2", "c1", "a3"]):
        if index >= played.first:
            count = len(state.legal_moves)
            played.policies.append(np.eye(count, dtype=np.float32)[index % count])
            played.values.append(0.5)
            played.full.append(index % 2 == 0)
            played.proven.append(index == 4)
        move = state.parse(text)
        played.moves.append(move)
        state = state.play(move)
    played.rewards = state.outcome.rewards
    found = lessons([played], game, shape_of(game, NetConfig()), search_share=0.5)
    assert len(found) == 4
    # The second player has lost; a quarter of hope came from the search. The last one is proven.
    assert found.values[:, 0].tolist() == [-0.25, 0.75, -0.25, 0.5]
    assert found.policy_weight.tolist() == [0, 1, 0, 1]
    assert (found.planes[0] == game.state("a1").planes()).all()
    assert found.actions[3].tolist() == [*game.state("a1 b1 a2 c1").legal_moves, -1, -1, -1]
    assert found.policy.sum(axis=1).tolist() == [1, 1, 1, 1]


def test_lessons_of_three_players():
    game = sb.game("yavalath:players=3")
    state, played = game.initial(), PlayedGame(0, rewards=(1.0, -0.5, -0.5))
    for _ in range(3):
        count = len(state.legal_moves)
        played.policies.append(np.full(count, 1 / count, np.float32))
        played.values.append(0.0)
        played.full.append(True)
        played.proven.append(False)
        played.moves.append(state.legal_moves[0])
        state = state.play(state.legal_moves[0])
    found = lessons([played], game, shape_of(game, NetConfig()))
    assert found.values.tolist() == [[1, -0.5, -0.5], [-0.5, -0.5, 1], [-0.5, 1, -0.5]]


# ---- self-play ----
@pytest.mark.parametrize("recipe", ["s4", "modern"])
def test_self_play(evaluator, recipe):
    config = read_config(
        {"game": "tictactoe", "recipe": recipe, "self_play": {"num_simulations": 12}}
    )
    player = SelfPlayer(config.rules(), config.self_play, seed=5)
    player.use(evaluator)
    games = player.play(20)
    for each in games:
        state = config.rules().initial()
        for ply, move in enumerate(each.moves):
            if ply >= each.first:
                policy = each.policies[ply - each.first]
                assert len(policy) == len(state.legal_moves)
                assert policy.sum() == pytest.approx(1.0, abs=1e-4)
            state = state.play(move)
        assert state.outcome.rewards == each.rewards
        assert len(each.moves) - each.first == len(each.values) == len(each.full)
    if recipe == "s4":
        assert all(all(each.full) and each.first == 0 for each in games)
    else:
        assert any(each.first > 0 for each in games)
        assert any(any(each.proven) for each in games)
        assert len({full for each in games for full in each.full}) == 2
    assert evaluator.hits > 0


def test_games_end_at_the_first_proof(evaluator):
    told = {"num_simulations": 64, "end_at_proof": True, "full_share": 1.0}
    config = read_config({"game": "tictactoe", "recipe": "modern", "self_play": told})
    player = SelfPlayer(config.rules(), config.self_play, seed=5)
    player.use(evaluator)
    games = player.play(20)
    ends = []
    for each in games:
        state = config.rules().initial()
        for move in each.moves:
            state = state.play(move)
        ends.append(state.outcome)
        assert not any(each.proven[:-1])
        if each.proven[-1]:
            mover = (len(each.moves) - 1) % 2
            assert each.rewards[mover] == each.values[-1]
    assert None in ends


def test_only_proofs_of_two_players_end_games():
    told = {"game": "tictactoe", "recipe": "modern"}
    with pytest.raises(SpecError, match="end_at_proof = true: expected solver = true and a game"):
        read_config({**told, "self_play": {"end_at_proof": True, "solver": False}})


def test_lambda_returns_of_three_players():
    """Each player's worth changes at his own turns alone."""
    played = PlayedGame(
        0, [1, 2, 3, 4], (1.0, -0.5, -0.5), [], [0.0, 0.5, -1.0, 0.5], [True] * 4,
        [False, False, True, False],
    )  # fmt: skip
    assert returns(played, [0, 1, 2, 0], 0.5) == [
        (0.375, 0.0, -1.0),
        (0.75, 0.0, -1.0),
        (0.75, -0.5, -1.0),
        (0.75, -0.5, -0.5),
    ]


def test_the_formula_is_that_of_every_search(evaluator):
    """Self-play, matches and questions spread their visits in another way by S3's."""
    # With a small constant: an untrained network likes all moves about equally.
    config = {"num_simulations": 60, "epsilon": 0.0, "turns_until_not_random": 0, "const": 0.05}
    policies, visits = {}, {}
    for formula in ("alphazero", "s3"):
        full = read_config({"game": "tictactoe", "self_play": {**config, "formula": formula}})
        player = SelfPlayer(full.rules(), full.self_play, seed=5)
        player.use(evaluator)
        policies[formula] = player.play(1)[0].policies[0]
        decision = searcher(full, evaluator).choose(
            full.rules().initial(), sb.Budget(iterations=60)
        )
        visits[formula] = [each.visits for each in decision.moves]
    assert not np.allclose(policies["alphazero"], policies["s3"])
    assert visits["alphazero"] != visits["s3"]


def test_games_go_on_with_another_network(evaluator):
    player = SelfPlayer(sb.game("tictactoe"), tiny().self_play, seed=3)
    player.use(evaluator)
    for _ in range(25):
        player.step()
    under_way = [table.state for table in player._hall.tables]
    player.use(evaluator)
    player.step()
    assert [table.state for table in player._hall.tables] == under_way
    assert len(player.play(4)) >= 4


# ---- learning and judging ----
def test_learner_goes_on_where_it_was(evaluator, tmp_path):
    config, folder = tiny(), tmp_path / "run"
    folder.mkdir()
    learner = Learner(config, folder)
    memory = Memory(folder / "games", 1000)
    memory.add(some_games(evaluator, 10), 1, Totals())
    files = [each.path for each in memory.files]
    losses = learner.train(files, memory.positions)
    assert losses[0].total > 0
    assert read_header(folder / CHECKPOINT)["generation"] == 1
    assert net_path(folder, 0).exists()
    assert net_path(folder, 1).exists()
    again = Learner(config, folder)
    assert (again.generation, again.steps) == (1, learner.steps)
    assert again.losses == losses
    assert again.train(files, memory.positions) == learner.train(files, memory.positions)


def test_judging(evaluator):
    config = tiny()
    questions = make_questions(config.rules(), 6, range(2, 7), seed=2)
    moves = answers(config, evaluator, questions)
    assert all(move in question.moves for move, question in zip(moves, questions, strict=True))
    assert 0 <= share_kept(questions, moves) <= 1
    rewards = match(config, evaluator, evaluator, range(4))
    assert len(rewards) == 4
    # The same network with swapped seats: what one gains, the other loses.
    assert rewards[0] == -rewards[1]


def test_questions_have_mistakes(tmp_path):
    game = sb.game("tictactoe")
    questions = make_questions(game, 10, range(1, 7), seed=4)
    assert len({question.notation for question in questions}) == 10
    for question in questions:
        state = game.state(question.notation)
        exact = {move.move: move.value for move in sb.solve(state).moves}
        assert dict(zip(question.moves, question.values, strict=True)) == exact
        assert not all(map(question.keeps, question.moves))
    assert questions == make_questions(game, 10, range(1, 7), seed=4)
    path = tmp_path / "questions.json"
    path.write_text(save_questions(questions, game))
    assert load_questions(path, game) == questions
    with pytest.raises(ModelError, match="no questions about connect4"):
        load_questions(path, sb.game("connect4"))


def test_work_is_shared_out():
    assert shared_out(range(10), 2) == [(0, 1, 2, 3, 4, 5), (6, 7, 8, 9)]
    assert shared_out(range(2), 8) == [(0, 1)]


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The folder of a whole training."""
    folder = tmp_path_factory.mktemp("runs") / "first"
    Run(tiny(), folder).run()
    return folder


def test_lessons_are_judged_by_the_solver(first, cli):
    *bands, everything = check_lessons(first, 60, simulations=(200,))
    assert sum(each.positions for each in bands) == everything.positions > 10
    assert everything.best["network"] < everything.best["200 simulations"]
    assert everything.mass["network"] < everything.mass["200 simulations"]
    assert everything.error["200 simulations"] < everything.error["network"]
    *_, by_search = check_lessons(first, 60, judge=400)
    assert by_search.best["lessons"] > 0.5
    ran = cli("lessons", str(first), "--positions", "20", "--simulations", "20")
    assert ran.code == 0, ran.err
    assert "Squared error of values:\n" in ran.out
    assert "20 simulations" in ran.out
    assert_one_clear_line(cli("lessons", "/nowhere"), "/nowhere: expected the folder of a training")


def test_a_training_begins_with_the_weights_of_another(first, tmp_path):
    second = tmp_path / "second"
    Run(tiny(model_updates=1), second, inputs={"weights": first / CHECKPOINT}).run()
    state = sb.game("tictactoe").state("b2 a1")
    value, other, begun = (
        NetEvaluator.load(path).evaluate_states([state])[0][0, 0]
        for path in (
            first / "nets" / "00002.onnx",
            first / "nets" / "00000.onnx",
            second / "nets" / "00000.onnx",
        )
    )
    assert begun == pytest.approx(value, abs=1e-6)
    assert begun != pytest.approx(other, abs=1e-6)
    wider = {**TINY["network"], "width": 24}
    with pytest.raises(ModelError, match="does not fit"):
        Run(tiny(network=wider), tmp_path / "third", inputs={"weights": first / CHECKPOINT}).run()
    with pytest.raises(ModelError, match="No such file"):
        Learner(tiny(), tmp_path / "fourth", tmp_path / "nowhere")


def test_a_training_begins_with_the_file_of_a_network(first, tmp_path):
    second = tmp_path / "second"
    Run(tiny(model_updates=1), second, inputs={"weights": first / "best.onnx"}).run()
    states = [sb.game("tictactoe").state(text) for text in ("", "b2 a1", "a1 b2 c3")]
    known, begun = (
        NetEvaluator.load(path).evaluate_states(states)
        for path in (first / "best.onnx", second / "nets" / "00000.onnx")
    )
    assert np.allclose(known[0], begun[0], atol=1e-5)
    assert np.allclose(known[1], begun[1], atol=1e-5)
    wider = {**TINY["network"], "width": 24}
    # The process that learns says so, as above; here without a process, which takes seconds.
    with pytest.raises(ModelError, match="does not fit"):
        Learner(tiny(network=wider), tmp_path / "third", first / "best.onnx")
    with pytest.raises(ModelError, match="No such file"):
        Learner(tiny(), tmp_path / "fourth", tmp_path / "nowhere.onnx")


def test_a_network_may_see_earlier_positions(tmp_path):
    config = tiny(network={**TINY["network"], "history": 2})
    rows = Run(config, tmp_path).run()
    assert rows[-1].generation == config.model_updates
    net = NetEvaluator.load(tmp_path / "best.onnx")
    assert net.history == 2
    agent = sb.agent(f"net:{tmp_path}/best.onnx")
    start = sb.game("tictactoe").state("b2 a1")
    assert len(agent.choose(start, sb.Budget(iterations=20)).moves) == 7


# ---- reports and folders ----
def test_tables_and_plots(tmp_path):
    numbers = (60.0, 100, 900, 9000, 100, 50.0, 40, 8.0, 1.5, 1.2, 0.2, 0.1, 3, 2, 1)
    rows = [AlphaZeroRow(g, g, *numbers, accuracy=0.8, shares={"uct": 0.5}) for g in (1, 2)]
    losses = [(1, 1.0, 0.5, 0.1), (2, 0.9, 0.4, 0.1)]
    results = [("1", "0", 30, 20, 10), ("2", "1", 30, 20, 10)]
    run = Run(tiny(), tmp_path)
    run.method.start()
    run.method.state = RunMemory(2, 2, 60.0, rows, results, losses)
    run.desk.rows = rows
    run._write()
    run.method.close()
    run._lock.close()
    lines = (tmp_path / "metrics.csv").read_text().splitlines()
    assert lines[0].endswith("accuracy,elo,share against uct")
    first, second = (float(line.split(",")[-2]) for line in lines[1:])
    assert 0 < first < second
    assert {path.name for path in tmp_path.glob("*.svg")} == {
        "losses.svg",
        "elo.svg",
        "accuracy.svg",
        "strength.svg",
    }


def test_a_memory_begins_with_recorded_games(tmp_path, cli):
    record(Recording("tictactoe", "random"), tmp_path / "games", 300, processes=1)
    source = Memory(tmp_path / "games", 1)
    inputs = {"games": tmp_path / "games"}
    run = Run(tiny(), tmp_path / "run", inputs=inputs)
    run.method.start()
    memory = run.method.memory
    assert memory.positions == source.positions
    assert memory.new_positions(RECORDED) == source.positions
    assert memory.totals == Totals()
    run.method.close()
    assert run.run()[-1].generation == 2
    assert run.method.memory.totals.games < 100  # of its own
    again = Run(tiny(model_updates=3), tmp_path / "run", inputs=inputs)
    again.method.start()
    again.method.close()
    assert again.method.memory.new_positions(RECORDED) <= source.positions  # not once more
    again._lock.close()
    few = Memory(tmp_path / "few", 10)
    few.take(tmp_path / "games")
    assert few.positions == source.files[-1].positions
    arguments = ["train", "alphazero", "connect4", "--config", "connect4", "--dry-run"]
    ran = cli(*arguments, "--games", str(tmp_path / "games"))
    assert_one_clear_line(ran, "has games of tictactoe, not of connect4")


def test_one_run_at_a_time(tmp_path, cli):
    run = Run(tiny(), tmp_path)
    assert is_running(tmp_path)
    with pytest.raises(SpecError, match="running already"):
        Run(tiny(), tmp_path)
    ran = cli("runs", str(tmp_path))
    assert "nothing done yet" in ran.out
    assert "running" in ran.out
    run._lock.close()
    assert not is_running(tmp_path)
    with pytest.raises(SpecError, match="another configuration"):
        Run(tiny(seed=5), tmp_path)
    Run(tiny(model_updates=9), tmp_path)._lock.close()  # longer is not another training
    assert read_config(read_toml(tmp_path / "config.toml")).model_updates == 9


def test_damaged_state(tmp_path):
    assert read_memory(tmp_path) == RunMemory()
    (tmp_path / "state.json").write_text('{"format": 3')
    with pytest.raises(StoreError, match=r"its state.json is damaged"):
        read_memory(tmp_path)


def test_no_runs(tmp_path, cli):
    assert "there are no trainings" in cli("runs", str(tmp_path)).out


def test_toml_comes_back(tmp_path):
    values = {"a": 1, "text": 'x "y" \\ z', "s": {"b": [1, 2], "c": False, "d": 1e-05}}
    path = tmp_path / "a.toml"
    path.write_text(write_toml(values))
    assert read_toml(path) == values
