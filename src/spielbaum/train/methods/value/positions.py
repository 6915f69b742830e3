"""Games as lessons: every position with the mean result of the games that went through it.

Positions that are images of each other under the symmetries of the game are one class, whose result
is the mean over all of them; so it makes no difference whether images are added to the games before
or after equal positions are merged. Training and validation share no class.

The positions of a game all have its result, so that who has learnt some of them can guess the
others. Validation by whole games asks for more: nothing of the games that are kept apart is learnt,
and only positions that no other game went through are asked for.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from spielbaum.base.errors import WorkerError
from spielbaum.games import Game
from spielbaum.models.inputs import Symmetries, encode
from spielbaum.play.referee import GameRecord
from spielbaum.train.data.samples import PADDING, Samples
from spielbaum.train.methods.value.config import Split
from spielbaum.train.nets.net_config import NetConfig, shape_of

FEWEST_CLASSES = 4


@dataclass(frozen=True)
class Lessons:
    """The positions of games with their results, one for each class of images.

    >>> from spielbaum.play.referee import GameTask, Seat, play_game
    >>> from spielbaum.play.limits import Limits
    >>> import spielbaum as sb
    >>> seats = (Seat("perfect", Limits()), Seat("random", Limits()))
    >>> record = play_game(GameTask("tictactoe", seats, opening=("a1", "b2", "c3")))
    >>> lessons = make_lessons([record], sb.game("tictactoe"), "own")
    >>> lessons.games, lessons.values[0].shape, lessons.planes.shape[1:]
    (1, (1,), (3, 3, 3))
    """

    planes: npt.NDArray[np.float16]
    images: tuple[tuple[int, ...], ...]
    """For each class the symmetries that give different images; the identity is the first."""
    symmetries: Symmetries | None
    classes: npt.NDArray[np.int32]
    """The class of every position of the games."""
    origins: npt.NDArray[np.int32]
    """The game that it comes from."""
    results: npt.NDArray[np.float32]
    """Rewards of that game in turn order from the side to move, or of the side to move alone."""
    games: int
    distinct: int
    """Positions without those that were there before; images count as different."""

    @property
    def seen(self) -> int:
        """Positions of all games."""
        return len(self.classes)

    @cached_property
    def values(self) -> npt.NDArray[np.float32]:
        """The mean result of every class."""
        return self._means(np.ones(self.seen, bool))

    def _means(self, which: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
        """The mean result of every class over some positions; not a number where there are none."""
        classes, number = self.classes[which], len(self.images)
        counts = np.bincount(classes, minlength=number)
        sums = [np.bincount(classes, column, number) for column in self.results[which].T]
        with np.errstate(invalid="ignore"):
            return (np.stack(sums, axis=1) / counts[:, np.newaxis]).astype(np.float32)

    @property
    def all_images(self) -> int:
        """Different positions, with all images of each."""
        return sum(len(each) for each in self.images)

    def split(
        self, most: int, validation: float, seed: int, by: Split = "positions"
    ) -> tuple[Samples, Samples]:
        """Positions for training and for validation: drawn by class, with all their images."""
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(self.images))
        counts = np.cumsum([len(self.images[row]) for row in order])
        used = order[: max(FEWEST_CLASSES, int(np.searchsorted(counts, most, side="right")))]
        if by == "positions":
            held = max(1, round(validation * len(used)))
            return self._samples(used[held:], self.values), self._samples(used[:held], self.values)
        apart = rng.permutation(self.games)[: max(1, round(validation * self.games))]
        learnt = self._means(~np.isin(self.origins, apart))
        is_new = np.isnan(learnt[used, 0])
        if is_new.all() or not is_new.any():
            raise WorkerError(
                f"validation by games: {is_new.sum()} of {len(used)} positions are only in the "
                f"{len(apart)} games that are kept apart; expected some, and others; play more "
                'games, or give split = "positions"'
            )
        return self._samples(used[~is_new], learnt), self._samples(used[is_new], self.values)

    def _samples(self, rows: npt.NDArray[np.int64], values: npt.NDArray[np.float32]) -> Samples:
        classes = [int(row) for row in rows for _ in self.images[row]]
        planes = self.planes[classes]
        if self.symmetries is not None:
            images = [image for row in rows for image in self.images[row]]
            cells = self.symmetries.cells[images][:, np.newaxis, :]
            flat = planes.reshape(*planes.shape[:2], -1)
            planes = np.take_along_axis(flat, cells, axis=2).reshape(planes.shape)
        count = len(classes)
        return Samples(
            planes,
            np.full((count, 1), PADDING, np.int32),
            np.zeros((count, 1), np.float16),
            values[classes],
            np.zeros(count, np.float32),
        )


def make_lessons(
    records: Iterable[GameRecord],
    game: Game,
    encoding: str,
    *,
    symmetries: bool = True,
    ends: bool = False,
    report: Callable[[int], None] | None = None,
) -> Lessons:
    """Collect the positions of games that ended by the rules; ``report`` is told their number.

    ``ends``: whether the last position of each, in which it is over, is one of them.
    """
    shape = shape_of(game, NetConfig(policy="none", encoding=encoding))
    number = game.num_symmetries if symmetries else 1
    places: dict[int, int] = {}
    planes: list[npt.NDArray[np.float16]] = []
    images: list[tuple[int, ...]] = []
    classes, origins = array("i"), array("i")
    results: list[npt.NDArray[np.float32]] = []
    distinct: set[int] = set()
    games, refused = 0, ""
    for record in records:
        if record.ended_by != "rules":
            refused = refused or record.reason
            continue
        start = record.task.start
        state = game.state(start) if start else game.initial()
        rewards = np.array(record.rewards, np.float32)
        by_side = [np.roll(rewards, -side)[: shape.values] for side in range(len(rewards))]
        for ply, move in enumerate((*record.moves, None)):
            if ply >= len(record.task.opening) and (move is not None or ends):
                keys = [state.image(image).key for image in range(number)]
                distinct.add(keys[0])
                place = places.setdefault(min(keys), len(planes))
                if place == len(planes):
                    planes.append(encode(state, encoding).astype(np.float16))
                    images.append(_different(keys))
                classes.append(place)
                origins.append(games)
                results.append(by_side[state.to_move])
            if move is not None:
                state = state.play(move)
        games += 1
        if report is not None:
            report(games)
    if len(planes) < FEWEST_CLASSES:
        raise WorkerError(
            f"the games have {len(planes)} different positions, expected at least "
            f"{FEWEST_CLASSES}" + (f"; {refused}" if refused else "")
        )
    return Lessons(
        np.stack(planes),
        tuple(images),
        Symmetries(game, encoding) if number > 1 else None,
        np.array(classes),
        np.array(origins),
        np.stack(results),
        games,
        len(distinct),
    )


def _different(keys: list[int]) -> tuple[int, ...]:
    """The first place of each key: where images are equal, one is enough."""
    return tuple(place for place, key in enumerate(keys) if keys.index(key) == place)
