"""The lab: the experiments of the source documents, with the figures that they published."""

from spielbaum.lab.catalog import experiment, experiments
from spielbaum.lab.experiment import Cell, Experiment, Measured
from spielbaum.lab.kinds.counts import Count, Counts
from spielbaum.lab.kinds.deviations import Deviation, Deviations
from spielbaum.lab.kinds.matches import Matches, Pairing, Scale
from spielbaum.lab.kinds.self_play import Claim, SelfPlay
from spielbaum.lab.kinds.speeds import SearchTime, SearchTimes, Speed, Speeds
from spielbaum.lab.kinds.summaries import Reading, Summary
from spielbaum.lab.kinds.trainings import Course, Trainings
from spielbaum.lab.runner import Lab

__all__ = [
    "Cell",
    "Claim",
    "Count",
    "Counts",
    "Course",
    "Deviation",
    "Deviations",
    "Experiment",
    "Lab",
    "Matches",
    "Measured",
    "Pairing",
    "Reading",
    "Scale",
    "SearchTime",
    "SearchTimes",
    "SelfPlay",
    "Speed",
    "Speeds",
    "Summary",
    "Trainings",
    "experiment",
    "experiments",
]
