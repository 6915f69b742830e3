"""A plugin of pytest that runs tests again and again, in forks that each have another mutant.

Pytest collects once; instead of running the tests, `pytest_runtestloop` serves as the server: a
fork traces which lines each test runs, then every mutant gets a fork with the tests that run its
line. A mutant in the body of a function is put there by exchanging the code of the function. Other
mutants (default arguments, fields, constants) take effect at import only: there the fork forgets
the package, imports it anew with the mutant, and collects the tests once more.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import json
import marshal
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from mutation.hook import sitecustomize as hook
from mutation.operators import Mutant, mutants, sample

ROOT = Path(__file__).parents[2]
HOOK = Path(hook.__file__).parent
SPARE_SECONDS = 20.0
"""Of the processor, beyond what the tests of a mutant take without it."""
SPARE_MEMORY = 4 * 2**30


class Server:
    """What one process of pytest does: ``job`` has files, sample, seed, and where to write."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.folder = Path(tempfile.mkdtemp(prefix="mutants-"))
        self.cover: dict[str, dict[str, Any]] = {}
        self.tracer: hook.Tracer | None = None
        self.fixtures: list[str] = []

    # ---- hooks of pytest ----
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted("tests cannot be collected")
        for file in self.job["files"]:
            importlib.import_module(module_of(file))
        try:
            self.items = {item.nodeid: item for item in session.items}
            self.session = session
            self.trace_all()
            self.functions = functions_by_place()
            gc.freeze()  # a fork that collects garbage would copy all of it
            for file in self.job["files"]:
                self.try_file(file)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        """What a fixture of a module runs counts for all tests that use it."""
        if self.tracer is None or fixturedef.scope == "function":
            return (yield)
        before = self.tracer.test
        self.tracer.begin(f"fixture {fixturedef.argname} {fixturedef.baseid}")
        try:
            return (yield)
        finally:
            self.tracer.begin(before)

    # ---- which test runs which lines ----
    def trace_all(self) -> None:
        """Fill `cover`: for each test, how long it took and the lines it ran of each file."""
        store = Path(self.job["cover"])
        known = json.loads(store.read_text()) if store.exists() else {}
        sources = "".join((ROOT / file).read_text() for file in self.job["files"])
        stamps = {
            path: hashlib.sha256((sources + (ROOT / path).read_text()).encode()).hexdigest()
            for path in {item.nodeid.partition("::")[0] for item in self.items.values()}
        }
        for nodeid in self.items:
            stamp = stamps[nodeid.partition("::")[0]]
            if known.get(nodeid, {}).get("stamp") == stamp:
                self.cover[nodeid] = known[nodeid]
        missing = [item for nodeid, item in self.items.items() if nodeid not in self.cover]
        if missing:
            self.preload()
            say(f"tracing {len(missing)} tests")
            out = self.folder / "trace"
            out.mkdir()
            child = os.fork()
            if child == 0:
                self.in_child(lambda: self.trace(missing, out), {})
            os.waitpid(child, 0)
            facts = json.loads((out / "facts.json").read_text())
            for nodeid, (passed, seconds) in facts.items():
                stamp = stamps[nodeid.partition("::")[0]]
                self.cover[nodeid] = {"stamp": stamp, "passed": passed, "seconds": seconds}
                self.cover[nodeid]["lines"] = {}
            self.read_lines(out)
            store.write_text(json.dumps({**known, **self.cover}))
        self.preload()
        failing = [nodeid for nodeid, each in self.cover.items() if not each["passed"]]
        for nodeid in failing:
            say(f"left out, for it fails without a mutant: {nodeid}")

    def preload(self) -> None:
        """Import once what tests import on their way, and not in every fork."""
        known = Path(self.job["modules"])
        for name in json.loads(known.read_text()) if known.exists() else []:
            with contextlib.suppress(Exception):
                importlib.import_module(name)

    def trace(self, items: list[Any], out: Path) -> int:
        files = [str(ROOT / file) for file in self.job["files"]]
        os.environ["MUTANT_TRACE"] = str(out)
        os.environ["MUTANT_FILES"] = os.pathsep.join(files)
        self.tracer = hook.Tracer(str(out), files)
        facts = {}
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.tracer.begin(item.nodeid)
            self.session.testsfailed = 0
            began = cpu_seconds()
            self.tracer.start()
            try:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            finally:
                sys.settrace(None)
            facts[item.nodeid] = (not self.session.testsfailed, cpu_seconds() - began)
        (out / "facts.json").write_text(json.dumps(facts))
        modules = [name for name in sys.modules if not is_own(name)]
        Path(self.job["modules"]).write_text(json.dumps(modules))
        return 0

    def read_lines(self, out: Path) -> None:
        lines: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        for path in out.glob("*.txt"):
            for row in path.read_text().splitlines():
                number, file, test = row.split("\t")
                lines[test][os.path.relpath(file, ROOT)].add(int(number))
        for nodeid, item in self.items.items():
            if nodeid not in self.cover or self.cover[nodeid]["lines"]:
                continue
            found = {file: set(some) for file, some in lines[nodeid].items()}
            for name in item.fixturenames:
                for test, files in lines.items():
                    if test.startswith(f"fixture {name} "):
                        for file, some in files.items():
                            found.setdefault(file, set()).update(some)
            self.cover[nodeid]["lines"] = {file: sorted(some) for file, some in found.items()}

    # ---- mutants ----
    def try_file(self, file: str) -> None:
        source = (ROOT / file).read_text()
        all_of_them = mutants(file, source)
        chosen = sample(all_of_them, self.job["sample"], self.job["seed"])
        out = Path(self.job["results"])
        results = json.loads(out.read_text()) if out.exists() else {}
        kept = results.get(file, {}).get("mutants", {})
        killers: list[str] = []
        found: dict[str, Any] = {}
        for mutant in chosen:
            before = kept.get(mutant.key, {})
            if self.job["only"] and before.get("status") not in (None, *self.job["only"]):
                found[mutant.key] = before
                continue
            tests = self.tests_of(mutant, [*([before["by"]] if before.get("by") else []), *killers])
            status, by = self.try_mutant(mutant, tests) if tests else ("uncovered", "")
            if by in killers:
                killers.remove(by)
            killers = [by, *killers][:10] if by else killers
            found[mutant.key] = {
                "status": status,
                "by": by,
                "operator": mutant.operator,
                "line": mutant.line,
                "where": mutant.where,
                "before": mutant.before,
                "after": mutant.after,
                "tests": len(tests),
            }
            if status not in ("killed", "timeout"):
                say(f"{status} {file}:{mutant.line} {mutant.where}: {mutant.operator}")
                say(f"    - {mutant.before}\n    + {mutant.after}")
            # At once: it may take hours, and go on another time.
            results[file] = {"all": len(all_of_them), "mutants": {**kept, **found}}
            out.write_text(json.dumps(results, indent=1))
        results[file] = {"all": len(all_of_them), "mutants": found}
        out.write_text(json.dumps(results, indent=1))
        counts: dict[str, int] = defaultdict(int)
        for each in found.values():
            counts[each["status"]] += 1
        say(f"{file}: {len(found)} of {len(all_of_them)}: {dict(counts)}")

    def tests_of(self, mutant: Mutant, first: list[str]) -> list[str]:
        """The tests that run the line of a mutant, those first that killed others, then quick ones.

        What runs at import only concerns every test of the file. Slow tests are not asked.
        """
        wanted = set(mutant.lines) if mutant.body else None
        found = []
        for nodeid, each in self.cover.items():
            lines = each["lines"].get(mutant.file, [])
            if each["passed"] and (lines if wanted is None else wanted.intersection(lines)):
                found.append(nodeid)
        rank = {nodeid: number for number, nodeid in enumerate(first)}
        found.sort(key=lambda nodeid: (rank.get(nodeid, 99), self.cover[nodeid]["seconds"]))
        asked, seconds = [], 0.0
        for nodeid in found:
            takes = self.cover[nodeid]["seconds"]
            seconds += takes
            if takes <= self.job["slowest"] and (seconds <= self.job["most"] or not asked):
                asked.append(nodeid)
        return asked

    def try_mutant(self, mutant: Mutant, tests: list[str]) -> tuple[str, str]:
        path = str(ROOT / mutant.file)
        code = mutant.code(path)
        compiled = self.folder / "mutant.bin"
        compiled.write_bytes(marshal.dumps(code))
        name = module_of(mutant.file)
        extra = {"MUTANT": f"{name}:{compiled}"}
        usual = sum(self.cover[nodeid]["seconds"] for nodeid in tests)
        limit = SPARE_SECONDS + 2 * usual
        report = self.folder / "report.txt"
        report.write_text("")
        if mutant.body:
            child = os.fork()
            if child == 0:

                def work() -> int:
                    old = self.functions.get((path, *mutant.function), [])
                    if not exchange(old, code, mutant.function):
                        return 99
                    return self.run(tests, report)

                self.in_child(work, extra, limit)
            code_of_exit = self.wait(child)
        else:
            code_of_exit = 99
        if code_of_exit == 99:
            code_of_exit = self.with_new_imports(tests, extra, limit)
        by = report.read_text().strip()
        if code_of_exit == 0:
            return "survived", ""
        return ("timeout" if code_of_exit < 0 else "killed"), by

    def run(self, tests: list[str], report: Path) -> int:
        items = [self.items[nodeid] for nodeid in tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            report.write_text(item.nodeid)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.session.testsfailed:
                return 1
        report.write_text("")
        return 0

    def with_new_imports(self, tests: list[str], extra: dict[str, str], limit: float) -> int:
        child = os.fork()
        if child == 0:

            def work() -> int:
                for name in list(sys.modules):
                    if is_own(name):
                        del sys.modules[name]
                os.environ.pop("MUTATION_JOB")
                arguments = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
                return int(pytest.main(arguments))

            self.in_child(work, extra, limit)
        return self.wait(child)

    # ---- processes ----
    def in_child(self, work: Any, extra: dict[str, str], limit: float = 0.0) -> None:
        """Do some work in a fork, and end it."""
        code = 98
        try:
            os.setpgid(0, 0)
            os.environ.update(extra)
            os.environ["PYTHONPATH"] = os.pathsep.join([str(HOOK), os.environ["PYTHONPATH"]])
            temporary = self.folder / "tmp"
            temporary.mkdir(exist_ok=True)
            os.environ["PYTEST_DEBUG_TEMPROOT"] = str(temporary)
            if limit:
                resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 5))
            # Also without a mutant: a test that needs more would seem to notice every one of them.
            used = int(Path("/proc/self/statm").read_text().split()[0]) * 4096
            resource.setrlimit(resource.RLIMIT_AS, (used + SPARE_MEMORY, used + SPARE_MEMORY))
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            if "MUTANT" in extra:
                hook.install(extra["MUTANT"])
            code = work()
        except BaseException as error:
            with contextlib.suppress(BaseException):
                (self.folder / "error.txt").write_text(repr(error))
            code = 97
        finally:
            os._exit(code)

    def wait(self, child: int) -> int:
        """The exit code, negative for a signal; a fork that waits for ever is killed.

        Seconds on the clock say little on a busy machine: only what sleeps should take as long.
        """
        deadline = time.monotonic() + self.job["patience"]
        pause, status = 0.002, 0
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
                break
            time.sleep(pause)
            pause = min(0.1, 1.3 * pause)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what the tests may have left
        shutil.rmtree(self.folder / "tmp", ignore_errors=True)
        return os.waitstatus_to_exitcode(status)


