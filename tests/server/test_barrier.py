"""Nodes stand still until all are there, or until whoever waits for them gives up."""

from __future__ import annotations

import asyncio
import socket

import pytest

from kafkacompat.server import barrier as barriers
from kafkacompat.server.barrier import HOST, TOKEN_LENGTH, Barrier, stand_still


async def arrive(barrier: Barrier, token: str | None = None) -> bool:
    return await asyncio.to_thread(stand_still, barrier.port, barrier.token if token is None else token)


def test_the_first_goes_on_with_the_last() -> None:
    async def scenario() -> None:
        async with Barrier(3) as barrier:
            early = [asyncio.create_task(arrive(barrier)) for _ in range(2)]
            while len(barrier._there) < 2:
                await asyncio.sleep(0)
            assert not any(task.done() for task in early)
            assert await arrive(barrier)
            assert await asyncio.gather(*early) == [True, True]

    asyncio.run(scenario())


def test_nobody_goes_on_when_it_is_given_up_or_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with Barrier(2) as barrier:
            port, token = barrier.port, barrier.token
            early = asyncio.create_task(arrive(barrier))
            while not barrier._there:
                await asyncio.sleep(0)
        assert await early is False
        assert await asyncio.to_thread(stand_still, port, token) is False
        monkeypatch.setattr(barriers, "STAND_STILL_MAX_S", 0.01)
        async with Barrier(2) as barrier:
            assert await arrive(barrier) is False, "longer than it may take"

    asyncio.run(scenario())


def test_others_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(barriers, "TOKEN_TIMEOUT_S", 0.01)

    async def scenario() -> None:
        async with Barrier(1) as barrier:
            assert await arrive(barrier, "x" * TOKEN_LENGTH) is False
            assert await arrive(barrier, "") is False, "it says nothing"
            with socket.create_connection((HOST, barrier.port)):
                pass
            assert await arrive(barrier)

    asyncio.run(scenario())
