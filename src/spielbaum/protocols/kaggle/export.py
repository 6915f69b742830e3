"""A search of ours as one file of plain Python, which plays ConnectX on Kaggle by itself."""

from __future__ import annotations

import inspect
from dataclasses import replace

from spielbaum.agents.mcts import MctsAgent
from spielbaum.agents.mcts_options import OPTIONS
from spielbaum.agents.registry import agent_info
from spielbaum.base.errors import SpecError
from spielbaum.base.options import OptionValue, format_spec, parse_spec, resolve
from spielbaum.protocols.kaggle import submission as kaggle_submission
from spielbaum.protocols.kaggle.submission import Settings

RULES = {"select": ("uct", "amaf", "rave"), "playout": ("random", "lgr", "gdk")}
"""The rules that the file has; there may be more in the package."""


def submission(spec: str) -> str:
    """The source of a ConnectX agent with the options of a spec of ``mcts`` or of a preset.

    >>> "SETTINGS = Settings(select='uct', playout='random', c=0.8," in submission("uct")
    True
    >>> submission("mcts:beta=silver")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: kaggle export: option beta=silver: expected gelly, as there \
is no other in the exported file; its options are select, playout, c, alpha, rave_k, tree_moves, \
forget, keep, final, solver, reuse, seed
    """
    values = exported_options(spec)
    given = ", ".join(f"{name}={value!r}" for name, value in values.items())
    source = inspect.getsource(kaggle_submission)
    before, blank, after = source.partition("\nSETTINGS = Settings()\n")
    assert blank, "the place of the settings is in the source"
    return (
        f"{before}\nSETTINGS = Settings({given})  # {format_spec('mcts', OPTIONS, values)}\n{after}"
    )


def exported_options(spec: str) -> dict[str, OptionValue]:
    """The options that go into the file; `SpecError` if the spec has others.

    >>> exported_options("rave-lgr:c=0.3")["rave_k"]
    50.0
    """
    name, written = parse_spec(spec)
    info = agent_info(name)
    if info.factory is not MctsAgent:
        raise SpecError(f"kaggle export: agent {name}: expected mcts or one of its presets")
    values = resolve("agent", name, info.options, written)
    for option in OPTIONS:
        value = values[option.name]
        choices = RULES.get(option.name, option.choices)
        if option.name in Settings._fields:
            shown = replace(option, choices=choices, default=choices[0] if choices else value)
            expected, wrong = shown.expected, bool(choices) and value not in choices
        else:
            expected, wrong = option.format(option.default), value != option.default
        if wrong:
            raise SpecError(
                f"kaggle export: option {option.name}={option.format(value)}: expected {expected}, "
                "as there is no other in the exported file; its options are "
                f"{', '.join(Settings._fields)}"
            )
    return {name: values[name] for name in Settings._fields}
