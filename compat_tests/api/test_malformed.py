"""Frames that no client should send, to both brokers: who closes the connection, and who answers what."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from compat_tests.api.conftest import Compare
from compat_tests.api.raw import CLOSED, RawClient
from kafkacompat.protocol import headers, messages
from kafkacompat.protocol.messages import (
    api_versions,
    create_topics,
    fetch,
    find_coordinator,
    join_group,
    metadata,
    produce,
)

pytestmark = pytest.mark.api("ApiVersions")
CORRELATION_ID = 77


def frame(api_key: int, version: int, body: bytes = b"") -> bytes:
    return headers.encode_request_header(headers.RequestHeader(api_key, version, CORRELATION_ID, "raw")) + body


def encoded(api: Any, version: int, request: Any) -> bytes:
    body: list[Any] = []
    messages.load(api.API_KEY).encode_request(request, version, body)
    return frame(api.API_KEY, version, b"".join(bytes(part) for part in body))


METADATA = encoded(
    metadata, 9, metadata.MetadataRequest([metadata.MetadataRequestTopic(name="topic-of-nobody")], False)
)
OLD_METADATA = encoded(metadata, 4, metadata.MetadataRequest([metadata.MetadataRequestTopic(name="nobodys")], False))
JOIN = encoded(join_group, 5, join_group.JoinGroupRequest("group-of-nobody", 10, 10, "", None, "consumer", []))
FRAMES: dict[str, bytes] = {
    "nothing": b"",
    "half a key": b"\x00",
    "key alone": b"\x00\x12",
    "no correlation id": b"\x00\x12\x00\x00\x00",
    "client id cut short": b"\x00\x12\x00\x00\x00\x00\x00\x4d\x00\x09raw",
    "negative client id length": struct.pack(">hhih", 18, 0, CORRELATION_ID, -5),
    "null client id": struct.pack(">hhih", 18, 0, CORRELATION_ID, -1),
    "client id is not UTF-8": struct.pack(">hhih", 18, 0, CORRELATION_ID, 2) + b"\xff\xfe",
    "unknown key": frame(3, 4)[:0] + struct.pack(">hhih", 999, 0, CORRELATION_ID, -1),
    "negative key": struct.pack(">hhih", -1, 0, CORRELATION_ID, -1),
    "unknown version": struct.pack(">hhih", 3, 99, CORRELATION_ID, -1),
    "negative version": struct.pack(">hhih", 3, -1, CORRELATION_ID, -1),
    "a version that is gone": struct.pack(">hhih", 1, 3, CORRELATION_ID, -1) + bytes(30),
    "controller's key": struct.pack(">hhih", 52, 0, CORRELATION_ID, -1) + bytes(30),
    "produce 2": struct.pack(">hhih", 0, 2, CORRELATION_ID, -1) + struct.pack(">hii", 1, 1000, 0),
    "body missing": frame(metadata.API_KEY, 4),
    "body cut short": OLD_METADATA[:-5],
    "flexible body cut short": METADATA[:-5],
    "bytes too many": OLD_METADATA + b"tail",
    "array that is said to be long": frame(metadata.API_KEY, 4, struct.pack(">i", 2**31 - 1)),
    "array of negative length": frame(metadata.API_KEY, 4, struct.pack(">ib", -5, 0)),
    "compact array that is said to be long": frame(metadata.API_KEY, 9, b"\xff\xff\xff\xff\x07"),
    "varint without end": frame(metadata.API_KEY, 9, b"\xff" * 12),
    "null string where there is none": frame(find_coordinator.API_KEY, 2, struct.pack(">hb", -1, 0)),
    "string longer than the frame": frame(find_coordinator.API_KEY, 2, struct.pack(">h", 500) + b"short"),
    "string that is not UTF-8": frame(find_coordinator.API_KEY, 2, struct.pack(">h", 2) + b"\xff\xfe" + b"\0"),
    "boolean that is neither": OLD_METADATA[:-1] + b"\x07",
    "unknown tagged field": METADATA[:-1] + b"\x01\x63\x02ab",
    "tagged field cut short": METADATA[:-1] + b"\x01\x63\x09ab",
    "tagged fields twice": METADATA[:-1] + b"\x02\x63\x01a\x63\x01b",
    "join cut short": JOIN[:-3],
    "fetch without a body": frame(fetch.API_KEY, 12),
    "create topics with a length that lies": frame(create_topics.API_KEY, 4, struct.pack(">ih", 1, 30_000)),
    "produce without a body": frame(produce.API_KEY, 9),
    "ApiVersions with rubbish": frame(api_versions.API_KEY, 3, b"\xff\xff\xff"),
    "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TLS": bytes.fromhex("16030100c8010000c40303") + bytes(190),
}
SIZES = {"negative": -1, "least": -(2**31), "above the limit": 104_857_601, "most": 2**31 - 1}


@pytest.mark.parametrize("name", FRAMES)
def test_frame(compare: Compare, name: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        try:
            client.send_frame(FRAMES[name])
            answer = client.receive()
            said: Any = {"correlation id": struct.unpack_from(">i", answer)[0], "has a body": len(answer) > 4}
        except ConnectionError:
            said = CLOSED
            client.reconnect()
        return {"said": said, "afterwards": alive(client)}

    compare(script)


@pytest.mark.parametrize("name", SIZES)
def test_size(compare: Compare, name: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        try:
            client.send_raw(struct.pack(">i", SIZES[name]) + b"whatever follows")
            said = str(client.receive())
        except ConnectionError:
            said = CLOSED
            client.reconnect()
        return {"said": said, "afterwards": alive(client)}

    compare(script)


def alive(client: RawClient) -> bool:
    return bool(client.call(api_versions.API_KEY, 0, api_versions.ApiVersionsRequest()).api_keys)
