"""Hex: two players connect opposite sides of a rhombus. A complete game in pure Python."""

import numpy as np

import spielbaum as sb
from spielbaum.games.drawing.text import Layout, Row


class Hex(sb.PythonGame):
    """Player 1 connects top and bottom, player 2 left and right."""

    name = "pyhex"  # "hex" is the same game in the core
    options = (sb.Option("size", 5, "rows and columns", low=2, high=26),)

    def __init__(self, size):
        self.size = size
        self.num_actions = self.num_cells = size * size
        self.num_symmetries = 2  # the identity, and half a turn
        self.plane_shape = (3, size, size)
        self.partition_planes = 3
        self.num_contents = 3  # for n-tuple networks: empty, x and o

    # A state is a string: one of ".xo" for each cell.
    def initial(self):
        return "." * self.num_cells

    def to_move(self, board):
        return (self.num_cells - board.count(".")) % 2

    def legal_moves(self, board):
        return [cell for cell, stone in enumerate(board) if stone == "."]

    def play(self, board, action):
        return board[:action] + "xo"[self.to_move(board)] + board[action + 1 :]

    def outcome(self, board):
        last = 1 - self.to_move(board)  # only who moved last can have won
        return sb.Outcome.win(last, reason="connected") if self.connected(board, last) else None

    def connected(self, board, player):
        n, stone = self.size, "xo"[player]
        steps = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))
        queue = [(0, i) if player == 0 else (i, 0) for i in range(n)]
        queue = [place for place in queue if board[place[0] * n + place[1]] == stone]
        seen = set(queue)
        while queue:
            row, column = queue.pop()
            if (row if player == 0 else column) == n - 1:
                return True
            for down, right in steps:
                r, c = row + down, column + right
                if 0 <= r < n and 0 <= c < n and (r, c) not in seen and board[r * n + c] == stone:
                    seen.add((r, c))
                    queue.append((r, c))
        return False

    def key(self, board):
        return board.encode()

    # All below is optional: nicer texts, symmetries, planes for networks, and a drawing.
    def text(self, board, action):
        return f"{chr(97 + action % self.size)}{action // self.size + 1}"

    def transform(self, board, index):
        return board[::-1] if index else board

    def transform_action(self, action, index):
        return self.num_cells - 1 - action if index else action

    def transform_cell(self, cell, index):
        return self.transform_action(cell, index)

    def notation(self, board):
        return f"board:{board}"

    def split_moves(self, text):
        return None if text.startswith("board:") else text.split()

    def parse_state(self, text):
        board = text.removeprefix("board:")
        if len(board) != self.num_cells or set(board) - set(".xo"):
            raise sb.NotationError(f"position {text!r}: expected {self.num_cells} of '.', x and o")
        return board

    def cell(self, board, cell):
        return ".xo".index(board[cell])

    def move_cells(self, board, action):
        return (action,)

    def layout(self):
        n = self.size
        rows = (Row(tuple(range(i * n, i * n + n)), str(i + 1), i / 2) for i in range(n))
        names = tuple(self.text(None, cell) for cell in range(self.num_cells))
        return Layout(tuple(rows), names, row_distance=0.866, cell_height=1.155)

    def planes(self, board):
        me = self.to_move(board)
        order = ("xo"[me], "xo"[1 - me], ".")
        cells = np.array(list(board)).reshape(self.size, self.size)
        return np.stack([cells == stone for stone in order]).astype(np.float32)

    def diagram(self, board):
        rows = [board[i : i + self.size] for i in range(0, self.num_cells, self.size)]
        return "\n".join(" " * i + " ".join(row) for i, row in enumerate(rows))


sb.register_game(Hex, replace=True)
