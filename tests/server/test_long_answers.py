"""Requests that take many turns: who waits behind them, and what a stop does with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafkacompat.now import Now
from kafkacompat.steps import UNITS_PER_ITERATION, Stepped
from tests.server.harness import Client, serving
from tests.waiting import later_event, until


async def test_who_begins_to_wait_after_many_turns_makes_way_for_the_request_that_came_meanwhile() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"h1", b"e2")
        await until(lambda: server.broker.waiting)
        await later_event()
        assert server.broker.frames == [b"h1"]
        server.broker.end_steps()
        assert [await client.receive() for _ in range(2)] == [b"h1", b"e2"]
        await client.close()


async def test_a_stop_ends_what_is_being_written() -> None:
    steps = [0]

    def writing() -> Iterator[int]:
        for _ in range(1_000):
            steps[0] += 1
            yield UNITS_PER_ITERATION

    ended: list[object] = []
    async with serving() as server:
        work = Stepped(writing())
        server.broker.long_answers.add(
            work, lambda *given: ended.append(given), pytest.fail, Now(0, 0), written_bytes=1
        )
    assert steps == [1_000]
    assert len(ended) == 1
