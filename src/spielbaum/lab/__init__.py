"""The lab: the experiments of the source documents, with the figures that they published."""

from spielbaum.lab.catalog import experiment, experiments
from spielbaum.lab.experiment import (
    Cell,
    Count,
    Counts,
    Course,
    Deviation,
    Deviations,
    Experiment,
    Matches,
    Pairing,
    Reading,
    Scale,
    SearchTime,
    SearchTimes,
    Speed,
    Speeds,
    Summary,
    Trainings,
)

__all__ = [
    "Cell",
    "Count",
    "Counts",
    "Course",
    "Deviation",
    "Deviations",
    "Experiment",
    "Matches",
    "Pairing",
    "Reading",
    "Scale",
    "SearchTime",
    "SearchTimes",
    "Speed",
    "Speeds",
    "Summary",
    "Trainings",
    "experiment",
    "experiments",
]
