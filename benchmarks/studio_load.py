"""Fifty visitors at once play with 200 ms a move: does every search get its turn?"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import websockets

import spielbaum as sb

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from studio_server import Server, running

MEDIAN_SECONDS, MOST_SECONDS = 7.5, 15.0


class Visitor:
    """Plays games of Connect Four over a socket: his own moves are the first legal ones."""

    def __init__(self, number: int, agent: str, remembers: bool) -> None:
        """``remembers``: whether the agent is kept from move to move, as in games of the page."""
        self.number, self.agent, self.remembers = number, agent, remembers
        self.waits: list[float] = []
        self.places: list[int] = []
        self.problems: list[str] = []
        self.kept = 0
        self.games = 0

    async def play(self, address: str, seconds: float) -> None:
        end = time.monotonic() + seconds
        async with websockets.connect(address, max_size=2**20) as socket:
            state = sb.game("connect4").initial()
            while time.monotonic() < end:
                if state.outcome is not None or len(state.history) > 40:
                    state = sb.game("connect4").initial()
                    await socket.send(json.dumps({"type": "leave", "session": f"g{self.games}"}))
                    self.games += 1
                state = state.play(state.legal_moves[self.number % len(state.legal_moves)])
                if state.outcome is None:
                    move = await self._ask(socket, state)
                    if move is None:
                        return
                    state = state.play(move)

    async def _ask(self, socket: websockets.ClientConnection, state: sb.State) -> str | None:
        began = time.monotonic()
        position = {"game": "connect4", "start": state.notation}
        request = {"type": "search", "id": "s", "position": position, "agent": self.agent}
        game = {"session": f"g{self.games}"} if self.remembers else {}
        await socket.send(json.dumps({**request, **game, "limits": {"seconds": 0.2}}))
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "done":
                self.waits.append(time.monotonic() - began)
                self.kept += message["value"]["stats"].get("kept", 0) > 0
                return str(message["value"]["move"])
            if message["type"] == "queued":
                self.places.append(message["value"])
            elif message["type"] in ("failed", "lost", "error"):
                self.problems.append(str(message))
                return None
        self.problems.append("the server closed the connection")
        return None


def megabytes(server: Server) -> float:
    """Memory of the server and its processes that nothing else uses."""
    total = 0
    for process in (server.process.pid, *server.workers()):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


async def visit(server: Server, options: argparse.Namespace) -> tuple[list[Visitor], float]:
    """Let people play; also answers the megabytes of the server while they do, at the end."""
    remembers = not options.forgetful
    people = [Visitor(number, options.agent, remembers) for number in range(options.visitors)]
    playing = [each.play(server.socket_address, options.seconds) for each in people]

    async def weigh() -> float:
        await asyncio.sleep(0.9 * options.seconds)
        return await asyncio.to_thread(megabytes, server)

    used, *_ = await asyncio.gather(weigh(), *playing)
    return people, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--agent", default="uct")
    parser.add_argument("--forgetful", action="store_true", help="Keep no agents between moves.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
        before = megabytes(server)
        people, during = asyncio.run(visit(server, options))
        after = megabytes(server)
    waits = sorted(wait for each in people for wait in each.waits)
    problems = [problem for each in people for problem in each.problems]
    late = waits[int(0.95 * (len(waits) - 1))]
    print(f"{options.visitors} visitors, {len(waits)} moves of {options.agent} with 200 ms each")
    print(
        f"seconds until the answer: median {statistics.median(waits):.2f}, 95 % within {late:.2f}"
    )
    print(f"slowest {waits[-1]:.2f}; fewest moves of a visitor {min(len(p.waits) for p in people)}")
    print(f"told their place in the queue: {sum(bool(each.places) for each in people)} visitors")
    print(f"moves that began with what was kept of the move before: {sum(p.kept for p in people)}")
    print(
        f"memory of the server and its processes: {before:.0f} MB before, {during:.0f} MB during, "
        f"{after:.0f} MB after"
    )
    print(f"problems: {len(problems)} {problems[:3]}")
    if problems or statistics.median(waits) > MEDIAN_SECONDS or late > MOST_SECONDS:
        sys.exit(
            f"expected no problems, a median of {MEDIAN_SECONDS} s and 95 % in {MOST_SECONDS} s"
        )


if __name__ == "__main__":
    main()
