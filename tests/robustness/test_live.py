"""A broker as a child process under bad company, while a canary writes and reads. Linux: sizes come from /proc."""

import random
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from tests.cli.processes import Child
from tests.robustness.client import Client, batch_of, fetch_request, frame_of, wait_for_answer
from tests.robustness.killing import free_port

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory and descriptors are read from /proc")

MAX_RSS_MB = 60
"""ARCHITECTURE.md: ten consumers that fetch 50 MiB each."""
CANARY_MAX_S = 5.0
"""A broker that is stuck takes longer; how fast it is is not measured here, where machines are busy."""
LOOPS = ["asyncio", "uvloop"]


class Canary(threading.Thread):
    """Writes a record and reads it back until it is stopped; new connections all the time, as they must work too."""

    def __init__(self, port: int) -> None:
        super().__init__(name="canary")
        self._port = port
        self._stop_asked = threading.Event()
        self.rounds = 0
        self.slowest_s = 0.0
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self._stop_asked.wait(0.01):
                started = time.monotonic()
                with Client(self._port) as client:
                    value = random.randbytes(8)
                    written = client.produce("canary", batch_of(value))
                    assert written.error_code == errors.NONE, written
                    read = client.fetch("canary", written.base_offset)
                    assert value in bytes(read.records)
                self.slowest_s = max(self.slowest_s, time.monotonic() - started)
                self.rounds += 1
        except BaseException as error:  # noqa: BLE001 (told by check)
            self.failure = error

    def check(self) -> None:
        self._stop_asked.set()
        self.join()
        if self.failure is not None:
            raise self.failure
        assert self.rounds
        assert self.slowest_s < CANARY_MAX_S


class Server:
    """The child, its port and what the system says of it."""

    def __init__(self, data_dir: Path, loop: str) -> None:
        self.port = free_port()
        self.child = Child(
            "serve", "--port", str(self.port), "--data-dir", str(data_dir), environment={"KAFKACOMPAT_LOOP": loop}
        )
        wait_for_answer(self.port)
        with Client(self.port) as client:
            client.create_topic("canary")

    @property
    def rss_mb(self) -> float:
        status = Path(f"/proc/{self.child.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    @property
    def descriptors(self) -> int:
        """Open sockets; segment files stay open, as many as there are partitions."""
        found = 0
        for entry in Path(f"/proc/{self.child.process.pid}/fd").iterdir():
            try:
                found += "socket:" in str(entry.readlink())
            except OSError:
                continue  # closed meanwhile
        return found

    def wait_for_descriptors(self, count: int) -> None:
        deadline = time.monotonic() + 10
        while self.descriptors > count and time.monotonic() < deadline:
            time.sleep(0.02)
        assert self.descriptors <= count


@pytest.fixture(params=LOOPS)
def server(request, tmp_path) -> Iterator[Server]:
    server = Server(tmp_path / "data", request.param)
    try:
        canary = Canary(server.port)
        canary.start()
        yield server
        canary.check()
        assert server.child.stop() == 0
        assert "a bug" not in server.child.stderr, server.child.stderr
        assert "Traceback" not in server.child.stderr, server.child.stderr
    finally:
        server.child.__exit__(None, None, None)


def connect(server: Server, stack: ExitStack) -> socket.socket:
    return stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 20))


def nonsense(rng: random.Random) -> bytes:
    """What a peer may send that is no client."""
    good = frame_of(ApiVersionsRequest("kafkacompat", "1"), 3)
    return rng.choice(
        (
            b"GET / HTTP/1.1\r\nHost: kafka\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(300),  # TLS
            struct.pack(">i", -1),
            struct.pack(">i", 2**31 - 1) + rng.randbytes(1000),
            struct.pack(">i", 100 * 1024 * 1024) + rng.randbytes(1000),
            struct.pack(">i", 20) + rng.randbytes(20),
            struct.pack(">i", 0) * 50,
            good[: rng.randrange(1, len(good))],
            good + good[:7],
            rng.randbytes(rng.randrange(1, 5000)),
        )
    )


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
        with socket.create_connection(("127.0.0.1", server.port), 20) as sock:
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
        for _ in range(20):
            time.sleep(0.02)
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
