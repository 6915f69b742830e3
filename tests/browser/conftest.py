"""A browser and a studio for all tests of the page; without a browser they are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from studio_server import Server, running

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def server(data_folder: Path, page_games: None) -> Iterator[Server]:
    with running(data_folder, "--import", "page_games") as started:
        yield started


@pytest.fixture(scope="module")  # no longer: its event loop runs in this thread
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield made
        made.close()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """A new page; whatever its scripts complain of fails the test."""
    context = browser.new_context(
        base_url=server.address, viewport={"width": 1280, "height": 860}, locale="en-GB"
    )
    made = context.new_page()
    made.set_default_timeout(60_000)
    problems: list[str] = []
    made.on("pageerror", lambda error: problems.append(str(error)))
    made.on(
        "console",
        # That a request was refused is told to the person, and need not fail the test.
        lambda message: (
            problems.append(message.text)
            if message.type == "error" and "400 (Bad Request)" not in message.text
            else None
        ),
    )
    yield made
    context.close()
    assert problems == []
