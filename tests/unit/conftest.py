"""Fixtures of several test files."""

from __future__ import annotations

import io
import sys

import pytest

from commands import Cli, Ran
from spielbaum.cli.app import run


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run the command in this process, with a text as its input."""

    def call(*arguments: str, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = run(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call
