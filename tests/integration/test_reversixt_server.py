"""Games over TCP: what is sent, and clients that are late, die, send rubbish or half of it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import threading
import time
from itertools import pairwise

import pytest

import spielbaum as sb
from commands import COMMAND, assert_one_clear_line, process
from helpers import DATA, check_message
from spielbaum.protocols.reversixt import server
from spielbaum.protocols.reversixt.client import join
from spielbaum.protocols.reversixt.logs import LogFolder, replay_file
from spielbaum.protocols.reversixt.messages import (
    FROM_SERVER,
    Disqualified,
    EndOfGame,
    EndOfPhase,
    Group,
    Map,
    Move,
    Moved,
    Request,
    Seat,
    encode,
    read_message,
)
from spielbaum.protocols.reversixt.server import Server
from spielbaum.protocols.reversixt.times import Allowance

HOST = "127.0.0.1"
THREE = str(DATA / "reversixt" / "maps" / "spec_example_15x15_3p.map")
TINY = "2\n0\n1 0\n1 3\n0 2 1\n"
LONG = 60.0
"""Seconds after which a test that waits for something has failed."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(server, "LINGER_SECONDS", 0.3)
    monkeypatch.setattr(server, "HELLO_SECONDS", 0.5)


def referee(folder, map_name, allowance=None, **options):
    options = {"port": 0, "wait": LONG, "pause": 0.0, "grace": 1.0, **options}
    limits = allowance or Allowance(milliseconds=5000)
    return Server(str(map_name), limits, LogFolder(folder / "logs", str(map_name)), **options)


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, LONG))


def replayed(folder):
    return [line for line, _ in replay_file(folder / "logs" / "games.txt")]


class Raw:
    """A client that says what the test wants."""

    @classmethod
    async def connect(cls, port, group=99):
        self = cls()
        self.reader, self.writer = await asyncio.open_connection(HOST, port)
        self.heard = []
        self.say(Group(group))
        return self

    def say(self, message):
        self.writer.write(message if isinstance(message, bytes) else encode(message))

    async def hear(self, kind=None):
        """The next message, or the next one of a kind; None at the end."""
        while True:
            message = await asyncio.wait_for(read_message(self.reader, FROM_SERVER), LONG)
            self.heard.append(message)
            if message is None or kind is None or isinstance(message, kind):
                return message

    async def rest(self):
        """Read until the server has closed the connection."""
        try:
            while await self.hear() is not None:
                pass
        except OSError:
            self.heard.append(None)
        await self.end()
        return self.heard

    async def end(self):
        """Leave at once."""
        self.writer.transport.abort()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()


def test_what_is_sent_in_a_whole_game(tmp_path):
    path = tmp_path / "tiny.map"
    path.write_text(TINY)

    async def play():
        async with referee(tmp_path, path, Allowance(milliseconds=5000, depth=3)) as host:
            one = await Raw.connect(host.port, 1)
            await host.joined(1)
            two = await Raw.connect(host.port, 2)
            game = asyncio.create_task(host.play())
            await one.hear(Request)
            one.say(Move(0, 0, 0))
            await two.hear(Request)
            two.say(Move(0, 0, 77))  # the choice does not matter when bombing
            await one.hear(Request)
            one.say(Move(1, 0, 0))
            return await game, await one.rest(), await two.rest()

    played, one, two = run(play())
    both = [Moved(0, 0, 0, 1), EndOfPhase(), Moved(0, 0, 0, 2), Moved(1, 0, 0, 1), EndOfGame()]
    ask = Request(5000, 3)
    assert one == [Map(TINY), Seat(1), ask, *both[:3], ask, *both[3:], None]
    assert two == [Map(TINY), Seat(2), *both[:2], ask, *both[2:], None]
    assert played.groups == (1, 2)
    (line,) = replayed(tmp_path)
    assert line == played.line
    assert line.text.startswith("maps/tiny.map|game-")
    assert line.text.endswith("|1:0,0,0 2:0,0,0 1:1,0,0|1,0")
    boards = (tmp_path / "logs" / f"{line.name}.txt").read_text()
    assert "player 2: group 2 at 127.0.0.1:" in boards
    assert "move 2: player 2 plays 0,0 in 0." in boards
    assert str(sb.game("reversixt", map=str(path)).initial()) in boards
    assert "end: no moves left; stones 1,0" in boards


