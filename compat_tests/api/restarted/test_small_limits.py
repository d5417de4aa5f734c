"""Fetch sessions beyond those that are remembered, requests that are too large, records that are too old."""

from __future__ import annotations

import struct
import time
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from compat_tests.api.restarted.conftest import REQUEST_MAX_BYTES, SESSIONS
from compat_tests.api.samples_of_requests import said_to
from compat_tests.api.test_fetch_sessions import FINAL, INITIAL, Session
from kafkacompat.protocol.messages import fetch, list_offsets

pytestmark = pytest.mark.full  # two brokers are started, and started again
PATIENCE_S = 30.0
"""Many times what Kafka needs."""


@pytest.mark.api("Fetch")
@pytest.mark.parametrize("version", versions(fetch, 7))
def test_sessions_beyond_the_limit(compare: Compare, topic: str, version: int) -> None:
    """Whoever comes too late goes without a session, until one of the others ends theirs."""

    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 2)
        topics.produce(client, topic, 3)
        *early, late = (Session(client, topic, topic_id, version) for _ in range(SESSIONS + 1))
        answers = {f"made {n}": session.ask(INITIAL, (0, 0)) for n, session in enumerate(early)}
        answers["too late"] = late.ask(INITIAL, (0, 0), (1, 0))
        answers["too late, with an epoch"] = late.ask(1, (0, 0))
        answers["too late for the empty one"] = late.ask(INITIAL)
        answers |= {f"goes on {n}": session.ask(1, (0, 3)) for n, session in enumerate(early)}
        answers |= {f"ends {n}": session.ask(FINAL) for n, session in enumerate(early)}
        answers["has ended"] = early[0].ask(2)
        answers["now there is a place"] = late.ask(INITIAL, (0, 0))
        answers["late ends"] = late.ask(FINAL)
        return answers

    compare(script)


@pytest.mark.api("ApiVersions")
@pytest.mark.parametrize(
    "size", [REQUEST_MAX_BYTES - 1, REQUEST_MAX_BYTES, REQUEST_MAX_BYTES + 1, 2 * REQUEST_MAX_BYTES]
)
def test_large_requests(compare: Compare, size: int) -> None:
    """A Metadata request of a size that is just allowed, or not: an unknown tagged field makes it so large."""
    start = struct.pack(">hhih", 3, 9, 77, -1) + b"\x00" + b"\x01\x00\x00\x00\x01\x63"
    body = start + _uvarint(size - len(start) - 3)
    frame = body + bytes(size - len(body))

    def script(client: RawClient) -> dict[str, Any]:
        return {"said": said_to(client, frame, 3, 9), "afterwards": topics.is_alive(client)}

    compare(script)


def _uvarint(value: int) -> bytes:
    """A varint of three bytes."""
    return bytes((value & 0x7F | 0x80, value >> 7 & 0x7F | 0x80, value >> 14))


@pytest.mark.api("ListOffsets", "Fetch")
def test_old_records_go_under_a_reader(compare: Compare, topic: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 1, retention_ms="1")
        topics.produce(client, topic, 5)
        session = Session(client, topic, topic_id, 12)
        answers: dict[str, Any] = {"before": session.ask(INITIAL, (0, 5))}
        part = list_offsets.ListOffsetsPartition(0, -1, -2)
        request = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(topic, [part])])
        deadline = time.monotonic() + PATIENCE_S
        while client.call(list_offsets.API_KEY, 7, request).topics[0].partitions[0].offset == 0:
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        answers["where it starts"] = client.ask(list_offsets, 7, request)
        answers["the session is told"] = session.ask(1)
        answers["what was read before is gone"] = session.ask(2, (0, 0))
        answers["and the next comes behind"] = topics.produce(client, topic, 1)
        session.ask(FINAL)
        return answers

    compare(script)