def functions_by_place() -> dict[tuple[str, str, int], list[FunctionType]]:
    """All functions of the project by file, qualified name and first line."""
    found: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
    for each in gc.get_objects():
        # Not isinstance, which asks the object, and some answer with an exception.
        if type(each) is FunctionType and each.__code__.co_filename.startswith(str(ROOT)):
            found[each.__code__.co_filename, *place_of(each.__code__)].append(each)
    return found


def exchange(functions: list[FunctionType], code: CodeType, function: tuple[str, int]) -> bool:
    """Give functions the code that they have in another version of their module."""
    wanted = next((each for each in functions_of(code) if place_of(each) == function), None)
    if wanted is None or not functions:
        return False
    try:
        for each in functions:
            each.__code__ = wanted
    except ValueError:  # it has other free variables now
        return False
    return True


def functions_of(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from functions_of(each)


def place_of(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def is_own(name: str) -> bool:
    """Whether a module is one of the package, but not its core, or one of the tests."""
    place = getattr(sys.modules[name], "__file__", None) or ""
    package = name.partition(".")[0] == "spielbaum" and place.endswith(".py")
    return package or place.startswith(str(ROOT / "tests"))


def module_of(file: str) -> str:
    return file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def cpu_seconds() -> float:
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def say(text: str) -> None:
    os.write(SAY, (text + "\n").encode())


SAY = os.dup(2)


def pytest_configure(config: pytest.Config) -> None:
    job = json.loads(os.environ["MUTATION_JOB"])
    config.pluginmanager.register(Server(job), "mutation server")
