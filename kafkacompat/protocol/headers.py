"""Headers of requests and responses (Kafka's RequestHeader v1 and v2, ResponseHeader v0 and v1)."""

from __future__ import annotations

from struct import Struct
from struct import error as struct_error

from kafkacompat.protocol.api_keys import API_VERSIONS, FLEXIBLE_SINCE
from kafkacompat.protocol.primitives import MalformedMessageError, Message, skip_tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer

_read_start = Struct(">hhih").unpack_from
_write_start = Struct(">hhih").pack
_read_correlation_id = Struct(">i").unpack_from
_write_correlation_id = Struct(">i").pack
_write_flexible = Struct(">ix").pack

NEVER_FLEXIBLE = 32767


class RequestHeader(Message):
    """The header before a request's body; `client_id` is None if the client sent none."""

    __slots__ = ("api_key", "api_version", "client_id", "correlation_id")

    def __init__(self, api_key: int, api_version: int, correlation_id: int, client_id: str | None = None) -> None:
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id
        self.client_id = client_id


def is_flexible(api_key: int, version: int) -> bool:
    """Whether this version has compact lengths and tagged fields; false for an unknown key."""
    return version >= FLEXIBLE_SINCE.get(api_key, NEVER_FLEXIBLE)


def response_header_is_flexible(api_key: int, version: int) -> bool:
    """Whether the response's header has tagged fields; never for ApiVersions: every client must be able to read it."""
    return api_key != API_VERSIONS and version >= FLEXIBLE_SINCE.get(api_key, NEVER_FLEXIBLE)


def decode_request_header(buf: Buffer) -> tuple[RequestHeader, int]:
    """Read the header at the start of a request; return it and the position of the body.

    Raises MalformedMessageError. The header of an unknown API key is read as one without flexible versions.
    """
    try:
        api_key, api_version, correlation_id, size = _read_start(buf)
        pos = 10
        client_id = None
        if size >= 0:
            pos += size
            if pos > len(buf):
                raise ValueError("client id ends too early")
            client_id = buf[10:pos].decode()
        if api_version >= FLEXIBLE_SINCE.get(api_key, NEVER_FLEXIBLE):
            n = buf[pos]
            pos += 1
            if n:
                pos = skip_tags(buf, pos, n)
    except (struct_error, IndexError) as error:
        raise MalformedMessageError("request header ends too early") from error
    except ValueError as error:
        raise MalformedMessageError(f"request header: {error}") from error
    return RequestHeader(api_key, api_version, correlation_id, client_id), pos


def encode_request_header(header: RequestHeader) -> bytes:
    """Write a request's header."""
    raw = b"" if header.client_id is None else header.client_id.encode()
    size = -1 if header.client_id is None else len(raw)
    start = _write_start(header.api_key, header.api_version, header.correlation_id, size)
    return start + raw + (b"\0" if is_flexible(header.api_key, header.api_version) else b"")


def encode_response_header(correlation_id: int, flexible: bool) -> bytes:
    """Write a response's header; see `response_header_is_flexible`."""
    return _write_flexible(correlation_id) if flexible else _write_correlation_id(correlation_id)


def decode_response_header(buf: Buffer, flexible: bool) -> tuple[int, int]:
    """Read a response's header; return correlation id and the body's position. Raises MalformedMessageError."""
    try:
        correlation_id: int = _read_correlation_id(buf)[0]
        pos = 4
        if flexible:
            pos = skip_tags(buf, 5, buf[4])
    except (struct_error, IndexError) as error:
        raise MalformedMessageError("response header ends too early") from error
    except ValueError as error:
        raise MalformedMessageError(f"response header: {error}") from error
    return correlation_id, pos
