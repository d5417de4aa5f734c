"""`container-health`: whether the node of this container serves: the image's health check. It takes 50 ms.

It asks the listener in the ready file for ApiVersions and Metadata, with bytes of its own making: importing the
messages would take longer than the check.
"""

from __future__ import annotations

import json
import socket
import struct

from kafkacompat.cli.container.ready import READY_FILE
from kafkacompat.cli.kafka_tools.arguments import ToolError, parse

TIMEOUT_S = 2.0
API_VERSIONS_REQUEST = struct.pack(">hhih", 18, 0, 1, -1)
"""Version 0: the header has no client id, and there is no body."""
METADATA_REQUEST = struct.pack(">hhihib", 3, 4, 2, -1, 0, 0)
"""Version 4: no topics, none created."""
MAX_ANSWER_BYTES = 1_000_000


def run(arguments: list[str], ready_file: str = READY_FILE) -> int:
    """Run the tool."""
    parse(arguments)
    try:
        with open(ready_file, encoding="ascii") as file:  # noqa: PTH123 (pathlib costs start-up time)
            addresses = json.load(file)["listeners"]
    except (OSError, ValueError, KeyError):
        raise ToolError("starting: the broker does not serve yet, or its hooks still run") from None
    for address in addresses:
        check(address)
    print("healthy: " + (", ".join(addresses) or "a controller"))  # noqa: T201 (the tool's output)
    return 0


def check(address: str, timeout_s: float = TIMEOUT_S) -> int:
    """The number of brokers in the metadata that this listener sends. Raises ToolError."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=timeout_s) as sock:
            (error_code,) = struct.unpack_from(">h", _ask(sock, API_VERSIONS_REQUEST), 4)
            if error_code:
                raise ToolError(f"{address} answers ApiVersions with error {error_code}")
            _, brokers = struct.unpack_from(">ii", _ask(sock, METADATA_REQUEST), 4)
    except (OSError, struct.error) as error:
        raise ToolError(f"{address} does not answer: {error}") from None
    if not brokers:
        raise ToolError(f"{address} knows no broker")
    return int(brokers)


def _ask(sock: socket.socket, request: bytes) -> bytes:
    sock.sendall(struct.pack(">i", len(request)) + request)
    (size,) = struct.unpack(">i", _receive(sock, 4))
    if not 0 < size <= MAX_ANSWER_BYTES:
        raise ToolError(f"what answers is not Kafka: a response of {size} bytes")
    return _receive(sock, size)


def _receive(sock: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        piece = sock.recv(count - len(received))
        if not piece:
            raise ToolError("the connection was closed")
        received += piece
    return received
