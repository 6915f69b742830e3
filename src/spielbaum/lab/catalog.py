"""Find what the documents declare: every module of `spielbaum.lab.documents` has a part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spielbaum.base import discover
from spielbaum.base.errors import SpecError
from spielbaum.base.options import did_you_mean
from spielbaum.lab.experiment import Experiment

if TYPE_CHECKING:
    from spielbaum.lab.networks import Network

DOCUMENTS = "spielbaum.lab.documents"


def experiments() -> tuple[Experiment[Any], ...]:
    """Return every experiment, in the order of the documents.

    >>> [each.id for each in experiments()][:3]
    ['S0.figure18', 'S0.figure19', 'S0.figure20']
    """
    return tuple(_declared("EXPERIMENTS"))


def experiment(id: str) -> Experiment[Any]:  # noqa: A002  the word that Experiment uses
    """Return the experiment with this id.

    >>> experiment("S0.table7").title
    'Last good reply'
    >>> try:
    ...     experiment("S0.tabel7")
    ... except SpecError as error:
    ...     print(str(error).partition(";")[0])
    there is no experiment 'S0.tabel7' (did you mean S0.table7?)
    """
    by_id = {each.id: each for each in experiments()}
    if id not in by_id:
        raise SpecError(
            f"there is no experiment {id!r:.60}{did_you_mean(id, list(by_id))}; "
            f"the experiments are those of spielbaum lab list, such as {next(iter(by_id))}"
        )
    return by_id[id]


def network(name: str) -> Network:
    """Return the neural network with this name.

    >>> network("ConvNet").config
    's0-convnet'
    """
    by_name: dict[str, Network] = {each.name: each for each in _declared("NETWORKS")}
    if name not in by_name:
        raise SpecError(f"network {name!r:.60}: expected one of {', '.join(by_name)}")
    return by_name[name]


def _declared(what: str) -> Iterator[Any]:
    """Yield the values of a tuple that documents may have, document by document."""
    for document in discover.names(DOCUMENTS):
        yield from getattr(discover.load(DOCUMENTS, document), what, ())
