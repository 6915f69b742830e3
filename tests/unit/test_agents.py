"""Agents: budgets, decisions, the registry, and the agents random and human."""

from __future__ import annotations

import dataclasses
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import spielbaum as sb
from spielbaum.agents import registry
from spielbaum.agents.human import HumanAgent, list_moves


@pytest.fixture
def clean_registry() -> Iterator[None]:
    """Forget the agents that a test registers."""
    before = dict(registry._registered)
    yield
    registry._registered.clear()
    registry._registered.update(before)


class FirstMove(sb.Agent):
    """The smallest agent possible."""

    def __init__(self, **options: object) -> None:
        self.options = options

    def choose(self, state: sb.State, budget: sb.Budget | None = None) -> sb.Decision:
        """The first legal move."""
        return sb.Decision(move=state.legal_moves[0])


# Budget and StopToken


def test_a_budget_without_limits_is_allowed() -> None:
    assert sb.Budget() == sb.Budget(None, None, None, None, None)


def test_a_budget_keeps_its_limits_and_cannot_change() -> None:
    token = sb.StopToken()
    budget = sb.Budget(iterations=10, seconds=1, depth=3, nodes=1000, stop=token)
    assert (budget.iterations, budget.seconds, budget.depth, budget.nodes) == (10, 1, 3, 1000)
    assert budget.stop is token
    with pytest.raises(dataclasses.FrozenInstanceError):
        budget.depth = 4  # type: ignore[misc]


def test_a_budget_takes_the_numbers_of_numpy() -> None:
    limits: dict[str, Any] = {"iterations": np.int64(5), "seconds": np.float32(0.5)}
    budget = sb.Budget(**limits)
    assert budget == sb.Budget(iterations=5, seconds=0.5)
    assert (type(budget.iterations), type(budget.seconds)) == (int, float)


@pytest.mark.parametrize("name", ["iterations", "depth", "nodes"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "10", True])
def test_counts_must_be_positive_whole_numbers(name: str, value: object) -> None:
    limits: dict[str, Any] = {name: value}
    with pytest.raises(sb.SpecError, match=f"{name}=.*: expected a whole number of at least 1"):
        sb.Budget(**limits)


@pytest.mark.parametrize("value", [0, -0.5, float("nan"), float("inf"), "1", True])
def test_seconds_must_be_positive(value: Any) -> None:
    with pytest.raises(sb.SpecError, match=r"budget: option seconds=.*: expected a number"):
        sb.Budget(seconds=value)


def test_stop_must_be_a_token() -> None:
    with pytest.raises(sb.SpecError, match="expected a StopToken"):
        sb.Budget(stop=True)  # type: ignore[arg-type]


def test_a_token_can_be_stopped_from_another_thread() -> None:
    token = sb.StopToken()
    assert not token.stopped
    assert "running" in repr(token)
    thread = threading.Thread(target=token.stop)
    thread.start()
    thread.join()
    assert token.stopped
    assert "stopped" in repr(token)


@pytest.mark.parametrize("spec", ["uct", "alphabeta"])
def test_a_signal_ends_a_search(spec: str) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupted)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            sb.agent(spec).choose(sb.game("hex").initial(), sb.Budget(seconds=20))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# Decision


def test_equal_decisions_may_have_different_statistics() -> None:
    one = sb.Decision(3, 0.5, (sb.MoveEval(3, 0.5),), (3,), {"seconds": 0.1})
    other = sb.Decision(3, 0.5, (sb.MoveEval(3, 0.5),), (3,), {"seconds": 0.2})
    assert one == other
    assert hash(one) == hash(other)
    assert one != dataclasses.replace(one, value=0.25)
    assert pickle.loads(pickle.dumps(one)) == one


# The registry


def test_both_agents_are_listed_with_options_and_help() -> None:
    by_name = {info.name: info for info in sb.agents()}
    assert list(by_name) == sorted(by_name)
    assert {"human", "random"} <= set(by_name)
    assert all(info.help for info in by_name.values())
    (seed,) = by_name["random"].options
    assert (seed.name, seed.default) == ("seed", 0)


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        ("random", "random"),
        ("random:seed=0", "random"),
        ("random: seed = 7", "random:seed=7"),
        ("human", "human"),
    ],
)
def test_specs_round_trip(spec: str, canonical: str) -> None:
    made = sb.agent(spec)
    assert made.spec == str(made) == canonical
    assert canonical in repr(made)
    assert str(sb.agent(str(made))) == canonical


