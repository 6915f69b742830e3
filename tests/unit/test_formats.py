"""Files of games: round trips of every format, what others write, and rubbish."""

import io
import json
import random

import chess.pgn
import pytest

import spielbaum as sb
from commands import assert_one_clear_line
from helpers import check_message
from spielbaum.arena.executor import Here
from spielbaum.arena.export import export, to_tree
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.runner import run_plan
from spielbaum.games.formats import ggf, pgn, sgf, wthor
from spielbaum.games.formats.book import MoveBook
from spielbaum.games.records import GameTree, first_plies, formats, read_records
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings

FORMATS = {
    "reversi": ["pgn", "sgf", "ggf", "wthor", "transcript"],
    "reversi:size=6": ["pgn", "sgf", "ggf"],
    "connect4": ["pgn", "sgf", "pons"],
    "connect4:rows=5,columns=9": ["pgn", "sgf"],
    "tictactoe": ["pgn", "sgf"],
    "hex:size=5,swap=on": ["pgn", "sgf"],
    "yavalath:players=3": ["pgn", "sgf"],
    "reversixt:map=map4": ["pgn", "sgf"],
    "chess": ["pgn", "sgf"],
}
CASES = [(spec, form) for spec, known in FORMATS.items() for form in known]
WITH_NAMES = ("pgn", "sgf", "ggf")


def random_tree(spec, seed, variations=False):
    """A random game, with comments, glyphs and variations if they are wanted."""
    rng = random.Random(seed)
    tree = GameTree(
        sb.game(spec).initial(), [f"Ann {i} [\\x]" for i in range(sb.game(spec).num_players)]
    )
    state, node = tree.start, tree.root
    while state.outcome is None and len(tree.moves()) < 90:
        move = rng.choice(state.legal_moves)
        child = node.add(move)
        if variations and rng.random() < 0.2:
            child.comment = rng.choice(["good", "a {brace", "x ; y [z] \\", "é ß (1. e4)", "100%"])
            child.nags = sorted(rng.sample([1, 2, 3, 5, 6], rng.randrange(3)))
        if variations and rng.random() < 0.15:
            vary(node, state, move, rng, depth=0)
        node, state = child, state.play(move)
    tree.rewards = None if state.outcome is None else state.outcome.rewards
    return tree


def vary(node, state, played, rng, depth):
    others = [move for move in state.legal_moves if move != played]
    if not others:
        return
    first = True
    for _ in range(rng.randrange(1, 5)):
        if state.outcome is not None:
            return
        move = rng.choice(others if first else state.legal_moves)
        child = node.add(move)
        if first and rng.random() < 0.5 and depth == 0:
            child.comment = "or"
        if depth < 3 and rng.random() < 0.3 and not first:
            vary(node, state, move, rng, depth + 1)
        node, state, first = child, state.play(move), False


def written(trees, form):
    return b"".join(formats()[form].write(trees))


def read(data, form, rules=None):
    return list(formats()[form].read(io.BytesIO(data), rules))


@pytest.mark.parametrize(("spec", "form"), CASES)
def test_round_trips(spec, form):
    trees = [random_tree(spec, seed) for seed in range(3)]
    data = written(trees, form)
    found = read(data, form, None if form in WITH_NAMES else sb.game(spec))
    for tree, again in zip(trees, found, strict=True):
        assert again.errors == []
        assert (again.start, again.moves(), again.rewards) == (
            tree.start,
            tree.moves(),
            tree.rewards,
        )
        assert form not in WITH_NAMES or again.players == tree.players
    assert form == "wthor" or written(found, form) == data


@pytest.mark.parametrize(("spec", "form"), [(spec, f) for spec, f in CASES if f in ("pgn", "sgf")])
def test_round_trips_of_trees(spec, form):
    for seed in range(3):
        tree = random_tree(spec, seed, variations=True)
        tree.root.comment = "before the first move"
        [again] = read(written([tree], form), form)
        assert again.errors == []
        assert again == tree


