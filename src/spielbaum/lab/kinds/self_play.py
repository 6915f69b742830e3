"""A training by AlphaZero, and what a document says in words about its losses."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.store import Store
from spielbaum.base.statistics import Estimate, Score, share_estimate
from spielbaum.lab.experiment import Agreement, Cell, Entry, Experiment, Measured, Verdict
from spielbaum.lab.plots import courses
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings
from spielbaum.play.referee import score_of
from spielbaum.train.methods.alphazero.config import load_config
from spielbaum.train.methods.alphazero.method import METHOD
from spielbaum.train.methods.alphazero.run_memory import Loss, RunMemory, net_path, read_memory
from spielbaum.train.run import Run
from spielbaum.train.run_folder import RunStatus

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from spielbaum.lab.runner import Lab

OPENING_PLIES = 4
"""Random moves before the games between the networks."""


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

    @property
    def words(self) -> str:
        """What the document says, in short."""
        if self.below is not None:
            return f"below {self.below:g}"
        return "" if self.above is None else f"above {self.above:g}"

    def direction(self, value: Estimate | float | None) -> str:
        """Say whether a figure is as the words say; an interval may leave that open.

        >>> Claim(row="a", column="b", below=1.0).direction(Estimate(0.9, 0.8, 1.1))
        'undecided'
        """
        if value is None or (self.below is None and self.above is None):
            return ""
        low, high = (value.low, value.high) if isinstance(value, Estimate) else (value, value)
        least = -math.inf if self.above is None else self.above
        most = math.inf if self.below is None else self.below
        if least < low and high < most:
            return "agrees"
        return "differs" if high <= least or low >= most else "undecided"


@dataclass(frozen=True, kw_only=True)
class SelfPlay(Experiment[Claim]):
    """A training by AlphaZero: how its losses change.

    >>> from spielbaum.lab import experiment
    >>> experiment("S4.figure6.1").config
    's4-small'
    """

    config: str
    """A configuration of the package."""
    games: int = 40
    """Games between the trained and the untrained network."""

    def run(self, lab: Lab) -> None:
        """Train what is missing, and let the last network play the first."""
        config, folder = load_config(self.config), self._folder(lab)

        def pass_on(now: RunStatus, lines: Sequence[str]) -> None:
            lab.tell(f"{self.id}, {now.activity}", now.step, now.of)

        Run(METHOD, config, folder).run(pass_on)
        state = read_memory(folder)
        limits = Limits(iterations=config.evaluation.simulations)
        nets = [net_path(folder, generation) for generation in (state.generation, 0)]
        plan = Plan(
            self.game,
            tuple(Entrant(f"net:{net},c={config.self_play.const}", limits) for net in nets),
            self.games,
            Openings("random", OPENING_PLIES),
            seed=1,
        )
        score = Score(0, 0, 0)
        with Store(lab.store) as store:
            for done, record in enumerate(run_plan(plan, lab.executor, store, self.id), start=1):
                score += score_of(record, plan.entrants[0].agent)
                lab.tell(f"{self.id}, trained against untrained", done, plan.num_games)
        lab.keep_note(self._score_name, f"{score.wins} {score.draws} {score.losses}")
        lab.keep_facts(self)

    def results(self, lab: Lab) -> list[Measured[Claim]]:
        """Read the losses of a finished training, and the score of the trained network."""
        memory = read_memory(self._folder(lab))
        is_done = memory.generation >= load_config(self.config).model_updates
        score = lab.note(self._score_name)
        found = []
        for cell in self.cells:
            if cell.measure == "points":
                found.append(Measured(cell, None if score is None else _points(score)))
            elif not is_done:
                found.append(Measured(cell, None))
            else:
                course = course_of(memory, cell.loss)
                shown = course if cell.measure == "change" else ()
                found.append(Measured(cell, figure(cell, memory, course), course=shown))
        return found

    @property
    def _score_name(self) -> str:
        return f"{self.id}/score"

    def _folder(self, lab: Lab) -> Path:
        return lab.trainings / Path(self.config).stem

    def judge(self, measured: Measured[Claim]) -> Verdict:
        """Compare a figure with the words of the document."""
        return Verdict(None, measured.cell.direction(measured.value))

    def line(self, measured: Measured[Claim]) -> tuple[Entry, ...]:
        """Return the document's words, the figure, and whether they agree."""
        direction = self.judge(measured).direction
        return (
            ("the text says", measured.cell.words),
            ("measured", measured.value),
            ("", direction),
        )

    def sentence(self, counts: Agreement, results: Sequence[Measured[Claim]]) -> str:
        """Say how many figures are as the text says."""
        return f"{counts.agrees} of {counts.compared} figures are as the text says."

    def picture(self, results: Sequence[Measured[Claim]]) -> Figure:
        """Draw losses by training loops."""
        if any(each.course for each in results):
            return courses(self.heading, results, ("training loops", "loss"), columns=False)
        return super().picture(results)


def _points(score: str) -> Estimate:
    wins, draws, losses = map(int, score.split())
    return share_estimate(Score(wins, draws, losses), "half").percent


def course_of(state: RunMemory, loss: str) -> tuple[float, ...]:
    """Return a loss after every training loop."""
    names = ("policy", "value", "regularisation")
    wanted = names if loss == "total" else (loss,)
    return tuple(
        sum(each[1 + names.index(name)] for name in wanted) for each in state.losses
    )  # fmt: skip


def figure(cell: Claim, state: RunMemory, course: Sequence[float]) -> float:
    """Compute what a cell asks for.

    >>> losses = [(1, 4.0, 1.0, 0.0), (1, 3.0, 0.5, 0.0), (2, 3.0, 1.0, 0.0), (2, 1.0, 0.5, 0.0)]
    >>> state = RunMemory(2, losses=losses)
    >>> cell = Claim(row="policy loss", column="last by first update", loss="policy")
    >>> round(figure(cell, state, course_of(state, "policy")), 3)
    0.571
    """
    if cell.measure == "share":
        return statistics.fmean(course) / statistics.fmean(course_of(state, "total"))
    updates = _by_update(state.losses, course)
    if cell.measure == "change":
        return statistics.fmean(updates[-1]) / statistics.fmean(updates[0])
    rises = [after[0] - before[-1] for before, after in itertools.pairwise(updates)]
    half = len(rises) // 2
    return statistics.fmean(rises[-half:]) / statistics.fmean(rises[:half])


def _by_update(losses: Sequence[Loss], course: Sequence[float]) -> list[list[float]]:
    updates: dict[int, list[float]] = {}
    for (generation, *_), value in zip(losses, course, strict=True):
        updates.setdefault(generation, []).append(value)
    return list(updates.values())
