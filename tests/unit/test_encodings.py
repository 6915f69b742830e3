"""Feature planes and the action index, against python-chess and against plain loops."""

import random

import chess
import numpy as np
import pytest

import spielbaum as sb
from helpers import random_game, random_state
from oracles import python_chess

CONNECT4_SPECS = ["connect4", "connect4:rows=4,columns=5", "connect4:rows=7,columns=16"]


def top_down(state):
    """Connect Four's cells as an array with the top row first."""
    rows, columns = state.game.options["rows"], state.game.options["columns"]
    return np.array(state.cells).reshape(rows, columns)[::-1]


@pytest.mark.parametrize("spec", CONNECT4_SPECS)
def test_connect4_encodings_of_the_document(spec):
    for seed in range(5):
        for state in random_game(sb.game(spec), seed):
            board = top_down(state)
            assert (state.planes("naive") == board[None]).all()
            assert (state.planes("regular") == np.where(board == 2, -1, board)[None]).all()
            # On the empty board nobody has moved last: not player 1, so 1.
            last = 0 if state.history and (len(state.history) - 1) % 2 == 0 else 1
            expected = np.stack([board == 1, board == 2, np.full(board.shape, last)])
            assert (state.planes("planes") == expected).all()


def test_connect4_row_zero_is_the_top():
    planes = sb.game("connect4").state("1").planes("naive")
    assert planes.shape == (1, 6, 7)
    assert planes[0, 5, 0] == 1
    assert planes.sum() == 1


def test_encodings_of_one_connect4_position():
    """By hand: d1 (first player), d2 (second), a1 (first); the second player is to move."""
    state = sb.game("connect4").state("441")
    naive = np.zeros((6, 7))
    naive[5, 3], naive[4, 3], naive[5, 0] = 1, 2, 1
    assert state.planes("naive").tolist() == [naive.tolist()]
    assert state.planes("regular")[0, 4, 3] == -1
    first, second, last = state.planes("planes")
    assert first.sum() == 2
    assert second.sum() == 1
    assert not last.any()
    own, opponent, empty = state.planes()
    assert own.tolist() == second.tolist()
    assert opponent.tolist() == first.tolist()
    assert empty.sum() == 39


BOARDS = {  # spec -> rows, columns, and whether cells are numbered from the bottom
    "tictactoe": (3, 3, True),
    "connect4": (6, 7, True),
    "connect4:rows=15,columns=8,inarow=5": (15, 8, True),
    "reversi": (8, 8, False),
    "reversi:size=10": (10, 10, False),
}


@pytest.mark.parametrize("spec", BOARDS)
def test_own_planes(spec):
    rows, columns, from_bottom = BOARDS[spec]
    for state in random_game(sb.game(spec), seed=3):
        board = np.array(state.cells).reshape(rows, columns)
        if from_bottom:
            board = board[::-1]
        own, opponent = (1, 2) if state.to_move == 0 else (2, 1)
        expected = np.stack([board == own, board == opponent, board == 0])
        assert (state.planes() == expected).all(), state.history


@pytest.mark.parametrize("spec", ["yavalath", "yavalath:players=3", "yavalath:swap=on"])
def test_own_planes_of_yavalath(spec):
    """Stones from the mover on in turn order, then the empty cells; every cell in one plane."""
    game = sb.game(spec)
    mask = game.initial().planes()[game.num_players]
    assert mask.sum() == 61
    for state in random_game(game, seed=5):
        planes = state.planes()
        for ahead in range(game.num_players):
            player = (state.to_move + ahead) % game.num_players
            assert planes[ahead].sum() == state.cells.count(player + 1)
        assert (planes[: game.num_players + 1].sum(axis=0) == mask).all()


@pytest.mark.parametrize("name", sb.games())
def test_planes_are_fresh_float32_arrays(name):
    game = sb.game(name)
    assert game.encodings[0] == "own"
    state = random_state(game, random.Random(2), 5)
    for encoding in game.encodings:
        planes = state.planes(encoding)
        assert planes.dtype == np.float32
        assert planes.ndim == 3
        assert planes.flags.c_contiguous
        before = planes.copy()
        planes[:] = 7
        assert (state.planes(encoding) == before).all()
    assert (state.planes() == state.planes("own")).all()


def test_the_encodings_of_the_documents_are_listed():
    assert {"own", "naive", "regular", "planes"} <= set(sb.game("connect4").encodings)
    assert {"own", "s4"} <= set(sb.game("chess").encodings)


