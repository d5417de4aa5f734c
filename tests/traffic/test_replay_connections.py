from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from kafkacompat.traffic.replay_connections import ReplayConnections

Peer = Callable[[socket.socket], None]


@pytest.fixture
def connections() -> Iterator[Callable[[Peer], ReplayConnections]]:
    """Connections to a peer that does what the test says, on a thread."""
    made: list[ReplayConnections] = []
    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def to(peer: Peer) -> ReplayConnections:
            def run() -> None:
                sock, _ = server.accept()
                with sock:
                    peer(sock)

            threads.append(threading.Thread(target=run))
            threads[-1].start()
            made.append(ReplayConnections(server.getsockname()))
            return made[-1]

        yield to
        for each in made:
            each.close_all()
        for thread in threads:
            thread.join()


def test_frames_are_put_together_and_taken_apart(connections: Callable[[Peer], ReplayConnections]) -> None:
    received = bytearray()

    def peer(sock: socket.socket) -> None:
        while len(received) < 4 + 5_000_000:  # more than a socket's buffer
            received.extend(sock.recv(1 << 20))
        for piece in (b"\0\0\0", b"\3abc\0\0\0", b"\2de"):
            sock.sendall(piece)
        sock.recv(1)

    there = connections(peer)
    connection = there.open()
    there.send(connection, bytes(5_000_000))
    while len(connection.answers) < 2:
        there.wait(30)
    assert list(connection.answers) == [b"abc", b"de"]
    assert received[:4] == (5_000_000).to_bytes(4, "big")
    assert connection.closed is None
    there.close(connection)
    assert connection.closed == "the replay closed it"


@pytest.mark.parametrize("size", [b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"HTTP"])
def test_a_peer_that_is_no_kafka_is_left(connections: Callable[[Peer], ReplayConnections], size: bytes) -> None:
    there = connections(lambda sock: sock.sendall(size + b"/1.1 400") or (sock.recv(1) and None))
    connection = there.open()
    while connection.closed is None:
        there.wait(30)
    assert "no Kafka" in connection.closed


def test_the_end_of_a_peer_is_noticed(connections: Callable[[Peer], ReplayConnections]) -> None:
    there = connections(lambda sock: sock.sendall(b"\0\0\0\1a"))
    connection = there.open()
    while connection.closed is None:
        there.wait(30)
    assert (list(connection.answers), connection.closed) == ([b"a"], "the broker closed it")
