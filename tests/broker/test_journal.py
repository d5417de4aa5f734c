"""The journal keeps the last requests with their responses, within its limits, and changes none of them."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.broker.connection import CONTROLLER, CloseConnection, Connection
from kafkacompat.broker.journal import BYTES_MAX, FRAME_MAX_BYTES, REQUESTS_MAX, START_BYTES, Journal
from kafkacompat.now import Now

NOW = Now(1_000, 1_700_000_000_000)
CLIENT = Connection(1, "127.0.0.1", "PLAINTEXT")


class Node:
    """Answers each frame with `answer`; `replies` has what reached the client."""

    def __init__(self) -> None:
        self.time_us = 0
        self.answer: list[object] | None = [b"head", b"body"]
        self.held: list[Any] | None = None
        self.replies: list[Any] = []
        self.journal = Journal(self.handle, self.clock_us)

    def clock_us(self) -> int:
        self.time_us += 5
        return self.time_us

    def handle(self, frame: Any, _connection: Any, _now: Any, reply: Any) -> None:
        if frame == b"close":
            raise CloseConnection("bad frame")
        if self.held is not None:
            self.held.append(reply)
        else:
            reply(self.answer)

    def send(self, frame: bytes, connection: Connection = CLIENT) -> None:
        self.journal.dispatch(frame, connection, NOW, self.replies.append)


def test_a_request_is_kept_with_its_response_and_its_time() -> None:
    node = Node()
    node.send(b"frame")
    (entry,) = node.journal
    assert (entry.number, entry.frame, entry.connection, entry.at_ms) == (1, b"frame", CLIENT, NOW.wall_ms)
    assert (entry.response, entry.response_bytes, entry.took_us) == ([b"head", b"body"], 8, 5)
    assert node.replies == [[b"head", b"body"]]


def test_a_request_without_an_answer_yet_is_there() -> None:
    node = Node()
    node.held = []
    node.send(b"frame")
    (entry,) = node.journal
    assert (entry.response, entry.took_us, node.replies) == (None, None, [])
    node.held[0](None)
    assert (entry.response, entry.took_us, node.replies) == (None, 5, [None])


def test_a_closed_connection_is_noted_and_still_closed() -> None:
    node = Node()
    with pytest.raises(CloseConnection, match="bad frame"):
        node.send(b"close")
    assert [(entry.closed, entry.took_us) for entry in node.journal] == [("bad frame", 5)]


def test_the_oldest_requests_are_forgotten() -> None:
    node = Node()
    for number in range(REQUESTS_MAX + 10):
        node.send(b"%d" % number)
    entries = list(node.journal)
    assert (len(entries), entries[0].frame, node.journal.count) == (REQUESTS_MAX, b"10", REQUESTS_MAX + 10)
    node.answer = [b"x" * (FRAME_MAX_BYTES // 2)]
    for _ in range(REQUESTS_MAX):
        node.send(b"y" * (FRAME_MAX_BYTES // 2))
    kept = [entry.kept_bytes for entry in node.journal]
    assert sum(kept) <= BYTES_MAX + FRAME_MAX_BYTES
    assert len(kept) < 20


def test_of_large_frames_only_the_start_is_kept() -> None:
    node = Node()
    node.answer = [b"x" * FRAME_MAX_BYTES, b"y"]
    node.send(b"z" * (FRAME_MAX_BYTES + 1))
    (entry,) = node.journal
    assert (entry.is_cut, entry.frame, entry.request_bytes) == (True, b"z" * START_BYTES, FRAME_MAX_BYTES + 1)
    assert (entry.response, entry.response_bytes) == (None, FRAME_MAX_BYTES + 1)


def test_an_answer_to_a_forgotten_request_is_not_kept() -> None:
    node = Node()
    node.held = []
    for _ in range(REQUESTS_MAX + 1):
        node.send(b"frame")
    late = [b"x" * FRAME_MAX_BYTES]
    node.held[0](late)
    assert node.replies == [late]
    for _ in range(BYTES_MAX // FRAME_MAX_BYTES + 1):
        node.send(b"frame")
        node.held[-REQUESTS_MAX - 1](late)  # each when it has just been forgotten
    assert len(list(node.journal)) == REQUESTS_MAX


def test_what_nodes_ask_each_other_is_left_out() -> None:
    node = Node()
    node.send(b"frame", Connection(2, "127.0.0.1", "CONTROLLER", CONTROLLER))
    node.send(b"\0\1\0\x0f\0\0\0\1\0\x12broker-2-fetcher-0")
    assert (list(node.journal), node.journal.count, len(node.replies)) == ([], 0, 2)
    node.send(b"\0\1\0\x0f\0\0\0\1\0\x08broker-2")
    assert node.journal.count == 1


def test_a_fault_is_noted_at_the_request_that_met_it() -> None:
    node = Node()
    first, second = b"one", b"two"
    node.send(first)
    node.send(second)
    node.journal.met_fault(first, CLIENT, "slow")
    node.journal.met_fault(first, CLIENT, "lost")
    node.journal.met_fault(b"unknown", CLIENT, "other")
    assert [entry.fault for entry in node.journal] == ["slow, lost", None]


def test_a_fault_is_noted_at_a_large_request_too() -> None:
    node = Node()
    other = Connection(2, "127.0.0.1", "PLAINTEXT")
    large = b"z" * (FRAME_MAX_BYTES + 1)
    for connection in (CLIENT, other):
        node.send(large, connection)
    node.journal.met_fault(large, CLIENT, "slow")
    assert [entry.fault for entry in node.journal] == ["slow", None]


def test_responses_that_come_late_are_limited_as_well() -> None:
    node = Node()
    node.held = []
    for _ in range(REQUESTS_MAX):
        node.send(b"frame")
    for reply in node.held:
        reply([b"x" * FRAME_MAX_BYTES])
    assert sum(entry.kept_bytes for entry in node.journal) <= BYTES_MAX


def test_requests_that_are_not_answered_are_limited_as_well() -> None:
    node = Node()
    node.held = []
    for _ in range(REQUESTS_MAX + 5):
        node.send(b"frame")
    assert len(list(node.journal)) == REQUESTS_MAX


def test_of_what_is_in_segments_only_the_size_is_kept() -> None:
    node = Node()
    node.answer = [b"head", range(10)]
    node.send(b"frame")
    (entry,) = node.journal
    assert (entry.response, entry.response_bytes) == ([b"head", 10], 14)
