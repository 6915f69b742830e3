"""The signature: what the games compute, on every machine."""

from pathlib import Path

from spielbaum.games.game import native_games
from spielbaum.testing.bench import FIXED_SEARCHES, FIXED_WORKLOADS, SEARCHES, WORKLOADS, signature

EXPECTED = Path(__file__).parents[1] / "data" / "signature.txt"


def test_signature():
    assert f"{signature():016x}" == EXPECTED.read_text().strip()


def test_a_new_game_adds_to_the_signature_and_changes_nothing():
    assert signature(FIXED_WORKLOADS, FIXED_SEARCHES) == 0x90DB6FBC0736329A
    assert {work.spec.split(":")[0] for work in WORKLOADS} == set(native_games())
    assert {search.spec.split(":")[0] for search in SEARCHES} == set(native_games())
