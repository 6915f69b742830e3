"""N-tuple networks: values against a plain reference, tuples, agents, searches, inspection."""

import math
import random

import numpy as np
import pytest

import spielbaum as sb
from spielbaum import _core
from spielbaum.agents.ntuple import NTupleAgent
from spielbaum.arena.strength import Referee, against_perfect
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.models.ntuple import (
    NTupleNetwork,
    Supervised,
    combine,
    random_tuples,
    realisable_states,
)
from spielbaum.models.ntuple_file import load_network, save_network
from spielbaum.solvers.solver import Solver, Wanted


def random_states(game, number, seed):
    rng = random.Random(seed)
    found = []
    while len(found) < number:
        state = game.initial()
        for _ in range(rng.randrange(30)):
            if state.outcome is None:
                state = state.play(rng.choice(state.legal_moves))
        if state.outcome is None:
            found.append(state)
    return found


def filled(network, seed):
    rng = np.random.default_rng(seed)
    network.weights[:] = rng.normal(scale=0.1, size=network.weights.shape).astype(np.float32)
    return network


def contents(state, number):
    """What is on the cells, told by the drawn board alone."""
    cells = list(state.cells)
    if number == 4 and state.num_players == 2:
        columns = state.game.options["columns"]
        for cell, content in enumerate(cells):
            reachable = cell < columns or cells[cell - columns] in (1, 2)
            if content == 0 and reachable:
                cells[cell] = 3
    return cells


def reference(network, state):
    """The value to every player, by the formulas and nothing else."""
    several = state.num_players > 2
    movers = state.num_players if network.table_per_player else 1
    images = state.symmetries() if network.symmetries else state.symmetries()[:1]
    values = []
    for output in range(state.num_players if several else 1):
        column = output * movers + (state.to_move if movers > 1 else 0)
        total = float(network.weights[-1, column]) if network.bias else 0.0
        for image in images:
            cells = contents(image.state, network.contents)
            for index, places in enumerate(network.tuples):
                entry = sum(cells[c] * network.contents**i for i, c in enumerate(places))
                total += float(network.table(index)[entry, column])
        values.append(math.tanh(network.k * total))
    return values if several else [values[0], -values[0]]


NETWORKS = [
    ("tictactoe", {}),
    ("connect4", {}),
    ("connect4", {"contents": 3, "table_per_player": False}),
    ("connect4:rows=8,columns=9", {"bias": True, "k": 0.5}),
    ("reversi", {}),
    ("reversi:size=6", {"symmetries": False}),
    ("yavalath", {}),
    ("yavalath:swap=on", {"bias": True}),
    ("yavalath:players=3", {}),
    ("yavalath:players=3", {"table_per_player": False, "symmetries": False}),
]


@pytest.mark.parametrize(("spec", "settings"), NETWORKS)
def test_values_are_those_of_the_formulas(spec, settings):
    game = sb.game(spec)
    tuples = random_tuples(game, "walk", [2, 3, 4], rng=_core.Rng(4))
    network = filled(NTupleNetwork(game, tuples, **settings), 1)
    for state in random_states(game, 12, 2):
        expected = reference(network, state)
        assert network.values(state) == pytest.approx(expected, abs=1e-5)
        for move, value in network.move_values(state).items():
            after = state.play(move)
            known = after.outcome.rewards if after.outcome else reference(network, after)
            assert value == pytest.approx(known[state.to_move], abs=1e-5)
        added = sum(each.weight for each in network.contributions(state))
        if not network.bias:
            value = math.tanh(network.k * added)
            assert value == pytest.approx(expected[state.to_move], abs=1e-5)


def test_contributions_name_the_entries():
    game = sb.game("connect4")
    network = filled(NTupleNetwork(game, [[0, 7, 14], [3, 4]], symmetries=False), 3)
    state = game.state("1123")
    first, second = network.contributions(state)
    assert network.contents_of(0, first.entries[0]) == (1, 2, 3)
    assert network.contents_of(1, second.entries[0]) == (3, 3)
    assert first.weight == pytest.approx(network.lookup(0, [1, 2, 3], to_move=0))


