"""The memory of a training: games on disk, in files that are there as a whole or not at all.

A file has the games of a few seconds or minutes: their moves, and for every position from which
something is to be learnt the policy and the value that the search found. Positions themselves are
played again when they are needed, so that a memory can teach any network of the game, and a
damaged file cannot tell of impossible positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spielbaum.base.arrays import ArrayFile, open_arrays, read_header, write_arrays
from spielbaum.base.bounded import DAMAGE, typed
from spielbaum.base.errors import IllegalMove, ModelError
from spielbaum.base.statistics import Score

if TYPE_CHECKING:
    from spielbaum.games import Game, State

FORMAT = "spielbaum games 1"
NO_SEAT = -1
"""Stands in a file for the seat in a game of one agent."""
MOST_GAMES = 200_000
MOST_POSITIONS = 1_000_000
"""Of a file; as Python's objects, every position takes about 200 bytes."""
MOST_PLAYERS = 16
MOST_CHANCES = 1 << 25
"""Numbers of all policies of a file."""
RECORDED = 0
"""The generation of games that were not played in this training."""


@dataclass
class PlayedGame:
    """A game of self-play, or of one or two agents that were recorded.

    >>> PlayedGame(first=0).moves
    []
    """

    first: int
    """Plies of its random opening, from which nothing is learnt."""
    moves: list[int] = field(default_factory=list)
    """All moves, from the start of the game."""
    rewards: tuple[float, ...] = ()
    # One entry for each position from `first` on:
    policies: list[npt.NDArray[np.float32]] = field(default_factory=list)
    """Over the legal moves, in their order."""
    values: list[float] = field(default_factory=list)
    """Of the search, for the side to move."""
    full: list[bool] = field(default_factory=list)
    """Whether the search had all its simulations, so that its policy is worth learning."""
    proven: list[bool] = field(default_factory=list)
    """Whether the value is exact."""
    seat: int | None = None
    """Seat of the first of the two agents that played; None if one agent has all seats."""

    def agent_of(self, player: int) -> int:
        """Return whose moves those of a seat are: 0 for the first agent, 1 for the second.

        >>> PlayedGame(0).agent_of(1), PlayedGame(0, seat=1).agent_of(0)
        (0, 1)
        """
        return 0 if self.seat in (None, player) else 1


@dataclass(frozen=True)
class Totals:
    """What a training has done so far.

    >>> Totals(games=2) + Totals(games=3, positions=40)
    Totals(games=5, positions=40, evaluations=0, hits=0, seconds=0.0)
    """

    games: int = 0
    positions: int = 0
    evaluations: int = 0
    """Positions that networks have seen in self-play."""
    hits: int = 0
    """Positions that were answered without the network, by the cache."""
    seconds: float = 0.0
    """Of self-play."""

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.games + other.games,
            self.positions + other.positions,
            self.evaluations + other.evaluations,
            self.hits + other.hits,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True)
class FileInfo:
    """A file of the memory, without its games."""

    path: Path
    generation: int
    """Of the network that is trained with these games next."""
    games: int
    positions: int
    totals: Totals
    """Of the whole training, with these games."""

    @property
    def first(self) -> int:
        """The number of its first game in the whole training, from 0."""
        return self.totals.games - self.games