def test_options_as_keywords() -> None:
    assert str(sb.agent("random", seed=7)) == "random:seed=7"
    with pytest.raises(sb.SpecError, match="option seed is given twice"):
        sb.agent("random:seed=7", seed=8)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "randm",
            r"there is no agent 'randm' \(did you mean random\?\); the agents are alphabeta, ",
        ),
        ("random:sed=1", r"agent random has no option 'sed' \(did you mean seed\?\)"),
        ("random:seed=x", "agent random: option seed=x: expected a whole number"),
        ("random:seed=-1", "agent random: option seed=-1: expected a whole number"),
        ("human:a=1", "agent human has no option 'a'; it has no options"),
        ("", "expected a name"),
    ],
)
def test_bad_specs_say_what_is_wrong(spec: str, message: str) -> None:
    with pytest.raises(sb.SpecError, match=message):
        sb.agent(spec)


@pytest.mark.usefixtures("clean_registry")
def test_an_agent_of_ones_own() -> None:
    options = (sb.Option("strength", 3, "how strong", low=1, high=9), sb.Option("noise", 0.5))
    sb.register_agent("first", FirstMove, options=options, help="the first legal move")
    made = sb.agent("first:strength=5")
    assert isinstance(made, FirstMove)
    assert made.options == {"strength": 5, "noise": 0.5}
    assert str(made) == "first:strength=5"
    assert "first" in [info.name for info in sb.agents()]
    made.stop()
    made.reset(seed=1)
    with pytest.raises(sb.SpecError, match="agent first is registered already"):
        sb.register_agent("first", FirstMove)
    sb.register_agent("first", FirstMove, replace=True)
    with pytest.raises(sb.SpecError, match="agent name 'First Move'"):
        sb.register_agent("First Move", FirstMove)


def test_an_agent_that_was_not_made_from_a_spec_has_the_name_of_its_class() -> None:
    assert str(FirstMove()) == "FirstMove"


@pytest.mark.parametrize("spec", ["random", "human"])
def test_nobody_chooses_in_a_finished_game(spec: str) -> None:
    finished = sb.game("tictactoe").state("a1 a2 b1 b2 c1")
    with pytest.raises(sb.IllegalMove, match="the game is over: three in a row"):
        sb.agent(spec).choose(finished)


# random


def moves_of_a_game(agent: sb.Agent, name: str = "connect4") -> list[int]:
    """All moves of a game that one agent plays against itself."""
    state = sb.game(name).initial()
    moves = []
    while state.outcome is None:
        moves.append(agent.choose(state).move)
        state = state.play(moves[-1])
    return moves


def test_random_says_all_it_knows() -> None:
    state = sb.game("tictactoe").state("b2 a1")
    decision = sb.agent("random").choose(state, sb.Budget(iterations=5))
    assert decision.move in state.legal_moves
    assert decision.value == 0.0
    assert decision.pv == (decision.move,)
    assert tuple(each.move for each in decision.moves) == state.legal_moves
    assert all(each.prior == pytest.approx(1 / 7) for each in decision.moves)
    assert all((each.value, each.visits, each.proven) == (0.0, 0, None) for each in decision.moves)
    assert decision.stats["legal_moves"] == 7


@pytest.mark.parametrize("name", ["chess", "connect4", "reversi", "tictactoe", "yavalath"])
def test_random_repeats_itself_after_reset(name: str) -> None:
    agent = sb.agent("random:seed=5")
    first = moves_of_a_game(agent, name)
    agent.reset()
    assert moves_of_a_game(agent, name) == first
    assert moves_of_a_game(sb.agent("random:seed=5"), name) == first
    agent.reset(seed=6)
    other = moves_of_a_game(agent, name)
    assert other == moves_of_a_game(sb.agent("random:seed=6"), name)


