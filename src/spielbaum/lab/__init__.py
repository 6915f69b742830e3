"""The lab: the experiments of the source documents, with the figures that they published."""

from spielbaum.lab.catalog import experiment, experiments
from spielbaum.lab.experiment import (
    Cell,
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
)

__all__ = [
    "Cell",
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
    "experiment",
    "experiments",
]
