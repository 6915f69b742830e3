"""Chess960 beside python-chess: castling from every kind of starting position."""

import chess
import pytest

import spielbaum as sb


def perft(board: chess.Board, depth: int) -> int:
    """Count the positions by python-chess."""
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += perft(board, depth - 1)
        board.pop()
    return total


@pytest.mark.parametrize("number", [0, 94, 313, 518, 700, 959])
def test_perft_of_starting_positions(number):
    # benchmarks/play_engines.py chess960 counts 200 of them to depth 4.
    board = chess.Board.from_chess960_pos(number)
    for text in (board.fen(), board.shredder_fen()):
        assert sb.perft(sb.game("chess").state(text), 3) == perft(board, 3)


@pytest.mark.parametrize(
    "fen",
    [
        "1rkr4/8/8/8/8/8/8/1RKR4 w DBdb - 0 1",
        "4k3/8/8/8/8/8/8/R1RK2R1 w GC - 0 1",
        "rk2r3/8/8/8/8/8/8/RK2R3 b EAea - 0 1",
        "2r1k1r1/8/8/3q4/8/8/8/2R1K1R1 w GCgc - 0 1",
    ],
)
def test_perft_with_castling_near(fen):
    board = chess.Board(fen, chess960=True)
    assert sb.perft(sb.game("chess").state(fen), 3) == perft(board, 3)
    state = sb.game("chess").state(fen)
    castling = {move.uci() for move in board.generate_castling_moves()}
    texts = {state.text(move) for move in state.legal_moves}
    assert castling <= texts
