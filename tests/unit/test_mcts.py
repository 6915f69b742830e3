"""The agent mcts and its presets: decisions, budgets, reuse, errors."""

import threading
import time

import pytest

import spielbaum as sb
from heap import Heap
from spielbaum import _core
from spielbaum.agents.registry import agent_info
from timing import measures_time

GAMES = ("tictactoe", "connect4", "yavalath", "yavalath:players=3", "reversi:size=6", "chess")
PRESETS = (
    "mcts",
    "uct",
    "uct1",
    "uct2",
    "uct3",
    "amaf",
    "rave",
    "lgr",
    "amaf-lgr",
    "rave-lgr",
    "mcts-gdk",
    "mcts-pn",
)
RULES = (
    "mcts:select=uct",
    "mcts:select=uct2",
    "mcts:k=3,select=pn",
    "mcts:select=uct1,symmetry=on,playout=gdk",
    "mcts:select=ucb1-tuned,playout=mast",
    "mcts:beta=silver,tree_moves=on",
    "mcts:playout=lgr,context=2,forget=on,first_reply=on",
    "mcts:playout=gdk,final=value",
    "mcts:select=ucd,d1=2,d2=1,d3=1",
    "mcts:select=uct3,symmetry=on,playout=random",
    "mcts:cut=3",
    "mcts:select=uct,minimax=0.3,cut=0",
    "mcts:select=puct,c=1.5,fpu=parent,prior=eval",
    "mcts:select=puct,noise=0.25,temperature=1",
    "mcts:select=puct,root=gumbel,considered=4",
)
TWO_PLAYERS = ("k=3", "uct3", "ucd", "minimax")


@pytest.mark.parametrize("spec", PRESETS + RULES)
@pytest.mark.parametrize("name", GAMES)
def test_every_rule_plays_every_game(spec, name):
    if "players=3" in name and any(rule in spec for rule in TWO_PLAYERS):
        with pytest.raises(sb.SpecError, match="works for two players, and the game has 3"):
            sb.agent(spec).choose(sb.game(name).initial())
        return
    state = sb.game(name).initial()
    iterations = 30 if name == "chess" else 200
    first, second = (
        sb.agent(spec).choose(state, sb.Budget(iterations=iterations)) for _ in range(2)
    )
    assert first == second  # the same seed
    assert first.move in state.legal_moves
    assert [each.move for each in first.moves] == list(state.legal_moves)
    assert first.stats["iterations"] == iterations
    visits = sum(each.visits for each in first.moves)
    merged = spec in ("uct1", "uct2") or "symmetry=on" in spec  # where twins count together
    assert visits >= iterations if merged else visits == iterations
    assert all(-1 <= each.value <= 1 and each.pv[0] == each.move for each in first.moves)
    assert first.pv[0] == first.move


def test_alpha_beta_looks_ahead():
    # x wins in three plies by a second open end; plain playouts only suspect it.
    state = sb.game("connect4").state("4455")
    plain = sb.agent("mcts:solver=off").choose(state, sb.Budget(iterations=300))
    assert all(each.proven is None for each in plain.moves)
    decision = sb.agent("mcts:solver=off,k=5").choose(state, sb.Budget(iterations=300))
    assert (decision.value, decision.stats["proven"]) == (1.0, True)
    assert state.text(decision.move) in ("c1", "f1")


def test_seeds_differ_and_reset_begins_again():
    state = sb.game("connect4").initial()
    budget = sb.Budget(iterations=300)
    agent = sb.agent("mcts:seed=1")
    first = agent.choose(state, budget)
    assert sb.agent("mcts:seed=2").choose(state, budget) != first
    agent.reset()
    assert agent.choose(state, budget) == first
    agent.reset(seed=2)
    assert agent.choose(state, budget) == sb.agent("mcts:seed=2").choose(state, budget)


def test_tic_tac_toe_is_proven_a_draw():
    agent = sb.agent("mcts:select=uct,playout=random,c=1.4")
    decision = agent.choose(sb.game("tictactoe").initial(), sb.Budget(iterations=200_000))
    assert decision.stats["proven"]
    assert decision.value == 0.0
    assert decision.stats["iterations"] < 200_000


