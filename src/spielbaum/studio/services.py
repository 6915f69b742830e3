"""What the routes share: the processes that search, and what runs in the background."""

from __future__ import annotations

from dataclasses import dataclass

from spielbaum.studio.configurations import Configurations
from spielbaum.studio.experiments import Experiments
from spielbaum.studio.inspector import Inspector
from spielbaum.studio.model_process import ModelProcess
from spielbaum.studio.models import Models
from spielbaum.studio.net_forms import net_kinds
from spielbaum.studio.pool import SearchPool
from spielbaum.studio.runs import Runs
from spielbaum.studio.settings import Settings
from spielbaum.studio.tournaments import Tournaments
from spielbaum.studio.training_forms import Kind, NTupleKind
from spielbaum.studio.trainings import Trainings


@dataclass
class Services:
    """Everything behind the routes of one server."""

    settings: Settings
    pool: SearchPool
    runs: Runs
    tournaments: Tournaments
    experiments: Experiments
    models: Models
    inspector: Inspector
    configurations: Configurations
    trainings: Trainings
    pages: int = 0
    """Open sockets."""

    @classmethod
    def of(cls, settings: Settings) -> Services:
        """Services that have not begun yet.

        >>> Services.of(Settings()).pages
        0
        """
        runs = Runs(settings)
        reader = ModelProcess(settings)
        models = Models(settings, reader)
        configurations = Configurations(settings)
        kinds: tuple[Kind, ...] = (NTupleKind(configurations, settings), *net_kinds(settings))
        return cls(
            settings,
            SearchPool(settings),
            runs,
            Tournaments(settings.data / "tournaments.db", runs, reader),
            Experiments(settings.data / "lab.db", runs),
            models,
            Inspector(models),
            configurations,
            Trainings(settings, runs, models, {kind.name: kind for kind in kinds}),
        )
