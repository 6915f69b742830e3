"""Expert Iteration as a method: rounds of games, of searches in their positions, and of lessons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from spielbaum.agents import Budget, Decision
from spielbaum.agents.alphabeta import AlphaBetaAgent
from spielbaum.agents.ntuple import NTupleAgent
from spielbaum.agents.trial import check_players
from spielbaum.base.arrays import open_arrays, write_arrays
from spielbaum.base.rng import Rng
from spielbaum.games import Game, State
from spielbaum.models.ntuple import NTupleNetwork, Supervised, random_tuples
from spielbaum.models.ntuple_file import header_of, network_of, pack, save_network, unpack
from spielbaum.play.table import Player, Rules, Table, Turn, play_one
from spielbaum.train.data.games_file import Memory, PlayedGame, Totals, positions_of, read_games_of
from spielbaum.train.data.random_opening import begin_game
from spielbaum.train.data.recording import GameNotes
from spielbaum.train.method import Shortcut
from spielbaum.train.methods.expert.config import ExpertConfig
from spielbaum.train.rounds import RoundMethod, RoundRow
from spielbaum.train.rows import Chart, Column

ERRORS = Chart("errors", "What the expert corrects", "mean squared difference of values")


@dataclass(frozen=True, kw_only=True)
class ExpertRow(RoundRow):
    """A round; a line of ``metrics.csv``.

    >>> print(ExpertRow(round=3, games=300, positions=5000, error=0.25, agreed=0.5).line())
        3: 0:00:00  300 games  5,000 positions  error 0.250  50.0 % of moves
    """

    columns = (
        Column("games", "{:,} games", tag="games"),
        Column("positions", "{:,} positions"),
        Column("error", "error {:.3f}", "error/apprentice", ERRORS, "apprentice before the lesson"),
        Column("learnt", "", "error/learnt", ERRORS, "after the lesson"),
        Column("agreed", "{:.1f} % of moves", "agreed", percent=True),
    )
    round: int
    seconds: float = 0.0
    games: int = 0
    positions: int = 0
    error: float = 0.0
    """Mean squared difference of the expert's values from the apprentice's, in new positions."""
    learnt: float | None = None
    """The same after the lesson, in all that are remembered."""
    agreed: float | None = None
    """Share of new positions in which the apprentice would have played the expert's move."""
    shares: dict[str, float] = field(default_factory=dict)
    """Points by games against agents."""


class MoveNotes(GameNotes):
    """Writes down what the expert thinks of every move, in the place of a policy."""

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        """Note a move and what was thought before it."""
        super().played(turn, decision, move, seconds)
        worths = [each.value for each in decision.moves]
        self._played.policies[-1] = np.array(worths, np.float32)


class Learner:
    """The apprentice, and its file."""

    def __init__(self, config: ExpertConfig) -> None:
        settings, self.game = config.apprentice, config.rules()
        lengths = [settings.length] * settings.tuples
        tuples = random_tuples(self.game, settings.kind, lengths, rng=Rng(config.seed))
        self.network = NTupleNetwork(self.game, tuples)
        self.lesson = Supervised(self.network, [], [], config.learning.control)

    def save(self, path: Path, header: Mapping[str, Any]) -> None:
        """Write all that is needed to go on."""
        self.network.training = dict(header)
        arrays = pack("weights", self.network.weights) | pack("changes", self.lesson.changes)
        write_arrays(path, header_of(self.network), arrays, compress=False)

    def load(self, path: Path) -> Mapping[str, Any]:
        """Go on from what was written; return its header."""
        with open_arrays(path) as file:
            found = network_of(file.header, path)
            if found.tuples != self.network.tuples:
                raise ValueError
            unpack("weights", file, self.network.weights)
            unpack("changes", file, self.lesson.changes)
        return found.training


