"""The studio's server and networks: looking into them, and training them."""

from __future__ import annotations

import math

import httpx
import numpy as np
import pytest

import spielbaum as sb
from spielbaum.learn.models import shipped_models
from spielbaum.learn.ntuple import NTupleNetwork
from spielbaum.learn.ntuple_config import load_config
from spielbaum.learn.ntuple_file import load_network, save_network
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
    assert view["symbols"] == [".", "x", "o", "_"]
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
        (f"/ntuple/strongest?model={MODEL}&tuple=70", 400, "from 0 to 69"),
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
        {"model": MODEL, "tuple": 99, "contents": [0] * 8},
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
        {"game": "chess"},
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
