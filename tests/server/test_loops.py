"""The choice of the event loop, with and without uvloop."""

from __future__ import annotations

import asyncio
import sys

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.server.loops import ENVIRONMENT, new_event_loop


def kind(monkeypatch: pytest.MonkeyPatch, wanted: str | None) -> str:
    """The package of the loop that is chosen when the environment asks for `wanted`."""
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    if wanted is not None:
        monkeypatch.setenv(ENVIRONMENT, wanted)
    loop = new_event_loop()
    loop.close()
    return type(loop).__module__.partition(".")[0]


def test_uvloop_is_taken_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kind(monkeypatch, None) == kind(monkeypatch, "") == kind(monkeypatch, "uvloop") == "uvloop"
    assert kind(monkeypatch, "asyncio") == "asyncio"


def test_without_uvloop_it_is_asyncio_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert kind(monkeypatch, None) == kind(monkeypatch, "asyncio") == "asyncio"
    loop = new_event_loop()
    assert isinstance(loop, asyncio.SelectorEventLoop)
    loop.close()


def test_uvloop_that_is_asked_for_and_missing_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with pytest.raises(StartupError, match=r"pip install 'kafkacompat\[uvloop\]'"):
        kind(monkeypatch, "uvloop")


def test_another_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StartupError, match="KAFKACOMPAT_LOOP=trio: use asyncio or uvloop"):
        kind(monkeypatch, "trio")
