"""The studio's server and networks: looking into them, and training them."""

from __future__ import annotations

import json
import math
import os
import signal
import time

import httpx
import numpy as np
import pytest
from websockets.sync.client import connect

import spielbaum as sb
from spielbaum.base.arrays import read_header
from spielbaum.models.ntuple import NTupleNetwork
from spielbaum.models.ntuple_file import load_network, save_network
from spielbaum.models.shipped import shipped_models
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.services import Services
from spielbaum.studio.services.trainings import _shorten
from spielbaum.train.method import methods
from spielbaum.train.methods.ntuple.config import SECTIONS, load_config
from spielbaum.train.run_folder import read_status
from studio_server import running

MODEL = "models/connect4.npz"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("learning")


@pytest.fixture(scope="module")
def server(data):
    with running(data, "--workers", "1") as started:
        yield started


@pytest.fixture
def client(server):
    with httpx.Client(base_url=f"{server.address}/api", timeout=90) as made:
        yield made


@pytest.fixture(scope="module")
def network():
    return load_network(shipped_models() / "connect4.npz")


def position(text="4453"):
    return {"game": "connect4", "start": text}


def test_models_are_listed_and_played_with_by_name(client, network):
    models = {model["name"]: model for model in client.get("/models").json()}
    assert models[MODEL]["game"] == "connect4"
    assert models[MODEL]["source"] == "shipped"
    assert models[MODEL]["games"] == network.training["games"]
    path = next(agent for agent in client.get("/agents").json() if agent["name"] == "ntuple")
    assert path["options"][0]["type"] == "model"
    asked = {"position": position(), "agent": f"ntuple:{MODEL}"}
    decision = client.post("/search", json=asked).json()
    state = sb.game("connect4").state("4453")
    values = network.move_values(state)
    assert {move["text"]: move["value"] for move in decision["moves"]} == pytest.approx(
        {state.text(move): value for move, value in values.items()}
    )
    checked = client.post("/agents/check", json={"agent": f"ntuple:path={MODEL}"}).json()
    assert checked["agent"] == f"ntuple:{MODEL}"


def test_a_network_is_shown_with_its_tuples(client, network):
    view = client.get("/ntuple", params={"model": MODEL}).json()
    assert [tuple(each["cells"]) for each in view["tuples"]] == list(network.tuples)
    assert sum(each["entries"] for each in view["tuples"]) == network.num_weights
    assert sum(each["trained"] for each in view["tuples"]) == np.count_nonzero(network.weights)
    assert view["symbols"] == list(".xo_")[: network.contents]
    assert view["columns"] == [
        {"viewer": None, "to_move": 0},
        {"viewer": None, "to_move": 1},
    ]


def test_what_tuples_add_makes_the_values(client, network):
    state = sb.game("connect4").state("4453")
    sums = client.post("/ntuple/position", json={"model": MODEL, "position": position()}).json()
    assert sums["value"] == pytest.approx(network.value(state))
    assert math.tanh(network.k * sums["total"]) == pytest.approx(sums["value"], abs=1e-5)
    assert sum(each["weight"] for each in sums["tuples"]) == pytest.approx(sums["total"])
    for move, each in zip(state.legal_moves, sums["moves"], strict=True):
        assert each["text"] == state.text(move)
        assert math.tanh(network.k * sum(each["weights"])) == pytest.approx(each["value"], abs=1e-5)
    # Every image of a tuple reads its cells where the symmetry puts them.
    images = client.get("/ntuple", params={"model": MODEL}).json()["images"]
    contents = state.cells
    for added, cells in zip(sums["tuples"], network.tuples, strict=True):
        for image, found in zip(images, added["contents"], strict=True):
            stones = [contents[image[cell]] for cell in cells]
            assert [each % 3 for each in found] == stones


def test_entries_are_found_by_contents_and_by_strength(client, network):
    top = client.get("/ntuple/strongest", params={"model": MODEL, "tuple": 3, "count": 5}).json()
    assert len(top) == 5
    largest = np.abs(network.table(3)).max()
    assert max(map(abs, top[0]["weights"])) == pytest.approx(largest)
    asked = {"model": MODEL, "tuple": 3, "contents": top[0]["contents"]}
    assert client.post("/ntuple/entry", json=asked).json() == top[0]
    assert top[0]["weights"][1] == pytest.approx(network.lookup(3, top[0]["contents"], to_move=1))


