"""The studio beyond loopback: tokens, hosts, origins, headers, and connections that hang."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import socket
import sys
import time

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import spielbaum as sb
from spielbaum.studio.server.app import create_app
from spielbaum.studio.server.security import HEADERS
from spielbaum.studio.server.server import LOG, LOG_BYTES, FirstMessages, QuietFile
from spielbaum.studio.server.settings import Settings
from studio_server import in_thread, running

FLOOD = 1500
FILES = 1024
NAME = "studio.example"
HALVES = (b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"POST /api/position HTTP/1.1\r\n"
          b"Host: 127.0.0.1\r\nContent-Length: 900\r\n\r\n{")  # fmt: skip
TIMEOUT = 90


def has_headers(headers):
    """Check that an answer has the headers that all have."""
    assert {name: headers.get(name) for name in HEADERS} == HEADERS


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    data = tmp_path_factory.mktemp("open")
    options = ("--workers", "1", "--host", "0.0.0.0", "--allowed-host", NAME)
    with running(data, *options, files=FILES) as started:
        yield started


@pytest.fixture
def client(server):
    with httpx.Client(base_url=server.address, timeout=TIMEOUT) as made:
        yield made


def test_the_start_says_what_it_means(server):
    assert server.link.startswith(f"http://{NAME}:")
    assert len(server.token) >= 32
    said = "".join(server.process.stdout.readline() for _ in range(3))
    assert "whoever has this link" in said
    assert f"answers to the names {NAME}" in said
    assert "nothing is encrypted" in said


@pytest.mark.parametrize("path", ["/", "/js/main.js", "/api/games", "/api/nosuch"])
def test_without_the_token_nothing_is_answered(server, client, path):
    def status(**options):
        return client.get(path, **options).status_code

    expected = 404 if "nosuch" in path else 200
    port = server.address.rpartition(":")[2]
    for wrong in ("-", "x", server.token[:-1], server.token + "x"):
        assert status(params={"token": wrong}) == 401
        assert status(headers={"Authorization": f"Bearer {wrong}"}) == 401
        assert status(headers={"Cookie": f"spielbaum-{port}={wrong}"}) == 401
    assert status() == 401
    assert status(headers={"Authorization": f"Basic {server.token}"}) == 401
    assert status(headers=server.headers) == expected
    assert status(headers={**server.headers, "Host": f"{NAME}:{port}"}) == expected
    for name in ("evil.example", "", "studio.example.evil.example", "10.0.0.1"):
        assert status(headers={**server.headers, "Host": name}) == 421


def test_the_link_gives_a_cookie_that_opens_the_page(server, client):
    answer = client.get("/", params={"token": server.token})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    for word in ("HttpOnly", "SameSite=Strict", "Path=/"):
        assert word in cookie
    assert client.get("/api/games").status_code == 200  # the client keeps cookies, as browsers do
    assert "set-cookie" not in client.get("/").headers
    page = httpx.get(server.address, headers={"Accept": "text/html"}, timeout=TIMEOUT)
    assert page.status_code == 401
    assert "<h1>" in page.text


def test_other_pages_cannot_use_the_token_of_a_visitor(server, client):
    client.get("/", params={"token": server.token})
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        for method, path in (("GET", "/api/games"), ("POST", "/api/search"), ("DELETE", "/api/x")):
            assert client.request(method, path, headers=headers).status_code == 403


def test_sockets_need_the_token_too(server):
    def refused(status, **options):
        with pytest.raises(InvalidStatus) as caught, connect(address, **options):
            pass
        assert caught.value.response.status_code == status
        has_headers(caught.value.response.headers)

    address = server.socket_address
    refused(401)
    refused(401, additional_headers={"Authorization": "Bearer x"})
    refused(403, additional_headers=server.headers, origin="http://evil.example")
    with connect(address, additional_headers=server.headers, origin=server.address) as opened:
        assert "welcome" in opened.recv(timeout=TIMEOUT)
        has_headers(opened.response.headers)
    with connect(f"{address}?token={server.token}") as opened:
        assert "welcome" in opened.recv(timeout=TIMEOUT)


@contextlib.contextmanager
def half_sent(address, count, halves=HALVES):
    """So many connections at once, each with a part of a request."""
    host, port = address.removeprefix("http://").split(":")
    with contextlib.ExitStack() as opened:
        made = []
        for number in range(count):
            each = opened.enter_context(socket.create_connection((host, int(port)), TIMEOUT))
            with contextlib.suppress(OSError):  # it may have made room already
                each.sendall(halves[number % len(halves)])
            made.append(each)
        yield made


def is_open(connection):
    connection.setblocking(False)
    try:
        return bool(connection.recv(1))
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_a_flood_of_half_sent_requests_keeps_nobody_out(server, client):
    """More half-sent requests than the server may open files; it answers whole ones meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FLOOD + 200:
        pytest.skip(f"this process may open {hard} files; the flood needs {FLOOD + 200}")
    wanted = max(soft, FLOOD + 200) if soft != resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        with half_sent(server.address, FLOOD) as flood:
            for _ in range(5):  # a connection of its own for each
                got = httpx.get(f"{server.address}/", headers=server.headers, timeout=TIMEOUT)
                assert got.status_code == 200
            assert httpx.get(server.address, timeout=TIMEOUT).status_code == 401
            with connect(server.socket_address, additional_headers=server.headers) as opened:
                assert "welcome" in opened.recv(timeout=TIMEOUT)
            assert sum(map(is_open, flood)) <= Settings.connections_of_one
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert client.get("/api/games", headers=server.headers).status_code == 200


