"""What the routes share: the processes that search, and what runs in the background."""

from __future__ import annotations

from dataclasses import dataclass

from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.configurations import Configurations
from spielbaum.studio.services.experiments import Experiments
from spielbaum.studio.services.inspector import Inspector
from spielbaum.studio.services.model_process import ModelProcess
from spielbaum.studio.services.models import Models
from spielbaum.studio.services.net_forms import net_kinds
from spielbaum.studio.services.pool import SearchPool
from spielbaum.studio.services.runs import Runs
from spielbaum.studio.services.tournaments import Tournaments
from spielbaum.studio.services.training_forms import Kind, NTupleKind
from spielbaum.studio.services.trainings import Trainings


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