@pytest.mark.parametrize("spec", ["mcts", "mcts:select=uct", "mcts:playout=gdk"])
def test_a_win_is_played_and_a_loss_avoided(spec):
    win = sb.game("connect4").state("121212")
    decision = sb.agent(spec).choose(win, sb.Budget(iterations=2000))
    assert (win.text(decision.move), decision.value) == ("a4", 1.0)
    block = sb.game("connect4").state("12131")  # x has three in column a
    decision = sb.agent(spec).choose(block, sb.Budget(iterations=2000))
    assert block.text(decision.move) == "a4"
    others = [each.proven for each in decision.moves if each.move != decision.move]
    assert set(others) <= {None, -1.0}
    assert -1.0 in others


def test_the_tree_is_kept_while_the_game_goes_on():
    agent, state = sb.agent("mcts"), sb.game("connect4").initial()
    for _ in range(3):
        decision = agent.choose(state, sb.Budget(iterations=2000))
        state = state.play(decision.move).play(decision.pv[1])
    assert agent.choose(state, sb.Budget(iterations=10)).stats["kept"] > 100
    assert agent.choose(sb.game("connect4").initial(), sb.Budget(iterations=10)).stats["kept"] == 0
    fresh = sb.agent("mcts:reuse=off")
    fresh.choose(state, sb.Budget(iterations=100))
    assert fresh.choose(state, sb.Budget(iterations=100)).stats["kept"] == 0


def test_a_small_memory_is_not_exceeded():
    agent = sb.agent("mcts:memory=1")
    decision = agent.choose(sb.game("connect4").initial(), sb.Budget(iterations=50_000))
    assert decision.stats["full"]
    assert decision.stats["bytes"] <= 1 << 19
    assert decision.stats["iterations"] == 50_000


@measures_time
def test_stop_and_reports():
    agent, reports, state = sb.agent("mcts"), [], sb.game("chess").initial()
    threading.Timer(0.5, agent.stop).start()
    began = time.perf_counter()
    decision = agent.choose(state, sb.Budget(seconds=30, report=reports.append))
    assert time.perf_counter() - began < 1.5  # 50 ms on a quiet machine
    assert 0.4 < decision.stats["seconds"] < 1.5
    assert 1 <= len(reports) <= 10
    assert reports[0].stats["iterations"] < decision.stats["iterations"]
    assert sum(each.visits for each in reports[0].moves) == reports[0].stats["iterations"]


def test_errors():
    with pytest.raises(sb.SpecError, match="playout=xyz: expected random, lgr, gdk, mast or nst"):
        sb.agent("mcts:select=rave,playout=xyz")
    with pytest.raises(sb.SpecError, match="c=-1"):
        sb.agent("mcts:c=-1")
    with pytest.raises(sb.SpecError, match="symmetry=on,select=rave: expected select=uct1"):
        sb.agent("mcts:symmetry=on")
    with pytest.raises(sb.SpecError, match=r"minimax=0.3,select=rave: expected select=uct, uct1"):
        sb.agent("mcts:minimax=0.3")
    with pytest.raises(sb.SpecError, match=r"noise=0.1,select=rave: expected select=puct"):
        sb.agent("mcts:noise=0.1")
    with pytest.raises(sb.SpecError, match=r"root=gumbel,temperature=1.0: expected temperature=0"):
        sb.agent("mcts:select=puct,root=gumbel,temperature=1")
    with pytest.raises(sb.SpecError, match="threads=2,select=uct3: expected parallel=root"):
        sb.agent("mcts:select=uct3,threads=2,parallel=tree")
    with pytest.raises(sb.SpecError, match="expected a budget of iterations"):
        sb.agent("mcts:select=puct,root=gumbel").choose(sb.game("connect4").initial())
    with pytest.raises(sb.SpecError, match="eval=deep: expected one of auto, lines, none"):
        sb.agent("mcts:cut=0,eval=deep").choose(sb.game("connect4").initial())
    with pytest.raises(sb.SpecError, match="blend mixes results with a network"):
        sb.agent("mcts:blend=0.5").choose(sb.game("connect4").initial())
    with pytest.raises(sb.SpecError, match="symmetry=on,playout=lgr: names of moves"):
        sb.agent("mcts:symmetry=on,select=uct1,playout=lgr")
    with pytest.raises(sb.IllegalMove, match="the game is over"):
        sb.agent("mcts").choose(sb.game("connect4").state("1212121"))


def test_specs_round_trip():
    for spec in ("mcts", "uct", "rave-lgr:c=0.3", "lgr:forget=on,seed=4"):
        assert str(sb.agent(spec)) == spec