def test_three_players_have_a_weight_for_each(client, data):
    game = sb.game("yavalath:players=3")
    network = NTupleNetwork(game, [[0, 1, 2], [30]])
    network.weights[:] = np.random.Generator(np.random.PCG64(1)).normal(size=network.weights.shape)
    (data / "models").mkdir(exist_ok=True)
    save_network(network, data / "models" / "three.npz")
    view = client.get("/ntuple", params={"model": "models/three.npz"}).json()
    assert view["source"] == "own"
    assert len(view["columns"]) == 9
    asked = {"game": "yavalath:players=3", "start": "e5"}
    sums = client.post("/ntuple/position", json={"model": view["name"], "position": asked}).json()
    state = game.state("e5")
    for move, each in zip(state.legal_moves, sums["moves"], strict=True):
        assert math.tanh(sum(each["weights"])) == pytest.approx(
            network.move_values(state)[move], abs=1e-5
        )


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/ntuple?model=models/nosuch.npz", 404, "no model"),
        ("/ntuple?model=../../etc/passwd", 404, "no model"),
        ("/ntuple?model=/etc/passwd", 404, "no model"),
        ("/ntuple?model=models/../README.md", 404, "no model"),
        ("/ntuple?model=models/README.md", 404, "no model"),
        (f"/ntuple/strongest?model={MODEL}&tuple=99999", 400, "from 0 to"),
        ("/ntuple/tuples?config=../../../etc/passwd", 400, "no configuration"),
    ],
)
def test_what_is_not_there_gets_one_sentence(client, path, status, words):
    answer = client.get(path)
    assert answer.status_code == status
    assert words in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {"model": MODEL, "tuple": 0, "contents": [0, 1]},
        {"model": MODEL, "tuple": 0, "contents": [4] * 8},
        {"model": MODEL, "tuple": 99999, "contents": [0] * 8},
    ],
)
def test_entries_that_do_not_exist(client, body):
    assert client.post("/ntuple/entry", json=body).status_code == 400


def test_a_damaged_model_is_not_listed_and_gets_a_sentence(client, data):
    (data / "models").mkdir(exist_ok=True)
    (data / "models" / "broken.npz").write_bytes(b"PK nonsense")
    assert "models/broken.npz" not in [model["name"] for model in client.get("/models").json()]
    answer = client.get("/ntuple", params={"model": "models/broken.npz"})
    assert answer.status_code == 400
    assert str(data) not in answer.text


def test_a_position_of_another_game_is_refused(client):
    asked = {"model": MODEL, "position": {"game": "tictactoe"}}
    answer = client.post("/ntuple/position", json=asked)
    assert answer.status_code == 400
    assert "connect4" in answer.json()["detail"]


def test_drawn_tuples_become_a_configuration(client, data):
    asked = {
        "name": "by hand",
        "game": "connect4",
        "tuples": [[0, 1, 2, 3], [0, 7, 14]],
        "base": "s1-improved",
    }
    saved = client.post("/ntuple/configs", json=asked).json()
    config = load_config(data / "configs" / "by hand.toml")
    assert config.draw_tuples(1) == [(0, 1, 2, 3), (0, 7, 14)]
    assert config.alpha == load_config("s1-improved").alpha
    assert (data / "configs" / "by hand.toml").read_text() == saved["text"]
    assert client.post("/ntuple/configs", json=asked).status_code == 409
    changed = {**asked, "tuples": [[5, 6]], "overwrite": True}
    assert client.post("/ntuple/configs", json=changed).status_code == 201
    tuples = client.get("/ntuple/tuples", params={"config": "by hand"}).json()
    assert tuples["tuples"] == [[5, 6]]
    names = [each["name"] for each in client.get("/ntuple/configs").json()]
    assert names[0] == "by hand"
    assert "s1-base" in names


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "../up"},
        {"game": "nosuch"},
        {"tuples": [[42]]},
        {"tuples": [[1, 1]]},
        {"tuples": []},
        {"tuples": [[*range(40)]]},
        {"base": "../../etc/passwd"},
        {"base": "nosuch"},
    ],
)
def test_configurations_that_are_refused(client, changed):
    asked = {"name": "bad", "game": "connect4", "tuples": [[0, 1]], **changed}
    answer = client.post("/ntuple/configs", json=asked)
    assert answer.status_code in (400, 422)
    assert "\n" not in answer.json()["detail"]