async def late(raw):
    await raw.hear(Request)
    await asyncio.sleep(1.0)
    raw.say(Move(0, 0, 0))


async def dies(raw):
    await raw.hear(Request)
    await raw.end()


async def closes(raw):
    await raw.hear(Seat)
    raw.writer.close()


async def sends_rubbish(raw):
    await raw.hear(Request)
    raw.say(bytes(range(255, 55, -1)))


async def sends_half(raw):
    await raw.hear(Request)
    raw.say(encode(Move(1, 1, 0))[:7])
    raw.writer.write_eof()


async def sends_half_and_waits(raw):
    await raw.hear(Request)
    raw.say(encode(Move(1, 1, 0))[:7])


async def sends_much(raw):
    await raw.hear(Request)
    raw.say(b"\x05\xff\xff\xff\xff")
    for _ in range(200):
        raw.say(bytes(100_000))
        await raw.writer.drain()


async def cannot_wait(raw):
    await raw.hear(Seat)
    raw.say(Move(0, 0, 0))


async def moves_twice(raw):
    await raw.hear(Request)
    raw.say(encode(Move(0, 0, 0)) * 2)


async def joins_twice(raw):
    await raw.hear(Request)
    raw.say(Group(3))


async def plays_an_illegal_move(raw):
    await raw.hear(Request)
    raw.say(Move(65535, 65535, 255))


OFFENCES = [
    (late, {"timeout_during_move"}),
    (dies, {"connection_closed", "connection_lost"}),
    (closes, {"connection_closed"}),
    (sends_rubbish, {"unknown_message"}),
    (sends_half, {"half_message"}),
    (sends_half_and_waits, {"timeout_during_move"}),
    (sends_much, {"message_too_long"}),
    (cannot_wait, {"unasked_message", "0,0,0"}),  # the first player may be asked by then
    (moves_twice, {"0,0,0", "unasked_message"}),
    (joins_twice, {"unknown_message"}),
    (plays_an_illegal_move, {"65535,65535,255"}),
]


async def hostile(port, offence):
    raw = await Raw.connect(port)
    try:
        await offence(raw)
        await raw.rest()
    except OSError:
        pass  # the server has had enough
    finally:
        await raw.end()


@pytest.mark.parametrize(
    ("offence", "reasons"), OFFENCES, ids=lambda each: getattr(each, "__name__", "")
)
@pytest.mark.parametrize("seat", [1, 2])
def test_hostile_clients_are_disqualified_and_the_game_goes_on(tmp_path, offence, reasons, seat):
    async def play():
        # Honest clients are quick; the late one comes after the time and the grace.
        limits = Allowance(milliseconds=300)
        async with referee(tmp_path, THREE, limits, grace=0.3) as host:
            playing = []
            for number in range(1, 4):
                guest = (
                    hostile(host.port, offence)
                    if number == seat
                    else join(HOST, host.port, sb.agent("random", seed=number), number)
                )
                playing.append(asyncio.create_task(guest))
                await host.joined(number)
            return await host.play(), await asyncio.gather(*playing)

    played, ends = run(play())
    ((player, reason),) = played.disqualified.items()
    assert player == seat - 1
    assert reason in reasons
    for number, end in enumerate(ends):
        if number != player:
            assert not end.disqualified
            assert end.state.notation == played.state.notation
    assert played.state.outcome is not None
    assert replayed(tmp_path) == [played.line]
    entries = [entry for entry in played.line.entries if "!" in entry]
    assert entries == [f"{seat}!{reason}"]
    assert len(played.line.entries) > 20


def test_eight_clients_with_five_of_them_hostile(tmp_path):
    offences = {2: dies, 3: sends_rubbish, 5: sends_much, 6: sends_half, 8: plays_an_illegal_move}

    async def play():
        async with referee(tmp_path, "map28") as host:
            playing = []
            for number in range(1, 9):
                guest = (
                    hostile(host.port, offences[number])
                    if number in offences
                    else join(HOST, host.port, sb.agent("random", seed=number), number)
                )
                playing.append(asyncio.create_task(guest))
                await host.joined(number)
            return await host.play(), await asyncio.gather(*playing)

    played, ends = run(play())
    assert {player + 1 for player in played.disqualified} == set(offences)
    finished = [end.state.notation for end in ends if end is not None]
    assert finished == [played.state.notation] * 3
    assert played.line.stones.count("D") == 5
    assert replayed(tmp_path) == [played.line]


