"""The engine and the image, once in a session; without an engine these tests are left out, and say why."""

from __future__ import annotations

import pytest

from compat_tests.containers import engine


@pytest.fixture(scope="session", autouse=True)
def image() -> str:
    """The image, built."""
    why = engine.missing_engine()
    if why is not None:
        pytest.skip(f"LEFT OUT: {why}; the script replays in tests/image need no engine")
    engine.build()
    return engine.APACHE