# ---- trainings ----
QUICK = {"measure.games": 4, "measure.every": 1000}


def wait_for_training(client, name, condition, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        view = client.get(f"/trainings/{name}").json()
        if condition(view):
            return view
        time.sleep(0.3)
    raise AssertionError(view)


def test_a_training_runs_to_its_end_and_can_be_played_against(client, server, data):
    asked = {"name": "first one", "config": "tictactoe-9", "values": {**QUICK, "games": 3000}}
    with connect(f"{server.socket_address}", origin=server.address) as socket:
        socket.send(json.dumps({"type": "watch", "run": "training/first one"}))
        view = client.post("/trainings", json=asked).json()
        assert view["status"] in ("running", "done")
        while (message := json.loads(socket.recv(timeout=60)))["type"] != "run":
            pass
        assert message == {"type": "run", "kind": "training", "name": "first one"}
    view = wait_for_training(client, "first one", lambda view: view["status"] == "done")
    assert (view["step"], view["of"], view["game"]) == (3000, 3000, "tictactoe")
    curves = {(curve["column"], curve["label"]): curve["points"] for curve in view["curves"]}
    assert [x for x, _ in curves["share", "perfect"]] == [1000, 2000, 3000]
    assert view["latest"] == curves["share", "perfect"][-1][1]
    assert all(rate > 0 for _, rate in curves["games per second", ""])
    assert "count_uses = true" in view["config"]
    names = [model["name"] for model in view["models"]]
    assert names == [f"trainings/first one/run1/{each}.npz" for each in ("best", "last")]
    asked = {"position": {"game": "tictactoe"}, "agent": f"ntuple:{names[0]}"}
    assert len(client.post("/search", json=asked).json()["moves"]) == 9
    assert client.get("/trainings").json()[0]["name"] == "first one"
    network = load_network(data / "trainings" / "first one" / "run1" / "last.npz")
    assert network.training["games"] == 3000


TINY_NETS = {
    "alphazero": {
        "model_updates": 2,
        "self_play.episodes": 8,
        "self_play.num_simulations": 8,
        "self_play.processes": 1,
        "retraining.starting_memory_size": 1,
        "evaluation.every": 1,
        "evaluation.positions": 20,
        "evaluation.plies": "0, 6",
        "evaluation.opponents": "random\nuct:c=0.9",
        "evaluation.games": 2,
    },
    "value": {"games.number": 12, "games.iterations": 20, "training.epochs": 2},
    "dqn": {"rounds": 2, "play.games": 4, "learning.steps": 2, "evaluation.games": 2},
}


@pytest.mark.parametrize("kind", TINY_NETS)
def test_networks_of_every_kind_are_trained_and_played_against(client, kind):
    name = f"a {kind}"
    asked = {"name": name, "kind": kind, "config": "tictactoe", "values": TINY_NETS[kind]}
    client.post("/trainings", json=asked).raise_for_status()
    view = wait_for_training(client, name, lambda view: view["status"] != "running")
    assert (view["status"], view["problem"]) == ("done", "")
    assert view["step"] == view["of"] == 2
    assert any("loss" in curve["column"] or "mse" in curve["column"] for curve in view["curves"])
    models = [model["name"] for model in view["models"]]
    assert f"trainings/{name}/run1/best.onnx" in models
    asked = {
        "position": {"game": "tictactoe"},
        "agent": f"net:{models[0]}",
        "limits": {"iterations": 20},
    }
    assert len(client.post("/search", json=asked).json()["moves"]) == 9


def test_the_form_of_a_network_has_lists_as_texts_and_limits_of_the_server(client):
    asked = {"kind": "alphazero", "config": "connect4"}
    form = client.get("/training-form", params=asked).json()
    fields = {
        f"{section['name']}.{each['name']}".lstrip("."): each
        for section in form["sections"]
        for each in section["fields"]
    }
    assert fields["evaluation.plies"]["value"] == "4, 30"
    assert fields["evaluation.opponents"]["type"] == "lines"
    assert fields["network.kind"]["choices"] == ["dense", "conv", "residual"]
    assert fields["self_play.processes"]["high"] >= fields["self_play.processes"]["value"] >= 1
    assert "Iterations" in fields["self_play.num_simulations"]["help"]
    assert "recipe" not in fields


def test_a_training_stops_with_a_checkpoint_and_goes_on(client, data):
    asked = {
        "name": "long",
        "config": "connect4",
        "values": {"network.tuples": "walk 4 x 4\na1 b1 c1", "games": 10**9, "measure.every": 0},
    }
    client.post("/trainings", json=asked).raise_for_status()
    wait_for_training(client, "long", lambda view: view["step"] > 0)
    again = client.post("/trainings", json={**asked, "name": "another"})
    assert again.status_code == 409
    assert "trainings" in again.json()["detail"]
    assert not (data / "trainings" / "another").exists()
    stopped = client.post("/trainings/long/stop").json()
    assert stopped["status"] == "stopped"
    assert stopped["problem"] == ""
    assert stopped["activity"] == "stopped"
    assert stopped["step"] > 0
    folder = data / "trainings" / "long" / "run1"
    header = read_header(folder / "checkpoint.npz")
    assert header["games"] == stopped["step"]
    assert len(header["network"]["tuples"]) == 5
    client.post("/trainings/long/start").raise_for_status()
    wait_for_training(client, "long", lambda view: view["step"] > stopped["step"])
    assert client.post("/trainings/long/start").status_code == 409
    assert client.post("/trainings/long/stop").json()["step"] > stopped["step"]
    assert client.post("/trainings/long/stop").status_code == 409


def test_the_form_of_a_configuration_has_every_declared_option(client):
    kinds = client.get("/training-kinds").json()
    assert [kind["name"] for kind in kinds] == [
        "ntuple",
        *(name for name in methods() if name != "ntuple"),
    ]
    assert all(set(kind["titles"]) == {"en", "de"} for kind in kinds)
    assert all(kind["configs"] for kind in kinds)
    assert {"connect4", "s1-base", "reversi"} <= {each["name"] for each in kinds[0]["configs"]}
    form = client.get("/training-form", params={"config": "s1-base"}).json()
    sections = {section["name"]: section["fields"] for section in form["sections"]}
    values = {
        f"{name}.{each['name']}".lstrip("."): each["value"]
        for name, fields in sections.items()
        for each in fields
    }
    assert values["game"] == "connect4"
    assert values["network.tuples"] == "walk 70 x 8"
    assert values["measure.opponents"] == "perfect-resisting\nperfect"
    assert values["learning.epsilon.kind"] == "sigmoid"
    assert values["learning.epsilon.at"] == 2e6
    for name, options in SECTIONS.items():
        declared = {option.name for option in options}
        assert declared <= {each["name"] for each in sections[name]}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"config": "nosuch"}, "no configuration"),
        ({"config": "../../etc/passwd"}, "no configuration"),
        ({"kind": "nosuch"}, "kind of training"),
        ({"values": {"nosuch": 1}}, "no option"),
        ({"values": {"learning.alpha": 1}}, "no option"),
        ({"values": {"written.game": 1}}, "no option"),
        ({"values": {"games": 0}}, "games"),
        ({"values": {"games": "many"}}, "games"),
        ({"values": {"network.tuples": ""}}, "tuples"),
        ({"values": {"network.tuples": "z9 a1"}}, "z9"),
        ({"values": {"network.tuples": "walk 9000 x 12"}}, "MB"),
        ({"values": {"network.tuples": "walk 1 x 60"}}, "MB"),
        ({"values": {"learning.threads": 200}}, "threads"),
        ({"values": {"measure.opponents": "uci:path=/bin/sh"}}, "data folder"),
        ({"values": {"measure.opponents": "perfect\nnosuch"}}, "nosuch"),
        ({"values": {"game": "chess"}}, "chess"),
        ({"values": {"learning.epsilon.initial": 2.0}}, "probability"),
        ({"kind": "alphazero", "config": "nosuch"}, "no configuration"),
        ({"kind": "alphazero", "values": {"recipe": "s4"}}, "no option"),
        ({"kind": "alphazero", "values": {"self_play": 1}}, "no option"),
        ({"kind": "alphazero", "values": {"self_play.processes": 900}}, "on this server"),
        ({"kind": "alphazero", "values": {"self_play.memory_size": 10**8}}, "on this server"),
        ({"kind": "alphazero", "values": {"self_play.episodes": "x"}}, "episodes"),
        ({"kind": "alphazero", "values": {"evaluation.plies": "1, x"}}, "plies"),
        ({"kind": "alphazero", "values": {"evaluation.opponents": "uci:path=/bin/sh"}}, "folder"),
        ({"kind": "alphazero", "values": {"network.encoding": "nosuch"}}, "encoding"),
        ({"kind": "alphazero", "values": {"game": "nosuch"}}, "nosuch"),
        ({"kind": "value", "values": {"games.openings": "file:/etc/passwd"}}, "openings"),
        ({"kind": "value", "values": {"games.agents": "nosuch"}}, "nosuch"),
        ({"kind": "dqn", "config": "chess"}, "no configuration"),
        (
            {
                "kind": "dqn",
                "config": "tictactoe",
                "values": {"database.games": "/etc/passwd"},
            },
            "no option",
        ),
    ],
)
def test_trainings_that_are_refused(client, data, changed, words):
    asked = {"name": "refused", "config": "connect4", **changed}
    answer = client.post("/trainings", json=asked)
    assert answer.status_code == 400
    assert words in answer.json()["detail"]
    assert not (data / "trainings" / "refused").exists()


