"""Plans and rules of openings: what they accept, which games they have, and their texts."""

import json

import pytest

import spielbaum as sb
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.base.errors import SpecError
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings

THREE = tuple(Entrant(name, Limits(iterations=10)) for name in ("uct", "rave", "random"))
EMPTY = Openings("empty", 0)


def plan(**changes):
    return Plan(
        **{"game": "tictactoe", "entrants": THREE, "games": 2, "openings": EMPTY, **changes}
    )


@pytest.mark.parametrize("games", [0, -1, 100_000_001])
def test_numbers_of_games_that_no_plan_has(games):
    with pytest.raises(SpecError, match=rf"games={games}: expected .* to 100,000,000"):
        plan(games=games)


def test_the_most_games_and_the_fewest():
    assert plan(games=1).num_games == 3
    assert plan(games=100_000_000).num_games == 300_000_000


def test_too_many_pairings_and_kinds_that_do_not_exist():
    with pytest.raises(SpecError, match=r"agents have more than .* pairings"):
        plan(entrants=THREE * 1000)
    with pytest.raises(SpecError, match="kind 'swiss': expected round robin or gauntlet"):
        plan(kind="swiss")


def test_who_meets_whom():
    assert plan().pairings() == [(0, 1), (0, 2), (1, 2)]
    assert plan(kind="gauntlet").pairings() == [(0, 1), (0, 2)]


def test_without_rotation_the_first_moves_first():
    tasks = list(plan(entrants=THREE[:2], games=3, rotate=False).tasks())
    assert [task.seats[0].agent for task in tasks] == ["uct"] * 3
    assert [task.group for task in tasks] == [0, 1, 2]


def test_texts_of_plans():
    made = plan(seed=7, adjudicate=True)
    text = made.to_json()
    assert list(json.loads(text)) == sorted(json.loads(text))
    assert Plan.from_json(text) == made
    damaged = {**json.loads(text), "seed": "seven"}
    with pytest.raises(ValueError, match="seed"):
        Plan.from_json(json.dumps(damaged))


def test_texts_of_openings():
    for text in ("empty", "random", "random:4", "balanced:2", "file:a.txt", "position:44"):
        assert Openings.parse(text).text == text
    assert Openings.parse("empty") == EMPTY


def test_openings_of_a_file(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("44  # a comment\n\n12\n7\n")
    rule, rules = Openings.parse(f"file:{path}"), sb.game("connect4")
    assert [each.start for each in rule.draw(rules, 5, seed=1)][3:] == [
        each.start for each in rule.draw(rules, 2, seed=1)
    ]
    assert {each.start for each in rule.draw(rules, 3, seed=1)} == {"44", "12", "7"}
    path.write_text("44\n9\n")
    with pytest.raises(SpecError, match="line 2"):
        rule.draw(rules, 1, seed=1)
    path.write_text("# nothing\n")
    with pytest.raises(SpecError, match="it has no position"):
        rule.draw(rules, 1, seed=1)
