"""The search for a good network (S0, section 5.1): trials with Optuna, kept in a file.

A trial is a network that is trained for some epochs; those that do worse than most others did after
as many epochs are given up. The study is an SQLite file: a search that was interrupted goes on with
the trial that it was at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState

from spielbaum.base.errors import StoreError, WorkerError
from spielbaum.games import Game
from spielbaum.train.data.samples import Samples
from spielbaum.train.methods.value.config import ValueConfig
from spielbaum.train.methods.value.training import Trainer
from spielbaum.train.rows import write_table

STUDY = "study.db"
TRIALS = "trials.csv"
NETWORK = (
    "blocks",
    "width",
    "kernel",
    "pool",
    "value_hidden",
    "batch_norm",
    "dropout",
    "body_dropout",
    "activation",
)
"""What is varied of the network; the learning rate is, too."""
SETTINGS = "settings"
"""Under which name a trial of the study keeps its settings by the keys of a configuration."""
FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)


@dataclass(frozen=True)
class Tried:
    """A trial that has come to its end.

    >>> Tried(3, True, 0.25, {"width": [64, 16], "pool": 2}, 4000).line()
    '    3: mean squared error 0.2500, 4,000 weights; width 64-16, pool 2'
    """

    number: int
    whole: bool
    """Whether it had all its epochs."""
    mse: float
    """Its smallest error in validation, of values in [-1, 1]."""
    settings: dict[str, Any]
    parameters: int

    def line(self) -> str:
        """The trial in words."""
        settings = ", ".join(f"{name} {_shown(value)}" for name, value in self.settings.items())
        end = "" if self.whole else " when given up"
        weights = f"{self.parameters:,} weights"
        return f"{self.number:5}: mean squared error {self.mse:.4f}{end}, {weights}; {settings}"


Report = Callable[[int, int, list[Tried]], None]
"""Is told the epochs that are done, those of all trials, and the trials so far."""


def find_network(
    config: ValueConfig,
    game: Game,
    samples: tuple[Samples, Samples],
    folder: Path,
    report: Report | None = None,
) -> ValueConfig:
    """The configuration with the best network of as many trials as it asks for."""
    folder.mkdir(parents=True, exist_ok=True)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = _open(config, folder / STUDY)
        _begin_again(study)
        while len(_finished(study)) < config.search.trials:
            _try(config, game, samples, study, report)
            _write(folder, _finished(study))
        whole = [each for each in _finished(study) if each.whole]
    except optuna.exceptions.StorageInternalError as error:
        reason = str(error.__cause__ or error).partition("\n")[0]
        raise StoreError(f"study {folder / STUDY}: {reason:.200}") from None
    if not whole:
        raise WorkerError("no trial of the search had all its epochs")
    best = min(whole, key=lambda each: each.mse)
    return config.with_values({_name(key): value for key, value in best.settings.items()})


def _open(config: ValueConfig, path: Path) -> optuna.Study:
    url = f"sqlite:///{path.absolute()}"
    # Not before some trials and epochs is there anything to compare with.
    pruner = optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=2)
    study = optuna.create_study(
        storage=url, study_name="networks", load_if_exists=True, pruner=pruner
    )
    # In every sitting others than before, which would be tried twice.
    study.sampler = optuna.samplers.TPESampler(seed=config.seed + len(study.trials))
    return study


def _begin_again(study: optuna.Study) -> None:
    """A trial that a crash has interrupted is made once more."""
    for trial in study.get_trials(states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
        if trial.params:
            study.enqueue_trial(trial.params)


def _try(
    config: ValueConfig,
    game: Game,
    samples: tuple[Samples, Samples],
    study: optuna.Study,
    report: Report | None,
) -> None:
    before = _finished(study)
    trial = study.ask()
    chosen = _chosen(trial, config)
    trial.set_user_attr(SETTINGS, chosen)
    tried = config.with_values({_name(key): value for key, value in chosen.items()})
    learning = tried.training.model_copy(update={"epochs": config.search.epochs})
    trainer = Trainer(game, tried.network, learning, samples, config.seed)
    trial.set_user_attr("parameters", trainer.net.parameter_count())
    total = config.search.trials * config.search.epochs
    while not trainer.done:
        row = trainer.epoch()
        trial.report(row.mse, row.epoch)
        trial.set_user_attr("mse", min(each.mse for each in trainer.rows))
        if report is not None:
            report(len(before) * config.search.epochs + row.epoch, total, before)
        if trial.should_prune():
            study.tell(trial, state=TrialState.PRUNED)
            return
    study.tell(trial, min(each.mse for each in trainer.rows))


def _chosen(trial: optuna.Trial, config: ValueConfig) -> dict[str, Any]:
    """Let the study choose settings, by the keys of a configuration."""
    search, kind = config.search, config.network.kind
    without = {"dense": ("kernel", "pool"), "residual": ("pool",), "conv": ()}[kind]
    own_widths = search.own_widths and kind != "residual"
    names = [name for name in (*NETWORK, "learning_rate") if name not in without]
    chosen: dict[str, Any] = {}
    for name in names:
        choices = getattr(search, name)
        if name == "width" and own_widths:
            layers = config.network.model_copy(update={"blocks": chosen["blocks"]}).layers
            widths = [
                trial.suggest_categorical(f"width {place}", choices)
                for place in range(1, layers + 1)
            ]
            chosen[name] = widths or choices[:1]
        else:
            chosen[name] = trial.suggest_categorical(name, choices)
    return chosen


def _finished(study: optuna.Study) -> list[Tried]:
    return [_tried(trial) for trial in study.get_trials(states=FINISHED)]


def _tried(trial: FrozenTrial) -> Tried:
    attributes = trial.user_attrs
    return Tried(
        trial.number,
        trial.state == TrialState.COMPLETE,
        float(attributes["mse"]),
        # Studies of earlier versions keep settings as parameters alone.
        dict(attributes.get(SETTINGS, trial.params)),
        int(attributes["parameters"]),
    )


def _write(folder: Path, trials: list[Tried]) -> None:
    """Write ``trials.csv``, the best first."""
    names = [*NETWORK, "learning_rate"]
    table: list[list[object]] = [["trial", "whole", "mse", "parameters", *names]]
    for each in sorted(trials, key=lambda each: (not each.whole, each.mse)):
        settings = [_shown(each.settings.get(name, "")) for name in names]
        table.append([each.number, each.whole, f"{each.mse:.6g}", each.parameters, *settings])
    write_table(folder / TRIALS, table)


def _shown(value: Any) -> str:
    """A setting as text; widths of layers as in 32-128-32."""
    return "-".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _name(key: str) -> str:
    return f"network.{key}" if key in NETWORK else f"training.{key}"
