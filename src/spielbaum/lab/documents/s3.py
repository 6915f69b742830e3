"""The experiments of S3: Reversi by the AlphaZero approach, which has no figures of its own."""

from __future__ import annotations

from typing import Any

from spielbaum.lab.experiment import Experiment
from spielbaum.lab.kinds.matches import Matches, Pairing, Scale
from spielbaum.play.limits import Limits

UCT = "uct:c=0.8,final=visits,reuse=on"
SIMULATIONS = Limits(iterations=50)
PLAYOUTS = Limits(iterations=1000)


def _table(reward: str, what: str, net: str) -> Matches:
    puct, own = f"net:{net},c=1.5,solver=off", f"net:{net},c=1.0,formula=s3,solver=off"
    return Matches(
        id=f"S3.{reward}",
        title=f"Selection rules in Reversi, rewarded by {what}",
        source="S3, sections 2.1 and 3.1",
        game="reversi" if reward == "win" else f"reversi:reward={reward}",
        question="What do a network and the two formulas of PUCT gain over plain UCT, if a game is "
        f"worth {what}?",
        scoring="half",
        games=400,
        small=Scale(400),
        random_plies=8,
        cells=tuple(
            Pairing(
                row=row,
                column="UCT",
                agent=agent,
                opponent=UCT,
                limits=SIMULATIONS,
                opponent_limits=PLAYOUTS,
            )
            for row, agent in (("PUCT", puct), ("S3's PUCT", own))
        ),
        variants=(
            Pairing(row="S3's PUCT", column="PUCT", agent=own, opponent=puct, limits=SIMULATIONS),
        ),
        notes=(
            "S3 has no figures. It describes PUCT as mean + c P sqrt(N) / (1 + n); its program has "
            "mean + P sqrt(N / (1 + n)), without a constant, and rewards own stones.",
            "Networks have 50 simulations for each move and UCT 1,000 playouts, about a third of "
            "their time on our machine. The most visited move is played and its subtree kept, as "
            "in S3; nothing is proven. Games begin with eight random plies, the same ones with "
            "swapped colours. Points are for won games, whatever the search is rewarded by.",
            "The networks are ours. The one for stones has begun as the one for wins, and then has "
            "learnt from games that were rewarded by stones.",
        ),
    )


EXPERIMENTS: tuple[Experiment[Any], ...] = (
    _table("win", "win, draw or loss", "reversi"),
    _table("stones", "the difference in stones", "reversi-stones"),
)
