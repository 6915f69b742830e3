"""Iterations per second of Monte-Carlo tree search: beside OpenSpiel's, and of the rules.

Both search from the start position in one thread, called from Python, with one uniformly random
playout for each iteration; times are CPU times, runs alternate, and medians count, for the rules
those of the ratios of searches with the same seed.
"""

from __future__ import annotations

import statistics
import time

import pyspiel

import spielbaum as sb

RUNS = 5
SEEDS = 15  # of the rules, whose searches take ten milliseconds each
ITERATIONS = 20_000
# Our game, OpenSpiel's, the iterations that it is given (its speed does not depend on them much),
# and how many times as fast we want to be.
PEERS = (
    ("tictactoe", "tic_tac_toe", 20_000, 2.0),
    ("connect4", "connect_four", 20_000, 12.0),
    ("reversi", "othello", 2_000, 80.0),
    ("chess", "chess", 200, 20.0),
)
# Speed of a preset in units of plain uct's, at least.
RULES = {
    "uct1": 0.7,
    "uct2": 0.7,
    "lgr": 0.6,
    "rave": 0.5,
    "rave-lgr": 0.4,
}
LARGE = 1_000_000
LARGE_GOAL = 0.45


def ours(spec: str, game: str, iterations: int, seed: int = 0) -> float:
    """Iterations per second of an agent whose memory has been used before."""
    agent, start = sb.agent(spec), sb.game(game).initial()
    agent.choose(start, sb.Budget(iterations=iterations))
    agent.reset(seed)
    began = time.process_time()
    agent.choose(start, sb.Budget(iterations=iterations))
    return iterations / (time.process_time() - began)


def theirs(game: str, iterations: int) -> float:
    """Iterations per second of OpenSpiel's C++ search."""
    rules = pyspiel.load_game(game)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
    bot = pyspiel.MCTSBot(rules, evaluator, 2.0, iterations, 1000, False, 42, False)
    began = time.process_time()
    bot.mcts_search(rules.new_initial_state())
    return iterations / (time.process_time() - began)


def verdict(figure: float, goal: float) -> str:
    """Whether a goal was reached."""
    return f"(goal {goal:g}, {'reached' if figure >= goal else 'MISSED'})"


def main() -> None:
    """Print both tables."""
    for game, peer, iterations, goal in PEERS:
        own = ITERATIONS if game != "chess" else 5_000
        runs = [(ours("uct", game, own, seed), theirs(peer, iterations)) for seed in range(RUNS)]
        we, they = (statistics.median(each) for each in zip(*runs, strict=True))
        ratio = we / they
        print(
            f"{game:<10} ours {we:>11,.0f}/s  OpenSpiel {they:>9,.0f}/s  {ratio:6.1f}x "
            f"{verdict(ratio, goal)}",
            flush=True,
        )
    shares: dict[str, list[float]] = {spec: [] for spec in RULES}
    # A search that happens to go deep is slow, so there are several seeds; of the searches with one
    # seed, which do the same, the one that was disturbed least counts.
    for seed in range(SEEDS):
        rounds = [
            [ours(spec, "connect4", ITERATIONS, seed) for spec in ("uct", *RULES)]
            for _ in range(RUNS)
        ]
        plain, *others = (max(speeds) for speeds in zip(*rounds, strict=True))
        for found, speed in zip(shares.values(), others, strict=True):
            found.append(speed / plain)
    for spec, goal in RULES.items():
        share = statistics.median(shares[spec])
        print(f"{spec:<10} {share:5.2f} of uct {verdict(share, goal)}")
    large = [
        ours("uct:memory=2048", "connect4", LARGE, seed) / ours("uct", "connect4", ITERATIONS, seed)
        for seed in range(RUNS)
    ]
    share = statistics.median(large)
    print(f"a million iterations: {share:5.2f} of the speed {verdict(share, LARGE_GOAL)}")
    stats = sb.agent("uct").choose(sb.game("connect4").initial(), sb.Budget(iterations=LARGE)).stats
    print(f"bytes per node: {float(stats['bytes']) / float(stats['nodes']):.1f}")


if __name__ == "__main__":
    main()
