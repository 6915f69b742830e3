"""Rules of the documents to the letter: how they decide, blend, explore and reward."""

import numpy as np
import pytest

import spielbaum as sb
from spielbaum.agents.mcts_options import PRESETS
from spielbaum.testing import check_game


class Even:
    """A network that has no idea."""

    def evaluate(self, planes, legal):
        return np.zeros(len(planes)), np.zeros(legal.shape)


# ---- the final move ----


@pytest.mark.parametrize("name", PRESETS)
def test_presets_decide_as_the_documents_did(name):
    options = {
        option.name: option.default
        for option in next(i for i in sb.agents() if i.name == name).options
    }
    assert (options["final"], options["solver"], options["reuse"]) == ("select", False, False)


def test_plain_uct_decides_by_the_mean():
    for moves in ("", "4", "44", "4453"):
        state = sb.game("connect4").state(moves)
        by_mean, by_rule = (
            sb.agent(f"uct:c=0.8,final={rule}").choose(state, sb.Budget(iterations=300))
            for rule in ("value", "select")
        )
        assert by_rule == by_mean
        assert by_rule.value == max(each.value for each in by_rule.moves)


def test_rave_decides_by_the_blended_mean():
    # After few visits AMAF values outweigh means and visits: the decisions are not always the same.
    state = sb.game("connect4").initial()
    decisions = [
        [
            sb.agent(f"rave:rave_k=100,c=0.2,seed={seed},final={rule}")
            .choose(state, sb.Budget(iterations=100))
            .move
            for seed in range(30)
        ]
        for rule in ("select", "visits", "value")
    ]
    assert decisions[0] != decisions[1]
    assert decisions[0] != decisions[2]


def test_several_trees_decide_by_the_same_rule():
    agent = sb.agent("rave:final=select,threads=2")
    state = sb.game("connect4").state("121212")
    decision = agent.choose(state, sb.Budget(iterations=2000))
    assert state.text(decision.move) == "a4"


# ---- finished games and networks ----


def test_finished_games_are_blended_on_request():
    state = sb.game("connect4").state("121212")  # a4 wins
    values = {}
    for blend_ends in ("on", "off"):
        spec = f"mcts:select=puct,c=3,solver=off,blend=1,blend_ends={blend_ends}"
        agent = sb.agent(spec).with_evaluator(Even())
        decision = agent.choose(state, sb.Budget(iterations=60))
        values[blend_ends] = decision.moves[0].value
        assert decision.moves[0].visits > 0
        assert decision.stats["iterations"] == 60
    assert values == {"on": 0.0, "off": 1.0}


def test_a_blended_end_is_the_weighted_mean():
    state = sb.game("connect4").state("121212")
    spec = "uct:blend=0.75,blend_ends=on,c=0.4"
    agent = sb.agent(spec).with_evaluator(Even())
    decision = agent.choose(state, sb.Budget(iterations=200))
    assert decision.moves[0].value == pytest.approx(0.25)


def test_ends_are_blended_with_a_network_only():
    with pytest.raises(sb.SpecError, match="blend_ends mixes results with a network's values"):
        sb.agent("uct:blend_ends=on").choose(sb.game("connect4").initial())
    with pytest.raises(sb.SpecError, match="expected solver=off"):
        sb.agent("mcts:blend_ends=on")


# ---- what is explored ----


def test_the_formula_of_s3_explores_more():
    state = sb.game("connect4").initial()
    entropy = {}
    for formula in ("alphazero", "s3"):
        agent = sb.agent(f"mcts:select=puct,playout=random,formula={formula},c=1.5")
        decision = agent.choose(state, sb.Budget(iterations=700))
        shares = np.array([each.visits for each in decision.moves]) / 700
        entropy[formula] = -float(np.sum(shares * np.log(shares)))
    assert entropy["s3"] > entropy["alphazero"]


@pytest.mark.parametrize("budget", ["one iteration", "stopped"])
@pytest.mark.parametrize("moves", ["", "4", "445", "1234"])
def test_a_network_that_has_no_time_plays_by_its_policy(budget, moves):
    state = sb.game("connect4").state(moves)
    token = sb.StopToken()
    if budget == "stopped":
        token.stop()
    limits = sb.Budget(iterations=1 if budget == "one iteration" else 100, stop=token)
    searched = sb.agent("net:connect4").choose(state, limits)
    policy = sb.agent("net:connect4,play=policy").choose(state)
    assert searched.move == policy.move
    assert searched.stats["iterations"] == 1


# ---- rewards by stones ----


def test_stones_as_rewards():
    rules = sb.game("reversi:reward=stones")
    assert str(rules) == "reversi:reward=stones"
    assert rules == sb.game("reversi", reward="stones") != sb.game("reversi")
    state = rules.initial()
    while state.legal_moves:
        state = state.play(state.legal_moves[0])
    black, white = (state.notation.count(side) for side in "XO")
    white -= state.notation.endswith("O")
    black -= state.notation.endswith("X")
    assert state.outcome.rewards == ((black - white) / 64, (white - black) / 64)
    assert state.outcome.winner == (0 if black > white else 1)
    with pytest.raises(sb.SpecError, match=r"reward=points: expected win or stones"):
        sb.game("reversi:reward=points")
    assert check_game("reversi:reward=stones,size=6", games=3) > 60


@pytest.mark.parametrize(
    "spec", ["alphabeta", "alphabeta:eval=none", "mcts:select=uct,playout=random,c=0.3"]
)
def test_agents_play_for_stones(spec):
    text = next(
        text
        for text in _endgames()
        if len(
            {
                move.score
                for move in sb.solve(sb.game("reversi").state(text)).moves
                if move.score > 0
            }
        )
        > 1
    )
    state = sb.game("reversi:reward=stones").state(text)
    solution = sb.solve(state)
    decision = sb.agent(spec).choose(state, sb.Budget(iterations=20_000, depth=12))
    best = {move.move for move in solution.moves if move.score == solution.score}
    assert decision.move in best


def _endgames():
    """Positions of random games with six empty cells or fewer."""
    rng = np.random.default_rng(5)
    while True:
        state = sb.game("reversi").initial()
        while state.legal_moves and state.notation.count("-") > 6:
            state = state.play(int(rng.choice(state.legal_moves)))
        if len(state.legal_moves) > 2:
            yield state.notation


def test_graded_rewards_prove_nothing_but_whole_wins():
    # The last move of this game wins by a little or by much; both are wins.
    class Prize(sb.PythonGame):
        name = "prize"
        num_actions = 2

        def initial(self):
            return None

        def to_move(self, state):
            return 0

        def legal_moves(self, state):
            return (0, 1)

        def play(self, state, action):
            return action

        def outcome(self, state):
            prize = (0.25, 0.75)[state] if state is not None else 0.0
            return None if state is None else sb.Outcome((prize, -prize), 0, "took a prize")

        def key(self, state):
            return 2 if state is None else state

    sb.register_game(Prize, replace=True)
    state = sb.game("prize").initial()
    for spec in ("mcts", "mcts:select=puct", "alphabeta", "alphabeta:analyse=on"):
        decision = sb.agent(spec).choose(state, sb.Budget(iterations=100, depth=3))
        assert decision.move == 1
        assert decision.value == pytest.approx(0.75, abs=0.01)
        assert all(each.proven is None for each in decision.moves)


# ---- moves ----


@pytest.mark.parametrize("move", [True, False])
def test_truth_values_are_no_moves(move):
    state = sb.game("connect4").initial()
    for method in (state.play, state.text):
        with pytest.raises(sb.IllegalMove, match=rf"move {move} is no move: expected the number"):
            method(move)
