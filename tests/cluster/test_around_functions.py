"""What runs around a function, with a stand-in for the cluster."""

from __future__ import annotations

import asyncio
import inspect
import threading

import pytest

from kafkacompat.cluster.around_functions import decorated, started, to_the_end


class Stand:
    """Notes when it is entered and left, in both ways."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __enter__(self) -> Stand:
        self.seen.append("entered")
        return self

    def __exit__(self, *_: object) -> None:
        self.seen.append("left")

    async def __aenter__(self) -> Stand:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()


def test_each_call_of_a_decorated_function_has_its_own() -> None:
    made: list[Stand] = []

    def new() -> Stand:
        made.append(Stand())
        return made[-1]

    def plain(number: int, kafka: Stand) -> tuple[int, list[str]]:
        """Says what it got."""
        return number, list(kafka.seen)

    async def waiting(number: int, *, kafka: Stand) -> tuple[int, list[str]]:
        return number, list(kafka.seen)

    around = decorated(plain, new)
    assert around(7) == (7, ["entered"])
    assert asyncio.run(decorated(waiting, new)(8)) == (8, ["entered"])
    assert [stand.seen for stand in made] == [["entered", "left"]] * 2
    assert list(inspect.signature(around).parameters) == ["number"]  # pytest looks for no fixture `kafka`
    assert around.__doc__ == plain.__doc__


async def test_a_cancelled_start_ends_first_and_is_stopped() -> None:
    done: list[str] = []
    has_begun, may_end = threading.Event(), threading.Event()

    def start() -> None:
        has_begun.set()
        may_end.wait(30)
        done.append("started")

    task = asyncio.ensure_future(started(start, lambda: done.append("stopped")))
    await asyncio.get_running_loop().run_in_executor(None, has_begun.wait, 30)
    task.cancel()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["started", "stopped"]


async def test_what_the_function_raises_is_raised() -> None:
    def fails() -> None:
        raise ValueError("as it says")

    with pytest.raises(ValueError, match="as it says"):
        await to_the_end(fails)
