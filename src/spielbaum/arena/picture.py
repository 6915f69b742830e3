"""The result of a match or a tournament as a picture, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielbaum.base.statistics import share_estimate
from spielbaum.games.drawing.svg import INK, escaped, picture, tag

if TYPE_CHECKING:
    from spielbaum.arena.standings import Standings

ROW, LEFT, WIDTH, RIGHT = 34.0, 220.0, 360.0, 150.0
ACCENT, SOFT, LINE = "#24577f", "#575f6a", "#dad7d0"


def result_picture(standings: Standings) -> str:
    """Every agent's share of points with its 95 % interval, the best first.

    >>> from spielbaum.play.referee import GameTask, Seat, play_game
    >>> from spielbaum.play.limits import Limits
    >>> from spielbaum.arena.plan import Entrant, Plan
    >>> from spielbaum.arena.standings import Standings
    >>> plan = Plan("tictactoe", (Entrant("perfect", Limits()), Entrant("random", Limits())), 2)
    >>> standings = Standings(plan)
    >>> standings.add_all(play_game(task) for task in plan.tasks())
    >>> "2 games" in result_picture(standings)
    True
    """
    names = [name for name in standings.names if standings.total(name).games]
    names.sort(key=lambda name: -standings.total(name).share())
    height = ROW * len(names) + 44

    def x(share: float) -> float:
        return LEFT + WIDTH * share

    grid = [
        tag("line", x1=x(at), x2=x(at), y1=20, y2=height - 24, stroke=LINE)
        + _text(f"{at:.0%}", x(at), height - 8, "middle", SOFT)
        for at in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    rows = []
    for index, name in enumerate(names):
        y = 20 + ROW * (index + 0.5)
        share = share_estimate(standings.total(name))
        rows += [
            _text(name if len(name) <= 30 else name[:29] + "\u2026", LEFT - 12, y + 5, "end", INK),
            tag("line", x1=x(share.low), x2=x(share.high), y1=y, y2=y, stroke=ACCENT,
                stroke_width=2.5),
            tag("circle", cx=x(share.value), cy=y, r=5.5, fill=ACCENT),
            _text(f"{share.value:.1%} ({share.low:.0%} to {share.high:.0%})", x(1) + 12, y + 5,
                  "start", INK),
        ]  # fmt: skip
    title = f"{standings.plan.game}: {standings.games} games"
    width = LEFT + WIDTH + RIGHT
    frame = tag("rect", width=width, height=height, rx=8, fill="#ffffff")
    heading = _text(title, LEFT, 14, "start", SOFT)
    return picture(title, (0, 0, width, height), int(width), frame, *grid, heading, *rows)


def _text(content: str, x: float, y: float, anchor: str, fill: str) -> str:
    return tag(
        "text",
        escaped(content),
        x=x,
        y=y,
        font_size=13,
        font_weight="400",
        text_anchor=anchor,
        fill=fill,
    )
