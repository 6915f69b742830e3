"""Searches for more than two players give what the plain definitions give."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

import spielbaum as sb

MODES = ("paranoid", "maxn", "brs", "brs+")
PLAIN = "pruning=off,tt=off,ordering=off,iterative=off"
NEVER = 0.975
"""The value of an end that is not proven is at least this far from 0."""

# Three players on 4 x 4 cells with a transition, a choice, an inversion and a bonus cell.
SMALL = """3
1
0 0
4 4
c 0 0 0
0 1 2 b
0 3 1 0
0 2 3 i
0 0 7 <-> 3 3 3
"""


def small_map(folder: Path, text: str = SMALL) -> sb.Game:
    path = folder / "small.map"
    path.write_text(text)
    return sb.game(f"reversixt:map={path}")


def late_positions(game: sb.Game, count: int, most_moves: int, seed: int) -> Iterator[sb.State]:
    """Unfinished positions of random games a few plies before their ends."""
    choice = random.Random(seed)
    while count > 0:
        states = [game.initial()]
        while states[-1].outcome is None:
            states.append(states[-1].play(choice.choice(states[-1].legal_moves)))
        state = states[max(len(states) - 5, 0)]
        if state.outcome is None and len(state.legal_moves) <= most_moves:
            count -= 1
            yield state


def handed(state: sb.State, player: int) -> sb.State | None:
    """The position with another player to move, if he can."""
    try:
        return state.game.state(position(state, player))
    except sb.NotationError:
        return None


def position(state: sb.State, player: int) -> str:
    """The notation of a position of ReversiXT as a board with a player to move."""
    rows, columns = state.game.plane_shape()[1:]
    symbols = "012345678x-bci"
    cells = [symbols[cell] for cell in state.cells]
    board = "/".join("".join(cells[row * columns : (row + 1) * columns]) for row in range(rows))
    details = state.details

    def numbers(name: str) -> str:
        return ",".join(str(number) for number in details[name])

    return (
        f"{board} {player + 1} phase={details['phase'][0]} last=1 "
        f"overrides={numbers('overrides')} bombs={numbers('bombs')} out=-"
    )


def maxn(state: sb.State, depth: int, ply: int = 0) -> list[float]:
    if state.outcome is not None:
        return [reward * (1 - ply / 10_000) for reward in state.outcome.rewards]
    if depth == 0:
        return [0.0] * state.num_players
    values = [maxn(state.play(move), depth - 1, ply + 1) for move in state.legal_moves]
    best = max(round(value[state.to_move], 9) for value in values)
    return next(value for value in values if round(value[state.to_move], 9) == best)


def paranoid(state: sb.State, depth: int, me: int) -> float:
    if state.outcome is not None:
        return state.outcome.rewards[me]
    if depth == 0:
        return 0.0
    best = max if state.to_move == me else min
    return best(paranoid(state.play(move), depth - 1, me) for move in state.legal_moves)


def best_reply(state: sb.State, depth: int, me: int) -> float:
    if state.outcome is not None:
        return state.outcome.rewards[me]
    if depth == 0:
        return 0.0
    if state.to_move == me:
        return max(best_reply(state.play(move), depth - 1, me) for move in state.legal_moves)
    values = []
    for player in range(state.num_players):
        turn = None if player == me else state if player == state.to_move else handed(state, player)
        if turn is None:
            continue
        for move in turn.legal_moves:
            after = turn.play(move)
            if after.outcome is None and after.to_move != me:
                after = handed(after, me) or after
            values.append(best_reply(after, depth - 1, me))
    return min(values)


def expected(mode: str, state: sb.State, depth: int) -> float:
    me = state.to_move
    if mode == "maxn":
        return maxn(state, depth)[me]
    return (paranoid if mode == "paranoid" else best_reply)(state, depth, me)


def value(spec: str, state: sb.State, depth: int) -> float:
    found = sb.agent(spec).choose(state, sb.Budget(depth=depth)).value
    assert found is not None
    return found


@pytest.mark.parametrize("mode", ["paranoid", "maxn", "brs"])
def test_values_are_those_of_the_definitions(mode: str, tmp_path: Path) -> None:
    game = small_map(tmp_path)
    seen = set()
    for state in late_positions(game, 12, 9, 1):
        for depth in (1, 2, 3, 4):
            wanted = expected(mode, state, depth)
            found = value(f"alphabeta:multi={mode},eval=none", state, depth)
            assert found == pytest.approx(wanted, abs=0.015), (state.notation, depth)
            seen.add(round(wanted, 2))
    assert len(seen) > 2


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["reversixt", "yavalath"])
def test_nothing_that_saves_work_changes_the_value(mode: str, kind: str, tmp_path: Path) -> None:
    game = small_map(tmp_path) if kind == "reversixt" else sb.game("yavalath:players=3")
    depth = 4 if kind == "reversixt" else 2
    choice = random.Random(5)
    compared = 0
    while compared < 6:
        state = game.initial()
        for _ in range(choice.randrange(6, 20)):
            if state.outcome is None:
                state = state.play(choice.choice(state.legal_moves))
        if state.outcome is not None or len(state.legal_moves) < 2:
            continue
        compared += 1
        wanted = value(f"alphabeta:multi={mode},{PLAIN}", state, depth)
        for switches in (
            "",
            ",tt=off",
            ",ordering=off",
            ",windows=off,cutoffs=off",
            ",pruning=off",
        ):
            found = value(f"alphabeta:multi={mode},iterative=off{switches}", state, depth)
            assert found == wanted, (state.notation, switches)


def test_pruning_saves_nodes() -> None:
    state = sb.game("yavalath:players=3").state("e5 e6 d4 c3 c4 f5")
    for mode in MODES:
        nodes = [
            int(sb.agent(spec).choose(state, sb.Budget(depth=3)).stats["nodes"])
            for spec in (
                f"alphabeta:multi={mode},tt=off",
                f"alphabeta:multi={mode},tt=off,pruning=off",
            )
        ]
        assert nodes[0] < nodes[1], mode


@pytest.mark.parametrize("mode", MODES)
def test_three_players_see_wins_and_threats(mode: str) -> None:
    # The first player has three of four in a row and is to move: he wins at once.
    board = "...../....../......./......../...xx.x../......../......./o.o.o./z.z.z x"
    state = sb.game("yavalath:players=3").state(board)
    decision = sb.agent(f"alphabeta:multi={mode}").choose(state, sb.Budget(depth=3))
    assert state.text(decision.move) == "e6"
    assert decision.value is not None
    assert decision.value > NEVER
    proven = {move.proven for move in decision.moves if move.move == decision.move}
    assert proven == ({1.0} if mode == "paranoid" else {None})


BOMBS = """{players}
0
1 1
5 9
1 1 1 0 0 0 2 2 2
1 1 1 0 0 0 2 2 2
1 1 1 0 0 0 2 2 2
0 0 0 0 0 0 0 0 0
{last}
"""


@pytest.mark.parametrize("mode", MODES)
def test_the_best_bomb_of_two(mode: str, tmp_path: Path) -> None:
    """One bomb takes nine stones if it falls in the middle of them."""
    game = small_map(tmp_path, BOMBS.format(players=2, last="0 0 0 0 0 0 0 0 0"))
    state = game.initial()
    assert state.details["phase"] == (2,)
    for depth in (1, 2):
        decision = sb.agent(f"alphabeta:multi={mode}").choose(state, sb.Budget(depth=depth))
        assert state.text(decision.move) == "7,1"


@pytest.mark.parametrize("mode", MODES)
def test_the_best_bomb_of_three(mode: str, tmp_path: Path) -> None:
    """The third player has one stone and the only bomb: he overtakes one of the others."""
    game = small_map(tmp_path, BOMBS.format(players=3, last="0 0 0 0 3 0 0 0 0"))
    fields = position(game.initial(), 2).split(" ")
    fields[1:] = ["3", "phase=2", "last=2", "overrides=0,0,0", "bombs=0,0,1", "out=-"]
    state = game.state(" ".join(fields))
    agent = sb.agent(f"alphabeta:multi={mode}")
    after = state.play(agent.choose(state, sb.Budget(depth=2)).move)
    stones = sorted(after.cells.count(player + 1) for player in range(3))
    assert stones == [0, 1, 9]


@pytest.mark.parametrize("mode", ["paranoid", "maxn"])
def test_bombs_to_the_end(mode: str, tmp_path: Path) -> None:
    """Where all bombs can be thrown in thought, the search throws the one that minimax does."""
    choice, best_is_rare = random.Random(8), 0
    for _ in range(12):
        cells = [choice.choice("1230") for _ in range(7)]
        # Holes between the cells: nobody can put a stone, and transitions carry the blast.
        row = " - ".join(cells)
        joined = "\n".join(f"{2 * i} 0 2 <-> {2 * i + 2} 0 6" for i in choice.sample(range(6), 2))
        folder = tmp_path / "".join(cells)
        folder.mkdir(exist_ok=True)
        state = small_map(folder, f"3\n0\n1 1\n1 13\n{row}\n{joined}\n").initial()
        if state.details["phase"] != (2,):
            continue
        me = state.to_move
        values = {
            move: maxn(after, 2, 1)[me] if mode == "maxn" else paranoid(after, 2, me)
            for move in state.legal_moves
            for after in [state.play(move)]
        }
        decision = sb.agent(f"alphabeta:multi={mode}").choose(state, sb.Budget(depth=3))
        best = max(values.values())
        assert values[decision.move] == pytest.approx(best, abs=1e-3), state.notation
        best_is_rare += sum(value > best - 1e-3 for value in values.values()) < len(values)
    assert best_is_rare > 2


def test_a_player_who_is_out_is_skipped() -> None:
    state = sb.game("reversixt:map=" + _map_of(3)).initial().disqualify(1)
    for mode in MODES:
        decision = sb.agent(f"alphabeta:multi={mode}").choose(state, sb.Budget(depth=3))
        assert decision.move in state.legal_moves
        assert decision.stats["depth"] == 3


def _map_of(players: int) -> str:
    for path in sorted(Path(sb.__path__[0], "games", "maps").glob("*.map")):
        if path.read_text().split()[0] == str(players):
            return path.stem
    raise AssertionError(players)


def test_two_players_are_alike_in_all_modes() -> None:
    state = sb.game("reversi:size=6").initial()
    found = {
        (decision.move, decision.value, decision.stats["nodes"])
        for mode in MODES
        for decision in [
            sb.agent(f"alphabeta:multi={mode}").choose(state, sb.Budget(depth=5)),
        ]
    }
    assert len(found) == 1


def test_specs_round_trip_and_bad_options_are_named() -> None:
    for mode in MODES[1:]:
        assert sb.agent(f"alphabeta:multi={mode}").spec == f"alphabeta:multi={mode}"
    with pytest.raises(sb.SpecError, match=r"multi=other.*paranoid"):
        sb.agent("alphabeta:multi=other")


class Heap(sb.PythonGame):
    """Three players take one to three of a heap; whoever takes the last one wins."""

    name = "heap_of_three"
    num_players = 3
    num_actions = 4
    repetition = True  # nothing ever comes again, but a search has to keep the path

    def initial(self):
        return 11, 0

    def to_move(self, state):
        return state[1]

    def legal_moves(self, state):
        return [taken for taken in (1, 2, 3) if taken <= state[0]]

    def play(self, state, action):
        return state[0] - action, (state[1] + 1) % 3

    def outcome(self, state):
        return None if state[0] else sb.Outcome.win((state[1] + 2) % 3, num_players=3)

    def key(self, state):
        return state[0] * 3 + state[1]


def winner_by_maxn(state: sb.State) -> int:
    """Who wins if everybody takes the first move that is best for himself."""
    if state.outcome is not None:
        assert state.outcome.winner is not None
        return state.outcome.winner
    winners = [winner_by_maxn(state.play(move)) for move in state.legal_moves]
    return state.to_move if state.to_move in winners else winners[0]


def can_force(state: sb.State, player: int) -> bool:
    if state.outcome is not None:
        return state.outcome.winner == player
    found = (can_force(state.play(move), player) for move in state.legal_moves)
    return any(found) if state.to_move == player else all(found)


def test_games_in_python_whose_path_is_kept() -> None:
    sb.register_game(Heap, replace=True)
    state, won = sb.game("heap_of_three").initial(), set()
    while state.outcome is None:
        value = {
            mode: sb.agent(f"alphabeta:multi={mode}").choose(state, sb.Budget(depth=12)).value
            for mode in ("paranoid", "maxn")
        }
        assert (value["maxn"] > 0.9) == (winner_by_maxn(state) == state.to_move)
        assert (value["paranoid"] == 1.0) == can_force(state, state.to_move)
        won.add(value["paranoid"] == 1.0)
        state = state.play(1)
    assert won == {True, False}
    for mode, why in (("brs", "cannot pass"), ("brs+", "cannot count repetitions")):
        with pytest.raises(sb.SpecError, match=f"multi={re.escape(mode)}.*{why}"):
            sb.agent(f"alphabeta:multi={mode}").choose(sb.game("heap_of_three").initial())


class Fork(sb.PythonGame):
    """Player 0 ends the game or gives player 1 the choice of being good to both, or bad to him."""

    name = "fork_of_three"
    num_players = 3
    num_actions = 2
    ends: ClassVar = {"b": (0.0, 0.0, 0.0), "aa": (0.5, 0.5, -1.0), "ab": (-1.0, 0.0, 1.0)}

    def initial(self):
        return ""

    def to_move(self, state):
        return len(state) % 3

    def legal_moves(self, state):
        return [0, 1]

    def play(self, state, action):
        return state + "ab"[action]

    def key(self, state):
        return int.from_bytes(state.encode(), "big")

    def outcome(self, state):
        return sb.Outcome(self.ends[state], None, "end") if state in self.ends else None


@pytest.mark.parametrize(("mode", "first", "value"), [("maxn", 0, 0.5), ("paranoid", 1, 0.0)])
def test_tree_search_thinks_of_the_others_as_it_is_told(
    mode: str, first: int, value: float
) -> None:
    sb.register_game(Fork, replace=True)
    start = sb.game("fork_of_three").initial()
    for select in ("uct", "rave", "puct"):
        agent = sb.agent(f"mcts:select={select},playout=random,c=1,multi={mode}")
        decision = agent.choose(start, sb.Budget(iterations=3000))
        assert decision.move == first, select
        assert decision.value == pytest.approx(value, abs=0.15), select
        # Who was against player 0 in that tree is for himself when he moves.
        after = start.play(0)
        assert agent.choose(after, sb.Budget(iterations=300)).move == 0, select


def test_tree_search_of_two_is_alike_in_both_modes() -> None:
    state = sb.game("connect4").state("4443")
    found = [
        sb.agent(f"uct:multi={mode}").choose(state, sb.Budget(iterations=500))
        for mode in ("maxn", "paranoid")
    ]
    assert found[0].moves == found[1].moves


def test_paranoid_tree_search_of_more_than_two_needs_rewards_of_edges() -> None:
    state = sb.game("yavalath:players=3").initial()
    with pytest.raises(sb.SpecError, match=r"select=uct2: works with multi=maxn"):
        sb.agent("mcts:select=uct2,playout=random,multi=paranoid").choose(state)
    assert sb.agent("mcts:multi=paranoid").spec == "mcts:multi=paranoid"


def test_greedy_stones() -> None:
    """One ply by stones alone takes as many as there are to take."""
    game = sb.game("reversixt:map=" + _map_of(4))
    choice = random.Random(3)
    state, greedy = game.initial(), sb.agent("alphabeta:eval=stones,multi=maxn")
    for _ in range(30):

        def taken(move: int, state: sb.State = state) -> float:
            cells = state.play(move).cells
            mine = cells.count(state.to_move + 1)
            leads = [mine - cells.count(other + 1) for other in range(4)]
            return sum(lead / (40 + abs(lead)) for lead in leads)

        move = greedy.choose(state, sb.Budget(depth=1)).move
        best = max(map(taken, state.legal_moves))
        assert taken(move) == pytest.approx(best, abs=0.01)
        state = state.play(choice.choice(state.legal_moves))
