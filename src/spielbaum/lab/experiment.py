"""What an experiment of a document is: its cells, and the figures that the document printed.

There are seven kinds: `Matches` of agents, `Speeds` and `SearchTimes` of one agent at a time, a
`Summary` of something that is counted in the games of other experiments, `Trainings` of n-tuple
networks, `Counts` of facts about their tuples, and `Deviations` of neural networks. An experiment
only says what is to be done; nothing is played here.

Agents may name a neural network that is trained for the lab, as in ``uct:eval=net:@ConvNet``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from spielbaum.base.options import OptionValue
from spielbaum.base.statistics import Scoring
from spielbaum.play.limits import Limits

ScaleName: TypeAlias = Literal["small", "paper"]


@dataclass(frozen=True)
class Scale:
    """How much of an experiment is done: games of each cell, and a factor of thinking times.

    >>> Scale(50, time=0.01).limits(Limits(seconds=10)).seconds
    0.1
    >>> Scale(50, time=0.01).limits(Limits(iterations=1000)).iterations
    1000
    """

    games: int
    time: float = 1.0

    def limits(self, limits: Limits) -> Limits:
        """The limits of this scale, where the document has ``limits``."""
        if limits.seconds is None:
            return limits
        return replace(limits, seconds=limits.seconds * self.time)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One place of a table.

    >>> Cell(row="UCT3", column="Cp = 0.7").published is None  # not printed, or lost
    True
    """

    row: str
    column: str
    published: float | None = None
    """The document's figure, or None where it has none, or where only a lost drawing had it."""
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Pairing(Cell):
    """Games of an agent against an opponent; published are points of the agent in percent.

    >>> cell = Pairing(
    ...     row="LGR", column="Cp = 1", agent="lgr:c=1", opponent="uct:c=0.8",
    ...     limits=Limits(iterations=1000), published=77.8,
    ... )
    >>> cell.agent, cell.published
    ('lgr:c=1', 77.8)
    """

    agent: str
    opponent: str
    limits: Limits | None = None
    """Of either side, for each move; None if ``relative`` is given."""
    opponent_limits: Limits | None = None
    """Of the opponent, where it has others than the agent."""
    relative: int | None = None
    """Either side has the time that the opponent needs for so many iterations."""
    published_share: float | None = None
    """Iterations of the agent for one of the opponent in the same time, on the document's machine.
    With ``relative`` iterations of the opponent and this share of them for the agent, a match
    repeats the document's conditions on any machine."""


@dataclass(frozen=True, kw_only=True)
class Speed(Cell):
    """Iterations per second of an agent.

    >>> Speed(row="UCT3", column="iterations per second", agent="uct3", published=4866).agent
    'uct3'
    """

    agent: str


@dataclass(frozen=True, kw_only=True)
class SearchTime(Cell):
    """Mean seconds of an agent's searches to a depth.

    >>> SearchTime(row="4", column="AB", agent="alphabeta:tt=off", depth=4, published=1.61).depth
    4
    """

    agent: str
    depth: int


@dataclass(frozen=True, kw_only=True)
class Reading(Cell):
    """What is counted for an agent in the games of an experiment.

    >>> reading = Reading(
    ...     row="MCTS", column="10 s", experiment="S2.table3.4", agent="mcts-gdk:c=0.7"
    ... )
    >>> reading.experiment
    'S2.table3.4'
    """

    experiment: str
    """The id of the experiment whose games are looked at."""
    agent: str
    """The agent whose games, or moves, count."""
    opponent: str | None = None
    """Only games against this one, if it is given."""


@dataclass(frozen=True, kw_only=True)
class Course(Cell):
    """A training of a network; published is its success against the perfect player in percent.

    >>> Course(row="m = 3", column="base", config="s1-base", changes=(("network.contents", 3),)).at
    """

    config: str
    """The name of a configuration of the package."""
    changes: tuple[tuple[str, OptionValue], ...] = ()
    """What is different from it: section and key, and the value."""
    tuples: tuple[str, int, int] | None = None
    """Kind, number and length of other tuples than those of the configuration."""
    at: int | None = None
    """The number of training games at which success is read; None: the mean of the last part."""
    depth: int = 0
    """Plies of alpha-beta below each move when success is measured."""
    opponent: str = "perfect-resisting"
    """Who is played against: one of the perfect players, or an agent, which has 10,000 iterations
    for each move."""
    seat: int = 0
    """Whose moves are the network's; 0: the first player's."""
    paper_only: bool = False
    """Whether it takes too long for the small scale."""


