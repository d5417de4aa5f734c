"""Thousands of connections whose frames wait for the request budget, and what becomes of them when it has room."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from kafkacompat.broker.connection import Connection
from kafkacompat.now import Now
from kafkacompat.server.budget import RequestBudget
from kafkacompat.server.connection import ClientConnection

COUNT = 3_000  # their frames would be deeper in each other than the stack may be
LARGE_BYTES = 100_000


class ReadingTransport:
    """Only says whether it reads."""

    def __init__(self) -> None:
        self.reads = True

    def set_write_buffer_limits(self, *, high: int, low: int) -> None:
        pass

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True


class Crowd:
    """One connection that holds the whole budget with half a frame, and many that wait with theirs."""

    def __init__(self) -> None:
        self.budget = RequestBudget(LARGE_BYTES)
        self.lost: list[ClientConnection] = []
        self.owner = SimpleNamespace(
            budget=self.budget,
            shared_buffer=bytearray(1024),
            limits=SimpleNamespace(max_frame_bytes=LARGE_BYTES),
            loop=None,
            read_ahead=None,
            opened=lambda _: None,
            lost=self.lost.append,
        )
        self.holder = self.connect(LARGE_BYTES)
        self.waiting = [self.connect(8) for _ in range(COUNT)]
        assert self.budget.used_bytes == LARGE_BYTES
        assert not any(reads(one) for one in self.waiting)

    def connect(self, size: int) -> ClientConnection:
        state = Connection(random.Random().randrange(1 << 30), "127.0.0.1", "PLAINTEXT", "broker")
        connection = ClientConnection(self.owner, state, Now(0, 0))
        connection.connection_made(ReadingTransport())
        begun = size.to_bytes(4, "big") + b"e"
        connection.get_buffer(-1)[: len(begun)] = begun
        connection.buffer_updated(len(begun))
        return connection


def reads(connection: ClientConnection) -> bool:
    return connection._transport.reads


def test_a_large_release_feeds_all_who_wait() -> None:
    crowd = Crowd()
    crowd.holder.connection_lost(None)
    assert crowd.lost == [crowd.holder]
    assert all(reads(one) for one in crowd.waiting)
    assert crowd.budget.used_bytes == 8 * COUNT
    for one in crowd.waiting:
        one.connection_lost(None)
    assert crowd.lost == [crowd.holder, *crowd.waiting]
    assert crowd.budget.used_bytes == 0


def test_a_connection_ends_although_another_cannot_be_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = Crowd()

    def fails() -> None:
        raise RuntimeError("a bug that a test made")

    monkeypatch.setattr(crowd.waiting[0]._transport, "resume_reading", fails)
    with pytest.raises(RuntimeError):
        crowd.holder.connection_lost(None)
    assert crowd.lost == [crowd.holder]
    crowd.waiting[1].connection_lost(None)
    assert crowd.budget.used_bytes == 8  # of the one that failed
    crowd.budget.charge(-8)  # whoever gives back next feeds the others
    assert all(reads(one) for one in crowd.waiting[2:])
