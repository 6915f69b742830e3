"""ReversiXT: the games of the course's referee, disqualification, maps as files, and positions."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import spielbaum as sb
from helpers import DATA
from spielbaum.base.rng import Rng
from spielbaum.games.files import shipped_maps
from spielbaum.testing import check_game

FOLDER = DATA / "reversixt"
GAMES = [
    line.split("|")
    for line in (FOLDER / "games.txt").read_text().splitlines()
    if not line.startswith("#")
]


def spec_of(path: Path | str) -> str:
    return f"reversixt:map={path}"


def write_map(folder: Path, text: str) -> sb.Game:
    path = folder / "some.map"
    path.write_text(text)
    return sb.game(spec_of(path))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: Path(game[0]).stem)
def test_games_of_the_referee(game: list[str]) -> None:
    path, _, moves, stones = game
    rules = sb.game(spec_of(Path(path).stem))
    state = rules.initial()
    phases = [1]
    for entry in moves.split():
        player, kind, move = int(entry[0]) - 1, entry[1], entry[2:]
        assert state.outcome is None
        if kind == "!":
            if move[0].isdigit():  # it was refused
                assert state.to_move == player
                with pytest.raises(sb.IllegalMove):
                    state.play(move)
            state = state.disqualify(player)
            assert player in state.disqualified
        else:
            assert state.to_move == player
            state = state.play(move)
        if state.details["phase"][0] != phases[-1]:
            phases += state.details["phase"]
    assert phases in ([1], [1, 2])
    assert state.outcome is not None
    final = [
        "D" if player in state.disqualified else str(state.cells.count(player + 1))
        for player in range(rules.num_players)
    ]
    assert ",".join(final) == stones
    ranked = [
        (int(count), reward)
        for count, reward in zip(final, state.outcome.rewards, strict=True)
        if count != "D"
    ]
    assert [reward for _, reward in sorted(ranked)] == sorted(reward for _, reward in ranked)
    assert min(state.outcome.rewards) >= -1
    assert sum(state.outcome.rewards) == pytest.approx(0)


def test_there_is_a_game_on_every_map_of_the_course() -> None:
    assert {Path(game[0]).stem for game in GAMES} == set(shipped_maps()) - {"othello8x8"}


def test_perft_is_that_of_reversi_until_somebody_must_pass() -> None:
    reversi, game = sb.game("reversi").initial(), sb.game("reversixt").initial()
    counts = [sb.perft(game, depth) for depth in range(9)]
    assert counts == [sb.perft(reversi, depth) for depth in range(9)]


@pytest.mark.parametrize("name", ["map11", "map20", "map36", "map52"])
def test_laws_on_maps(name: str) -> None:
    assert check_game(spec_of(name), games=2) > 20


def test_a_skipped_player_is_no_move() -> None:
    check_game(spec_of("map47"), games=12, alternates=False)


# Positions


def random_state(rules: sb.Game, rng: Rng, plies: int) -> sb.State:
    state = rules.initial()
    for _ in range(plies):
        if state.outcome is not None:
            break
        state = state.play(state.legal_moves[rng.below(len(state.legal_moves))])
        if rng.below(20) == 0 and state.outcome is None:
            player = rng.below(rules.num_players)
            state = state if player in state.disqualified else state.disqualify(player)
    return state


@pytest.mark.parametrize("name", ["map3", "map19", "map23", "map52"])
def test_positions_with_disqualified_players_are_written_and_read(name: str) -> None:
    rules, rng = sb.game(spec_of(name)), Rng(5)
    for _ in range(10):
        state = random_state(rules, rng, rng.below(120))
        for twin in (rules.state(state.notation), pickle.loads(pickle.dumps(state))):
            assert twin == state
            assert twin.key == state.key
            assert twin.details == state.details
            assert twin.legal_moves == state.legal_moves


START = "00000000/00000000/00000000/00012000/00021000/00000000/00000000/00000000"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("5,5", "is not legal here"),
        ("2,4,1", "is not legal here"),
        ("nonsense", "has 1 fields"),
        (
            f"{START} 1 phase=1 last=2 overrides=0,0 bombs=0,0 out=1",
            "who is disqualified|one player",
        ),
        (f"{START} 1 phase=2 last=2 overrides=0,0 bombs=0,0 out=-", "who cannot move"),
        (f"{START} 1 phase=2 last=2 overrides=0,0 bombs=1,1 out=-", "'1' for bombs=.*from 0 to 0"),
        (f"{START} - phase=1 last=2 overrides=0,0 bombs=0,0 out=-", "not over"),
        (f"{START} 3 phase=1 last=2 overrides=0,0 bombs=0,0 out=-", "from 1 to 2"),
        (f"{START} 1 phase=1 last=2 overrides=0 bombs=0,0 out=-", "each of 2 players"),
        (f"{START} 1 phase=1 last=2 overrides=0,0 bombs=0,0 out=1,2", "no player left"),
        (f"{START[1:]} 1 phase=1 last=2 overrides=0,0 bombs=0,0 out=-", "7 cells in row 1"),
        (f"-{START[1:]} 1 phase=1 last=2 overrides=0,0 bombs=0,0 out=-", "'-' at 0,0"),
        (f"x{START[1:]} 1 phase=1 last=2 overrides=0,0 bombs=0,0 out=-", "'x' at 0,0"),
    ],
)
def test_wrong_positions(text: str, problem: str) -> None:
    with pytest.raises(sb.NotationError, match=problem) as caught:
        sb.game("reversixt").state(text)
    assert "\n" not in str(caught.value)


def test_disqualification() -> None:
    start = sb.game(spec_of("map1")).initial()
    state = start.play(start.legal_moves[0]).disqualify(2)
    assert state.to_move == 1  # not his turn
    assert state.previous is None
    assert 2 not in {state.play(move).to_move for move in state.legal_moves}
    with pytest.raises(sb.IllegalMove, match="out of the game already"):
        state.disqualify(2)
    with pytest.raises(sb.IllegalMove, match="players go from 0 to 3"):
        state.disqualify(4)
    end = state.disqualify(0).disqualify(3)
    assert end.outcome is not None
    assert end.outcome.winner == 1
    assert end.outcome.rewards == pytest.approx((-2 / 3 + 1 / 3, 1, -1 / 3, -1 / 3))
    with pytest.raises(sb.IllegalMove, match="the game is over"):
        end.disqualify(1)
    with pytest.raises(sb.IllegalMove, match="does not go on without a player"):
        sb.game("chess").initial().disqualify(0)


def test_bombing_begins_after_the_last_mover_also_if_the_next_is_disqualified(
    tmp_path: Path,
) -> None:
    # Player 2 cannot move at first, player 3 could; when he is out, player 2 has the first bomb.
    rules = write_map(tmp_path, "3\n0\n1 0\n1 9\n0 2 1 - 2 - 3 1 0\n")
    state = rules.initial()
    assert state.text(state.legal_moves[0]) == "0,0"
    state = state.play("0,0")
    assert (state.to_move, state.details["phase"]) == (2, (1,))
    state = state.disqualify(2)
    assert (state.to_move, state.details["phase"]) == (1, (2,))


def test_rewards_by_stones(tmp_path: Path) -> None:
    text = "3\n0\n0 0\n1 6\n0 2 1 - 2 3\n"
    assert write_map(tmp_path, text).initial().play("0,0").outcome == sb.Outcome(
        (1.0, 0.0 - 0.5, -0.5), 0, "no moves left"
    )
    shares = sb.game("reversixt", map=str(tmp_path / "some.map"), rewards="stones")
    outcome = shares.initial().play("0,0").outcome
    assert outcome is not None
    assert outcome.rewards == pytest.approx(((3 * 3 / 5 - 1) / 2, (3 / 5 - 1) / 2, (3 / 5 - 1) / 2))


# Corner cases of the rules


def board(state: sb.State) -> str:
    face = "012345678x-bci"
    return "".join(face[content] for content in state.cells)


def test_choice_of_oneself_and_of_another(tmp_path: Path) -> None:
    start = write_map(tmp_path, "2\n1\n2 0\n1 4\nc 2 1 2\n").initial()
    assert [start.text(move) for move in start.legal_moves[:2]] == ["0,0,1", "0,0,2"]
    assert board(start.play("0,0,1")) == "1112"
    swapped = start.play("0,0,2")
    assert board(swapped) == "2221"
    assert swapped.details["overrides"] == (1, 1)
    with pytest.raises(sb.IllegalMove):
        start.play("0,0")
    with pytest.raises(sb.IllegalMove):
        start.play("0,0,3")


def test_inversion_gives_stones_to_the_next_player(tmp_path: Path) -> None:
    start = write_map(tmp_path, "3\n0\n0 0\n1 6\ni 2 1 - 2 3\n").initial()
    assert board(start.play("0,0")) == "222-31"


def test_bonus_and_override(tmp_path: Path) -> None:
    start = write_map(tmp_path, "2\n1\n0 0\n1 5\nb 2 2 1 x\n").initial()
    assert {start.text(move) for move in start.legal_moves} == {"0,0,20", "0,0,21", "1,0", "4,0"}
    assert start.play("0,0,20").details["bombs"] == (1, 0)
    assert start.play("0,0,21").details["overrides"] == (2, 1)
    assert board(start.play("1,0")) == "b111x"
    expanded = start.play("4,0")
    assert board(expanded) == "b2211"
    assert expanded.details["overrides"] == (0, 1)


def test_a_line_that_returns_to_its_target_fails(tmp_path: Path) -> None:
    # A ring of four cells with one own stone: overriding it would come back to it.
    ring = "2\n1\n0 0\n1 4\n1 2 2 2\n0 0 6 <-> 3 0 2\n"
    start = write_map(tmp_path, ring).initial()
    assert [start.text(move) for move in start.legal_moves] == ["1,0", "2,0", "3,0"]
    assert board(start.play("1,0")) == "1111"
    mirror = "2\n1\n0 0\n1 3\n1 2 2\n2 0 2 <-> 2 0 2\n"
    start = write_map(tmp_path, mirror).initial()
    assert [start.text(move) for move in start.legal_moves] == ["2,0"]


def test_expansion_stones_inside_a_line_are_taken_free(tmp_path: Path) -> None:
    start = write_map(tmp_path, "2\n0\n0 0\n1 5\n0 x 2 1 x\n").initial()
    assert [start.text(move) for move in start.legal_moves] == ["0,0"]
    assert board(start.play("0,0")) == "1111x"


def test_bombs_pass_transitions_and_not_holes(tmp_path: Path) -> None:
    ring = "2\n0\n2 1\n1 7\n1 - 2 2 2 - 0\n0 0 6 <-> 6 0 2\n"
    start = write_map(tmp_path, ring).initial()
    assert start.details["phase"] == (2,)
    assert board(start.play("0,0")) == "--222--"
    assert board(start.play("3,0,99")) == "1-----0"
    end = start.play("0,0").play("3,0")
    assert end.outcome is not None
    assert end.outcome.reason == "no cells left"


# Map files


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1, column 1: the map ends, expected the number of players, from 2 to 8"),
        ("9", "line 1, column 1: '9', expected the number of players, from 2 to 8"),
        ("2\r\n0\r\n0 0\r\n1  51", "line 4, column 4: '51', expected the width, from 1 to 50"),
        ("2\n0\n0 0\n2 2\n0 1\n3 0", "line 6, column 1: '3', expected cell 1 of row 2: 0 to 2"),
        ("2 0 0 0 1 1", "line 1, column 12: the map ends, expected cell 1 of row 1"),
        ("2\n0\n0 0\n1 2\n1 0\n0 0 8 <-> 1 0 2", "line 6, column 5: '8', expected the direction"),
        ("2\n0\n0 0\n1 2\n1 0\n0 0 6 -> 1 0 2", "line 6, column 7: '->', expected <->"),
        ("2\n0\n0 0\n1 2\n1 0\n0 0 6 <-> 1 1 2", "line 6, column 13: '1', expected the row"),
        (
            "2\n0\n0 0\n1 2\n1 0\n0 0 6 <-> 1 0 2\n0 0 6 <-> 1 0 3",
            "line 7, column 15: '3', expected another transition: cell 0,0 has one in direction 6",
        ),
    ],
)
def test_wrong_maps_are_refused_with_line_and_column(
    tmp_path: Path, text: str, problem: str
) -> None:
    with pytest.raises(sb.SpecError) as caught:
        write_map(tmp_path, text)
    assert problem in str(caught.value)
    assert str(caught.value).startswith(f"game reversixt with map={tmp_path}")


def test_a_transition_may_be_written_from_both_ends(tmp_path: Path) -> None:
    text = "2\n1\n0 0\n1 4\n1 2 2 2\n0 0 6 <-> 3 0 2\n"
    once, twice = write_map(tmp_path, text), write_map(tmp_path, text + "3 0 2 <-> 0 0 6\n")
    assert once.initial().legal_moves == twice.initial().legal_moves


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(sb.SpecError, match="expected a file, or a name"):
        sb.game(spec_of(tmp_path / "missing.map"))
    with pytest.raises(sb.SpecError, match="expected a file, or a name"):
        sb.game(spec_of(tmp_path))
    large = tmp_path / "large.map"
    large.write_bytes(b" " * 1_000_001)
    with pytest.raises(sb.SpecError, match="at most 1,000,000 bytes"):
        sb.game(spec_of(large))
    binary = tmp_path / "binary.map"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(sb.SpecError, match="line 1, column 1"):
        sb.game(spec_of(binary))


def test_a_changed_file_makes_another_game(tmp_path: Path) -> None:
    first = write_map(tmp_path, "2\n0\n0 0\n1 3\n1 2 0\n")
    second = write_map(tmp_path, "2\n0\n0 0\n1 4\n1 2 0 0\n")
    assert str(first) == str(second)
    assert first != second
    assert (first.num_actions, second.num_actions) == (3, 4)


def test_small_maps_of_the_course_are_read() -> None:
    names = sorted(path.name for path in (FOLDER / "maps").glob("*.map"))
    assert len(names) == 5
    for name in names:
        state = random_state(sb.game(spec_of(FOLDER / "maps" / name)), Rng(1), 1000)
        assert state.outcome is not None