def test_half_sent_requests_time_out(tmp_path):
    settings = Settings(data=tmp_path, workers=1, request_seconds=1.0)
    with in_thread(settings) as address:
        with half_sent(address, 6) as opened:
            end = time.monotonic() + TIMEOUT
            for number in range(30):  # bytes that trickle give no more time
                time.sleep(0.1)
                with contextlib.suppress(OSError):
                    opened[1].sendall(b"X-%d: 1\r\n" % number)
            answers = [
                b"".join(iter(lambda each=each: each.recv(9999), b"")) for each in opened[2:]
            ]
            assert time.monotonic() < end
        silent, head, body = answers[1], answers[2], answers[0]
        assert silent == b""
        for answer in (head, body):
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert b"did not come in time" in answer
            assert b"nosniff" in answer
        with httpx.Client(base_url=address, timeout=TIMEOUT) as client:
            for _ in range(3):  # one connection, which waits between requests
                assert client.get("/api/games").status_code == 200
                time.sleep(0.7)
        socket = address.replace("http", "ws") + "/api/socket"
        with connect(socket) as opened:  # a request that has become a socket has come
            assert "welcome" in opened.recv(timeout=TIMEOUT)
            time.sleep(1.5)
            assert opened.ping().wait(TIMEOUT)


def test_a_visitor_who_does_not_read_is_given_up(tmp_path):
    settings = Settings(data=tmp_path, workers=1, request_seconds=1.0)
    with in_thread(settings) as address, half_sent(address, 1, (b"",)) as (lazy,):
        request = b"GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

        def send_on():
            for _ in range(3000):  # until all buffers are full, and a second longer
                lazy.sendall(request)
                time.sleep(0.005)

        with pytest.raises(OSError, match=r"reset|[Bb]roken pipe"):
            send_on()


def test_more_connections_than_there_may_be(tmp_path):
    settings = Settings(data=tmp_path, workers=1, connections=20, connections_of_one=8)
    with in_thread(settings) as address:
        with half_sent(address, 30) as opened:
            assert httpx.get(f"{address}/api/games", timeout=TIMEOUT).status_code == 200
            states = list(map(is_open, opened))
        assert sum(states) <= 8
        assert not any(states[:20])  # those that waited longest made room
        with contextlib.ExitStack() as pages:
            for _ in range(20):  # open sockets keep their places
                socket_address = address.replace("http", "ws") + "/api/socket"
                pages.enter_context(connect(socket_address))
            refused = httpx.get(f"{address}/api/games", timeout=TIMEOUT)
            assert refused.status_code == 503
            assert "too many connections" in refused.json()["detail"]
            has_headers(refused.headers)


def raw(address, text):
    with half_sent(address, 1, (text,)) as (opened,):
        opened.settimeout(TIMEOUT)
        return b"".join(iter(lambda: opened.recv(9999), b"")).decode("latin-1").lower()


def test_every_answer_has_the_headers(tmp_path):
    settings = Settings(data=tmp_path, workers=1, body_bytes=2000, rate=0.01, burst=60)
    requests = (
        (200, "GET", "/", {}),
        (200, "GET", "/js/main.js", {}),
        (
            304,
            "GET",
            "/js/main.js",
            {"headers": {"If-Modified-Since": "Fri, 1 Jan 2100 00:00 GMT"}},
        ),
        (404, "GET", "/nosuch", {}),
        (404, "GET", "/api/nosuch", {}),
        (405, "PUT", "/api/games", {}),
        (400, "POST", "/api/position", {"json": {"game": "nosuch"}}),
        (403, "GET", "/api/games", {"headers": {"Origin": "http://evil.example"}}),
        (413, "POST", "/api/position", {"json": {"game": "x" * 3000}}),
        (413, "POST", "/api/position", {"content": iter([b"x" * 1500] * 2)}),
        (421, "GET", "/", {"headers": {"Host": "evil.example"}}),
        (422, "POST", "/api/position", {"json": {}}),
    )
    with in_thread(settings) as address:
        with httpx.Client(base_url=address, timeout=TIMEOUT) as client:
            for status, method, path, options in requests:
                answer = client.request(method, path, **options)
                assert (answer.status_code, path) == (status, path)
                has_headers(answer.headers)
            codes = [client.get("/api/about") for _ in range(80)]
            assert codes[-1].status_code == 429
            has_headers(codes[-1].headers)
        for text in (
            b"nonsense\r\n\r\n",
            b"GET / HTTP/1.1\r\n" + b"x" * 70_000,
            b"GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
            b"Upgrade: websocket\r\n\r\n",
        ):
            answer = raw(address, text)
            assert answer.startswith("http/1.1 4")
            assert all(name.lower() in answer for name in HEADERS)