def test_walks_are_connected_and_visit_central_cells_more_often():
    game = sb.game("connect4")
    neighbours = _core.tuple_cells(game._core).neighbours
    counts = np.zeros(42)
    rng = _core.Rng(5)
    for _ in range(3000):
        tuple_ = random_tuples(game, "walk", [8], rng=rng)[0]
        for index, cell in enumerate(tuple_[1:], start=1):
            assert set(neighbours[cell]) & set(tuple_[:index])
        counts[list(tuple_)] += 1
    board = 1000 * (counts / counts.sum()).reshape(6, 7)
    # In S1's figure 4.21 corners have 8 per mille and the middle 43: its walks kept to the middle
    # more than those of its description do.
    assert board[0, 0] < 16 < 28 < board[2, 3]


FIGURE_4_21 = (
    (8, 15, 19, 21, 19, 15, 8),
    (14, 25, 32, 35, 32, 25, 15),
    (17, 30, 39, 43, 39, 30, 17),
    (17, 30, 39, 43, 39, 30, 17),
    (15, 25, 32, 36, 32, 25, 15),
    (8, 15, 19, 21, 19, 15, 8),
)
"""Visits of the cells in per mille, as S1 published them."""


@pytest.mark.parametrize(
    ("kind", "mean", "most"), [("slide", (0.0, 1.0), (0.0, 3.5)), ("walk", (2.5, 6.0), (9.0, 18.0))]
)
def test_figure_4_21_fits_walks_that_slide_and_no_others(kind, mean, most):
    game, rng, counts = sb.game("connect4"), _core.Rng(5), np.zeros(42)
    for _ in range(6000):
        counts[list(random_tuples(game, kind, [8], rng=rng)[0])] += 1
    board = 1000 * (counts / counts.sum()).reshape(6, 7)
    errors = np.abs(board - np.array(FIGURE_4_21))
    assert mean[0] < errors.mean() < mean[1]
    assert most[0] < errors.max() < most[1]


@pytest.mark.parametrize(
    ("spec", "number", "length", "message"),
    [
        ("tictactoe", 10, 8, "or led to tuples that were there already"),  # there are 9
        ("connect4", 1, 42, "length 42: of 1000000 walks all met themselves"),
        ("yavalath", 1, 4, "expected a game on a board of squares"),
        ("connect4:rows=4,columns=4", 1, 17, "expected a length from 1 to 16"),
    ],
)
def test_walks_that_cannot_be_found_end_with_a_sentence(spec, number, length, message):
    with pytest.raises(SpecError, match=message):
        random_tuples(sb.game(spec), "slide", [length] * number, rng=_core.Rng(1))


def test_a_network_without_squashing_keeps_to_the_contract(tmp_path):
    game = sb.game("tictactoe")
    network = NTupleNetwork(game, [[0], [4]], symmetries=False, k=2.0, squash=False)
    network.table(0)[0, 0] = 0.1
    assert network.value(game.initial()) == pytest.approx(0.2)
    network.table(1)[:] = [[40.0, -40.0]] * 3  # far beyond 1, good for who is to move
    assert network.value(game.initial()) == 1.0
    file = tmp_path / "linear.npz"
    save_network(network, file)
    assert load_network(file).squash is False
    for spec in (
        f"ntuple:{file}",
        f"ntuple:{file},depth=2",
        f"alphabeta:eval=ntuple:{file}",
        f"mcts:cut=0,eval=ntuple:{file}",
    ):
        budget = sb.Budget(depth=2, iterations=50)
        decision = sb.agent(spec).choose(game.initial(), budget)
        values = [decision.value, *(move.value for move in decision.moves)]
        assert all(-1.0 <= value <= 1.0 for value in values), spec
        assert max(map(abs, values)) > 0.9, spec
    with pytest.raises(SpecError, match="squash"):
        combine([network, NTupleNetwork(game, [[0]], symmetries=False)])


