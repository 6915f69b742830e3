"""The studio's server as programs see it: HTTP, the socket, processes that die, other origins."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import contextmanager

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import spielbaum as sb
from spielbaum.studio.server.settings import Settings
from studio_fuzzer import Fuzzer
from studio_server import in_thread, running

ENDGAME = "52753311433677442422121"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("studio"), "--workers", "2") as started:
        yield started


@pytest.fixture
def client(server):
    with api(server) as made:
        yield made


def api(server):
    return httpx.Client(base_url=f"{server.address}/api", timeout=90)


@contextmanager
def page(server, **options):
    """A socket as the page opens it; `say` sends, `hear` waits for a message of a kind."""
    with connect(server.socket_address, origin=server.address, **options) as socket:
        yield Page(socket)


class Page:
    def __init__(self, socket):
        self._socket = socket
        assert self.hear("welcome")

    def say(self, **message):
        self._socket.send(json.dumps(message))

    def search(self, number, agent="uct", moves=(), game="connect4", **limits):
        position = {"game": game, "moves": list(moves)}
        self.say(type="search", id=number, position=position, agent=agent, limits=limits)

    def hear(self, *kinds, id=None, timeout=60):  # noqa: A002
        end = time.monotonic() + timeout
        while True:
            message = json.loads(self._socket.recv(timeout=max(end - time.monotonic(), 0.01)))
            if message["type"] in kinds and id in (None, message.get("id")):
                return message


def test_games_agents_and_boards_are_those_of_the_library(client):
    games = client.get("/games").json()
    assert [game["name"] for game in games if game["solver"]] == [
        "connect4",
        "reversi",
        "tictactoe",
    ]
    agents = {agent["name"]: agent for agent in client.get("/agents").json()}
    declared = {info.name: info for info in sb.agents()}
    assert "human" not in agents
    assert "uci" not in agents
    for name, agent in agents.items():
        names = [option["name"] for option in agent["options"]]
        assert names == [option.name for option in declared[name].options]
    board = client.get("/board", params={"game": "reversi:size=6"}).json()
    assert len(board["cells"]) == 36


def test_a_position_is_described(client):
    asked = {"game": "connect4", "start": "4453", "moves": ["d3"]}
    view = client.post("/position", json=asked).json()
    state = sb.game("connect4").state("4453").play("d3")
    assert view["notation"] == state.notation
    assert view["cells"] == list(state.cells)
    assert view["moves"] == ["d1", "d2", "e1", "c1", "d3"]
    assert [move["text"] for move in view["legal"]] == [
        state.text(move) for move in state.legal_moves
    ]


def test_maps_are_sketched_moves_previewed_and_players_put_out(client):
    games = {game["name"]: game for game in client.get("/games").json()}
    option = games["reversixt"]["options"][0]
    assert option["type"] == "choice"
    assert option["maps"][4] == {"name": "map4", "players": 3, "rows": 20, "columns": 25}
    sketch = client.get("/sketch", params={"game": "reversixt:map=map4"})
    assert sketch.headers["content-type"].startswith("image/svg+xml")
    assert sketch.text.startswith("<svg")
    position = {"game": "reversixt:map=map4", "moves": ["9,15"]}
    state = sb.game("reversixt:map=map4").initial().play("9,15")
    move = state.text(state.legal_moves[0])
    seen = client.post("/preview", json={"position": position, "move": move}).json()
    assert [state.play(move).cells[cell] for cell in seen["cells"]] == seen["contents"]
    view = client.post("/disqualify", json={"position": position, "player": 1}).json()
    assert (view["to_move"], view["out"], view["moves"]) == (2, [1], [])
    refused = client.post("/disqualify", json={"position": {"game": "chess"}, "player": 1})
    assert refused.status_code == 400
    assert "does not go on without a player" in refused.json()["detail"]


def test_a_search_is_that_of_the_library(client):
    asked = {
        "position": {"game": "connect4", "start": "4453"},
        "agent": "uct:seed=5",
        "limits": {"iterations": 2000},
    }
    decision = client.post("/search", json=asked).json()
    state = sb.game("connect4").state("4453")
    expected = sb.agent("uct:seed=5").choose(state, sb.Budget(iterations=2000))
    assert decision["move"] == state.text(expected.move)
    assert [move["visits"] for move in decision["moves"]] == [
        move.visits for move in expected.moves
    ]


def test_a_solution_is_that_of_the_library(client):
    asked = {"position": {"game": "connect4", "start": ENDGAME}, "seconds": 30}
    solution = client.post("/solve", json=asked).json()
    expected = sb.solve(sb.game("connect4").state(ENDGAME))
    assert solution["score"] == expected.score
    assert [move["score"] for move in solution["moves"]] == [move.score for move in expected.moves]


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/position", {"game": "chess", "start": "nonsense"}, 400, "FEN"),
        ("/position", {"game": "nosuch"}, 400, "there is no game"),
        ("/position", {"game": "connect4", "moves": ["z9"]}, 400, "z9"),
        ("/position", {"game": "connect4", "extra": 1}, 422, "extra"),
        ("/position", {}, 422, "game"),
        ("/search", {"position": {"game": "connect4"}, "agent": "uci:path=/bin/sh"}, 400, "data"),
        ("/search", {"position": {"game": "connect4", "start": "1212121"}, "agent": "uct"}, 400,
         "over"),
        ("/search", {"position": {"game": "yavalath:players=3"}, "agent": "perfect"}, 400,
         "two players"),
        ("/solve", {"position": {"game": "chess"}}, 400, "no solver"),
        ("/tournaments/nosuch/start", {}, 404, "no run"),
        ("/lab/nosuch/start", {"games": 2}, 400, "no experiment"),
    ],
)  # fmt: skip
def test_mistakes_get_one_sentence(client, path, body, status, words):
    answer = client.post(path, json=body)
    assert answer.status_code == status
    sentence = answer.json()["detail"]
    assert words in sentence
    assert "\n" not in sentence


def test_other_origins_cannot_start_work(server, client):
    asked = {"position": {"game": "connect4"}, "agent": "uct"}
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        assert client.post("/search", json=asked, headers=headers).status_code == 403
        # Reading makes the server work, too: it loads networks, and counts games.
        assert client.get("/games", headers=headers).status_code == 403
        page = httpx.get(server.address, headers=headers, timeout=90)
        assert page.status_code == 200  # a link to the page, as on any other
    for method, path in (("POST", "/search"), ("GET", "/games")):
        answer = client.request(method, path, headers={"Host": "rebound.example"})
        assert answer.status_code == 421
    with pytest.raises(InvalidStatus), connect(server.socket_address, origin="http://evil.example"):
        pass


def test_headers_keep_the_page_to_itself(server):
    headers = httpx.get(server.address).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_the_socket_streams(server):
    with page(server) as visitor:
        visitor.search("a", agent="mcts", seconds=1.2)
        assert visitor.hear("started", id="a")
        report = visitor.hear("report", id="a")["value"]
        done = visitor.hear("done", id="a")["value"]
        assert done["stats"]["iterations"] > report["stats"]["iterations"]
        assert len(done["moves"]) == 7


def test_agents_keep_their_trees_while_a_game_is_played(server):
    def decide(visitor, number, moves):
        request = {"position": {"game": "connect4", "moves": moves}, "agent": "mcts"}
        limits = {"iterations": 5000}
        visitor.say(type="search", id=number, session="game", limits=limits, seed=3, **request)
        return visitor.hear("done", id=number)["value"]

    with page(server) as visitor:
        first = decide(visitor, "a", [])
        moves = [move["text"] for move in first["pv"][:2]]
        second = decide(visitor, "b", moves)
        assert (first["stats"]["kept"], second["stats"]["kept"] > 500) == (0, True)
        visitor.say(type="leave", session="game")
        assert decide(visitor, "c", moves)["stats"]["kept"] == 0
    with page(server) as visitor:
        assert decide(visitor, "a", moves)["stats"]["kept"] == 0


def test_stop_decides_and_cancel_is_silent(server):
    with page(server) as visitor:
        began = time.monotonic()
        visitor.search("a", seconds=50)
        visitor.hear("report", id="a")
        visitor.say(type="stop", id="a")
        assert visitor.hear("done", id="a")["value"]["move"]
        visitor.search("b", seconds=50)
        visitor.hear("started", id="b")
        visitor.say(type="cancel", id="b")
        visitor.search("c", iterations=100)
        assert visitor.hear("done", id="c")
        assert time.monotonic() - began < 30


def test_leaving_the_page_stops_its_searches(server):
    with page(server) as visitor:
        for name in "abcd":
            visitor.search(name, seconds=50)
        visitor.hear("started", id="b")
    with page(server) as visitor:
        visitor.search("a", iterations=100)
        assert visitor.hear("done", id="a", timeout=20)


def test_a_visitor_waits_for_his_turn_and_not_for_all_of_another(server):
    with page(server) as greedy, page(server) as modest:
        for number in range(8):
            greedy.search(str(number), seconds=0.5)
        greedy.hear("started", id="1")
        modest.search("mine", iterations=100)
        assert modest.hear("queued", id="mine")["value"] >= 1
        modest.hear("done", id="mine")
        # Two of the other's searches were running; the six that waited come later.
        greedy.say(type="search", id="9", position={"game": "connect4"}, agent="uct")
        done = [greedy.hear("done")["id"] for _ in range(9)]
        assert sorted(done) == [*map(str, range(8)), "9"]


def test_too_many_searches_of_one_visitor_are_refused(server):
    with page(server) as visitor:
        for number in range(13):
            visitor.search(str(number), seconds=20)
        assert "searches at a time" in visitor.hear("failed")["value"]


def test_nonsense_on_the_socket_gets_a_sentence(server):
    with page(server) as visitor:
        for text in ("", "{", "[]", "3", '{"type":"dance"}', '{"type":"stop"}', "\ud7ff"):
            visitor._socket.send(text)
            assert visitor.hear("error")["message"]
        visitor.search("a", agent="uci:path=/bin/sh")
        assert "data folder" in visitor.hear("failed", id="a")["value"]
        visitor.search("b", moves=["z9"])
        assert "z9" in visitor.hear("failed", id="b")["value"]


def test_a_killed_process_is_reported_and_replaced(server):
    with page(server) as visitor:
        for _ in range(2):
            visitor.search("warm", iterations=10)
            visitor.hear("done", id="warm")
        before = set(server.workers())
        assert len(before) == 2
        visitor.search("a", seconds=40)
        visitor.search("b", seconds=40)
        visitor.hear("started", id="b")
        for worker in before:
            os.kill(worker, signal.SIGKILL)
        assert "SIGKILL" in visitor.hear("lost", id="a")["value"]
        visitor.search("c", iterations=100)
        assert visitor.hear("done", id="c")["value"]["move"]
        assert before.isdisjoint(server.workers())


def wait_for(client, name, condition, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        view = client.get(f"/tournaments/{name}").json()
        if condition(view):
            return view
        time.sleep(0.3)
    raise AssertionError(view)


def test_a_tournament_runs_stops_and_goes_on(client, server):
    asked = {
        "name": "cup",
        "game": "tictactoe",
        "agents": ["perfect", "uct:c=0.7", "random"],
        "limits": {"iterations": 50},
        "games": 6,
    }
    with page(server) as visitor:
        visitor.say(type="watch", run="cup")
        view = client.post("/tournaments", json=asked).json()
        assert view["total"] == 18
        assert visitor.hear("run")["name"] == "cup"
    view = wait_for(client, "cup", lambda view: view["status"] == "done")
    assert view["games"] == 18
    table = {row["agent"]: row for row in view["standings"]}
    assert table["perfect"]["losses"] == 0
    assert sum(row["wins"] for row in table.values()) == sum(
        row["losses"] for row in table.values()
    )
    games = client.get("/tournaments/cup/games").json()
    assert [game["number"] for game in games] == list(range(18))
    stored = client.get("/tournaments/cup/games/7").json()
    state = sb.game("tictactoe").initial()
    for move in stored["moves"]:
        state = state.play(move)
    assert list(state.outcome.rewards) == stored["rewards"]
    assert client.get("/tournaments/cup/games/99").status_code == 404
    assert client.post("/tournaments/cup/stop").status_code == 409


def test_one_agent_twice_and_few_openings(client):
    asked = {
        "name": "twins",
        "game": "tictactoe",
        "agents": ["random", "random"],
        "games": 30,
        "openings": "random:1",
    }
    client.post("/tournaments", json=asked).raise_for_status()
    view = wait_for(client, "twins", lambda view: view["status"] == "done")
    assert {row["agent"] for row in view["standings"]} == {"random", "random (2)"}
    assert view["openings_repeated"] == 9
    listed = {each["name"]: each["agents"] for each in client.get("/tournaments").json()}
    assert listed["twins"] == ["random", "random (2)"]
    assert client.get("/tournaments/twins/games/1").json()["agents"] == ["random (2)", "random"]


def test_a_tournament_can_be_stopped_and_resumed(client):
    asked = {
        "name": "long",
        "game": "connect4",
        "agents": ["uct", "rave"],
        "limits": {"seconds": 0.01},
        "games": 2000,
    }
    client.post("/tournaments", json=asked).raise_for_status()
    wait_for(client, "long", lambda view: view["games"] >= 2)
    stopped = client.post("/tournaments/long/stop").json()
    assert stopped["status"] == "stopped"
    assert client.post("/tournaments", json={**asked, "games": 4}).status_code == 404
    client.post("/tournaments/long/start").raise_for_status()
    wait_for(client, "long", lambda view: view["games"] > stopped["games"])
    assert client.post("/tournaments/long/start").status_code == 409
    assert client.post("/tournaments/long/stop").json()["games"] > stopped["games"]


@pytest.mark.parametrize(
    "changed",
    [
        {"agents": ["uct", "uci:path=/bin/sh"]},
        {"openings": "file:/etc/passwd"},
        {"name": "../up"},
        {"limits": {"seconds": 100}},
        {"games": 10**6},
        {"agents": ["uct"]},
        {"game": "yavalath:players=3"},
    ],
)
def test_tournaments_that_are_refused(client, changed):
    asked = {"name": "bad", "game": "tictactoe", "agents": ["uct", "random"], **changed}
    assert client.post("/tournaments", json=asked).status_code in (400, 422)


def test_the_lab_shows_published_and_measured_figures(client):
    assert len(client.get("/lab").json()) > 20
    view = client.get("/lab/S0.table10").json()
    assert [figure["published"] for figure in view["figures"]] == [55.6, 60.3]
    assert view["figures"][0]["measured"] is None
    assert client.post("/lab/S0.speed/start", json={"games": 2}).status_code == 400
    client.post("/lab/S0.table10/start", json={"games": 2}).raise_for_status()
    end = time.monotonic() + 90
    while view["figures"][0]["measured"] is None and time.monotonic() < end:
        time.sleep(0.5)
        view = client.get("/lab/S0.table10", params={"games": 2}).json()
    assert view["figures"][0]["games"] >= 1
    client.post("/lab/S0.table10/stop", json={"games": 2})


def test_tournaments_outlive_the_server(tmp_path):
    asked = {
        "name": "cup",
        "game": "connect4",
        "agents": ["uct", "random"],
        "limits": {"seconds": 0.02},
        "games": 500,
    }
    with running(tmp_path, "--workers", "1") as first, api(first) as client:
        client.post("/tournaments", json=asked).raise_for_status()
        before = wait_for(client, "cup", lambda view: view["games"] >= 1)
    with running(tmp_path, "--workers", "1") as second, api(second) as client:
        after = client.get("/tournaments/cup").json()
        assert after["games"] >= before["games"]
        assert after["status"] == "stopped"
        client.post("/tournaments/cup/start").raise_for_status()
        wait_for(client, "cup", lambda view: view["games"] > after["games"])


def test_sizes_and_rates_are_limited(tmp_path):
    settings = Settings(data=tmp_path, workers=1, rate=0.01, burst=20, body_bytes=2000)
    with in_thread(settings) as address, httpx.Client(base_url=address) as client:
        large = {"game": "connect4", "start": "4" * 3000}
        assert client.post("/api/position", json=large).status_code == 413
        chunks = (b"x" * 500 for _ in range(10))
        assert client.post("/api/position", content=chunks).status_code == 413
        codes = [client.get("/api/about").status_code for _ in range(40)]
        assert codes[0] == 200
        assert codes[-1] == 429


def test_the_studio_says_what_is_wrong_with_its_options(cli_run):
    code, error = cli_run("studio", "--port", "99999")
    assert code == 2
    assert "port" in error
    code, error = cli_run("studio", "--host", "192.0.2.1", "--port", "8000")
    assert code == 2
    assert "cannot listen" in error


@pytest.fixture
def cli_run(capsys):
    from spielbaum.cli.main import run

    def call(*arguments):
        code = run(arguments)
        return code, capsys.readouterr().err

    return call


def test_no_request_breaks_the_server(tmp_path):
    """SPIELBAUM_FUZZ=5000 sends so many requests; a few hundred by default."""
    settings = Settings(data=tmp_path / "data", workers=2, rate=1e6, burst=10**6)
    settings.data.mkdir()
    outside = tmp_path / "outside"
    outside.write_text("secret")
    with in_thread(settings) as address:
        fuzzer = Fuzzer(address, seed=8)
        fuzzer.run(int(os.environ.get("SPIELBAUM_FUZZ", "200")))
        assert fuzzer.bad == []
        assert {code // 100 for code in fuzzer.codes} <= {2, 4}
        assert fuzzer.codes[200] > 20
        assert httpx.get(f"{address}/api/about").status_code == 200
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"data", "outside"}
    folders = {path.name for path in (tmp_path / "data").iterdir() if path.is_dir()}
    assert folders <= {"configs", "trainings"}
    files = {path.suffix for path in (tmp_path / "data").iterdir() if path.is_file()}
    assert files <= {".db", ".db-wal", ".db-shm"}
    assert {path.suffix for path in (tmp_path / "data").glob("configs/*")} <= {".toml"}
