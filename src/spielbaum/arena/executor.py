"""Who plays the games of a plan: workers of a pool, or this process."""

from __future__ import annotations

import itertools
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spielbaum.base.workers import Done, Failed, Lost, Place, Pool, Told, desk
from spielbaum.play.referee import GameRecord, GameTask, Players, play_game, start_of
from spielbaum.play.table import Turn, Watcher, forfeit

HANG_SECONDS = 60.0
"""How long an agent may be late before it is taken to hang."""
LOOK_SECONDS = 0.2
BATCH_SECONDS = 0.1
"""Games of this process that are handed over together."""


class Executor(ABC):
    """Plays games somewhere and hands them over as they end, in any order."""

    @abstractmethod
    def batches(self, tasks: Iterable[GameTask]) -> Iterator[list[GameRecord]]:
        """Play all tasks; answers what has ended since the last answer."""

    def run(self, tasks: Iterable[GameTask]) -> Iterator[GameRecord]:
        """Play all tasks; leaving the loop early ends what is still played."""
        for batch in self.batches(tasks):
            yield from batch


class Here(Executor):
    """Plays games in this process, one after the other."""

    def batches(self, tasks: Iterable[GameTask]) -> Iterator[list[GameRecord]]:
        """Play all tasks."""
        players = Players()
        batch, began = [], time.monotonic()
        for task in tasks:
            batch.append(play_game(task, players))
            if time.monotonic() - began > BATCH_SECONDS:
                yield batch
                batch, began = [], time.monotonic()
        yield batch


@dataclass
class Attempt:
    """A game that is to be played, and how often its worker was lost."""

    task: GameTask
    losses: int = 0


class Workers(Executor):
    """Plays games in a pool of workers: processes of this machine, or those of a cluster.

    An agent that hangs loses its game, and so does one whose worker dies again and again.

    >>> from spielbaum.play.referee import Seat
    >>> from spielbaum.play.limits import Limits
    >>> seats = (Seat("random", Limits(), 1), Seat("random", Limits(), 2))
    >>> tasks = [GameTask("tictactoe", seats, number=number) for number in range(3)]
    >>> sorted(record.task.number for record in Workers(jobs=1).run(tasks))
    [0, 1, 2]
    """

    def __init__(
        self,
        jobs: int | None = None,
        hang: float = HANG_SECONDS,
        imports: Sequence[str] = (),
        megabytes: int | None = None,
        place: Place | None = None,
    ) -> None:
        """See `Pool`; ``hang``: how long an agent may be late."""
        self._jobs, self._hang = jobs, hang
        self._imports, self._megabytes, self._place = imports, megabytes, place
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End `run` within a moment, from another thread, as if its loop were left; for good."""
        self._stopped.set()

    def batches(self, tasks: Iterable[GameTask]) -> Iterator[list[GameRecord]]:
        """Play all tasks; a worker is replaced when it is lost or when its agent hangs."""
        again: deque[Attempt] = deque()
        new = map(Attempt, tasks)
        given: dict[int, Attempt] = {}
        with Pool(self._jobs, self._place, self._imports, self._megabytes) as pool:
            pool.start()  # while openings are drawn
            while not self._stopped.is_set():
                following = itertools.chain(_taken(again), new)
                for attempt in itertools.islice(following, max(pool.room, 0)):
                    given[pool.give(play_noted, attempt.task, self._hang)] = attempt
                if not given:
                    return
                batch = []
                for event in pool.events(LOOK_SECONDS):
                    match event:
                        case Done(task, played):
                            batch.append(GameRecord(given.pop(task).task, *played))
                        case Failed(_, error):  # it makes no sense: whoever made it should know
                            raise error
                        case Lost(task):
                            attempt = given.pop(task)
                            attempt.losses += 1
                            if event.how == "death" and attempt.losses < pool.place.attempts:
                                again.append(attempt)
                            else:
                                batch.append(lost_game(attempt.task, event))
                        case Told():
                            pass
                if batch:
                    yield batch


def _taken(attempts: deque[Attempt]) -> Iterator[Attempt]:
    while attempts:
        yield attempts.popleft()


def play_noted(task: GameTask, hang: float) -> tuple[Any, ...]:
    """Play a game at a worker's desk, where it is noted who thinks and what was played.

    Answers the record without its task, which whoever gave it has: it need not be sent twice.
    """
    record = play_game(task, desk().keep(Players), (_Notes(task, hang),))
    _, *played = vars(record).values()
    return tuple(played)


class _Notes(Watcher):
    """Notes every move, and how long whoever is asked next may think."""

    def __init__(self, task: GameTask, hang: float) -> None:
        self._note = desk().slate.note
        self._longest = [seat.limits.longest + hang for seat in task.seats]

    def asked(self, turn: Turn) -> None:
        last = turn.state.last_move if turn.ply else None  # moves of the opening are known
        self._note(() if last is None else (last,), self._longest[turn.player])


def lost_game(task: GameTask, event: Lost) -> GameRecord:
    """The record of a game that whoever was asked last loses, for what became of the worker."""
    state, moves = start_of(task), list(task.opening)
    for action in event.note.values:
        moves.append(state.text(action))
        state = state.play(action)
    player = state.to_move
    rewards = forfeit(len(task.seats), player)
    if event.how == "hang":
        ended_by, reason = "hang", f"no move after {event.note.seconds:.0f} s"
    else:
        ended_by, reason = "crash", f"its process died ({event.ended})"
    return GameRecord(task, tuple(moves), rewards, ended_by, f"{task.seats[player].name}: {reason}")