class Memory:
    """The files of a training's games; it forgets the oldest beyond a number of positions.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> memory = Memory(Path(folder.name), 100)
    >>> game = PlayedGame(0, [4], (0.0, 0.0), [np.ones(9) / 9], [0.0], [True], [False])
    >>> memory.add([game], 1, Totals(games=1))
    >>> memory.totals.games, memory.positions, len(read_games(memory.files[0].path))
    (1, 1, 1)
    >>> folder.cleanup()
    """

    def __init__(self, folder: Path, most: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._most = most
        names = [path for path in folder.glob("*.npz") if re.fullmatch(r"\d{8}", path.stem)]
        self.files = [_read_info(path) for path in sorted(names)]

    @property
    def totals(self) -> Totals:
        """What the training has done so far."""
        return self.files[-1].totals if self.files else Totals()

    @property
    def positions(self) -> int:
        """How many positions are remembered."""
        return sum(each.positions for each in self.files)

    def games_of(self, generation: int) -> int:
        """How many games have been played for a generation."""
        return sum(each.games for each in self.files if each.generation == generation)

    def new_positions(self, generation: int) -> int:
        """How many positions were found for a generation."""
        return sum(each.positions for each in self.files if each.generation == generation)

    def newest(self, positions: int) -> tuple[Path, ...]:
        """The newest files, oldest first, that have so many positions together, or all."""
        files: list[Path] = []
        found = 0
        for each in reversed(self.files):
            if found >= positions and files:
                break
            files.append(each.path)
            found += each.positions
        return tuple(reversed(files))

    def add(self, games: Sequence[PlayedGame], generation: int, totals: Totals) -> None:
        """Remember games; ``totals`` include them."""
        number = int(self.files[-1].path.stem) + 1 if self.files else 1
        path = self._folder / f"{number:08}.npz"
        positions = sum(len(each.values) for each in games)
        header: dict[str, Any] = {
            "format": FORMAT,
            "generation": generation,
            "games": len(games),
            "positions": positions,
            "totals": asdict(totals),
        }
        if len(games) > MOST_GAMES or positions > MOST_POSITIONS:
            raise ModelError(
                f"model {path}: {len(games):,} games with {positions:,} positions; expected at "
                f"most {MOST_GAMES:,} and {MOST_POSITIONS:,} in a file"
            )
        arrays = _arrays(games)
        if any(each.seat is not None for each in games):
            header["agents"] = 2
            seats = [NO_SEAT if each.seat is None else each.seat for each in games]
            arrays["seats"] = np.array(seats, np.int8)
        write_arrays(path, header, arrays, compress=True)
        self.files.append(FileInfo(path, generation, len(games), positions, totals))

    def take(self, folder: Path) -> None:
        """Begin with games that were recorded elsewhere, as many of the newest as there is room."""
        taken: list[FileInfo] = []
        for file in reversed(Memory(folder, 1).files):
            if sum(each.positions for each in taken) < self._most:
                taken.append(file)
        for file in reversed(taken):  # what has been done in this training is nothing yet
            self.add(read_games(file.path), RECORDED, Totals())

    def forget(self, generation: int) -> None:
        """Forget the oldest games of generations before this one, as far as there are too many."""
        while (
            self.positions - self.files[0].positions >= self._most
            and self.files[0].generation < generation
        ):
            self.files.pop(0).path.unlink(missing_ok=True)


_KINDS: dict[str, type[np.generic]] = {
    "lengths": np.uint16,
    "first": np.uint16,
    "moves": np.uint16,
    "rewards": np.float32,
    "policy_lengths": np.uint16,
    "policies": np.float16,
    "values": np.float32,
    "full": np.bool_,
    "proven": np.bool_,
}


def read_games(path: Path) -> list[PlayedGame]:
    """The games of a file; `ModelError` if it is damaged."""
    damaged = ModelError(f"model {path}: it is damaged, or no file of games")
    most = {"lengths": MOST_GAMES, "first": MOST_GAMES, "policies": MOST_CHANCES}
    with open_arrays(path) as file:
        arrays = {
            name: file.read(name, kind, most.get(name, MOST_POSITIONS), 1 + (name == "rewards"))
            for name, kind in _KINDS.items()
        }
        seats = _read_seats(path, file, len(arrays["lengths"]))
    lengths, first = arrays["lengths"].astype(int), arrays["first"].astype(int)
    policy_lengths = arrays["policy_lengths"].astype(int)
    if len(lengths) != len(first):
        raise damaged
    count = int((lengths - first).sum())
    per_position = [len(arrays[name]) for name in ("policy_lengths", "values", "full", "proven")]
    if (
        (lengths < first).any()
        or lengths.sum() != len(arrays["moves"])
        or any(number != count for number in per_position)
        or policy_lengths.sum() != len(arrays["policies"])
        or len(arrays["rewards"]) != len(lengths)
        or not 1 <= arrays["rewards"].shape[1] <= MOST_PLAYERS
        or not all(np.isfinite(arrays[name]).all() for name in ("policies", "values", "rewards"))
    ):
        raise damaged
    policies = np.split(arrays["policies"].astype(np.float32), np.cumsum(policy_lengths)[:-1])
    games, move, place = [], 0, 0
    for index, length in enumerate(lengths.tolist()):
        end = place + length - int(first[index])
        games.append(
            PlayedGame(
                int(first[index]),
                arrays["moves"][move : move + length].tolist(),
                tuple(arrays["rewards"][index].tolist()),
                policies[place:end],
                arrays["values"][place:end].tolist(),
                arrays["full"][place:end].tolist(),
                arrays["proven"][place:end].tolist(),
                seats[index],
            )
        )
        move, place = move + length, end
    return games


def read_score(path: Path) -> Score:
    """Count wins, draws and losses of the first agent in the games of two agents in a file.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> memory = Memory(Path(folder.name), 100)
    >>> games = [PlayedGame(0, rewards=(1.0, -1.0), seat=seat) for seat in (0, 1, 0, None)]
    >>> memory.add(games, 0, Totals(games=4))
    >>> read_score(memory.files[0].path)
    Score(wins=2, draws=0, losses=1)
    >>> folder.cleanup()
    """
    with open_arrays(path) as file:
        rewards = file.read("rewards", np.float32, MOST_POSITIONS, 2)
        seats = _read_seats(path, file, len(rewards))
    if rewards.shape[1] < 2:
        raise ModelError(f"model {path}: it is damaged, or no file of games")
    own = [float(row[seat]) for row, seat in zip(rewards, seats, strict=True) if seat is not None]
    return Score(
        sum(reward > 0 for reward in own),
        sum(reward == 0 for reward in own),
        sum(reward < 0 for reward in own),
    )


def _read_seats(path: Path, file: ArrayFile, games: int) -> list[int | None]:
    """Seats of the first agent in the games of a file; files of one agent do not have them."""
    if file.header.get("agents", 1) == 1:
        return [None] * games
    seats = file.read("seats", np.int8, games)
    if seats.shape != (games,) or not np.isin(seats, (-1, 0, 1)).all():
        raise ModelError(f"model {path}: it is damaged, or no file of games")
    return [None if seat == NO_SEAT else seat for seat in seats.tolist()]


def read_games_of(path: Path, game: Game) -> list[PlayedGame]:
    """The games of a file, all of which can be played; `ModelError` if one of them cannot be."""
    games = read_games(path)
    try:
        for played in games:
            if len(played.rewards) != game.num_players:
                raise IndexError
            for _ in positions_of(played, game):
                pass
    except (IllegalMove, IndexError):
        raise ModelError(f"model {path}: its games are not games of {game}") from None
    return games


def positions_of(played: PlayedGame, game: Game) -> Iterator[State]:
    """The positions before each move; `IllegalMove` if it cannot have been a game of this kind.

    >>> import spielbaum as sb
    >>> [state.notation for state in positions_of(PlayedGame(0, [3, 3, 4]), sb.game("connect4"))]
    ['', '4', '44']
    """
    state = game.initial()
    foreign = IllegalMove(f"this is no game of {game}")
    for ply, move in enumerate(played.moves):
        index = ply - played.first
        # Moves of a narrower board are legal on a wider one, but they were not all there are.
        known = len(played.policies[index]) if played.policies and index >= 0 else None
        if known not in (None, len(state.legal_moves)):
            raise foreign
        yield state
        state = state.play(move)
    outcome = state.outcome
    if outcome is not None and played.rewards and tuple(played.rewards) != tuple(outcome.rewards):
        raise foreign


def _arrays(games: Sequence[PlayedGame]) -> dict[str, npt.NDArray[Any]]:
    policies = [policy for each in games for policy in each.policies]
    written: dict[str, Any] = {
        "lengths": [len(each.moves) for each in games],
        "first": [each.first for each in games],
        "moves": [move for each in games for move in each.moves],
        "rewards": [each.rewards for each in games],
        "policy_lengths": [len(policy) for policy in policies],
        "policies": np.concatenate(policies) if policies else [],
        "values": [value for each in games for value in each.values],
        "full": [full for each in games for full in each.full],
        "proven": [proven for each in games for proven in each.proven],
    }
    return {name: np.array(written[name], dtype=kind) for name, kind in _KINDS.items()}


def _read_info(path: Path) -> FileInfo:
    header = read_header(path)
    try:
        if header["format"] != FORMAT:
            raise ValueError
        totals = typed(Totals, header["totals"])
        generation, games, positions = (
            int(header[name]) for name in ("generation", "games", "positions")
        )
        if min(generation, games, positions) < 0 or max(generation, games, positions) >= 2**63:
            raise ValueError
        return FileInfo(path, generation, games, positions, totals)
    except DAMAGE:
        raise ModelError(f"model {path}: it is damaged, or no file of games") from None
