"""Games of a teacher with itself, or of two agents, on disk for networks to learn from.

The files are those of AlphaZero's memory: moves, and for every position what the agent to move
would play and what it thinks the position is worth; of two agents also who had which seat. A
recording is a folder that can be gone on with.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from spielbaum.agents import Agent, Budget, Decision, stored_agent
from spielbaum.agents.trial import check_players
from spielbaum.base.arrays import write_atomically
from spielbaum.base.errors import EngineError, SpecError, WorkerError
from spielbaum.base.imports import shared_modules
from spielbaum.base.lock import take_lock
from spielbaum.base.statistics import Score
from spielbaum.base.workers import Done, Failed, Lost, Pool, desk
from spielbaum.games import Game, game
from spielbaum.play.limits import Limits, limits_of_each
from spielbaum.play.table import Player, Rules, Table, Turn, Watcher, play_one
from spielbaum.train.config import read_toml, write_toml
from spielbaum.train.data.games_file import FileInfo, Memory, PlayedGame, Totals, read_score
from spielbaum.train.data.policy_target import policy_target
from spielbaum.train.data.random_opening import begin_game
from spielbaum.train.run_folder import CONFIG, IMPORTED, RECORDING

FILE_POSITIONS = 20_000
"""Positions of a file, about."""
FLUSH = 60.0
"""Seconds after which finished games are written in any case."""
SLICE = 2.0
"""Seconds after which a process hands over what it has finished."""
MOST_DEATHS = 20
"""Processes that may die, and engines that may fail, before a recording gives up."""


@dataclass(frozen=True)
class Recording:
    """Who plays, and how games are made different from each other.

    >>> Recording("connect4", "alphabeta:depth=4").opening
    8
    >>> Recording("connect4", "alphabeta", "depth=4/iterations=50", opponent="uct").agents
    ('alphabeta', 'uct')
    """

    game: str
    teacher: str
    limits: str = ""
    """Limits for each move, as ``nodes=400``; of two agents also one for each, as ``A/B``."""
    opening: int = 8
    """Random plies at the beginning of a game, at most; their number is drawn, too."""
    drawn: int = 16
    """Plies after them in which moves are drawn by the teacher's policy, not the best is played."""
    noise: float = 0.02
    """Share of later moves that are random, so that mistakes are seen and punished."""
    max_plies: int = 300
    """A game that is not over by then counts as a draw."""
    seed: int = 1
    opponent: str = ""
    """Second agent, which plays against the teacher with alternating colours; empty: the teacher
    plays all sides."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Return the specs of the agent or agents that play."""
        return (self.teacher, self.opponent) if self.opponent else (self.teacher,)

    def rules(self) -> Game:
        """The game itself."""
        return game(self.game)

    def budgets(self) -> list[Budget]:
        """Return what each agent may spend on a move."""
        parts = limits_of_each(self.limits, len(self.agents))
        return [Limits.parse(part).budget(None) for part in parts]

    def check(self) -> None:
        """Say what is wrong with the agents or their limits."""
        self.budgets()
        rules = self.rules()
        if self.opponent and rules.num_players != 2:
            raise SpecError(
                f"{rules} is for {rules.num_players} players: expected one agent that plays all "
                "sides, not two"
            )
        check_players(self.agents, rules)


class Recorder:
    """Plays games of a teacher with itself, or of two agents with alternating colours.

    >>> recorder = Recorder(Recording("tictactoe", "alphabeta", "depth=9", opening=2), seed=3)
    >>> played = recorder.play()
    >>> len(played.moves) - played.first == len(played.policies) == len(played.values)
    True
    """

    def __init__(self, recording: Recording, seed: int) -> None:
        self._recording = recording
        self._game = recording.rules()
        self._agents: list[Agent] = [stored_agent(spec) for spec in recording.agents]
        self._budgets = recording.budgets()
        self._rng = np.random.default_rng(seed)
        for each in self._agents:
            each.reset(seed=int(self._rng.integers(2**31)))
        self._number = seed
        """Decides who begins; processes have seeds in a row, so that they begin differently."""

    def play(self) -> PlayedGame:
        """Play a game; agents keep what they remember from the games before."""
        recording = self._recording
        state, played = begin_game(self._game, recording.opening, self._rng)
        if recording.opponent:
            played.seat = self._number % 2
            self._number += 1
        players = [
            Player(self._agents[each], self._budgets[each], self._pick)
            for each in map(played.agent_of, range(self._game.num_players))
        ]
        rules = Rules("raise", recording.max_plies)
        table = Table(state, players, rules, [GameNotes(played)], ply=len(played.moves))
        played.rewards = play_one(table).rewards
        return played

    def _pick(self, turn: Turn, decision: Decision) -> int:
        """The move that was decided on, or one that is drawn so that games differ."""
        recording, rng, legal = self._recording, self._rng, turn.state.legal_moves
        if turn.ply - turn.table.first < recording.drawn:
            shares = _exact(policy_target(decision, turn.state))
            return legal[int(rng.choice(len(legal), p=shares))]
        if rng.random() < recording.noise:
            return int(rng.choice(legal))
        return decision.move


