"""Games of teachers and of PGN files on disk, and networks that imitate them."""

import os
import re
import shutil
from dataclasses import asdict, replace

import numpy as np
import pytest

import spielbaum as sb
from commands import assert_one_clear_line
from learning import arrays_of, runs_of
from spielbaum.base.arrays import UNFINISHED, write_arrays
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.base.lock import take_lock
from spielbaum.train.config import config_names, read_toml, write_toml
from spielbaum.train.data import imports
from spielbaum.train.data.games_file import Memory, Totals, positions_of, read_games, read_score
from spielbaum.train.data.imports import import_games
from spielbaum.train.data.lessons import lessons
from spielbaum.train.data.policy_target import policy_target
from spielbaum.train.data.recording import Recorder, Recording, record, recorded_score
from spielbaum.train.methods.alphazero import config as alphazero
from spielbaum.train.methods.dqn.config import Database
from spielbaum.train.methods.dqn.database import load_database
from spielbaum.train.methods.imitation.config import CONFIGS, load_config, read_config
from spielbaum.train.nets.net_config import NetConfig, shape_of
from spielbaum.train.run_list import find_runs

CHESS = sb.game("chess")
Run = runs_of("imitation")
AlphaZeroRun = runs_of("alphazero")

STOCKFISH = shutil.which("stockfish", path=f"{os.environ['PATH']}:/usr/games")
needs_stockfish = pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")


def games_of(folder):
    return [each for file in Memory(folder, 1).files for each in read_games(file.path)]


# ---- recording ----
def test_the_teachers_policy_is_in_the_order_of_legal_moves():
    state = sb.game("tictactoe").state("a1")
    decision = sb.agent("uct").choose(state, sb.Budget(iterations=200))
    policy = policy_target(decision, state)
    shares = {each.move: each.policy for each in decision.moves}
    assert policy.tolist() == pytest.approx([shares[move] for move in state.legal_moves])
    assert policy.sum() == pytest.approx(1.0)


def test_openings_noise_and_draws_make_games_different():
    calm = Recording("connect4", "alphabeta", "depth=2", opening=0, drawn=0, noise=0.0)
    assert len({tuple(Recorder(calm, seed).play().moves) for seed in range(3)}) == 1
    wild = replace(calm, noise=0.5)
    assert len({tuple(Recorder(wild, seed).play().moves) for seed in range(3)}) == 3
    opened = Recorder(replace(calm, opening=6), 1)
    games = [opened.play() for _ in range(10)]
    assert len({each.first for each in games}) > 2
    assert all(each.rewards in [(1, -1), (-1, 1), (0, 0)] for each in games)


def test_teachers_that_draw_lots_do_so_differently_in_every_process():
    calm = Recording("connect4", "random", opening=0, drawn=0, noise=0.0)
    games = {seed: tuple(Recorder(calm, seed).play().moves) for seed in (1, 2)}
    assert games[1] != games[2]
    assert tuple(Recorder(calm, 1).play().moves) == games[1]


def test_what_playouts_believe_is_not_proven():
    """Values of 1 are common in short games: those of a search without a solver are opinions."""
    game = sb.game("tictactoe")
    believing = Recorder(Recording("tictactoe", "uct:solver=off", "iterations=20"), 3)
    played = [believing.play() for _ in range(30)]
    assert 1.0 in [value for each in played for value in each.values]
    assert not any(proven for each in played for proven in each.proven)
    knowing = Recorder(Recording("tictactoe", "alphabeta", "depth=9"), 3)
    for each in [knowing.play() for _ in range(10)]:
        states = list(positions_of(each, game))[each.first :]
        for state, value, proven in zip(states, each.values, each.proven, strict=True):
            assert value == sb.solve(state).value
            assert proven or value == 0


def test_files_of_others_are_left_alone(tmp_path):
    (tmp_path / "thesis.new").write_text("mine")
    (tmp_path / "sub").mkdir()
    kept = tmp_path / "sub" / f"checkpoint{UNFINISHED}"
    kept.write_text("of another training")
    torn = tmp_path / f"00000001.npz{UNFINISHED}"
    torn.write_text("torn")
    record(Recording("tictactoe", "random"), tmp_path, 20, processes=1)
    assert (tmp_path / "thesis.new").exists()
    assert kept.exists()
    assert not torn.exists()


def test_one_writer_at_a_time(tmp_path):
    with take_lock(tmp_path), pytest.raises(SpecError, match="running already"):
        import_games([], tmp_path, CHESS)


