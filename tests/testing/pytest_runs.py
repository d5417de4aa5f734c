"""Runs of pytest in processes of their own, in a folder of their own, with warnings as errors."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNUSED = ("cacheprovider", "asyncio", "hypothesispytest", "randomly")
"""pytest-asyncio warns wherever its scope of loops is not set. The last two import numpy, half of a short run."""
QUIET = (*(word for name in UNUSED for word in ("-p", f"no:{name}")), "--strict-markers", "-W", "error")
"""A test that is about one of the unused plugins asks for it with `-p`."""


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest with the plugins of this environment, at most two minutes."""
    return pytester.runpytest_subprocess(*QUIET, *arguments, timeout=120)
