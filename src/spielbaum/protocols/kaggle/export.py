"""Agents of ours as one file of Python, which plays ConnectX on Kaggle by itself."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace
from types import ModuleType
from typing import Any

from spielbaum.agents.mcts import MctsAgent
from spielbaum.agents.mcts_options import OPTIONS
from spielbaum.agents.net import NetAgent
from spielbaum.agents.ntuple import NTupleAgent
from spielbaum.agents.registry import agent_info
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.base.options import Option, OptionValue, format_spec, parse_spec, resolve
from spielbaum.games import Game
from spielbaum.models.ntuple_file import pack, shared_network
from spielbaum.models.onnx_file import shared_net
from spielbaum.models.onnx_graph import graph_bytes, network_parts
from spielbaum.models.shipped import find_model
from spielbaum.protocols.kaggle import submission as kaggle_submission
from spielbaum.protocols.kaggle import trained as kaggle_trained
from spielbaum.protocols.kaggle.submission import Settings
from spielbaum.protocols.kaggle.trained import Array, packed

RULES = {"select": ("uct", "amaf", "rave"), "playout": ("random", "lgr", "gdk")}
"""The rules that the file has; there may be more in the package."""
ITERATIONS = Option("iterations", 0, low=0, high=10**9)
MOST_BYTES = 100_000_000
"""Largest file that is written.

Kaggle does not say a limit for ConnectX where we could read it. For its simulation competitions of
2026 entrants quote 197.7 MiB from the rules; this is about half of that.
"""
GUIDED = {"select": "uct", "c": 1.5}
"""Settings of the tree search that a trained agent has."""
SEARCHED = ("c", "final", "reuse", "seed")
"""Options of a network's agent that its file has, beside its path."""


def submission(spec: str, iterations: int = 0) -> str:
    """Return the source of a ConnectX agent: ``mcts`` and its presets, ``net:`` or ``ntuple:``.

    ``iterations`` is the most for a move; 0: as many as the time allows.

    >>> "SETTINGS = Settings(select='uct', playout='random', c=0.8," in submission("uct")
    True
    >>> submission("mcts:beta=silver")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: kaggle export: option beta=silver: expected gelly, as there \
is no other in the exported file; its options are select, playout, c, alpha, rave_k, tree_moves, \
forget, keep, final, solver, reuse, seed
    """
    most = int(ITERATIONS.check(iterations))
    name, written = parse_spec(spec)
    info = agent_info(name)
    if info.factory is MctsAgent:
        values = exported_options(spec)
        source = _file({**values, "iterations": most}, format_spec("mcts", OPTIONS, values))
    elif info.factory in (NetAgent, NTupleAgent):
        options = resolve("agent", name, info.options, written)
        for option in info.options:
            if option.name not in ("path", *SEARCHED) and options[option.name] != option.default:
                raise SpecError(
                    f"kaggle export: option {option.name}={option.format(options[option.name])}: "
                    f"expected {option.format(option.default)}, as there is no other in the "
                    f"exported file; its options are path, {', '.join(SEARCHED)}"
                )
        chosen = {each: options[each] for each in SEARCHED if each in options}
        make = _network if info.factory is NetAgent else _tuples
        model, arrays = make(str(options["path"]))
        source = _file({**GUIDED, **chosen, "iterations": most}, spec, model, arrays)
    else:
        raise SpecError(
            f"kaggle export: agent {name}: expected mcts or one of its presets, net:FILE or "
            "ntuple:FILE"
        )
    if len(source) > MOST_BYTES:
        raise SpecError(
            f"kaggle export: the file would have {len(source):,} bytes; expected at most "
            f"{MOST_BYTES:,}"
        )
    return source