async def ask(app, method, path, **options):
    """A request without a server in between."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        return await client.request(method, path, **options)


def test_a_mistake_of_the_server_is_told_without_details(tmp_path, monkeypatch):
    app = create_app(Settings(data=tmp_path, workers=1))

    def fail():
        raise RuntimeError(f"secret in {tmp_path}")

    monkeypatch.setattr(app.state.services.models, "all", fail)
    answer = asyncio.run(ask(app, "GET", "/api/models"))
    assert answer.status_code == 500
    assert answer.json() == {"detail": "the server made a mistake, which its log describes"}
    has_headers(answer.headers)


def test_no_answer_shows_a_path_of_the_server(tmp_path):
    data = tmp_path / "the data"
    run = data / "trainings" / "bad" / "run1"
    run.mkdir(parents=True)
    (run.parent / "training.json").write_text('{"kind": "ntuple", "game": "connect4"}')
    (run.parent / "config.toml").write_text(f'opponents = ["ntuple:{data}/models/bad.npz"]')
    (run.parent / "end.json").write_text(f'{{"problem": "model {data}/a.npz and /opt/x/b.npz"}}')
    for name in ("models/bad.npz", "models/bad.onnx", "configs/bad.toml", "lab.db", "engine"):
        (data / name).parent.mkdir(exist_ok=True)
        (data / name).write_text("nonsense")
    (data / "engine").chmod(0o755)
    position = {"game": "connect4"}
    posts = (
        ("/api/search", {"position": position, "agent": "ntuple:models/bad.npz"}),
        ("/api/search", {"position": position, "agent": "net:models/bad.onnx"}),
        ("/api/search", {"position": position, "agent": "perfect:book=engine"}),
        ("/api/search", {"position": {"game": "chess"}, "agent": "uci:path=engine"}),
        ("/api/agents/check", {"agent": "ntuple:models/bad.npz"}),
        ("/api/trainings/bad/start", {}),
        ("/api/tournaments/nosuch/start", {}),
        ("/api/trainings", {"name": "x", "config": "bad"}),
        ("/api/lab/S0.table10/start", {"games": 2}),
    )
    places = (
        *("about", "games", "agents", "models", "training-kinds", "trainings", "trainings/bad"),
        *("tournaments", "tournaments/nosuch", "lab", "lab/S0.table10", "ntuple/configs"),
        *("ntuple?model=models/bad.npz", "ntuple/tuples?config=bad", "openapi.json"),
        *("training-form?config=bad", "training-form?config=connect4&kind=alphazero"),
    )
    with (
        in_thread(Settings(data=data, workers=1)) as address,
        httpx.Client(base_url=address, timeout=TIMEOUT) as client,
    ):
        assert client.get("/api/trainings/bad").json()["problem"] == "model a.npz and b.npz"
        answers = [client.get(f"/api/{place}") for place in places]
        answers += [client.post(path, json=body) for path, body in posts]
        (data / "tournaments.db").write_text("nonsense" * 100)
        answers.append(client.get("/api/tournaments"))
    folders = (str(tmp_path), "the data", "/opt/x", str(sb.__path__[0]))
    for answer in answers:
        assert answer.status_code != 500, (answer.url, answer.text)
        assert not [folder for folder in folders if folder in answer.text], (
            answer.url,
            answer.text,
        )


def test_the_log_cannot_grow_without_end(tmp_path, capsys):
    logger = logging.Logger("studio test")
    file = QuietFile(tmp_path / LOG, maxBytes=LOG_BYTES, backupCount=1, delay=True)
    for handler in (file, FirstMessages(sys.stderr, 10)):
        logger.addHandler(handler)
    for number in range(3000):
        logger.warning("Invalid HTTP request received: %d %s", number, "x" * 1000)
    file.close()
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert len(sizes) == 2
    assert max(sizes) <= LOG_BYTES
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) == 11
    assert shown[-1].endswith(LOG)
    assert f"received: {2999}" in (tmp_path / LOG).read_text()
