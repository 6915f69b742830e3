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
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from spielbaum.agents.trial import check_players
from spielbaum.arena.exams import Question, load_questions, save_questions, share_kept
from spielbaum.base.arrays import write_atomically
from spielbaum.base.errors import SpecError, WorkerError
from spielbaum.base.lock import take_lock
from spielbaum.base.statistics import Score
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
from spielbaum.train.methods.alphazero.report import Row, write_plots, write_tables
from spielbaum.train.methods.alphazero.run_memory import (
    RunMemory,
    net_path,
    read_memory,
    write_memory,
)
from spielbaum.train.methods.alphazero.workers import (
    Answer,
    Ask,
    Crew,
    Match,
    Oppose,
    Play,
    Played,
    Process,
    Processes,
    Train,
    Trained,
    Worker,
    learn,
    shared_out,
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


class Run:
    """A training in a folder, which is made, or goes on where it was interrupted."""

    def __init__(
        self,
        config: AlphaZeroConfig,
        folder: Path,
        crew: Crew | None = None,
        weights: Path | None = None,
        games: Path | None = None,
    ) -> None:
        """``crew``: who plays; without it, processes of this machine.

        ``weights``: the checkpoint of another training, or a network's file, to begin with.
        ``games``: a folder of recorded games that the memory begins with, the newest of them.
        """
        self.folder = folder
        self._crew = crew or Processes()
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
        self._workers: list[Worker] = []
        self._learner: Worker | None = None

    def run(self, report: Report | None = None) -> RunMemory:
        """Train to the last update; what was done is kept whenever it is interrupted."""
        self._report = report
        if self.state.generation >= self.config.model_updates:
            self._lock.close()
            return self.state
        try:
            with EventLog(self.folder) as events:
                self._start_workers()
                trained = self._answer_of_learner()
                if trained.generation == self.state.generation + 1:  # it was trained, not judged
                    self._judge(trained, events)
                while self.state.generation < self.config.model_updates:
                    self._judge(self._next_generation(), events)
        finally:
            for worker in [*self._workers, *([self._learner] if self._learner else [])]:
                worker.end()
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
        assert self._learner is not None
        while True:
            if not self._training and self._enough(generation):
                self._flush()
                self.memory.forget(generation)
                share = self.config.retraining.window_share
                known = self._totals.positions + self.memory.new_positions(RECORDED)
                files = self.memory.newest(round(share * known))
                self._learner.give(Train(files, self.memory.new_positions(generation)))
                self._training, self._playing_for = True, generation + 1
            self._phase = "training" if self._training else "self-play"
            if not self._training or self._may_play_on(generation + 1):
                self._give_play()
            for pipe in self._ready():
                if self._training and pipe is self._learner.pipe:
                    self._training = False
                    return self._answer_of_learner()
            if time.monotonic() - self._flushed > FLUSH:
                self._flush()
            self._show()

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
        net = net_path(self.folder, self.state.best)
        missing = max(1, self.config.self_play.episodes // (2 * len(self._workers)))
        for worker in self._workers:
            if worker.task is None:
                worker.give(Play(net, missing, SLICE))

    def _ready(self) -> list[Any]:
        """Take what processes have to say; answers the pipes of those that are not for here."""
        pipes = [worker.pipe for worker in self._workers if worker.task is not None]
        others = [self._learner.pipe] if self._learner is not None and self._training else []
        ready = wait([*pipes, *others], 0.5)
        for index, worker in enumerate(self._workers):
            if worker.pipe in ready and worker.task is not None:
                self._take(index)
        return [pipe for pipe in ready if pipe in others]

    def _take(self, index: int) -> Any:
        """The answer of a worker; games are collected. One that died is replaced, with its task."""
        worker = self._workers[index]
        task = worker.task
        answer = worker.take()
        if answer is None:
            self._deaths += 1
            if self._deaths > MOST_DEATHS:
                raise WorkerError("processes that play games end again and again")
            worker.end()
            self._workers[index] = self._new_worker()
            self._workers[index].give(task)
            return None
        if isinstance(answer, Played):
            self._waiting += answer.games
            self._totals += answer.totals
            self._recent.append((time.monotonic(), self._totals))
            return None
        return answer

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
        parts = shared_out(range(self.config.evaluation.eval_episodes), len(self._workers))
        rewards = [
            reward
            for part in self._do([Match(first, second, numbers) for numbers in parts])
            for reward in part
        ]
        return Score(
            sum(reward > 0 for reward in rewards),
            sum(reward == 0 for reward in rewards),
            sum(reward < 0 for reward in rewards),
        )

    def _accuracy(self, net: Path) -> float:
        questions = self._questions()
        size = -(-len(questions) // len(self._workers))
        parts = [tuple(questions[i : i + size]) for i in range(0, len(questions), size)]
        moves = [move for part in self._do([Answer(net, each) for each in parts]) for move in part]
        return share_kept(questions, moves)

    def _against(self, net: Path, opponent: str) -> float:
        parts = shared_out(range(self.config.evaluation.games), len(self._workers))
        scores = list(self._do([Oppose(net, opponent, numbers) for numbers in parts]))
        return Score(
            sum(each.wins for each in scores),
            sum(each.draws for each in scores),
            sum(each.losses for each in scores),
        ).share()

    def _do(self, tasks: list[Any]) -> list[Any]:
        """The answers to tasks, in their order; games that are finished meanwhile are collected."""
        answers: dict[int, Any] = {}
        left = deque(enumerate(tasks))
        given: dict[int, int] = {}
        while len(answers) < len(tasks):
            for index, worker in enumerate(self._workers):
                if worker.task is None and left:
                    number, task = left.popleft()
                    worker.give(task)
                    given[index] = number
            busy = [worker.pipe for worker in self._workers if worker.task is not None]
            ready = wait(busy, 0.5)
            for index, worker in enumerate(self._workers):
                if worker.pipe in ready:
                    answer = self._take(index)
                    if answer is not None:
                        answers[given.pop(index)] = answer
            if time.monotonic() - self._flushed > FLUSH:
                self._flush()
            self._show()
        return [answers[number] for number in range(len(tasks))]

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
            for part in self._do([Ask(QUESTIONS, plies, seed) for seed in seeds])
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

    # ---- processes and files ----
    def _start_workers(self) -> None:
        self._learner = Process(learn, self.config, self.folder, self._weights)
        count = self._crew.size(self.config.self_play.processes)
        self._workers = [self._new_worker() for _ in range(count)]

    def _new_worker(self) -> Worker:
        # Another seed in every sitting: the same games would not teach anything new.
        self._seed += 1
        seed = (self.config.seed * 1_000_003 + self.memory.totals.games) * 1009 + self._seed
        return self._crew.hire(self.config, seed)

    def _answer_of_learner(self) -> Trained:
        assert self._learner is not None
        answer = self._learner.take()
        if answer is None:
            raise WorkerError("the process that trains the network ended")
        assert isinstance(answer, Trained)
        return answer

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