class GameNotes(Watcher):
    """Writes down what is learnt from a game: what was thought of each position, and the moves."""

    def __init__(self, played: PlayedGame) -> None:
        self._played = played

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        """Note a move and what was thought before it."""
        played = self._played
        played.policies.append(policy_target(decision, turn.state))
        played.values.append(decision.value)
        played.full.append(True)
        played.proven.append(is_proven(decision))
        played.moves.append(move)


def is_proven(decision: Decision) -> bool:
    """Whether a decision's value is known, and not only the opinion of playouts or a network.

    >>> import spielbaum as sb
    >>> state, budget = sb.game("tictactoe").state("a1 a3 b1 b3"), sb.Budget(iterations=50)
    >>> is_proven(sb.agent("perfect").choose(state, budget))
    True
    >>> is_proven(sb.agent("uct:solver=off").choose(state, budget))
    False
    """
    if "plies_to_end" in decision.stats or decision.stats.get("proven"):
        return True
    return any(each.move == decision.move and each.proven is not None for each in decision.moves)


def _exact(policy: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Probabilities that sum to 1 as exactly as numpy wants it."""
    wide: npt.NDArray[np.float64] = policy.astype(np.float64)
    wide /= wide.sum()
    return wide


@dataclass(frozen=True)
class Progress:
    """How far a recording is."""

    totals: Totals
    wanted: int
    rate: float
    """Positions per second, in this sitting."""


def record(
    recording: Recording,
    folder: Path,
    positions: int,
    processes: int = 0,
    report: Callable[[Progress], None] | None = None,
) -> Totals:
    """Play until a folder has so many positions; started again, it goes on.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     done = record(Recording("tictactoe", "random"), Path(name), 20, processes=1)
    ...     done.positions >= 20, [path.name for path in sorted(Path(name).glob("*.npz"))]
    (True, ['00000001.npz'])
    """
    recording.check()  # before there is a folder
    folder.mkdir(parents=True, exist_ok=True)
    _check_same(recording, folder)
    check_recorded(folder, recording.rules())
    with take_lock(folder):
        memory = Memory(folder, positions)
        if memory.totals.positions < positions:
            _Crew(recording, memory, positions, report).work(processes or os.cpu_count() or 1)
        return memory.totals


def recorded_score(folder: Path) -> Score:
    """Count wins, draws and losses of the first agent in a recording of two agents.

    >>> import tempfile
    >>> recording = Recording("tictactoe", "perfect", opponent="random")
    >>> with tempfile.TemporaryDirectory() as name:
    ...     done = record(recording, Path(name), 40, processes=1)
    ...     score = recorded_score(Path(name))
    >>> score.games == done.games
    True
    """
    score = Score(0, 0, 0)
    for file in Memory(folder, 1).files:
        score += read_score(file.path)
    return score


class _Crew:
    """Processes that play, and what they have played."""

    def __init__(
        self,
        recording: Recording,
        memory: Memory,
        positions: int,
        report: Callable[[Progress], None] | None,
    ) -> None:
        self._recording = recording
        self._memory = memory
        self._positions = positions
        self._report = report
        self._waiting: list[PlayedGame] = []
        self._totals = memory.totals
        self._began, self._flushed = time.monotonic(), time.monotonic()
        self._before = memory.totals
        self._made = 0

    def work(self, processes: int) -> None:
        deaths = 0
        try:
            with Pool(processes, imports=shared_modules()) as pool:
                while self._totals.positions < self._positions:
                    while pool.open < processes:
                        self._give(pool)
                    for event in pool.events(1.0):
                        match event:
                            case Done(_, games):
                                self._take(games)
                            case Failed(_, error) if deaths >= MOST_DEATHS or not isinstance(
                                error, EngineError
                            ):
                                raise error
                            case Failed() | Lost():
                                deaths += 1
                    if deaths > MOST_DEATHS:
                        raise WorkerError("processes that play games end again and again")
                    self._show()
        finally:
            with contextlib.suppress(OSError):  # the disk is full, and that was said already
                self._flush()

    def _give(self, pool: Pool) -> None:
        """Let a process play for a while, and find so many positions at most."""
        # Another seed in every sitting: the same games would not teach anything new.
        self._made += 1
        seed = (self._recording.seed * 1_000_003 + self._before.games) * 1009 + self._made
        missing = -(-max(1, self._positions - self._totals.positions) // pool.size)
        pool.give(record_on, self._recording, seed, SLICE, missing)

    def _take(self, games: list[PlayedGame]) -> None:
        self._waiting += games
        self._totals += Totals(len(games), sum(len(each.values) for each in games))
        waiting = self._totals.positions - self._memory.totals.positions
        if waiting >= FILE_POSITIONS or time.monotonic() - self._flushed > FLUSH:
            self._flush()

    def _flush(self) -> None:
        self._flushed = time.monotonic()
        if self._waiting:
            self._memory.add(self._waiting, 0, self._totals)
            self._waiting = []

    def _show(self) -> None:
        if self._report is not None:
            seconds = max(time.monotonic() - self._began, 1e-6)
            rate = (self._totals.positions - self._before.positions) / seconds
            self._report(Progress(self._totals, self._positions, rate))


def record_on(recording: Recording, seed: int, seconds: float, missing: int) -> list[PlayedGame]:
    """Go on with the games of this worker; ``seed`` is for one that has none yet."""
    worker = desk()
    recorder, began = worker.keep(lambda: Recorder(recording, seed)), time.monotonic()
    games: list[PlayedGame] = []
    while not games or (time.monotonic() - began < seconds and missing > 0):
        try:
            games.append(recorder.play())
        except EngineError:
            worker.drop()  # the next one starts its engines anew
            raise
        missing -= len(games[-1].values)
    return games


def check_games(folder: Path, wanted: Game) -> list[FileInfo]:
    """The files of a folder of games; `SpecError` if it has none, or those of another game.

    >>> import spielbaum as sb
    >>> check_games(Path("/nowhere"), sb.game("chess"))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: there are no games in /nowhere; expected a folder of games
    """
    files = Memory(folder, 1).files if folder.is_dir() else []
    if not files:
        raise SpecError(f"there are no games in {folder}; expected a folder of games")
    check_recorded(folder, wanted)
    return files


def check_recorded(folder: Path, wanted: Game) -> None:
    """Say that a folder has games of another game than is wanted, as far as it tells.

    >>> import tempfile, spielbaum as sb
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _check_same(Recording("connect4", "random"), Path(name))
    ...     try:
    ...         check_recorded(Path(name), sb.game("connect4:inarow=5"))
    ...     except SpecError as error:
    ...         print(str(error).removeprefix(name))
     has games of connect4, not of connect4:inarow=5
    """
    for path in (folder / RECORDING, folder / IMPORTED):
        recorded = game(str(read_toml(path).get("game"))) if path.exists() else wanted
        if str(recorded) != str(wanted):
            raise SpecError(f"{folder} has games of {recorded}, not of {wanted}")


def _check_same(recording: Recording, folder: Path) -> None:
    path = folder / RECORDING
    if (folder / CONFIG).exists():
        raise SpecError(f"{folder} has a training; give another folder to record in")
    if not path.exists():
        write_atomically(path, write_toml(asdict(recording)).encode())
    elif {**asdict(Recording("", "")), **read_toml(path)} != asdict(recording):
        raise SpecError(f"{folder} has games that were made in another way; give another folder")
