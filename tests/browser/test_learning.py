"""Networks and trainings in the browser: the inspector, tuples drawn by hand, curves, and forms."""

from __future__ import annotations

import json
import re

import pytest

import spielbaum as sb
from spielbaum.models.ntuple_file import load_network
from spielbaum.models.ntuple_inspect import move_sums
from spielbaum.models.shipped import shipped_models
from spielbaum.train.methods.ntuple.config import load_config
from studio_server import running
from timing import needs_a_browser

pytestmark = needs_a_browser

MINUS = "\u2212"
MODEL = "models/connect4.npz"


@pytest.fixture(scope="module")
def network():
    return load_network(shipped_models() / "connect4.npz")


def number(text):
    return float(text.replace(MINUS, "-").replace(",", ""))


def open_inspector(page, moves="d1+d2+c1", model=MODEL, game="connect4"):
    page.goto(f"/#/ntuples?game={game}&moves={moves}&model={model}")
    page.locator(".heat-table tbody tr").first.wait_for()


def cell(board, index):
    return board.locator(f'.hit[data-cell="{index}"]')


def pattern_card(page):
    return page.locator(".card", has=page.locator(".entry-weights"))


def drawer_card(page):
    return page.locator(".card", has=page.locator(".tuple-list"))


def test_the_inspector_draws_all_tuples_and_what_they_add(page, network):
    open_inspector(page)
    number_of_tuples = len(network.tuples)
    assert page.locator(".field .tuple-path").count() == number_of_tuples
    state = sb.game("connect4").initial()
    for move in ("d1", "d2", "c1"):
        state = state.play(move)
    strip = page.locator(".strip-cells span").all_text_contents()
    values = network.move_values(state)
    assert [number(text) for text in strip] == [
        pytest.approx(values[move], abs=0.0051) for move in state.legal_moves
    ]
    page.get_by_label("Order").select_option("number")
    page.get_by_role("button", name=f"All {number_of_tuples} tuples").click()
    rows = page.locator(".heat-table tbody tr")
    assert rows.count() == number_of_tuples + 1
    sums = move_sums(network, state)
    now = network.contributions(state)
    for index in (0, number_of_tuples // 2, number_of_tuples - 1):
        shown = [number(text) for text in rows.nth(index).locator(".heat").all_text_contents()]
        expected = [now[index].weight, *(each.weights[index] for each in sums)]
        assert shown == [pytest.approx(weight, abs=0.0051) for weight in expected]
    totals = rows.last.locator("td").all_text_contents()[2:]
    assert [number(text) for text in totals] == [
        pytest.approx(sum(each.weights), abs=0.0051) for each in sums
    ]


def test_hovering_shows_patterns_and_weights(page, network):
    open_inspector(page)
    row = page.locator(".heat-table tbody tr").nth(3)
    index = int(row.locator("button").text_content())
    row.hover()
    told = page.locator(".tuple-told")
    assert f"Tuple {index}" in told.text_content()
    strong = page.locator(".field .tuple-path").last
    assert strong.get_attribute("data-tuple") == str(index)
    assert strong.locator("text").count() == len(network.tuples[index])
    cell(page.locator(".field"), 3).hover()
    through = sum(3 in cells for cells in network.tuples)
    assert f"{through} tuples go through d1" in told.text_content()
    assert page.locator(".field .tuple-path").count() == through


def test_a_pattern_is_changed_cell_by_cell(page, network):
    open_inspector(page)
    page.get_by_label("Order").select_option("number")
    page.get_by_role("button", name="Tuple 3", exact=True).click()
    card = pattern_card(page)
    page.locator("h2", has_text=re.compile("^Tuple 3$")).wait_for()
    cells = network.tuples[3]
    text = card.locator(".entry-line .pattern-text")
    before = text.text_content()
    board = card.locator(".board")
    first = cell(board, cells[0])
    assert first.get_attribute("aria-disabled") == "false"
    first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "old => document.querySelector('.entry-line').firstChild.textContent !== old", arg=before
    )
    symbols = {".": 0, "x": 1, "o": 2, "_": 3}
    contents = [symbols[each] for each in text.text_content().split()]
    shown = [number(each) for each in card.locator(".entry-weights .tint").all_text_contents()]
    expected = [network.lookup(3, contents, to_move=player) for player in (0, 1)]
    assert shown == [pytest.approx(weight, abs=0.00051) for weight in expected]
    outside = next(each for each in range(42) if each not in cells)
    assert cell(board, outside).get_attribute("aria-disabled") == "true"
    card.locator("summary").click()
    card.locator("tbody .pattern-button").first.click()
    best = card.locator("tbody .pattern-button").first.text_content()
    page.wait_for_function(
        "now => document.querySelector('.entry-line').firstChild.textContent === now", arg=best
    )


