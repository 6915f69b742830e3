"""How a network is made, trained and measured: small TOML files, and those of the package.

A file has the sections ``network``, ``learning``, ``replacement`` and ``measure``; whatever it does
not say has the value that is usual. The keys and what they mean are in ``docs/ntuple.md``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from spielbaum import _core
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option, OptionValue
from spielbaum.games import Game, game
from spielbaum.models.ntuple import NTupleNetwork, random_tuples, weights_of_an_entry
from spielbaum.models.ntuple_file import check_size
from spielbaum.train.config import Configuration, config_names, refuse_unknown

CONFIGS = Path(__file__).parent / "configs"
NO_CUT = -1
LARGEST_TABLE = 5000
"""The most entries of a table that is made by default."""

SCHEDULES = ("constant", "step", "linear", "exponential", "sigmoid")
_SCHEDULE = (
    Option("kind", "constant", "how it changes during the training", choices=SCHEDULES),
    Option("initial", 0.0, "at the first game", low=0.0, high=1e6),
    Option("final", 0.0, "at the last game", low=0.0, high=1e6),
    Option("at", 0.0, "game of the step, or of the inflection of a sigmoid", low=0.0, high=1e15),
)
_GENERAL = (
    Option("games", 1_000_000, "games of a training", low=1, high=10**12),
    Option("seed", 1, "start of the random numbers", low=0, high=2**62),
)
_NETWORK = (
    Option("contents", 0, "contents of a cell that are told apart; 0: as usual", low=0, high=255),
    Option("symmetries", True, "share tables over the symmetries of the board"),
    Option("table_per_player", True, "a table for each player to move"),
    Option("bias", False, "an entry that always counts"),
    Option("k", 1.0, "the value is tanh(k * sum)", low=1e-6, high=1e5),
    Option("squash", True, "off: the value is k * sum, cut off at -1 and 1 outside of training"),
    Option(
        "first_weights",
        0.0,
        "weights are drawn evenly from minus this to this before the training; 0: all are 0",
        low=0.0,
        high=1e3,
    ),
    Option("seed", 1, "of tuples that are drawn by chance", low=0, high=2**62),
    Option("fresh", False, "other tuples in every run"),
)
_TUPLES = (
    Option(
        "kind",
        "walk",
        "walk: random walks over neighbouring cells; slide: walks that slide along the border and "
        "are discarded when they meet themselves; points: random cells. Of S1, figure 4.21 fits "
        "slide and figure 4.18 fits walk",
        choices=("walk", "slide", "points"),
    ),
    Option("number", 1, low=1, high=10_000),
    Option("length", 8, low=1, high=64),
)
_LEARNING = (
    Option("gamma", 1.0, "discount", low=0.0, high=1.0),
    Option("lambda", 0.0, "decay of eligibility traces", low=0.0, high=1.0),
    Option("traces", "accumulating", choices=("accumulating", "replacing")),
    Option("resetting", False, "traces begin anew after a random move"),
    Option("control", "plain", "of step sizes", choices=("plain", "tcl", "tcl-exp")),
    Option("beta", 2.7, "of tcl-exp", low=0.0, high=100.0),
    Option("cut", NO_CUT, "plies after which games end with their value", low=-1, high=1000),
    Option("look_ahead", 0, "plies that greedy moves look further", low=0, high=8),
    Option("count_uses", False, "keep how often each weight was changed"),
    Option("threads", 1, "threads that train together, to the same weights", low=1, high=2),
)
_REPLACEMENT = (
    Option("every", 0, "games after which the worst tuples are replaced; 0: never", low=0),
    Option("until", 0, "no more after so many games; 0: half of them", low=0),
    Option("share", 0.1, "of all tuples", low=0.0, high=1.0),
    Option("games", 200, "that are played to find out what tuples are worth", low=1, high=10**6),
)
_MEASURE = (
    Option("every", 500_000, "games between two measurements; 0: only at the end", low=0),
    Option("games", 200, "games of each measurement", low=1, high=10**6),
    Option(
        "resistance",
        6,
        "plies by which perfect-resisting sees which loss is the latest",
        low=1,
        high=20,
    ),
    Option("opening", 4, "random plies before games against other agents", low=0, high=100),
    Option("iterations", 1000, "of opponents that iterate", low=1, high=10**9),
    Option("depth", 1, "of opponents that search to a depth", low=1, high=200),
)
_LATER = {
    option.name: option.default for option in _NETWORK if option.name in ("squash", "first_weights")
}
"""Options that came later: at their defaults `facts` leaves them out, so that trainings from before
them are still the same."""
SECTIONS: Mapping[str, Sequence[Option]] = {
    "": _GENERAL,
    "network": _NETWORK,
    "learning": _LEARNING,
    "learning.alpha": _SCHEDULE,
    "learning.epsilon": _SCHEDULE,
    "replacement": _REPLACEMENT,
    "measure": _MEASURE,
}
"""All that a configuration declares, but for the game, the tuples and the opponents."""


@dataclass(frozen=True)
class ScheduleSpec:
    """A quantity that changes during a training.

    >>> ScheduleSpec("sigmoid", 0.95, 0.1, at=2e6).core(10_000_000).value(2_000_000)
    0.525
    """

    kind: str
    initial: float
    final: float
    at: float = 0.0

    def core(self, games: int) -> _core.Schedule:
        """The schedule of a training of so many games."""
        return _core.Schedule(self.kind, self.initial, self.final, self.at, float(games))


@dataclass(frozen=True)
class TupleSet:
    """Tuples that are drawn by chance, or given by their cells."""

    kind: str
    number: int = 0
    length: int = 0
    cells: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class TrainingConfig(Configuration):
    """All that determines a training, but for the number of its run.

    >>> config = load_config("tictactoe-9")
    >>> str(config.game), config.games, config.network["symmetries"]
    ('tictactoe', 5000, True)
    """

    game: Game
    games: int
    seed: int
    tuples: tuple[TupleSet, ...]
    network: Mapping[str, OptionValue]
    learning: Mapping[str, OptionValue]
    alpha: ScheduleSpec
    epsilon: ScheduleSpec
    replacement: Mapping[str, OptionValue]
    measure: Mapping[str, OptionValue]
    opponents: tuple[str, ...]
    written: Mapping[str, Any] = field(repr=False, compare=False, default_factory=dict)
    """The file, as it was read."""

    configs: ClassVar[Path] = CONFIGS
    tiny: ClassVar[Mapping[str, Any]] = {
        "games": 60,
        "replacement.games": 2,
        "measure.every": 30,
        "measure.games": 2,
        "measure.iterations": 10,
    }

    @classmethod
    def made_of(cls, values: dict[str, Any]) -> TrainingConfig:
        """Make a configuration of plain values; `SpecError` names what is wrong."""
        return read_config(values)

    def rules(self) -> Game:
        """Return the game itself."""
        return self.game

    def with_games(self, games: int) -> TrainingConfig:
        """The same with another number of games, to which schedules stretch, but for ``at``."""
        return replace(self, games=games)

    def dump(self) -> dict[str, Any]:
        """Everything as a file would say it that leaves nothing out.

        >>> read_config(load_config("s1-base").dump()) == load_config("s1-base")
        True
        """
        tuples = [
            {"cells": [" ".join(cells) for cells in each.cells]}
            if each.cells
            else {"kind": each.kind, "number": each.number, "length": each.length}
            for each in self.tuples
        ]
        return {
            "game": str(self.game),
            "games": self.games,
            "seed": self.seed,
            "network": {**self.network, "tuples": tuples},
            "learning": {
                **self.learning,
                "alpha": dict(vars(self.alpha)),
                "epsilon": dict(vars(self.epsilon)),
            },
            "replacement": dict(self.replacement),
            "measure": {**self.measure, "opponents": list(self.opponents)},
        }

    def facts(self) -> dict[str, Any]:
        """Everything in plain values, to be kept in files and to be compared."""
        return {
            "game": str(self.game),
            "games": self.games,
            "seed": self.seed,
            "tuples": [
                {"kind": each.kind, "number": each.number, "length": each.length}
                | ({"cells": [list(cells) for cells in each.cells]} if each.cells else {})
                for each in self.tuples
            ],
            "network": {
                name: value
                for name, value in self.network.items()
                if name not in _LATER or value != _LATER[name]
            },
            "learning": dict(self.learning),
            "alpha": vars(self.alpha),
            "epsilon": vars(self.epsilon),
            "replacement": dict(self.replacement),
            "measure": dict(self.measure),
            "opponents": list(self.opponents),
        }

    def make_network(self, run: int) -> NTupleNetwork:
        """The network of a run with its first weights: 0, or drawn by chance."""
        settings = self.network
        made = NTupleNetwork(
            self.game,
            self.draw_tuples(run),
            contents=int(settings["contents"]),
            symmetries=bool(settings["symmetries"]),
            table_per_player=bool(settings["table_per_player"]),
            bias=bool(settings["bias"]),
            k=float(settings["k"]),
            squash=bool(settings["squash"]),
        )
        check_size(made.num_weights)  # what is trained can also be kept
        self.draw_weights(made, _core.Rng(self.seed + run))
        return made

    def draw_weights(
        self, network: NTupleNetwork, rng: _core.Rng, index: int | None = None
    ) -> None:
        """Give a network, or one tuple of it, its first weights, unless they are 0."""
        size = float(self.network["first_weights"])
        if size > 0:
            network.draw_weights(size, rng, index)

    def options(self, run: int) -> _core.TdOptions:
        """The options of the kernel for a run."""
        options, learning = _core.TdOptions(), self.learning
        options.alpha = self.alpha.core(self.games)
        options.epsilon = self.epsilon.core(self.games)
        options.gamma = float(learning["gamma"])
        options.decay = float(learning["lambda"])
        options.replacing = learning["traces"] == "replacing"
        options.resetting = bool(learning["resetting"])
        options.set_control(str(learning["control"]))
        options.beta = float(learning["beta"])
        options.cut = int(learning["cut"])
        options.look_ahead = int(learning["look_ahead"])
        options.count_uses = bool(learning["count_uses"])
        options.seed = self.seed + run
        return options

    def draw_tuple(self, length: int, others: Sequence[Sequence[int]], rng: _core.Rng) -> list[int]:
        """A new tuple, of the kind that the network has most of."""
        drawn = [each for each in self.tuples if not each.cells]
        kind = max(drawn, key=lambda each: each.number).kind if drawn else "walk"
        return list(random_tuples(self.game, kind, [length], others=others, rng=rng)[0])

    def draw_tuples(self, run: int) -> list[tuple[int, ...]]:
        """The tuples of a run: those that are given, and others by chance.

        >>> load_config("tictactoe-3").draw_tuples(1)[0]
        (0, 1, 2)
        """
        fresh = 1_000_003 * run if self.network["fresh"] else 0
        rng = _core.Rng(int(self.network["seed"]) + fresh)
        tuples: list[tuple[int, ...]] = []
        for each in self.tuples:
            if each.cells:
                tuples += [tuple(_cell(self.game, name) for name in cells) for cells in each.cells]
            else:
                lengths = [each.length] * each.number
                tuples += random_tuples(self.game, each.kind, lengths, others=tuples, rng=rng)
        return tuples


def configs() -> tuple[str, ...]:
    """The configurations of the package, by name.

    >>> {"s1-base", "s1-improved", "tictactoe-9"} <= set(configs())
    True
    """
    return config_names(CONFIGS)


def read_config(written: Mapping[str, Any]) -> TrainingConfig:
    """A configuration from the values of a TOML file; `SpecError` names what is wrong.

    >>> read_config({"game": "tictactoe", "network": {"tuples": [{"length": 99}]}})
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: network.tuples: option length=99: expected a whole number from 1 to 64
    """  # noqa: E501
    known = {"game", *(option.name for option in _GENERAL)}
    sections = {"network", "learning", "replacement", "measure"}
    refuse_unknown("", written, [*known, *sections])
    for name in sections:
        if not isinstance(written.get(name, {}), dict):
            raise SpecError(f"{name}: expected a section")
    names = [option.name for option in _GENERAL]
    general = _read("", _GENERAL, {key: written[key] for key in names if key in written})
    if not isinstance(written.get("game"), str):
        raise SpecError('it does not say which game; expected game = "connect4", for example')
    network = dict(written.get("network", {}))
    learning = dict(written.get("learning", {}))
    measure = dict(written.get("measure", {}))
    tuples = _read_tuples(network.pop("tuples", None))
    alpha = _read_schedule("learning.alpha", learning.pop("alpha", 0.004))
    epsilon = _read_schedule("learning.epsilon", learning.pop("epsilon", 0.1))
    if max(epsilon.initial, epsilon.final) > 1:
        raise SpecError("learning.epsilon: it is a probability, and so at most 1")
    opponents = measure.pop("opponents", ["perfect"])
    if not isinstance(opponents, list) or not all(isinstance(each, str) for each in opponents):
        raise SpecError("measure.opponents: expected a list of agents")
    return TrainingConfig(
        game(written["game"]),
        int(general["games"]),
        int(general["seed"]),
        tuples,
        _read("network", _NETWORK, network, ["tuples"]),
        _read("learning", _LEARNING, learning, ["alpha", "epsilon"]),
        alpha,
        epsilon,
        _read("replacement", _REPLACEMENT, written.get("replacement", {})),
        _read("measure", _MEASURE, measure, ["opponents"]),
        tuple(opponents),
        written,
    )


def from_facts(facts: Mapping[str, Any]) -> TrainingConfig:
    """Make a configuration of what `TrainingConfig.facts` wrote.

    >>> config = load_config("tictactoe-9")
    >>> from_facts(config.facts()) == config
    True
    """
    tuples = [
        {"cells": [" ".join(cells) for cells in each["cells"]]} if "cells" in each else each
        for each in facts["tuples"]
    ]
    learning = {**facts["learning"], "alpha": facts["alpha"], "epsilon": facts["epsilon"]}
    return read_config(
        {
            **{key: facts[key] for key in ("game", "games", "seed", "replacement")},
            "network": {**facts["network"], "tuples": tuples},
            "learning": learning,
            "measure": {**facts["measure"], "opponents": facts["opponents"]},
        }
    )


def default_tuples(of: Game) -> list[dict[str, Any]]:
    """Return sets of random walks whose tables stay small; `SpecError` if there are no cells.

    >>> import spielbaum as sb
    >>> default_tuples(sb.game("connect4"))
    [{'kind': 'walk', 'number': 32, 'length': 6}]
    """
    cells = len(of.initial().cells)
    if not cells:
        raise SpecError(f"{of} does not say what is in its cells, which n-tuples look at")
    per_entry = weights_of_an_entry(of, True)
    contents = max(2, NTupleNetwork(of, [[0]]).num_weights // per_entry)
    length = int(math.log(LARGEST_TABLE) / math.log(contents))
    return [{"kind": "walk", "number": min(32, 2 * cells), "length": min(length, 6, cells)}]


def _read(
    section: str, options: Sequence[Option], given: Mapping[str, object], others: Sequence[str] = ()
) -> dict[str, OptionValue]:
    """The options of a section; ``others`` belong to it, too, and are read elsewhere."""
    refuse_unknown(section, given, [*others, *(option.name for option in options)])
    prefix = f"{section}: " if section else ""
    values = {}
    for option in options:
        try:
            values[option.name] = option.check(given.get(option.name, option.default))
        except SpecError as error:
            raise SpecError(f"{prefix}{error}") from None
    return values


def _read_schedule(name: str, written: object) -> ScheduleSpec:
    if isinstance(written, int | float) and not isinstance(written, bool):
        written = {"initial": written, "final": written}
    if not isinstance(written, dict):
        raise SpecError(f"{name}: expected a number, or kind, initial and final")
    values = _read(name, _SCHEDULE, written)
    spec = ScheduleSpec(
        str(values["kind"]), float(values["initial"]), float(values["final"]), float(values["at"])
    )
    if spec.kind == "exponential" and min(spec.initial, spec.final) <= 0:
        raise SpecError(f"{name}: an exponential schedule goes between numbers above 0")
    return spec


def _read_tuples(written: object) -> tuple[TupleSet, ...]:
    if not isinstance(written, list) or not all(isinstance(each, dict) for each in written):
        raise SpecError("expected at least one [[network.tuples]]")
    sets = []
    for each in written:
        if "cells" in each:
            refuse_unknown("network.tuples", each, ["cells"])
            cells = each["cells"]
            if not isinstance(cells, list) or not all(isinstance(line, str) for line in cells):
                raise SpecError('network.tuples.cells: expected texts such as "a1 b1 c1"')
            sets.append(TupleSet("cells", cells=tuple(tuple(line.split()) for line in cells)))
        else:
            values = _read("network.tuples", _TUPLES, each)
            sets.append(TupleSet(str(values["kind"]), int(values["number"]), int(values["length"])))
    if not sets:
        raise SpecError("expected at least one [[network.tuples]]")
    return tuple(sets)


def _cell(of: Game, name: str) -> int:
    cells = len(of.initial().cells)
    for cell in range(cells):
        if of.face.cell_name(of, cell) == name:
            return cell
    raise SpecError(f"network.tuples.cells: {of} has no cell {name!r:.20}")


load_config = TrainingConfig.load
