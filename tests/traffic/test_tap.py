from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kafkacompat.broker.connection import CONTROLLER, CloseConnection, Connection
from kafkacompat.now import Now
from kafkacompat.traffic.capture_file import CLOSE, OPEN, REQUEST, RESPONSE, CaptureFile
from kafkacompat.traffic.capture_writer import CaptureWriter
from kafkacompat.traffic.tap import Tap

NOW = Now(1, 1, 1)


def frame(key: int, client_id: bytes = b"billing", correlation_id: int = 7) -> bytes:
    head = key.to_bytes(2, "big") + b"\0\0" + correlation_id.to_bytes(4, "big")
    return head + len(client_id).to_bytes(2, "big") + client_id


class InSegment:
    """A part of a response that is in a file."""

    released = 0

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def read(self, at: int, size_bytes: int) -> bytes:
        return self.data[at : at + size_bytes]

    def release(self) -> None:
        self.released += 1


class World:
    def __init__(self, path: Path) -> None:
        self.writer = CaptureWriter(path, source="a test")
        self.tap = Tap(self.writer, 1)
        self.replies: list[Any] = []
        self.got: list[Any] = []

    def ask(self, data: bytes | bytearray, connection: Connection, parts: list[object] | None = None) -> None:
        def inner(data: bytes | bytearray, _connection: Connection, _now: Now, reply: Any) -> None:
            if isinstance(data, bytearray):
                data[:] = bytes(len(data))  # a batch is stamped in place
            self.replies.append(reply)
            reply(parts)

        self.tap.dispatch(inner, data, connection, NOW, self.got.append)

    def entries(self) -> list[Any]:
        self.writer.close()
        with CaptureFile(self.writer.path) as capture:
            return [entry for entry in capture if entry.connection]


def test_frames_are_captured_as_the_client_sends_and_gets_them(tmp_path: Path) -> None:
    world = World(tmp_path / "a.kct")
    connection = Connection(5, "10.0.0.9", "PLAINTEXT")
    world.tap.opened(connection)
    part = InSegment(b"segment")
    parts = [b"\0\0\0\7", memoryview(b"body"), part]
    world.ask(bytearray(frame(0)), connection, parts)
    world.ask(frame(0, correlation_id=8), connection, None)
    world.tap.closed(connection)
    assert world.got == [parts, None]
    assert part.released == 0
    opened, asked, answered, unanswered, closed = world.entries()
    assert (opened.kind, opened.fields) == (
        OPEN, {"node": 1, "peer": "10.0.0.9", "listener": "PLAINTEXT", "is_new": True}
    )  # fmt: skip
    assert (asked.kind, asked.payload, asked.api_key, asked.correlation_id) == (REQUEST, frame(0), 0, 7)
    assert (answered.kind, answered.payload, answered.correlation_id) == (RESPONSE, b"\0\0\0\7bodysegment", 7)
    assert (unanswered.kind, unanswered.correlation_id) == (REQUEST, 8)
    assert (closed.kind, closed.fields["reason"]) == (CLOSE, "the client or the network closed it")


def test_the_reason_of_the_broker_is_kept(tmp_path: Path) -> None:
    world = World(tmp_path / "a.kct")
    connection = Connection(5, "10.0.0.9", "PLAINTEXT")

    def refuse(*_: object) -> None:
        raise CloseConnection("malformed")

    with pytest.raises(CloseConnection, match="malformed"):
        world.tap.dispatch(refuse, frame(3), connection, NOW, world.got.append)
    world.tap.closed(connection)
    opened, _, closed = world.entries()
    assert opened.fields["is_new"] is False, "it was open before the capture"
    assert closed.fields == {"reason": "malformed"}


def test_what_nodes_ask_each_other_is_left_out(tmp_path: Path) -> None:
    world = World(tmp_path / "a.kct")
    world.ask(frame(1, b"broker-2-fetcher-0"), Connection(1, "", ""), [b"x"])
    world.ask(frame(18), Connection(2, "", "", CONTROLLER), [b"x"])
    world.ask(frame(58), Connection(3, "", ""), [b"x"])
    world.ask(b"\0\1", Connection(4, "", ""), [b"x"])  # no request
    assert len(world.got) == 4
    assert [entry.kind for entry in world.entries()] == [OPEN]
