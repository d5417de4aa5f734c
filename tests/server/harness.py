"""A BrokerServer with a fake broker on a loop, and a plain asyncio client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from kafkacompat.broker.connection import BROKER
from kafkacompat.config import BrokerConfig
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.endpoints import Binding
from tests.server.fakes import FakeBroker

TIMEOUT_S = 30


def binding(name: str, kind: str = BROKER, *, is_inter_broker: bool = True) -> Binding:
    return Binding(name, "127.0.0.1", 0, "127.0.0.1", 0, kind, is_inter_broker=is_inter_broker)


@asynccontextmanager
async def serving(
    config: dict[str, str] | None = None,
    bindings: list[Binding] | None = None,
    data_dir: Path | None = None,
    **limits: int,
) -> AsyncIterator[BrokerServer]:
    """A started server; `limits` replace those of the shell that no config sets. data_dir: of durable data."""
    bindings = bindings or [binding("PLAINTEXT")]
    directory = None if data_dir is None else str(data_dir)
    server = BrokerServer(BrokerConfig.from_sources(cli=config or {}), bindings, directory, open_broker=FakeBroker)
    await server.start()
    for name, value in limits.items():
        assert hasattr(server.connections.limits, name)
        setattr(server.connections.limits, name, value)
    try:
        yield server
    finally:
        await server.stop()


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def connect(cls, server: BrokerServer, host: str = "127.0.0.1", port: int | None = None) -> Client:
        return cls(*await asyncio.open_connection(host, port or server.endpoints[0].port))

    def send(self, *bodies: bytes) -> None:
        for body in bodies:
            self.writer.write(len(body).to_bytes(4, "big") + body)

    async def receive(self) -> bytes:
        size = int.from_bytes(await asyncio.wait_for(self.reader.readexactly(4), TIMEOUT_S), "big")
        return await asyncio.wait_for(self.reader.readexactly(size), TIMEOUT_S)

    async def ask(self, body: bytes) -> bytes:
        self.send(body)
        return await self.receive()

    async def is_closed_by_peer(self) -> bool:
        """Whether the stream ends; what comes before that is dropped."""
        try:
            await asyncio.wait_for(self.reader.read(), TIMEOUT_S)
        except ConnectionError:
            pass
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()

    def abort(self) -> None:
        self.writer.transport.abort()
