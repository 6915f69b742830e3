"""OpenSpiel's games behind the face of the oracles, with its action numbers turned into ours."""

import pyspiel


class OpenSpielOracle:
    """`to_ours` maps an action, `read` the printed board onto the package's cells."""

    def __init__(self, name, to_ours, read):
        self.state = pyspiel.load_game(name).new_initial_state()
        self.to_ours, self.read = to_ours, read
        self.from_ours = {to_ours(a): a for a in range(self.state.num_distinct_actions())}

    @property
    def to_move(self):
        return self.state.current_player()

    def legal(self):
        return [self.to_ours(action) for action in self.state.legal_actions()]

    def play(self, action):
        self.state.apply_action(self.from_ours[action])

    def over(self):
        return self.state.is_terminal()

    def rewards(self):
        return tuple(self.state.returns()) if self.over() else None

    def cells(self):
        return self.read(str(self.state))


def bottom_up(printed):
    rows = [line for line in printed.splitlines() if line.strip()]
    return [".xo".index(stone) for row in reversed(rows) for stone in row]


def othello_cells(printed):
    rows = [line for line in printed.splitlines() if line[:1].isdigit()]
    return ["-xo".index(stone) for row in rows for stone in row.split()[1:-1]]


def tictactoe():
    # OpenSpiel numbers the cells from the top left, we from the bottom left.
    return OpenSpielOracle("tic_tac_toe", lambda a: (2 - a // 3) * 3 + a % 3, bottom_up)


def connect4():
    return OpenSpielOracle("connect_four", lambda a: a, bottom_up)


def reversi():
    # Both number a1, b1, ... from the top left, and 64 is the pass.
    return OpenSpielOracle("othello", lambda a: a, othello_cells)
