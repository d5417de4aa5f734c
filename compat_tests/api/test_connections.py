"""How bytes come and go: in drops, in heaps, from sockets that are half closed, to both brokers."""

from __future__ import annotations

import contextlib
import gzip
import socket
import struct
import time
from typing import Any

import psutil
import pytest

from compat_tests.api import batches, topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient
from compat_tests.api.samples_of_requests import SAMPLES
from compat_tests.api.test_spoiled_requests import newest, with_counts_that_lie
from compat_tests.broker_process import Broker
from compat_tests.kafkacompat_broker import KafkacompatBroker
from kafkacompat.protocol import headers
from kafkacompat.protocol.messages import api_versions, metadata, produce

pytestmark = pytest.mark.api("ApiVersions")
ANSWER_TIMEOUT_S = 30.0
MEBIBYTE = 1 << 20
GROWTH_MAX_BYTES = 64 * MEBIBYTE
GZIP = 1


def request(correlation_id: int, client_id: str | None = "raw", version: int = 0) -> bytes:
    """An ApiVersions request of version 0 with its size before it."""
    header = headers.encode_request_header(
        headers.RequestHeader(api_versions.API_KEY, version, correlation_id, client_id)
    )
    return struct.pack(">i", len(header)) + header


def connected(client: RawClient) -> socket.socket:
    """A socket of its own to the broker that the client talks to."""
    return socket.create_connection(client._address, ANSWER_TIMEOUT_S)


def frames(data: bytes) -> tuple[list[bytes], bytes]:
    """The whole frames that bytes begin with, without their sizes, and what is left."""
    found = []
    while len(data) >= 4:
        (size,) = struct.unpack_from(">i", data)
        if not 0 <= size <= len(data) - 4:
            break
        found.append(data[4 : 4 + size])
        data = data[4 + size :]
    return found, data


def received(connection: socket.socket, before: bytes = b"", count: int | None = None) -> bytes:
    """What was received before and what comes, until `count` answers are whole or the broker closes the connection."""
    data = before
    try:
        while (count is None or len(frames(data)[0]) < count) and (chunk := connection.recv(65_536)):
            data += chunk
    except ConnectionError:
        pass  # closed with bytes unread, which says the same
    return data


def correlation_ids(data: bytes) -> list[int]:
    """Of all answers; -1 behind what is cut off."""
    answers, rest = frames(data)
    found = [struct.unpack_from(">i", answer)[0] for answer in answers]
    return [*found, -1] if len(rest) >= 8 else found


SCENES = {
    "nothing at all": [b""],
    "half a size": [b"\0\0"],
    "a size alone": [struct.pack(">i", 20)],
    "size 0": [struct.pack(">i", 0)],
    "size 0, then a request": [struct.pack(">i", 0), request(1)],
    "one request": [request(1)],
    "one request, cut off": [request(1)[:-2]],
    "three at once": [request(1) + request(2) + request(3)],
    "three and a half": [request(1) + request(2) + request(3) + request(4)[:9]],
    "a bad one in the middle": [request(1) + struct.pack(">ihhi", 8, 999, 0, 2) + request(3)],
    "a bad size in the middle": [request(1) + struct.pack(">i", -5) + request(3)],
    "many": [b"".join(request(n) for n in range(200))],
    "in two pieces": [request(1)[:7], request(1)[7:]],
    "a byte at a time": [bytes([byte]) for byte in request(1) + request(2)],
    "the same correlation id": [request(7) + request(7)],
    "negative correlation ids": [request(-1) + request(-(2**31)) + request(2**31 - 1)],
    "no client id": [request(1, None)],
    "an empty client id": [request(1, "")],
    "the longest client id": [request(1, "x" * 32_767)],
    "a client id of control characters": [request(1, "\r\n\x00\x1b[31m")],
}


