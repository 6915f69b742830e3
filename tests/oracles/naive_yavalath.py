"""Yavalath for two or three players, with or without the swap, on cube coordinates.

A cell is (x, y, z) with x + y + z = 0 and every coordinate between -4 and 4. The rows a to i run
from the top (z = -4) to the bottom (z = 4) and are numbered from the left, which is growing x.
"""

REACH = 4
CELLS = [
    (x, -x - z, z)
    for z in range(-REACH, REACH + 1)
    for x in range(-REACH, REACH + 1)
    if abs(-x - z) <= REACH
]
AXES = ((1, -1, 0), (1, 0, -1), (0, 1, -1))
SWAP = len(CELLS)


def ray(cell, axis, sign):
    """The cells from `cell` to the edge, without `cell` itself."""
    steps = range(1, 2 * REACH + 1)
    seen = [tuple(c + sign * step * a for c, a in zip(cell, axis, strict=True)) for step in steps]
    return [cell for cell in seen if max(map(abs, cell)) <= REACH]


RAYS = {cell: [(ray(cell, axis, 1), ray(cell, axis, -1)) for axis in AXES] for cell in CELLS}


def name(action):
    if action == SWAP:
        return "swap"
    z = CELLS[action][2]
    row = [cell for cell in CELLS if cell[2] == z]
    return "abcdefghi"[z + REACH] + str(row.index(CELLS[action]) + 1)


class NaiveYavalath:
    def __init__(self, players=2, swap=False):
        self.players, self.swap = players, swap
        self.stones = dict.fromkeys(CELLS)  # cell -> player, or None
        self.alive = [True] * players
        self.to_move = 0
        self.moves = 0
        self.result = None

    def copy(self):
        other = NaiveYavalath(self.players, self.swap)
        other.stones, other.alive = dict(self.stones), list(self.alive)
        other.to_move, other.moves, other.result = self.to_move, self.moves, self.result
        return other

    def longest_and_three(self, player, cells):
        """The longest line of `player` through any of `cells`, and whether one is exactly three."""
        longest, three = 0, False
        for cell in cells:
            if self.stones[cell] != player:
                continue
            for both_ways in RAYS[cell]:
                length = 1
                for way in both_ways:
                    for seen in way:
                        if self.stones[seen] != player:
                            break
                        length += 1
                longest = max(longest, length)
                three = three or length == 3
        return longest, three

    def wins_at(self, player, cell):
        self.stones[cell] = player
        longest, _ = self.longest_and_three(player, [cell])
        self.stones[cell] = None
        return longest >= 4

    def next_survivor(self):
        for step in range(1, self.players):
            player = (self.to_move + step) % self.players
            if self.alive[player]:
                return player
        raise AssertionError("a running game has at least two survivors")

    def legal(self):
        if self.result is not None:
            return []
        empty = [action for action, cell in enumerate(CELLS) if self.stones[cell] is None]
        if self.players == 3:
            following = self.next_survivor()
            forced = [action for action in empty if self.wins_at(following, CELLS[action])]
            return forced or empty
        return [*empty, SWAP] if self.swap and self.moves == 1 else empty

    def play(self, action):
        mover = self.to_move
        self.moves += 1
        if action == SWAP:
            for cell in CELLS:
                if self.stones[cell] is not None:
                    self.stones[cell] = mover
            self.to_move = 1 - mover
            return
        self.stones[CELLS[action]] = mover
        longest, three = self.longest_and_three(mover, CELLS)
        if longest >= 4:
            self.win(mover)
            return
        if three:
            self.alive[mover] = False
            if self.alive.count(True) == 1:
                self.win(self.alive.index(True))
                return
        if None not in self.stones.values():
            self.result = (0.0,) * self.players
            return
        self.to_move = self.next_survivor()

    def win(self, winner):
        share = -1.0 / (self.players - 1)
        self.result = tuple(1.0 if p == winner else share for p in range(self.players))

    def over(self):
        return self.result is not None

    def rewards(self):
        return self.result

    def cells(self):
        return [0 if self.stones[cell] is None else self.stones[cell] + 1 for cell in CELLS]
