"""What all tests share."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory):
    """Tests, and the programs they start, leave the user's cache of solved positions alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPIELBAUM_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
