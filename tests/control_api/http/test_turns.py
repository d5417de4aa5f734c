"""Turns of the loop that requests take: measured one by one, and bounded for large answers."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from kafkacompat.control_api.http.turns import PIECES_PER_YIELD, Turns, as_json
from kafkacompat.steps import at_once


class Record(NamedTuple):
    offset: int
    value: bytes


def test_named_tuples_become_objects_and_bytes_base64() -> None:
    value = {"records": iter([Record(1, b"\xff")]), 7: {"ids": (1, 2)}, "text": "ü\ud800", "none": [], "empty": {}}
    assert json.loads(at_once(as_json(value))) == {
        "records": [{"offset": 1, "value": "/w=="}], "7": {"ids": [1, 2]}, "text": "ü\ud800", "none": [], "empty": {},
    }  # fmt: skip
    assert at_once(as_json(Record(1, b""))) == b'{"offset": 1, "value": ""}\n'
    assert at_once(as_json([{"a": [1]}, "b", None])) == b'[{"a": [1]}, "b", null]\n'


def test_a_large_answer_is_made_in_steps() -> None:
    value = {"topics": [{"name": "orders", "partitions": [{"partition": each, "isr": (1,)} for each in range(1_000)]}]}
    steps = as_json(value)
    assert all(units == PIECES_PER_YIELD for units in iter(lambda: next(steps, None), None))
    assert json.loads(at_once(as_json(value)))["topics"][0]["partitions"][999] == {"partition": 999, "isr": [1]}
    assert sum(1 for _ in as_json(value)) > 1_000 // PIECES_PER_YIELD


class Clock:
    """Only `work` takes time."""

    now_ms = 0

    def work(self, ms: int) -> None:
        self.now_ms += ms


def run(coroutine: object, clock: Clock) -> tuple[object, list[int]]:
    seen: list[int] = []

    async def main() -> object:
        turns = Turns(coroutine, lambda: clock.now_ms, lambda took_ms, _at_ms: seen.append(took_ms))  # type: ignore[arg-type]
        return await turns

    return asyncio.run(main()), seen


def test_each_turn_is_measured_without_the_time_between_them() -> None:
    clock = Clock()

    async def request() -> str:
        clock.work(5)
        asyncio.get_running_loop().call_soon(clock.work, 1_000)
        await asyncio.sleep(0)
        clock.work(7)
        await asyncio.sleep(0)
        return "done"

    assert run(request(), clock) == ("done", [5, 7, 0])


def test_errors_and_cancellations_go_through() -> None:
    clock = Clock()

    async def request() -> str:
        try:
            async with asyncio.timeout(0):
                await asyncio.get_running_loop().create_future()
        except TimeoutError:
            clock.work(3)
        raise ValueError("in the end")

    with pytest.raises(ValueError, match="in the end"):
        run(request(), clock)
    assert clock.now_ms == 3


class Paused:
    """An awaitable that never ends."""

    def __await__(self) -> Iterator[None]:
        yield


def test_what_is_given_up_is_closed_at_once() -> None:
    async def waits() -> None:
        await Paused()

    async def measured() -> None:
        await Turns(waiting, lambda: 0, lambda _took_ms, _at_ms: None)

    waiting, task = waits(), measured()
    task.send(None)
    task.close()
    assert inspect.getcoroutinestate(waiting) == inspect.CORO_CLOSED
