"""A blocking client of one socket that sends any request, for tests of what a broker answers."""

from __future__ import annotations

import socket
from typing import Any

from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)

TIMEOUT_S = 60
_APIS_BY_REQUEST = {f"{api.stem.replace('_', '')}request": api for api in APIS.values()}


class Asking:
    """A connection to one broker. `source`: the local address to connect from."""

    def __init__(self, address: str, *, source: str | None = None, timeout_s: float = TIMEOUT_S) -> None:
        host, _, port = address.rpartition(":")
        from_where = None if source is None else (source, 0)
        self.sock = socket.create_connection((host, int(port)), timeout=timeout_s, source_address=from_where)
        self._next_id = 0

    def send(self, request: Any, version: int) -> None:
        """Send a request without waiting for its answer."""
        api = _api_of(request)
        self._next_id += 1
        body: list[Any] = []
        api.messages.encode_request(request, version, body)
        header = encode_request_header(RequestHeader(api.key, version, self._next_id, "asking"))
        frame = header + b"".join(map(bytes, body))
        self.sock.sendall(len(frame).to_bytes(4, "big") + frame)

    def ask(self, request: Any, version: int) -> Any:
        """The answer to a request. Raises OSError if the connection ends, TimeoutError if it carries nothing."""
        self.send(request, version)
        return self.receive(request, version)

    def receive(self, request: Any, version: int) -> Any:
        """The answer to the oldest request that has none."""
        api = _api_of(request)
        frame = self.read(int.from_bytes(self.read(4), "big"))
        _, position = decode_response_header(frame, response_header_is_flexible(api.key, version))
        return api.messages.decode_response(frame, position, version)

    def read(self, size_bytes: int) -> bytes:
        """So many bytes. Raises ConnectionError if the connection ends before."""
        data = b""
        while len(data) < size_bytes:
            piece = self.sock.recv(size_bytes - len(data))
            if not piece:
                raise ConnectionError(f"the connection ended after {len(data)} of {size_bytes} bytes")
            data += piece
        return data

    def close(self) -> None:
        self.sock.close()

    def __enter__(self) -> Asking:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ask(address: str, request: Any, version: int, **where: Any) -> Any:
    """One request on a connection of its own."""
    with Asking(address, **where) as client:
        return client.ask(request, version)


def _api_of(request: Any) -> Any:
    return _APIS_BY_REQUEST[type(request).__name__.lower()]
