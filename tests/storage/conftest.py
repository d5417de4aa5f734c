"""Tests of files run in memory, on disk, and on disk without the optional system calls."""

import os
from pathlib import Path

import pytest

from kafkacompat.storage.fs import Fs, RealFs
from kafkacompat.storage.memfs import MemFs


@pytest.fixture(params=["memory", "disk", "poor disk"])
def fs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Fs:
    if request.param == "memory":
        return MemFs()
    if request.param == "poor disk":
        for name in ("pread", "writev", "O_DIRECTORY", "fdatasync"):
            monkeypatch.delattr(os, name)
    return RealFs(temporary=True)


@pytest.fixture
def path(fs: Fs, tmp_path: Path) -> str:
    """Where a log of the test lies."""
    return f"{tmp_path}/t-0"
