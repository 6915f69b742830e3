"""Connect Four on lists of lists: any number of rows and columns, any length of line."""

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class NaiveConnect4:
    def __init__(self, rows=6, columns=7, inarow=4):
        self.rows, self.columns, self.inarow = rows, columns, inarow
        self.board = [[0] * columns for _ in range(rows)]  # board[0] is the bottom row
        self.to_move = 0
        self.winner = None

    def legal(self):
        if self.winner is not None:
            return []
        return [column for column in range(self.columns) if self.board[-1][column] == 0]

    def play(self, column):
        row = next(row for row in range(self.rows) if self.board[row][column] == 0)
        self.board[row][column] = self.to_move + 1
        if self.has_line(self.to_move + 1):
            self.winner = self.to_move
        self.to_move = 1 - self.to_move

    def has_line(self, stone):
        for row in range(self.rows):
            for column in range(self.columns):
                if self.board[row][column] != stone:
                    continue
                for up, right in DIRECTIONS:
                    if self.line_from(row, column, up, right, stone):
                        return True
        return False

    def line_from(self, row, column, up, right, stone):
        for step in range(1, self.inarow):
            r, c = row + step * up, column + step * right
            if not (0 <= r < self.rows and 0 <= c < self.columns) or self.board[r][c] != stone:
                return False
        return True

    def over(self):
        return not self.legal()

    def rewards(self):
        if not self.over():
            return None
        if self.winner is None:
            return (0.0, 0.0)
        return (1.0, -1.0) if self.winner == 0 else (-1.0, 1.0)

    def cells(self):
        return [stone for row in self.board for stone in row]
