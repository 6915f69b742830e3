"""Moves as people write them: algebraic notation against python-chess, in both directions."""

import os
import random

import chess
import pytest

import spielbaum as sb

POSITIONS = int(os.environ.get("SAN_POSITIONS", "300"))
"""Positions that are compared: SAN_POSITIONS=10000 takes a minute or two."""


def random_boards(count, seed):
    """Positions of random games, some of which begin as Chess960 does."""
    rng = random.Random(seed)
    board = chess.Board()
    for number in range(count):
        if board.is_game_over(claim_draw=True) or rng.random() < 0.02:
            board = chess.Board()
            if rng.random() < 0.3:
                board = chess.Board.from_chess960_pos(rng.randrange(960))
        board.push(rng.choice(list(board.legal_moves)))
        if number % 3 == 0 and not board.is_game_over(claim_draw=True):
            yield board


def compare(board):
    state = sb.game("chess").state(board.fen())
    labels = {state.label(move): move for move in state.legal_moves}
    assert set(labels) == {board.san(move) for move in board.legal_moves}, board.fen()
    for label, move in labels.items():
        theirs = board.parse_san(label)
        assert board.san(theirs) == label
        assert state.parse(label) == move, (board.fen(), label)
        after = board.copy(stack=False)
        after.push(theirs)
        assert state.play(move).notation.split()[0] == after.board_fen()


def test_labels_are_those_of_python_chess():
    for board in random_boards(3 * POSITIONS, seed=1):
        compare(board)


@pytest.mark.parametrize(
    ("fen", "text", "label"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "O-O"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1", "O-O-O"),
        ("7k/P7/8/8/8/8/8/7K w - - 0 1", "a7a8q", "a8=Q+"),
        ("8/8/8/8/k2pP3/8/8/4K3 b - e3 0 1", "d4e3", "dxe3"),
        ("7k/5ppp/8/8/8/8/8/K3R3 w - - 0 1", "e1e8", "Re8#"),
        ("3k4/8/8/8/R7/8/8/R6K w - - 0 1", "a1a2", "R1a2"),
        ("3k4/8/8/8/8/8/8/R4R1K w - - 0 1", "a1c1", "Rac1"),
        ("6k1/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
    ],
)
def test_what_is_written(fen, text, label):
    state = sb.game("chess").state(fen)
    move = state.parse(text)
    oracle = chess.Board(fen)
    assert state.label(move) == label == oracle.san(oracle.parse_uci(text))


def test_what_is_read():
    start = sb.game("chess").initial()
    for text in ("Nf3", "Ng1f3", "Ng1-f3", "N1f3", "Nf3+", "Nf3!?", "g1f3", "G1F3"):
        assert start.play(text).last_move == start.parse("g1f3")
    for text in ("e4", "Pe4", "e2e4", "e2-e4", "E2E4", " e4 "):
        assert start.parse(text) == start.parse("e2e4")
    castle = sb.game("chess").state("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    for text in ("O-O", "0-0", "O-O+", "e1g1", "e1h1"):
        assert castle.label(castle.parse(text)) == "O-O"
    bishops = sb.game("chess").state("4k3/8/8/8/8/8/1PB5/4K3 w - - 0 1")
    assert bishops.text(bishops.parse("B2b3")) == "c2b3"  # a bishop, not the pawn
    assert bishops.text(bishops.parse("b2b3")) == "b2b3"
    promotion = sb.game("chess").state("8/P6k/8/8/8/8/8/K7 w - - 0 1")
    assert {promotion.text(promotion.parse(f"a8{x}")) for x in ("Q", "=Q", "q")} == {"a7a8q"}


@pytest.mark.parametrize(
    "text",
    ["", "N", "Nf6", "a8", "O-O", "xd5", "exd5", "e9", "Z3", "=Q", "Ne=Q", "e4=Q", "♘f3", "--"],
)
def test_what_is_refused(text):
    with pytest.raises(sb.IllegalMove, match="is not legal here; legal moves: "):
        sb.game("chess").initial().parse(text)


def test_what_is_not_clear():
    state = sb.game("chess").state("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")
    with pytest.raises(
        sb.IllegalMove, match=r"move 'Nd2' is not clear: (Nbd2 or Nfd2|Nfd2 or Nbd2)"
    ):
        state.parse("Nd2")


class Labelled(sb.PythonGame):
    """A game whose moves have names for people, which its own parse() does not know."""

    name = "labelled_test"
    num_actions = 3

    def initial(self):
        return ()

    def to_move(self, state):
        return len(state) % 2

    def legal_moves(self, state):
        return [0, 1, 2]

    def play(self, state, action):
        return (*state, action)

    def outcome(self, state):
        return sb.Outcome.win(0) if len(state) == 2 else None

    def key(self, state):
        return bytes(state)

    def label(self, state, action):
        return ("rock", "paper", "scissors")[action]


def test_games_in_python_have_labels():
    sb.register_game(Labelled, replace=True)
    state = sb.game("labelled_test").initial()
    assert [state.label(move) for move in state.legal_moves] == ["rock", "paper", "scissors"]
    assert state.play("paper").notation == state.play("1").notation == "1"
    with pytest.raises(sb.IllegalMove, match="legal moves: rock paper scissors"):
        state.parse("well")
    tictactoe = sb.game("tictactoe").initial()
    assert tictactoe.label(4) == tictactoe.text(4) == "b2"


def test_people_see_labels(cli):
    fen = "7k/5ppp/8/8/8/8/8/K3R3 w - - 0 1"
    assert "Re8#" in cli("analyse", "chess", *fen.split(), "--depth", "2").out
    state = sb.game("chess").state(fen)
    decision = sb.agent("alphabeta").choose(state, sb.Budget(depth=2))
    assert decision.text == "Re8#"
