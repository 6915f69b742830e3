"""The parts of the studio that need no server."""

import re
from pathlib import Path

import pytest

import spielbaum as sb
from spielbaum.studio.server.access import checked_host, is_own_host
from spielbaum.studio.server.guard import checked_engine, offered, permitted_agent
from spielbaum.studio.server.security import Bucket
from spielbaum.studio.server.settings import KEPT_MEGABYTES, Settings
from spielbaum.studio.services.boards import board_of
from spielbaum.studio.services.files import shown
from spielbaum.studio.services.net_forms import net_kinds
from spielbaum.studio.services.positions import describe, most_visited, path_of, state_of
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
        "gtp:path=sh",
        "nboard:path=sh",
        "ugi:path=sh",
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
    book = "perfect:book="
    assert permitted_agent(f"{book}engines/engine", settings) == f"{book}{inside}"
    for refused in ("link", outside):
        with pytest.raises(sb.SpecError, match="data folder"):
            permitted_agent(f"{book}{refused}", settings)


def test_programs_run_only_if_the_owner_has_named_them(tmp_path):
    program = tmp_path / "engine"
    program.write_text("x")
    program.chmod(0o755)
    engine = checked_engine(f"weak=uci:path={program},skill=0")
    settings = Settings(data=tmp_path, engines=(engine,))
    assert permitted_agent("weak", settings) == f"uci:path={program},skill=0"
    assert shown(f"{permitted_agent('weak', settings)} won", settings) == "weak won"
    assert [info.name for info in offered(sb.agents(), settings)][-1] == "weak"
    for refused, why in (
        ("uci:path=engine", "the owner of this server"),
        (f"uci:path={program},skill=20", "the owner of this server"),
        ("weak:skill=20", "has no options"),
    ):
        with pytest.raises(sb.SpecError, match=why):
            permitted_agent(refused, settings)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("weak", "expected NAME=SPEC"),
        ("uct=uci:path=true", "the name of no other agent"),
        ("weak=uct", "of the kinds gtp, nboard, uci, ugi"),
        ("weak=uci:path=/nowhere", "a program that can be run"),
        ("We ak=uci:path=true", "name"),
    ],
)
def test_engines_that_an_owner_cannot_offer(text, why):
    with pytest.raises(sb.SpecError, match=why):
        checked_engine(text)


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
    for info in offered(sb.agents(), Settings()):
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
        assert path_of(again) == (view.start, view.moves)


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
