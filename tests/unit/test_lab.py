"""The experiments of the documents are declared as they were printed."""

import re
from pathlib import Path

import pytest

import spielbaum as sb
from helpers import check_message
from spielbaum.agents.registry import agent_info
from spielbaum.arena.strength import RESISTING
from spielbaum.base import discover
from spielbaum.base.options import parse_spec, resolve
from spielbaum.lab import (
    Matches,
    Pairing,
    Reading,
    SearchTimes,
    SelfPlay,
    Speeds,
    Summary,
    Trainings,
    catalog,
    experiment,
    experiments,
)
from spielbaum.lab.documents import s0, s2
from spielbaum.lab.networks import named_by
from spielbaum.lab.table import entries

ROOT = Path(__file__).parents[2]

# By hand from the documents: rows times columns.
CELLS = {
    "S0.figure18": 8,
    "S0.figure19": 4,
    "S0.figure20": 4,
    "S0.table1": 16,
    "S0.table2": 8,
    "S0.table3": 9,
    "S0.table4": 36,
    "S0.table5": 15,
    "S0.table6": 25,
    "S0.table7": 20,
    "S0.table8": 15,
    "S0.table9": 25,
    "S0.table10": 2,
    "S0.table11": 13,
    "S0.table12": 24,
    "S0.table13": 56,
    "S0.speed": 9,
    "S0.ucd": 36,
    "S0.many": 16,
    "S0.beta": 25,
    "S0.decisive": 4,
    "S1.figure4.5": 2,
    "S1.figure4.9": 4,
    "S1.figure4.10": 1,
    "S1.figure4.12": 2,
    "S1.figure4.14": 2,
    "S1.figure4.15": 2,
    "S1.figure4.18": 44,
    "S1.figure4.20": 2,
    "S1.figure4.21": 42,
    "S1.figure4.22": 3,
    "S1.figure4.24": 6,
    "S1.figure4.25": 2,
    "S1.figure4.27": 4,
    "S1.figure4.28": 3,
    "S1.figure4.29": 2,
    "S1.figure4.30": 15,
    "S1.table4.2": 15,
    "S1.second": 4,
    "S2.table3.1": 12,
    "S2.figure3.3": 12,
    "S2.figure3.4": 2,
    "S2.figure3.5": 2,
    "S2.table3.2": 12,
    "S2.figure3.6": 4,
    "S2.table3.3": 6,
    "S2.figure3.7": 3,
    "S2.table3.4": 12,
    "S2.table3.5": 12,
    "S2.table3.6": 8,
    "S2.figure3.8": 6,
    "S2.figure3.9": 6,
    "S2.table-entries": 2,
    "S2.combined": 4,
    "S3.win": 2,
    "S3.stones": 2,
    "S4.figure6.1": 8,
}

