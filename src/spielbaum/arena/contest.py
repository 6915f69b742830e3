"""Matches and tournaments from Python: one call, whose result shows itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from spielbaum.agents import Agent, Budget
from spielbaum.agents.trial import check_players
from spielbaum.arena.executor import Executor, Here, Workers
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.standings import Standings
from spielbaum.arena.store import Store
from spielbaum.base.errors import SpecError
from spielbaum.base.imports import shared_modules
from spielbaum.games import Game
from spielbaum.games import game as make_game
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings

Budgets = Budget | Sequence[Budget] | None


def match(
    game: str | Game,
    agents: Sequence[str | Agent],
    games: int = 100,
    budget: Budgets = None,
    *,
    openings: str = "random",
    seed: int = 0,
    adjudicate: bool = False,
    jobs: int | None = None,
    store: str | Path | None = None,
    name: str = "match",
    report: Callable[[Standings], None] | None = None,
) -> Standings:
    """Let agents play pairs of games with swapped colours; the standings show who is better.

    ``budget`` is that of every move: one for all agents or one for each, a tenth of a second
    without it. ``jobs`` are processes, all cores without it; 0 plays in this one. What ``store``
    has of the run ``name`` is not played again, so that a match that was interrupted goes on.
    ``report`` is called after every game. Agents are specs, or agents that were made of one.

    >>> import spielbaum as sb
    >>> result = sb.match("tictactoe", ["perfect", "random"], games=6, jobs=0)
    >>> result.games, result.total("perfect").losses
    (6, 0)
    >>> print(result.to_markdown().splitlines()[0])
    |  | agent | Elo | games | points | 95 % interval | 1 | 2 |
    """
    return tournament(
        game,
        agents,
        games,
        budget,
        openings=openings,
        seed=seed,
        adjudicate=adjudicate,
        jobs=jobs,
        store=store,
        name=name,
        report=report,
    )


def tournament(
    game: str | Game,
    agents: Sequence[str | Agent],
    games: int = 100,
    budget: Budgets = None,
    *,
    gauntlet: bool = False,
    openings: str = "random",
    seed: int = 0,
    adjudicate: bool = False,
    jobs: int | None = None,
    store: str | Path | None = None,
    name: str = "tournament",
    report: Callable[[Standings], None] | None = None,
) -> Standings:
    """Everybody against everybody, or with ``gauntlet`` the first one against all others.

    ``games`` are those of each pairing; all else is as in `match`.

    >>> import spielbaum as sb
    >>> result = sb.tournament("tictactoe", ["perfect", "random", "uct"], games=2, jobs=0,
    ...     budget=sb.Budget(iterations=20))
    >>> result.games, result.names
    (6, ['perfect', 'random', 'uct'])
    """
    kind = "gauntlet" if gauntlet else "round robin"
    rules = make_game(game) if isinstance(game, str) else game
    if isinstance(agents, str):
        raise SpecError(f"agents={agents!r:.60}: expected a list of agents")
    specs = [str(each) for each in agents]
    check_players(specs, rules, written=True)
    entrants = tuple(map(Entrant, specs, _limits(budget, len(specs))))
    plan = Plan(str(rules), entrants, games, Openings.parse(openings), kind, seed, adjudicate)
    executor: Executor = Here() if jobs == 0 else Workers(jobs, imports=shared_modules())
    opened = None if store is None else Store(Path(store))
    standings = Standings(plan)
    records = run_plan(plan, executor, opened, name)
    try:
        for record in records:
            standings.add(record)
            standings.records.append(record)
            if report is not None:
                report(standings)
    finally:
        records.close()
        if opened is not None:
            opened.close()
    return standings


def _limits(budget: Budgets, agents: int) -> list[Limits]:
    """The limits of each agent."""
    if budget is None:
        budget = Budget(seconds=0.1)
    budgets = [budget] * agents if isinstance(budget, Budget) else list(budget)
    if len(budgets) != agents:
        raise SpecError(
            f"{len(budgets)} budgets for {agents} agents: expected one, or one for each"
        )
    for each in budgets:
        if each.stop is not None or each.report is not None:
            raise SpecError("a budget of a match has limits only, not stop or report")
    return [
        Limits(iterations=each.iterations, seconds=each.seconds, nodes=each.nodes, depth=each.depth)
        for each in budgets
    ]
