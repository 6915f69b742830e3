"""FEN: what is refused, with which words, and what is put right in reading."""

import pytest

import spielbaum as sb
from helpers import check_message

BAD_FENS = {
    "no white king": "4k3/8/8/8/8/8/8/8 w - - 0 1",
    "no black king": "8/8/8/8/8/8/8/4K3 w - - 0 1",
    "two white kings": "4k3/8/8/8/8/8/8/K3K3 w - - 0 1",
    "two black kings": "k3k3/8/8/8/8/8/8/4K3 b - - 0 1",
    "a pawn on the last rank": "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "a pawn on the first rank": "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
    "a black pawn on the first rank": "4k3/8/8/8/8/8/8/p3K3 w - - 0 1",
    "the side not to move in check": "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
    "white in check, black to move": "4k3/4r3/8/8/8/8/8/4K3 b - - 0 1",
    "kings side by side": "8/8/8/3kK3/8/8/8/8 w - - 0 1",
    "seven ranks": "4k3/8/8/8/8/8/4K3 w - - 0 1",
    "nine ranks": "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1",
    "a short rank": "4k2/8/8/8/8/8/8/4K3 w - - 0 1",
    "a long rank": "4k4/8/8/8/8/8/8/4K3 w - - 0 1",
    "a nine": "4k3/9/8/8/8/8/8/4K3 w - - 0 1",
    "a zero": "4k3/80/8/8/8/8/8/4K3 w - - 0 1",
    "an unknown piece": "4k3/8/8/3x4/8/8/8/4K3 w - - 0 1",
    "a wrong side": "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    "a side in capitals": "4k3/8/8/8/8/8/8/4K3 W - - 0 1",
    "castling without a rook": "4k3/8/8/8/8/8/8/4K3 w K - 0 1",
    "castling with a king off its rank": "4k3/8/8/8/8/8/4K3/7R w K - 0 1",
    "castling on the side without a rook": "4k3/8/8/8/8/8/8/4K2R w Q - 0 1",
    "two castling rights on one side": "4k3/8/8/8/8/8/8/4KR1R w FH - 0 1",
    "castling for the other side's rook": "4k2r/8/8/8/8/8/8/4K3 w K - 0 1",
    "a wrong castling letter": "r3k2r/8/8/8/8/8/8/R3K2R w KX - 0 1",
    "a castling letter twice": "r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1",
    "castling with a dash": "r3k2r/8/8/8/8/8/8/R3K2R w K- - 0 1",
    "en passant on a wrong rank": "4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1",
    "en passant for the wrong side": "4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1",
    "en passant without a pawn": "4k3/8/8/8/8/8/8/4K3 b - e3 0 1",
    "en passant behind the wrong pawn": "4k3/8/8/8/4p3/8/8/4K3 b - e3 0 1",
    "en passant on a stone": "4k3/8/8/8/4P3/4N3/8/4K3 b - e3 0 1",
    "en passant over a stone": "4k3/8/8/8/4P3/8/4N3/4K3 b - e3 0 1",
    "en passant off the board": "4k3/8/8/8/4P3/8/8/4K3 b - i3 0 1",
    "en passant rubbish": "4k3/8/8/8/4P3/8/8/4K3 b - e 0 1",
    "a negative clock": "4k3/8/8/8/8/8/8/4K2R w - - -1 1",
    "a clock of letters": "4k3/8/8/8/8/8/8/4K2R w - - x 1",
    "a huge clock": "4k3/8/8/8/8/8/8/4K2R w - - 99999999999999999999 1",
    "a fractional clock": "4k3/8/8/8/8/8/8/4K2R w - - 1.5 1",
    "a negative move number": "4k3/8/8/8/8/8/8/4K2R w - - 0 -1",
    "a huge move number": "4k3/8/8/8/8/8/8/4K2R w - - 0 99999999999999999999",
    "a move number of letters": "4k3/8/8/8/8/8/8/4K2R w - - 0 x",
    "a seventh field": "4k3/8/8/8/8/8/8/4K2R w - - 0 1 1",
    "only a board": "4k3/8/8/8/8/8/8/4K2R",
    "nothing": "",
}


@pytest.mark.parametrize("case", BAD_FENS)
def test_bad_fens(case):
    with pytest.raises(sb.NotationError) as caught:
        sb.game("chess").state(BAD_FENS[case])
    check_message(caught.value, BAD_FENS[case])


@pytest.mark.parametrize(
    ("case", "word"),
    [
        ("no white king", "king"),
        ("two black kings", "king"),
        ("a pawn on the last rank", "pawn"),
        ("the side not to move in check", "check"),
        ("castling without a rook", "castling"),
        ("en passant without a pawn", "passant"),
        ("a clock of letters", "clock"),
    ],
)
def test_bad_fens_are_named(case, word):
    with pytest.raises(sb.NotationError, match=rf"(?i){word}"):
        sb.game("chess").state(BAD_FENS[case])


def test_an_en_passant_square_nobody_can_use_is_dropped():
    """As python-chess prints it: only where the capture is legal."""
    chess = sb.game("chess")
    dropped = chess.state("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
    assert dropped.notation == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert dropped == chess.initial().play("e2e4")
    kept = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"
    assert chess.state(kept).notation == kept
    pinned = chess.state("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1")
    assert pinned.notation == "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"


def test_positions_that_no_game_reaches_are_still_positions():
    """Two checkers on one line, or nine queens: the rules still say which moves are legal."""
    for fen in (
        "5R2/2P5/8/4k3/8/3rK2r/8/8 w - - 0 1",
        "8/6kR/8/8/8/bq6/1rqqqqqq/K1nqnbrq b - - 0 1",
    ):
        assert sb.game("chess").state(fen).notation == fen


@pytest.mark.parametrize("number", [1, 255, 256, 9998, 9999, 65535])
def test_a_game_with_many_moves_can_still_be_written_and_read(number):
    """A move number that can be read can be counted on: after a move it is still notation."""
    game = sb.game("chess")
    try:
        state = game.state(f"4k3/8/8/8/8/8/8/4K2R b - - 0 {number}")
    except sb.NotationError as error:
        check_message(error)
        return
    after = state.play("e8d8")
    assert game.state(after.notation) == after
    assert game.state(after.notation).notation == after.notation
