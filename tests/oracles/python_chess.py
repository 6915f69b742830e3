"""What python-chess says of a position, in the terms of the package."""

import chess
import numpy as np

PIECES = [
    (kind, colour)
    for colour in (chess.WHITE, chess.BLACK)
    for kind in (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING)
]


SYMBOLS = [chess.Piece(*piece).symbol() for piece in PIECES]
RANKS = [slice(first, first + 8) for first in range(56, -8, -8)]


def fen(board):
    """The same as board.fen(), but faster: that looks at every square, empty or not."""
    squares = ["1"] * 64
    for (kind, colour), symbol in zip(PIECES, SYMBOLS, strict=True):
        for square in chess.scan_forward(board.pieces_mask(kind, colour)):
            squares[square] = symbol
    placement = "/".join(["".join(squares[rank]) for rank in RANKS])
    for length in range(8, 1, -1):
        placement = placement.replace("1" * length, str(length))
    turn = "w" if board.turn == chess.WHITE else "b"
    target = chess.SQUARE_NAMES[board.ep_square] if board.has_legal_en_passant() else "-"
    clocks = f"{board.halfmove_clock} {board.fullmove_number}"
    return f"{placement} {turn} {board.castling_xfen()} {target} {clocks}"


def endings(board, legal=None):
    """Every reason for which a game ends here; checkmate excludes all others."""
    if not (any(board.generate_legal_moves()) if legal is None else legal):
        return {"checkmate"} if board.is_check() else {"stalemate"}
    found = set()
    if board.is_insufficient_material():
        found.add("material")
    if board.halfmove_clock >= 100:
        found.add("clock")
    # Eight reversible plies are the shortest way to a third occurrence.
    if board.halfmove_clock >= 8 and board.is_repetition(3):
        found.add("repetition")
    return found


def rewards(board, ends):
    if "checkmate" in ends:
        return (-1.0, 1.0) if board.turn == chess.WHITE else (1.0, -1.0)
    return (0.0, 0.0)


def cells(board):
    """Per square from a1: 0 for empty, 1 to 6 for white P N B R Q K, 7 to 12 for black."""
    return tuple(
        0 if (piece := board.piece_at(square)) is None else kind_and_colour(piece)
        for square in chess.SQUARES
    )


def kind_and_colour(piece):
    return PIECES.index((piece.piece_type, piece.color)) + 1


def plane_of(squares):
    plane = np.zeros((8, 8), dtype=np.float32)
    for square in squares:
        plane[7 - chess.square_rank(square), chess.square_file(square)] = 1.0
    return plane


def s4_planes(board):
    """The 21 planes of S4, absolute, rank 8 first."""
    return np.stack(
        [
            *(plane_of(board.pieces(kind, colour)) for kind, colour in PIECES),
            en_passant_plane(board),
            *castling_planes(board, chess.WHITE),
            *castling_planes(board, chess.BLACK),
            full(board.turn == chess.WHITE),
            full(board.turn == chess.BLACK),
            full(board.can_claim_fifty_moves()),
            full(board.can_claim_threefold_repetition()),
        ]
    )


def own_planes(board):
    """The default planes: the mover's things first, but the board as it lies, rank 8 first."""
    own, other = board.turn, not board.turn
    repeats = 2 if board.is_repetition(3) else 1 if board.is_repetition(2) else 0
    return np.stack(
        [
            *(plane_of(board.pieces(kind, own)) for kind in chess.PIECE_TYPES),
            *(plane_of(board.pieces(kind, other)) for kind in chess.PIECE_TYPES),
            plane_of(square for square in chess.SQUARES if board.piece_at(square) is None),
            *castling_planes(board, own),
            *castling_planes(board, other),
            en_passant_plane(board),
            full(board.halfmove_clock / 100),
            full(repeats / 2),
            full(board.turn == chess.WHITE),
        ]
    )


def full(value):
    return np.full((8, 8), value, dtype=np.float32)


def en_passant_plane(board):
    return plane_of([board.ep_square] if board.has_legal_en_passant() else [])


def castling_planes(board, colour):
    """Short, then long."""
    yield full(board.has_kingside_castling_rights(colour))
    yield full(board.has_queenside_castling_rights(colour))


QUEEN_STEPS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
KNIGHT_STEPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
UNDERPROMOTIONS = [chess.ROOK, chess.KNIGHT, chess.BISHOP]


def action(move):
    """The index of a move in the (8, 8, 73) array whose row 0 is rank 8.

    56 planes for the steps of a queen (clockwise from north, then the distance), 8 for those of a
    knight (clockwise from two up and one right), 9 for underpromotions (piece, then file).
    """
    across = chess.square_file(move.to_square) - chess.square_file(move.from_square)
    up = chess.square_rank(move.to_square) - chess.square_rank(move.from_square)
    if move.promotion not in (None, chess.QUEEN):
        plane = 64 + 3 * UNDERPROMOTIONS.index(move.promotion) + across + 1
    elif (across, up) in KNIGHT_STEPS:
        plane = 56 + KNIGHT_STEPS.index((across, up))
    else:
        distance = max(abs(across), abs(up))
        plane = 7 * QUEEN_STEPS.index((across // distance, up // distance)) + distance - 1
    row = 7 - chess.square_rank(move.from_square)
    return (row * 8 + chess.square_file(move.from_square)) * 73 + plane
