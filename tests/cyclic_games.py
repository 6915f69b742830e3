"""Games in Python whose positions come again: what searches of graphs must survive."""

import random

import spielbaum as sb


class Token(sb.PythonGame):
    """A token moves to and fro on a line; the first player wins at the right end."""

    name = "token"
    options = (sb.Option("cells", 9, "cells of the line", low=3, high=99),)
    num_actions = 2

    def __init__(self, cells):
        self.cells = cells

    def initial(self):
        return (self.cells // 2, 0)

    def to_move(self, state):
        return state[1]

    def legal_moves(self, state):
        return (0, 1)

    def play(self, state, action):
        return (state[0] + 2 * action - 1, 1 - state[1])

    def outcome(self, state):
        if 0 < state[0] < self.cells - 1:
            return None
        return sb.Outcome.win(0 if state[0] else 1, reason="reached the end")

    def key(self, state):
        return 2 * state[0] + state[1]


class Endless(sb.PythonGame):
    """Two positions, for ever: no lawful game, but a search of it must come to an end as well."""

    name = "endless"
    num_actions = 2

    def initial(self):
        return 0

    def to_move(self, state):
        return state

    def legal_moves(self, state):
        return (0, 1)

    def play(self, state, action):
        return 1 - state

    def outcome(self, state):
        return None

    def key(self, state):
        return state


class Maze(sb.PythonGame):
    """A random graph of positions with cycles, in which some are the end."""

    name = "maze"
    options = (sb.Option("seed", 0, "of the graph", low=0, high=10**6),)
    num_actions = 4

    def __init__(self, seed):
        rng = random.Random(seed)
        self.size = rng.randint(3, 60)
        self.ends = {
            place: rng.choice((1.0, -1.0, 0.0, 0.5))
            for place in range(1, self.size)
            if rng.random() < 0.2
        }
        self.ends.setdefault(self.size - 1, 1.0)
        self.roads = [
            [rng.randrange(self.size) for _ in range(rng.randint(1, 3))] + [self.size - 1]
            for _ in range(self.size)
        ]
        self.alternates = rng.random() < 0.8
        self.turns = [rng.randrange(2) for _ in range(self.size)]

    def initial(self):
        return (0, 0)

    def to_move(self, state):
        return state[1] if self.alternates else self.turns[state[0]]

    def legal_moves(self, state):
        return range(len(self.roads[state[0]]))

    def play(self, state, action):
        return (self.roads[state[0]][action], 1 - state[1] if self.alternates else 0)

    def outcome(self, state):
        reward = self.ends.get(state[0])
        return None if reward is None else sb.Outcome((reward, -reward), None, "an end")

    def key(self, state):
        return 2 * state[0] + state[1]


def register():
    """Make the games known; not when tests are collected, for others run on every known game."""
    for kind in (Token, Endless, Maze):
        sb.register_game(kind, replace=True)
