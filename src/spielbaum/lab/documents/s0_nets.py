"""S0's value networks, as the lab trains them (sections 5.2 to 5.4)."""

from __future__ import annotations

from collections.abc import Mapping

from spielbaum.base.options import OptionValue
from spielbaum.lab.documents import s0

DENSE, CONV = "s0-densenet", "s0-convnet"
_TRIAL: dict[str, OptionValue] = {"positions.most": 20_000}

NETS: Mapping[str, tuple[str, Mapping[str, OptionValue]]] = {
    "DenseNet-Norm": (f"{DENSE}-norm", {}),
    "ConvNet-Norm": (f"{CONV}-norm", {}),
    "DenseNet": (DENSE, {}),
    "ConvNet": (CONV, {}),
    "naive": (DENSE, {**_TRIAL, "network.encoding": "naive"}),
    "regular": (DENSE, _TRIAL),
    "planes": (CONV, _TRIAL),
}
"""Configuration of the package, and what is different from it; the last three are the short run of
figure 18."""

SMALL: Mapping[str, OptionValue] = {
    "games.number": 3000,
    "positions.most": 60_000,
    "training.epochs": 20,
}
"""What the small scale has in place of 16,000 games, 400,000 positions and 100 epochs."""

BLEND = 0.5
"""The weight of networks in tables 11 to 13 (section 6.7)."""

AGENTS: Mapping[str, str] = {
    "DenseNet": s0.PLAIN,
    "ConvNet": s0.PLAIN,
    "LGR-DenseNet": s0.BEST["LGR"],
    "LGR-ConvNet": s0.BEST["LGR"],
    "RAVE-LGR-DenseNet": s0.BEST["RAVE-LGR"],
    "RAVE-LGR-ConvNet": s0.BEST["RAVE-LGR"],
}
"""The searches of tables 11 to 13, which have a network at their leaves; their parameters are those
of tables 3 to 9."""

SPEED: Mapping[str, int] = {
    "DenseNet": 909,
    "ConvNet": 386,
    "LGR-DenseNet": 833,
    "LGR-ConvNet": 377,
    "RAVE-LGR-DenseNet": 772,
    "RAVE-LGR-ConvNet": 364,
}
"""Iterations per second: table 11."""
PLAIN_SPEED = 7000

PUBLISHED = """
                        1000  2000  3000  4000
    DenseNet            40.2  49.0  60.5  62.7
    ConvNet             17.0  39.0  44.3  53.8
    LGR-DenseNet        45.2  63.5  70.8  77.5
    LGR-ConvNet         23.5  53.5  62.2  63.7
    RAVE-LGR-DenseNet   65.5  76.4  77.9  84.9
    RAVE-LGR-ConvNet    38.8  63.6  76.5  78.2
"""
"""Table 12, and the lower half of table 13."""


def agent(kind: str, *, batch: int = 1, more: str = "") -> str:
    """The spec of an agent of tables 11 to 13, with a network of the lab.

    >>> agent("LGR-ConvNet")
    'lgr:c=1,forget=off,keep=on,eval=net:@ConvNet-Norm,blend=0.5,blend_ends=on,average=on,batch=1'
    """
    net = kind.rpartition("-")[2] + "-Norm"
    return with_net(AGENTS[kind], net, BLEND, batch) + more


def with_net(search: str, net: str, blend: float, batch: int = 1) -> str:
    """A search with a network of the lab at its leaves, averaged over the mirror (section 5.5).

    Leaves that are finished games are blended with the network, too, as in the public program.
    """
    return f"{search},eval=net:@{net},blend={blend:g},blend_ends=on,average=on,batch={batch}"


TRAINING_NOTES = (
    "The document prints neither the sizes of the networks that its search (AutoKeras, ten trials "
    "each) found nor the iterations of the agents whose games are learnt. Both are those of its "
    "public program: dense layers 42-32-128-32-1 (raw) and 42-512-1024-16-1 with dropout "
    "(normalised), four convolutions of 32 filters with two max-poolings, and 1,000 iterations "
    "with Cp = 1. What that leaves open is listed in the configurations.",
    "Results are seen by the side to move. Positions in which the game is over are learnt, too: "
    "with blend_ends=on, as in the document's program, a search asks for them. All images of a "
    "position are either learnt or kept for validation; in the document a mirror image may be in "
    "the other part.",
    "The small scale has 3,000 games, 60,000 positions and 20 epochs in place of 16,000, 400,000 "
    "and 100.",
)

BATCH_NOTE = (
    "Networks are asked for one position and its mirror image at a time (batch=1), as in the "
    "document."
)