@pytest.mark.parametrize("name", SCENES)
def test_half_closed(compare: Compare, name: str) -> None:
    """The client says all it has to say and closes its side: which requests are still answered?"""

    def script(client: RawClient) -> dict[str, Any]:
        with connected(client) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for piece in SCENES[name]:
                connection.sendall(piece)
                if len(SCENES[name]) > 1:
                    time.sleep(0.002)
            asked, _ = frames(b"".join(SCENES[name]))
            # else the end may come before the answers
            data = b"" if "bad" in name else received(connection, count=len(asked))
            with contextlib.suppress(OSError):  # the broker was first
                connection.shutdown(socket.SHUT_WR)
            answered = correlation_ids(received(connection, data))
        return {"answered": answered, "afterwards": topics.is_alive(client)}

    compare(script)


def test_closed_before_the_answer(compare: Compare) -> None:
    """A client that goes while its questions are being answered harms nobody."""

    def script(client: RawClient) -> bool:
        for _ in range(20):
            with connected(client) as connection:
                connection.sendall(b"".join(request(n) for n in range(50)))
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return topics.is_alive(client)

    compare(script)


def bomb(size_bytes: int) -> bytes:
    """A batch of one record that is `size_bytes` of zeros once decompressed."""
    value = bytes(size_bytes)
    plain = batches.batch(1)
    record = b"\x00\x00\x00\x01" + _varint(len(value)) + value + b"\x00"
    body = gzip.compress(_varint(len(record)) + record, 9)
    return batches.resealed(batches.with_body(plain, body), batches.ATTRIBUTES_AT, ">h", GZIP)


def _varint(value: int) -> bytes:
    value <<= 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


@pytest.mark.api("Produce")
@pytest.mark.parametrize("compression", ["producer", "zstd", "uncompressed"])
def test_bombs(compare: Compare, topic: str, compression: str) -> None:
    """A batch of 30 kB that is 30 MB of zeros: kept as it is, compressed anew, unpacked."""
    records = bomb(30_000_000)

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 1, compression_type=compression)
        data = produce.TopicProduceData(topic, partition_data=[produce.PartitionProduceData(0, records)])
        answer = client.ask(produce, 9, produce.ProduceRequest(None, -1, 10_000, [data]))
        return {"said": answer, "afterwards": topics.is_alive(client)}

    compare(script)


@pytest.fixture
def own_broker(shared_broker: Any) -> Broker:
    """Our broker, which is to stay small whatever it is told."""
    broker: Broker = shared_broker("kafkacompat")
    return broker


@pytest.mark.api("Produce", "Metadata")
def test_memory_stays_bounded(own_broker: Broker, topic: str) -> None:
    """Lies about counts, bombs and connections that say nothing, over and over: what we take stays below a limit."""
    assert isinstance(own_broker, KafkacompatBroker)
    process = psutil.Process(own_broker.pid)
    lies = [frame for case in newest() for frame in with_counts_that_lie(case).values()]
    with RawClient(own_broker.bootstrap_servers) as client:
        topics.create(client, topic, 1, compression_type="zstd")
        before = process.memory_info().rss
        for _ in range(3):
            for frame in lies:
                _send_and_forget(client, struct.pack(">i", len(frame)) + frame)
        for size in (50_000_000, 104_857_600):
            _send_and_forget(client, struct.pack(">i", size) + bytes(100_000))
        idle = [connected(client) for _ in range(200)]
        data = produce.TopicProduceData(topic, partition_data=[produce.PartitionProduceData(0, bomb(30_000_000))])
        for _ in range(3):
            client.call(produce.API_KEY, 9, produce.ProduceRequest(None, -1, 10_000, [data]))
        grown = process.memory_info().rss - before
        for connection in idle:
            connection.close()
        assert grown < GROWTH_MAX_BYTES, f"{grown / MEBIBYTE:.0f} MiB more than before"
        assert topics.is_alive(client)
        assert client.call(metadata.API_KEY, 12, SAMPLES[metadata.API_KEY](12)).topics


def _send_and_forget(client: RawClient, data: bytes) -> None:
    with connected(client) as connection:
        connection.sendall(data)
        connection.settimeout(0.05)
        with contextlib.suppress(OSError):  # closed or silent: either will do
            connection.recv(65_536)
