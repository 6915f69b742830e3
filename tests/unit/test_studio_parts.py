"""The parts of the studio that need no server."""

import re
from pathlib import Path

import pytest

import spielbaum as sb
from spielbaum.games.drawing.text import Choice, Layout, Link, Row
from spielbaum.studio.server.access import checked_host, is_own_host
from spielbaum.studio.server.guard import offered, permitted_agent
from spielbaum.studio.server.security import Bucket
from spielbaum.studio.server.settings import KEPT_MEGABYTES, Settings
from spielbaum.studio.services import positions
from spielbaum.studio.services.boards import board_of
from spielbaum.studio.services.files import shown
from spielbaum.studio.services.net_forms import net_kinds
from spielbaum.studio.services.positions import (
    describe,
    most_visited,
    path_of,
    preview,
    state_of,
)
from spielbaum.studio.services.protocol import Position
from spielbaum.studio.services.queue import FairQueue

STATIC = Path(sb.__file__).parent / "studio" / "page"


def test_visitors_take_turns():
    queue = FairQueue()
    for number in range(5):
        queue.add("greedy", f"greedy {number}")
    queue.add("late", "late 0")
    queue.add("later", "later 0")
    assert list(queue.items())[:3] == ["greedy 0", "late 0", "later 0"]
    assert [queue.take() for _ in range(3)] == ["greedy 0", "late 0", "later 0"]
    assert queue.remove("greedy", "greedy 2")
    assert not queue.remove("greedy", "greedy 2")
    assert [queue.take() for _ in range(len(queue))] == ["greedy 1", "greedy 3", "greedy 4"]


def test_who_cannot_be_served_yet_keeps_his_place():
    queue = FairQueue()
    for visitor, item in (("ann", 1), ("ann", 2), ("bob", 3), ("bob", 4)):
        queue.add(visitor, item)
    assert queue.take(lambda item: item > 5) is None
    assert queue.take(lambda item: item > 2) == 3
    assert queue.take(lambda item: item == 2) == 2
    assert [queue.take() for _ in range(3)] == [4, 1, None]


def test_nobody_is_passed_over():
    queue = FairQueue()
    for visitor in range(50):
        for number in range(3):
            queue.add(str(visitor), (visitor, number))
    first = [queue.take() for _ in range(50)]
    assert {visitor for visitor, _ in first} == set(range(50))


@pytest.mark.parametrize(
    "spec",
    [
        "uci:path=/bin/sh",
        "uci:path=sh",
        "uci:path=../../bin/sh",
        "perfect:book=/etc/passwd",
        "perfect:book=../secret.book",
        "perfect:fallback=human",
        "alphabeta:eval=/etc/passwd",
        "alphabeta:eval=a.b",
        "ntuple:/etc/passwd",
        "ntuple:models/nosuch.npz",
        "ntuple:models/../pyproject.toml",
        "ntuple:../secret.book",
        "ntuple:path=models/../../secret.book",
        "alphabeta:eval=ntuple:/etc/passwd",
        "alphabeta:order=ntuple:../secret.book",
        "mcts:eval=ntuple:models",
        "mcts:memory=60000",
        "mcts:threads=200",
        "human",
        "nosuch",
        "mcts:c=x",
    ],
)
def test_agents_that_are_refused(spec, tmp_path):
    settings = Settings(data=tmp_path / "data", megabytes=1024, threads=2)
    (tmp_path / "secret.book").write_text("x")
    with pytest.raises(sb.SpecError) as caught:
        permitted_agent(spec, settings)
    assert "\n" not in str(caught.value)


def test_agents_that_are_kept_have_little_memory():
    for spec, kept in (
        ("mcts:c=0.5", "mcts:c=0.5,memory=64"),
        ("mcts:memory=32", "mcts:memory=32"),
        ("alphabeta:memory=512", "alphabeta"),
        ("random", "random"),
    ):
        assert permitted_agent(spec, Settings(), KEPT_MEGABYTES) == kept