# What the documents print, typed again from their text: id, row, column, figure.
PRINTED = [
    ("S0.figure18", "naive", "MSE", 0.887),
    ("S0.figure18", "naive", "MAE", 0.886),
    ("S0.figure18", "guess", "MSE", 0.896),
    ("S0.table1", "DenseNet, normalised", "MSE", 0.022),
    ("S0.table1", "ConvNet, normalised", "MAE", 0.076),
    ("S0.table1", "DenseNet, raw", "MAE", 0.398),
    ("S0.table1", "ConvNet, raw", "MSE", 0.130),
    ("S0.table2", "DenseNet", "weight 0.5", 30.0),
    ("S0.table2", "DenseNet-Norm", "weight 0.85", 22.2),
    ("S0.table2", "ConvNet", "weight 0.85", 20.1),
    ("S0.table2", "ConvNet-Norm", "weight 0.5", 54.1),
    ("S0.table11", "DenseNet", "iterations per second", 909),
    ("S0.table11", "LGR-ConvNet", "iterations per second", 377),
    ("S0.table11", "RAVE-LGR-ConvNet", "iterations per second", 364),
    ("S0.table12", "DenseNet", "3000", 60.5),
    ("S0.table12", "ConvNet", "1000", 17.0),
    ("S0.table12", "LGR-DenseNet", "2000", 63.5),
    ("S0.table12", "RAVE-LGR-DenseNet", "4000", 84.9),
    ("S0.table13", "RAVE-LGR-ConvNet", "3000", 76.5),
    ("S0.table3", "MCTS", "Cp = 0.6", 42.5),
    ("S0.table3", "MCTS", "Cp = 0.8", 50.6),
    ("S0.table3", "MCTS", "Cp = 1.0", 49.4),
    ("S0.table3", "MCTS", "Cp = 1.4", 46.6),
    ("S0.table4", "UCT1 with symmetry", "Cp = 0.8", 53.0),
    ("S0.table4", "UCT2 with symmetry", "Cp = 1.0", 52.1),
    ("S0.table4", "UCT2 with symmetry", "Cp = 1.1", 52.1),
    ("S0.table4", "UCT3 with symmetry", "Cp = 0.9", 50.8),
    ("S0.table4", "UCT1 without symmetry", "Cp = 0.8", 51.0),
    ("S0.table4", "UCT2 without symmetry", "Cp = 1.1", 49.8),
    ("S0.table4", "UCT3 without symmetry", "Cp = 1.2", 50.9),
    ("S0.table5", "alpha = 0.3", "Cp = 0.2", 28.2),
    ("S0.table5", "alpha = 0.5", "Cp = 0.4", 62.4),
    ("S0.table5", "alpha = 0.5", "Cp = 0.5", 62.1),
    ("S0.table5", "alpha = 0.8", "Cp = 0.2", 61.5),
    ("S0.table6", "k = 100", "Cp = 0.2", 61.6),
    ("S0.table6", "k = 20", "Cp = 0.3", 60.9),
    ("S0.table6", "k = 200", "Cp = 0.6", 45.6),
    ("S0.table7", "K/noF", "Cp = 1.0", 77.8),
    ("S0.table7", "noK/noF", "Cp = 1.0", 75.1),
    ("S0.table7", "noK/F", "Cp = 1.0", 55.0),
    ("S0.table7", "K/F", "Cp = 1.1", 56.9),
    ("S0.table8", "alpha = 0.5", "Cp = 0.4", 83.4),
    ("S0.table8", "alpha = 0.3", "Cp = 0.6", 80.3),
    ("S0.table8", "alpha = 0.8", "Cp = 0.6", 73.4),
    ("S0.table9", "k = 50", "Cp = 0.2", 87.4),
    ("S0.table9", "k = 10", "Cp = 0.4", 85.1),
    ("S0.table9", "k = 200", "Cp = 0.5", 71.7),
    ("S0.table10", "AMAF-LGR", "against LGR", 55.6),
    ("S0.table10", "RAVE-LGR", "against LGR", 60.3),
    ("S0.table13", "UCT3", "2000", 39.8),
    ("S0.table13", "alpha-AMAF", "3000", 60.8),
    ("S0.table13", "RAVE", "1000", 61.7),
    ("S0.table13", "LGR", "4000", 79.6),
    ("S0.table13", "AMAF-LGR", "4000", 82.8),
    ("S0.table13", "RAVE-LGR", "3000", 83.4),
    ("S0.speed", "MCTS", "iterations per second", 7000),
    ("S0.speed", "UCT2", "iterations per second", 5952),
    ("S0.speed", "LGR", "iterations per second", 4579),
    ("S0.speed", "RAVE-LGR", "iterations per second", 3947),
    ("S1.figure4.12", "two tables, m = 3", "success", 80),
    ("S1.figure4.14", "m = 3", "success", 81),
    ("S1.figure4.14", "m = 4", "success", 91),
    ("S1.figure4.21", "row 3", "d", 43),
    ("S1.figure4.27", "improved", "2 million games", 80),
    ("S1.figure4.28", "without", "success", 70),
    ("S1.figure4.30", "70x 7-tuples", "depth 6", 92),
    ("S1.figure4.30", "70x 9-tuples", "depth 8", 99),
    ("S1.table4.2", "depth 6", "70x 8-tuples", 37),
    ("S1.second", "uct", "second", 40),
    ("S2.table3.1", "depth 4", "AB", 1.61),
    ("S2.table3.1", "depth 5", "AB-TT", 17.99),
    ("S2.table3.1", "depth 5", "AB-Iter", 13.27),
    ("S2.table3.1", "depth 6", "AB*", 23.54),
    ("S2.figure3.3", "c = 0.5", "c = √2", 50),
    ("S2.table3.2", "c = 0.3", "c = 0.5", 62),
    ("S2.table3.2", "c = √2", "c = 0.7", 45),
    ("S2.table3.3", "c = 0.7", "c = √2", 58),
    ("S2.table3.3", "c = √2", "c = 0.7", 40),
    ("S2.table3.4", "AB*", "MCTS", 76),
    ("S2.table3.4", "AB*", "MCTS-PNS", 82),
    ("S2.table3.4", "MCTS", "MCTS-PNS", 38),
    ("S2.table3.4", "MCTS-AB", "AB*", 16),
    ("S2.table3.4", "MCTS-PNS", "MCTS", 54),
    ("S2.table3.5", "AB*", "MCTS", 58),
    ("S2.table3.5", "AB*", "MCTS-AB", 62),
    ("S2.table3.5", "MCTS-AB", "MCTS", 40),
    ("S2.table3.5", "MCTS-PNS", "AB*", 32),
    ("S2.table3.6", "10 s", "AB*", 0.3),
    ("S2.table3.6", "5 s", "MCTS-AB", 3.7),
    ("S2.table-entries", "AB*", "10 s", 68110),
]

