"""Messages, times and logs of ReversiXT's protocol, without a network."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

import spielbaum as sb
from helpers import DATA, check_message
from spielbaum.base.errors import StoreError
from spielbaum.protocols.reversixt import messages, server
from spielbaum.protocols.reversixt.logs import (
    GameLine,
    LogError,
    LogFolder,
    replay,
    replay_file,
    stones_of,
)
from spielbaum.protocols.reversixt.messages import (
    FROM_SERVER,
    Disqualified,
    EndOfGame,
    EndOfPhase,
    Group,
    Map,
    Move,
    Moved,
    ProtocolError,
    Request,
    Seat,
    decode,
    encode,
    read_message,
)
from spielbaum.protocols.reversixt.times import Allowance, Pace

GAMES = DATA / "reversixt" / "games.txt"
KINDS = (Group, Map, Seat, Request, Move, Moved, Disqualified, EndOfPhase, EndOfGame)

# What REVERSIXT.md's table says, written out by hand.
BYTES = [
    (Group(7), "01 00000001 07"),
    (Map("2\n0"), "02 00000003 320a30"),
    (Seat(3), "03 00000001 03"),
    (Request(2000, 4), "04 00000005 000007d0 04"),
    (Move(258, 3, 21), "05 00000005 0102 0003 15"),
    (Moved(258, 3, 21, 8), "06 00000006 0102 0003 15 08"),
    (Disqualified(2), "07 00000001 02"),
    (EndOfPhase(), "08 00000000"),
    (EndOfGame(), "09 00000000"),
]


@pytest.mark.parametrize(("message", "written"), BYTES, ids=lambda each: type(each).__name__)
def test_bytes_of_each_message(message, written):
    data = bytes.fromhex(written)
    assert encode(message) == data
    assert decode(data[0], data[5:]) == message


def random_message(rng):
    def number(bits):
        return rng.choice([0, 1, 2**bits - 1, rng.getrandbits(bits)])

    sizes = {
        Group: (8,),
        Seat: (8,),
        Request: (32, 8),
        Move: (16, 16, 8),
        Moved: (16, 16, 8, 8),
        Disqualified: (8,),
    }
    kind = rng.choice(KINDS)
    if kind is Map:
        return Map("".join(rng.choice("0123- \n<>bcix") for _ in range(rng.randrange(300))))
    return kind(*(number(bits) for bits in sizes.get(kind, ())))


async def read_all(data, allowed, ended=True):
    """The messages in some bytes, and what ended them: None, or an error."""
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    if ended:
        reader.feed_eof()
    found = []
    try:
        while (message := await asyncio.wait_for(read_message(reader, allowed), 1)) is not None:
            found.append(message)
    except ProtocolError as error:
        return found, error
    return found, None


def test_streams_of_messages_are_read_back():
    rng = random.Random(1)
    sent = [random_message(rng) for _ in range(2000)]
    data = b"".join(map(encode, sent))
    assert asyncio.run(read_all(data, KINDS)) == (sent, None)


def test_rubbish_is_refused_with_a_reason():
    rng = random.Random(2)
    reasons = set()

    async def fuzz():
        for _ in range(5000):
            data = bytearray(b"".join(encode(random_message(rng)) for _ in range(3)))
            for _ in range(rng.randrange(1, 4)):
                data[rng.randrange(min(len(data), 12))] = rng.getrandbits(8)
            found, error = await read_all(bytes(data[: rng.randrange(1, len(data) + 1)]), KINDS)
            assert all(isinstance(each, KINDS) for each in found)
            if error is not None:
                check_message(error)
                reasons.add(error.reason)

    asyncio.run(fuzz())
    assert reasons == {"unknown_message", "message_too_long", "message_too_short", "half_message"}


@pytest.mark.parametrize(
    ("data", "allowed", "reason"),
    [
        ("05 ffffffff", (Move,), "message_too_long"),
        ("05 00000004", (Move,), "message_too_short"),
        ("01 00000001", (Move,), "unknown_message"),
        ("02 ffffffff", FROM_SERVER, "message_too_long"),
        ("02 000f4241", FROM_SERVER, "message_too_long"),
        ("0a 00000000", FROM_SERVER, "unknown_message"),
    ],
)
def test_a_header_is_enough_to_refuse_a_message(data, allowed, reason):
    # The stream has no end: whoever asked for the payload would wait for it.
    found, error = asyncio.run(read_all(bytes.fromhex(data), allowed, ended=False))
    assert found == []
    assert error.reason == reason


def test_numbers_that_do_not_fit_are_not_written():
    for message in (Move(65536, 0, 0), Group(256), Request(2**32, 0)):
        with pytest.raises(messages.struct.error):
            encode(message)


class DeafWriter:
    """A connection whose other end reads nothing."""

    def __init__(self):
        self.size = 0
        self.transport = self

    def write(self, data):
        self.size += len(data)

    def get_write_buffer_size(self):
        return self.size

    def is_closing(self):
        return False


def test_a_client_that_does_not_read_is_lost_before_much_is_kept_for_it():
    heard = []

    async def flood():
        writer = DeafWriter()
        client = server.Connection(
            asyncio.StreamReader(), writer, 1, lambda client, said: heard.append(said)
        )
        client.send(Map("0" * messages.MOST_BYTES))
        for _ in range(5000):
            client.send(Moved(1, 2, 0, 3))
        assert heard == []
        while not heard:
            client.send(Moved(1, 2, 0, 3))
        return writer.size

    assert asyncio.run(flood()) < server.MOST_UNREAD + 20
    assert heard == ["not_reading"]


# Times


def test_an_account_gains_before_each_request():
    allowance = Allowance(account=10_000)
    limits = allowance.limits
    assert allowance.request(limits.clock) == Request(12_000, 0)
    left = limits.clock - 5 + limits.increment  # what a table makes of a move of five seconds
    assert allowance.request(left) == Request(9_000, 0)
    assert allowance.request(0.0001) == Request(1, 0)  # 0 would be no limit
    assert Allowance(account=1, added=0).limits.clock == 0.001


def test_one_kind_of_time():
    with pytest.raises(sb.SpecError, match="time=5 and account=7: expected one of them"):
        Allowance(milliseconds=5, account=7)


def test_the_pace_of_a_client():
    pace = Pace(margin=50)
    for milliseconds in (60_000, 20_000, 2_000, 100, 40, 1):
        seconds = pace.budget(Request(milliseconds, 0)).seconds
        assert (
            0.001
            <= seconds
            <= max(milliseconds / 1000 - pace.margin(Request(milliseconds, 0)), 0.001)
        )
    assert pace.budget(Request(1, 0)).seconds == 0.001
    fixed = Pace(margin=50)
    fixed.budget(Request(400, 3))
    assert fixed.budget(Request(400, 3)) == sb.Budget(seconds=0.35, depth=3)
    assert fixed.budget(Request(0, 0)) == sb.Budget()


def test_an_account_is_never_overdrawn():
    pace, left = Pace(margin=50), 3.0
    for _ in range(500):
        seconds = pace.budget(Request(int(left * 1000), 0)).seconds
        assert seconds + 0.05 <= left
        left += 2 - seconds - 0.05
    assert left > 1


# Logs


def test_official_games_replay():
    games = list(replay_file(GAMES))
    assert len(games) == 56
    for line, state in games:
        assert GameLine.parse(line.text) == line
        assert stones_of(state) == line.stones


LINE = GameLine("othello8x8", "a game", ("1:2,4,0", "2!0,0,0"), "4,D")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"entries": ("1:2,4,0",)}, "the game is not over after 1 entries"),
        ({"entries": ("2:2,4,0",)}, "entry 1, 2:2,4,0: it is the turn of player 1"),
        ({"entries": ("1:0,0,0",)}, "entry 1, 1:0,0,0: the move is not legal"),
        ({"entries": ("1!2,4,0",)}, "the move was rejected, but is legal"),
        ({"entries": ("2!0,0,0",)}, "it is the turn of player 1"),
        ({"entries": ("3!left",)}, "players go from 0 to 1"),
        ({"entries": ("9:2,4,0",)}, "expected p:x,y,choice"),
        ({"entries": ("1:2,4",)}, "expected p:x,y,choice"),
        ({"entries": ("1:left",)}, "expected p:x,y,choice"),
        ({"entries": ("1!left", "2:2,4,0")}, "entry 2, 2:2,4,0: the game is over"),
        ({"stones": "4,1"}, "the stones are 4,D, but the log has 4,1"),
        ({"map": "nowhere"}, "map 'nowhere': expected a file beside the log"),
    ],
)
def test_differences_are_found(changes, problem):
    assert replay(LINE).outcome is not None
    with pytest.raises(LogError) as caught:
        replay(GameLine(**{**vars(LINE), **changes}))
    assert problem in str(caught.value)
    check_message(caught.value)


def test_a_missing_move_is_found():
    rng = random.Random(3)
    lines = [GameLine.parse(each) for each in GAMES.read_text().splitlines()[1:]]
    found = 0
    for line in rng.sample(lines, 20):
        entries = list(line.entries)
        del entries[rng.randrange(len(entries))]
        try:
            replay(GameLine(line.map, line.name, tuple(entries), line.stones))
        except LogError:
            found += 1
    assert found >= 19  # a bomb less may hit nothing


def test_a_folder_of_logs_has_its_maps(tmp_path):
    own = tmp_path / "my map,1.map"
    own.write_bytes(b"2\r\n0\r\n0 0\r\n1 3\r\n0 2 1\r\n")
    for _ in range(2):  # a second run finds the same map
        logs = LogFolder(tmp_path / "logs", str(own))
    assert logs.map == "maps/my_map_1.map"
    logs.add(logs.free_name("game"), ["1:0,0,0"], "3,0")
    logs.boards("game-1").close()
    assert logs.free_name("game") == "game-2"
    other = tmp_path / "other" / own.name
    other.parent.mkdir()
    other.write_text("2\n0\n0 0\n1 4\n0 2 1 -\n")
    second = LogFolder(tmp_path / "logs", str(other))
    assert second.map == "maps/my_map_1-2.map"
    second.add("game-2", ["1:0,0,0"], "3,0")
    own.unlink()
    assert [state.outcome.winner for _, state in replay_file(logs.games)] == [0, 0]


def test_logs_that_are_none(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("# nothing\n\nfields|are|missing\n")
    with pytest.raises(LogError, match=r"line 3: 3 fields; expected map\|name\|moves\|stones"):
        list(replay_file(path))
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(StoreError, match=r"log\.txt"):
        list(replay_file(path))
    with pytest.raises(StoreError, match="No such file"):
        list(replay_file(Path("/nowhere/log.txt")))
