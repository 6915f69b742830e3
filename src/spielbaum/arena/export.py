"""Games of the arena as files: CSV, JSON, and every format of game records."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict

from spielbaum.games import game
from spielbaum.games.records import GameTree, formats
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


def to_tree(record: GameRecord) -> GameTree:
    """The record of a game in the form that all file formats share.

    >>> from spielbaum.play.referee import GameTask, Seat, play_game
    >>> from spielbaum.play.limits import Limits
    >>> seats = (Seat("perfect", Limits()), Seat("perfect", Limits()))
    >>> tree = to_tree(play_game(GameTask("tictactoe", seats)))
    >>> tree.players, tree.rewards
    (['perfect', 'perfect'], (0.0, 0.0))
    """
    task = record.task
    rules = game(task.game)
    start = rules.state(task.start) if task.start else rules.initial()
    tree = GameTree.of_moves(start, record.moves)
    tree.players = [seat.name for seat in task.seats]
    tree.rewards = tuple(float(reward) for reward in record.rewards)
    tree.tags = {
        "Event": f"game {task.number}",
        "Date": _date(record.started)[:10].replace("-", "."),
        **{f"Limits{i}": seat.limits.text for i, seat in enumerate(task.seats, start=1)},
        "Opening": f"{len(task.opening)} plies",
        "Termination": f"{record.ended_by}: {record.reason}",
    }
    thought = list(tree.main_line())[len(task.opening) :]
    for node, seconds in zip(thought, record.seconds, strict=False):
        node.facts["seconds"] = f"{seconds:g}"
    return tree


def export(records: Iterable[GameRecord], form: str) -> Iterator[bytes]:
    """Write games as CSV, as JSON, or in a format of game records, in pieces.

    >>> b"".join(export([], "json"))
    b'[]'
    """
    if form in TEXTS:
        return iter([TEXTS[form](records).encode()])
    writer = formats()[form].write
    assert writer is not None
    return writer(map(to_tree, records))


TEXTS: dict[str, Callable[[Iterable[GameRecord]], str]] = {"csv": to_csv, "json": to_json}


def export_formats() -> tuple[str, ...]:
    """Names of all that `export` can write.

    >>> {"csv", "json", "pgn", "ggf", "wthor"} <= set(export_formats())
    True
    """
    return (*TEXTS, *(name for name, each in formats().items() if each.write is not None))


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
