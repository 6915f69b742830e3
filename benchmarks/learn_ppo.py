"""A learner of others learns tic-tac-toe through our environment: MaskablePPO of sb3-contrib.

    pip install sb3-contrib 'spielbaum[environments]'
    python benchmarks/learn_ppo.py

It plays both sides against the random agent, and is examined before and after against that, and
after against perfect play. It has learned if it then gets at least 90 % of the points.
"""

import argparse
import time

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

from spielbaum.protocols.gymnasium import SeatEnv

ENVS = 16


def points(model, opponent, games, seed):
    """Share of points, and games lost, in games of which the model starts every other one."""
    results = []
    for game in range(games):
        env = SeatEnv("tictactoe", opponent=opponent, seat=game % 2)
        observation, info = env.reset(seed=seed + game)
        over = False
        while not over:
            action, _ = model.predict(
                observation, action_masks=info["action_mask"], deterministic=True
            )
            observation, reward, over, _, info = env.step(int(action))
        results.append(reward)
    return (1 + float(np.mean(results))) / 2, results.count(-1.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=80_000)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # such a small network is slower with more
    envs = make_vec_env(
        lambda: SeatEnv("tictactoe", opponent="random", seat=None), ENVS, seed=arguments.seed
    )
    model = MaskablePPO(
        *("MlpPolicy", envs),
        n_steps=2048 // ENVS,
        batch_size=256,
        n_epochs=20,
        learning_rate=5e-4,
        ent_coef=0.05,
        gamma=1.0,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU},
        seed=arguments.seed,
        device="cpu",
    )
    untrained, _ = points(model, "random", arguments.games, 10_000)
    began = time.perf_counter()
    model.learn(arguments.steps)
    seconds = time.perf_counter() - began
    trained, lost = points(model, "random", arguments.games, 10_000)
    perfect, _ = points(model, "perfect", arguments.games, 20_000)
    print(f"{arguments.steps} steps in {seconds:.0f} s")
    print(f"against random: {untrained:.1%} of the points before, {trained:.1%} after; {lost} lost")
    print(f"against perfect: {perfect:.1%} of the points (50 % is the most)")
    if trained < max(0.9, untrained + 0.2):
        raise SystemExit("it has not learned to beat the random agent")


if __name__ == "__main__":
    main()
