"""Frames of a capture as messages."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.protocol import api_keys, messages
from kafkacompat.protocol.headers import decode_request_header, decode_response_header, response_header_is_flexible
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.traffic.capture_file import REQUEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from kafkacompat.protocol.primitives import Message
    from kafkacompat.traffic.capture_file import Entry

OLDEST_VERSION = 0
"""A broker that does not know the version of an ApiVersions request answers in this one (KIP-511)."""


class Decoded(NamedTuple):
    """A frame: its header as bytes, the message behind it and the version it was written in, and the API's module."""

    head: bytes
    message: Message
    version: int
    module: ModuleType

    def encode(self, *, is_request: bool) -> bytes:
        """The frame again, after changes of the message. Raises ValueError for what this version cannot hold."""
        parts: list[bytes] = [self.head]
        encode = self.module.encode_request if is_request else self.module.encode_response
        encode(self.message, self.version, parts)
        return b"".join(parts)


def decode(entry: Entry) -> Decoded:
    """The message of a request or a response. Raises ValueError for bytes that are none."""
    if entry.kind == REQUEST:
        return decode_request(entry.payload, entry.api_key, entry.api_version)
    return decode_response(entry.payload, entry.api_key, entry.api_version)


def decode_request(frame: bytes, api_key: int, version: int) -> Decoded:
    """The message of a request's frame. Raises ValueError."""
    module = _module(api_key)
    _, position = decode_request_header(frame)
    return Decoded(frame[:position], module.decode_request(frame, position, version), version, module)


def decode_response(frame: bytes, api_key: int, version: int) -> Decoded:
    """The message of a response's frame. Raises ValueError."""
    module = _module(api_key)
    _, position = decode_response_header(frame, response_header_is_flexible(api_key, version))
    head = frame[:position]
    try:
        return Decoded(head, module.decode_response(frame, position, version), version, module)
    except MalformedMessageError:
        if api_key != api_keys.API_VERSIONS:
            raise
        return Decoded(head, module.decode_response(frame, position, OLDEST_VERSION), OLDEST_VERSION, module)


def _module(api_key: int) -> ModuleType:
    try:
        return messages.load(api_key)
    except KeyError:
        raise ValueError(f"API key {api_key} is unknown") from None
