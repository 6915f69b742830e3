"""A training in its folder: games, updates, matches and measurements, in their order.

Everything that was finished is on disk at any moment, in files that are there as a whole or not at
all: ``games/`` (the memory), ``checkpoint.safetensors`` (network and optimizer of the generation
that was trained last) and ``state.json`` (the generation that was judged last, and all results).
After a crash the run looks how far each of them is, and goes on from there.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spielbaum.agents.trial import check_players
from spielbaum.arena.exams import Question, load_questions, save_questions, share_kept
from spielbaum.base.arrays import write_atomically
from spielbaum.base.errors import SpecError, WorkerError
from spielbaum.base.imports import shared_modules
from spielbaum.base.lock import take_lock
from spielbaum.base.statistics import Score
from spielbaum.base.workers import Done, Failed, File, Lost, Place, Pool, Told, wait_for
from spielbaum.models.onnx_file import read_net, with_training
from spielbaum.train.config import read_toml
from spielbaum.train.data.games_file import RECORDED, Memory, PlayedGame, Totals
from spielbaum.train.event_log import EventLog
from spielbaum.train.methods.alphazero.config import (
    AlphaZeroConfig,
    as_it_began,
    newer_options,
    read_kept_config,
)
from spielbaum.train.methods.alphazero.learning import Trained, begin_learning, learn_on
from spielbaum.train.methods.alphazero.player import (
    Played,
    answer,
    find_questions,
    oppose,
    play_match,
    play_on,
)
from spielbaum.train.methods.alphazero.report import Row, write_plots, write_tables
from spielbaum.train.methods.alphazero.run_memory import (
    RunMemory,
    net_path,
    read_memory,
    write_memory,
)
from spielbaum.train.run_folder import (
    CONFIG,
    FINISHED,
    STOPPED,
    RunStatus,
    StatusFile,
    check_config,
    keep_config,
)

SLICE = 2.0
"""Seconds after which a process shows the games that it has finished."""
FLUSH = 20.0
"""Seconds after which finished games are written to disk."""
WINDOW = 60.0
"""Seconds over which rates are taken."""
QUESTIONS = 50
"""That a process looks for at a time."""
MOST_DEATHS = 20
"""Processes that may die before a run gives up."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    generation: int
    """That is being made."""
    of: int
    phase: str
    games: int
    """For this generation."""
    games_wanted: int
    totals: Totals
    rates: tuple[float, float, float]
    """Games, positions and evaluations per second, of late."""
    seconds_left: float | None
    rows: tuple[Row, ...] = field(repr=False)


Report = Callable[[Progress], None]
Work = tuple[Callable[..., Any], tuple[Any, ...]]
"""What a worker does: a function and its arguments."""


