"""The signature: what the games compute, on every machine."""

from pathlib import Path

from spielbaum.testing.bench import signature

EXPECTED = Path(__file__).parents[1] / "data" / "signature.txt"


def test_signature():
    assert f"{signature():016x}" == EXPECTED.read_text().strip()
