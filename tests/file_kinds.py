"""Every kind of file that Spielbaum reads: how one is made, and all that is done with it."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

import spielbaum as sb
from damage import (
    damage_archive,
    damage_book,
    damage_json,
    damage_onnx,
    damage_safetensors,
    damage_table,
)
from spielbaum.arena.exams import load_questions, make_questions, save_questions
from spielbaum.arena.executor import Workers
from spielbaum.arena.export import export, export_formats
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.ranking import to_markdown
from spielbaum.arena.runner import run_plan
from spielbaum.arena.standings import Standings
from spielbaum.arena.store import Store
from spielbaum.base.errors import MISTAKES
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.models.model_info import model_info
from spielbaum.models.ntuple import NTupleNetwork
from spielbaum.models.ntuple_file import load_network, save_network
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings
from spielbaum.solvers.book.build import build_book
from spielbaum.solvers.book.connect4 import Connect4Book
from spielbaum.solvers.cache import SolvedCache
from spielbaum.solvers.solver import Wanted
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.runs import Runs
from spielbaum.studio.services.services import Services
from spielbaum.studio.services.tournaments import NoSuchGame
from spielbaum.train.config import read_toml
from spielbaum.train.data.games_file import Memory, PlayedGame, Totals, positions_of, read_games
from spielbaum.train.data.imports import RecordFile
from spielbaum.train.data.recording import Recording, record
from spielbaum.train.method import method
from spielbaum.train.methods.alphazero import config as alphazero
from spielbaum.train.methods.alphazero.learner import Learner as AlphaZeroLearner
from spielbaum.train.methods.alphazero.run_memory import AlphaZeroRow, RunMemory, write_memory
from spielbaum.train.methods.dqn import config as dqn
from spielbaum.train.methods.imitation import config as imitation
from spielbaum.train.methods.ntuple.config import load_config
from spielbaum.train.methods.value import config as value
from spielbaum.train.nets.checkpoints import load_checkpoint, save_checkpoint
from spielbaum.train.nets.net_config import NetConfig
from spielbaum.train.nets.onnx_export import net_bytes
from spielbaum.train.nets.towers import make_net
from spielbaum.train.run import Run
from spielbaum.train.run_folder import read_curves, read_status
from spielbaum.train.run_list import find_runs

GAME = "tictactoe"
CACHED = Wanted(True, True, True)


@dataclass
class Kind:
    """A kind of file or folder: how one is made, damaged and used."""

    name: str
    make: Callable[[Path], None]
    """Write one that is in order to a path."""
    use: Callable[[Path], object]
    """Read it as the library does."""
    lie: Callable[[bytes, random.Random], bytes] | None = None
    """Content that is in order in form alone."""
    suffix: str = ""
    is_folder: bool = False
    is_store: bool = False


def use_store(path: Path) -> None:
    """All that is done with a file of games."""
    problems: list[BaseException] = []

    def attempt(work: Callable[[], object]) -> None:
        try:
            work()
        except MISTAKES as error:
            problems.append(error)
        except NoSuchGame:  # a documented answer, as in `spielbaum.studio.server.app`
            pass

    with Store(path) as store:
        for name in store.runs():
            attempt(lambda name=name: _use_run(store, name))
    settings = Settings(data=path.parent, workers=1)
    tournaments = Services.of(settings).tournaments
    tournaments.path = path
    for row in tournaments.all():
        json.dumps(row.model_dump(), allow_nan=False)
        attempt(lambda row=row: tournaments.view(row.name))
        attempt(lambda row=row: tournaments.games(row.name, 0, 100))
        attempt(lambda row=row: tournaments.game(row.name, 0))
    if problems:
        raise problems[0]


def _use_run(store: Store, name: str) -> None:
    run, plan = store.plan(name)
    store.done(run)
    standings = Standings(plan)
    standings.add_all(store.records(run))
    if standings.games:
        to_markdown(standings, "half")
    for form in ("csv", "json", "pgn", "sgf"):
        assert form in export_formats()
        b"".join(export(store.records(run), form))


# ---- files that are in order, and their use ----
def _random_games(count: int) -> list[PlayedGame]:
    games, rng = [], random.Random(1)
    for _ in range(count):
        state, played = sb.game(GAME).initial(), PlayedGame(0)
        while (outcome := state.outcome) is None:
            legal = state.legal_moves
            played.moves.append(rng.choice(legal))
            played.policies.append(np.full(len(legal), 1 / len(legal), np.float32))
            played.values.append(0.0)
            played.full.append(True)
            played.proven.append(False)
            state = state.play(played.moves[-1])
        played.rewards = outcome.rewards
        games.append(played)
    return games


def make_network(path: Path) -> None:
    network = NTupleNetwork(sb.game("connect4"), [[0, 1, 2, 3], [7, 14, 21]], bias=True, k=0.5)
    rng = np.random.default_rng(1)
    network.weights[:] = rng.normal(size=network.weights.shape)
    network.training = {"games": 7, "strength": [{"opponent": "perfect", "share": 0.5}]}
    save_network(network, path)


def _use_network(path: Path) -> None:
    model_info(path)
    network = load_network(path)
    network.value(network.game.initial())
    network.usage()
    agent = sb.agent(f"ntuple:{path}")
    agent.choose(sb.game("connect4").initial(), sb.Budget(depth=1))


def _net() -> Any:
    torch.manual_seed(1)
    return make_net(sb.game("connect4"), NetConfig(blocks=1, width=8))


def make_net_file(path: Path) -> None:
    net = _net().eval()
    path.write_bytes(net_bytes(net, sb.game("connect4"), {"games": 3}))


def use_net(path: Path) -> None:
    model_info(path)
    evaluator = NetEvaluator.load(path)
    evaluator.evaluate_states([evaluator.net.game.initial()] * 64)


def _optimizer(net: Any) -> torch.optim.Optimizer:
    return torch.optim.Adam(net.parameters())


def _make_checkpoint(path: Path) -> None:
    net = _net()
    optimizer = _optimizer(net)
    values, logits = net(torch.zeros(2, 3, 6, 7))
    (values.sum() + logits.sum()).backward()
    optimizer.step()
    save_checkpoint(path, net, optimizer, {"generation": 3, "rows": [[1, 2.0], [2, 3.0]]})


def _use_checkpoint(path: Path) -> None:
    net = _net()
    load_checkpoint(path, net, _optimizer(net))


def make_games(path: Path) -> None:
    memory = Memory(path.with_name("made"), 10**6)
    memory.add(_random_games(20), 1, Totals(games=20, positions=140, seconds=1.0))
    shutil.copy(memory.files[0].path, path)


def _use_games(path: Path) -> None:
    folder = path.with_name("damaged games")
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder / "00000001.npz")
    for file in Memory(folder, 10).files:
        for played in read_games(file.path):
            for _ in positions_of(played, sb.game(GAME)):
                pass


def _make_book(path: Path) -> None:
    build_book(sb.game("connect4:rows=4,columns=4"), 4, path, jobs=1, memory=1)


def _use_book(path: Path) -> None:
    book = Connect4Book.load(path)
    book.value(book.game.initial())
    book.moves(book.game.initial())


def _make_training(path: Path) -> None:
    _ntuple_run(path.with_name("made")).run()
    shutil.copy(path.with_name("made") / "checkpoint.npz", path)


def _use_training(path: Path) -> None:
    folder = path.with_name("run")
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder / "checkpoint.npz")
    _go_on(_ntuple_run(folder))


def _make_questions(path: Path) -> None:
    game = sb.game(GAME)
    path.write_text(save_questions(make_questions(game, 6, range(2, 6), seed=1), game))


def _use_questions(path: Path) -> None:
    for question in load_questions(path, sb.game(GAME)):
        question.keeps(question.moves[0])


def _use_config(path: Path) -> None:
    read_toml(path)
    load_config(path).make_network(1)


def _use_openings(path: Path) -> None:
    Openings.parse(f"file:{path}").states(sb.game(GAME), 4, 1)


def _make_pgn(path: Path) -> None:
    path.write_text('[Event "x"]\n[Result "1-0"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n')


def _make_cache(path: Path) -> None:
    game = sb.game("connect4:rows=4,columns=4")
    SolvedCache(path).put(game.initial(), CACHED, sb.solve(game.initial(), memory=1))


def _use_cache(path: Path) -> None:
    SolvedCache(path).get(sb.game("connect4:rows=4,columns=4").initial(), CACHED)


def _make_store(path: Path) -> None:
    players = tuple(Entrant(each, Limits(iterations=5)) for each in ("random", "uct", "perfect"))
    plan = Plan(GAME, players, games=2)
    with Store(path) as store:
        for name in ("first", "second"):
            for _ in run_plan(plan, Workers(1), store, name):
                pass
        store.set_note("facts", "some")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()


# ---- folders of trainings ----
def _go_on(run: Run[Any], *, prepare: bool = False) -> Any:
    """Go on with a training that is at its end: all of it is read, and nothing is trained."""
    try:
        run._begin(run.method)
        if prepare:
            run.method.prepare()
    finally:
        run._lock.close()
    return run.method


def _ntuple_run(folder: Path) -> Run[Any]:
    return Run(method("ntuple"), load_config("tictactoe-9").with_games(300), folder)


TINY_NET = {"kind": "dense", "blocks": 1, "width": 8}


def _look(folder: Path) -> list[Exception]:
    """What lists do with a folder; they may say that something is wrong, and never fail."""
    for info in find_runs(folder):
        assert len(info.progress.splitlines()) <= 1
    for run in (folder, folder / "run1"):
        read_status(run)
        read_curves(run)
    settings = Settings(data=folder.parent / "data", workers=1)
    place = settings.data / "trainings"
    place.mkdir(parents=True, exist_ok=True)
    link = place / "one"
    link.unlink(missing_ok=True)
    link.symlink_to(folder)
    trainings = _services(settings).trainings
    for row in trainings.all():
        json.dumps(row.model_dump(), allow_nan=False)
    return []


def _services(settings: Settings) -> Services:
    services = Services.of(settings)
    services.runs = Runs(settings)
    return services


def _ntuple_folder(folder: Path) -> None:
    _ntuple_run(folder / "run1").run()


def _use_ntuple_folder(folder: Path) -> None:
    _look(folder)
    _go_on(_ntuple_run(folder / "run1"))
    load_network(folder / "run1" / "best.npz")


def _dqn_config() -> dqn.DqnConfig:
    return dqn.read_config(
        {
            "game": GAME,
            "rounds": 1,
            "network": TINY_NET,
            "play": {"games": 4},
            "learning": {"steps": 2, "batch_size": 8, "memory_size": 500},
            "evaluation": {"every": 1, "games": 2, "opponents": ["random"]},
        }
    )


def _imitation_config(games: Path) -> imitation.ImitationConfig:
    return imitation.read_config(
        {
            "game": GAME,
            "rounds": 1,
            "games": [str(games)],
            "network": TINY_NET,
            "training": {"positions": 50, "batch_size": 16},
            "evaluation": {"every": 1, "games": 2, "simulations": 2, "opponents": ["random"]},
        }
    )


def _use_dqn_folder(folder: Path) -> None:
    _look(folder)
    _go_on(Run(method("dqn"), _dqn_config(), folder), prepare=True)


def _recorded(folder: Path) -> Path:
    games = folder / "recorded"
    if not games.exists():
        record(Recording(GAME, "random"), games, 100, processes=1)
    return games


def _imitation_folder(folder: Path) -> None:
    games = _recorded(folder.parent)
    Run(method("imitation"), _imitation_config(games), folder).run()


def _use_imitation_folder(folder: Path) -> None:
    _look(folder)
    config = _imitation_config(_recorded(folder.parent))
    _go_on(Run(method("imitation"), config, folder), prepare=True)


def _alphazero_config() -> alphazero.AlphaZeroConfig:
    return alphazero.read_config({"game": GAME, "model_updates": 1, "network": TINY_NET})


def _alphazero_folder(folder: Path) -> None:
    made = _go_on(Run(method("alphazero"), _alphazero_config(), folder))
    made.memory.add(_random_games(10), 1, Totals(games=10, positions=70))
    AlphaZeroLearner(_alphazero_config(), folder)
    row = AlphaZeroRow(
        1, 1, 60, 100, 900, 9000, 100, 50, 40, 8, 1.5, 1.2, 0.2, 0.1, 3, 2, 1, 0.5, {"a": 0.5}
    )
    write_memory(folder, RunMemory(1, 1, 60.0, [row], [("1", "0", 3, 2, 1)], [(1, 1.2, 0.2, 0.1)]))


def _use_alphazero_folder(folder: Path) -> None:
    _look(folder)
    config = _alphazero_config()
    for file in _go_on(Run(method("alphazero"), config, folder)).memory.files:
        read_games(file.path)
    AlphaZeroLearner(config, folder)


def _value_config() -> value.ValueConfig:
    return value.read_config(
        {
            "method": "value",
            "game": GAME,
            "games": {"number": 8, "agents": ["random"], "iterations": 1, "processes": 1},
            "positions": {"validation": 0.2},
            "network": TINY_NET,
            "training": {"epochs": 1, "batch_size": 8},
        }
    )


def _value_folder(folder: Path) -> None:
    Run(method("value"), _value_config(), folder).run()


def _use_value_folder(folder: Path) -> None:
    _look(folder)
    _go_on(Run(method("value"), _value_config(), folder), prepare=True)


FILES = (
    Kind("n-tuple network (.npz)", make_network, _use_network, damage_archive, ".npz"),
    Kind("network (.onnx)", make_net_file, use_net, damage_onnx, ".onnx"),
    Kind("checkpoint (.safetensors)", _make_checkpoint, _use_checkpoint, damage_safetensors),
    Kind("n-tuple checkpoint (.npz)", _make_training, _use_training, damage_archive, ".npz"),
    Kind("recorded games (.npz)", make_games, _use_games, damage_archive, ".npz"),
    Kind("opening book", _make_book, _use_book, damage_book),
    Kind(
        "solved questions (.json)",
        _make_questions,
        _use_questions,
        lambda data, rng: damage_json(data.decode(), rng),
    ),
    Kind(
        "configuration (.toml)",
        lambda path: shutil.copy(
            Path(alphazero.__file__).parents[1] / "ntuple/configs/connect4.toml", path
        ),
        _use_config,
        damage_table,
        ".toml",
    ),
    Kind("openings", lambda path: path.write_text("a1\nb2 a1 # x\n\nc3 a2\n"), _use_openings),
    Kind(
        "PGN",
        _make_pgn,
        lambda path: list(RecordFile(path, sb.game("chess"))),
        damage_table,
        ".pgn",
    ),
    Kind("cache of solved positions", _make_cache, _use_cache),
)
STORES = (
    Kind("store of games (.db)", _make_store, use_store, suffix=".db", is_store=True),
    Kind("training: n-tuple", _ntuple_folder, _use_ntuple_folder, is_folder=True),
    Kind(
        "training: DQN",
        lambda folder: Run(method("dqn"), _dqn_config(), folder).run(),
        _use_dqn_folder,
        is_folder=True,
    ),
    Kind("training: imitation", _imitation_folder, _use_imitation_folder, is_folder=True),
    Kind("training: AlphaZero", _alphazero_folder, _use_alphazero_folder, is_folder=True),
    Kind("training: value network", _value_folder, _use_value_folder, is_folder=True),
)
