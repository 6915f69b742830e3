"""Games on a Ray cluster, by the same tasks and with the same results as on one machine."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spielbaum.agents import Decision
from spielbaum.arena.workers import HANG_SECONDS, LOOK_SECONDS, Attempt, lost_game
from spielbaum.base.discover import when_needed
from spielbaum.base.errors import SpecError
from spielbaum.base.imports import import_modules
from spielbaum.play.referee import GameRecord, GameTask, Players, play_game
from spielbaum.play.table import Turn, Watcher

ATTEMPTS = 4
"""How often a game is begun whose worker is lost; that need not be the fault of an agent."""


class RayExecutor:
    """Plays games in workers of a Ray cluster; without an address, of one on this machine.

    A worker that is lost is replaced, and its game is played again. One that hangs is ended, and
    the agent that was to move loses the game. Needs the extra ``cluster``.
    """

    def __init__(
        self,
        workers: int | None = None,
        hang: float = HANG_SECONDS,
        imports: Sequence[str] = (),
        address: str | None = None,
    ) -> None:
        """``workers``: how many; without it, one for each core of the cluster."""
        self._ray, self._workers = join_cluster(workers, address)
        self._hang = hang
        self._imports = tuple(imports)

    def run(self, tasks: Iterable[GameTask]) -> Iterator[GameRecord]:
        """Play all tasks; records come as games end."""
        ray = self._ray
        waiting = deque(Attempt(task) for task in tasks)
        idle = [self._new_player() for _ in range(min(self._workers, len(waiting)))]
        self._check_start(idle)
        running: dict[Any, tuple[Any, Attempt, float]] = {}
        try:
            while waiting or running:
                while idle and waiting:
                    player, attempt = idle.pop(), waiting.popleft()
                    reference = player.play.remote(attempt.task)
                    running[reference] = (player, attempt, time.monotonic())
                ended, _ = ray.wait(list(running), timeout=LOOK_SECONDS)
                for reference in ended:
                    player, attempt, _ = running.pop(reference)
                    try:
                        record = ray.get(reference)
                    except ray.exceptions.RayActorError:
                        idle.append(self._new_player())
                        attempt.count += 1
                        if attempt.count < ATTEMPTS:
                            waiting.appendleft(attempt)
                        else:
                            reason = f"its worker was lost {ATTEMPTS} times"
                            yield lost_game(attempt.task, 0, (), "crash", reason)
                        continue
                    idle.append(player)
                    yield record
                for reference in list(running):
                    late = self._late(*running[reference])
                    if late is not None:
                        ray.kill(running.pop(reference)[0])
                        idle.append(self._new_player())
                        yield late
        finally:
            for player in (*idle, *(each[0] for each in running.values())):
                ray.kill(player)

    def _check_start(self, players: Sequence[Any]) -> None:
        """A worker that cannot even start would look like one that is lost again and again."""
        try:
            self._ray.get([player.status.remote() for player in players])
        except self._ray.exceptions.RayActorError as error:
            said = str(error).strip().splitlines()[-1]
            raise SpecError(f"workers of the cluster cannot start: {said:.200}") from None

    def _new_player(self) -> Any:
        # Two threads: one plays, the other tells how it goes.
        remote = self._ray.remote(num_cpus=1, max_concurrency=2)(RemotePlayer)
        return remote.remote(self._imports, tuple(sys.path))

    def _late(self, player: Any, attempt: Attempt, began: float) -> GameRecord | None:
        """The record of a game whose agent hangs; None if all is well."""
        if time.monotonic() - began < self._hang:
            return None
        try:
            who, seconds, actions = self._ray.get(player.status.remote(), timeout=5.0)
        except (self._ray.exceptions.RayActorError, self._ray.exceptions.GetTimeoutError):
            return None  # it is lost, which shows where its record is waited for
        if who < 0 or seconds <= attempt.task.seats[who].limits.longest + self._hang:
            return None
        return lost_game(attempt.task, who, actions, "hang", f"no move after {seconds:.0f} s")


class RemotePlayer(Watcher):
    """A worker: plays one game after the other, and can be asked how the one at hand goes."""

    def __init__(self, imports: Sequence[str], path: Sequence[str]) -> None:
        """``path``: where whoever sent the games finds modules, after the worker's own places."""
        find_modules(path)
        import_modules(imports)
        self._players = Players()
        self._who, self._since = -1, 0.0
        self._actions: list[int] = []

    def play(self, task: GameTask) -> GameRecord:
        """Play a game to its end."""
        self._actions = []
        try:
            return play_game(task, self._players, (self,))
        finally:
            self._who = -1

    def status(self) -> tuple[int, float, list[int]]:
        """Who thinks (-1: nobody), for how long, and what was played."""
        return self._who, time.monotonic() - self._since, list(self._actions)

    def asked(self, turn: Turn) -> None:
        """Note who thinks."""
        self._since = time.monotonic()
        self._who = turn.player

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        """Note what was played."""
        self._actions.append(move)


def join_cluster(workers: int | None, address: str | None) -> tuple[Any, int]:
    """Ray itself, which is started if need be, and how many workers it shall have."""
    ray = _load_ray()
    if not ray.is_initialized():
        own = {} if address else {"num_cpus": workers, "include_dashboard": False}
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
    return ray, workers or int(ray.cluster_resources().get("CPU", 1))


def find_modules(path: Sequence[str]) -> None:
    """Let a worker also look where whoever sent its tasks finds modules, after its own places."""
    sys.path += [each for each in path if each not in sys.path]


def _load_ray() -> Any:
    try:
        return when_needed("ray")
    except ImportError:
        raise SpecError("work on a cluster needs Ray: pip install 'spielbaum[cluster]'") from None
