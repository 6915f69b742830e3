"""A game in Python that is small enough to be known."""

import spielbaum as sb


class Heap(sb.PythonGame):
    """Take one to three stones; the last stone wins."""

    name = "test_heap"
    num_actions = 3
    options = (sb.Option("stones", 13, low=1, high=99),)

    def __init__(self, stones):
        self.stones = stones

    def initial(self):
        return (self.stones, 0)

    def to_move(self, state):
        return state[1]

    def legal_moves(self, state):
        return range(min(3, state[0]))

    def play(self, state, action):
        return (state[0] - action - 1, 1 - state[1])

    def outcome(self, state):
        return sb.Outcome.win(1 - state[1]) if state[0] == 0 else None

    def key(self, state):
        return 2 * state[0] + state[1]