def test_who_leaves_while_another_thinks_is_out_at_once(tmp_path):
    async def play():
        async with referee(tmp_path, THREE) as host:
            raws = []
            for number in range(1, 4):
                raws.append(await Raw.connect(host.port, number))
                await host.joined(number)
            game = asyncio.create_task(host.play())
            await raws[0].hear(Request)
            await raws[2].end()
            assert await raws[0].hear() == Disqualified(3)
            await raws[1].end()
            await raws[0].rest()
            return await game, raws[0].heard[-3:]

    played, heard = run(play())
    assert heard == [Disqualified(2), EndOfGame(), None]
    assert played.line.entries == ("3!connection_closed", "2!connection_closed")
    assert played.state.outcome.winner == 0
    assert replayed(tmp_path) == [played.line]


def test_accounts(tmp_path):
    """What is used of an account is missing in the next request, to which time was added."""

    async def play():
        allowance = Allowance(account=300, added=200)
        async with referee(tmp_path, "othello8x8", allowance, grace=0.0) as host:
            slow = await Raw.connect(host.port)
            await host.joined(1)
            other = asyncio.create_task(join(HOST, host.port, sb.agent("random")))
            game = asyncio.create_task(host.play())
            state, times = sb.game("reversixt").initial(), []
            while (heard := await slow.hear()) not in (None, Disqualified(1)):
                if isinstance(heard, Moved):
                    state = state.play(heard.text)
                elif isinstance(heard, Request):
                    times.append(heard.milliseconds)
                    # At some time the account is used up.
                    await asyncio.sleep(0.25)
                    slow.say(Move.parse(state.text(state.legal_moves[0])))
            await slow.end()
            return await game, times, await other

    played, times, other = run(play())
    assert times[0] == 500
    assert all(before - after >= 50 for before, after in pairwise(times))
    assert len(times) <= 6
    assert played.disqualified == {0: "timeout_during_move"}
    assert not other.disqualified


def test_the_lobby_does_not_wait_for_clients_that_do_not_join(tmp_path):
    told = []

    async def play():
        async with referee(tmp_path, "othello8x8", tell=told.append) as host:
            _, silent = await asyncio.open_connection(HOST, host.port)
            _, rubbish = await asyncio.open_connection(HOST, host.port)
            rubbish.write(b"GET / HTTP/1.1\r\n\r\n")
            gone = await Raw.connect(host.port, 7)
            await host.joined(1)
            await gone.end()
            while not any("group 7 left" in line for line in told):
                await asyncio.sleep(0.01)
            guests = [
                asyncio.create_task(join(HOST, host.port, sb.agent("random", seed=each), each))
                for each in (1, 2)
            ]
            played = await host.play()
            await asyncio.gather(*guests)
            while not any("no group number" in line for line in told):
                await asyncio.sleep(0.01)
            for writer in (silent, rubbish):
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
            return played

    played = run(play())
    assert sorted(played.groups) == [1, 2]
    assert played.disqualified == {}
    assert any("did not join: unknown_message" in line for line in told)


def test_connections_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 3)

    async def crowd():
        async with referee(tmp_path, "map28") as host:
            guests = [await Raw.connect(host.port, number) for number in range(3)]
            await host.joined(3)
            fourth = await Raw.connect(host.port)
            assert await fourth.rest() == [None]
            await guests[0].end()
            await asyncio.sleep(0.1)
            fifth = await Raw.connect(host.port, 5)
            await host.joined(3)
            for each in (*guests, fifth):
                await each.end()

    run(crowd())


def test_a_server_does_not_wait_for_ever(tmp_path):
    async def wait_for_nobody():
        async with referee(tmp_path, "othello8x8", wait=0.2) as host:
            await host.play()

    with pytest.raises(sb.EngineError, match=r"0 of 2 clients joined within 0\.2 s"):
        run(wait_for_nobody())

    async def wait_for_a_move():
        async with referee(tmp_path, "othello8x8", Allowance(depth=3), wait=0.5, grace=0) as host:
            raws = [await Raw.connect(host.port) for _ in range(2)]
            return await host.play(), [await raw.rest() for raw in raws]

    played, heard = run(wait_for_a_move())
    assert played.disqualified == {0: "timeout_during_move"}
    assert Request(0, 3) in heard[0] + heard[1]