def test_learning_without_squashing_reaches_the_target_itself():
    game = sb.game("tictactoe")
    network = NTupleNetwork(game, [[0, 1, 2], [3, 4, 5]], squash=False)
    lesson = Supervised(network, [game.state("a1 b1"), game.initial()], [1.0, 0.25])
    assert lesson.learn(alpha=0.02, epochs=200, seed=1) < 1e-6


@pytest.mark.parametrize(
    ("kind", "length", "number", "low", "high"),
    # S1: "less than eight percent" for walks of length 8; figure 4.19: a difference of about 30
    # points between 3 and 4 contents for walks of length 7. Walks that slide do not fit that.
    [("walk", 8, 4, 0.05, 0.08), ("points", 8, 4, 0.08, 0.6), ("slide", 8, 4, 0.08, 0.2)],
)
def test_share_of_states_that_can_occur(kind, length, number, low, high):
    game = sb.game("connect4")
    rng = _core.Rng(6)
    tuples = [random_tuples(game, kind, [length], rng=rng)[0] for _ in range(4000)]
    shares = [realisable_states(game, each, number) / number**length for each in tuples]
    assert low < np.mean(shares) < high


def test_three_and_four_contents_differ_as_published():
    game = sb.game("connect4")
    rng = _core.Rng(7)
    tuples = [random_tuples(game, "walk", [7], rng=rng)[0] for _ in range(4000)]
    three, four = (
        np.mean([realisable_states(game, each, m) / m**7 for each in tuples]) for m in (3, 4)
    )
    assert three - four == pytest.approx(0.30, abs=0.02)


def test_tuples_are_different_and_of_the_lengths_asked_for():
    game = sb.game("yavalath")
    tuples = random_tuples(game, "walk", [2] * 100, rng=_core.Rng(1))
    assert len({frozenset(each) for each in tuples}) == 100
    with pytest.raises(SpecError, match="not so many different tuples of length 1"):
        random_tuples(sb.game("tictactoe"), "points", [1] * 10, rng=_core.Rng(1))
    with pytest.raises(SpecError, match="expected a length from 1 to 9"):
        random_tuples(sb.game("tictactoe"), "walk", [10], rng=_core.Rng(1))


@pytest.mark.parametrize(
    ("tuples", "settings", "message"),
    [
        ([], {}, "at least one tuple"),
        ([[]], {}, "at least one cell"),
        ([[0, 0]], {}, "cell 0 twice"),
        ([[42]], {}, "cell 42; cells go from 0 to 41"),
        ([[-1]], {}, "not on the board"),
        ([list(range(30))], {}, "too long"),
        ([[0]], {"contents": 5}, "has 4 or 3 contents"),
    ],
)
def test_impossible_networks(tuples, settings, message):
    with pytest.raises(SpecError, match=message):
        NTupleNetwork(sb.game("connect4"), tuples, **settings)


def test_combined_networks_mean_the_mean():
    game = sb.game("connect4")
    first = filled(NTupleNetwork(game, [[0, 1], [9]], bias=True), 1)
    second = filled(NTupleNetwork(game, [[5, 6, 7]], bias=True, k=0.5), 2)
    both = combine([first, second])
    for state in random_states(game, 5, 3):
        mean = (math.atanh(first.value(state)) + math.atanh(second.value(state))) / 2
        assert math.atanh(both.value(state)) == pytest.approx(mean, abs=1e-4)
    third = filled(NTupleNetwork(game, [[9], [0, 1]], bias=True), 4)
    shared = combine([first, third])
    assert shared.tuples == first.tuples
    for state in random_states(game, 5, 3):
        mean = (math.atanh(first.value(state)) + math.atanh(third.value(state))) / 2
        assert math.atanh(shared.value(state)) == pytest.approx(mean, abs=1e-4)
    with pytest.raises(SpecError, match="contents"):
        combine([first, NTupleNetwork(game, [[0]], contents=3, bias=True)])


