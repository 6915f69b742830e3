"""Matches and tournaments from Python, and what their results show."""

from xml.etree import ElementTree

import pytest

import spielbaum as sb
from spielbaum.arena import contest
from spielbaum.arena.executor import Here, Workers
from spielbaum.arena.ranking import ranking
from spielbaum.play.limits import Limits

BUDGET = sb.Budget(iterations=20)


@pytest.fixture(scope="module")
def result():
    return sb.tournament("tictactoe", ["random", "perfect", "uct"], 4, BUDGET, jobs=0)


def test_a_match_in_this_process_is_that_of_other_processes():
    here = sb.match("tictactoe", ["uct", "random"], 6, BUDGET, seed=3, jobs=0)
    there = sb.match("tictactoe", ["uct", "random"], 6, BUDGET, seed=3, jobs=1)
    assert here.games == there.games == len(here.records) == 6
    moves = [sorted((r.task.number, r.moves) for r in each.records) for each in (here, there)]
    assert moves[0] == moves[1]


def test_a_match_goes_on_where_it_was_interrupted(tmp_path):
    def stop(standings):
        if standings.games == 3:
            raise KeyboardInterrupt

    store = tmp_path / "games.db"
    options = {"games": 6, "budget": BUDGET, "jobs": 0, "store": store}
    with pytest.raises(KeyboardInterrupt):
        sb.match("tictactoe", ["uct", "random"], report=stop, **options)
    heard = []
    done = sb.match(
        "tictactoe", ["uct", "random"], report=lambda s: heard.append(s.games), **options
    )
    assert (done.games, heard) == (6, [1, 2, 3, 4, 5, 6])
    fresh = sb.match("tictactoe", ["uct", "random"], 6, BUDGET, jobs=0)
    assert sorted(r.moves for r in fresh.records) == sorted(r.moves for r in done.records)


@pytest.fixture
def planned(monkeypatch):
    """What would have been played, by whom, into which store and under which name."""
    found = []

    def run_plan(*given):
        found.append(given)
        yield from ()

    monkeypatch.setattr(contest, "run_plan", run_plan)
    return found


@pytest.mark.parametrize("call", [sb.match, sb.tournament])
def test_a_contest_without_options(planned, call):
    call("tictactoe", ["random", "uct"])
    [(plan, executor, store, name)] = planned
    assert (plan.games, plan.seed, plan.adjudicate, plan.kind) == (100, 0, False, "round robin")
    assert plan.openings.text == "random"
    assert {each.limits for each in plan.entrants} == {Limits(seconds=0.1)}
    assert isinstance(executor, Workers)
    assert (store, name) == (None, call.__name__)


def test_options_of_contests(planned):
    options = {"adjudicate": True, "openings": "empty", "seed": 5}
    sb.match("tictactoe", ["random", "uct"], 8, jobs=0, name="mine", **options)
    sb.tournament("tictactoe", ["random", "uct", "rave"], 8, jobs=1, gauntlet=True, **options)
    for plan, *_ in planned:
        assert (plan.games, plan.seed, plan.adjudicate, plan.openings.text) == (8, 5, True, "empty")
    first, second = planned
    assert (first[0].kind, type(first[1]), first[3]) == ("round robin", Here, "mine")
    assert (second[0].kind, type(second[1])) == ("gauntlet", Workers)


def test_what_an_interrupted_contest_has_opened_is_closed(monkeypatch):
    closed = []

    class Store:
        def __init__(self, path):
            self.path = path

        def close(self):
            closed.append(str(self.path))

    def run_plan(plan, executor, store, name):
        try:
            yield from Here().run(plan.tasks())
        finally:
            closed.append("games")

    def report(standings):
        raise KeyboardInterrupt

    monkeypatch.setattr(contest, "Store", Store)
    monkeypatch.setattr(contest, "run_plan", run_plan)
    with pytest.raises(KeyboardInterrupt) as error:
        sb.match("tictactoe", ["random", "perfect"], jobs=0, store="a.db", report=report)
    assert closed == ["games", "a.db"], error  # while the traceback keeps everything alive


