"""A blocking connection that sends any request and decodes its response, without a client library."""

from __future__ import annotations

import socket
from importlib import import_module
from types import TracebackType
from typing import Any

from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from tests.cli.processes import TIMEOUT_S, receive


class RawClient:
    """A connection to one broker. `send` and `receive` are the halves of `ask`; responses arrive in order."""

    def __init__(self, address: str, client_id: str = "test") -> None:
        host, _, port = address.rpartition(":")
        self.client_id = client_id
        self.sock = socket.create_connection((host, int(port)), timeout=TIMEOUT_S)
        self._sent: list[tuple[Any, int, int]] = []

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.sock.close()

    def ask(self, api: str, key: int, version: int, /, **fields: Any) -> Any:
        """The response to the request with these fields. api: the stem of the API's messages."""
        self.send(api, key, version, **fields)
        return self.receive()

    def send(self, api: str, key: int, version: int, /, **fields: Any) -> None:
        messages = import_module(f"kafkacompat.protocol.messages.{api}")
        name = "".join(part.capitalize() for part in api.split("_")) + "Request"
        body: list[Any] = []
        messages.encode_request(getattr(messages, name)(**fields), version, body)
        parts = [encode_request_header(RequestHeader(key, version, 0, self.client_id)), *body]
        self.sock.sendall(sum(map(len, parts)).to_bytes(4, "big") + b"".join(map(bytes, parts)))
        self._sent.append((messages, key, version))

    def receive(self) -> Any:
        messages, key, version = self._sent.pop(0)
        frame = receive(self.sock)
        _, position = decode_response_header(frame, response_header_is_flexible(key, version))
        return messages.decode_response(frame, position, version)
