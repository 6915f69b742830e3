"""Games in Python that the browser tests play: the documents' example, and one without cells."""

import runpy
from pathlib import Path

import spielbaum as sb

runpy.run_path(str(Path(__file__).parents[1] / "docs" / "examples" / "hex.py"))


class Nim(sb.PythonGame):
    """Take one, two or three of ten matches; who takes the last one wins."""

    name = "nim"
    num_actions = 3

    def initial(self):
        return (10, 0)

    def to_move(self, state):
        return state[1]

    def legal_moves(self, state):
        return [take - 1 for take in (1, 2, 3) if take <= state[0]]

    def play(self, state, action):
        return (state[0] - action - 1, 1 - state[1])

    def outcome(self, state):
        return sb.Outcome.win(1 - state[1], reason="took the last match") if not state[0] else None

    def key(self, state):
        return bytes(state)

    def text(self, state, action):
        return f"take{action + 1}"

    def diagram(self, state):
        return "|" * state[0]


sb.register_game(Nim, replace=True)
