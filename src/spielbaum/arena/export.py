"""Games and results as text: Markdown, CSV, JSON, and a notation for people."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict

from spielbaum.play.referee import GameRecord

COLUMNS = (
    *("number", "group", "game", "agents", "limits", "start", "opening", "moves"),
    *("rewards", "ended_by", "reason", "seconds", "started"),
)


def to_csv(records: Iterable[GameRecord]) -> str:
    r"""A line for each game, with a first line of names.

    >>> to_csv([]).splitlines()[0].split(",")[:3]
    ['number', 'group', 'game']
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for record in records:
        task = record.task
        writer.writerow(
            [
                task.number,
                task.group,
                task.game,
                " | ".join(seat.name for seat in task.seats),
                " | ".join(seat.limits.text for seat in task.seats),
                task.start,
                len(task.opening),
                " ".join(record.moves),
                " ".join(f"{reward:g}" for reward in record.rewards),
                record.ended_by,
                record.reason,
                f"{sum(record.seconds):.3f}",
                _date(record.started),
            ]
        )
    return text.getvalue()


def to_json(records: Iterable[GameRecord]) -> str:
    """A list of games with everything that is known of them.

    >>> to_json([])
    '[]'
    """
    games = [{**asdict(record), "task": record.task.to_dict()} for record in records]
    return json.dumps(games, indent=1)


def to_pgn(records: Iterable[GameRecord]) -> str:
    """Games with headers in brackets and numbered moves, as chess players write them.

    >>> from spielbaum.play.referee import GameTask, Seat, play_game
    >>> from spielbaum.play.limits import Limits
    >>> seats = (Seat("perfect", Limits()), Seat("perfect", Limits()))
    >>> print(to_pgn([play_game(GameTask("tictactoe", seats))]).splitlines()[-2].split()[-1])
    1/2-1/2
    """
    return "".join(_pgn(record) + "\n" for record in records)


WRITERS: dict[str, Callable[[Iterable[GameRecord]], str]] = {
    "csv": to_csv,
    "json": to_json,
    "pgn": to_pgn,
}


def _pgn(record: GameRecord) -> str:
    task = record.task
    two = {0: "1-0", 1: "0-1", None: "1/2-1/2"}
    result = two[record.winner] if len(task.seats) == 2 else "/".join(map(str, record.rewards))
    headers = {
        "Event": f"game {task.number}",
        "Date": _date(record.started)[:10].replace("-", "."),
        **{f"Player{i}": seat.name for i, seat in enumerate(task.seats, start=1)},
        **{f"Limits{i}": seat.limits.text for i, seat in enumerate(task.seats, start=1)},
        "Variant": task.game,
        **({"FEN": task.start} if task.start else {}),
        "Opening": f"{len(task.opening)} plies",
        "Result": result,
        "Termination": f"{record.ended_by}: {record.reason}",
    }
    quoted = (
        (name, text.replace("\\", "\\\\").replace('"', '\\"')) for name, text in headers.items()
    )
    lines = [f'[{name} "{text}"]' for name, text in quoted]
    players = len(task.seats)
    words = [
        f"{ply // players + 1}. {move}" if ply % players == 0 else move
        for ply, move in enumerate(record.moves)
    ]
    return "\n".join([*lines, "", " ".join([*words, result]), ""])


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
