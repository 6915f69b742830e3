"""Positions and decisions, between the library and the protocol."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from spielbaum.agents import Decision
from spielbaum.games import State
from spielbaum.games.drawing.text import BoardFace
from spielbaum.play.openings import Opening
from spielbaum.studio.server.guard import permitted_game
from spielbaum.studio.services.protocol import (
    ChoiceView,
    DecisionView,
    LegalMove,
    LineMove,
    MoveView,
    OutcomeView,
    Position,
    PositionView,
    PreviewView,
    SolutionView,
    SolvedMoveView,
    TreeRow,
)

if TYPE_CHECKING:
    from spielbaum.agents.search_tree import TreeMove
    from spielbaum.solvers import Solution

MOST_LINE = 12
"""Moves of a line that the page is told."""
MOST_KNOWN = 128
"""Positions that a process remembers."""
MOST_NEW = 8
"""Moves that may be new since a position that is remembered; it is not looked for further back."""

MOST_MOVES = 500
"""Moves of a decision that the page is told: some positions have thousands."""
MOST_LINES = 32
"""Moves of a decision whose lines the page is told."""

Path: TypeAlias = tuple[str, list[str], list[int]]
"""Where a game began, empty for its start position, the moves since, and who made each of them."""


class Replays:
    """Remembers positions, so that games under way are not replayed for each of their moves.

    >>> replays = Replays()
    >>> _ = replays.find(Position(game="connect4", moves=["d1"]))
    >>> state, path = replays.find(Position(game="connect4", moves=["d1", "d2"]))
    >>> state.notation, path
    ('44', ('', ['d1', 'd2'], [0, 1]))
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str, tuple[str, ...]], tuple[State, Path]] = (
            OrderedDict()
        )
        self._lock = threading.Lock()  # requests come from several threads

    def find(self, position: Position) -> tuple[State, Path]:
        """The state that a position describes, and its path; only what is new is played."""
        rules, start, moves = position.game, position.start, tuple(position.moves)
        with self._lock:
            for known in range(len(moves), max(len(moves) - MOST_NEW, 0) - 1, -1):
                found = self._known.get((rules, start, moves[:known]))
                if found is not None:
                    break
        if found is None:
            first = Opening(start).state(permitted_game(rules))
            known, found = 0, (first, path_of(first))
        state, (begin, texts, movers) = found
        texts, movers = texts.copy(), movers.copy()
        for text in moves[known:]:
            move = state.parse(text)
            texts.append(state.label(move))
            movers.append(state.to_move)
            state = state.play(move)
        found = state, (begin, texts, movers)
        with self._lock:
            self._known[rules, start, moves] = found
            self._known.move_to_end((rules, start, moves))
            if len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return found


replay = Replays().find


def state_of(position: Position) -> State:
    """The state that a position describes.

    >>> state_of(Position(game="connect4", moves=["d1", "d2"])).notation
    '44'
    """
    return replay(position)[0]


def path_of(state: State) -> Path:
    """Where a state began, and the moves since; a notation may be a list of moves itself.

    >>> import spielbaum as sb
    >>> path_of(sb.game("connect4").state("44"))
    ('', ['d1', 'd2'], [0, 1])
    """
    texts: list[str] = []
    movers: list[int] = []
    step = state
    while step.previous is not None and step.last_move is not None:
        previous = step.previous
        texts.append(previous.label(step.last_move))
        movers.append(previous.to_move)
        step = previous
    begins_at_start = step == step.game.initial()
    return "" if begins_at_start else step.notation, texts[::-1], movers[::-1]


def describe(state: State, path: Path | None = None) -> PositionView:
    """A state as the page shows it; its path is found out unless it is known.

    >>> import spielbaum as sb
    >>> describe(sb.game("tictactoe").state("b2")).legal[0]
    LegalMove(text='a1', cells=[0], choice=None)
    """
    start, moves, movers = path or path_of(state)
    outcome = state.outcome
    cells = state.cells
    face = state.game.face if isinstance(state.game.face, BoardFace) else None
    return PositionView(
        game=str(state.game),
        start=start,
        moves=moves,
        notation=state.notation,
        to_move=state.to_move,
        cells=list(cells),
        last_cells=list(state.last_cells),
        legal=_legal_moves(state, face),
        outcome=None
        if outcome is None
        else OutcomeView(
            rewards=list(outcome.rewards), winner=outcome.winner, reason=outcome.reason
        ),
        movers=movers,
        counts={name: list(each) for name, each in face.counts(state).items()} if face else {},
        notes=list(face.notes(state)) if face else [],
        out=list(face.out(state)) if face else [],
        diagram="" if cells else state.diagram(),
    )


def _legal_moves(state: State, face: BoardFace | None) -> list[LegalMove]:
    cells = {move: state.cells_of(move) for move in state.legal_moves}
    meant = Counter(cells.values())

    def choice(move: int) -> ChoiceView | None:
        ambiguous = cells[move] and meant[cells[move]] > 1
        asked = face.choice(state, move) if face and ambiguous else None
        if asked is None:
            return None
        return ChoiceView(question=asked.question, answer=asked.answer, content=asked.content)

    return [
        LegalMove(text=state.label(move), cells=list(touched), choice=choice(move))
        for move, touched in cells.items()
    ]