def test_positions_are_kept(tmp_path):
    for spec, text in {
        "chess": "8/8/8/8/k2pP3/8/8/4K3 b - e3 7 41",
        "reversi": "-" * 27 + "OXX-----XO--------------------------- O".replace("XO-", "XO-", 1),
    }.items():
        start = sb.game(spec).state(text) if spec == "chess" else sb.game(spec).initial().play("f5")
        start = sb.game(spec).state(start.notation)
        tree = GameTree.of_moves(start, [start.legal_moves[0]])
        for form in ("pgn", "sgf", *(["ggf"] if spec == "reversi" else [])):
            [again] = read(written([tree], form), form)
            assert (again.start.notation, again.moves()) == (start.notation, tree.moves()), form
    start = sb.game("chess").state(chess.Board.from_chess960_pos(1).fen())
    text = written([GameTree(start)], "pgn").decode()
    assert '[Variant "Chess960"]' in text
    assert read(text.encode(), "pgn")[0].start == start


# ---- PGN ----
def test_python_chess_reads_what_we_write_and_we_what_it_writes():
    for seed in range(4):
        tree = random_tree("chess", seed, variations=True)
        theirs = chess.pgn.read_game(io.StringIO(written([tree], "pgn").decode()))
        assert theirs.errors == []
        texts, state = [], tree.start
        for move in tree.moves():
            texts.append(state.text(move))
            state = state.play(move)
        assert [move.uci() for move in theirs.mainline_moves()] == texts
        [again] = read(str(theirs).encode(), "pgn")
        assert again.errors == []
        assert (again.root, again.rewards) == (tree.root, tree.rewards)


WILD = """\ufeff% a line for programs
[Event "A \\"quoted\\" name"]
[White "M\u00fcller"]
[Black "?"]
[Result "1-0"]
[Annotator "x"]

{Before} 1.e4! {one
two} e5?? (1...c5 {Sicilian} 2.Nf3 (2. c3 $1 d5) 2... d6) ; to the end
% escaped 9. Zz9
2 Nf3 $3 Nc6 $146 ( {said first} 2... d6 ) 3. Bb5 <reserved> a6
4. O-O 1-0 [not a tag]
1. d4 d5 *

[Event "no moves"]
[Result "1/2-1/2"]

1/2-1/2
"""


def test_what_people_write():
    first, second, third = read(WILD.encode(), "pgn")[:3]
    assert first.errors == []
    assert first.players == ["Müller", "?"]
    assert first.tags == {"Event": 'A "quoted" name', "Annotator": "x"}
    state, labels = first.start, []
    for node in first.main_line():
        labels.append(state.label(node.move))
        state = state.play(node.move)
    assert labels == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"]
    e4, e5, nf3, nc6, *_ = first.main_line()
    assert first.root.comment == "Before"
    assert (e4.nags, e4.comment, e5.nags, nf3.nags, nc6.nags) == ([1], "one two", [4], [3], [146])
    assert e5.comment == "to the end"
    assert [len(node.children) for node in (e4, e4.children[1], nf3)] == [2, 2, 2]
    assert nf3.children[1].before == "said first"
    assert second.errors  # "[not a tag]" after a result begins a game of its own
    assert third.moves() == [] or third.errors == []
    latin = WILD.replace("\ufeff", "").encode("latin-1")
    assert read(latin, "pgn")[0].players == ["Müller", "?"]


@pytest.mark.parametrize(
    ("text", "moves", "problem"),
    [
        ("1. e4 e5 2. Ke3 Nc6 *", 2, "move 'Ke3' is not legal here"),
        ("1. e4 e5 2. ( Nf3 ) *", 2, ""),
        ("( 1. e4 ) 1. d4 *", 1, "a variation begins before any move"),
        ("1. e4 } e5 *", 1, "'}' makes no sense there"),
        ("1. e4 " + "(" * 5000 + " e5 " + ")" * 5000 + " e5 *", 2, ""),
        ("1. e4 {never closed", 1, ""),
        ("1. e4 -- 2. d4 *", 1, "move '--' is not legal here"),
        ('[Variant "atomic"]\n\n1. e4 *', 0, "variant 'atomic': there is no game 'atomic'"),
        ('[FEN "nonsense"]\n\n1. e4 *', 0, "FEN 'nonsense' has 1 field"),
    ],
)
def test_bad_pgn_ends_where_it_is_bad(text, moves, problem):
    [tree] = read(text.encode(), "pgn")
    assert len(tree.moves()) == moves
    assert problem in "".join(tree.errors)
    assert bool(problem) == bool(tree.errors) or moves == 2