def _file(
    settings: dict[str, Any],
    spec: str,
    model: dict[str, Any] | None = None,
    arrays: dict[str, Array] | None = None,
) -> str:
    """Put the file together; a trained agent's part comes before what Kaggle calls."""
    given = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    source = _replaced(
        inspect.getsource(kaggle_submission),
        "SETTINGS = Settings()",
        f"SETTINGS = Settings({given})  # {spec}",
    )
    if model is None or arrays is None:
        return source
    part = _without_ours(kaggle_trained)
    part = _replaced(part, "MODEL: dict[str, Any] = {}", f"MODEL: dict[str, Any] = {model!r}")
    part = _replaced(part, 'WEIGHTS = ""', f'WEIGHTS = "{packed(arrays)}"')
    player = "PLAYER = Player(SETTINGS)"
    return _replaced(source, player, f"{part}\n\nPLAYER = Player(SETTINGS, GuidedSearch)")


def _replaced(source: str, line: str, by: str) -> str:
    before, found, after = source.partition(f"\n{line}\n")
    assert found, f"the line {line} is in the source"
    return f"{before}\n{by}\n{after}"


def _without_ours(module: ModuleType) -> str:
    """Source of a module without its docstring, and without imports from the package."""
    source = inspect.getsource(module)
    lines = source.splitlines()
    for node in ast.parse(source).body:
        ours = isinstance(node, ast.ImportFrom) and str(node.module).startswith(
            ("spielbaum", "__future__")
        )
        if ours or (isinstance(node, ast.Expr) and node.lineno == 1):
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = ""
    return "\n".join(lines).strip()


def _size(rules: Game) -> list[int]:
    if rules.name != "connect4":
        raise ModelError(f"kaggle export: the network is for {rules}; ConnectX is connect4")
    return [int(rules.options[name]) for name in ("rows", "columns", "inarow")]


def _network(path: str) -> tuple[dict[str, Any], dict[str, Array]]:
    net = shared_net(find_model(path, ".onnx"))
    size = _size(net.game)
    if net.encoding != "own" or net.history:
        raise ModelError(
            f"model {net.path}: expected a network of the encoding own, without history"
        )
    nodes, weights = network_parts(graph_bytes(net.content))
    for kind, _, _, options in nodes:
        if options.get("group", 1) != 1 or any(each != 1 for each in options.get("dilations", ())):
            raise ModelError(
                f"model {net.path}: its {kind} has groups or dilations, which no file has"
            )
    return {"size": size, "nodes": nodes}, weights


def _tuples(path: str) -> tuple[dict[str, Any], dict[str, Array]]:
    network = shared_network(find_model(path, ".npz"))
    weights = pack("weights", network.weights)
    model = {
        "size": _size(network.game),
        "tuples": [list(each) for each in network.tuples],
        "images": [list(each) for each in network.images],
        "contents": network.contents,
        "entries": len(network.weights),
        "movers": network.weights.shape[1],
        "bias": network.bias,
        "k": network.k,
        "squash": network.squash,
    }
    return model, {"steps": weights["weights_steps"], "weights": weights["weights"]}


def exported_options(spec: str) -> dict[str, OptionValue]:
    """The options of ``mcts`` that go into the file; `SpecError` if the spec has others.

    >>> exported_options("rave-lgr:c=0.3")["rave_k"]
    50.0
    """
    name, written = parse_spec(spec)
    values = resolve("agent", name, agent_info(name).options, written)
    fields = [field for field in Settings._fields if field != ITERATIONS.name]
    for option in OPTIONS:
        value = values[option.name]
        choices = RULES.get(option.name, option.choices)
        if option.name in fields:
            shown = replace(option, choices=choices, default=choices[0] if choices else value)
            expected, wrong = shown.expected, bool(choices) and value not in choices
        else:
            expected, wrong = option.format(option.default), value != option.default
        if wrong:
            raise SpecError(
                f"kaggle export: option {option.name}={option.format(value)}: expected {expected}, "
                "as there is no other in the exported file; its options are "
                f"{', '.join(fields)}"
            )
    return {name: values[name] for name in fields}