def test_a_server_that_stood_still_does_not_blame_the_client(tmp_path):
    path = tmp_path / "tiny.map"
    path.write_text(TINY)

    def play_in_time(port, loop):
        """Move in time, while the server does nothing until the time is over."""
        with socket.create_connection((HOST, port), LONG) as plain:
            plain.sendall(encode(Group(1)))
            heard = b""
            while encode(Request(300, 0)) not in heard:
                heard += plain.recv(1000)
            loop.call_soon_threadsafe(time.sleep, 0.8)
            time.sleep(0.1)
            plain.sendall(encode(Move(0, 0, 0)))
            while encode(Moved(0, 0, 0, 1)) not in heard and (more := plain.recv(1000)):
                heard += more

    async def play():
        async with referee(tmp_path, path, Allowance(milliseconds=300), grace=0.0) as host:
            arguments = (host.port, asyncio.get_running_loop())
            thread = threading.Thread(target=play_in_time, args=arguments)
            thread.start()
            await host.joined(1)
            other = asyncio.create_task(join(HOST, host.port, sb.agent("random")))
            played = await host.play()
            await other
            thread.join(LONG)
            return played

    assert run(play()).line.entries[0] == "1:0,0,0"


# The client


class Hasty(sb.Agent):
    """Needs longer than it may."""

    def choose(self, state, budget=None):
        time.sleep(0.6)
        return sb.Decision(state.legal_moves[-1])


def test_a_move_is_sent_in_time_also_for_an_agent_that_is_too_slow(tmp_path):
    path = tmp_path / "tiny.map"
    path.write_text(TINY)
    told = []

    async def play():
        limits = Allowance(milliseconds=300)
        async with referee(tmp_path, path, limits, grace=0.2) as host:
            slow = asyncio.create_task(join(HOST, host.port, Hasty(), 1, tell=told.append))
            await host.joined(1)
            other = asyncio.create_task(join(HOST, host.port, sb.agent("random")))
            return await host.play(), await slow, await other

    played, slow, _ = run(play())
    assert played.disqualified == {}
    assert not slow.disqualified
    assert any("thinks too long" in line for line in told)


async def false_server(messages):
    """Play a game at a server that sends these messages."""

    async def serve(reader, writer):
        for message in messages:
            writer.write(message if isinstance(message, bytes) else encode(message))
        await writer.drain()
        writer.write_eof()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, HOST, 0) as host:
        port = host.sockets[0].getsockname()[1]
        return await join(HOST, port, sb.agent("random"), wait=5)


BEGIN = [Map(TINY), Seat(1)]


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ([], "ended the connection before the game's end"),
        (BEGIN, "ended the connection before the game's end"),
        ([b"HTTP/1.1 400 Bad Request"], "a message has type 72"),
        ([Seat(1)], "expected a Map"),
        ([Map("9"), Seat(1)], "line 1, column 1: '9'"),
        ([Map(TINY), Seat(3)], "player 3 of 2"),
        ([*BEGIN, Moved(2, 0, 0, 1)], "not legal here"),
        ([*BEGIN, Moved(0, 0, 0, 2)], "a move of player 2, whose turn it is not"),
        ([*BEGIN, Disqualified(9)], "players go from 0 to 1"),
        ([*BEGIN, Seat(2)], r"Seat\(player=2\)"),
        ([Map(TINY), Seat(2), Request(5, 0)], "it is not our turn"),
        ([*BEGIN, b"\x06\x00"], "ended within a message"),
        ([b"\x02\xff\xff\xff\xff"], "a map has 4,294,967,295 bytes"),
    ],
)
def test_servers_that_make_no_sense(sent, problem):
    with pytest.raises(sb.EngineError, match=problem) as caught:
        run(false_server(sent))
    check_message(caught.value)


def test_silent_servers_are_given_up():
    async def listen(reader, writer):
        await reader.read()
        writer.close()

    async def silence():
        async with await asyncio.start_server(listen, HOST, 0) as host:
            port = host.sockets[0].getsockname()[1]
            await join(HOST, port, sb.agent("random"), wait=0.2)

    with pytest.raises(sb.EngineError, match=r"said nothing for 0\.2 s"):
        run(silence())


def test_a_client_that_is_disqualified_knows_it():
    finished = run(false_server([*BEGIN, Disqualified(1), EndOfGame()]))
    assert finished.disqualified
    assert finished.player == 0