def test_texts_that_pgn_cannot_hold_are_refused():
    class Spaced(sb.PythonGame):
        name, num_actions = "spaced_test", 1
        initial = staticmethod(tuple)
        to_move = staticmethod(lambda state: 0)
        legal_moves = staticmethod(lambda state: [0])
        play = staticmethod(lambda state, action: (0,))
        outcome = staticmethod(lambda state: sb.Outcome.win(0) if state else None)
        key = staticmethod(bytes)
        text = staticmethod(lambda state, action: "a (b")

    sb.register_game(Spaced, replace=True)
    tree = GameTree.of_moves(sb.game("spaced_test").initial(), [0])
    with pytest.raises(sb.SpecError, match="the move 'a \\(b' of spaced_test cannot be written"):
        written([tree], "pgn")
    assert read(written([tree], "sgf"), "sgf")[0].moves() == [0]


# ---- Othello ----
RECORD = bytes.fromhex(
    # 18 November 2026, one game, no names, games of 2026, a board of 8
    "141a0b12 01000000 0000 ea07 08 00 00 00"
    # tournament 7, black 258, white 3, 64 discs for black, 40 in theory
    "0700 0201 0300 40 28"
    # e6 f4 e3 f6 g5 d6 e7 f5 c5: after nine moves white has no disc left
    "41 2e 23 42 39 40 4b 38 35" + "00" * 51
)


def test_one_record_of_wthor_written_by_hand():
    [tree] = read(RECORD, "wthor")
    assert tree.errors == []
    state, texts = tree.start, []
    for move in tree.moves():
        texts.append(state.text(move))
        state = state.play(move)
    assert " ".join(texts) == "e6 f4 e3 f6 g5 d6 e7 f5 c5"
    assert state.outcome is not None
    assert state.cells.count(2) == 0
    assert tree.rewards == state.outcome.rewards == (1.0, -1.0)
    assert tree.players == ["#258", "#3"]
    assert tree.tags == {"Event": "#7", "Date": "2026.??.??", "Theoretical": "40"}
    again = written([tree], "wthor")
    assert again[4:] == RECORD[4:]


def arena_games(count):
    """Games of random against random, as the arena plays them."""
    entrants = (Entrant("random", Limits()), Entrant("random:seed=1", Limits()))
    plan = Plan("reversi", entrants, games=count, openings=Openings.parse("random:2"))
    return [record for batch in [run_plan(plan, Here())] for record in batch]


def test_games_of_the_arena_as_wthor():
    records = arena_games(40)
    data = b"".join(export(records, "wthor"))
    assert len(data) == 16 + 68 * 40
    trees = [to_tree(record) for record in records]
    for tree, again in zip(trees, read(data, "wthor"), strict=True):
        assert (again.moves(), again.rewards, again.errors) == (tree.moves(), tree.rewards, [])
    assert any(64 in tree.moves() for tree in trees)  # passes, which the file does not have


def test_ggf_of_the_server():
    text = (
        "3 (;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]RB[2197.01]"
        "RW[2199.72]TI[05:00//02:00]TY[8]RE[-4.000:t]BO[8 -------- -------- -------- ---O*--- "
        "---*O--- -------- -------- -------- *]B[d3//0.01]W[C3/-0.50]B[c4/1.25/7]W[e3];)"
    )
    [tree] = read(text.encode(), "ggf")
    assert tree.errors == []
    assert tree.players == ["Saio1200", "Saio3000"]
    assert tree.rewards == (-1.0, 1.0)
    assert tree.tags["Termination"] == "time"
    facts = [node.facts for node in tree.main_line()]
    assert facts == [
        {"seconds": "0.01"},
        {"evaluation": "-0.50"},
        {"evaluation": "1.25", "seconds": "7"},
        {},
    ]
    again = ggf.parse(ggf.text_of(tree))
    assert (again.root, again.players, again.tags) == (tree.root, tree.players, tree.tags)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(;GM[Go]B[aa];)", "game 'Go': expected Othello"),
        ("(;GM[Othello]BO[8 ---- *];)", "expected a size, its cells and a side"),
        ("(;GM[Othello]TY[99];)", "option size=99"),
        ("(;GM[Othello]B[a1];)", "move 'a1' is not legal here"),
        ("(;GM[Othello]BO[9999999999 - *];)", "expected a size"),
    ],
)
def test_bad_ggf(text, problem):
    [tree] = read(text.encode(), "ggf")
    assert problem in tree.errors[0]
    assert tree.moves() == []


