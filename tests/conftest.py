"""Tests marked slow run only where they are asked for: `pytest -m slow`."""

import pytest


def pytest_collection_modifyitems(config, items):
    if "slow" in config.getoption("markexpr"):
        return
    skip = pytest.mark.skip(reason="runs with -m slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