def test_supervised_learning_of_all_of_tictactoe():
    game = sb.game("tictactoe")
    referee = Referee(game)
    states, waiting = {}, [game.initial()]
    while waiting:
        state = waiting.pop()
        if state.outcome is None and state.key not in states:
            states[state.key] = state
            waiting += [state.play(move) for move in state.legal_moves]
    assert len(states) == 4520
    known = list(states.values())
    network = NTupleNetwork(game, [list(range(9))], table_per_player=False)
    lesson = Supervised(network, known, [referee.value(state) for state in known])
    assert lesson.learn(alpha=0.3, epochs=12, seed=1) < 0.01
    player = NTupleAgent.of(network)
    points = [against_perfect(player.greedy, referee, game.initial(), seed=s) for s in range(20)]
    assert points == [0.5] * 20


# ---- agents ----
@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    game = sb.game("connect4")
    tuples = random_tuples(game, "walk", [5] * 8, rng=_core.Rng(1))
    network = NTupleNetwork(game, tuples)
    options = _core.TdOptions()
    options.alpha = _core.Schedule("constant", 0.01, 0.01, 0, 1)
    options.epsilon = _core.Schedule("constant", 0.2, 0.2, 0, 1)
    trainer = _core.make_trainer(network._core, options, None)
    assert trainer.train(0, 2000, 1, 60.0, _core.StopFlag()) == 2000
    path = tmp_path_factory.mktemp("networks") / "some network.npz"
    save_network(network, path)
    return path


def test_agent_reads_its_file_and_explains_itself(trained):
    agent = sb.agent(f"ntuple:{trained}")
    assert str(agent) == f"ntuple:{trained}"
    assert str(sb.agent(f"ntuple:path={trained},depth=2")) == f"ntuple:{trained},depth=2"
    state = sb.game("connect4").state("4453")
    decision = agent.choose(state)
    assert decision.value == max(each.value for each in decision.moves)
    assert decision == agent.choose(state)
    assert decision.stats["network"] == agent.network.value(state)
    assert sum(key.startswith("tuple ") for key in decision.stats) == 8
    won = sb.game("connect4").state("121212")
    assert agent.choose(won).moves[0].proven == 1.0


def test_agent_searches_deeper_with_depth(trained):
    state = sb.game("connect4").state("1122335")  # o must stop a four at d1
    assert state.text(sb.agent(f"ntuple:{trained},depth=1").choose(state).move) == "d1"
    deep = sb.agent(f"ntuple:{trained},depth=3").choose(sb.game("connect4").initial())
    assert deep.stats["depth"] == 4
    assert -1 < deep.value < 1


def test_alphabeta_with_a_network_is_plain_minimax(trained):
    network = sb.agent(f"ntuple:{trained}").network
    game = sb.game("connect4")

    def minimax(state, depth):
        outcome = state.outcome
        if outcome is not None:
            return outcome.rewards[state.to_move]
        if depth == 0:
            return network.value(state)
        return max(-minimax(state.play(move), depth - 1) for move in state.legal_moves)

    agent = sb.agent(f"alphabeta:eval=ntuple:{trained},order=ntuple:{trained}")
    assert str(agent) == f"alphabeta:eval=ntuple:{trained},order=ntuple:{trained}"
    for state in random_states(game, 6, 8):
        agent.reset()
        found = agent.choose(state, sb.Budget(depth=3)).value
        assert found == pytest.approx(minimax(state, 3), abs=2e-3)