def test_seeds_matter_and_games_in_a_row_differ() -> None:
    agent = sb.agent("random")
    games = {tuple(moves_of_a_game(agent)) for _ in range(5)}
    games |= {tuple(moves_of_a_game(sb.agent("random", seed=seed))) for seed in range(1, 6)}
    assert len(games) == 10


def test_a_bad_seed_is_refused() -> None:
    with pytest.raises(sb.SpecError, match="option seed=-1"):
        sb.agent("random").reset(seed=-1)


def test_random_is_uniform() -> None:
    state = sb.game("connect4").initial()
    agent = sb.agent("random:seed=3")
    games = 7000
    counts = [0] * 7
    for _ in range(games):
        counts[agent.choose(state).move] += 1
    expected = games / 7
    chi_squared = sum((count - expected) ** 2 / expected for count in counts)
    assert chi_squared < 22.5  # 6 degrees of freedom: exceeded once in a thousand seeds


# human


def person(*answers: str) -> tuple[HumanAgent, list[str]]:
    """A person who gives these answers, and the list of what is said to that person."""
    said: list[str] = []
    pending = iter(answers)

    def ask(prompt: str) -> str:
        said.append(prompt)
        answer = next(pending, None)
        if answer is None:
            raise EOFError
        return answer

    tell: Callable[[str], None] = said.append
    return HumanAgent(ask=ask, tell=tell), said


def test_a_person_sees_the_board_and_moves() -> None:
    state = sb.game("tictactoe").state("b2 a1")
    agent, said = person(" C3 ")
    decision = agent.choose(state)
    assert state.text(decision.move) == "c3"
    assert said == [str(state), "your move> "]
    assert tuple(each.move for each in decision.moves) == state.legal_moves
    assert decision.stats["seconds"] >= 0  # type: ignore[operator]


def test_a_person_is_asked_again_and_told_why() -> None:
    state = sb.game("tictactoe").state("b2 a1")
    agent, said = person("z9", "b2", "", "moves", "help", "c3")
    agent.choose(state)
    replies = said[2::2]
    assert "z9" in replies[0]
    assert "b2" in replies[1]
    assert replies[2] == replies[4]
    assert "moves" in replies[2]
    assert replies[3] == "7 legal moves: b1 c1 a2 c2 a3 b3 c3"


def test_the_end_of_the_input_reaches_the_caller() -> None:
    agent, _ = person("rubbish")
    with pytest.raises(EOFError):
        agent.choose(sb.game("tictactoe").initial())


def test_long_lists_of_moves_are_wrapped() -> None:
    lines = list_moves(sb.game("yavalath").initial()).splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 78
    words = " ".join(lines).split()
    assert words[:3] == ["61", "legal", "moves:"]
    assert len(words) == 3 + 61


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("uct:rave_k=9", "select=rave"),
        ("uct:tree_moves=off", "select=amaf, rave or grave"),
        ("rave:context=2", "playout=lgr"),
        ("mcts:prior=eval", "select=puct"),
        ("mcts:select=puct,prior_t=1", "prior=eval"),
        ("mcts:select=puct,dirichlet=1", "another noise"),
        ("alphabeta:order_plies=3", "another order"),
    ],
)
def test_options_without_effect_are_refused_where_somebody_writes_them(
    spec: str, expected: str
) -> None:
    with pytest.raises(sb.SpecError, match=f"has no effect with .*; expected {expected}"):
        sb.agent(spec)
    with pytest.raises(sb.SpecError, match="has no effect"):
        registry.check_agent(spec, written=True)
    registry.check_agent(spec)
    stored = registry.stored_agent(spec)
    assert str(stored) == spec
    assert str(pickle.loads(pickle.dumps(stored))) == spec


def test_options_that_have_an_effect_are_taken() -> None:
    for spec in ("rave:rave_k=9", "mcts:select=puct,noise=0.25,dirichlet=1", "uct:c=0.5"):
        assert str(sb.agent(spec)) == spec


def test_a_pickled_agent_is_made_anew_from_its_spec() -> None:
    agent = sb.agent("random:seed=7")
    start = sb.game("connect4").initial()
    first = agent.choose(start).move
    copied = pickle.loads(pickle.dumps(agent))
    assert str(copied) == "random:seed=7"
    assert copied.choose(start).move == first
