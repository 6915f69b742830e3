"""AlphaZero as a method: games, updates, matches and measurements, in their order.

Everything that was finished is on disk at any moment, in files that are there as a whole or not at
all: ``games/`` (the memory), ``checkpoint.safetensors`` (network and optimizer of the generation
that was trained last) and ``state.json`` (the generation that was judged last, and all results).
After a crash the run looks how far each of them is, and goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from spielbaum.agents.trial import check_players
from spielbaum.arena.exams import Question, load_questions, save_questions, share_kept
from spielbaum.arena.ratings import rate
from spielbaum.base.arrays import write_atomically
from spielbaum.base.discover import load
from spielbaum.base.errors import SpecError, WorkerError
from spielbaum.base.figures import Curve, curves, save_figure
from spielbaum.base.imports import shared_modules
from spielbaum.base.statistics import Estimate, Score
from spielbaum.base.workers import Done, Failed, File, Lost, Pool, Told, wait_for
from spielbaum.models.onnx_file import read_net, with_training
from spielbaum.train.config import read_toml
from spielbaum.train.data.games_file import RECORDED, Memory, PlayedGame
from spielbaum.train.data.recording import check_games
from spielbaum.train.method import Method, Phase, Shortcut
from spielbaum.train.methods.alphazero.config import AlphaZeroConfig
from spielbaum.train.methods.alphazero.learning import Trained, begin_learning, learn_on
from spielbaum.train.methods.alphazero.player import (
    Played,
    answer,
    find_questions,
    oppose,
    play_match,
    play_on,
)
from spielbaum.train.methods.alphazero.run_memory import (
    AlphaZeroRow,
    Result,
    net_path,
    read_memory,
    write_memory,
)
from spielbaum.train.rows import LOSSES, curve, write_table
from spielbaum.train.run_folder import CHECKPOINT, CONFIG, needs_extra

SLICE = 2.0
"""Seconds after which a process shows the games that it has finished."""
FLUSH = 20.0
"""Seconds after which finished games are written to disk."""
QUESTIONS = 50
"""That a process looks for at a time."""
MOST_DEATHS = 20
"""Processes that may die before a run gives up."""
Work = tuple[Callable[..., Any], tuple[Any, ...]]
"""What a worker does: a function and its arguments."""


class AlphaZero(Method[AlphaZeroConfig, AlphaZeroRow]):
    """A network learns from the games that a tree search plays with its help."""

    name = "alphazero"
    help = "a network for moves and values, from games of a search against itself"
    titles: ClassVar = {"en": "AlphaZero", "de": "AlphaZero"}
    config_type = AlphaZeroConfig
    row_type = AlphaZeroRow
    agents = ("evaluation.opponents",)
    hidden = ("recipe",)
    heavy: ClassVar = {
        "self_play.processes": "processes",
        "self_play.concurrent": "games",
        "self_play.memory_size": "positions",
        "retraining.threads": "threads",
    }
    shortcuts: ClassVar = {
        "updates": Shortcut("model_updates", "N", "How often the network is trained."),
        "weights": Shortcut(
            "",
            "PATH",
            "The folder of a training of the same network, such as one by imitation, or the file "
            "of a network, to begin with.",
        ),
        "games": Shortcut(
            "", "FOLDER", "Recorded games that are learnt as well, until newer ones come."
        ),
        "processes": Shortcut(
            "self_play.processes", "N", "Processes that play; else one per core."
        ),
    }

    @classmethod
    def adopt(cls, folder: Path) -> AlphaZeroConfig | None:
        """Return the configuration of a run, whose file named no method."""
        written = read_toml(folder / CONFIG) if (folder / CONFIG).exists() else {"method": ""}
        if written.pop("method", cls.name) != cls.name:
            return None
        try:
            return AlphaZeroConfig.kept(written)
        except SpecError:  # it is that of something else
            return None

    @classmethod
    def check(
        cls, config: AlphaZeroConfig, inputs: Mapping[str, Any], folder: Path | None
    ) -> Mapping[str, Any]:
        """Look whether weights and games to begin with fit."""
        used = dict(inputs)
        if "games" in used:
            used["games"] = Path(used["games"])
            check_games(used["games"], config.rules())
        if "weights" not in used:
            return used
        if folder is not None and (folder / CHECKPOINT).exists():
            del used["weights"]
            used["note"] = f"{folder} goes on with its own weights; --weights is for the beginning"
            return used
        weights = Path(used["weights"])
        path = weights / CHECKPOINT if weights.is_dir() else weights
        if weights.is_dir() and not path.exists():
            raise SpecError(f"--weights {weights}: expected the folder of a training, or a file")
        try:
            check_weights = load(__package__, "learner").check_weights
        except ImportError as error:
            raise needs_extra(error) from None
        check_weights(config, path)
        return {**used, "weights": path}

    def start(self) -> None:
        """Start the processes that play, and the one that trains."""
        config, folder = self.config, self.desk.folder
        if "note" in self.desk.inputs:
            self.desk.note(self.desk.inputs["note"])
        check_players(config.evaluation.opponents, self.desk.game)  # not after the first hours
        self.memory = Memory(folder / "games", config.self_play.memory_size)
        games = self.desk.inputs.get("games")
        if games is not None and not self.memory.files:
            self.memory.take(games)
        self._waiting: list[PlayedGame] = []
        self._totals = self.memory.totals
        self._flushed = time.monotonic()
        self._deaths = 0
        self._training = False
        self._seed = 0
        count = config.self_play.processes or None
        self._players = Pool(count, self.desk.place, imports=shared_modules())
        self._learner = Pool(1, imports=shared_modules())
        self._given: dict[int, Work] = {}
        """What the players were given, by the numbers of their tasks."""
        self._again: dict[int, int] = {}
        """The first attempts at tasks that were lost."""
        self._trained_before: Trained | None = None
        """A generation that an earlier session trained, but did not judge."""

    def load(self) -> None:
        """Read what is known when a generation has been judged."""
        self.state = read_memory(self.desk.folder)
        self.desk.rows = self.state.rows
        self._playing_for = self.state.generation + 1
        """The generation that is trained with the games that are played now."""

    def prepare(self) -> None:
        """Wait for the learner, which may have trained a generation that was not judged."""
        weights = self.desk.inputs.get("weights")
        self._learner.give(begin_learning, self.config, self.desk.folder, weights)
        while (trained := self._trained()) is None:
            self._hear("starting")
        if trained.generation == self.state.generation + 1:
            self._trained_before = trained

    def phase(self) -> Phase | None:
        """Return the generations that are judged."""
        done, of = self.state.generation, self.config.model_updates
        return Phase("generations", "generations", done, of) if done < of else None

    def step(self) -> Sequence[AlphaZeroRow]:
        """Play, train and judge one generation."""
        trained, self._trained_before = self._trained_before, None
        return [self._judge(trained or self._next_generation())]

    def save(self) -> None:
        """Write ``state.json``, the best network and the losses of all training loops."""
        state, folder = self.state, self.desk.folder
        state.rows = self.desk.rows
        row = state.rows[-1]
        best = read_net(net_path(folder, state.best))
        facts = {**best.training, "games": row.games, "hours": round(row.seconds / 3600, 3)}
        judged = next((each for each in state.rows if each.generation == state.best), None)
        if judged is not None and judged.accuracy is not None:
            facts["accuracy"] = judged.accuracy
        write_atomically(folder / "best.onnx", with_training(best, facts))
        table: list[list[object]] = [["loop", "generation", "policy", "value", "regularisation"]]
        table += [[number, *loss] for number, loss in enumerate(state.losses, start=1)]
        write_table(folder / "losses.csv", table)
        write_memory(folder, state)

    def rows(self) -> Sequence[AlphaZeroRow]:
        """Return all generations, with ratings by all matches so far."""
        ratings = ratings_of(self.state.results)
        return [
            replace(row, elo=round(ratings[row.generation].value, 1))
            if row.generation in ratings
            else row
            for row in self.desk.rows
        ]

    def draw(self) -> None:
        """Draw losses by training loops (S4, figure 6.1), and ratings."""
        losses, folder = self.state.losses, self.desk.folder
        if losses:
            parts = {
                "total": [sum(loss[1:]) for loss in losses],
                "policy": [loss[1] for loss in losses],
                "value": [loss[2] for loss in losses],
                "regularisation": [loss[3] for loss in losses],
            }
            lines = [
                curve(name, [(float(place), each) for place, each in enumerate(values, start=1)])
                for name, values in parts.items()
            ]
            labels = ("training loops", LOSSES.unit)
            drawn = curves(LOSSES.title, lines, labels=labels, band=True)
            save_figure(drawn, folder / f"{LOSSES.file}.svg")
        if self.state.results:
            ratings = ratings_of(self.state.results)
            line = Curve("generations", tuple(map(float, ratings)), tuple(ratings.values()))
            drawn = curves("Ratings", [line], labels=("generation", "Elo"), band=True)
            save_figure(drawn, folder / "elo.svg")

    def close(self) -> None:
        """End all processes; finished games are kept."""
        self._players.close()
        self._learner.close()
        self._flush()

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
            if not self._training or self._may_play_on(generation + 1):
                self._give_play()
            self._hear("training" if self._training else "self-play")
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
        net = File(net_path(self.desk.folder, self.state.best))
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

    def _hear(self, activity: str) -> dict[int, Any]:
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
            else:
                answers[first] = event.result
        if time.monotonic() - self._flushed > FLUSH:
            self._flush()
        totals = self._totals
        self.desk.tell(
            activity,
            games=totals.games,
            positions=totals.positions,
            evaluations=totals.evaluations,
        )
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
    def _judge(self, trained: Trained) -> AlphaZeroRow:
        """Find out how good a new generation is, and decide who plays on."""
        settings, state = self.config.evaluation, self.state
        generation = trained.generation
        self._playing_for = generation + 1
        net = net_path(self.desk.folder, generation)
        due = generation % settings.every == 0 or generation == self.config.model_updates
        score = Score(0, 0, 0)
        best = generation
        if (
            due
            and settings.eval_episodes
            and self.desk.game.num_players == 2
            and generation > settings.start_evaluation
        ):
            other = self._opponent(generation)
            score = self._match(net, net_path(self.desk.folder, other))
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
        state.seconds = self.desk.seconds()
        state.losses += [(generation, *losses) for losses in trained.losses]
        count = max(1, len(trained.losses))
        policy, value, regularisation = (
            sum(each[index] for each in trained.losses) / count for index in range(3)
        )
        self._flush()  # a row counts no game that a kill could lose
        totals = self._totals
        return AlphaZeroRow(
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

    def _do(self, works: list[Work], activity: str = "judging") -> list[Any]:
        """The answers to tasks, in their order; games that are finished meanwhile are collected."""
        tasks = [self._give(work) for work in works]
        answers: dict[int, Any] = {}
        while len(answers) < len(tasks):
            answers |= self._hear(activity)
        return [answers[task] for task in tasks]

    def _questions(self) -> list[Question]:
        settings = self.config.evaluation
        path = self.desk.folder / "questions.json"
        if path.exists():
            return load_questions(path, self.desk.game)
        plies = range(settings.plies[0], settings.plies[1] + 1)
        parts = -(-settings.positions // QUESTIONS)
        seeds = [self.config.seed * 1_000_003 + part for part in range(parts)]
        found = {
            question.notation: question
            for part in self._do(
                [(find_questions, (self.config, QUESTIONS, plies, seed)) for seed in seeds],
                "solving questions",
            )
            for question in part
        }
        questions = list(found.values())[: settings.positions]
        if not questions:
            raise SpecError(
                f"evaluation.plies = {list(settings.plies)}: there are no positions of "
                f"{self.desk.game} in which a move can be wrong"
            )
        write_atomically(path, save_questions(questions, self.desk.game).encode())
        return questions


def ratings_of(results: Sequence[Result]) -> dict[int, Estimate]:
    """Return Elo of the generations that played, in their order; the first opponent has 0."""
    if not results:
        return {}
    ratings = rate(results, anchor=(results[0][1], 0.0))
    return {int(name): ratings[name] for name in sorted(ratings.players, key=int)}


def shared_out(numbers: Sequence[int], workers: int) -> list[tuple[int, ...]]:
    """Numbers in as many parts as there are workers, pairs together.

    >>> shared_out(range(6), 2)
    [(0, 1, 2, 3), (4, 5)]
    """
    size = 2 * -(-len(numbers) // (2 * workers)) or 1
    return [tuple(numbers[first : first + size]) for first in range(0, len(numbers), size)]


METHOD = AlphaZero
