"""A tournament over TCP: eight clients on a map for eight, three of them hostile.

The server and each honest client are processes of their own, by the commands of the package. Seats
are taken in another order in every game. Per game: seconds, and who was disqualified why. At the
end: the server's peak memory, and whether all logs replay. Exit code 1 if an honest client was
disqualified, a hostile one was not, a game took longer than all that its players may and 10 s, the
server needed 300 MB, or a log does not replay.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from spielbaum.protocols.reversixt.logs import replay_file
from spielbaum.protocols.reversixt.messages import (
    FROM_SERVER,
    Group,
    Move,
    Request,
    encode,
    read_message,
)
from spielbaum.protocols.reversixt.times import Allowance

COMMAND = [sys.executable, "-m", "spielbaum", "reversixt"]
HONEST = ("mcts", "uct", "rave", "lgr", "random")
HOSTILE = {101: "late", 102: "dying", 103: "rubbish"}
"""What hostile clients do, by their groups."""
MOST_MEGABYTES = 300
MOST_SECONDS_MORE = 10.0


async def hostile(port: int, group: int, number: int) -> None:
    """Join a game and spoil it at some move, another one in each game."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(encode(Group(group)))
    try:
        while (message := await read_message(reader, FROM_SERVER)) is not None:
            if isinstance(message, Request):
                match HOSTILE[group]:
                    case "late":
                        await asyncio.sleep(message.milliseconds / 1000 + 1)
                        writer.write(encode(Move(0, 0, 0)))
                    case "dying":
                        writer.write(encode(Move(1, 1, 0))[: number % 10])
                        await writer.drain()
                        return
                    case "rubbish":
                        junk = b"\x05\xff\xff\xff\xff" if number % 2 else b""
                        for _ in range(100):
                            writer.write(junk + os.urandom(100_000))
                            await writer.drain()
    except OSError:
        pass  # the server has had enough
    finally:
        writer.transport.abort()


async def play(number: int, serving: subprocess.Popen[str], port: int) -> tuple[str, float]:
    """Send eight clients to the server, and return what it says about their game."""
    assert serving.stdout is not None
    groups = [*range(1, len(HONEST) + 1), *HOSTILE]
    groups = groups[number % 8 :] + groups[: number % 8]
    clients, guests = [], []
    for group in groups:
        if group in HOSTILE:
            guests.append(asyncio.create_task(hostile(port, group, number)))
        else:
            options = ["--agent", HONEST[group - 1], "--group", str(group), "--quiet"]
            clients.append(
                subprocess.Popen(
                    [*COMMAND, "join", f"127.0.0.1:{port}", *options],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
        await next_line(serving, "joined from")  # the order of the seats
    began = time.perf_counter()
    said = await next_line(serving, "game ")
    seconds = time.perf_counter() - began
    await asyncio.gather(*guests)
    for client in clients:
        out, _ = await asyncio.to_thread(client.communicate, timeout=60)
        if client.returncode != 0:
            said += f"; HONEST CLIENT: {out.strip()}"
    return said, seconds


async def next_line(serving: subprocess.Popen[str], words: str) -> str:
    assert serving.stdout is not None
    while words not in (line := await asyncio.to_thread(serving.stdout.readline)):
        if not line:
            raise RuntimeError("the server has ended")
    return line.strip()


async def tournament(map_name: str, games: int, allowance: Allowance, log: Path) -> bool:
    """Play, print and judge."""
    command = [*COMMAND, "serve", map_name, "--port", "0"]
    if allowance.account:
        command += ["--account", str(allowance.account), "--added", str(allowance.added)]
    else:
        command += ["--time", str(allowance.milliseconds)]
    for_move = allowance.added if allowance.account else allowance.milliseconds
    command += ["--games", str(games), "--log", str(log), "--wait", "60"]
    fine = True
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        port = int(re.search(r":(\d+);", await next_line(serving, "listening"))[1])  # type: ignore[index]
        for number in range(games):
            said, seconds = await play(number, serving, port)
            out = {int(each) for each in re.findall(r"\(group (\d+)\) disqualified", said)}
            (*_, line) = log.joinpath("games.txt").read_text().splitlines()
            moves = line.split("|")[2].count(":")
            allowed = (moves + len(out)) * for_move / 1000 + MOST_SECONDS_MORE
            allowed += (len(HONEST) + len(HOSTILE)) * allowance.account / 1000
            fine &= out == set(HOSTILE) and "HONEST" not in said and seconds <= allowed
            print(f"{said}; {seconds:.1f} of {allowed:.1f} s in all, {moves} moves", flush=True)
        _, _, used = os.wait4(serving.pid, 0)
        megabytes = used.ru_maxrss / 1024
        print(f"peak memory of the server: {megabytes:.0f} MB")
    replayed = sum(1 for _ in replay_file(log / "games.txt"))
    print(f"{replayed} of {games} logs replay")
    return fine and replayed == games and megabytes < MOST_MEGABYTES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--map", default="map28")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--time", type=int, default=100, help="milliseconds for each move")
    parser.add_argument("--account", type=int, help="milliseconds of an account instead")
    parser.add_argument("--log", type=Path, help="folder of the logs, if they are to be kept")
    given = parser.parse_args()
    allowance = Allowance(account=given.account) if given.account else Allowance(given.time)
    with tempfile.TemporaryDirectory() as folder:
        log = given.log or Path(folder) / "log"
        fine = asyncio.run(tournament(given.map, given.games, allowance, log))
    print("all as it should be" if fine else "NOT as it should be")
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