class ExpertIteration(RoundMethod[ExpertConfig, ExpertRow]):
    """The apprentice plays, the expert looks ahead wherever it has been, and it learns from that.

    ``games/`` has the games of each round in a file of its own, with what the expert found.
    """

    name = "expert"
    help = "Expert Iteration: an n-tuple network learns what alpha-beta with it finds"
    titles: ClassVar = {"en": "Expert Iteration", "de": "Experten-Iteration"}
    aliases = ("exit",)
    config_type = ExpertConfig
    row_type = ExpertRow
    needs = ()
    made = "best.npz for ntuple:FILE"
    checkpoint = "checkpoint.npz"
    agents = ("evaluation.opponents",)
    heavy: ClassVar = {"play.games": "games", "learning.positions": "positions"}
    shortcuts: ClassVar = {"rounds": Shortcut("rounds", "N", "Rounds of games and lessons.")}

    def start(self) -> None:
        """Make the apprentice."""
        check_players(self.config.evaluation.opponents, self.desk.game)
        self.learner = Learner(self.config)
        self._memory = Memory(self.desk.folder / "games", self.config.learning.positions)

    def round(self, number: int) -> ExpertRow:
        """Play, have the expert look, learn, and perhaps measure."""
        memory = self._memory
        self._show("playing")
        if not memory.games_of(number):
            games = self._played(number)
            found = Totals(len(games), sum(len(each.values) for each in games))
            memory.add(games, number, memory.totals + found)
            memory.forget(number)
        errors, agreed = self._compared(number)
        self._show("learning")
        settings, lesson = self.config.learning, self.learner.lesson
        lesson.states, lesson.values = self._remembered(number)
        share = (number - 1) / max(1, self.rounds - 1)
        learnt = lesson.learn(
            alpha=settings.alpha * (settings.final_alpha / settings.alpha) ** share,
            epochs=settings.epochs,
            seed=self.config.seed * 1_000_003 + number,
        )
        row = ExpertRow(
            round=number,
            games=memory.totals.games,
            positions=memory.totals.positions,
            error=errors,
            learnt=learnt,
            agreed=agreed,
        )
        if self.is_due(number):
            self._show("measuring")
            row = self._measured(row)
        return replace(row, seconds=self.desk.seconds())

    def _apprentice(self) -> NTupleAgent:
        return NTupleAgent.of(self.learner.network)

    def _show(self, activity: str) -> None:
        totals = self._memory.totals
        self.desk.tell(activity, games=totals.games, positions=totals.positions)

    def _played(self, number: int) -> list[PlayedGame]:
        """Play the games of a round: the apprentice moves, the expert thinks."""
        config, game = self.config, self.desk.game
        rng = np.random.default_rng([config.seed, number])
        expert = AlphaBetaAgent.with_network(
            self.learner.network, memory=config.expert.memory, analyse=True
        )
        apprentice = self._apprentice()

        def pick(turn: Turn, decision: Decision) -> int:
            if rng.random() < config.play.epsilon:
                return int(rng.choice(turn.state.legal_moves))
            return apprentice.greedy(turn.state)

        player = Player(expert, Budget(depth=config.expert.depth), pick)
        games = []
        for _ in range(config.play.games):
            state, played = begin_game(game, config.play.opening, rng)
            rules = Rules("raise", config.play.max_plies)
            table = Table(state, [player, player], rules, [MoveNotes(played)], ply=played.first)
            played.rewards = play_one(table).rewards
            games.append(played)
            self._show("playing")
        return games

    def _compared(self, number: int) -> tuple[float, float]:
        """How far the apprentice is from the expert where it has just been."""
        network, apprentice = self.learner.network, self._apprentice()
        errors, agreed = [], []
        for played in self._games(number, number):
            for state, moves, value in _noted(played, self.desk.game):
                errors.append((network.value(state) - value) ** 2)
                agreed.append(
                    moves[state.legal_moves.index(apprentice.greedy(state))] == max(moves)
                )
        return float(np.mean(errors)), float(np.mean(agreed))

    def _remembered(self, number: int) -> tuple[list[State], list[float]]:
        """All positions of the games, and their successors, with what the expert thinks of them."""
        states, values = [], []
        for played in self._games(1, number):
            for state, moves, value in _noted(played, self.desk.game):
                states.append(state)
                values.append(value)
                for move, worth in zip(state.legal_moves, moves, strict=True):
                    following = state.play(move)
                    if following.outcome is None:
                        states.append(following)
                        values.append(worth if following.to_move == state.to_move else -worth)
        return states, values

    def _games(self, first: int, last: int) -> list[PlayedGame]:
        """Read the games of rounds that are still remembered."""
        found = []
        for file in self._memory.files:
            if first <= file.generation <= last:
                found += read_games_of(file.path, self.desk.game)
        return found

    def _measured(self, row: ExpertRow) -> ExpertRow:
        """Measure the apprentice; it is written, and kept if it is the best."""
        path = self.desk.folder / "last.npz"
        facts = {"method": self.name, "games": row.games, "round": row.round}
        self._write(path, facts)
        row = replace(row, shares=self.shares(self._apprentice, Budget()))
        if self.desk.is_best(row.score):
            strength = [{"opponent": key, "share": share} for key, share in row.shares.items()]
            self._write(self.desk.folder / "best.npz", {**facts, "strength": strength})
        return row

    def _write(self, path: Path, facts: Mapping[str, Any]) -> None:
        self.learner.network.training = dict(facts)
        save_network(self.learner.network, path)


def _noted(played: PlayedGame, game: Game) -> list[tuple[State, list[float], float]]:
    """The positions of a game that the expert has seen, what each move is worth, and the best."""
    states = list(positions_of(played, game))[played.first :]
    moves = [each.tolist() for each in played.policies]
    return list(zip(states, moves, played.values, strict=True))


METHOD = ExpertIteration
