"""What each part of AlphaZero's recipe is worth on Connect Four, at equal evaluations.

Every variant changes a configuration in one way and trains until its networks have seen so many
positions; then its last network answers solved positions (those of `accuracy_net.py`) with 50
simulations. Trainings that were interrupted go on.

    python benchmarks/ablate_alphazero.py build/ablation --evaluations 2e7 --seeds 2
    python benchmarks/ablate_alphazero.py build/ablation --only base "lambda 0.85"
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from accuracy_net import ask, prepared
from parallel import on_all_cores

from spielbaum.arena.exams import Question
from spielbaum.train.method import method
from spielbaum.train.methods.alphazero.run_memory import net_path, read_memory
from spielbaum.train.run import Run

BASE: Mapping[str, Any] = {
    "self_play.precision": "int8",
    "self_play.cache": 0,
    "model_updates": 10_000,
    "retraining.final_learning_rate": 0.0,
    "evaluation.every": 10_000,
    "evaluation.eval_episodes": 0,
    "evaluation.positions": 0,
}
LONG = {
    "self_play.num_simulations": 200,
    "self_play.fast_simulations": 24,
    "self_play.full_share": 0.25,
}
LAMBDA = {"retraining.result_share": 0.85, "retraining.search_share": 0.0}
PROOF = {"self_play.end_at_proof": True}
FEW = {"self_play.considered": 4}
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "base": {},
    "32 bits": {"self_play.precision": "float", "self_play.cache": 100_000},
    "results alone": {"retraining.search_share": 0.0},
    "lambda 0.85": LAMBDA,
    "end at proof": PROOF,
    "4 moves considered": FEW,
    "200/24 simulations": LONG,
    "5 blocks x 48": {"network.blocks": 5, "network.width": 48},
    "all of these": {**LAMBDA, **PROOF, **FEW, **LONG},
}
SIMULATIONS = 50
PART = 50


def train(name: str, seed: int, folder: Path, evaluations: float) -> Path:
    """Train a variant, or go on; answers the file of its last network."""
    wanted = method("alphazero")
    config = wanted.config_type.load("connect4").with_values(
        {**BASE, **VARIANTS[name], "seed": seed}
    )
    run = Run(wanted, config, folder)

    def watch(status: Any, lines: Any) -> None:
        if status.counts.get("evaluations", 0) >= evaluations:
            run.stop()

    run.run(watch)
    return net_path(folder, read_memory(folder).generation)


def accuracy(net: Path, questions: list[Question]) -> float:
    """The share of positions whose value the network keeps."""
    player = f"net:{net}@{SIMULATIONS}"
    parts = [questions[first : first + PART] for first in range(0, len(questions), PART)]
    kept = [
        each
        for part in on_all_cores(ask, [("connect4", player, part) for part in parts])
        for each in part
    ]
    return sum(kept) / len(kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--evaluations", type=float, default=2e7)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--only", nargs="+", default=list(VARIANTS), choices=list(VARIANTS))
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    wanted = argparse.Namespace(
        game="connect4",
        questions=given.folder / "questions.json",
        plies=(4, 30),
        seed=0,
        positions=given.positions,
    )
    questions = prepared(wanted, on_all_cores)
    for name in given.only:
        shares = []
        for seed in range(1, given.seeds + 1):
            folder = given.folder / f"{name.replace(' ', '-').replace('/', '-')}-{seed}"
            net = train(name, seed, folder, given.evaluations)
            shares.append(accuracy(net, questions))
            row = read_memory(folder).rows[-1]
            print(
                f"{name}, seed {seed}: {shares[-1]:.1%} of values kept; {row.games:,} games, "
                f"{row.evaluations:,} evaluations, {row.seconds:.0f} s",
                flush=True,
            )
        if len(shares) > 1:
            spread = statistics.stdev(shares)
            print(f"{name}: mean {statistics.fmean(shares):.1%}, deviation {spread:.1%}")


if __name__ == "__main__":
    main()