def test_mcts_with_a_network(trained):
    game = sb.game("connect4")
    agent = sb.agent(f"mcts:select=uct,cut=0,eval=ntuple:{trained},seed=1")
    state = game.state("4453")
    decision = agent.choose(state, sb.Budget(iterations=300))
    again = sb.agent(str(agent)).choose(state, sb.Budget(iterations=300))
    assert decision == again
    one = agent.choose(game.initial(), sb.Budget(iterations=1))
    network = sb.agent(f"ntuple:{trained}").network
    chosen = game.initial().play(one.move)
    assert one.value == pytest.approx(-network.value(chosen), abs=1e-6)


def test_a_third_occurrence_is_a_draw():
    game = sb.game("chess")
    network = NTupleNetwork(game, [[cell] for cell in range(64)])
    network.weights[:] = 0.01
    shuffled = game.initial()
    for text in ("g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"):
        shuffled = shuffled.play(shuffled.parse(text))
    values = {each.move: each.value for each in NTupleAgent.of(network).choose(shuffled).moves}
    again = shuffled.parse("f6g8")
    assert values.pop(again) == 0.0
    assert 0.0 not in values.values()


def test_solver_with_a_network_finds_the_same(trained):
    game = sb.game("connect4:rows=5,columns=5")
    tuples = random_tuples(game, "walk", [4] * 4, rng=_core.Rng(1))
    network = filled(NTupleNetwork(game, tuples), 1)
    ordered, plain = Solver(game, 1, network, order_stones=25), Solver(game, 1)
    for state in random_states(game, 5, 1):
        wanted = Wanted(exact=True)
        assert ordered.run(state, wanted).score == plain.run(state, wanted).score
    with pytest.raises(SpecError, match="the solver of tictactoe takes no network"):
        Solver(sb.game("tictactoe"), 1, network)


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("ntuple", SpecError, "needs the file of a network, as in ntuple:FILE"),
        ("ntuple:/nowhere.npz", ModelError, "No such file"),
        ("ntuple:/nowhere.npz,path=x", SpecError, "option path is given twice"),
        ("ntuple:depth=2", SpecError, "needs the file"),
        ("alphabeta:eval=ntuple:/nowhere.npz", ModelError, "No such file"),
        ("alphabeta:order=best", SpecError, "expected history or ntuple:FILE"),
        ("mcts:eval=ntuple:/nowhere.npz", ModelError, "No such file"),
        ("random:seven", SpecError, "expected key=value, not 'seven'"),
    ],
)
def test_mistakes_in_specs(spec, error, message):
    with pytest.raises(error, match=message):
        sb.agent(spec)


@pytest.mark.parametrize("kind", ["ntuple:{}", "alphabeta:eval=ntuple:{}", "mcts:eval=ntuple:{}"])
def test_network_of_another_game(trained, kind):
    agent = sb.agent(kind.format(trained))
    for other in ("tictactoe", "connect4:columns=8", "chess"):
        with pytest.raises(ModelError, match=f"is for connect4, not for {other}"):
            agent.choose(sb.game(other).initial(), sb.Budget(iterations=1, depth=1))


def test_inspection(trained, cli):
    ran = cli("inspect", "ntuple", str(trained))
    assert ran.code == 0
    assert "8 of length 5" in ran.out
    ran = cli("inspect", "ntuple", str(trained), "--tuple", "3")
    assert ran.code == 0
    assert "weight 1" in ran.out
    ran = cli("inspect", "ntuple", str(trained), "--tuple", "3", "--contents", "x o . _ .")
    assert ran.out.count("to move") == 2
    ran = cli("inspect", "ntuple", str(trained), "--worth", "--top", "4")
    assert len(ran.out.splitlines()) == 5
    ran = cli("inspect", "ntuple", str(trained), "--position", "4453", "--top", "3")
    assert "sum of all tuples" in ran.out
    for wrong in (["--tuple", "8"], ["--tuple", "0", "--contents", "xx"], ["--position", "99"]):
        ran = cli("inspect", "ntuple", str(trained), *wrong)
        assert (ran.code, ran.err.count("\n")) == (2, 1)
