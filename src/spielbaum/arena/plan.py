"""What is played in a match or a tournament, game by game."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from spielbaum.agents.registry import check_agent
from spielbaum.base.bounded import typed
from spielbaum.base.errors import SpecError
from spielbaum.base.rng import Rng
from spielbaum.games import game
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings
from spielbaum.play.referee import GameTask, Seat

KINDS = ("round robin", "gauntlet")
MOST_GAMES = 100_000_000
MOST_PAIRINGS = 1_000_000


RANDOM = Openings()


@dataclass(frozen=True)
class Entrant:
    """An agent of a tournament, and how long it may think.

    >>> Entrant("uct:c=0.8", Limits(iterations=1000)).agent
    'uct:c=0.8'
    """

    agent: str
    limits: Limits


@dataclass(frozen=True)
class Plan:
    """A match of two agents, or a tournament of many: the same plan has the same games.

    In a gauntlet the first entrant meets all the others. Every opening is played in all seats: two
    agents swap colours, three rotate. Entrants may be equal: they play with seeds of their own.

    >>> uct, rave = (Entrant(name, Limits(iterations=100)) for name in ("uct", "rave"))
    >>> plan = Plan("connect4", (uct, rave), games=4)
    >>> [tuple(seat.agent for seat in task.seats) for task in plan.tasks()]
    [('uct', 'rave'), ('rave', 'uct'), ('uct', 'rave'), ('rave', 'uct')]
    """

    game: str
    entrants: tuple[Entrant, ...]
    games: int
    """Games of each pairing; of all rotations together."""
    openings: Openings = RANDOM
    kind: str = "round robin"
    seed: int = 0
    adjudicate: bool = False
    rotate: bool = True
    """Whether agents change seats; otherwise the first entrant always moves first."""

    def __post_init__(self) -> None:
        rules = game(self.game)
        if len(self.entrants) < rules.num_players:
            raise SpecError(
                f"{len(self.entrants)} agents: expected at least {rules.num_players} for {rules}"
            )
        if not 1 <= self.games <= MOST_GAMES:
            raise SpecError(f"games={self.games}: expected a number from 1 to {MOST_GAMES:,}")
        if math.comb(len(self.entrants), rules.num_players) > MOST_PAIRINGS:
            raise SpecError(
                f"{len(self.entrants):,} agents have more than {MOST_PAIRINGS:,} pairings"
            )
        if self.kind not in KINDS:
            raise SpecError(f"kind {self.kind!r}: expected {' or '.join(KINDS)}")
        for entrant in self.entrants:
            check_agent(entrant.agent)

    def copies(self) -> list[int]:
        """For each entrant its number among those that are equal to it.

        >>> random = Entrant("random", Limits())
        >>> Plan("tictactoe", (random, Entrant("mcts", Limits()), random), games=2).copies()
        [1, 1, 2]
        """
        return [self.entrants[: i + 1].count(each) for i, each in enumerate(self.entrants)]

    def pairings(self) -> list[tuple[int, ...]]:
        """Which entrants meet, by their numbers."""
        size = game(self.game).num_players
        all_of_them = itertools.combinations(range(len(self.entrants)), size)
        return [each for each in all_of_them if self.kind == "round robin" or each[0] == 0]

    def tasks(self) -> Iterator[GameTask]:
        """Every game: first one of each pairing, then the next, so that all grow alike."""
        rules = game(self.game)
        size = rules.num_players
        rotations = size if self.rotate else 1
        groups = -(-self.games // rotations)
        pairings, copies = self.pairings(), self.copies()
        openings = self.openings.each(rules, groups, self.seed)
        for number in range(self.games):
            group, rotation = divmod(number, rotations)
            if rotation == 0:
                opening = next(openings)
            for index, pairing in enumerate(pairings):
                seated = [pairing[(seat + rotation) % size] for seat in range(size)]
                place = number * len(pairings) + index
                rng = Rng((self.seed << 32) + place)
                seats = []
                for i in seated:
                    agent_of, limits = self.entrants[i].agent, self.entrants[i].limits
                    seats.append(Seat(agent_of, limits, rng.below(2**31 - 1), copies[i]))
                yield GameTask(
                    self.game,
                    tuple(seats),
                    opening.start,
                    opening.moves,
                    place,
                    group * len(pairings) + index,
                    self.adjudicate,
                )

    @property
    def num_games(self) -> int:
        """Games of all pairings together."""
        return self.games * len(self.pairings())

    def to_json(self) -> str:
        """The plan as a text that `from_json` reads."""
        return json.dumps({**asdict(self), "openings": self.openings.text}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """A plan from its text; one of `spielbaum.base.bounded.DAMAGE` is raised if it is none.

        >>> plan = Plan("tictactoe", (Entrant("random", Limits()), Entrant("mcts", Limits())), 2)
        >>> Plan.from_json(plan.to_json()) == plan
        True
        """
        values = json.loads(text)
        values["openings"] = Openings.parse(values["openings"])
        values["entrants"] = tuple(
            Entrant(each["agent"], Limits(**each["limits"])) for each in values["entrants"]
        )
        made = cls(**values)
        typed(cls, asdict(made))
        return made


def expand_grid(spec: str) -> list[str]:
    """All specs of a grid: each ``{...}`` stands for one of the values that it lists.

    >>> expand_grid("rave:c={0.2,0.3},rave_k={10,50}")
    ['rave:c=0.2,rave_k=10', 'rave:c=0.2,rave_k=50', 'rave:c=0.3,rave_k=10', 'rave:c=0.3,rave_k=50']
    >>> expand_grid("uct")
    ['uct']
    """
    parts = re.split(r"\{([^{}]*)\}", spec)
    if any(brace in part for part in parts for brace in "{}") or "" in parts[1::2]:
        raise SpecError(f"grid {spec!r:.60}: expected lists in braces, such as c={{0.2,0.3}}")
    lists: Sequence[list[str]] = [
        part.split(",") if index % 2 else [part] for index, part in enumerate(parts)
    ]
    return ["".join(choice) for choice in itertools.product(*lists)]