def test_other_networks_and_games(page, network):
    open_inspector(page, moves="", model="models/tictactoe.npz", game="tictactoe")
    assert page.locator(".facts").text_content().count("1 of length 9") == 1
    page.locator("select").first.select_option(MODEL)
    page.wait_for_function("() => location.hash.includes('game=connect4')")
    page.get_by_text(f"of length {len(network.tuples[0])}").wait_for()
    cell(page.locator(".field"), 3).click()
    page.wait_for_function("() => location.hash.includes('moves=d1')")
    page.get_by_role("link", name="Play against it").click()
    page.locator(".seat").first.wait_for()
    cell(page.locator(".field"), 0).click()
    page.wait_for_function("() => location.hash.includes('moves=a1+')")


def test_tuples_are_drawn_and_saved_as_a_configuration(page, data_folder):
    open_inspector(page)
    card = drawer_card(page)
    board = card.locator(".board")
    for each in (0, 1, 2):
        cell(board, each).click()
    card.get_by_role("button", name="Next tuple").click()
    cell(board, 7).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert card.locator(".tuple-list li").count() == 2
    assert card.locator(".tuple-list li").last.text_content() == "a2 a3"
    card.get_by_label("Name").fill("drawn")
    card.get_by_label("All the rest as in").select_option("s1-improved")
    card.get_by_role("button", name="Save as configuration").click()
    card.get_by_text("Saved as drawn").wait_for()
    config = load_config(data_folder / "configs" / "drawn.toml")
    assert config.draw_tuples(1) == [(0, 1, 2), (7, 14)]
    card.get_by_role("link", name="Train it").click()
    page.get_by_text("New training").wait_for()
    assert page.get_by_label("Configuration", exact=True).input_value() == "drawn"


SLOW_FORMS = """
const quick = window.fetch;
window.fetch = async (url, ...rest) => {
  const isForm = String(url.url ?? url).includes("training-form");
  if (isForm) await new Promise((go) => setTimeout(go, 700));
  return quick(url, ...rest);
};
"""


def test_what_is_opened_or_typed_while_a_form_loads_is_not_lost(page):
    page.add_init_script(SLOW_FORMS)
    page.goto("/#/training")
    section = page.locator("details", has=page.locator("summary", has_text="Measuring"))
    section.locator("summary").click()
    page.get_by_label("Configuration", exact=True).select_option("tictactoe-3")
    page.get_by_label("Configuration", exact=True).select_option("tictactoe-9")
    section.locator("summary").click()  # it is open still, and closes
    section.locator("summary").click()
    games = section.get_by_label("games", exact=True)
    games.fill("4")
    page.wait_for_timeout(1000)
    assert games.input_value() == "4"
    assert page.get_by_label("Name").input_value().startswith("tictactoe-9 ")