# The commands


def test_serve_and_replay(cli, tmp_path):
    path = tmp_path / "tiny.map"
    path.write_text(TINY)
    log = tmp_path / "log"
    arguments = ("--port", "0", "--players", "0", "--agent", "random", "--games", "2")
    ran = cli("reversixt", "serve", str(path), *arguments, "--log", str(log), "--pause", "0")
    assert ran.code == 0, ran
    assert "listening on 127.0.0.1:" in ran.out
    assert "game 2: stones " in ran.out
    ran = cli("reversixt", "replay", str(log / "games.txt"))
    assert ran.code == 0
    assert ran.out.endswith("2 games replayed\n")
    assert len(list(log.glob("game-*.txt"))) == 2
    games = log / "games.txt"
    games.write_text(games.read_text().replace("1:0,0,0", "1:1,0,0", 1))
    ran = cli("reversixt", "replay", str(games))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (f"spielbaum: log {games}: line 2: entry 1, 1:1,0,0: the move is not legal\n")


def test_a_person_joins(cli, tmp_path):
    path = tmp_path / "tiny.map"
    path.write_text(TINY)
    ready, ports, results = threading.Event(), [], []

    async def host_a_game():
        async with referee(tmp_path, path) as host:
            ports.append(host.port)
            ready.set()
            await host.joined(1)
            other = asyncio.create_task(join(HOST, host.port, sb.agent("random")))
            results.append(await host.play())
            await other

    thread = threading.Thread(target=run, args=(host_a_game(),))
    thread.start()
    ready.wait(LONG)
    address = f"{HOST}:{ports[0]}"
    ran = cli("reversixt", "join", address, "--agent", "human", typed="5,5\n0,0\n2,0\n1,0\n0,0\n")
    thread.join(LONG)
    assert ran.code == 0, ran
    assert "you are player 1 of 2" in ran.out
    assert "is not legal here" in ran.out
    assert "you were player 1; stones" in ran.out
    assert results[0].disqualified == {}


def test_mistakes_at_the_command_line(cli, tmp_path):
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        log = ("--log", str(tmp_path / "log"))
        wrong = cli("reversixt", "serve", "map4", "--port", port, *log)
        assert_one_clear_line(wrong, f"port {port} of {HOST}", "in use")
    for arguments, words in [
        (("serve", "nowhere", *log), ("map=nowhere", "spielbaum games reversixt")),
        (("serve", "map4", "--time", "soon", *log), ("time=soon",)),
        (("serve", "map4", "--time", "5", "--account", "5", *log), ("expected one of them",)),
        (("serve", "map4", "--players", "4", *log), ("players=4", "from 0 to 3")),
        (("serve", "map4", "--players", "1", "--agent", "utc", *log), ("'utc'", "uct")),
        (("join", f"{HOST}:{port}"), ("cannot be reached (nothing listens there)",)),
        (("join", "no such host:7777"), ("no such host:7777 cannot be reached",)),
        (("join", HOST, "--agent", "utc"), ("'utc'", "uct")),
        (("join", HOST, "--group", "256"), ("group=256", "from 0 to 255")),
        (("join", f"{HOST}:0"), ("expected HOST:PORT",)),
        (("replay", str(tmp_path / "missing")), ("No such file",)),
    ]:
        assert_one_clear_line(cli("reversixt", *arguments), *words)


def test_commands_as_processes(tmp_path):
    """An agent that cannot play the game says so, and is out of it."""
    options = ("--port", "0", "--time", "3000", "--players", "2", "--agent", "random")
    command = [*COMMAND, "reversixt", "serve", "map4", "--log", str(tmp_path), *options]
    ends = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        address = serving.stdout.readline().split()[2].removesuffix(";")

        def enter(agent):
            ends[agent] = process("reversixt", "join", address, "--agent", agent, "--quiet")

        others = [threading.Thread(target=enter, args=(each,)) for each in ("random", "perfect")]
        for each in others:
            each.start()
        said, _ = serving.communicate(timeout=LONG)
        for each in others:
            each.join(LONG)
    assert serving.returncode == 0
    assert "disqualified: connection_" in said
    assert ends["random"].code == 0, ends
    assert_one_clear_line(ends["perfect"], "perfect is for two players")
    assert len(list(replay_file(tmp_path / "games.txt"))) == 1
