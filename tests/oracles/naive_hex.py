"""Hex on a dictionary of cells, slow and plain: chains are followed from the edge each time."""

from collections import Counter

STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))  # (column, row)


class NaiveHex:
    def __init__(self, size=11, swap=False):
        self.size, self.swap = size, swap
        self.stones = {}  # (column, row) -> player; row 0 is the top
        self.to_move = 0
        self.plies = 0

    def legal(self):
        if self.over():
            return []
        cells = [(column, row) for row in range(self.size) for column in range(self.size)]
        moves = [
            row * self.size + column for column, row in cells if (column, row) not in self.stones
        ]
        if self.swap and self.plies == 1:
            moves.append(self.size * self.size)
        return moves

    def play(self, action):
        if action == self.size * self.size:
            ((column, row),) = self.stones
            self.stones = {(row, column): 1}
        else:
            self.stones[action % self.size, action // self.size] = self.to_move
        self.to_move = 1 - self.to_move
        self.plies += 1

    def joined(self, player):
        """Whether a chain of the player goes from top to bottom (0) or from left to right (1)."""
        axis = 1 if player == 0 else 0
        own = {cell for cell, owner in self.stones.items() if owner == player}
        chain = {cell for cell in own if cell[axis] == 0}
        while True:
            if any(cell[axis] == self.size - 1 for cell in chain):
                return True
            around = {
                (column + right, row + down) for column, row in chain for right, down in STEPS
            }
            if around & own <= chain:
                return False
            chain |= around & own

    def over(self):
        return self.joined(0) or self.joined(1)

    def rewards(self):
        if not self.over():
            return None
        return (1.0, -1.0) if self.joined(0) else (-1.0, 1.0)

    def cells(self):
        cells = ((column, row) for row in range(self.size) for column in range(self.size))
        return [self.stones[cell] + 1 if cell in self.stones else 0 for cell in cells]


def count_sequences(size, swap, depth):
    """Sequences of exactly 1, 2, ... ``depth`` moves.

    Those that lead to the same position are counted together.
    """
    counts = []
    reached = Counter({(frozenset(), 0): 1})  # (stones, side to move) -> sequences
    for ply in range(depth):
        total, following = 0, Counter()
        for (stones, side), sequences in reached.items():
            game = NaiveHex(size, swap)
            game.stones, game.to_move, game.plies = dict(stones), side, ply
            for action in game.legal():
                total += sequences
                if ply + 1 < depth:
                    after = NaiveHex(size, swap)
                    after.stones, after.to_move, after.plies = dict(stones), side, ply
                    after.play(action)
                    following[frozenset(after.stones.items()), after.to_move] += sequences
        counts.append(total)
        reached = following
    return counts