@pytest.mark.parametrize("name", ["../up", "", ".hidden", "a/b", "x" * 61])
def test_names_that_are_no_names(client, name):
    asked = {"name": name, "config": "tictactoe-9"}
    assert client.post("/trainings", json=asked).status_code == 422
    assert client.post("/trainings/nosuch/start").status_code == 404


def test_runs_of_other_kinds_are_shown_by_the_same_files(client, data):
    folder = data / "trainings" / "by hand" / "run1"
    folder.mkdir(parents=True)
    status = {"activity": "training", "step": 7, "of": 20, "unit": "generations", "rate": 0.1}
    (folder / "status.json").write_text(json.dumps(status))
    (folder / "metrics.csv").write_text(
        "generation,games,seconds,loss,accuracy,note\n"
        "1,50,10,1.5,0.4,\n2,150,20,1.25,0.5,gate\n3,250,30,nan,0.6,\n"
    )
    view = client.get("/trainings/by hand").json()
    assert (view["status"], view["step"], view["unit"]) == ("stopped", 7, "generations")
    curves = {(curve["column"], curve["label"]): curve["points"] for curve in view["curves"]}
    assert curves["loss", ""] == [[1, 1.5]]
    assert curves["loss", "gate"] == [[2, 1.25]]
    assert curves["games per second", ""][0] == [1, 5]
    assert curves["accuracy", ""] == [[1, 0.4], [3, 0.6]]
    assert client.post("/trainings/by hand/start").status_code == 400


