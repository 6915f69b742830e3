"""The notebook of the documentation, executed as Jupyter does, and what its cells show."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent.parent.parent / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def cells():
    """The sources of all cells, each with what it showed by kind."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)  # it is kept without them
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            kinds = {}
            for output in cell.outputs:
                kinds |= {"text/plain": output.text} if "text" in output else dict(output.data)
            shown[cell.source] = kinds
    return shown


def showing(cells, word):
    return next(kinds for source, kinds in cells.items() if word in source)


@pytest.mark.parametrize(
    ("word", "kind", "content"),
    [
        ('state("44453")', "image/svg+xml", "<svg"),
        ("agent.choose", "text/html", "<table>"),
        ("agent.tree", "text/html", "visits"),
        ("sb.solve", "text/html", "<table"),
        ("sb.match", "text/html", "<svg"),
        ("result.plot", "image/png", ""),
        ("to_dataframe", "text/html", "dataframe"),
        ("to_markdown", "text/plain", "tabular"),
        ("sb.agents", "text/html", "alphabeta"),
    ],
)
def test_cells_show_what_they_say(cells, word, kind, content):
    assert content in showing(cells, word)[kind]


def test_decisions_have_names(cells):
    name = showing(cells, "agent.choose")["text/html"]
    assert any(f">{column}" in name for column in "abcdefg")
