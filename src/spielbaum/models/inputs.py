"""What networks see of positions: planes, those of earlier positions, and their mirror images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from spielbaum import _core
from spielbaum.base.errors import SpecError

if TYPE_CHECKING:
    from spielbaum.games import Game, State

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]

FEWEST_PROBES, MOST_PROBES = 500, 8000
"""Positions by which the images of planes are found: more if cells cannot be told apart."""


def encode(state: State, encoding: str, history: int = 0, *, image: int = 0) -> Floats:
    """The planes of a position, then those of ``history`` positions before it.

    Before the start of the game there is nothing: planes of zeros. ``image``: which of the
    symmetries of the board all of them are seen by; 0 is the board as it is.

    >>> import spielbaum as sb
    >>> planes = encode(sb.game("connect4").state("4"), "naive", history=2)
    >>> planes.shape, planes.sum(axis=(1, 2)).tolist()
    ((3, 6, 7), [1.0, 0.0, 0.0])
    """
    planes: list[Floats] = []
    core: _core.State | None = state._core
    for _ in range(history + 1):
        if core is None:
            planes.append(np.zeros_like(planes[0]))
        else:
            # An image does not know what was before it: every position is turned by itself.
            planes.append((core.transform(image) if image else core).planes(encoding))
            core = core.parent
    return planes[0] if history == 0 else np.concatenate(planes)


def legal_mask(states: Sequence[State], num_actions: int) -> npt.NDArray[np.bool_]:
    """Which actions are legal in each position, as evaluators get them.

    >>> import spielbaum as sb
    >>> legal_mask([sb.game("connect4").state("444444")], 7).tolist()
    [[True, True, True, False, True, True, True]]
    """
    mask = np.zeros((len(states), num_actions), np.bool_)
    for row, state in zip(mask, states, strict=True):
        row[list(state.legal_moves)] = True
    return mask


class Symmetries:
    """The symmetries of a game, as permutations of cells and of actions.

    Row ``i`` of `cells` says for every cell of image ``i`` which cell of the original it shows;
    ``actions[i, a]`` is what action ``a`` becomes. The identity comes first.

    >>> import spielbaum as sb
    >>> found = Symmetries(sb.game("connect4"), "own")
    >>> found.cells.reshape(2, 6, 7)[1, 0].tolist(), found.actions[1].tolist()
    ([6, 5, 4, 3, 2, 1, 0], [6, 5, 4, 3, 2, 1, 0])
    """

    def __init__(self, game: Game, encoding: str) -> None:
        core = game._core
        self.number: int = core.num_symmetries
        self.actions: Indices = np.array(
            [core.symmetry_actions(index) for index in range(self.number)], dtype=np.intp
        )
        probes: Floats = np.zeros((1, 1, 1), np.float32)
        count, told_apart = FEWEST_PROBES, 0
        while count <= MOST_PROBES:
            probes = self._images(random_states(game, count), encoding)
            different = np.unique(probes[0], axis=1).shape[1]
            # Cells outside of a hexagon always look the same, however many positions there are.
            if different in (told_apart, probes.shape[-1]):
                break
            count, told_apart = 4 * count, different
        self.cells: Indices = np.array([_match(probes[0], image) for image in probes])
        for index in range(self.number):
            if not (probes[0][:, self.cells[index]] == probes[index]).all():
                raise SpecError(
                    f"the images of {game} under its symmetries do not lie on the planes of the "
                    f"encoding {encoding}; expected symmetries = false"
                )

    def _images(self, states: Sequence[State], encoding: str) -> Floats:
        images = [
            [state.image(index).planes(encoding) for state in states]
            for index in range(self.number)
        ]
        made = np.array(images, np.float32)  # (image, position, plane, row, column)
        return made.reshape(self.number, len(states) * made.shape[2], -1)


def random_images(
    planes: Floats,
    actions: Sequence[npt.NDArray[np.int64]],
    symmetries: Symmetries | None,
    rng: np.random.Generator,
) -> tuple[Floats, list[npt.NDArray[np.int64]]]:
    """Each of some positions as a random one of its images, and arrays of their actions likewise.

    The arrays have a row for each position; what is negative in them stays as it is.
    """
    if symmetries is None or symmetries.number == 1:
        return planes, list(actions)
    images = rng.integers(symmetries.number, size=len(planes))
    flat = planes.reshape(*planes.shape[:2], -1)
    cells = symmetries.cells[images][:, np.newaxis, :]
    moved = [
        np.where(rows < 0, rows, symmetries.actions[images[:, np.newaxis], np.maximum(rows, 0)])
        for rows in actions
    ]
    return np.take_along_axis(flat, cells, axis=2).reshape(planes.shape), moved


def _match(original: Floats, image: Floats) -> Indices:
    """For each cell of an image, a cell of the original that always shows the same."""
    free: dict[bytes, list[int]] = {}
    for cell in reversed(range(original.shape[1])):
        free.setdefault(original[:, cell].tobytes(), []).append(cell)
    found = np.zeros(image.shape[1], np.intp)
    for cell in range(image.shape[1]):
        same = free.get(image[:, cell].tobytes())
        found[cell] = same.pop() if same else 0  # what is wrong shows in the check
    return found


def random_states(game: Game, count: int) -> list[State]:
    """Positions of random games, always the same; final ones among them.

    >>> import spielbaum as sb
    >>> len(random_states(sb.game("tictactoe"), 20))
    20
    """
    rng = _core.Rng(1)
    states: list[State] = []
    state = game.initial()
    while len(states) < count:
        if state.outcome is not None:
            state = game.initial()
        state = state.play(state.legal_moves[rng.below(len(state.legal_moves))])
        states.append(state)
    return states