@pytest.mark.parametrize("name", ["", "nosuch", "OWN", "own "])
def test_unknown_encoding(name):
    with pytest.raises(ValueError, match="own") as caught:
        sb.game("connect4").initial().planes(name)
    assert "\n" not in str(caught.value)


def walk(moves, fen=chess.STARTING_FEN):
    """The same moves on both sides; yields a pair after every move."""
    state, board = sb.game("chess").state(fen), chess.Board(fen)
    yield state, board
    for text in moves:
        state = state.play(text)
        board.push_uci(text)
        yield state, board


def check_planes(state, board):
    planes, expected = state.planes("s4"), python_chess.s4_planes(board)
    assert planes.shape == (21, 8, 8)
    wrong = [index + 1 for index in range(21) if (planes[index] != expected[index]).any()]
    assert not wrong, f"planes {wrong} (from 1) of {board.fen()} after {state.history}"
    assert (state.planes() == python_chess.own_planes(board)).all(), board.fen()


KNIGHTS = ["g1f3", "g8f6", "f3g1", "f6g8"]


def test_s4_repetition_claim():
    """A claim is possible one ply before the third occurrence, which ends the game."""
    claims = []
    for state, board in walk(KNIGHTS * 2):
        check_planes(state, board)
        claims.append(int(state.planes("s4")[20, 0, 0]))
    # The eighth ply brings the start for the third time; after the seventh it can be claimed.
    assert claims == [0, 0, 0, 0, 0, 0, 0, 1, 1]
    assert state.outcome is not None
    assert state.outcome.winner is None


def test_s4_claim_needs_the_same_rights():
    """The rook's trip costs the right to castle: the first position is not repeated."""
    moves = ["h1g1", "a8b8", "g1h1", "b8a8"] * 3
    claims = []
    for state, board in walk(moves[:9], "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"):
        check_planes(state, board)
        claims.append(int(state.planes("s4")[20, 0, 0]))
        if state.outcome is not None:
            break
    assert claims[7] == 0, "the start had castling rights and occurred but once"
    assert 1 in claims[8:]


@pytest.mark.parametrize("clock", [97, 98, 99, 100])
def test_s4_fifty_move_claim(clock):
    fens = [
        f"4k3/8/8/8/8/8/4P3/4K2R w K - {clock} 80",
        f"4k3/8/8/8/8/8/r7/4K2R b - - {clock} 80",
        f"7k/5Q2/5K2/8/8/8/8/8 b - - {clock} 80",  # stalemate: no move, no claim
        f"7k/6Q1/5K2/8/8/8/8/8 b - - {clock} 80",  # mate comes before any draw
        f"k7/8/8/8/8/p7/P7/K7 w - - {clock} 80",
        f"8/8/8/8/8/1p1k4/1P6/K7 w - - {clock} 80",  # one king move left
        f"k7/8/8/8/8/8/6q1/7K w - - {clock} 80",  # only a capture, which resets the clock
    ]
    for fen in fens:
        board = chess.Board(fen)
        state = sb.game("chess").state(fen)
        check_planes(state, board)
        assert (state.outcome is not None) == bool(python_chess.endings(board)), fen