def preview(state: State, text: str) -> PreviewView:
    """What a move would change on the board.

    >>> import spielbaum as sb
    >>> preview(sb.game("reversi").initial(), "d3")
    PreviewView(cells=[19, 27], contents=[1, 1])
    """
    after = state.play(text).cells
    changed = [cell for cell, before in enumerate(state.cells) if before != after[cell]]
    return PreviewView(cells=changed, contents=[after[cell] for cell in changed])


def describe_line(state: State, line: Sequence[int]) -> list[LineMove]:
    """A line of play as texts and cells; it ends where a move of it cannot be played.

    >>> import spielbaum as sb
    >>> [move.text for move in describe_line(sb.game("connect4").initial(), (3, 3))]
    ['d1', 'd2']
    """
    found = []
    for move in line[:MOST_LINE]:
        if move not in state.legal_moves:
            break
        cells = list(state.cells_of(move))
        found.append(LineMove(text=state.label(move), cells=cells, player=state.to_move))
        state = state.play(move)
    return found


def describe_decision(
    state: State, decision: Decision, tree: Sequence[TreeMove] = ()
) -> DecisionView:
    """What an agent thinks, as the page shows it.

    >>> import spielbaum as sb
    >>> state = sb.game("tictactoe").initial()
    >>> describe_decision(state, sb.agent("random").choose(state)).stats["legal_moves"]
    9
    """
    best = sorted(
        decision.moves,
        key=lambda each: (each.move == decision.move, each.visits, each.value),
        reverse=True,
    )
    ranks = {each.move: rank for rank, each in enumerate(best)}
    return DecisionView(
        move=state.label(decision.move),
        value=decision.value,
        moves=[
            MoveView(
                text=state.label(each.move),
                value=each.value,
                visits=each.visits,
                prior=each.prior,
                proven=each.proven,
                policy=each.policy,
                pv=describe_line(state, each.pv or (each.move,))
                if ranks[each.move] < MOST_LINES
                else [],
            )
            for each in decision.moves
            if ranks[each.move] < MOST_MOVES
        ],
        more=max(0, len(ranks) - MOST_MOVES),
        pv=describe_line(state, decision.pv or (decision.move,)),
        stats=dict(decision.stats),
        tree=describe_tree(state, tree),
    )


def describe_tree(state: State, tree: Sequence[TreeMove]) -> list[TreeRow]:
    """Moves of a tree with their texts, each after its parent.

    >>> from spielbaum.agents.search_tree import TreeMove
    >>> import spielbaum as sb
    >>> rows = (TreeMove(None, 3, 9, 0.5), TreeMove(0, 3, 4, -0.5))
    >>> [row.text for row in describe_tree(sb.game("connect4").initial(), rows)]
    ['d1', 'd2']
    """
    states: list[State] = []
    rows = []
    for each in tree:
        before = state if each.parent is None else states[each.parent]
        rows.append(
            TreeRow(
                parent=each.parent,
                text=before.label(each.move),
                visits=each.visits,
                value=each.value,
                proven=each.proven,
                prior=each.prior,
            )
        )
        states.append(before.play(each.move))
    return rows


def most_visited(tree: Sequence[TreeMove], limit: int) -> list[TreeMove]:
    """The part of a tree with the most visits, at most ``limit`` moves; parents come first.

    >>> from spielbaum.agents.search_tree import TreeMove
    >>> tree = [TreeMove(None, 0, 2, 0.0), TreeMove(None, 1, 7, 0.0), TreeMove(1, 0, 3, 0.0)]
    >>> [(each.parent, each.visits) for each in most_visited(tree, 2)]
    [(None, 7), (0, 3)]
    """
    order = sorted(range(len(tree)), key=lambda place: (-tree[place].visits, place))
    places: dict[int, int] = {}
    kept: list[TreeMove] = []
    for place in order:
        parent = tree[place].parent
        if len(kept) >= limit:
            break
        if parent is None or parent in places:
            places[place] = len(kept)
            kept.append(replace(tree[place], parent=None if parent is None else places[parent]))
    return kept


def describe_solution(state: State, solution: Solution, exact: bool) -> SolutionView:
    """What a solver found, as the page shows it.

    >>> import spielbaum as sb
    >>> state = sb.game("tictactoe").state("a1 b2 c3 a3")
    >>> describe_solution(state, sb.solve(state), exact=True).score
    2
    """
    return SolutionView(
        solved=True,
        exact=exact,
        value=solution.value,
        score=solution.score if exact else None,
        moves=[
            SolvedMoveView(
                text=state.label(each.move), value=each.value, score=each.score if exact else None
            )
            for each in solution.moves
        ],
        pv=describe_line(state, solution.pv),
        source=solution.source,
    )
