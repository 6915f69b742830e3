"""The trained agents that come with the package, by name."""

from __future__ import annotations

from pathlib import Path


def shipped_models() -> Path:
    """The folder of the models that come with the package.

    >>> (shipped_models() / "tictactoe.npz").exists()
    True
    """
    installed = Path(__file__).parent / "files"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "models"


def find_model(name: str, suffix: str) -> Path:
    """The file of a model: a path, a training's folder, or the name of one of the package.

    >>> find_model("connect4", ".onnx").name, str(find_model("my/net.onnx", ".onnx"))
    ('connect4.onnx', 'my/net.onnx')
    """
    path = Path(name)
    best = path / f"best{suffix}"
    if best.exists():
        return best
    shipped = shipped_models() / f"{name}{suffix}"
    plain = path.name == name and not path.suffix
    return shipped if plain and not path.exists() and shipped.exists() else path
