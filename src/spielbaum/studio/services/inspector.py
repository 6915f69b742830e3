"""Looking into an n-tuple network: its tuples, their entries, and what they add in a position."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from spielbaum.base.errors import ModelError
from spielbaum.models.ntuple import NTupleNetwork
from spielbaum.models.ntuple_inspect import (
    Entry,
    check_tuple,
    columns,
    entry_at,
    move_sums,
    strongest_entries,
    symbols,
    usages,
)
from spielbaum.studio.services.models import Models, ModelSummary
from spielbaum.studio.services.positions import state_of
from spielbaum.studio.services.protocol import Message, Position

MOST_TUPLES = 1000
"""Networks with more are for the terminal."""

ModelName: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=300, examples=["models/connect4.npz"])
]


class TupleView(Message):
    """A tuple, and how much of its table was trained."""

    cells: list[int]
    entries: int = Field(description="Weights of its table.")
    realisable: int | None = Field(description="Those that can occur, at most.")
    trained: int


class ColumnView(Message):
    """What a weight of an entry is for; null: the same for all."""

    viewer: int | None
    to_move: int | None


class NetworkView(ModelSummary):
    """A network with all its tuples."""

    contents: int
    symbols: list[str] = Field(description="How contents are written, from 0 on.")
    symmetries: bool
    table_per_player: bool
    bias: bool
    k: float
    squash: bool
    seconds: float | None = Field(description="Of its training.")
    columns: list[ColumnView]
    images: list[list[int]] = Field(description="Where every cell goes by each symmetry.")
    tuples: list[TupleView]


class NetworkPosition(Message):
    """A network, and a position of its game."""

    model: ModelName
    position: Position


class AddedView(Message):
    """What a tuple adds to the sum of a position, and by which entries, one for each symmetry."""

    weight: float
    entries: list[int]
    contents: list[list[int]]


class MoveSumView(Message):
    """A move: its value, and what every tuple adds after it; nothing if it ends the game."""

    text: str
    value: float
    weights: list[float]


class SumsView(Message):
    """A position as a network sees it; everything is the view of the player to move."""

    value: float
    total: float = Field(
        description="Of all tuples; with the bias, the value is tanh(k * total), or k * total "
        "without squashing."
    )
    tuples: list[AddedView]
    moves: list[MoveSumView]


class EntryRequest(Message):
    """An entry of a tuple, by the contents of its cells."""

    model: ModelName
    tuple: int = Field(ge=0, le=10**6)
    contents: list[Annotated[int, Field(ge=0, le=255)]] = Field(max_length=64)


class EntryView(Message):
    """An entry of a tuple."""

    index: int
    contents: list[int]
    text: str
    weights: list[float]


@dataclass
class Inspector:
    """Answers questions about networks."""

    models: Models

    def network(self, name: str) -> NetworkView:
        """A network with all its tuples."""
        summary = self.models.summary(name).model_dump()
        return NetworkView(**summary, **self.models.ask(_describe, name))

    def sums(self, asked: NetworkPosition) -> SumsView:
        """What every tuple adds to the sum of a position, and of those after each move."""
        return self.models.ask(_sums, asked.model, asked.position)

    def strongest(self, name: str, index: int, number: int) -> list[EntryView]:
        """The entries of a tuple with the largest weights."""
        return self.models.ask(_strongest, name, index, number)

    def entry(self, asked: EntryRequest) -> EntryView:
        """The entry for given contents of a tuple's cells."""
        return self.models.ask(_entry, asked.model, asked.tuple, asked.contents)


# ---- what happens in the process that reads models ----
def _describe(network: NTupleNetwork) -> dict[str, Any]:
    _check_number(network)
    seconds = network.training.get("seconds")
    known = isinstance(seconds, int | float) and math.isfinite(seconds)
    return {
        "contents": network.contents,
        "symbols": list(symbols(network)),
        "symmetries": network.symmetries,
        "table_per_player": network.table_per_player,
        "bias": network.bias,
        "k": network.k,
        "squash": network.squash,
        "seconds": seconds if known else None,
        "columns": [
            ColumnView(viewer=column.viewer, to_move=column.to_move) for column in columns(network)
        ],
        "images": [list(image) for image in network.images],
        "tuples": [
            TupleView(
                cells=list(network.tuples[usage.index]),
                entries=usage.entries,
                realisable=usage.realisable,
                trained=usage.trained,
            )
            for usage in usages(network)
        ],
    }


def _sums(network: NTupleNetwork, position: Position) -> SumsView:
    _check_number(network)
    state = state_of(position)
    value = network.value(state)
    if state.outcome is not None:
        return SumsView(value=value, total=0.0, tuples=[], moves=[])
    added = network.contributions(state)
    return SumsView(
        value=value,
        total=sum(each.weight for each in added),
        tuples=[
            AddedView(
                weight=each.weight,
                entries=list(each.entries),
                contents=[list(network.contents_of(each.index, entry)) for entry in each.entries],
            )
            for each in added
        ],
        moves=[
            MoveSumView(text=state.label(each.move), value=each.value, weights=[*each.weights])
            for each in move_sums(network, state)
        ],
    )


def _strongest(network: NTupleNetwork, index: int, number: int) -> list[EntryView]:
    _check_number(network)
    check_tuple(network, index)
    return [_view(network, index, each) for each in strongest_entries(network, index, number)]


def _entry(network: NTupleNetwork, index: int, contents: list[int]) -> EntryView:
    _check_number(network)
    check_tuple(network, index)
    return _view(network, index, entry_at(network, index, network.entry(index, contents)))


def _check_number(network: NTupleNetwork) -> None:
    if len(network.tuples) > MOST_TUPLES:
        raise ModelError(f"it has {len(network.tuples):,} tuples; expected at most {MOST_TUPLES:,}")


def _view(network: NTupleNetwork, index: int, entry: Entry) -> EntryView:
    return EntryView(
        index=entry.index,
        contents=list(network.contents_of(index, entry.index)),
        text=entry.contents,
        weights=list(entry.weights),
    )
