"""Steps per second of many games of Connect Four at once, beside pgx and PettingZoo, on one core.

    pip install pgx jax pettingzoo pygame
    python benchmarks/vector_steps.py

All write an observation and the legal actions for every step, and start games again that end. Of
`spielbaum.VectorGame` and pgx (JAX on the CPU, compiled before the clock starts) a step is a batch
of games for which actions have been chosen; "with choice" includes that each draws them at random
by its own means, pgx inside of one compiled loop. PettingZoo's Connect Four is stepped as its
documentation shows. The process is pinned to one core, and the clock is that of its processor
time, so that other work on the machine does not count; rounds alternate, and the medians are
printed.
"""

import argparse
import os
import statistics
import time

import numpy as np

import spielbaum as sb


def ours(batch, steps):
    games = sb.VectorGame("connect4", batch)
    moves = np.empty(batch, np.int32)

    def step():
        spent = 0.0
        for _ in range(steps):
            games.random_moves(moves)
            began = time.process_time()
            games.step(moves)
            spent += time.process_time() - began
        return spent

    def loop():
        began = time.process_time()
        for _ in range(steps):
            games.step(games.random_moves(moves))
        return time.process_time() - began

    return {"step": step, "with choice": loop}


def pgx(batch, steps):
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("connect_four")
    many = jax.vmap(auto_reset(env.step, env.init))
    one_step = jax.jit(many)
    keys = jax.random.split(jax.random.PRNGKey(0), batch)
    state = jax.jit(jax.vmap(env.init))(keys)

    @jax.jit
    def choose(key, legal):
        return jax.random.categorical(key, jnp.where(legal, 0.0, -1e9), axis=1)

    @jax.jit
    def whole_loop(state, key):
        def body(state, key):
            actions = choose(key, state.legal_action_mask)
            return many(state, actions, jax.random.split(key, batch)), None

        return jax.lax.scan(body, state, jax.random.split(key, steps))

    key = jax.random.PRNGKey(1)
    jax.block_until_ready(whole_loop(state, key))
    jax.block_until_ready(one_step(state, choose(key, state.legal_action_mask), keys))

    def step():
        nonlocal state, key
        spent = 0.0
        for _ in range(steps):
            key, drawn = jax.random.split(key)
            actions = choose(drawn, state.legal_action_mask).block_until_ready()
            began = time.process_time()
            state = jax.block_until_ready(one_step(state, actions, keys))
            spent += time.process_time() - began
        return spent

    def loop():
        began = time.process_time()
        jax.block_until_ready(whole_loop(state, key))
        return time.process_time() - began

    return {"step": step, "with choice": loop}


def pettingzoo(steps):
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    env.reset(seed=1)

    def loop():
        began = time.process_time()
        for _ in range(steps):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
        return time.process_time() - began

    return {"with choice": loop}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=200, help="of the batch, in each round")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    single = 2000
    contenders = {
        "spielbaum": (ours(arguments.batch, arguments.steps), arguments.batch * arguments.steps),
        "pgx": (pgx(arguments.batch, arguments.steps), arguments.batch * arguments.steps),
        "PettingZoo": (pettingzoo(single), single),
    }
    rates = {}
    for _ in range(arguments.rounds):
        for name, (kinds, count) in contenders.items():
            for kind, run in kinds.items():
                rates.setdefault((name, kind), []).append(count / run())
    median = {key: statistics.median(values) for key, values in rates.items()}
    print(f"batch {arguments.batch}, one core, steps per second of processor time (median, range)")
    for (name, kind), values in rates.items():
        low, high = min(values), max(values)
        print(f"{name:10} {kind:12} {median[name, kind]:12,.0f}  {low:,.0f} to {high:,.0f}")
    for kind in ("step", "with choice"):
        print(f"spielbaum / pgx, {kind}: {median['spielbaum', kind] / median['pgx', kind]:.1f}")
    ratio = median["spielbaum", "with choice"] / median["PettingZoo", "with choice"]
    print(f"spielbaum / PettingZoo, with choice: {ratio:.0f}")


if __name__ == "__main__":
    main()
