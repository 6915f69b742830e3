"""Games of OpenSpiel under our searches, and our agents as its bots."""

import pickle
import subprocess
import sys

import pyspiel
import pytest

import spielbaum as sb
from spielbaum.base.rng import Rng
from spielbaum.games.outside.openspiel import load, one_word_each
from spielbaum.protocols.openspiel import AgentBot, game_of
from spielbaum.testing import check_game

GAMES = (
    *("hex,board_size=4", "breakthrough,rows=6,columns=5", "go,board_size=3", "pentago"),
    *(
        "y,board_size=4",
        "havannah,board_size=3",
        "clobber,rows=3,columns=4",
        "amazons,board_size=6",
    ),
    *("chinese_checkers,players=3,max_moves=20", "dots_and_boxes,utility_margin=on"),
    *("misere,game=tic_tac_toe()", "oware,num_seeds_per_house=2"),
)


@pytest.mark.parametrize("written", GAMES)
def test_a_game_is_played_as_openspiel_plays_it(written):
    rules = sb.game(f"openspiel:name={written}")
    assert sb.game(str(rules)) == rules
    spiel = rules._python.game
    highest = max(1.0, spiel.max_utility())
    rng = Rng(5)
    ours, theirs = rules.initial(), spiel.new_initial_state()
    while not theirs.is_terminal():
        assert ours.outcome is None
        assert list(ours.legal_moves) == theirs.legal_actions()
        assert ours.to_move == theirs.current_player()
        move = ours.legal_moves[rng.below(len(ours.legal_moves))]
        ours, theirs = ours.play(ours.text(move)), theirs.child(move)
    assert ours.outcome.rewards == tuple(each / highest for each in theirs.returns())
    assert pickle.loads(pickle.dumps(ours)) == ours
    assert rules.state(ours.notation) == ours


@pytest.mark.parametrize("written", ["go,board_size=3", "clobber,rows=2,columns=3", "nim"])
def test_a_game_keeps_the_laws(written):
    assert check_game(f"openspiel:name={written}", games=2) > 4


def test_searches_find_a_win():
    # The first player has a line but for its last cell, and so has the second.
    state = sb.game("openspiel:name=tic_tac_toe").state("x(0,0) o(1,0) x(0,1) o(1,1)")
    for spec in ("alphabeta", "uct", "rave-lgr"):
        decision = sb.agent(spec).choose(state, sb.Budget(iterations=300, depth=3))
        assert state.text(decision.move) == "x(0,2)", spec


def test_the_arena_plays_it():
    budget = sb.Budget(iterations=30)
    for jobs in (0, 1):  # here, and in a process that has to find the game by its spec
        standings = sb.match("openspiel:name=tic_tac_toe", ["uct", "random"], 4, budget, jobs=jobs)
        assert standings.games == 4
        assert standings.total("uct").losses == 0


def test_planes_show_what_openspiel_observes_and_whose_turn_it_is():
    start = sb.game("openspiel:name=tic_tac_toe").initial()
    assert start.planes().shape == (5, 3, 3)
    assert start.planes()[3:].mean(axis=(1, 2)).tolist() == [1.0, 0.0]
    after = start.play("x(1,1)")
    assert after.planes()[3:].mean(axis=(1, 2)).tolist() == [0.0, 1.0]
    theirs = pyspiel.load_game("tic_tac_toe").new_initial_state().child(4)
    assert after.planes()[:3].ravel().tolist() == theirs.observation_tensor(1)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("openspiel", "expected the name of a game"),
        ("openspiel:name=hexx", r"has no game 'hexx' \(did you mean hex"),
        ("openspiel:name=kuhn_poker", "chance takes part in it"),
        ("openspiel:name=phantom_ttt", "its players do not see everything"),
        ("openspiel:name=matrix_rps", "do not move one after the other"),
        ("openspiel:name=morpion_solitaire", "it has 1 players, expected 2 to 8"),
        ("openspiel:name=hex,board_size=300", "more than 65535 actions"),
        ("openspiel:name=hex,board_size=-1", "expected a whole number of at least 1"),
        ("openspiel:name=go,board_size=20", r"refuses go\(board_size=20\)"),
        ("openspiel:name=go,komi=much", "option komi=much: expected a number"),
        ("openspiel:name=go,kommi=1", "has no option 'kommi'"),
    ],
)
def test_what_cannot_be_played_here_is_refused_with_a_sentence(spec, words):
    with pytest.raises(sb.SpecError, match=words):
        sb.game(spec)


def test_a_parameter_is_written_where_it_differs_from_what_the_others_make_it():
    assert str(sb.game("openspiel:name=hex,board_size=5,num_cols=5")) == (
        "openspiel:name=hex,board_size=5"
    )
    wide = sb.game("openspiel:name=hex,board_size=5,num_cols=11")
    assert str(wide) == "openspiel:name=hex,board_size=5,num_cols=11"
    assert wide.num_actions == 55
    with pytest.raises(sb.SpecError, match="OpenSpiel refuses go"):
        load("go", {"board_size": "wide"})


def test_openspiel_is_imported_only_when_it_is_named():
    program = (
        "import sys, spielbaum as sb; sb.game('connect4'); sb.games(); "
        "assert 'pyspiel' not in sys.modules; sb.game('openspiel:name=nim'); "
        "assert 'pyspiel' in sys.modules; print(sb.games())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "openspiel" not in done.stdout


def test_without_the_package_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(sb.SpecError, match=r"pip install 'spielbaum\[openspiel\]'"):
        sb.game("openspiel:name=havannah,board_size=5")


def test_texts_are_one_word_each():
    assert one_word_each(["X From (5, 1)", "X From (5, 6)"], [0, 1]) == ["(5,1)", "(5,6)"]
    assert one_word_each(["", "b"], [7, 9]) == ["7", "9"]


def test_a_bot_wins_against_openspiels_random_bot():
    game = pyspiel.load_game("connect_four")
    wins = 0
    for seed in range(6):
        ours = AgentBot("alphabeta:memory=4", budget=sb.Budget(depth=4), rules="connect4")
        theirs = pyspiel.make_uniform_random_bot(1 - seed % 2, seed)
        bots = [ours, theirs] if seed % 2 == 0 else [theirs, ours]
        wins += pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[seed % 2] == 1.0
    assert wins == 6


def test_a_bot_plays_by_openspiels_rules_and_starts_again():
    game = pyspiel.load_game("clobber(rows=2,columns=3)")
    bot = AgentBot("uct:seed=3", budget=sb.Budget(iterations=20))
    state = game.new_initial_state()
    policy, move = bot.step_with_policy(state)
    assert dict(policy)[move] == 1.0
    assert sum(chance for _, chance in policy) == 1.0
    state.apply_action(move)
    assert bot.step(state) in state.legal_actions()
    bot.restart()
    assert bot.step(game.new_initial_state()) == move


def test_a_bot_refuses_rules_of_another_game():
    bot = AgentBot("random", rules="connect4")
    with pytest.raises(sb.SpecError, match="does not have the legal actions of tic_tac_toe"):
        bot.step(pyspiel.load_game("tic_tac_toe").new_initial_state())
    with pytest.raises(sb.SpecError, match="chance takes part"):
        game_of(pyspiel.load_game("kuhn_poker"))