def test_a_training_from_the_form_to_a_game_against_it(page):
    page.goto("/#/training")
    page.get_by_label("Configuration", exact=True).select_option("tictactoe-9")
    page.locator("summary", has_text="Measuring").click()
    section = page.locator("details", has=page.locator("summary", has_text="Measuring"))
    section.get_by_label("games", exact=True).fill("4")
    section.get_by_label("every").fill("1000")
    section.get_by_label("every").blur()
    section.locator("summary", has_text="(2 changed)").wait_for()
    page.locator("details").first.get_by_label("games", exact=True).fill("3000")
    page.locator("details").first.get_by_label("games", exact=True).blur()
    page.get_by_label("Name").fill("from the form")
    page.get_by_role("button", name="Start training").click()
    page.get_by_text("3,000 of 3,000 games").wait_for()
    page.get_by_text("finished", exact=True).wait_for()
    assert page.locator("figure", has_text="Strength").locator("path").count() == 1
    assert page.locator("figure", has_text="Games per second").count() == 1
    assert "every = 1000" in page.locator(".toml").text_content()
    page.locator("tr", has_text="run1/best").get_by_role("link", name="Play against it").click()
    page.locator(".seat").first.wait_for()
    cell(page.locator(".field"), 0).click()
    page.wait_for_function("() => /moves=a1\\+\\w\\d/.test(location.hash)")
    page.goto("/#/training")
    row = page.locator("tr", has_text="from the form")
    assert "finished" in row.text_content()
    row.get_by_role("link").click()
    page.locator("tr", has_text="run1/last").get_by_role("link", name="Look into it").click()
    page.locator(".heat-table").wait_for()


def test_generations_of_alphazero_can_be_played_against(page):
    page.goto("/#/training")
    page.get_by_label("Kind of training").select_option("alphazero")
    page.get_by_text("games of a search against itself").wait_for()
    assert page.get_by_label("Configuration", exact=True).input_value() == "tictactoe"
    for section, values in {
        "Game and length": {"model_updates": 2},
        "Games against itself": {"episodes": 8, "num_simulations": 8},
        "Training of the network": {"starting_memory_size": 1},
        "Matches and measurements": {"positions": 10, "every": 1},
    }.items():
        details = page.locator("details", has=page.locator("summary", has_text=section))
        if section != "Game and length":  # which is open
            details.locator("summary").click()
        for name, value in values.items():
            details.get_by_label(name, exact=True).fill(str(value))
            details.get_by_label(name, exact=True).blur()
    page.get_by_label("Name").fill("generations")
    page.get_by_role("button", name="Start training").click()
    page.get_by_text("2 of 2 generations").wait_for()
    page.get_by_text("finished", exact=True).wait_for()
    assert page.locator("figure", has_text="policy loss").count() == 1
    row = page.locator("tr", has_text="run1/nets/00001")
    row.get_by_role("link", name="Play against it").click()
    page.locator(".seat").first.wait_for()
    cell(page.locator(".field"), 4).click()
    page.wait_for_function("() => /moves=b2\\+\\w\\d/.test(location.hash)")


def test_a_training_is_stopped_and_goes_on(page):
    page.goto("/#/training")
    page.get_by_label("Configuration", exact=True).select_option("connect4")
    general = page.locator("details").first
    general.get_by_label("games", exact=True).fill("100000000")
    general.get_by_label("games", exact=True).blur()
    page.get_by_label("Name").fill("endless")
    page.get_by_role("button", name="Start training").click()
    page.get_by_text("a second").wait_for()
    done = page.locator(".card p").first.text_content()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Resume").wait_for()
    stopped = page.locator(".card p").first.text_content()
    assert number(stopped.split()[0]) >= number(done.split()[0]) > 0
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Stop").wait_for()
    page.get_by_text("a second").wait_for()
    resumed = page.locator(".card p").first.text_content()
    assert number(resumed.split()[0]) >= number(stopped.split()[0])
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Resume").wait_for()