def test_cut_playouts_use_the_evaluation():
    # Material decides: with playouts of no plies the queen is taken, whatever chance would say.
    state = sb.game("chess").state("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
    decision = sb.agent("mcts:select=uct,cut=0,solver=off").choose(
        state, sb.Budget(iterations=2000)
    )
    assert state.text(decision.move) == "e4d5"
    assert decision.value > 0.1
    blind = sb.agent("mcts:select=uct,cut=0,eval=none").choose(state, sb.Budget(iterations=200))
    assert blind.value == 0.0


def test_priors_and_policies():
    state = sb.game("connect4").initial()
    plain = sb.agent("uct").choose(state, sb.Budget(iterations=100))
    assert all(each.prior is None for each in plain.moves)
    assert sum(each.policy for each in plain.moves) == pytest.approx(1.0)
    even = sb.agent("mcts:select=puct").choose(state, sb.Budget(iterations=100))
    assert [each.prior for each in even.moves] == pytest.approx([1 / 7] * 7)
    agent = sb.agent("mcts:select=puct,noise=0.5,seed=1")
    noisy = agent.choose(state, sb.Budget(iterations=100))
    priors = [each.prior for each in noisy.moves]
    assert sum(priors) == pytest.approx(1.0)
    assert max(priors) > 0.2
    # The noise is that of one search: the next one has another, on the same priors.
    again = [each.prior for each in agent.choose(state, sb.Budget(iterations=100)).moves]
    assert again != priors
    assert min(again) >= 0.5 / 7 - 1e-6


def test_temperature_draws_moves():
    state = sb.game("connect4").initial()
    moves = {
        sb.agent(f"uct:temperature=2,seed={seed}").choose(state, sb.Budget(iterations=50)).move
        for seed in range(30)
    }
    assert len(moves) >= 4
    # But never a move that is proven lost, nor another one than a proven win.
    win = sb.game("connect4").state("121212")
    for seed in range(10):
        agent = sb.agent(f"mcts:temperature=5,seed={seed}")
        assert agent.choose(win, sb.Budget(iterations=500)).value == 1.0


@measures_time
@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_threads(parallel):
    agent = sb.agent(f"mcts:threads=2,parallel={parallel}")
    decision = agent.choose(sb.game("connect4").initial(), sb.Budget(iterations=5001))
    assert decision.stats["iterations"] == 5001
    assert sum(each.visits for each in decision.moves) == 5001
    assert decision.pv[0] == decision.move
    win = sb.game("connect4").state("121212")
    assert agent.choose(win, sb.Budget(iterations=2000)).value == 1.0
    began = time.perf_counter()
    threading.Timer(0.3, agent.stop).start()
    agent.choose(sb.game("reversi").initial(), sb.Budget(seconds=30))
    assert time.perf_counter() - began < 1.5


@pytest.mark.parametrize("spec", PRESETS + RULES)
def test_games_in_python_are_searched_too(spec):
    sb.register_game(Heap, replace=True)
    state = sb.game("test_heap", stones=7).initial()
    decision = sb.agent(spec).choose(state, sb.Budget(iterations=400))
    assert decision.move == 2  # leaves four
    with pytest.raises(sb.SpecError, match="threads=2"):
        sb.agent(f"{spec},threads=2" if ":" in spec else f"{spec}:threads=2").choose(state)


def test_the_core_declares_the_options_of_mcts() -> None:
    declared = {info.name: info for info in _core.mcts_options()}
    options = {option.name: option for option in agent_info("mcts").options}
    assert set(options) - set(declared) == {"cache", "seed"}  # which the core never sees
    for name, info in declared.items():
        assert options[name].default == info.initial
        assert type(options[name].default) is type(info.initial)
        assert options[name].choices == tuple(info.choices)
        assert options[name].help == info.help


def test_options_are_refused_by_the_core_as_well() -> None:
    options = _core.MctsOptions()
    with pytest.raises(_core.OptionError, match="no option rave"):
        options.set("rave", 1)
    with pytest.raises(_core.OptionError, match="beta=gold: expected one of gelly, silver"):
        options.set("beta", "gold")
    with pytest.raises(_core.OptionError, match=r"option c: .* another type"):
        options.set("c", "much")


def test_stored_specs_load_whatever_the_order_of_their_options() -> None:
    stored = "mcts:select=puct,cut=0,prior=eval,fpu=parent,final=value,solver=off"
    agent = sb.agent(stored)
    assert sb.agent(str(agent)).spec == agent.spec
