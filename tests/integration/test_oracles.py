"""Thousands of random games, move by move, against independent oracles.

Fewer games where the oracle is slow: python-chess takes 80 ms a game, with everything compared at
every ply. The first 67 of its 300 games meet every kind of move and of ending between them.
``SPIELBAUM_GAMES=2000`` asks for so many games in each of the tests that say `unless_asked`.
"""

import os
import random

import chess
import pytest

import spielbaum as sb
from helpers import check_outcome, perft_cases, play_along
from oracles import naive_yavalath, open_spiel, python_chess
from oracles.naive_connect4 import NaiveConnect4
from oracles.naive_hex import NaiveHex, count_sequences
from oracles.naive_reversi import NaiveReversi
from oracles.naive_yavalath import NaiveYavalath

GAMES = 2000


def unless_asked(games):
    """So many games, unless a number is asked for."""
    return int(os.environ.get("SPIELBAUM_GAMES", games))


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "reversi"])
def test_open_spiel(name):
    game, rng = sb.game(name), random.Random(20260)
    for _ in range(GAMES):
        end = play_along(game.initial(), getattr(open_spiel, name)(), rng)
        assert end.game == game


def test_action_numbers_name_the_cells_that_open_spiel_means():
    # The rules of tic-tac-toe cannot tell a flipped board; the names of its cells can.
    tictactoe, reversi = sb.game("tictactoe").initial(), sb.game("reversi").initial()
    names = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    assert [tictactoe.text(action) for action in range(9)] == names
    for action in reversi.legal_moves:
        assert reversi.text(action) == open_spiel.reversi().state.action_to_string(action)


def test_naive_references_agree_with_open_spiel():
    """The oracles themselves: where two exist, they must say the same."""
    rng = random.Random(7)
    pairs = [(NaiveConnect4, open_spiel.connect4), (NaiveReversi, open_spiel.reversi)]
    for naive, library in pairs:
        for _ in range(30):
            one, two = naive(), library()
            while not one.over():
                assert sorted(one.legal()) == sorted(two.legal())
                assert one.cells() == two.cells()
                assert one.to_move == two.to_move
                action = rng.choice(one.legal())
                one.play(action)
                two.play(action)
            assert two.over()
            assert one.rewards() == two.rewards()


@pytest.mark.parametrize("size", range(3, 14))
@pytest.mark.parametrize("swap", [False, True])
def test_hex(size, swap):
    game, rng = sb.game("hex", size=size, swap=swap), random.Random(size)
    for _ in range(40 if size < 8 else 8):
        oracle = NaiveHex(size, swap)
        state = game.initial().play(first := rng.randrange(size * size))
        oracle.play(first)
        if swap and rng.random() < 0.5:
            oracle.play(size * size)
            state = state.play("swap")
        play_along(state, oracle, rng)


@pytest.mark.parametrize(("spec", "depth"), [("hex:size=3,swap=on", 10), ("hex:size=4", 6)])
def test_hex_counts_are_those_of_the_oracle(spec, depth):
    rules = sb.game(spec)
    (case,) = (case for case in perft_cases("hex.perft") if case.spec == spec)
    counts = count_sequences(rules.options["size"], rules.options["swap"], depth)
    assert counts == [case.counts[plies] for plies in range(1, depth + 1)]


# Both sides of every limit: 64 and 128 bits of (rows + 1) * columns, lines longer than one side.
CONNECT4_SIZES = [
    (2, 2, 2), (3, 3, 3), (4, 4, 4), (4, 5, 4), (5, 4, 3), (6, 6, 4), (7, 8, 4), (8, 7, 4),
    (8, 8, 4), (3, 16, 3), (16, 3, 4), (2, 16, 3), (16, 2, 5), (7, 16, 4), (15, 8, 5), (16, 7, 6),
    (10, 11, 5), (12, 9, 4), (9, 12, 7), (4, 16, 2),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "columns", "inarow"), CONNECT4_SIZES)
def test_connect4_sizes(rows, columns, inarow):
    game = sb.game("connect4", rows=rows, columns=columns, inarow=inarow)
    rng = random.Random(rows * 10000 + columns * 100 + inarow)
    for _ in range(50):
        play_along(game.initial(), NaiveConnect4(rows, columns, inarow), rng)