def test_a_recording_goes_on_where_it_was(tmp_path):
    recording = Recording("tictactoe", "random")
    first = record(recording, tmp_path, 20, processes=1)
    more = first.positions + 1
    second = record(recording, tmp_path, more, processes=1)
    assert second.positions >= more
    assert sum(len(each.values) for each in games_of(tmp_path)) == second.positions
    assert record(recording, tmp_path, more, processes=1) == second
    with pytest.raises(SpecError, match="made in another way"):
        record(replace(recording, noise=0.5), tmp_path, 2 * more, processes=1)


def test_a_teacher_that_does_not_exist_is_told_at_once(cli, tmp_path):
    assert_one_clear_line(cli("record", "chess", "nosuch", "-o", str(tmp_path)), "nosuch")
    out = tmp_path / "games"
    assert_one_clear_line(
        cli("record", "tictactoe", "net:connect4", "-o", str(out)), "for connect4"
    )
    assert not out.exists()
    assert_one_clear_line(cli("record", "chess", "-o", str(tmp_path)), "an agent")
    assert_one_clear_line(
        cli("record", "chess", "random", "--from", "a.pgn", "-o", str(tmp_path)),
        "instead of an agent",
    )


@needs_stockfish
def test_several_lines_of_an_engine_are_a_policy():
    state = sb.game("chess").state("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    with_lines = sb.agent("uci", path=STOCKFISH, lines=3)
    decision = with_lines.choose(state, sb.Budget(nodes=500))
    with_lines.close()
    assert [each.move for each in decision.moves] == list(state.legal_moves)
    policy = policy_target(decision, state)
    assert state.text(state.legal_moves[int(np.argmax(policy))]) == "a1a8"
    assert policy.max() == 1.0  # it mates at once


@needs_stockfish
def test_games_of_stockfish(tmp_path):
    recording = Recording("chess", f"uci:path={STOCKFISH},lines=3", "nodes=20", max_plies=20)
    totals = record(recording, tmp_path, 12, processes=1)
    games = games_of(tmp_path)
    assert totals.games == len(games)
    assert all(np.allclose(policy.sum(), 1, atol=0.01) for policy in games[0].policies)


PGN = """[Result "1/2-1/2"]

1. e4 (1. d4 d5) e5 {a comment} 2. Nf3 1/2-1/2
"""


def test_pgn_as_games(cli, tmp_path):
    path, out = tmp_path / "a.pgn", tmp_path / "games"
    path.write_text(PGN, encoding="utf-8")
    ran = cli("record", "chess", "--from", str(path), "-o", str(out))
    assert ran.out.endswith("1 games with 3 positions\n")
    games = games_of(out)
    assert len(games) == 1
    assert games[0].values == [0.0] * 3
    assert [float(policy.max()) for policy in games[0].policies] == [1.0] * 3


UNREADABLE = """[Result "1-0"]

1. e4 e5 2. Nf3 2. Bc4 Nc6!) Nc6 3. Bb5 a6 $1 {good} 4. Ba4 Nf6! 1-0

"""


def test_games_that_cannot_be_read_do_not_take_the_others_with_them(cli, tmp_path):
    path, out = tmp_path / "a.pgn", tmp_path / "games"
    path.write_text(f"{PGN}\n{UNREADABLE}{PGN.replace('1/2-1/2', '*')}\n{PGN}", encoding="utf-8")
    ran = cli("record", "chess", "--from", str(path), "-o", str(out))
    assert "2 games read, 0 known already, " in ran.out
    assert int(re.search(r"(\d+) left out", ran.out)[1]) >= 2
    assert ran.err == ""
    path.write_bytes(bytes(range(256)) * 20)
    assert_one_clear_line(
        cli("record", "chess", "--from", str(path), "-o", str(out)), "no games in"
    )


def test_pgn_files_are_read_once(tmp_path, monkeypatch):
    path, out = tmp_path / "a.pgn", tmp_path / "games"
    path.write_text("\n".join([PGN] * 5), encoding="utf-8")
    monkeypatch.setattr(imports, "FILE_GAMES", 2)
    add = Memory.add
    written = []

    def dies(self, games, generation, totals):
        if len(written) == 1:
            raise KeyboardInterrupt
        written.append(len(games))
        add(self, games, generation, totals)

    with monkeypatch.context() as patched:
        patched.setattr(Memory, "add", dies)
        with pytest.raises(KeyboardInterrupt):
            import_games([path], out, CHESS)
    found = import_games([path], out, CHESS)
    assert (found.games, found.known, found.totals.games) == (3, 2, 5)
    assert len(games_of(out)) == 5
    found = import_games([path], out, CHESS)
    assert (found.games, found.known, found.totals.games) == (0, 5, 5)


def test_folders_have_games_of_one_game_and_no_trainings(cli, tmp_path, perfect_games):
    path, out = tmp_path / "a.pgn", tmp_path / "games"
    path.write_text(PGN, encoding="utf-8")
    record(Recording("tictactoe", "random"), out, 20, processes=1)
    with pytest.raises(SpecError, match="has games of tictactoe, not of chess"):
        import_games([path], out, CHESS)
    with pytest.raises(SpecError, match="has recorded games"):
        Run(tiny(perfect_games), out)
    import_games([path], tmp_path / "masters", CHESS)
    with pytest.raises(SpecError, match="has games of chess, not of tictactoe"):
        record(Recording("tictactoe", "random"), tmp_path / "masters", 20, processes=1)
    Run(tiny(perfect_games, rounds=1), tmp_path / "run").run()
    with pytest.raises(SpecError, match="has a training; give another folder"):
        record(Recording("tictactoe", "random"), tmp_path / "run", 20, processes=1)
    with pytest.raises(SpecError, match=r"another configuration \(seed = 1, here 5\)"):
        Run(tiny(perfect_games, seed=5), tmp_path / "run")
    with pytest.raises(SpecError, match="has a training of another kind"):
        AlphaZeroRun(alphazero.read_config({"game": "tictactoe"}), tmp_path / "run")


def test_a_recording_has_not_many_more_positions_than_were_wanted(tmp_path):
    totals = record(Recording("tictactoe", "random"), tmp_path, 50, processes=1)
    assert 50 <= totals.positions < 60


# ---- two agents ----
DUEL = Recording("tictactoe", "perfect", opponent="random", opening=0, drawn=0, noise=0.0)


def test_two_agents_alternate_and_each_chooses_its_own_moves():
    game, recorder = sb.game("tictactoe"), Recorder(DUEL, 4)
    games = [recorder.play() for _ in range(6)]
    assert [each.seat for each in games] == [0, 1, 0, 1, 0, 1]
    for each in games:
        # What the perfect player says is proven; what the random one says never is.
        whose = [each.agent_of(state.to_move) for state in positions_of(each, game)]
        assert each.proven == [agent == 0 for agent in whose]
        assert whose[0] == each.seat
        assert each.rewards[each.seat] >= 0  # nobody beats it
    assert {each.seat for each in [Recorder(DUEL, seed).play() for seed in (1, 2)]} == {0, 1}
    assert Recorder(replace(DUEL, opponent=""), 4).play().seat is None


def test_two_agents_have_limits_of_their_own():
    one, other = replace(DUEL, limits="depth=3/iterations=7").budgets()
    assert (one.depth, one.iterations) == (3, None)
    assert (other.depth, other.iterations) == (None, 7)
    assert [each.nodes for each in replace(DUEL, limits="nodes=5").budgets()] == [5, 5]
    seen = []
    recorder = Recorder(replace(DUEL, limits="depth=3/iterations=7"), 2)
    for agent in recorder._agents:
        choose = agent.choose
        agent.choose = lambda state, budget, choose=choose: (
            seen.append(budget.depth),
            choose(state, budget),
        )[1]
    played = recorder.play()
    assert seen == [
        3 if played.agent_of(ply % 2) == 0 else None for ply in range(len(played.moves))
    ]


def test_games_of_two_agents_on_disk(tmp_path):
    totals = record(DUEL, tmp_path, 60, processes=1)
    more = record(DUEL, tmp_path, totals.positions + 30, processes=1)
    assert more.positions >= totals.positions + 30
    games = games_of(tmp_path)
    assert {each.seat for each in games} == {0, 1}
    score = recorded_score(tmp_path)
    assert (score.games, score.losses) == (len(games), 0)
    assert score.wins == sum(each.rewards[each.seat] > 0 for each in games)
    # A memory that begins with them knows it, too.
    memory = Memory(tmp_path / "memory", 1000)
    memory.take(tmp_path)
    assert [each.seat for each in games_of(tmp_path / "memory")] == [each.seat for each in games]
    with pytest.raises(SpecError, match="made in another way"):
        record(replace(DUEL, opponent="uct"), tmp_path, 500, processes=1)


def test_files_and_folders_of_one_teacher_are_as_they_always_were(tmp_path):
    recording = Recording("tictactoe", "random")
    first = record(recording, tmp_path, 20, processes=1)
    path = Memory(tmp_path, 1).files[0].path
    header, arrays = arrays_of(path)
    assert "agents" not in header
    assert "seats" not in arrays
    assert {each.seat for each in games_of(tmp_path)} == {None}
    told = read_toml(tmp_path / "recording.toml")
    del told["opponent"]  # which earlier recordings do not name
    (tmp_path / "recording.toml").write_text(write_toml(told))
    assert record(recording, tmp_path, first.positions + 1, processes=1).games > first.games


@pytest.mark.parametrize("seats", [[2], [0, 1], [0.0], [[0]]])
def test_damaged_seats(tmp_path, seats):
    played = replace(Recorder(DUEL, 1).play(), seat=0)
    memory = Memory(tmp_path, 100)
    memory.add([played], 0, Totals(games=1))
    path = memory.files[0].path
    header, arrays = arrays_of(path)
    kind = np.int8 if isinstance(seats[0], int) else None
    written = {**arrays, "seats": np.array(seats, kind)}
    write_arrays(path, header, written, compress=True)
    for read in (read_games, read_score):
        with pytest.raises(ModelError, match="damaged"):
            read(path)


def test_command_with_two_agents(cli, tmp_path):
    out = tmp_path / "games"
    arguments = ["--opening", "0", "--noise", "0", "-j", "1", "--positions", "20", "-o", str(out)]
    limits = ["--limits", "depth=9/iterations=5"]
    ran = cli("record", "tictactoe", "alphabeta", "uct", *limits, *arguments)
    assert ran.code == 0, ran
    assert re.search(r"alphabeta against uct: \d+ won, \d+ drawn, \d+ lost\n$", ran.out)
    assert read_toml(out / "recording.toml")["opponent"] == "uct"
    other = ["--positions", "20", "-o", str(tmp_path / "other")]
    for agents, words in [
        (["uct", "uct", "uct"], "was given 3 agents: expected one or two"),
        (["uct", *limits], "--limits 'depth=9/iterations=5': expected limits of all agents"),
        (["uct", "nosuch"], "nosuch"),
    ]:
        assert_one_clear_line(cli("record", "tictactoe", *agents, *other), words)
    ran = cli("record", "yavalath:players=3", "random", "random", *other)
    assert_one_clear_line(ran, "is for 3 players: expected one agent")
    assert not (tmp_path / "other").exists()


def test_imitation_of_one_of_two_agents(cli, tmp_path):
    folder = tmp_path / "games"
    record(replace(DUEL, opening=2), folder, 300, processes=1)
    game = sb.game("tictactoe")
    counts = {"both": 0, "first": 0, "second": 0}
    for each in games_of(folder):
        for state in list(positions_of(each, game))[each.first :]:
            counts["both"] += 1
            counts["second" if each.agent_of(state.to_move) else "first"] += 1
    games = games_of(folder)
    shape = shape_of(game, NetConfig())
    assert {who: len(lessons(games, game, shape, learn=who)) for who in counts} == counts
    perfect = lessons(games, game, shape, learn="first")
    assert set(perfect.values.ravel().tolist()) <= {-1.0, 0.0, 1.0}

    def learnt(who):
        training = {"positions": 10_000, "batch_size": 32, "learn": who}
        config = tiny(folder, rounds=1, training=training, evaluation={"held_out": 1000})
        return Run(config, tmp_path / who).run()[-1].positions

    held = {who: len(lessons(games[:1], game, shape, learn=who)) for who in counts}
    for who in ("both", "first"):
        assert learnt(who) == counts[who] - held[who]
    arguments = ["train", "imitate", "tictactoe", "--config", str(tmp_path / "a.toml")]
    (tmp_path / "a.toml").write_text('game = "tictactoe"\n[network]\nkind = "dense"\nblocks = 1\n')
    ran = cli(*arguments, "--games", str(folder), "--learn", "nobody", "--dry-run")
    assert_one_clear_line(ran, "training.learn = 'nobody'", "first")
    ran = cli(
        *arguments,
        "--games",
        str(folder),
        "--learn",
        "second",
        "-o",
        str(tmp_path / "run"),
        "--rounds",
        "1",
    )
    assert ran.code == 0, ran
    assert read_toml(tmp_path / "run" / "config.toml")["training"]["learn"] == "second"


# ---- imitation ----
def tiny(folder, **changes):
    values = {
        "game": "tictactoe",
        "rounds": 3,
        "games": [str(folder)],
        "network": {"kind": "dense", "blocks": 1, "width": 32},
        "training": {"positions": 200, "batch_size": 32, "learning_rate": 0.01},
        "evaluation": {"every": 1, "held_out": 5, "opponents": ["random"], "games": 1},
    }
    return read_config({**values, **changes})


@pytest.fixture(scope="module")
def perfect_games(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    record(Recording("tictactoe", "perfect", opening=4), folder, 6000, processes=1)
    return folder


@pytest.mark.parametrize("name", config_names(CONFIGS))
def test_every_configuration_of_the_package_is_in_order(name):
    assert load_config(name).dry().rounds == 2


def test_imitation_learns(tmp_path, perfect_games):
    evaluation = {"every": 7, "held_out": 5}
    rows = Run(tiny(perfect_games, rounds=8, evaluation=evaluation), tmp_path / "whole").run()
    assert rows[-1].policy_loss < 0.8 * rows[0].policy_loss
    assert rows[-1].held_policy_loss is not None
    assert rows[-1].accuracy > 0.4
    (found,) = find_runs(tmp_path / "whole")
    assert (found.method, found.progress) == ("imitation", "8 of 8 rounds")
    assert "of moves" in found.strength
    agent = sb.agent(f"net:{tmp_path / 'whole' / 'best.onnx'}")
    agent.choose(sb.game("tictactoe").initial(), sb.Budget(iterations=10))


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_a_run_that_was_interrupted_ends_as_one_that_was_not(
    tmp_path, perfect_games, monkeypatch, dropout
):
    network = {"kind": "dense", "blocks": 1, "width": 32, "dropout": dropout}
    config = tiny(perfect_games, network=network)
    whole = Run(config, tmp_path / "whole").run()
    broken = Run(config, tmp_path / "broken")
    rounds, one = [], broken.method.round

    def dies(number):
        if number == 3:
            raise KeyboardInterrupt
        rounds.append(number)
        return one(number)

    monkeypatch.setattr(broken.method, "round", dies)
    with pytest.raises(KeyboardInterrupt):
        broken.run()
    again = Run(config, tmp_path / "broken").run()
    assert [{**asdict(row), "seconds": 0} for row in again] == [
        {**asdict(row), "seconds": 0} for row in whole
    ]


def test_one_in_so_many_games_is_held_out_however_small_files_are(tmp_path):
    recorder = Recorder(Recording("tictactoe", "random"), 1)
    memory = Memory(tmp_path / "games", 1)
    for number in range(30):
        game = recorder.play()
        memory.add([game], 0, Totals(number + 1, memory.totals.positions + len(game.values)))
    made = Run(tiny(tmp_path / "games"), tmp_path / "run")
    run = made.method
    run.start()
    files = run._files()
    held = [file.path for file in files if run._games(file, held_out=True)]
    learnt = [file.path for file in files if run._games(file, held_out=False)]
    assert len(held) == 6
    assert sorted([*held, *learnt]) == [file.path for file in files]
    run.prepare()
    assert len(run._held) == sum(file.positions for file in files if file.path in held)
    made._lock.close()


@pytest.mark.parametrize("other", ["connect4:columns=8", "connect4:inarow=5", "tictactoe"])
def test_games_of_another_board_are_refused(tmp_path, other):
    folder = tmp_path / "games"
    record(Recording("connect4", "random"), folder, 100, processes=1)
    config = tiny(folder, game=other)
    with pytest.raises(SpecError, match=f"has games of connect4, not of {other}"):
        Run(config, tmp_path / "run").run()
    with pytest.raises(SpecError, match=f"has games of connect4, not of {other}"):
        load_database(Database(games=(str(folder),)), sb.game(other))
    (folder / "recording.toml").unlink()
    if other != "connect4:inarow=5":  # whose games may be the same
        with pytest.raises(SpecError, match="not games of"):
            Run(config, tmp_path / "other").run()


def test_games_must_be_there(tmp_path):
    with pytest.raises(SpecError, match="give --games FOLDER"):
        Run(tiny(tmp_path, games=[]), tmp_path / "a").run()
    with pytest.raises(SpecError, match="there are no games"):
        Run(tiny(tmp_path / "nowhere"), tmp_path / "b").run()


def test_command(cli, tmp_path, perfect_games):
    config = tmp_path / "a.toml"
    config.write_text('game = "tictactoe"\n[network]\nkind = "dense"\nblocks = 1\n')
    arguments = ["train", "imitate", "tictactoe", "--config", str(config)]
    done = cli(*arguments, "--games", str(perfect_games), "--dry-run")
    assert done.code == 0, done
    assert "the dry run went well" in done.out
    assert "connect4" in cli("train", "imitate", "chess", "--config", "list").out