@dataclass(frozen=True, kw_only=True)
class Count(Cell):
    """Something that is counted or computed without a game being played.

    >>> Count(row="m = 4", column="8", kind="walk", length=8, contents=4, published=8).kind
    'walk'
    """

    kind: str
    """How tuples are drawn: walk, slide or points."""
    length: int
    contents: int = 4
    cell: int | None = None
    """The cell whose visits are counted; None: states that can occur."""


@dataclass(frozen=True, kw_only=True)
class Deviation(Cell):
    """How far a neural network's values are from results, in its best epoch's validation.

    >>> Deviation(row="ConvNet", column="MSE", network="ConvNet", measure="mse").one_scale
    False
    """

    network: str
    """The name of a network of the lab."""
    measure: Literal["mse", "mae", "guess_mse", "guess_mae"]
    """Mean squared or absolute error; or that of somebody who always answers the mean."""
    one_scale: bool = False
    """Whether errors are those of values in [-1, 1], also with a normalised target, which halves
    that range: then the document's figures are multiplied by 4 (squares) or 2."""


@dataclass(frozen=True, kw_only=True)
class Claim(Cell):
    """What a document says in words about losses of self-play.

    >>> Claim(row="total loss", column="last by first update", loss="total", below=1.0).measure
    'change'
    """

    loss: Literal["total", "policy", "value", "regularisation"] = "total"
    measure: Literal["change", "spikes", "share", "points"] = "change"
    """``change``: mean of the last update by that of the first; ``spikes``: how much it rises when
    new games come, in the second half of the updates by the first; ``share`` of the total loss;
    ``points`` of the trained network against the untrained one, in percent."""
    below: float | None = None
    """The words say that the figure is smaller than this."""
    above: float | None = None


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What all kinds of experiments have.

    >>> from spielbaum.lab import experiment
    >>> table = experiment("S0.table10")
    >>> table.question
    'Do AMAF-LGR and RAVE-LGR beat LGR?'
    >>> [(cell.row, cell.published) for cell in table.cells]
    [('AMAF-LGR', 55.6), ('RAVE-LGR', 60.3)]
    """

    id: str
    title: str
    source: str
    """Where in which document it stands."""
    game: str
    question: str
    cells: tuple[Cell, ...]
    """The places of the document's table, row by row."""
    notes: tuple[str, ...] = ()
    """What the document leaves open, and what is done about it."""


@dataclass(frozen=True, kw_only=True)
class Matches(Experiment):
    """Games between agents. Either side has the first move in half of the games of a cell.

    >>> from spielbaum.lab import experiment
    >>> table = experiment("S2.table3.4")
    >>> table.scoring, table.games, table.both_sides
    ('nothing', 50, True)
    >>> table.scale("paper"), table.scale("small")
    (Scale(games=50, time=1.0), Scale(games=50, time=0.01))
    """

    cells: tuple[Pairing, ...]
    variants: tuple[Pairing, ...] = ()
    """Further pairings that the document does not have, but that help to understand it. A
    published figure is the one that the document has for the cell of which it is a variant."""
    scoring: Scoring
    games: int
    """Games of each cell in the document, at least."""
    most_games: int | None = None
    """And at most; None where it does not say."""
    small: Scale = Scale(100)
    start: str = ""
    """Notation of the position from which all games begin; empty for that of the game."""
    both_sides: bool = False
    """Whether the cells (a, b) and (b, a) show the same games, each from its row's side."""

    def scale(self, name: ScaleName) -> Scale:
        """How much is done at a scale; ``paper`` is as much as the document did."""
        return Scale(self.games) if name == "paper" else self.small


@dataclass(frozen=True, kw_only=True)
class Speeds(Experiment):
    """Iterations per second of agents that search one position.

    Speed belongs to a machine; what can be compared is the ratio to the plain agent.

    >>> from spielbaum.lab import experiment
    >>> speeds = experiment("S0.speed")
    >>> round(speeds.ratio(speeds.cells[3]), 3)
    0.695
    """

    cells: tuple[Speed, ...]
    baseline: str
    """The row of the plain agent."""
    iterations: int
    start: str = ""

    def plain(self, cell: Cell) -> Cell:
        """The cell of the plain agent, beside which another stands."""
        return next(each for each in self.cells if each.row == self.baseline)

    def ratio(self, cell: Cell) -> float | None:
        """The published speed in units of the plain agent's."""
        return _ratio(cell, self.plain(cell))


