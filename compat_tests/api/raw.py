"""A client that is only a socket and our message codec: any request to any broker, answers as they came."""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from kafkacompat.protocol import headers, messages
from kafkacompat.protocol.primitives import Message

TIMEOUT_S = 20.0
CLIENT_ID = "raw"
MASKED = "*"


class RawClient:
    """One connection to the first address of `bootstrap_servers`. Raises OSError when the broker closes it."""

    def __init__(self, bootstrap_servers: str) -> None:
        host, _, port = bootstrap_servers.partition(",")[0].rpartition(":")
        self._socket = socket.create_connection((host, int(port)), TIMEOUT_S)
        self._correlation_id = 0

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def call(self, api_key: int, version: int, request: Message) -> Any:
        """Send one request and return its decoded response."""
        module = messages.load(api_key)
        body: list[Any] = []
        module.encode_request(request, version, body)
        return module.decode_response(self.call_bytes(api_key, version, b"".join(body)), 0, version)

    def call_bytes(self, api_key: int, version: int, body: bytes) -> bytes:
        """Send a request's body as it is and return the response's body as it came."""
        self.send(api_key, version, body)
        response = self.receive()
        (correlation_id,) = struct.unpack_from(">i", response)
        assert correlation_id == self._correlation_id, "an answer to something else"
        return response[5 if headers.response_header_is_flexible(api_key, version) else 4 :]

    def send(self, api_key: int, version: int, body: bytes) -> None:
        """Send a request with a header of its own, without waiting (acks=0 is never answered)."""
        self._correlation_id += 1
        header = headers.RequestHeader(api_key, version, self._correlation_id, CLIENT_ID)
        self.send_frame(headers.encode_request_header(header) + body)

    def send_frame(self, frame: bytes) -> None:
        """Send bytes as one frame."""
        self._socket.sendall(struct.pack(">i", len(frame)) + frame)

    def receive(self) -> bytes:
        """The next frame, without its size."""
        (size,) = struct.unpack(">i", self._exactly(4))
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        received = bytearray()
        while len(received) < size:
            chunk = self._socket.recv(size - len(received))
            if not chunk:
                raise ConnectionResetError("the broker closed the connection")
            received += chunk
        return bytes(received)


def facts(value: Any, masked: Sequence[str] = ()) -> Any:
    """A message as plain dicts and lists, for comparing; fields named in `masked` show only whether they are set."""
    if isinstance(value, Message):
        return {
            name: presence(getattr(value, name)) if name in masked else facts(getattr(value, name), masked)
            for name in field_names(value)
        }
    if isinstance(value, list | tuple):
        return [facts(item, masked) for item in value]
    if isinstance(value, memoryview | bytearray):
        return bytes(value)
    return value


def presence(value: Any) -> str | None:
    """What may be compared of a value that is each broker's own: only whether there is one."""
    return None if value is None else MASKED


def field_names(message: Message) -> list[str]:
    return [name for cls in type(message).__mro__ for name in getattr(cls, "__slots__", ())]


def differences(ours: Any, theirs: Any, path: str = "") -> list[str]:
    """Where two answers differ, one line for each field."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        names = {**ours, **theirs}
        return [line for n in names for line in differences(ours.get(n), theirs.get(n), f"{path}.{n}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [line for n, (mine, other) in pairs for line in differences(mine, other, f"{path}[{n}]")]
    return [] if ours == theirs else [f"{path or '.'}: kafkacompat {ours!r}, Apache Kafka {theirs!r}"]
