"""A peer that answers as brokers of other makers do: what a test says, by API."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from kafkacompat.protocol.headers import decode_request_header, encode_response_header, response_header_is_flexible
from kafkacompat.protocol.messages import api_versions
from kafkacompat.protocol.messages.metadata import MetadataResponse, MetadataResponseBroker

APIS = {0: "produce", 1: "fetch", 3: "metadata", 17: "sasl_handshake", 18: "api_versions", 32: "describe_configs",
        36: "sasl_authenticate"}  # fmt: skip
RANGES = {0: (3, 13), 1: (4, 18), 3: (0, 13), 18: (0, 4), 32: (1, 4)}
"""Versions as Kafka 4 has them."""

Answers = Mapping[str, Callable[[Any], Any]]
"""By API: the response to a request; None closes the connection."""


def cluster(cluster_id: str, *brokers: tuple[int, str, int], controller_id: int = 1, **named: Any) -> MetadataResponse:
    """A Metadata response."""
    rows = [MetadataResponseBroker(node_id, host, port) for node_id, host, port in brokers]
    return MetadataResponse(brokers=rows, cluster_id=cluster_id, controller_id=controller_id, **named)


@contextmanager
def fake_broker(
    answers: Answers, ranges: Mapping[int, tuple[int, int]] = RANGES, host: str = "127.0.0.1"
) -> Iterator[int]:
    """The port of a broker that answers so."""
    opened: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def serve(connection: socket.socket) -> None:
        with suppress(OSError):
            while answer := _answer(connection, answers, ranges):
                connection.sendall(answer)
            connection.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                opened.append(connection)
                threads.append(threading.Thread(target=serve, args=(connection,)))
                threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield server.getsockname()[1]
        finally:
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            accepting.join(10)
            for connection in opened:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join(10)
            for connection in opened:
                connection.close()


def _answer(connection: socket.socket, answers: Answers, ranges: Mapping[int, tuple[int, int]]) -> bytes:
    size = int.from_bytes(_read(connection, 4), "big")
    if not 0 < size < 1_000_000:  # TLS, or the end
        return b""
    frame = _read(connection, size)
    header, position = decode_request_header(frame)
    name = APIS.get(header.api_key, "")
    messages = import_module(f"kafkacompat.protocol.messages.{name}")
    request = messages.decode_request(frame, position, header.api_version)
    if name == "api_versions":
        rows = [api_versions.ApiVersion(key, *bounds) for key, bounds in ranges.items()]
        response: Any = api_versions.ApiVersionsResponse(api_keys=rows)
    else:
        response = answers[name](request) if name in answers else None
    if response is None:
        return b""
    body: list[Any] = []
    messages.encode_response(response, header.api_version, body)
    flexible = response_header_is_flexible(header.api_key, header.api_version)
    parts = encode_response_header(header.correlation_id, flexible) + b"".join(map(bytes, body))
    return len(parts).to_bytes(4, "big") + parts


def _read(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        chunk = connection.recv(count - len(data))
        if not chunk:
            return b""
        data += chunk
    return data