def test_a_training_ends_with_its_server(tmp_path):
    asked = {"name": "a", "config": "connect4", "values": {"games": 10**9, "measure.every": 0}}
    with running(tmp_path, "--workers", "1") as server:
        with httpx.Client(base_url=f"{server.address}/api", timeout=90) as client:
            client.post("/trainings", json=asked).raise_for_status()
            wait_for_training(client, "a", lambda view: view["step"] > 0)
        server.process.kill()
    folder = tmp_path / "trainings" / "a" / "run1"
    end = time.monotonic() + 60
    while read_status(folder).activity != "stopped":
        assert time.monotonic() < end
        time.sleep(0.2)
    header = read_header(folder / "checkpoint.npz")
    assert header["games"] == read_status(folder).step


def test_a_training_that_is_stopped_at_once_has_no_problem(client):
    asked = {"name": "short", "config": "connect4", "values": {"games": 10**9}}
    client.post("/trainings", json=asked).raise_for_status()
    client.post("/trainings/short/stop").raise_for_status()
    view = wait_for_training(client, "short", lambda view: view["status"] == "stopped")
    assert view["problem"] == ""


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_a_training_that_was_killed_says_by_which_signal(client, server, data, name):
    asked = {"name": name, "config": "connect4", "values": {"games": 10**9, "measure.every": 0}}
    client.post("/trainings", json=asked).raise_for_status()
    end = time.monotonic() + 60
    while not (pids := server.trainees()):
        assert time.monotonic() < end
        time.sleep(0.1)
    os.kill(pids[0], signal.Signals[name])
    view = wait_for_training(client, name, lambda view: view["status"] != "running")
    assert (view["status"], view["signal"]) == ("killed", name)
    assert f"was killed by {name}" in view["problem"]
    listed = {each["name"]: each for each in client.get("/trainings").json()}
    assert (listed[name]["status"], listed[name]["signal"]) == ("killed", name)
    # The next server knows it, too.
    settings = Settings(data=data, workers=1)
    later = Services.of(settings).trainings.view(name)
    assert (later.status, later.signal, later.problem) == ("killed", name, view["problem"])
    # Resumed, it runs as if nothing had happened.
    client.post(f"/trainings/{name}/start").raise_for_status()
    wait_for_training(client, name, lambda view: view["problem"] == "")
    assert client.delete(f"/trainings/{name}").status_code == 409
    client.post(f"/trainings/{name}/stop").raise_for_status()
    view = wait_for_training(client, name, lambda view: view["status"] == "stopped")
    assert (view["problem"], view["signal"]) == ("", "")
    assert client.delete(f"/trainings/{name}").status_code == 204
    assert client.get(f"/trainings/{name}").status_code == 404
    assert not [path for path in (data / "trainings").iterdir() if name in path.name]
    assert not [model for model in client.get("/models").json() if name in model["name"]]