# The highest figure of each table of S0, with the parameters that have it (bold in the print).
BEST = {
    "S0.table3": "uct:c=0.8",
    "S0.table4": "uct1:c=0.8,symmetry=on",
    "S0.table5": "amaf:alpha=0.5,c=0.4",
    "S0.table6": "rave:rave_k=100,c=0.2",
    "S0.table7": "lgr:c=1.0,forget=off,keep=on",
    "S0.table8": "amaf-lgr:alpha=0.5,c=0.4,forget=off,keep=on",
    "S0.table9": "rave-lgr:rave_k=50,c=0.2,forget=off,keep=on",
}

MATCHES = [each for each in experiments() if isinstance(each, Matches)]


def specs():
    """Every spec of every cell with its game, once."""
    found = set()
    for each in experiments():
        for cell in (*each.cells, *getattr(each, "variants", ())):
            agent = getattr(cell, "agent", None)
            if agent is not None and not named_by(agent):  # there is no network yet
                found.add((each.game, agent))
            opponent = getattr(cell, "opponent", None)
            if opponent is not None and opponent != RESISTING:  # a way to measure, not an agent
                found.add((each.game, opponent))
    return sorted(found)


def options_of(spec):
    name, written = parse_spec(spec)
    return resolve("agent", name, agent_info(name).options, written)


def cell_of(id_, row, column):
    [cell] = [each for each in experiment(id_).cells if (each.row, each.column) == (row, column)]
    return cell


def test_every_table_has_the_cells_of_the_document():
    assert {each.id: len(each.cells) for each in experiments()} == CELLS
    for each in experiments():
        cells = (*each.cells, *getattr(each, "variants", ()))
        assert len({(cell.row, cell.column) for cell in cells}) == len(cells), each.id
        if isinstance(each, SelfPlay):  # sentences of a text, and no table
            continue
        rows = {}
        for cell in each.cells:
            rows.setdefault(cell.row, set()).add(cell.column)
        columns = set().union(*rows.values())
        round_robin = isinstance(each, Matches) and each.both_sides
        for row, filled in rows.items():
            if row.startswith(
                "slide"
            ):  # walks that meet themselves are discarded: long ones are never found
                assert filled < columns
                continue
            assert filled == columns - ({row} if round_robin else set()), each.id


def test_experiments_are_found_in_their_documents():
    ids = [each.id for each in experiments()]
    assert len(set(ids)) == len(ids)
    found = {id_.partition(".")[0].lower() for id_ in ids}
    assert found == set(discover.names("spielbaum.lab.documents"))
    for document in found:
        declared = discover.load("spielbaum.lab.documents", document).EXPERIMENTS
        assert [each.id.partition(".")[0].lower() for each in declared] == [document] * len(
            declared
        )


def test_unknown_networks():
    with pytest.raises(sb.SpecError, match="network 'GiantNet': expected one of DenseNet-Norm, "):
        catalog.network("GiantNet")


def test_everything_is_said():
    for each in experiments():
        for text in (each.id, each.title, each.source, each.question, *each.notes):
            assert text == text.strip() != ""
        assert each.source.startswith(each.id.split(".")[0])
        assert each.question.endswith("?")
        assert all(note.endswith(".") for note in each.notes)


@pytest.mark.parametrize(("id_", "row", "column", "figure"), PRINTED)
def test_figures_are_those_of_the_print(id_, row, column, figure):
    assert cell_of(id_, row, column).published == figure


@pytest.mark.parametrize("id_", BEST)
def test_the_best_cells_are_those_of_the_print(id_):
    best = max(experiment(id_).cells, key=lambda cell: cell.published)
    assert best.agent == BEST[id_]


def test_figures_are_possible():
    for each in experiments():
        for cell in each.cells:
            if cell.published is not None:
                percent = isinstance(cell, Pairing) or "%" in getattr(each, "unit", "")
                assert 0 < cell.published <= (100 if percent else 1e6), (each.id, cell)


