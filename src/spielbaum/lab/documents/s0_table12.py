"""S0's table 12: networks in the search, at the document's thinking times."""

from __future__ import annotations

from spielbaum.lab.documents import s0, s0_nets
from spielbaum.lab.experiment import Matches, Pairing, Scale
from spielbaum.lab.table import entries
from spielbaum.play.limits import Limits

GAMES = 300


def _cell(kind: str, iterations: str, percent: float | None) -> Pairing:
    share = s0_nets.SPEED[kind] / s0_nets.PLAIN_SPEED
    return Pairing(
        row=kind,
        column=iterations,
        published=percent,
        agent=s0_nets.agent(kind),
        opponent=s0.PLAIN,
        limits=Limits(iterations=round(int(iterations) * share)),
        opponent_limits=Limits(iterations=int(iterations)),
    )


EXPERIMENT = Matches(
    id="S0.table12",
    title="Networks with LGR and RAVE",
    source="S0, section 6.7, table 12",
    game=s0.GAME,
    question="Do networks pay in the time in which MCTS has so many iterations?",
    scoring="half",
    games=GAMES,
    most_games=GAMES,
    small=Scale(100),
    cells=tuple(_cell(*entry) for entry in entries(s0_nets.PUBLISHED)),
    notes=(
        *s0.METHOD,
        "The agents have as many iterations as their time allowed on the document's machine, by "
        "the speeds of table 11: 52 to 130 against 1,000. Equal time on this machine is in table "
        "13.",
        s0_nets.BATCH_NOTE,
        *s0_nets.TRAINING_NOTES,
    ),
)
