"""Coroutine tests run on both loops, without a plugin."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Iterator

import pytest

from kafkacompat.server.loops import new_event_loop
from tests.threads import new_threads
from tests.waiting import wait_until


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if inspect.iscoroutinefunction(metafunc.function):
        metafunc.fixturenames.append("loop_kind")
        metafunc.parametrize("loop_kind", ["asyncio", "uvloop"])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KAFKACOMPAT_LOOP", pyfuncitem.callspec.params["loop_kind"])
        loop = new_event_loop()
    names = pyfuncitem._fixtureinfo.argnames
    failures: list[dict] = []
    loop.set_exception_handler(lambda _, context: failures.append(context))
    try:
        loop.run_until_complete(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
        leftovers = [task for task in asyncio.all_tasks(loop) if not task.done()]
        assert not leftovers, leftovers
        assert not failures, failures
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
    return True


@pytest.fixture
def loop_kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(autouse=True)
def no_threads_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    # one that looks up a name ends after it has told what it found
    # the loop of a test has ended by now
    wait_until(lambda: not left(before), what=lambda: left(before))


def left(before: set[threading.Thread]) -> list[threading.Thread]:
    return new_threads(before, lambda loop: loop.is_running())