@pytest.mark.parametrize(
    ("form", "data", "problem"),
    [
        ("ggf", b"nothing", "there is no game of GGF"),
        (
            "ggf",
            b"(;GM[Othello",
            "character 13: the property GM has no value|is not closed|has no value",
        ),
        ("sgf", b"", "there is no tree of SGF"),
        ("sgf", b"(;B[d3]", "is not closed"),
        ("sgf", b"(;B[d3]))x(;!", "expected a node or a bracket"),
        ("wthor", b"short", "it has 5 bytes"),
        ("wthor", RECORD[:-1], "its header has 1 games, which are 84 bytes; it has 83"),
        ("wthor", RECORD[:12] + b"\x0a" + RECORD[13:], "board size 10"),
    ],
)
def test_files_of_another_kind(form, data, problem):
    with pytest.raises(sb.NotationError, match=problem) as caught:
        read(data, form)
    check_message(caught.value)


def test_sgf_of_others():
    text = "(;FF[4]GM[2]SZ[8]PB[a\\]b];B[fe]C[two\nlines](;W[ff];B[ee])(;W[df]TE[2]))"
    [tree] = read(text.encode(), "sgf")
    assert len(tree.errors) == 1  # e5 is taken
    assert tree.players == ["a]b", "?"]
    [f5] = tree.root.children
    assert f5.comment == "two lines"
    assert [tree.start.play(f5.move).text(each.move) for each in f5.children] == ["f6", "d6"]
    assert f5.children[1].nags == [3]
    [hexed] = read(b"(;FF[4]GM[11]SZ[5];B[a3];W[swap-pieces];B[C3])", "sgf")
    assert (hexed.errors, str(hexed.game)) == ([], "hex:size=5,swap=on")
    deep = "(;GM[2]" + "(;" * 4000 + "B[f5]" + ")" * 4001
    assert len(read(deep.encode(), "sgf")) == 1


def test_transcripts_and_pons(tmp_path):
    [game] = read(b"F5d6 C3d3c4 # a comment\n\n", "transcript")
    assert (len(game.moves()), game.errors) == (5, [])
    [bad] = read(b"f5z9\n", "transcript")
    assert bad.errors == ["transcript 'z9': expected cells, as f5d6c3"]
    one, two = read(b"4453 -2\n8\n", "pons")
    assert (one.end().notation, one.tags) == ("4453", {"Score": "-2"})
    assert "move '8' is not legal" in two.errors[0]
    with pytest.raises(sb.SpecError, match="format pons holds games of connect4, not of chess"):
        written([GameTree(sb.game("chess").initial())], "pons")


# ---- rubbish ----
PIECES = [
    "(",
    ")",
    ";",
    "[",
    "]",
    "{",
    "}",
    "\\",
    "1.",
    "e4",
    "f5",
    "B[",
    "W[d6]",
    "$1",
    "\n",
    "%",
    '[A "b"]',
    "1-0",
    " ",
    "é",
    "\x00",
    "BO[8 ",
    "GM[2]",
]


