"""Stands before any Kafka, passes everything on, and captures it.

Clients are told the proxy's addresses instead of the brokers', so that they come back through it: for each broker that
an answer names, a port is opened. Every other byte passes as it came, and the capture has the answers as the brokers
gave them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from contextlib import suppress
from struct import Struct

from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol import api_keys
from kafkacompat.traffic.advertised_addresses import Advertised, tells_addresses
from kafkacompat.traffic.capture_file import PAYLOAD_MAX_BYTES, REQUEST, RESPONSE
from kafkacompat.traffic.tap import CLOSED_BY_CLIENT, START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.traffic.advertised_addresses import Address
    from kafkacompat.traffic.capture_writer import CaptureWriter

log = logging.getLogger(__name__)

_SIZE = Struct(">i")
CONNECT_TIMEOUT_S = 10.0
READ_BYTES = 256 * 1024
BROKERS_MAX = 1_000
"""So many ports are opened at most."""
UNANSWERED_MAX = 10_000
"""Requests that are never answered (acks=0) are forgotten beyond so many."""
ANY_HOST = frozenset(("", "0.0.0.0", "::"))  # noqa: S104 (compared, not bound)
CLOSED_BY_BROKER = "the broker or the network closed it"
NO_FRAMES = "it uses SASL in the form of before Kafka 1.0 (SaslHandshake v0), which is passed on and not captured"


class CaptureProxy:
    """A proxy to the cluster that `target` belongs to. host, port: where it listens; port 0 picks a free one.

    advertised_host: what clients are told; None: `host`, or the address that a client has reached.
    """

    def __init__(
        self, writer: CaptureWriter, target: Address, host: str, port: int, *, advertised_host: str | None = None
    ) -> None:
        self._writer = writer
        self._target = target
        self._host = host
        self._advertised_host = advertised_host
        self.port = port
        self._servers: list[asyncio.Server] = []
        self._ports: dict[Address, int] = {}  # of brokers, by the addresses that they advertise
        self._nodes: dict[Address, int] = {}
        self._opening = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen. Raises KafkaCompatError if the port is taken."""
        self.port = await self._listen(self._target, self.port)

    async def close(self) -> None:
        """Stop listening and close all connections; each ends in the capture."""
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(self, target: Address, port: int) -> int:
        async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._tasks.add(task)
            try:
                await _Passage(self, self._writer, target).run(reader, writer)
            except asyncio.CancelledError:
                pass  # the proxy closes
            finally:
                self._tasks.discard(task)

        host: str | None = self._host or None
        try:
            if not port:  # a name may have several addresses, which would get a port each
                found = await asyncio.get_running_loop().getaddrinfo(
                    host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
                )
                host = str(found[0][4][0])
            server = await asyncio.start_server(accepted, host, port)
        except OSError as error:
            reason = error.strerror or error
            raise KafkaCompatError(f"{self._host}:{port} cannot be listened at: {reason}. Name another port") from None
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    def node_id(self, address: Address) -> int:
        """The id of the node there, 0 while it is not known."""
        return self._nodes.get(address, 0)

    async def stand_in(self, nodes: dict[Address, int], reached: str) -> dict[Address, Address]:
        """Where clients find these brokers, which get a port if they have none. reached: the host a client came to."""
        host = self._advertised_host or (reached if self._host in ANY_HOST else self._host)
        async with self._opening:
            for address, node_id in nodes.items():
                self._nodes[address] = node_id
                if address not in self._ports and len(self._ports) < BROKERS_MAX:
                    is_target = address == self._target
                    self._ports[address] = self.port if is_target else await self._listen(address, 0)
        return {address: (host, self._ports[address]) for address in nodes if address in self._ports}


class _Passage:
    """One connection of a client and the one to a broker."""

    def __init__(self, proxy: CaptureProxy, writer: CaptureWriter, target: Address) -> None:
        self._proxy = proxy
        self._writer = writer
        self._target = target
        self._number = 0
        self._asked: dict[int, tuple[int, int]] = {}
        self._is_opaque = False
        self._reached = ""

    async def run(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        """Pass on until one side ends."""
        host, port = self._target
        try:
            opening = asyncio.open_connection(host, port, limit=READ_BYTES)
            broker, to_broker = await asyncio.wait_for(opening, CONNECT_TIMEOUT_S)
        except (OSError, TimeoutError) as error:
            reason = os.strerror(error.errno) if error.errno else error or "no answer"
            log.warning("%s:%d cannot be reached: %s", host, port, reason)
            to_client.transport.abort()
            return
        self._reached = to_client.get_extra_info("sockname")[0]
        peer = to_client.get_extra_info("peername")[0]
        self._number = self._writer.open_connection(
            node=self._proxy.node_id(self._target), peer=peer, listener=f"{host}:{port}", is_new=True
        )
        forth = asyncio.ensure_future(self._pass_on(client, to_broker, is_request=True))
        back = asyncio.ensure_future(self._pass_on(broker, to_client, is_request=False))
        reason = "the proxy closed it"
        try:
            done, _ = await asyncio.wait((forth, back), return_when=asyncio.FIRST_COMPLETED)
            reason = CLOSED_BY_CLIENT if forth in done else CLOSED_BY_BROKER
            for each in done:
                if each.exception() is not None:
                    reason = str(each.exception())
        finally:
            for each in (forth, back):
                each.cancel()
            await asyncio.gather(forth, back, return_exceptions=True)
            self._writer.close_connection(self._number, reason)
            for writer in (to_broker, to_client):
                writer.close()

    async def _pass_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, is_request: bool) -> None:
        """Frames from one side to the other, until that ends."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                if self._is_opaque:
                    data = await source.read(READ_BYTES)
                    if not data:
                        break
                    sink.write(data)
                else:
                    frame = await self._frame(source)
                    out = self._request(frame) if is_request else await self._response(frame)
                    sink.write(_SIZE.pack(len(out)) + out)
                await sink.drain()

    async def _frame(self, source: asyncio.StreamReader) -> bytes:
        (size,) = _SIZE.unpack(await source.readexactly(_SIZE.size))
        if not 0 <= size <= PAYLOAD_MAX_BYTES:
            raise KafkaCompatError(f"a frame of {size} bytes: this is not Kafka's protocol without TLS")
        return await source.readexactly(size)

    def _request(self, frame: bytes) -> bytes:
        if len(frame) >= START.size:
            key, version, correlation_id = START.unpack_from(frame)
            if len(self._asked) >= UNANSWERED_MAX:
                del self._asked[next(iter(self._asked))]
            self._asked[correlation_id] = key, version
            self._writer.add(REQUEST, self._number, frame, key, version, correlation_id)
            if (key, version) == (api_keys.SASL_HANDSHAKE, 0):
                self._is_opaque = True
                log.warning("connection %d: %s", self._number, NO_FRAMES)
        return frame

    async def _response(self, frame: bytes) -> bytes:
        correlation_id = int.from_bytes(frame[:4], "big", signed=True)
        found = self._asked.pop(correlation_id, None) if len(frame) >= 4 else None
        if found is None:
            return frame
        key, version = found
        self._writer.add(RESPONSE, self._number, frame, key, version, correlation_id)
        if not tells_addresses(key, version):
            return frame
        try:
            advertised = Advertised(frame, key, version)
        except ValueError as error:
            log.warning("connection %d: the addresses in an answer cannot be read: %s", self._number, error)
            return frame
        if not advertised.nodes:
            return frame
        return advertised.replaced(await self._proxy.stand_in(advertised.nodes, self._reached))