def test_only_lost_drawings_and_wishes_have_no_figures():
    without = {
        each.id for each in experiments() if all(cell.published is None for cell in each.cells)
    }
    wishes = {"S0.ucd", "S0.many", "S0.beta", "S0.decisive", "S2.combined"}
    wishes |= {"S3.win", "S3.stones"}  # S3 has no figures at all
    lost = {f"S2.figure3.{number}" for number in (4, 5, 6, 7, 8, 9)}
    lost |= {f"S1.figure4.{number}" for number in (9, 20, 22, 24, 29)}
    lost |= {"S0.figure19", "S0.figure20", "S4.figure6.1"}
    assert without == wishes | lost
    some = [each for each in experiments() if each.id not in without]
    missing = {each.id for each in some if any(cell.published is None for cell in each.cells)}
    assert missing == {
        "S0.figure18",
        "S0.table11",  # what the document did not try
        "S2.figure3.3",
        "S1.second",
        *(f"S1.figure4.{number}" for number in (15, 18, 25, 27, 28, 30)),
    }


def test_every_spec_is_an_agent_that_plays_the_game():
    for game, spec in specs():
        agent = sb.agent(spec)
        written = str(agent)
        assert str(sb.agent(written)) == written
        assert options_of(written) == options_of(spec)
        state = sb.game(game).initial()
        assert agent.choose(state, sb.Budget(iterations=9, depth=1)).move in state.legal_moves


@pytest.mark.parametrize("where", MATCHES, ids=lambda each: each.id)
def test_agents_search_as_in_the_document(where):
    for cell in (*where.cells, *where.variants):
        for spec in (cell.agent, cell.opponent):
            check_search(spec, kept=where.id.startswith(("S0.table13", "S3")))


def check_search(spec, *, kept):
    options = options_of(spec)
    if parse_spec(spec)[0] == "alphabeta":
        assert options["eval"] == "patterns"
        assert not any(options[ours] for ours in ("windows", "ordering", "cutoffs"))
        return
    assert not options["solver"], spec
    assert options["reuse"] == kept, spec
    assert options.get("threads", 1) == 1
    said = re.search("final=([a-z]+)", spec)  # a variant that shows what the rule is worth
    usual = "visits" if spec.startswith("net:") else "select"
    assert options["final"] == (said[1] if said else usual), spec
    assert "c=" in spec, "what the document played does not depend on our defaults"


@pytest.mark.parametrize("where", MATCHES, ids=lambda each: each.id)
def test_matches_can_be_played(where):
    rules = sb.game(where.game)
    state = rules.state(where.start) if where.start else rules.initial()
    assert state.outcome is None
    assert where.scoring == {"S0": "half", "S2": "nothing", "S3": "half"}[where.id[:2]]
    assert where.games <= (where.most_games or where.games)
    assert where.scale("paper").games == where.games
    assert where.scale("paper").time == 1
    assert where.scale("small").games <= where.games
    assert where.games % 2 == where.small.games % 2 == 0, "colours alternate"
    for cell in (*where.cells, *where.variants):
        assert (cell.limits is None) == (cell.relative is not None)
        assert cell.published_share is None or cell.relative is not None


@pytest.mark.parametrize("where", [each for each in MATCHES if each.both_sides], ids=lambda e: e.id)
def test_both_sides_of_a_pairing_fit(where):
    cells = {(cell.row, cell.column): cell for cell in where.cells}
    for (row, column), cell in cells.items():
        other = cells[column, row]
        assert (other.agent, other.opponent) == (cell.opponent, cell.agent)
        assert (other.published is None) == (cell.published is None)
        if cell.published is not None:
            assert cell.published + other.published <= 100
            games = cell.published / 100 * where.games
            assert abs(games - round(games)) <= 0.005 * where.games, "rounded to a percent"


@pytest.mark.parametrize(("id_", "time"), [("S2.table3.4", "10 s"), ("S2.table3.5", "5 s")])
def test_draws_of_s2_follow_from_its_rates(id_, time):
    rates = {(cell.row, cell.column): cell.published for cell in experiment(id_).cells}
    games = experiment(id_).games
    for row in {row for row, _ in rates}:
        drawn = sum(
            games * (100 - rate - rates[column, player]) / 100
            for (player, column), rate in rates.items()
            if player == row
        )
        cell = cell_of("S2.table3.6", time, row)
        assert cell.note.split()[0] == f"{drawn:g}"
        assert cell.published == round(100 * drawn / (6 * games), 1)