@dataclass(frozen=True, kw_only=True)
class SearchTimes(Experiment):
    """Mean times of searches to fixed depths over some positions.

    >>> from spielbaum.lab import experiment
    >>> times = experiment("S2.table3.1")
    >>> last = times.cells[-1]
    >>> last.column, last.depth, round(times.ratio(last), 3)
    ('AB*', 6, 0.091)
    """

    cells: tuple[SearchTime, ...]
    baseline: str
    """The column of the plain agent."""
    positions: tuple[str, ...]
    """Their notations."""

    def plain(self, cell: Cell) -> Cell:
        """The cell of the plain agent at the same depth."""
        return next(
            each for each in self.cells if (each.row, each.column) == (cell.row, self.baseline)
        )

    def ratio(self, cell: Cell) -> float | None:
        """The published time in units of the plain agent's at the same depth."""
        return _ratio(cell, self.plain(cell))


@dataclass(frozen=True, kw_only=True)
class Summary(Experiment):
    """Something that is counted in the games of other experiments.

    >>> from spielbaum.lab import experiment
    >>> draws = experiment("S2.table3.6")
    >>> draws.measure, draws.cells[0].experiment, draws.cells[0].published
    ('draws', 'S2.table3.4', 0.3)
    """

    cells: tuple[Reading, ...]
    measure: Literal[
        "mean points", "draws", "iterations per move", "nodes per move", "table entries"
    ]
    unit: str


@dataclass(frozen=True, kw_only=True)
class Trainings(Experiment):
    """Trainings of networks: how well they play in the end, over several runs.

    >>> from spielbaum.lab import experiment
    >>> figure = experiment("S1.figure4.14")
    >>> [(cell.row, cell.published) for cell in figure.cells]
    [('m = 3', 81), ('m = 4', 91)]
    """

    cells: tuple[Course, ...]
    measure: Literal["success", "seconds"] = "success"
    """Success in percent, or seconds of 50 games."""
    runs: int = 10
    """Repetitions in the document."""
    small_runs: int = 3
    small_games: float = 1.0
    """Training games at the small scale, as a share of the document's."""
    since: float = 0.6
    """The mean is that of all measurements after this share of the training."""

    def runs_at(self, scale: ScaleName) -> int:
        """Repetitions of each training.

        >>> from spielbaum.lab import experiment
        >>> experiment("S1.figure4.14").runs_at("small")
        2
        """
        return self.runs if scale == "paper" else self.small_runs

    @property
    def unit(self) -> str:
        """What is measured."""
        return "success in percent" if self.measure == "success" else "seconds of 50 games"


@dataclass(frozen=True, kw_only=True)
class Deviations(Experiment):
    """Trainings of neural networks: their errors in validation.

    >>> from spielbaum.lab import experiment
    >>> table = experiment("S0.table1")
    >>> [(cell.row, cell.column, cell.published) for cell in table.cells][:2]
    [('DenseNet, normalised', 'MSE', 0.022), ('DenseNet, normalised', 'MAE', 0.107)]
    """

    cells: tuple[Deviation, ...]
    over_epochs: bool = False
    """Whether the figure shows how errors fall, epoch by epoch."""


@dataclass(frozen=True, kw_only=True)
class SelfPlay(Experiment):
    """A training by AlphaZero: how its losses change.

    >>> from spielbaum.lab import experiment
    >>> experiment("S4.figure6.1").config
    's4-small'
    """

    cells: tuple[Claim, ...]
    config: str
    """A configuration of the package."""
    games: int = 40
    """Between the trained and the untrained network."""


@dataclass(frozen=True, kw_only=True)
class Counts(Experiment):
    """Facts about tuples that are found by drawing many of them.

    >>> from spielbaum.lab import experiment
    >>> experiment("S1.figure4.21").unit
    'visits in per mille'
    """

    cells: tuple[Count, ...]
    unit: str
    draws: int = 10_000
    """Tuples that are drawn for each cell; the document drew 1,000,000 or more."""


def _ratio(cell: Cell, plain: Cell) -> float | None:
    if cell.published is None or plain.published is None:
        return None
    return cell.published / plain.published
