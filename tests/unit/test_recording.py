"""Games of teachers and of PGN files on disk, and networks that imitate them."""

import os
import shutil
from dataclasses import asdict, replace

import numpy as np
import pytest

import spielbaum as sb
from commands import assert_one_clear_line
from spielbaum.errors import SpecError
from spielbaum.learn.alphazero.games_file import Memory, read_games
from spielbaum.learn.config_files import config_names
from spielbaum.learn.imitation.config import CONFIGS, load_config, read_config
from spielbaum.learn.imitation.run import Run
from spielbaum.learn.pgn import import_pgn
from spielbaum.learn.recording import Recorder, Recording, record, teacher_policy
from spielbaum.learn.run_list import find_runs

STOCKFISH = shutil.which("stockfish", path=f"{os.environ['PATH']}:/usr/games")
needs_stockfish = pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")


def games_of(folder):
    return [each for file in Memory(folder, 1).files for each in read_games(file.path)]


# ---- recording ----
def test_the_teachers_policy_is_in_the_order_of_legal_moves():
    state = sb.game("tictactoe").state("a1")
    decision = sb.agent("uct").choose(state, sb.Budget(iterations=200))
    policy = teacher_policy(decision, state)
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
    assert_one_clear_line(cli("record", "chess", "-o", str(tmp_path)), "an agent")
    assert_one_clear_line(
        cli("record", "connect4", "--pgn", "a.pgn", "-o", str(tmp_path)), "--pgn is for chess"
    )


@needs_stockfish
def test_several_lines_of_an_engine_are_a_policy():
    state = sb.game("chess").state("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    with_lines = sb.agent("uci", path=STOCKFISH, lines=3)
    decision = with_lines.choose(state, sb.Budget(nodes=500))
    with_lines.close()
    assert [each.move for each in decision.moves] == list(state.legal_moves)
    policy = teacher_policy(decision, state)
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
    ran = cli("record", "chess", "--pgn", str(path), "-o", str(out))
    assert ran.out.endswith("1 games with 3 positions\n")
    import_pgn([path], out)
    games = games_of(out)
    assert len(games) == 2
    assert games[0].values == [0.0] * 3
    assert [float(policy.max()) for policy in games[0].policies] == [1.0] * 3


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
    record(Recording("tictactoe", "perfect", opening=4), folder, 600, processes=1)
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
    assert (found.method, found.progress) == ("imitation", "round 8 of 8")
    assert "of moves" in found.strength
    agent = sb.agent(f"net:{tmp_path / 'whole' / 'best.onnx'}")
    agent.choose(sb.game("tictactoe").initial(), sb.Budget(iterations=10))


def test_a_run_that_was_interrupted_ends_as_one_that_was_not(tmp_path, perfect_games, monkeypatch):
    config = tiny(perfect_games)
    whole = Run(config, tmp_path / "whole").run()
    broken = Run(config, tmp_path / "broken")
    rounds, one = [], broken.round

    def dies(number):
        if number == 3:
            raise KeyboardInterrupt
        rounds.append(number)
        return one(number)

    monkeypatch.setattr(broken, "round", dies)
    with pytest.raises(KeyboardInterrupt):
        broken.run()
    again = Run(config, tmp_path / "broken").run()
    assert [{**asdict(row), "seconds": 0} for row in again] == [
        {**asdict(row), "seconds": 0} for row in whole
    ]


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