def test_configurations_of_ones_own_are_deleted_and_others_are_not(client, data):
    asked = {"name": "short lived", "game": "connect4", "tuples": [[0, 1]]}
    client.post("/ntuple/configs", json=asked).raise_for_status()
    assert client.delete("/ntuple/configs/short lived").status_code == 204
    assert not (data / "configs" / "short lived.toml").exists()
    for name in ("short lived", "s1-base", "nosuch"):
        answer = client.delete(f"/ntuple/configs/{name}")
        assert answer.status_code == 404
        assert "of your own" in answer.json()["detail"]
    assert client.delete("/trainings/nosuch").status_code == 404
    assert client.delete("/tournaments/nosuch").status_code == 404


def test_what_a_training_prints_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr("spielbaum.studio.services.trainings.LARGEST_OUTPUT", 1000)
    path = tmp_path / "output.txt"
    with open(path, "ab") as file:
        for _ in range(20):
            file.write(b"x" * 300)
            file.flush()
            _shorten(path)
            assert path.stat().st_size <= 1000
        file.write(b"the end")
    assert path.read_bytes().replace(b"x", b"") == b"the end"


def test_why_a_training_failed_is_told(client, data):
    asked = {"name": "broken", "config": "tictactoe-9", "values": {**QUICK, "games": 1000}}
    client.post("/trainings", json=asked).raise_for_status()
    wait_for_training(client, "broken", lambda view: view["status"] == "done")
    checkpoint = data / "trainings" / "broken" / "run1" / "checkpoint.npz"
    checkpoint.write_bytes(checkpoint.read_bytes()[:500])
    client.post("/trainings/broken/start").raise_for_status()
    view = wait_for_training(client, "broken", lambda view: view["problem"])
    assert "damaged" in view["problem"]
    assert str(data) not in view["problem"]
