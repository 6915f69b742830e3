"""Tests that others can spoil: a clock on a machine that stands still for a second, a browser.

What is really too slow or broken fails every time. The summary of the tests tells of every
repetition.
"""

import pytest

measures_time = pytest.mark.flaky(reruns=2)
needs_a_browser = pytest.mark.flaky(reruns=1)