def test_files_of_the_data_folder_are_permitted(tmp_path):
    inside = tmp_path / "engines" / "engine"
    inside.parent.mkdir()
    inside.write_text("x")
    outside = tmp_path.parent / "outside"
    outside.write_text("x")
    (tmp_path / "link").symlink_to(outside)
    settings = Settings(data=tmp_path)
    assert permitted_agent("uci:path=engines/engine", settings) == f"uci:path={inside}"
    with pytest.raises(sb.SpecError):
        permitted_agent("uci:path=link", settings)
    with pytest.raises(sb.SpecError):
        permitted_agent(f"uci:path={outside}", settings)


def test_models_are_permitted_by_name(tmp_path):
    settings = Settings(data=tmp_path / "data", models=tmp_path / "shipped")
    own = settings.data / "trainings" / "a run" / "run1" / "best.npz"
    for path in (settings.models / "connect4.npz", own):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x")
    full = str(settings.models / "connect4.npz")
    for spec, expected in (
        ("ntuple:models/connect4.npz,depth=4", f"ntuple:{full},depth=4"),
        ("ntuple:trainings/a run/run1/best.npz", f"ntuple:{own}"),
        ("alphabeta:eval=ntuple:models/connect4.npz", f"alphabeta:eval=ntuple:{full}"),
        ("mcts:cut=0,eval=ntuple:models/connect4.npz", f"mcts:cut=0,eval=ntuple:{full}"),
    ):
        assert permitted_agent(spec, settings) == expected
        assert shown(expected, settings).count(str(tmp_path)) == 0
    mine = settings.data / "models" / "connect4.npz"
    mine.parent.mkdir()
    mine.write_bytes(b"y")
    assert permitted_agent("ntuple:models/connect4.npz", settings) == f"ntuple:{mine}"


def test_every_offered_agent_is_permitted_as_it_is():
    for info in offered(sb.agents()):
        if not info.name.startswith(("last", "first")):
            assert permitted_agent(info.name, Settings()) == info.name


@pytest.mark.parametrize(
    "spec",
    [
        "chess",
        "connect4:rows=8,columns=9",
        "hex",
        "reversi:size=6",
        "tictactoe",
        "yavalath:players=3",
    ],
)
def test_boards_have_a_place_for_every_cell_and_stone(spec):
    board = board_of(spec)
    state = sb.game(spec).initial()
    assert len(board.cells) == len(state.cells)
    assert len(board.sides) == state.num_players
    assert len({(cell.x, cell.y) for cell in board.cells}) == len(board.cells)
    for _ in range(60):
        assert max(state.cells) <= len(board.stones) == len(board.names)
        if state.outcome:
            break
        state = state.play(sb.agent("random").choose(state).move)


def test_positions_come_back_as_they_went():
    for spec, start in (
        ("connect4", "4453"),
        ("chess", "8/P6k/8/8/8/8/8/K7 w - - 0 1"),
        ("reversi", ""),
        ("yavalath", "e5 d4"),
    ):
        state = state_of(Position(game=spec, start=start))
        for _ in range(6):
            if state.outcome is None:
                state = state.play(state.legal_moves[-1])
        view = describe(state)
        again = state_of(Position(game=view.game, start=view.start, moves=view.moves))
        assert again == state
        assert path_of(again) == (view.start, view.moves, view.movers)


