"""Creates the topics that a program asks for when it starts a cluster of several nodes, as a client."""

from __future__ import annotations

import socket
import time

from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import CREATE_TOPICS, METADATA
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages import create_topics as created
from kafkacompat.protocol.messages import metadata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType
    from typing import Any

TIMEOUT_S = 30.0
PAUSE_S = 0.02
CREATE_TOPICS_VERSION = 7
METADATA_VERSION = 12
_TRY_AGAIN = frozenset((errors.NOT_CONTROLLER, errors.REQUEST_TIMED_OUT))
"""Errors that are retried: a controller is being elected."""


def create_topics(address: str, topics: Mapping[str, tuple[int, int]]) -> None:
    """Create topics with (partitions, replicas), -1 for the broker's default. Existing topics are left unchanged.

    Returns when each partition has a leader. Raises KafkaCompatError with the reason for the first refused topic.
    """
    deadline_s = time.monotonic() + TIMEOUT_S
    host, _, port = address.rpartition(":")
    with socket.create_connection((host.strip("[]"), int(port)), timeout=TIMEOUT_S) as sock:
        missing = dict(topics)
        while missing:
            missing = _create(sock, missing, is_last=time.monotonic() > deadline_s)
            time.sleep(PAUSE_S if missing else 0)
        while not _all_lead(sock, topics):
            if time.monotonic() > deadline_s:
                raise KafkaCompatError(f"topics {', '.join(topics)} have no leaders after {TIMEOUT_S:.0f} s")
            time.sleep(PAUSE_S)


def _create(sock: socket.socket, topics: Mapping[str, tuple[int, int]], *, is_last: bool) -> dict[str, tuple[int, int]]:
    """Ask for all topics; returns those that must be retried."""
    wanted = [created.CreatableTopic(name, partitions, replicas) for name, (partitions, replicas) in topics.items()]
    request = created.CreateTopicsRequest(topics=wanted, timeout_ms=int(TIMEOUT_S * 1000))
    again = {}
    for result in _ask(sock, CREATE_TOPICS, CREATE_TOPICS_VERSION, created, request).topics:
        if result.error_code in _TRY_AGAIN and not is_last:
            again[result.name] = topics[result.name]
        elif result.error_code not in (errors.NONE, errors.TOPIC_ALREADY_EXISTS):
            reason = result.error_message or result.error_code
            raise KafkaCompatError(f"topic {result.name!r} was not created: {reason}")
    return again


def _all_lead(sock: socket.socket, topics: Mapping[str, object]) -> bool:
    wanted = [metadata.MetadataRequestTopic(name=name) for name in topics]
    request = metadata.MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
    found = _ask(sock, METADATA, METADATA_VERSION, metadata, request).topics
    return all(
        topic.error_code == errors.NONE and all(partition.leader_id >= 0 for partition in topic.partitions)
        for topic in found
    )


def _ask(sock: socket.socket, api_key: int, version: int, messages: ModuleType, request: object) -> Any:
    body: list[Any] = []
    messages.encode_request(request, version, body)
    parts = [encode_request_header(RequestHeader(api_key, version, 0, "kafkacompat-cluster")), *body]
    sock.sendall(sum(map(len, parts)).to_bytes(4, "big") + b"".join(map(bytes, parts)))
    frame = _receive(sock, int.from_bytes(_receive(sock, 4), "big"))
    _, position = decode_response_header(frame, response_header_is_flexible(api_key, version))
    return messages.decode_response(frame, position, version)


def _receive(sock: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        chunk = sock.recv(count - len(received))
        if not chunk:
            raise KafkaCompatError("a broker closed the connection while topics were created")
        received += chunk
    return received
