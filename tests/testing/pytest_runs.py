"""Runs of pytest in processes of their own, in a folder of their own, with warnings as errors."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUIET = ("-p", "no:cacheprovider", "-p", "no:asyncio", "--strict-markers", "-W", "error")
"""pytest-asyncio warns wherever its scope of loops is not set."""


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest with the plugins of this environment, at most two minutes."""
    return pytester.runpytest_subprocess(*QUIET, *arguments, timeout=120)
