"""Just enough of a client to ask for topics, without a client library."""

from __future__ import annotations

import socket

from kafkacompat.protocol.messages import metadata
from tests.cli.processes import TIMEOUT_S, receive


def partition_counts(address: str, topics: list[str]) -> dict[str, int]:
    """How many partitions each topic has; topics that are not there are left out."""
    response = ask(address, topics)
    return {topic.name: len(topic.partitions) for topic in response.topics if not topic.error_code}


def brokers_seen_by(address: str) -> list[int]:
    """The ids of the brokers that this one takes for alive."""
    return sorted(broker.node_id for broker in ask(address, []).brokers)


def ask(address: str, topics: list[str]) -> metadata.MetadataResponse:
    with connect(address) as sock:
        return ask_on(sock, topics)


def ask_on(sock: socket.socket, topics: list[str]) -> metadata.MetadataResponse:
    body: list = []
    wanted = [metadata.MetadataRequestTopic(name=name) for name in topics]
    request = metadata.MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
    metadata.encode_request(request, 8, body)
    header = bytes((0, 3, 0, 8, 0, 0, 0, 1, 0, 4)) + b"test"
    frame = header + b"".join(bytes(part) for part in body)
    sock.sendall(len(frame).to_bytes(4, "big") + frame)
    return metadata.decode_response(receive(sock), 4, 8)


def connect(address: str) -> socket.socket:
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=TIMEOUT_S)