def test_what_is_wrong_with_a_training_is_said(page):
    page.goto("/#/training")
    page.locator("summary", has_text="Network").click()
    page.get_by_label("tuples").fill("walk 9000 x 12")
    page.get_by_label("tuples").blur()
    page.get_by_role("button", name="Start training").click()
    page.locator(".problem-text", has_text="MB").wait_for()


@pytest.mark.parametrize("view", ["ntuples", "training"])
def test_everything_has_a_name(page, view):
    page.goto(f"/#/{view}")
    page.wait_for_selector(".heat-table, .form-sections details")
    assert (
        page.locator("main button:not([aria-label])").evaluate_all(
            "all => all.filter(each => !each.textContent.trim()).length"
        )
        == 0
    )
    assert (
        page.locator("main :is(input, select, textarea)").evaluate_all(
            "all => all.filter(e => !e.hidden && !e.labels.length && !e.ariaLabel).length"
        )
        == 0
    )
    assert page.locator("main .hit:not([aria-label])").count() == 0


def killed_training(data_folder, name):
    """A training as it looks after the system has killed it."""
    folder = data_folder / "trainings" / name
    (folder / "run1").mkdir(parents=True)
    (folder / "training.json").write_text('{"kind": "ntuple", "game": "connect4"}')
    (folder / "config.toml").write_text('game = "connect4"\n')
    (folder / "run1" / "status.json").write_text(
        '{"activity": "training", "step": 700, "of": 2000, "unit": "games", "rate": 9.0}'
    )
    problem = "the training was killed by SIGKILL, as the system does when memory runs out"
    (folder / "end.json").write_text(json.dumps({"problem": problem, "signal": "SIGKILL"}))
    return folder


def test_a_killed_training_is_shown_and_deleted_after_a_question(page, data_folder):
    folder = killed_training(data_folder, "short of memory")
    page.goto("/#/training")
    row = page.locator("tr", has_text="short of memory")
    assert row.locator(".badge.bad").text_content() == "killed by SIGKILL"
    row.locator("a").click()
    page.get_by_text("as the system does when memory runs out").wait_for()
    page.get_by_role("button", name="Delete").click()
    dialog = page.locator("dialog")
    assert "short of memory" in dialog.locator("h2").text_content()
    page.keyboard.press("Enter")  # the first button keeps it
    dialog.wait_for(state="detached")
    assert folder.exists()
    page.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    page.locator(".toast", has_text="Deleted").wait_for()
    page.wait_for_function("() => location.hash === '#/training'")
    page.locator(".form-sections details").first.wait_for()
    assert page.locator("tr", has_text="short of memory").count() == 0
    assert not folder.exists()


def test_a_configuration_of_ones_own_is_deleted(page, data_folder):
    path = data_folder / "configs" / "to be deleted.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text('game = "tictactoe"\n[[network.tuples]]\ncells = ["a1 b1"]\n')
    page.goto("/#/training?config=to+be+deleted")
    remove = page.get_by_role("button", name="Delete configuration")
    remove.click()
    page.locator("dialog").get_by_role("button", name="Delete configuration").click()
    remove.wait_for(state="hidden")  # those of the package cannot be deleted
    assert not path.exists()
    assert page.locator("option", has_text="to be deleted").count() == 0


def test_a_link_with_a_token_opens_the_page_and_loses_the_token(browser, tmp_path):
    with running(tmp_path, "--workers", "1", "--host", "0.0.0.0") as server:
        page = browser.new_context(locale="de-DE").new_page()
        page.goto(server.address)
        page.get_by_text("Token").first.wait_for()
        page.goto(f"{server.address}/?token={server.token}#/tournaments")
        page.locator("h1", has_text="Turniere").wait_for()
        assert page.url == f"{server.address}/#/tournaments"
        page.wait_for_function("() => !document.querySelector('#link-state').textContent")
        page.goto(server.address)  # the cookie is enough
        page.locator(".board .hit").first.wait_for()
        page.context.close()
