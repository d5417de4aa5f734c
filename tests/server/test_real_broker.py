"""The shell around the real broker: garbage on some connections harms no other."""

from __future__ import annotations

import random
import socket
import time

from kafkacompat import Cluster
from tests.cli.processes import TIMEOUT_S, ask_api_versions, receive
from tests.metadata_client import partition_counts


def connect(kafka: Cluster) -> socket.socket:
    host, port = kafka.bootstrap_servers.split(":")
    return socket.create_connection((host, int(port)), timeout=TIMEOUT_S)


def test_garbage_on_fifty_connections(caplog) -> None:
    rng = random.Random(4711)
    with Cluster(topics={"orders": 2}) as kafka:
        for _ in range(50):
            with connect(kafka) as bad:
                kind = rng.randrange(4)
                if kind == 0:
                    bad.sendall(rng.randbytes(200))
                elif kind == 1:  # a frame of noise
                    bad.sendall(b"\0\0\0\x64" + rng.randbytes(100))
                elif kind == 2:  # a known key and version, and noise
                    key, version = rng.choice([(0, 9), (1, 12), (3, 9), (18, 3), (19, 5)])
                    header = bytes((0, key, 0, version, 0, 0, 0, 1, 0xFF, 0xFF, 0))
                    bad.sendall(b"\0\0\0\x64" + header + rng.randbytes(100 - len(header)))
                else:  # an announcement and nothing more
                    bad.sendall(b"\x05\xff\xff\xff" + rng.randbytes(10))
                begun = time.monotonic()
                assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 2}
                assert time.monotonic() - begun < 5
    assert "Traceback" not in caplog.text


def test_every_split_of_a_real_request() -> None:
    request = b"\0\0\0\x0e" + bytes((0, 18, 0, 0, 0, 0, 0, 7, 0, 4)) + b"test"
    with Cluster() as kafka, connect(kafka) as sock:
        expected = ask_api_versions(kafka.bootstrap_servers)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for cut in range(1, len(request)):
            sock.sendall(request[:cut])
            assert ask_api_versions(kafka.bootstrap_servers) == expected  # the part has been read by now
            sock.sendall(request[cut:] + request)
            assert receive(sock) == receive(sock) == expected


def test_pipelined_requests_keep_their_order() -> None:
    with Cluster() as kafka, connect(kafka) as sock:
        ids = range(500)
        bodies = [bytes((0, 18, 0, 0)) + number.to_bytes(4, "big") + b"\0\4test" for number in ids]
        sock.sendall(b"".join(len(body).to_bytes(4, "big") + body for body in bodies))
        assert [int.from_bytes(receive(sock)[:4], "big") for _ in ids] == list(ids)