def test_summaries_read_games_that_are_declared():
    for each in experiments():
        if isinstance(each, Summary):
            for cell in each.cells:
                assert isinstance(cell, Reading)
                source = experiment(cell.experiment)
                assert isinstance(source, Matches)
                played = {(pairing.agent, pairing.opponent) for pairing in source.cells}
                assert cell.agent in {agent for agent, _ in played}
                assert cell.opponent is None or (cell.agent, cell.opponent) in played


def test_lost_means_of_s2_are_noted_as_the_tables_give_them():
    for figure, table in (("S2.figure3.6", "S2.table3.2"), ("S2.figure3.7", "S2.table3.3")):
        for cell in experiment(figure).cells:
            row = [each.published for each in experiment(table).cells if each.row == cell.row]
            assert f"{sum(row) / len(row):.1f}" in experiment(figure).notes[0]


def test_relative_iterations_have_the_speeds_of_the_document():
    measured = {}
    for speeds in (experiment("S0.speed"), experiment("S0.table11")):
        assert isinstance(speeds, Speeds)
        measured |= {cell.row: speeds.ratio(cell) for cell in speeds.cells}
    for cell in experiment("S0.table13").cells:
        assert cell.relative == int(cell.column)
        assert cell.published_share == pytest.approx(measured[cell.row], rel=1e-3)
    # 15 to 30 %, rund 20 %, ca. 35 % and 44 % slower, says the text.
    assert measured["UCT1"] == pytest.approx(0.85, abs=0.005)
    assert measured["UCT3"] == pytest.approx(0.70, abs=0.01)
    assert measured["RAVE"] == pytest.approx(0.80, abs=0.01)
    assert measured["LGR"] == pytest.approx(0.65, abs=0.005)
    assert measured["AMAF-LGR"] == pytest.approx(0.56, abs=0.005)


def test_times_of_searches():
    times = experiment("S2.table3.1")
    assert isinstance(times, SearchTimes)
    assert times.positions == s2.TEN
    assert len(times.positions) == 10
    assert times.positions[0] == ""
    assert {cell.depth for cell in times.cells} == {4, 5, 6}
    for cell in times.cells:
        options = options_of(cell.agent)
        assert options["iterative"] == (cell.column in ("AB-Iter", "AB*"))
        assert options["tt"] == (cell.column in ("AB-TT", "AB*"))
        assert (times.ratio(cell) == 1) == (cell.column == "AB")


def test_unknown_experiments():
    with pytest.raises(sb.SpecError, match=r"did you mean S2\.table3\.4") as caught:
        experiment("s2.table3.4")
    check_message(caught.value, "s2.table3.4")
    assert "S0.figure18" in str(caught.value)
    with pytest.raises(sb.SpecError, match="there is no experiment 'chess'; the experiments are"):
        experiment("chess")


def test_tables_must_be_complete():
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        list(entries("a b\n1 2"))


def test_the_documentation_lists_every_experiment():
    text = (ROOT / "docs" / "lab" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\S+)` \|.*?\| (\d+)(?: \+ (\d+))? \| ([^|]*) \|$", text, re.MULTILINE)
    assert [row[0] for row in rows] == [each.id for each in experiments()]
    for id_, cells, variants, games in rows:
        each = experiment(id_)
        assert int(cells) == len(each.cells)
        assert int(variants or 0) == len(getattr(each, "variants", ()))
        if isinstance(each, Matches):
            assert games.startswith(f"{each.games:,}")


@pytest.mark.parametrize(
    "where", [each for each in experiments() if isinstance(each, Trainings)], ids=lambda e: e.id
)
@pytest.mark.parametrize("scale", ["small", "paper"])
def test_trainings_can_be_made(where, scale):
    for cell in where.cells:
        config = where.config_of(cell, scale)
        assert str(config.game) == where.game
        assert cell.at is None or cell.at <= config.games
        wanted = {"network": config.network, "learning": config.learning}
        for name, value in cell.changes:
            section, key = name.split(".")
            assert wanted[section][key] == value


def test_networks_are_named_by_experiments():
    assert experiment("S0.table12").networks == ("DenseNet-Norm", "ConvNet-Norm")
    assert experiment("S0.table7").networks == ()
    for network in s0.NETWORKS:
        small, paper = (network.at(scale) for scale in ("small", "paper"))
        assert small.network == paper.network
        assert small.games.number < paper.games.number == 16_000
