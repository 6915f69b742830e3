"""How fast the games are, and a signature that shows that they still play the same.

Speed belongs to a machine; the signature does not. It mixes the results of fixed workloads (the
plies and end positions of seeded random games, perft counts, and what small searches of every kind
find), so it is equal on every machine, compiler and instruction set, and changes only with the
rules, the keys, the random numbers or the searches.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from spielbaum.agents import Budget
from spielbaum.agents import agent as make_agent
from spielbaum.base.errors import SpecError
from spielbaum.games import State, game, perft
from spielbaum.games.game import native_games
from spielbaum.games.state import playouts


@dataclass(frozen=True)
class Workload:
    """A fixed amount of work on one game: seeded random games, and perft to a depth."""

    spec: str
    playouts: int
    depth: int


SEED = 20

FIXED_WORKLOADS = (
    Workload("tictactoe", playouts=5000, depth=7),
    Workload("connect4", playouts=5000, depth=7),
    Workload("connect4:rows=7,columns=9", playouts=2000, depth=6),
    Workload("connect4:rows=5,columns=4,inarow=3", playouts=2000, depth=8),
    Workload("yavalath", playouts=1000, depth=3),
    Workload("yavalath:swap=on", playouts=1000, depth=3),
    Workload("yavalath:players=3", playouts=1000, depth=3),
    Workload("reversi", playouts=500, depth=6),
    Workload("reversi:size=6", playouts=500, depth=6),
    Workload("reversi:size=10", playouts=200, depth=5),
    Workload("chess", playouts=100, depth=4),
)
"""Workloads with boards of every kind of storage; their results never change."""

WORKLOADS = (
    *FIXED_WORKLOADS,
    *(
        Workload(name, playouts=200, depth=3)
        for name in native_games()
        if name not in {each.spec.split(":")[0] for each in FIXED_WORKLOADS}
    ),
)
"""What the signature is made of: every native game, also those without a fixed workload."""


@dataclass(frozen=True)
class Search:
    """A small search from the start of a game."""

    agent: str
    spec: str
    budget: Budget


FIXED_SEARCHES = (
    Search("alphabeta", "connect4", Budget(depth=9)),
    Search("alphabeta", "yavalath", Budget(depth=4)),
    Search("alphabeta", "reversi", Budget(depth=6)),
    Search("alphabeta", "chess", Budget(depth=5)),
    *(
        Search(agent, "connect4", Budget(iterations=1000))
        for agent in (
            *("uct", "uct1", "uct2", "uct3", "amaf", "rave", "lgr", "mcts"),
            *("mcts:select=ucd,d1=2,d2=1,d3=1", "mcts:select=ucb1-tuned,playout=mast"),
            *("mcts:select=puct,prior=eval,fpu=parent,noise=0.25", "mcts:select=puct,root=gumbel"),
            *("uct:minimax=0.3,cut=4", "mcts-gdk", "mcts-pn", "mcts-ab"),
        )
    ),
    *(
        Search("mcts", spec, Budget(iterations=200))
        for spec in ("tictactoe", "yavalath", "yavalath:players=3", "reversi", "chess")
    ),
)
"""Searches of every kind; their results never change."""

SEARCHES = (
    *FIXED_SEARCHES,
    *(
        search
        for work in WORKLOADS[len(FIXED_WORKLOADS) :]
        for search in (
            Search("alphabeta", work.spec, Budget(depth=2)),
            Search("mcts", work.spec, Budget(iterations=200)),
        )
    ),
)
"""Searches that are part of the signature: the fixed ones, and two of every other native game."""


@dataclass(frozen=True)
class Speed:
    """What `measure` found about one game, in one thread."""

    spec: str
    playouts_per_second: float
    plies_per_second: float
    perft_depth: int
    perft_nodes: int
    perft_nodes_per_second: float


def run_workload(workload: Workload) -> tuple[int, ...]:
    """Plies, checksum of the end positions, and the perft counts from depth 1 on.

    >>> run_workload(Workload("tictactoe", playouts=1, depth=3))[2:]
    (9, 72, 504)
    """
    start = game(workload.spec).initial()
    plies, checksum = playouts(start, workload.playouts, SEED)
    counts = (perft(start, depth) for depth in range(1, workload.depth + 1))
    return plies, checksum, *counts


def run_search(search: Search) -> tuple[str, ...]:
    """What a search finds: its move and value, the size of its tree, and all moves.

    >>> run_search(Search("uct", "tictactoe", Budget(iterations=1)))[2]
    '2'
    """
    decision = make_agent(search.agent).choose(game(search.spec).initial(), search.budget)
    moves = (f"{each.move}:{each.visits}:{each.value.hex()}" for each in decision.moves)
    return str(decision.move), decision.value.hex(), str(decision.stats["nodes"]), *moves


def signature(
    workloads: tuple[Workload, ...] = WORKLOADS, searches: tuple[Search, ...] = SEARCHES
) -> int:
    """A number of 64 bits that is equal wherever games and searches do the same.

    >>> signature(WORKLOADS[:1], ()) == signature(WORKLOADS[:1], ())
    True
    """
    lines = [f"{work.spec} {' '.join(map(str, run_workload(work)))}\n" for work in workloads]
    lines += [f"{each.agent} {each.spec} {' '.join(run_search(each))}\n" for each in searches]
    return fnv1a("".join(lines).encode())


def fnv1a(data: bytes) -> int:
    """The 64-bit hash FNV-1a, which needs nothing but integers.

    >>> hex(fnv1a(b"a"))
    '0xaf63dc4c8601ec8c'
    """
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def measure(spec: str, seconds: float = 1.0, runs: int = 5) -> Speed:
    """Measure one game: random playouts for about ``seconds``, then perft for about as long.

    Rates are medians of ``runs`` runs (of perft as many as there is time for), so that one
    disturbance does not count.

    >>> measure("tictactoe", seconds=0.01).perft_nodes > 0
    True
    """
    if not seconds > 0:
        raise SpecError(f"seconds={seconds}: expected a positive number")
    start = game(spec).initial()
    playouts_per_second, plies_per_second = _playout_rates(start, seconds, runs)
    depth, nodes, nodes_per_second = _perft_rate(start, seconds, runs)
    return Speed(
        str(start.game), playouts_per_second, plies_per_second, depth, nodes, nodes_per_second
    )


def _playout_rates(start: State, seconds: float, runs: int) -> tuple[float, float]:
    """Playouts and plies per second."""
    target = seconds / runs
    count, elapsed = 1, 0.0
    while elapsed < target / 8:  # also warms up the caches
        count *= 2
        began = time.perf_counter()
        playouts(start, count, SEED)
        elapsed = time.perf_counter() - began
    count = max(1, round(count * target / elapsed))
    playout_rates = []
    ply_rates = []
    for run in range(runs):
        began = time.perf_counter()
        plies, _ = playouts(start, count, SEED + run)
        elapsed = time.perf_counter() - began
        playout_rates.append(count / elapsed)
        ply_rates.append(plies / elapsed)
    return statistics.median(playout_rates), statistics.median(ply_rates)


def _perft_rate(start: State, seconds: float, runs: int) -> tuple[int, int, float]:
    """Depth, nodes and nodes per second of the deepest perft that fits into the time."""
    depth, nodes, elapsed = 0, 1, 0.0
    while True:
        began = time.perf_counter()
        deeper = perft(start, depth + 1)
        spent = time.perf_counter() - began
        if deeper <= nodes:  # the game is shorter than that
            break
        growth = deeper / nodes
        depth, nodes, elapsed = depth + 1, deeper, spent
        if spent * growth > seconds:
            break
    times = [elapsed]
    while len(times) < runs and sum(times) + elapsed < seconds:
        began = time.perf_counter()
        perft(start, depth)
        times.append(time.perf_counter() - began)
    return depth, nodes, nodes / statistics.median(times)