def test_ranks(result):
    ranks = ranking(result)
    assert sorted(each.agent for each in ranks) == ["perfect", "random", "uct"]
    for number, each in enumerate(ranks):
        assert each.games == each.won + each.drawn + each.lost == 8
        assert each.points == pytest.approx((each.won + each.drawn / 2) / 8)
        assert each.low <= each.points <= each.high
        assert [share is None for share in each.against] == [i == number for i in range(3)]
    elos = [each.elo.value for each in ranks]
    assert elos == sorted(elos, reverse=True)
    one, other = ranks[0], ranks[1]
    assert one.against[1] == pytest.approx(1 - other.against[0])


def test_a_result_shows_itself(result):
    names = {each.agent for each in ranking(result)}
    plain = str(result).splitlines()
    assert plain[0].split()[:3] == ["agent", "Elo", "games"]
    assert {line.split()[1] for line in plain[1:]} == names
    html = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
    cells = ["".join(cell.itertext()) for cell in html.iter("td")]
    assert names <= set(cells)
    assert any(each.tag.endswith("svg") for each in html)
    assert result.to_markdown().count("\n") == 5
    latex = result.to_latex().splitlines()
    assert latex[0] == r"\begin{tabular}{lrrrrrrrr}"
    assert r"95 \% interval" in latex[2]
    assert len(result.plot().axes) == 1


def test_a_data_frame_where_pandas_is_there(result):
    pandas = pytest.importorskip("pandas")
    frame = result.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert set(frame.index) == {"perfect", "random", "uct"}
    assert (frame["games"] == 8).all()
    assert (frame["elo_low"] <= frame["elo_high"]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agents": "uct"}, "expected a list of agents"),
        ({"agents": ["uct"]}, "expected at least 2"),
        ({"agents": ["uct", "nosuch"]}, "there is no agent 'nosuch'"),
        ({"agents": ["uct:rave_k=9", "random"]}, "has no effect"),
        ({"games": 0}, "games=0: expected a number from 1"),
        ({"budget": [BUDGET]}, "1 budgets for 2 agents"),
        ({"budget": sb.Budget(stop=sb.StopToken())}, "not stop or report"),
        ({"budget": sb.Budget(report=print)}, "not stop or report"),
        ({"agents": ["uct", "uci:path=true"]}, "agent uci plays chess, not tictactoe"),
        ({"openings": "nowhere"}, "openings"),
    ],
)
def test_mistakes_are_told_in_a_sentence(arguments, message):
    values = {"agents": ["uct", "random"], "games": 2, "budget": BUDGET, "jobs": 0, **arguments}
    with pytest.raises(sb.SpecError, match=message):
        sb.match("tictactoe", **values)


def test_budgets_of_each_and_agents_that_were_made():
    agents = [sb.agent("uct:c=0.5"), "random"]
    budgets = [BUDGET, sb.Budget(seconds=1)]
    played = sb.match(sb.game("tictactoe"), agents, 2, budgets, jobs=0)
    assert played.names == ["uct:c=0.5 (iterations=20)", "random (seconds=1)"]


def test_ratings_solutions_and_agents_show_themselves(result):
    ratings = result.ratings()
    assert str(ratings).splitlines()[1].split()[1] == ratings.players[0]
    assert ratings.players[2] in ratings._repr_html_()
    state = sb.game("connect4").state("52753311433677442422121")
    solution = sb.solve(state)
    best = str(solution).splitlines()[1].split()
    assert best == [state.text(solution.pv[0]), "+8", "win"]
    assert solution._repr_html_().count("<tr>") == 1 + len(solution.moves)
    shown = sb.agents()
    assert shown["uct"].name == "uct"
    assert shown[0] in shown
    assert len(str(shown).splitlines()) == 1 + len(shown)
    assert "<th" in shown._repr_html_()
    with pytest.raises(sb.SpecError, match="did you mean uct"):
        shown["utc"]