def test_a_position_says_who_moved_what_to_ask_and_what_everybody_has():
    state = sb.game("reversixt:map=map52").initial()
    while not any(state.text(move).endswith(",20") for move in state.legal_moves):
        state = state.play(state.legal_moves[0])
    view = describe(state)
    assert view.notes == ["phase 1: stones"]
    assert view.counts["bombs"] == list(state.details["bombs"])
    assert view.counts["stones"] == [state.cells.count(player) for player in (1, 2, 3)]
    assert view.movers == [0, 1, 2] * (len(view.moves) // 3) + [0, 1, 2][: len(view.moves) % 3]
    asked = [move for move in view.legal if move.choice]
    assert [(move.text[-3:], move.choice.answer) for move in asked[:2]] == [
        (",20", "a bomb"),
        (",21", "an override stone"),
    ]
    assert all(len(move.text.split(",")) == 2 for move in view.legal if not move.choice)
    assert describe(state.disqualify(state.to_move)).out == [state.to_move]
    after = state.play(asked[0].text)
    seen = preview(state, asked[0].text)
    assert all(state.cells[cell] != after.cells[cell] for cell in seen.cells)
    assert seen.contents == [after.cells[cell] for cell in seen.cells]
    assert len(seen.cells) >= 2
    state = sb.game("yavalath:players=3").state("e5 a1 i5 e6 a3 i3 e7")
    assert (describe(state).out, describe(state.play("c1").play("g1")).to_move) == ([0], 1)
    promoted = describe(sb.game("chess").state("8/P6k/8/8/8/8/8/K7 w - - 0 1")).legal
    pieces = {move.choice.answer: move.choice.content for move in promoted if move.choice}
    assert pieces == {"queen": 5, "rook": 4, "bishop": 3, "knight": 2}


class Market(sb.PythonGame):
    """Three take one of four cells each, by day or by night; who took the first is out."""

    name = "market"
    num_players = 3
    num_actions = 8
    num_cells = 4
    previews = True

    def initial(self):
        return ()

    def to_move(self, taken):
        return len(taken) % 3

    def legal_moves(self, taken):
        used = {action // 2 for action in taken}
        return [action for action in range(8) if action // 2 not in used]

    def play(self, taken, action):
        return (*taken, action)

    def outcome(self, taken):
        return sb.Outcome.win(2, 3) if len(taken) == 3 else None

    def key(self, taken):
        return bytes(taken)

    def cell(self, taken, cell):
        places = [action // 2 for action in taken]
        return places.index(cell) + 1 if cell in places else 0

    def move_cells(self, taken, action):
        return [action // 2]

    def layout(self):
        names = ("a", "b", "c", "d")
        links = (Link((0, 3)), Link((0, 1), (0, 180)))
        return Layout((Row((0, 1, 2, 3), ""),), names, links=links)

    def counts(self, taken):
        return {"points": [10 * player for player in range(3)]}

    def notes(self, taken):
        return ["open"]

    def out(self, taken):
        return [0] if taken else []

    def choice(self, taken, action):
        return Choice("when?", "by night" if action % 2 else "by day", content=2)


def test_games_in_python_declare_what_is_shown_beside_and_on_the_board():
    sb.register_game(Market, replace=True)
    board = board_of("market")
    assert [(link.cells, link.ends) for link in board.links] == [
        ((0, 3), [50, 50, 350, 50]),
        ((0, 1), [50, 10, 150, 90]),
    ]
    assert board.previews
    view = describe(sb.game("market").initial().play(3))
    assert (view.counts, view.notes, view.out) == ({"points": [0, 10, 20]}, ["open"], [0])
    assert view.movers == [0]
    night = view.legal[1].choice
    assert (night.question, night.answer, night.content) == ("when?", "by night", 2)


def test_of_thousands_of_moves_the_best_are_told(monkeypatch):
    monkeypatch.setattr(positions, "MOST_MOVES", 4)
    monkeypatch.setattr(positions, "MOST_LINES", 2)
    state = sb.game("tictactoe").initial()
    decision = sb.agent("uct:seed=1").choose(state, sb.Budget(iterations=300))
    told = positions.describe_decision(state, decision)
    most = sorted((each.visits for each in decision.moves), reverse=True)[:4]
    assert sorted((each.visits for each in told.moves), reverse=True) == most
    assert told.more == 5
    assert sum(bool(each.pv) for each in told.moves) == 2
    assert told.move in [each.text for each in told.moves]


def test_the_most_visited_part_of_a_tree_is_a_tree():
    agent, state = sb.agent("uct:seed=1"), sb.game("connect4").initial()
    agent.choose(state, sb.Budget(iterations=3000))
    rows = most_visited(agent.tree(state.game, 5000), 200)
    assert len(rows) == 200
    assert all(row.parent is None or row.parent < place for place, row in enumerate(rows))
    for row in rows:
        assert row.parent is None or rows[row.parent].visits >= row.visits


def test_hosts_of_other_pages_are_refused():
    assert is_own_host("127.0.0.1:8000", Settings())
    assert is_own_host("[::1]:8000", Settings())
    assert not is_own_host("rebound.example:8000", Settings())
    assert not is_own_host("", Settings())
    assert not is_own_host("127.0.0.1", Settings(host="192.0.2.7"))
    assert is_own_host("192.0.2.7:8000", Settings(host="192.0.2.7"))
    everywhere = Settings(host="0.0.0.0", allowed_hosts=("studio.example", "fd00::1"))
    for name in ("studio.example", "Studio.Example:80", "[fd00::1]:8000", "127.0.0.1"):
        assert is_own_host(name, everywhere)
    for name in ("anything.example", "", "me@studio.example", "studio.example/x", "[", "192.0.2.7"):
        assert not is_own_host(name, everywhere)


def test_a_server_that_others_reach_has_a_token_of_its_own():
    assert Settings().token == Settings(host="127.0.0.9").token == ""
    tokens = {
        Settings(host=host).token for host in ("0.0.0.0", "::", "192.0.2.7", "studio.example")
    }
    assert len(tokens) == 4
    assert min(map(len, tokens)) >= 32


@pytest.mark.parametrize(
    "name", ["*", "*.example", "", "http://a", "a:80", "a/b", "a b", "[", "fd00::1]:80"]
)
def test_names_of_hosts_that_are_refused(name):
    with pytest.raises(sb.SpecError, match="allowed host"):
        checked_host(name)


def test_a_bucket_fills_again():
    bucket = Bucket(rate=2.0, burst=3)
    assert [bucket.take(now=0.0) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(now=1.0) for _ in range(3)] == [True, True, False]


def texts(language):
    source = (STATIC / "js" / "texts" / f"{language}.js").read_text(encoding="utf-8")
    return dict(re.findall(r'^  "?([\w .]+?)"?:\s+"(.*)",$', source, re.MULTILINE))


def test_both_languages_have_the_same_texts():
    english, german = texts("en"), texts("de")
    assert len(english) > 150
    missing = {key for key in english if key not in german}
    assert missing == set()
    assert {key for key in german if key not in english and not key.startswith("word.")} == set()
    for key, text in english.items():
        names = set(re.findall(r"\{\w+\}", text))
        assert names == set(re.findall(r"\{\w+\}", german[key])), key


def test_every_text_is_used_and_every_used_text_exists():
    known = texts("en")
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (STATIC / "js").rglob("*.js")
        if path.parent.name != "texts"
    )
    used = set(re.findall(r'\bt\(\s*"([^"]+)"', sources))
    assert used - set(known) == set()
    quoted = set(re.findall(r'"([\w.]+)"', sources))
    made = re.findall(r"`([a-z]+\.)\$\{", sources)
    for key in known:
        assert key in quoted or key.startswith(("word.", *made)), key


def test_every_module_is_asked_for_at_once():
    """Else a browser would find them one after the other."""
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    preloaded = set(re.findall(r'rel="modulepreload" href="([^"]+)"', page))
    modules = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js")}
    assert preloaded == modules - {"js/main.js", "js/openapi.js"}


def test_the_page_fetches_nothing_from_elsewhere():
    for path in STATIC.rglob("*"):
        if path.suffix in (".html", ".css", ".js", ".svg"):
            text = path.read_text(encoding="utf-8")
            assert set(re.findall(r"https?://[^\s\"'`$]+", text)) <= {"http://www.w3.org/2000/svg"}
            assert len(text.splitlines()) < 500


def test_sizes_of_layers_are_lists_in_forms():
    kind = next(each for each in net_kinds(Settings(data=Path("/nowhere"))) if each.name == "value")
    sections = {section.name: section.fields for section in kind.form("s0-convnet-norm")}
    network = {field.name: field for field in sections["network"]}
    assert network["width"].value == "32, 32, 32, 32"
    assert (network["kernel"].value, network["value_hidden"].value) == ("3", "32, 32")
    assert (network["pool"].low, network["pool"].value) == (0, 2)
    assert network["activation"].choices == ["relu", "leaky_relu", "sigmoid"]
    values = {"network.blocks": 1, "network.width": "8, 16", "network.value_hidden": "", "seed": 3}
    _, text = kind.write("s0-convnet-norm", values)
    assert "width = [8, 16]" in text
    assert "value_hidden = []" in text
    with pytest.raises(sb.SpecError, match=r"network.width = \[8, 16\]: expected one number, or 4"):
        kind.write("s0-convnet-norm", {"network.width": "8, 16"})