def test_connect4_random_sizes():
    rng = random.Random(4)
    for _ in range(1000):
        rows = rng.randint(2, 16)
        columns = rng.randint(2, min(16, 128 // (rows + 1)))
        inarow = rng.randint(2, min(8, max(rows, columns)))
        game = sb.game(f"connect4:rows={rows},columns={columns},inarow={inarow}")
        play_along(game.initial(), NaiveConnect4(rows, columns, inarow), rng)


# Fewer games on 10x10: a ray scan in plain Python takes its time.
@pytest.mark.parametrize(("size", "games"), [(4, 1200), (6, 600), (10, 200)])
def test_reversi_sizes(size, games):
    game, rng = sb.game("reversi", size=size), random.Random(size)
    passes = 0
    for _ in range(games):
        end = play_along(game.initial(), NaiveReversi(size), rng)
        passes += end.history.count(size * size)
    assert passes > 0, "the games should have met passes"


def quietly(oracle, legal, rng):
    """Prefer moves after which nobody has won or lost, so that games get long."""
    if naive_yavalath.SWAP in legal:
        return naive_yavalath.SWAP
    for action in rng.sample(legal, min(6, len(legal))):
        after = oracle.copy()
        after.play(action)
        if after.alive == oracle.alive and not after.over():
            return action
    return rng.choice(legal)


def test_yavalath_oracle_has_the_known_geometry():
    cells = set(naive_yavalath.CELLS)

    def lines(length):
        return sum(
            all(tuple(c + step * a for c, a in zip(cell, axis, strict=True)) in cells
                for step in range(length))
            for cell in cells
            for axis in naive_yavalath.AXES
        )  # fmt: skip

    assert (len(cells), lines(3), lines(4)) == (61, 129, 102)
    names = [naive_yavalath.name(action) for action in range(61)]
    assert (names[0], names[4], names[5], names[30], names[60]) == ("a1", "a5", "b1", "e5", "i5")


@pytest.mark.parametrize("spec", ["yavalath", "yavalath:players=3", "yavalath:swap=on"])
def test_yavalath(spec):
    game = sb.game(spec)
    players, swap = game.num_players, "swap=on" in spec
    assert players == (3 if "players=3" in spec else 2)
    rng = random.Random(61)
    swaps = eliminated = 0
    for number in range(unless_asked(1000)):
        oracle = NaiveYavalath(players, swap)
        end = play_along(game.initial(), oracle, rng, quietly if number % 8 == 0 else None)
        swaps += naive_yavalath.SWAP in end.history
        eliminated += players == 3 and oracle.alive.count(False) == 1
    assert (swaps > 0) == swap, "the swap should be met exactly where it is on"
    assert eliminated > 0 or players == 2, "some games should go on without an eliminated player"


def peaceful_owners(players):
    """Which player takes which cell, so that nobody ever has three in a line."""
    if players == 2:
        return [(x + 2 * z) % 4 // 2 for x, _, z in naive_yavalath.CELLS]
    # The three-coloured honeycomb has 19, 21 and 21 cells; the turns need 20, 20 and 21, and a
    # corner can change hands without making a line.
    owners = [(x - z) % 3 for x, _, z in naive_yavalath.CELLS]
    corner = next(action for action in (0, 4, 26) if owners.count(owners[action]) == 21)
    owners[corner] = next(player for player in range(3) if owners.count(player) == 19)
    return owners


@pytest.mark.parametrize("spec", ["yavalath", "yavalath:players=3", "yavalath:swap=on"])
def test_yavalath_draws(spec):
    """Random play never fills the board; players who keep to a peaceful pattern do."""
    game, rng = sb.game(spec), random.Random(31)
    players = game.num_players
    owners = peaceful_owners(players)
    order = sorted(range(players), key=owners.count, reverse=True)  # who has most begins

    def peacefully(oracle, legal, rng):
        mine = [a for a in legal if a < 61 and owners[a] == order[oracle.to_move]]
        return rng.choice(mine)

    for _ in range(20):
        oracle = NaiveYavalath(players, "swap=on" in spec)
        end = play_along(game.initial(), oracle, rng, peacefully)
        assert len(end.history) == 61
        assert end.outcome.rewards == (0.0,) * players


def test_yavalath_names():
    state = sb.game("yavalath:swap=on").initial().play("e5")
    for action in state.legal_moves:
        assert state.text(action) == naive_yavalath.name(action)
        assert state.parse(naive_yavalath.name(action)) == action


def test_yavalath_statistics_of_random_play():
    """Published: the first player wins 47.1 %, mean length 19.6, 7.1 % are ended by a four."""
    game, rng, games = sb.game("yavalath"), random.Random(1961), 20000
    first = fours = plies = 0
    for _ in range(games):
        state = game.initial()
        while state.legal_moves:
            mover = state.to_move
            state = state.play(rng.choice(state.legal_moves))
        first += state.outcome.winner == 0
        fours += state.outcome.winner == mover
        plies += len(state.history)
    # Four standard deviations of a share from 20,000 games, and of the mean length.
    assert abs(first / games - 0.471) < 0.015
    assert abs(fours / games - 0.071) < 0.008
    assert abs(plies / games - 19.6) < 0.2


class ChessComparison:
    """One walk along python-chess: texts, actions, FEN, keys, endings, at every ply."""

    def __init__(self):
        self.game = sb.game("chess")
        self.reasons = {}  # how python-chess ends the game -> how we name it
        self.planes = set()  # the planes of all actions that were met
        self.keys = {}  # position without clocks -> key

    def check(self, state, board, keep_key):
        fen = python_chess.fen(board)
        legal = list(board.generate_legal_moves())
        ends = python_chess.endings(board, legal)
        assert state.notation == fen
        assert state.to_move == (0 if board.turn == chess.WHITE else 1), fen
        if keep_key:
            position = fen.rsplit(" ", 2)[0]
            assert self.keys.setdefault(position, state.key) == state.key, fen
        if ends:
            assert state.legal_moves == (), f"{fen} is over: {ends}"
            check_outcome(state.outcome, python_chess.rewards(board, ends), fen)
            if len(ends) == 1:
                self.reasons.setdefault(ends.pop(), set()).add(state.outcome.reason)
            return {}
        assert state.outcome is None, f"{fen} is not over: {state.outcome}"
        actions = state.legal_moves
        moves = {state.text(action): action for action in actions}
        assert moves.keys() == {move.uci() for move in legal}, fen
        assert len(moves) == len(actions) == len(set(actions)) == len(legal), fen
        return moves

    def check_actions(self, state, moves):
        for text, action in moves.items():
            assert state.parse(text) == action
            assert action == python_chess.action(chess.Move.from_uci(text)), text
            self.planes.add(action % 73)

    def check_board(self, state, board):
        assert state.notation == board.fen()
        assert state.cells == python_chess.cells(board)
        assert (state.planes("s4") == python_chess.s4_planes(board)).all(), board.fen()
        assert (state.planes("own") == python_chess.own_planes(board)).all(), board.fen()
        if state.last_move is not None:
            last = board.peek()
            assert state.last_cells == (last.from_square, last.to_square)

    def play(self, number, rng, choose):
        state, board = self.game.initial(), chess.Board()
        while moves := self.check(state, board, keep_key=number % 8 == 0):
            if rng.random() < 0.02:
                self.check_actions(state, moves)
                self.check_board(state, board)
            text = choose(board, list(moves), rng)
            state = state.play(text if rng.random() < 0.5 else moves[text])
            board.push(chess.Move.from_uci(text))
        self.check_board(state, board)
        assert len(state.history) == len(board.move_stack)
        return state

    def check_end(self, kinds):
        assert set(self.reasons) == kinds, "some ending was not met"
        names = [reason for reasons in self.reasons.values() for reason in reasons]
        assert len(names) == len(set(names)) == len(kinds), f"reasons are mixed up: {self.reasons}"
        assert len(set(self.keys.values())) == len(self.keys), "two positions share a key"
        assert len(self.planes) == 73, "some kind of move was not met"


def test_chess():
    comparison, rng = ChessComparison(), random.Random(64)
    for number in range(unless_asked(300)):
        comparison.play(number, rng, lambda board, texts, rng: rng.choice(texts))
    comparison.check_end({"checkmate", "stalemate", "material", "clock", "repetition"})


def back_and_forth(board, texts, rng):
    """Take back the own last move where that is possible, so that positions repeat."""
    if len(board.move_stack) >= 2 and rng.random() < 0.7:
        mine = board.move_stack[-2].uci()
        back = mine[2:4] + mine[:2]
        if back in texts:
            return back
    return rng.choice(texts)


def test_chess_with_repetitions():
    comparison, rng = ChessComparison(), random.Random(3)
    for number in range(unless_asked(200)):
        comparison.play(number, rng, back_and_forth)
    assert "repetition" in comparison.reasons


def random_position(rng):
    """A valid position of a few random pieces, often with castling or en passant in reach."""
    while True:
        board = chess.Board(None)
        board.turn = rng.random() < 0.5
        if rng.random() < 0.4:
            add_castling(board, rng)
        taken = add_en_passant(board, rng) if rng.random() < 0.4 else set()
        free = [sq for sq in chess.SQUARES if board.piece_at(sq) is None and sq not in taken]
        rng.shuffle(free)
        for colour in chess.COLORS:
            if board.king(colour) is None:
                board.set_piece_at(free.pop(), chess.Piece(chess.KING, colour))
        for square in free[: rng.randint(0, 10)]:
            kind = rng.choice("PPPPNBRQ" if chess.square_rank(square) in range(1, 7) else "NBRQ")
            piece = chess.Piece.from_symbol(kind if rng.random() < 0.5 else kind.lower())
            board.set_piece_at(square, piece)
        board.halfmove_clock = 0 if taken else rng.choice([0, 7, 98, 99, 100])
        board.fullmove_number = rng.randint(60, 99)
        if board.status() == chess.STATUS_VALID:
            return board


def add_castling(board, rng):
    for square in (chess.A1, chess.E1, chess.H1, chess.A8, chess.E8, chess.H8):
        kind = chess.KING if chess.square_file(square) == 4 else chess.ROOK
        board.set_piece_at(square, chess.Piece(kind, chess.square_rank(square) == 0))
    board.castling_rights = chess.BB_CORNERS & rng.getrandbits(64)


def add_en_passant(board, rng):
    """A pawn beside one that has just made two steps, and the two squares it came over."""
    origin, target, rank = (6, 5, 4) if board.turn else (1, 2, 3)
    file = rng.randrange(8)
    beside = rng.choice([f for f in (file - 1, file + 1) if 0 <= f < 8])
    board.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, not board.turn))
    board.set_piece_at(chess.square(beside, rank), chess.Piece(chess.PAWN, board.turn))
    board.ep_square = chess.square(file, target)
    return {chess.square(file, origin), board.ep_square}


def test_chess_positions_from_fen():
    comparison, rng = ChessComparison(), random.Random(1858)
    for number in range(unless_asked(2000)):
        board = random_position(rng)
        # With the en passant square even where nobody may capture: reading it must settle that.
        state = comparison.game.state(board.fen(en_passant="fen"))
        for _ in range(3):
            moves = comparison.check(state, board, keep_key=number < 1000)
            comparison.check_board(state, board)
            if not moves:
                break
            comparison.check_actions(state, moves)
            text = rng.choice(list(moves))
            state = state.play(text)
            board.push_uci(text)


def classic(move, board):
    """UCI text as in classic chess where king and rook stand as there: e1g1, not e1h1."""
    if board.is_castling(move) and move.from_square in (chess.E1, chess.E8):
        side = {0: "c", 7: "g"}.get(chess.square_file(move.to_square))
        if side:
            return move.uci()[:2] + side + move.uci()[3]
    return move.uci()


def test_chess960():
    """Positions with Chess960's castling rights are read, played and printed too (X-FEN)."""
    game, rng = sb.game("chess"), random.Random(960)
    castled = 0
    for _ in range(150):
        board = chess.Board.from_chess960_pos(rng.randrange(960))
        state = game.state(board.fen())
        for _ in range(60):
            assert state.notation == board.fen()
            moves = {classic(move, board): move for move in board.legal_moves}
            if python_chess.endings(board):
                assert state.legal_moves == ()
                break
            assert sorted(state.text(action) for action in state.legal_moves) == sorted(moves)
            assert [state.parse(state.text(a)) for a in state.legal_moves] == [*state.legal_moves]
            # Castle where it is possible, and else keep king and rooks at home for a while.
            castlings = [text for text, move in moves.items() if board.is_castling(move)]
            homes = chess.SquareSet(board.kings | board.rooks)
            calm = [text for text, move in moves.items() if move.from_square not in homes]
            text = rng.choice(castlings if castlings and rng.random() < 0.7 else calm or [*moves])
            castled += text in castlings
            state = state.play(text)
            board.push(moves[text])
    assert castled > 100


def test_chess_material():
    """Kings with a few minor pieces on random squares: is there still a way to mate?"""
    game, rng = sb.game("chess"), random.Random(12)
    for _ in range(3000):
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, 8)
        for colour in chess.COLORS:
            board.set_piece_at(squares.pop(), chess.Piece(chess.KING, colour))
            for kind in rng.choice(["", "", "B", "N", "BB", "NN", "BN", "BBB"]):
                board.set_piece_at(squares.pop(), chess.Piece(" NB".find(kind) + 1, colour))
        if board.status() == chess.STATUS_VALID:
            state = game.state(board.fen())
            assert (state.outcome is not None) == bool(python_chess.endings(board)), board.fen()