class Run:
    """A training in a folder, which is made, or goes on where it was interrupted."""

    def __init__(
        self,
        config: AlphaZeroConfig,
        folder: Path,
        place: Place | None = None,
        weights: Path | None = None,
        games: Path | None = None,
    ) -> None:
        """``place``: where games are played; without it, by processes of this machine.

        ``weights``: the checkpoint of another training, or a network's file, to begin with.
        ``games``: a folder of recorded games that the memory begins with, the newest of them.
        """
        self.folder = folder
        self._weights = weights
        self._game = config.rules()
        folder.mkdir(parents=True, exist_ok=True)
        newer: list[str] = []
        if (folder / CONFIG).exists():
            newer = newer_options(read_toml(folder / CONFIG))
        self.config = config = as_it_began(config, newer)
        check_config(folder, config, read_kept_config)
        check_players(config.evaluation.opponents, self._game)  # not after the first hours
        self._lock = take_lock(folder)
        keep_config(folder, config, read_kept_config, leave_out=newer)
        self.memory = Memory(folder / "games", config.self_play.memory_size)
        if games is not None and not self.memory.files:
            self.memory.take(games)
        self.state = read_memory(folder)
        self._waiting: list[PlayedGame] = []
        self._totals = self.memory.totals
        self._flushed = time.monotonic()
        self._recent: deque[tuple[float, Totals]] = deque()
        self._began = time.monotonic() - self.state.seconds
        self._deaths = 0
        self._phase = "starting"
        self._training = False
        self._playing_for = self.state.generation + 1
        """The generation that is trained with the games that are played now."""
        self._report: Report | None = None
        self._status = StatusFile(folder)
        self._seed = 0
        count = config.self_play.processes or None
        self._players = Pool(count, place, imports=shared_modules())
        self._learner = Pool(1)
        self._given: dict[int, Work] = {}
        """What the players were given, by the numbers of their tasks."""
        self._again: dict[int, int] = {}
        """The first attempts at tasks that were lost."""

    def run(self, report: Report | None = None) -> RunMemory:
        """Train to the last update; what was done is kept whenever it is interrupted."""
        self._report = report
        if self.state.generation >= self.config.model_updates:
            self._lock.close()
            return self.state
        try:
            with EventLog(self.folder) as events:
                self._learner.give(begin_learning, self.config, self.folder, self._weights)
                while (trained := self._trained()) is None:
                    self._hear()
                if trained.generation == self.state.generation + 1:  # it was trained, not judged
                    self._judge(trained, events)
                while self.state.generation < self.config.model_updates:
                    self._judge(self._next_generation(), events)
        finally:
            self._players.close()
            self._learner.close()
            with contextlib.suppress(OSError):  # the disk is full, and that was said already
                self._flush()
                done = self.state.generation >= self.config.model_updates
                self._tell(FINISHED if done else STOPPED)
            self._lock.close()
        write_plots(self.folder, self.state.rows, self.state.losses, self.state.results)
        return self.state

    # ---- self-play and training ----
    def _next_generation(self) -> Trained:
        """Play, train, and perhaps play on meanwhile."""
        generation = self._playing_for = self.state.generation + 1
        self._training = False
        while True:
            if not self._training and self._enough(generation):
                self._flush()
                self.memory.forget(generation)
                share = self.config.retraining.window_share
                known = self._totals.positions + self.memory.new_positions(RECORDED)
                files = self.memory.newest(round(share * known))
                self._learner.give(learn_on, files, self.memory.new_positions(generation))
                self._training, self._playing_for = True, generation + 1
            self._phase = "training" if self._training else "self-play"
            if not self._training or self._may_play_on(generation + 1):
                self._give_play()
            self._hear()
            if (trained := self._trained()) is not None:
                self._training = False
                return trained

    def _enough(self, generation: int) -> bool:
        settings = self.config.self_play
        games = self.memory.games_of(generation) + len(self._waiting)
        new = sum(len(each.values) for each in self._waiting)
        wanted = self.config.retraining.starting_memory_size
        # What memory cannot hold cannot be waited for.
        return games >= settings.episodes and self.memory.positions + new >= min(
            wanted, settings.memory_size
        )

    def _may_play_on(self, following: int) -> bool:
        """Whether games of the generation after next are played while the next one is trained."""
        games = self.memory.games_of(following) + len(self._waiting)
        return self.config.retraining.overlap and games < self.config.self_play.episodes

    def _give_play(self) -> None:
        net = File(net_path(self.folder, self.state.best))
        missing = max(1, self.config.self_play.episodes // (2 * self._players.size))
        while self._players.open < self._players.size:
            # Another seed in every sitting: the same games would not teach anything new.
            self._seed += 1
            seed = (self.config.seed * 1_000_003 + self.memory.totals.games) * 1009 + self._seed
            self._give((play_on, (self.config, seed, net, missing, SLICE)))

    def _give(self, work: Work) -> int:
        function, arguments = work
        task = self._players.give(function, *arguments)
        self._given[task] = work
        return task

    def _hear(self) -> dict[int, Any]:
        """Wait for players and the learner; answers what players have answered, by their tasks.

        Games are collected. What was lost is done again, under the number of the first attempt.
        """
        wait_for((self._players, self._learner), 0.5)
        answers: dict[int, Any] = {}
        for event in self._players.events(0.0):
            if isinstance(event, Told):
                continue
            work = self._given.pop(event.task)
            first = self._again.pop(event.task, event.task)
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Lost):
                self._deaths += 1
                if self._deaths > MOST_DEATHS:
                    raise WorkerError("processes that play games end again and again")
                if work[0] is not play_on:  # with the same seed it would play the same games
                    self._again[self._give(work)] = first
            elif isinstance(event.result, Played):
                self._waiting += event.result.games
                self._totals += event.result.totals
                self._recent.append((time.monotonic(), self._totals))
            else:
                answers[first] = event.result
        if time.monotonic() - self._flushed > FLUSH:
            self._flush()
        self._show()
        return answers

    def _trained(self) -> Trained | None:
        """What the learner answers, if it does."""
        for event in self._learner.events(0.0):
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Done):
                assert isinstance(event.result, Trained)
                return event.result
            raise WorkerError("the process that trains the network ended")
        return None

    def _flush(self) -> None:
        """Write finished games to disk."""
        self._flushed = time.monotonic()
        if self._waiting:
            self.memory.add(self._waiting, self._playing_for, self._totals)
            self._waiting = []

    # ---- judging ----
    def _judge(self, trained: Trained, events: EventLog) -> None:
        """Find out how good a new generation is, decide who plays on, and write it all down."""
        settings, state = self.config.evaluation, self.state
        generation = trained.generation
        self._phase, self._playing_for = "judging", generation + 1
        net = net_path(self.folder, generation)
        due = generation % settings.every == 0 or generation == self.config.model_updates
        score = Score(0, 0, 0)
        best = generation
        if (
            due
            and settings.eval_episodes
            and self._game.num_players == 2
            and generation > settings.start_evaluation
        ):
            other = self._opponent(generation)
            score = self._match(net, net_path(self.folder, other))
            state.results.append(
                (str(generation), str(other), score.wins, score.draws, score.losses)
            )
            best = generation if self._passes(score) else state.best
        elif settings.gate != "none" and (
            generation > settings.start_evaluation or settings.before_first_match == "untrained"
        ):
            best = state.best  # until the next match
        accuracy = self._accuracy(net) if due and settings.positions else None
        shares = {each: self._against(net, each) for each in settings.opponents} if due else {}
        state.generation, state.best = generation, best
        state.seconds = time.monotonic() - self._began
        state.losses += [(generation, *losses) for losses in trained.losses]
        count = max(1, len(trained.losses))
        policy, value, regularisation = (
            sum(each[index] for each in trained.losses) / count for index in range(3)
        )
        totals = self._totals
        row = Row(
            generation,
            best,
            round(state.seconds, 1),
            totals.games,
            totals.positions,
            totals.evaluations,
            totals.hits,
            round(totals.seconds, 1),
            trained.steps,
            round(trained.seconds, 1),
            policy + value + regularisation,
            policy,
            value,
            regularisation,
            score.wins,
            score.draws,
            score.losses,
            accuracy,
            shares,
        )
        state.rows.append(row)
        events.add(generation, row.numbers())
        self._save(row)
        if due:
            write_plots(self.folder, state.rows, state.losses, state.results)
        self._show()

    def _opponent(self, generation: int) -> int:
        """Whom a generation plays: the best so far, or without a gate the last one that played."""
        if self.config.evaluation.gate != "none":
            return self.state.best
        return int(self.state.results[-1][0]) if self.state.results else 0

    def _passes(self, score: Score) -> bool:
        settings = self.config.evaluation
        if settings.gate == "none":
            return True
        if settings.gate == "ratio":
            return score.wins > settings.scoring_threshold * score.losses
        return score.share() > settings.scoring_threshold

    def _match(self, first: Path, second: Path) -> Score:
        parts = shared_out(range(self.config.evaluation.eval_episodes), self._players.size)
        nets = File(first), File(second)
        rewards = [
            reward
            for part in self._do([(play_match, (self.config, *nets, each)) for each in parts])
            for reward in part
        ]
        return Score(
            sum(reward > 0 for reward in rewards),
            sum(reward == 0 for reward in rewards),
            sum(reward < 0 for reward in rewards),
        )

    def _accuracy(self, net: Path) -> float:
        questions = self._questions()
        size = -(-len(questions) // self._players.size)
        parts = [tuple(questions[i : i + size]) for i in range(0, len(questions), size)]
        answers = self._do([(answer, (self.config, File(net), part)) for part in parts])
        return share_kept(questions, [move for part in answers for move in part])

    def _against(self, net: Path, opponent: str) -> float:
        parts = shared_out(range(self.config.evaluation.games), self._players.size)
        scores = self._do([(oppose, (self.config, File(net), opponent, part)) for part in parts])
        return sum(scores, Score(0, 0, 0)).share()

    def _do(self, works: list[Work]) -> list[Any]:
        """The answers to tasks, in their order; games that are finished meanwhile are collected."""
        tasks = [self._give(work) for work in works]
        answers: dict[int, Any] = {}
        while len(answers) < len(tasks):
            answers |= self._hear()
        return [answers[task] for task in tasks]

    def _questions(self) -> list[Question]:
        settings = self.config.evaluation
        path = self.folder / "questions.json"
        if path.exists():
            return load_questions(path, self._game)
        self._phase = "solving questions"
        plies = range(settings.plies[0], settings.plies[1] + 1)
        parts = -(-settings.positions // QUESTIONS)
        seeds = [self.config.seed * 1_000_003 + part for part in range(parts)]
        found = {
            question.notation: question
            for part in self._do(
                [(find_questions, (self.config, QUESTIONS, plies, seed)) for seed in seeds]
            )
            for question in part
        }
        questions = list(found.values())[: settings.positions]
        if not questions:
            raise SpecError(
                f"evaluation.plies = {list(settings.plies)}: there are no positions of "
                f"{self._game} in which a move can be wrong"
            )
        write_atomically(path, save_questions(questions, self._game).encode())
        return questions

    # ---- files ----
    def _save(self, row: Row) -> None:
        state = self.state
        best = read_net(net_path(self.folder, state.best))
        facts = {**best.training, "games": row.games, "hours": round(row.seconds / 3600, 3)}
        judged = next((each for each in state.rows if each.generation == state.best), None)
        if judged is not None and judged.accuracy is not None:
            facts["accuracy"] = judged.accuracy
        write_atomically(self.folder / "best.onnx", with_training(best, facts))
        write_tables(self.folder, state.rows, state.losses, state.results)
        write_memory(self.folder, state)

    # ---- progress ----
    def _show(self) -> None:
        self._tell(self._phase)
        if self._report is not None:
            self._report(self.progress())

    def _tell(self, activity: str) -> None:
        """Keep how far the run is for those who only look."""
        left = self._seconds_left()
        done, of = self.state.generation, self.config.model_updates
        rate = (of - done) / left if left else 0.0
        self._status.tell(RunStatus(activity, done, of, "generations", rate))

    def progress(self) -> Progress:
        """How far the run is."""
        generation = self.state.generation + 1
        games = self.memory.games_of(self._playing_for) + len(self._waiting)
        return Progress(
            generation,
            self.config.model_updates,
            self._phase,
            games,
            self.config.self_play.episodes,
            self._totals,
            self._rates(),
            self._seconds_left(),
            tuple(self.state.rows),
        )

    def _rates(self) -> tuple[float, float, float]:
        while len(self._recent) > 2 and self._recent[-1][0] - self._recent[0][0] > WINDOW:
            self._recent.popleft()
        if len(self._recent) < 2:
            return 0.0, 0.0, 0.0
        (since, before), (until, after) = self._recent[0], self._recent[-1]
        seconds = max(until - since, 1e-6)
        return (
            (after.games - before.games) / seconds,
            (after.positions - before.positions) / seconds,
            (after.evaluations - before.evaluations) / seconds,
        )

    def _seconds_left(self) -> float | None:
        rows = self.state.rows[-10:]
        if len(rows) < 2:
            return None
        each = (rows[-1].seconds - rows[0].seconds) / (len(rows) - 1)
        return each * (self.config.model_updates - self.state.generation)


def shared_out(numbers: Sequence[int], workers: int) -> list[tuple[int, ...]]:
    """Numbers in as many parts as there are workers, pairs together.

    >>> shared_out(range(6), 2)
    [(0, 1, 2, 3), (4, 5)]
    """
    size = 2 * -(-len(numbers) // (2 * workers)) or 1
    return [tuple(numbers[first : first + size]) for first in range(0, len(numbers), size)]
