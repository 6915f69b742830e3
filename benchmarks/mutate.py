"""Which changes of the package no test notices: mutation testing of the files that count.

    python benchmarks/mutate.py                        all files of benchmarks/mutation/targets.toml
    python benchmarks/mutate.py games.py sprt.py       some of them
    python benchmarks/mutate.py --again                only what survived last time
    python benchmarks/mutate.py --resume               only what was not tried last time
    python benchmarks/mutate.py --table                what is known, as a table in Markdown

Results are kept in build/mutants. Mutants that cannot be told from the original are declared in
benchmarks/mutation/equivalent.toml, each with its reason.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
FOLDER = ROOT / "build" / "mutants"
NOTICED = ("killed", "timeout")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="ends of paths; without, all")
    parser.add_argument("--sample", type=int, default=60, help="mutants per file; 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slowest", type=float, default=3.0, help="seconds of a test")
    parser.add_argument("--most", type=float, default=10.0, help="seconds of a mutant's tests")
    parser.add_argument("--patience", type=float, default=1800.0, help="seconds on the clock")
    parser.add_argument("--again", action="store_true", help="only what no test objected to")
    parser.add_argument("--resume", action="store_true", help="only what was not tried before")
    parser.add_argument("--without", nargs="*", default=[], help="tests that are not asked")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where results are kept")
    parser.add_argument("--table", action="store_true", help="show what is known")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if not arguments.table:
        run(arguments)
    results = {}
    for path in arguments.folder.glob("*.results.json"):
        results |= json.loads(path.read_text())
    print(table(results, equivalents()))
    return 0


def run(arguments: argparse.Namespace) -> None:
    groups = tomllib.loads((HERE / "mutation" / "targets.toml").read_text())
    for name, group in groups.items():
        files = [
            file
            for file in group["files"]
            if not arguments.files or any(file.endswith(end) for end in arguments.files)
        ]
        if not files:
            continue
        job = {
            "files": files,
            "sample": arguments.sample,
            "seed": arguments.seed,
            "slowest": arguments.slowest,
            "most": arguments.most,
            "patience": arguments.patience,
            "only": ["survived", "uncovered", "timeout"]
            if arguments.again
            else ["none"] * arguments.resume,
            "results": str(arguments.folder / f"{name}.results.json"),
            "modules": str(arguments.folder / f"{name}.modules.json"),
            "cover": str(arguments.folder / f"{name}.cover.json"),
        }
        paths = [str(HERE), str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {
            **os.environ,
            "MUTATION_JOB": json.dumps(job),
            "PYTHONPATH": os.pathsep.join(paths),
            "OMP_NUM_THREADS": "1",  # a fork has none of the threads of its parent
        }
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "mutation.plugin"]
        for deselected in arguments.without:
            options += ["--deselect", deselected]
        command = [sys.executable, "-m", "pytest", *options, *group["tests"]]
        log = arguments.folder / f"{name}.log"
        with log.open("w", encoding="utf-8") as file:
            done = subprocess.run(command, cwd=ROOT, env=environment, stdout=file, check=False)
        if done.returncode not in (0, 5):
            print(f"{name}: pytest ended with {done.returncode}, see {log}", file=sys.stderr)


def equivalents() -> list[dict[str, str]]:
    path = HERE / "mutation" / "equivalent.toml"
    found = tomllib.loads(path.read_text())["mutant"] if path.exists() else []
    for each in found:
        if not each["reason"].strip():
            raise SystemExit(f"{path}: {each} has no reason")
    return found


def is_declared(file: str, mutant: dict[str, Any], declared: list[dict[str, str]]) -> bool:
    return any(
        file.endswith(each["file"])
        and all(each[name] == mutant[name] for name in ("where", "before", "after"))
        for each in declared
    )


def table(results: dict[str, Any], declared: list[dict[str, str]]) -> str:
    lines = [
        "| file | mutants | tried | killed | timeout | equivalent | survived | noticed |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    total: Counter[str] = Counter()
    for file, found in sorted(results.items()):
        counts: Counter[str] = Counter(all=found["all"], tried=len(found["mutants"]))
        for mutant in found["mutants"].values():
            noticed = mutant["status"] in NOTICED
            equivalent = not noticed and is_declared(file, mutant, declared)
            counts["equivalent" if equivalent else mutant["status"]] += 1
        lines.append(row(file.removeprefix("src/spielbaum/"), counts))
        total += counts
    return "\n".join([*lines, row("all", total)])


def row(name: str, counts: Counter[str]) -> str:
    survived = counts["survived"] + counts["uncovered"]
    share = (counts["killed"] + counts["timeout"]) / max(1, counts["tried"] - counts["equivalent"])
    numbers = [counts[each] for each in ("all", "tried", "killed", "timeout", "equivalent")]
    return f"| `{name}` | {' | '.join(map(str, numbers))} | {survived} | {share:.1%} |"


if __name__ == "__main__":
    sys.exit(main())