def test_s4_fifty_move_claim_where_every_move_ends_the_game():
    """With the clock at 99, a move that mates or stalemates leaves nothing to claim."""
    game, met = sb.game("chess"), set()
    rng = random.Random(50)
    for _ in range(4000):
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, 4)
        pieces = ["K", "k", rng.choice("QRP"), rng.choice("Qrpb")]
        for square, symbol in zip(squares, pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        board.turn, board.halfmove_clock = rng.random() < 0.5, 99
        if board.status() == chess.STATUS_VALID:
            state = game.state(board.fen())
            check_planes(state, board)
            met.add((bool(state.legal_moves), bool(state.planes("s4")[19, 0, 0])))
    assert (True, True) in met


def test_s4_en_passant_only_where_it_is_legal():
    legal = "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    for state, board in walk(["e2e4"], legal):
        check_planes(state, board)
    assert state.planes("s4")[12, 5, 4] == 1
    assert state.planes("s4")[12].sum() == 1
    for state, board in walk(["e2e4"]):  # nobody stands beside the pawn
        check_planes(state, board)
    assert not state.planes("s4")[12].any()
    pinned = "8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1"  # both pawns would leave the fourth rank
    for state, board in walk(["e2e4"], pinned):
        check_planes(state, board)
    assert not state.planes("s4")[12].any()


def test_s4_on_shuffled_games():
    """Games that go back and forth, checked at every ply, so that claims come and go."""
    claims = 0
    for seed in range(25):
        rng = random.Random(seed)
        state, board = sb.game("chess").initial(), chess.Board()
        while state.legal_moves and len(state.history) < 120:
            check_planes(state, board)
            claims += int(state.planes("s4")[20, 0, 0])
            texts = [state.text(move) for move in state.legal_moves]
            text = rng.choice(texts)
            if len(board.move_stack) >= 2 and rng.random() < 0.8:
                mine = board.move_stack[-2].uci()
                text = mine[2:4] + mine[:2] if mine[2:4] + mine[:2] in texts else text
            state = state.play(text)
            board.push_uci(text)
        check_planes(state, board)
    assert claims > 25


def geometric_moves():
    """Every (from, to, promotion) that some piece could make on an empty board, S4's 73 planes."""
    moves = set()
    for origin in chess.SQUARES:
        for target in chess.SQUARES:
            across = chess.square_file(target) - chess.square_file(origin)
            up = chess.square_rank(target) - chess.square_rank(origin)
            straight = (across == 0) != (up == 0) or (abs(across) == abs(up) != 0)
            if straight or sorted((abs(across), abs(up))) == [1, 2]:
                moves.add((origin, target, None))
            last = chess.square_rank(origin), chess.square_rank(target)
            if abs(across) <= 1 and last in ((6, 7), (1, 0)):
                for piece in (chess.KNIGHT, chess.BISHOP, chess.ROOK):
                    moves.add((origin, target, piece))
    return moves


def position_with(origin, target, promotion, rng):
    """A valid position in which the move from `origin` to `target` is legal."""
    across = abs(chess.square_file(target) - chess.square_file(origin))
    up = abs(chess.square_rank(target) - chess.square_rank(origin))
    kind = chess.QUEEN if across in (0, up) or up == 0 else chess.KNIGHT
    turn = chess.WHITE if promotion is None else chess.square_rank(target) == 7
    while True:
        board = chess.Board(None)
        board.turn = turn
        free = [square for square in chess.SQUARES if square not in (origin, target)]
        white, black, bystander = rng.sample(free, 3)
        board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
        board.set_piece_at(origin, chess.Piece(chess.PAWN if promotion else kind, turn))
        board.set_piece_at(bystander, chess.Piece(chess.PAWN, not turn))  # a knight alone draws
        if promotion and across:
            board.set_piece_at(target, chess.Piece(chess.ROOK, not turn))
        move = chess.Move(origin, target, promotion)
        if board.status() == chess.STATUS_VALID and board.is_legal(move):
            return board, move


def test_chess_actions_cover_the_whole_index():
    """1,456 queen moves, 336 knight moves and 66 underpromotions for each colour, all distinct."""
    game, rng = sb.game("chess"), random.Random(73)
    moves = geometric_moves()
    assert len(moves) == 1456 + 336 + 2 * 66
    actions = set()
    for origin, target, promotion in sorted(moves, key=str):
        board, move = position_with(origin, target, promotion, rng)
        state = game.state(board.fen())
        action = state.parse(move.uci())
        assert action == python_chess.action(move)
        assert action in state.legal_moves
        assert state.text(action) == move.uci()
        assert state.cells_of(action) == (origin, target)
        actions.add(action)
    assert len(actions) == len(moves)
    assert len({action % 73 for action in actions}) == 73
    assert game.num_actions == 64 * 73


def test_a_policy_lies_on_the_board_of_the_planes():
    """Reshaped to (8, 8, 73), the index of a move is where its piece stands in the planes."""
    state = sb.game("chess").state("4k3/8/8/8/8/8/8/1N2K2Q w - - 0 1")
    for move in state.legal_moves:
        row, column, _ = np.unravel_index(move, (8, 8, 73))
        own_pieces = state.planes()[:6].sum(axis=0)
        assert own_pieces[row, column] == 1


def test_a_promotion_to_a_queen_is_the_queen_move():
    state = sb.game("chess").state("8/P7/8/8/8/8/8/k1K5 w - - 0 1")
    king = sb.game("chess").state("8/Q7/8/8/8/8/8/1k1K4 w - - 0 1")
    assert state.parse("a7a8q") == king.parse("a7a8")
    assert len({state.parse("a7a8" + piece) for piece in "qrbn"}) == 4
