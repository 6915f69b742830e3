"""How often networks and other agents keep the exact value of solved positions, by ply.

The positions are those of `spielbaum.arena.exams`: from games of `uct` after a few random plies,
seeded, each with at least one move that loses value.

    python benchmarks/accuracy_net.py net:best.onnx@50 uct@1000 uct@10000 random@1
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

from parallel import on_all_cores, progress_of

import spielbaum as sb
from spielbaum.arena.exams import Question, load_questions, make_questions, save_questions
from spielbaum.base.statistics import Score, share_estimate

PART = 25
"""Questions that a process answers at a time."""


def find(task: tuple[str, range, int]) -> list[Question]:
    spec, plies, seed = task
    return make_questions(sb.game(spec), len(plies), plies, seed)  # one for each ply


def ask(task: tuple[str, str, list[Question]]) -> list[bool]:
    spec, player, questions = task
    name, _, iterations = player.rpartition("@")
    agent, game = sb.agent(name), sb.game(spec)
    kept = []
    for number, question in enumerate(questions):
        agent.reset(seed=number)
        state = game.state(question.notation)
        kept.append(question.keeps(agent.choose(state, sb.Budget(iterations=int(iterations))).move))
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("players", nargs="+", metavar="AGENT@ITERATIONS")
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--plies", type=int, nargs=2, default=(4, 30))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--questions", type=Path, help="a file that keeps the solved positions")
    given = parser.parse_args()
    with progress_of("questions") as progress:
        bar = progress.add_task("questions", total=given.positions * (1 + len(given.players)))

        def results(function, tasks):
            for part in on_all_cores(function, tasks):
                progress.advance(bar, len(part))
                yield part

        questions = prepared(given, results)
        parts = [questions[first : first + PART] for first in range(0, len(questions), PART)]
        kept = {
            player: [
                each
                for part in results(ask, [(given.game, player, part) for part in parts])
                for each in part
            ]
            for player in given.players
        }
    show(questions, kept)


def prepared(given, results) -> list[Question]:
    game = sb.game(given.game)
    if given.questions is not None and given.questions.exists():
        return load_questions(given.questions, game)
    plies = range(given.plies[0], given.plies[1] + 1)
    seeds = range(given.seed * 1000, given.seed * 1000 + -(-given.positions // len(plies)) + 4)
    found = {
        question.notation: question
        for part in results(find, [(given.game, plies, seed) for seed in seeds])
        for question in part
    }
    questions = list(found.values())[: given.positions]
    if given.questions is not None:
        given.questions.write_text(save_questions(questions, game), encoding="utf-8")
    return questions


def show(questions: list[Question], kept: dict[str, list[bool]]) -> None:
    by_ply: dict[int, list[int]] = defaultdict(list)
    for index, question in enumerate(questions):
        by_ply[question.ply].append(index)
    print(f"ply  positions  {'  '.join(kept)}")
    for ply in sorted(by_ply):
        shares = [
            f"{sum(answers[index] for index in by_ply[ply]) / len(by_ply[ply]):{len(name)}.0%}"
            for name, answers in kept.items()
        ]
        print(f"{ply:3}  {len(by_ply[ply]):9}  {'  '.join(shares)}")
    for name, answers in kept.items():
        share = share_estimate(Score(sum(answers), 0, len(answers) - sum(answers)))
        print(f"{name}: value kept in {share:.1%} of {len(answers):,} positions")


if __name__ == "__main__":
    main()
