"""What python-chess says of a position, in the terms of the package."""

import chess
import numpy as np

PIECES = [
    (kind, colour)
    for colour in (chess.WHITE, chess.BLACK)
    for kind in (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING)
]


def endings(board):
    """Every reason for which a game ends here; checkmate excludes all others."""
    if not any(board.generate_legal_moves()):
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
    planes = [plane_of(board.pieces(kind, colour)) for kind, colour in PIECES]
    planes.append(plane_of([board.ep_square] if board.has_legal_en_passant() else []))
    flags = [
        board.has_kingside_castling_rights(chess.WHITE),
        board.has_queenside_castling_rights(chess.WHITE),
        board.has_kingside_castling_rights(chess.BLACK),
        board.has_queenside_castling_rights(chess.BLACK),
        board.turn == chess.WHITE,
        board.turn == chess.BLACK,
        board.can_claim_fifty_moves(),
        board.can_claim_threefold_repetition(),
    ]
    planes += [np.full((8, 8), float(flag), dtype=np.float32) for flag in flags]
    return np.stack(planes)


def check_action(action, move, meaning):
    """S4's index: from-square * 73 + plane, and a plane means one thing wherever it occurs.

    56 planes are the vectors of a queen, 8 those of a knight; 9 are underpromotions, told apart
    by file and piece for both colours. `meaning` collects what each plane was seen to mean.
    """
    origin, plane = divmod(action, 73)
    assert origin == move.from_square, f"{move} is {action}"
    across = chess.square_file(move.to_square) - chess.square_file(origin)
    up = chess.square_rank(move.to_square) - chess.square_rank(origin)
    if move.promotion not in (None, chess.QUEEN):
        planes, vector = range(64, 73), (across, chess.piece_symbol(move.promotion))
    elif sorted((abs(across), abs(up))) == [1, 2]:
        planes, vector = range(56, 64), (across, up)
    else:
        planes, vector = range(56), (across, up)
    assert plane in planes, f"{move} is {action}, of plane {plane}"
    assert meaning.setdefault(plane, vector) == vector, f"{move} is {action}, of plane {plane}"