@pytest.mark.parametrize("form", ["pgn", "sgf", "ggf", "transcript", "pons", "wthor"])
def test_rubbish_is_read_or_refused_with_a_sentence(form):
    rng = random.Random(form)
    seeds = {"pgn": "chess", "pons": "connect4"}
    whole = written([random_tree(seeds.get(form, "reversi"), 1)] * 2, form)
    for number in range(300):
        if number % 2:
            data = bytearray(whole)
            for _ in range(rng.randrange(1, 8)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            data = bytes(data)
        else:
            data = "".join(rng.choices(PIECES, k=rng.randrange(40))).encode()
        try:
            trees = read(data, form)
        except sb.NotationError as error:
            check_message(error)
            continue
        for tree in trees:
            for problem in tree.errors:
                check_message(ValueError(problem))
        if form in ("transcript", "pons"):  # in which a game without a move leaves no trace
            trees = [tree for tree in trees if tree.root.children]
        again = read(written(trees, form), form) if trees else []
        assert [tree.moves() for tree in again] == [tree.moves() for tree in trees], data


# ---- the command, openings and books ----
def test_convert(cli, tmp_path):
    games = tmp_path / "games.wtb"
    games.write_bytes(b"".join(export(arena_games(6), "wthor")))
    for name in ("a.pgn", "a.sgf", "a.ggf", "a.txt", "b.wtb"):
        ran = cli("convert", str(games), str(tmp_path / name))
        assert f"{name}: 6 games, " in ran.out
        found = [tree.moves() for tree in read_records(tmp_path / name)]
        assert found == [tree.moves() for tree in read_records(games)]
    cli("convert", str(games), str(tmp_path / "cut.txt"), "--plies", "3")
    assert {len(tree.moves()) for tree in read_records(tmp_path / "cut.txt")} == {3}
    (tmp_path / "bad.txt").write_text("f5d6\nf5z9\n")
    assert "1 of them end early" in cli("convert", str(tmp_path / "bad.txt"), str(games)).err
    for given, problem in {
        ("none.pgn", "a.sgf"): "No such file",
        ("a.doc", "a.sgf"): "expected an ending of",
        ("a.pgn", "a.pons"): "format pons holds games of connect4, not of reversi",
        ("a.pgn", "a.sgf", "--to", "xyz"): "format 'xyz': expected book, ggf",
        ("book.json", "a.sgf"): "can be written only",
    }.items():
        paths = [str(tmp_path / each) for each in given[:2]]
        assert_one_clear_line(cli("convert", *paths, *given[2:]), problem)


def test_books_of_moves(cli, tmp_path):
    (tmp_path / "a.pons").write_text("4453\n44\n45\n1\n")
    cli("convert", str(tmp_path / "a.pons"), str(tmp_path / "book.json"))
    book = MoveBook(tmp_path / "book.json")
    start = sb.game("connect4").initial()
    assert list(book.moves(start).items()) == [(3, (3, 1.5)), (0, (1, 0.5))]
    assert book.moves(start.play(3)) == {3: (2, 1.0), 4: (1, 0.5)}
    assert book.moves(start.play(6)) == {}
    agent = sb.agent(f"book:{tmp_path / 'book.json'},fallback=random")
    decision = agent.choose(start)
    assert (decision.move, decision.value, decision.stats["source"]) == (3, 0.0, "book")
    assert agent.choose(start.play(6)).stats["source"] == "random"
    drawn = sb.agent(f"book:{tmp_path / 'book.json'},play=drawn,fallback=random")
    assert {drawn.choose(start).move for _ in range(60)} == {0, 3}
    often = sb.agent(f"book:{tmp_path / 'book.json'},play=drawn,games=2,fallback=random")
    assert {often.choose(start).move for _ in range(30)} == {3}
    with pytest.raises(ValueError, match="the book is for connect4, not for chess"):
        agent.choose(sb.game("chess").initial())
    told = json.loads((tmp_path / "book.json").read_text())
    (tmp_path / "bad.json").write_text(json.dumps({**told, "positions": {"a": {"b": 1}}}))
    with pytest.raises(ValueError, match="it is not a book of moves, or damaged"):
        MoveBook(tmp_path / "bad.json")


def test_openings_of_files(tmp_path):
    path = tmp_path / "openings.pgn"
    path.write_bytes(b"1. e4 e5 2. Nf3 *\n\n1. d4 *\n\n1. e4 e5 2. Nf3 *\n")
    rules = sb.game("chess")
    for rule in (f"file:{path}", str(path)):
        drawn = Openings.parse(rule).draw(rules, 3, seed=1)
        assert [each.moves for each in drawn] == [
            ("e2e4", "e7e5", "g1f3"),
            ("d2d4",),
            ("e2e4", "e7e5", "g1f3"),
        ]
    short = Openings.parse(f"{path}@1")
    assert short.text == f"file:{path}@1"
    assert Openings.parse(short.text) == short
    assert {each.moves for each in short.draw(rules, 2, seed=1)} == {("e2e4",), ("d2d4",)}
    path.write_bytes(b"1. f3 e5 2. g4 Qh4# 0-1\n")
    with pytest.raises(sb.SpecError, match=r"game 1: it is over there; .*@8 takes the first eight"):
        Openings.parse(str(path)).draw(rules, 1, seed=1)
    path.write_bytes(b"1. f3 e9\n")
    with pytest.raises(sb.SpecError, match="game 1: move 'e9' is not legal"):
        Openings.parse(str(path)).draw(rules, 1, seed=1)
    with pytest.raises(sb.SpecError, match=r"it is a game of chess, not of reversi|is not legal"):
        Openings.parse(str(path)).draw(sb.game("reversi"), 1, seed=1)


def test_records_can_be_cut():
    tree = random_tree("chess", 1, variations=True)
    assert first_plies(tree, 10**6) == tree
    assert first_plies(tree, 2).moves() == tree.moves()[:2]
    assert (pgn.FORMAT.read, sgf.FORMAT.read, wthor.FORMAT.read) == (pgn.read, sgf.read, wthor.read)
