"""Reversi on lists of lists: any even size, rays scanned square by square, explicit passes."""

RAYS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


class NaiveReversi:
    def __init__(self, size=8):
        self.size = size
        self.board = [[0] * size for _ in range(size)]  # board[0] is the top row
        low, high = size // 2 - 1, size // 2
        self.board[high][low] = self.board[low][high] = 1  # black
        self.board[low][low] = self.board[high][high] = 2  # white
        self.to_move = 0

    def flips(self, row, column, player):
        """The stones that a move of `player` would turn; a move is legal if it turns any."""
        if self.board[row][column] != 0:
            return []
        own, other = player + 1, 2 - player
        turned = []
        for down, right in RAYS:
            r, c = row + down, column + right
            passed = []
            while 0 <= r < self.size and 0 <= c < self.size and self.board[r][c] == other:
                passed.append((r, c))
                r, c = r + down, c + right
            if 0 <= r < self.size and 0 <= c < self.size and self.board[r][c] == own:
                turned += passed
        return turned

    def placements(self, player):
        return [
            row * self.size + column
            for row in range(self.size)
            for column in range(self.size)
            if self.flips(row, column, player)
        ]

    def legal(self):
        placements = self.placements(self.to_move)
        if placements:
            return placements
        return [self.size * self.size] if self.placements(1 - self.to_move) else []

    def play(self, action):
        if action != self.size * self.size:
            row, column = divmod(action, self.size)
            turned = self.flips(row, column, self.to_move)
            for r, c in [*turned, (row, column)]:
                self.board[r][c] = self.to_move + 1
        self.to_move = 1 - self.to_move

    def over(self):
        return not self.legal()

    def rewards(self):
        if not self.over():
            return None
        black, white = self.cells().count(1), self.cells().count(2)
        if black == white:
            return (0.0, 0.0)
        return (1.0, -1.0) if black > white else (-1.0, 1.0)

    def cells(self):
        return [stone for row in self.board for stone in row]
