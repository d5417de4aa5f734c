"""A server whose start has failed can be stopped by whoever stops all that were to start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkacompat.config import BrokerConfig
from kafkacompat.errors import StartupError
from kafkacompat.server.broker_server import BrokerServer
from tests.server.fakes import FakeBroker
from tests.server.harness import TIMEOUT_S, binding


def unopened_broker(**_arguments: object) -> FakeBroker:
    raise StartupError("the data directory is damaged")


class UnwelcomeBroker(FakeBroker):
    def begin(self, network: object, now: object) -> None:
        raise StartupError("another node has this id")


class DoomedBroker(FakeBroker):
    def begin(self, network: object, now: object) -> None:
        self.on_fatal("another node has this id")


@pytest.mark.parametrize("kind", [UnwelcomeBroker, DoomedBroker])
def test_a_start_that_fails_gives_all_back_before_it_says_so(kind: type[FakeBroker]) -> None:
    opened: list[FakeBroker] = []

    def open_broker(**arguments: object) -> FakeBroker:
        opened.append(kind(**arguments))
        return opened[0]

    async def fail() -> BrokerServer:
        server = BrokerServer(BrokerConfig.from_sources(), [binding("PLAINTEXT")], open_broker=open_broker)
        async with asyncio.timeout(TIMEOUT_S):
            with pytest.raises(StartupError, match="another node has this id"):
                await server.start()
        return server

    server = asyncio.run(fail())
    assert opened[0].closed == [False]
    assert not Path(server.data_dir).exists()


@pytest.mark.parametrize("broker", [unopened_broker, UnwelcomeBroker])
def test_a_server_that_did_not_start_has_nothing_to_stop(broker: Callable[..., FakeBroker]) -> None:
    async def fail() -> str:
        server = BrokerServer(BrokerConfig.from_sources(), [binding("PLAINTEXT")], open_broker=broker)
        await server.stop()  # nor has one that nobody started
        with pytest.raises(StartupError):
            await server.start()
        async with asyncio.timeout(TIMEOUT_S):
            await server.hand_over()
            await server.stop()
            await server.stop(clean=False)
        return server.data_dir

    data_dir = asyncio.run(fail())
    assert data_dir
    assert not Path(data_dir).exists()
