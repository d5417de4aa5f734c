"""What a test leaves: threads, descriptors, files, and objects whose collection warns."""

from __future__ import annotations

import gc
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from kafkacompat import Cluster


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@cache
def _first_use() -> None:
    """What is imported and opened once is no leftover."""
    with Cluster(brokers=2):
        pass


@contextmanager
def nothing_left(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No thread, descriptor, or file stays; what a collection warns of is an error."""
    _first_use()
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    with only_newer_objects():
        threads, files = set(threading.enumerate()), descriptors()
        yield
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an unclosed socket or loop
            gc.collect()
    assert set(threading.enumerate()) <= threads
    assert descriptors() <= files
    assert not list(scratch.iterdir())


@contextmanager
def only_newer_objects() -> Iterator[None]:
    """Collections look at no older object. After thousands of tests there are millions, and each look takes seconds."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
