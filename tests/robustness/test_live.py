"""A broker as a child process under bad company, while a canary writes and reads. Linux: sizes come from /proc."""

import random
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from tests.robustness.client import TIMEOUT_S, Client, batch_of, fetch_request, frame_of, wait_for_answer
from tests.robustness.garbage import nonsense
from tests.robustness.live import Server, watched

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory and descriptors are read from /proc")

MAX_RSS_MB = 60
"""ARCHITECTURE.md: ten consumers that fetch 50 MiB each."""
CANARY_MAX_S = 10.0
"""A broker that is stuck takes longer; how fast it is is not measured here, where machines are busy."""
LOOPS = ["asyncio", "uvloop"]
LATER_REQUESTS = 100
"""By then a broker has sent what it will send to those who do not read."""


@pytest.fixture(params=LOOPS)
def server(request, tmp_path) -> Iterator[Server]:
    server = Server(tmp_path / "data", request.param)
    with watched(server) as (canary, _):
        yield server
    assert max(canary.took_s) < CANARY_MAX_S


def connect(server: Server, stack: ExitStack) -> socket.socket:
    return stack.enter_context(socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S))


def test_bad_company(server):
    """Garbage, half frames, slow senders, floods, disconnects in the middle: descriptors and memory come back."""
    rng = random.Random(3)
    before = server.descriptors
    rss_mb = server.rss_mb
    for _ in range(4):
        with ExitStack() as stack:
            for _ in range(50):
                _send(connect(server, stack), nonsense(rng))
    with ExitStack() as stack:  # slow senders, all at once
        good = frame_of(ApiVersionsRequest("kafkacompat", "1"), 3)
        slow = [connect(server, stack) for _ in range(50)]
        for byte in good:
            for sock in slow:
                sock.sendall(bytes((byte,)))
        for sock in slow:
            assert sock.recv(4)
    for _ in range(500):  # a flood of connections, and of such that leave with an answer on its way
        with socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S) as sock:
            if rng.random() < 0.5:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                sock.sendall(frame_of(fetch_request("canary", 0, 1 << 20), 12))
    server.wait_for_descriptors(before + 3)  # the canary's, and its next
    assert server.rss_mb < rss_mb + 20


def _send(sock: socket.socket, data: bytes) -> None:
    with suppress(OSError):  # closed on us, as it should be
        sock.sendall(data)


def test_thousands_of_idle_connections(server):
    before, rss_mb = server.descriptors, server.rss_mb
    with ExitStack() as stack:
        for _ in range(2_000):
            connect(server, stack)
        assert server.rss_mb < rss_mb + 25
    server.wait_for_descriptors(before + 3)


def test_readers_of_much_who_do_not_read(server):
    """Ten consumers ask for 50 MiB each, read nothing for a while, then all of it: memory stays flat."""
    with Client(server.port) as client:
        client.create_topic("big")
        megabyte = batch_of(random.Random(1).randbytes(1_000_000))
        for _ in range(52):
            assert client.produce("big", megabyte).error_code == errors.NONE
    before = server.descriptors
    wanted_bytes = 50 * 1024 * 1024
    peak_mb = 0.0
    with ExitStack() as stack:
        socks = [connect(server, stack) for _ in range(10)]
        for sock in socks:
            sock.sendall(frame_of(fetch_request("big", 0, wanted_bytes), 12))
        for _ in range(LATER_REQUESTS):
            wait_for_answer(server.port)
            peak_mb = max(peak_mb, server.rss_mb)
        left = [struct.unpack(">i", sock.recv(4, socket.MSG_WAITALL))[0] for sock in socks]
        assert min(left) > 49 * 1024 * 1024
        while any(left):
            for index, sock in enumerate(socks):
                if left[index]:
                    left[index] -= len(sock.recv(min(left[index], 1 << 20)))
            peak_mb = max(peak_mb, server.rss_mb)
    assert peak_mb < MAX_RSS_MB
    server.wait_for_descriptors(before + 3)
