"""The studio's searches without its server: agents that are kept, processes that are replaced."""

from __future__ import annotations

import asyncio
import time

import pytest

import spielbaum as sb
from spielbaum.base.workers import Failed, Pool, desk
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services import pool as searches
from spielbaum.studio.services.pool import SearchPool
from spielbaum.studio.services.positions import Replays, describe, replay
from spielbaum.studio.services.protocol import Position, SearchMessage

MOVES = ["d1", "d2", "d3", "d4", "d5", "d6", "a1", "b1", "a2", "b2"]


class Visitors:
    """Asks for searches, and has what each of them was told."""

    def __init__(self, pool):
        self.pool = pool
        self.told = {}

    def search(self, name, session="", moves=(), agent="mcts:seed=1", **limits):
        told = self.told[name] = []
        request = SearchMessage(
            type="search",
            id=name,
            session=session,
            position=Position(game="connect4", moves=list(moves)),
            agent=agent,
            limits=limits or {"iterations": 2000},
        )
        seat = (name[0], session, len(moves) % 2, agent) if session else None
        return self.pool.submit(name[0], request, lambda *news: told.append(news), seat)

    async def end(self, name, seconds=60.0):
        until = time.monotonic() + seconds
        while not self.told[name] or self.told[name][-1][0] in ("queued", "started", "report"):
            assert time.monotonic() < until, self.told[name]
            await asyncio.sleep(0.01)
        return self.told[name][-1]

    async def decide(self, name, *arguments, **options):
        self.search(name, *arguments, **options)
        kind, decision = await self.end(name)
        assert kind == "done", decision
        return decision


def with_pool(play, **settings):
    async def run():
        pool = SearchPool(Settings(**settings))
        pool.start()
        try:
            return await play(pool, Visitors(pool))
        finally:
            await pool.close()

    return asyncio.run(run())


def test_a_seat_keeps_its_tree_until_its_game_is_left():
    async def play(pool, visitors):
        first = await visitors.decide("a1", "game")
        moves = [move.text for move in first.pv[:2]]
        second = await visitors.decide("a2", "game", moves)
        assert (first.stats["kept"], second.stats["kept"] > 100) == (0, True)
        # Neither an analysis nor another player's seat or another visitor's game knows of it.
        assert (await visitors.decide("a3", "", moves)).stats["kept"] == 0
        assert (await visitors.decide("b1", "game", moves)).stats["kept"] == 0
        assert (await visitors.decide("a4", "game", moves[:1])).stats["kept"] == 0
        pool.leave("a", "game")
        assert (await visitors.decide("a5", "game", moves)).stats["kept"] == 0
        again = await visitors.decide("a6", "game", moves)
        assert again.stats["kept"] >= 2000
        pool.leave("a")
        assert (await visitors.decide("a7", "game", moves)).stats["kept"] == 0
        assert (await visitors.decide("b2", "game", moves)).stats["kept"] >= 2000

    with_pool(play, workers=1)


def test_the_agents_that_were_not_used_for_longest_are_dropped():
    async def play(pool, visitors):
        for name in "abc":
            await visitors.decide(name, "game")
        kept = [(await visitors.decide(f"{name}2", "game")).stats["kept"] for name in "cba"]
        assert [each > 0 for each in kept] == [True, True, False]

    with_pool(play, workers=1, kept_agents=2)


def test_a_seat_whose_process_is_busy_begins_anew_in_an_idle_one():
    async def play(pool, visitors):
        await visitors.decide("a1", "game")
        long = [visitors.search(f"{name}1", "game", seconds=30) for name in "bc"]
        while not all(ticket.task for ticket in long):
            await asyncio.sleep(0.01)
        pool.stop(long[0])
        assert (await visitors.end("b1"))[0] == "done"
        # The third game is in the process of the first one, and still searches.
        kept = [(await visitors.decide(name, "game")).stats["kept"] for name in ("a2", "a3")]
        assert (kept[0], kept[1] >= 2000) == (0, True)
        pool.stop(long[1])
        assert (await visitors.end("c1"))[0] == "done"

    with_pool(play, workers=2)


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ("die", "lost", "its process ended (SIGKILL)"),
        ("sleep", "lost", "did not answer in time"),
        ("stop", "lost", "did not stop when it was told to"),
        ("raise", "failed", "RuntimeError: no idea"),
        ("illegal", "failed", "9999"),
    ],
)
def test_what_agents_do_wrong_is_told(monkeypatch, how, kind, words):
    monkeypatch.setattr(searches, "LATE_SECONDS", 60.0 if how == "stop" else 0.5)
    monkeypatch.setattr(searches, "STOP_SECONDS", 0.5)

    async def play(pool, visitors):
        agent = f"strange:how={how.replace('stop', 'sleep')}"
        ticket = visitors.search("a1", agent=agent, seconds=0.1)
        if how == "stop":
            await asyncio.sleep(1.0)
            pool.stop(ticket)
        told = await visitors.end("a1")
        assert told[0] == kind
        assert words in told[1]
        assert (await visitors.decide("a2")).move

    with_pool(play, workers=1, imports=("strange_agents",))


def test_processes_that_cannot_start_are_told():
    async def play(pool, visitors):
        visitors.search("a1")
        assert "nosuch" in (await visitors.end("a1"))[1]

    with_pool(play, workers=1, imports=("nosuch_module",))


def test_an_exchange_plays_each_move_once(monkeypatch):
    played = []
    play = sb.State.play
    monkeypatch.setattr(
        sb.State, "play", lambda self, move: played.append(move) or play(self, move)
    )
    server, worker = Replays(), Replays()
    for ply in range(2, len(MOVES), 2):
        before = Position(game="connect4", moves=MOVES[: ply - 1])
        for known in (server, server, worker):  # the person's move, the search, in its process
            known.find(before)
        server.find(Position(game="connect4", moves=MOVES[:ply]))  # the agent's move
    server_plays, worker_plays = ply, ply - 1
    assert len(played) == server_plays + worker_plays


def test_positions_that_are_known_are_those_that_are_replayed():
    for moves in (MOVES, MOVES[:3], [*MOVES[:3], "e1"], MOVES[:9], MOVES):
        position = Position(game="connect4", start="7", moves=moves)
        state, path = replay(position)
        assert state == sb.game("connect4").state(
            "7" + "".join(str("abcdefg".index(move[0]) + 1) for move in moves)
        )
        assert describe(state, path) == describe(state)
    with pytest.raises(sb.IllegalMove):
        replay(Position(game="connect4", moves=[*MOVES, "d7"]))


def kept_numbers(number):
    known = desk().keep(list)
    known.append(number)
    return list(known)


class Odd(Exception):
    def __init__(self, one, two):
        super().__init__(one)


def complain():
    raise Odd("what", "ever")


def test_a_pool_forgets_and_tells_what_cannot_be_sent():
    with Pool(1) as pool:

        def result(*arguments, **options):
            pool.give(*arguments, **options)
            (event,) = pool.events()
            return event.result

        assert [result(kept_numbers, number, keep="a") for number in (1, 2)][-1] == [1, 2]
        assert pool.free("a")
        pool.forget("a")
        assert result(kept_numbers, 3, keep="a") == [3]
        pool.give(complain)
        (event,) = pool.events()
        assert isinstance(event, Failed)
        assert "Odd: what" in str(event.error)
