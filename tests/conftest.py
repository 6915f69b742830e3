"""What all tests share."""

import importlib
import io
import signal
import sys

import pytest

from commands import Cli, Ran
from spielbaum.cli.main import run

LONG = (
    "test_studio_learning.py",
    "test_alphazero.py",
    "test_learning.py",
    "test_alphazero_runs.py",
    "test_cluster.py",
    "test_page.py",
    "test_studio.py",
    "test_docs.py",
    "test_arena.py",
    "test_value_kill.py",
    "test_damaged_files.py",
    "test_lab_networks.py",
    "test_dqn_kill.py",
    "test_oracles.py",
)
"""Files that take longest, the longest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first: begun last, one would keep one process busy while the others are done."""
    places = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory):
    """Tests, and the programs they start, leave the user's cache of solved positions alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPIELBAUM_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c():
    """Programs that tests start hear Ctrl-C, even where a shell runs the tests without it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def page_games():
    """Two games in Python; registered by tests that play them, not when tests are collected, or
    every test that goes through the games of the package would meet them, too."""
    importlib.import_module("page_games")


@pytest.fixture
def one_thread():
    """PyTorch with one thread: tiny networks are no work for several, which would only wait."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run the command in this process, with a text as its input."""

    def call(*arguments: str, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = run(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call
