"""One connection to a broker: TCP, TLS, SASL, and requests with the highest version that both sides have."""

from __future__ import annotations

import socket
import time

from kafkacompat.client.errors import (
    ClientError,
    ExpiredError,
    UnknownPeerError,
    UnreachableError,
    UnsupportedApiError,
)
from kafkacompat.protocol import error_codes
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages import api_versions
from kafkacompat.protocol.primitives import MalformedMessageError, UnsupportedFieldError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from kafkacompat.client.security import Security

MAX_FRAME_BYTES = 100 * 1024 * 1024
"""Of one response; a Fetch asks for at most half of it."""
MAX_FIRST_FRAME_BYTES = 1024 * 1024
"""Of the first response of a connection, ApiVersions: what is larger is no Kafka."""
_API_VERSIONS_VERSION = 3
_NO_VERSIONS = (1, 0)
SOFTWARE_NAME = "kafkacompat-client"
"""Which client this is (KIP-511). Its version is 1 until it changes."""


class Connection:
    """A connection that is open. `versions` has the range of each API that the broker has, by key.

    Raises UnreachableError, ExpiredError, SecurityError, UnknownPeerError.
    """

    def __init__(
        self, host: str, port: int, *, security: Security | None = None, client_id: str, timeout_s: float
    ) -> None:
        self.address = address_of(host, port)
        self.versions: dict[int, tuple[int, int]] = {}
        self._client_id = client_id
        self._correlation_id = 0
        self._waiting: list[tuple[int, ModuleType, int]] = []
        deadline_s = time.monotonic() + timeout_s
        self._sock = self._connect(host, port, timeout_s)
        try:
            self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if security is not None and security.tls:
                from kafkacompat.client.security import wrap

                self._sock = wrap(self._sock, host, security, self.address)
            self._ask_versions(deadline_s)
            if security is not None and security.mechanism:
                from kafkacompat.client.sasl import authenticate

                def call(messages: ModuleType, request: object, within_s: float) -> Any:
                    return self.call(messages, request, timeout_s=within_s)

                authenticate(self.address, call, security, deadline_s)
        except BaseException:
            self.close()
            raise

    def _connect(self, host: str, port: int, timeout_s: float) -> socket.socket:
        try:
            return socket.create_connection((host, port), timeout=timeout_s)
        except TimeoutError:
            raise ExpiredError(f"{self.address} does not answer within {timeout_s:.0f} s") from None
        except socket.gaierror as error:
            raise UnreachableError(f"{self.address}: the name {host!r} does not resolve ({error.strerror})") from None
        except ConnectionRefusedError as error:
            reason = f"{error.strerror}; is a broker started, and does it listen there?"
            raise UnreachableError(f"{self.address}: {reason}") from None
        except (OSError, UnicodeError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UnreachableError(f"{self.address}: {reason}") from None

    def is_at(self, host: str, port: int) -> bool:
        """Whether this connection was made to that address."""
        return self.address == address_of(host, port)

    def fileno(self) -> int:
        """For select."""
        return self._sock.fileno()

    def has_buffered(self) -> bool:
        """Whether TLS has bytes that select does not see."""
        pending = getattr(self._sock, "pending", None)
        return bool(pending and pending())

    @property
    def is_waiting(self) -> bool:
        """Whether a request is without an answer."""
        return bool(self._waiting)

    def close(self) -> None:
        self._sock.close()

    def version_of(self, messages: ModuleType, max_version: int | None = None) -> int:
        """The highest common version of an API. Raises UnsupportedApiError."""
        oldest, newest = self.versions.get(messages.API_KEY, _NO_VERSIONS)
        newest = min(newest, messages.MAX_VERSION if max_version is None else max_version)
        if newest < max(oldest, messages.MIN_VERSION):
            name = messages.__name__.rpartition(".")[2]
            raise UnsupportedApiError(f"{self.address} has no version of {name} that this client has")
        return newest

    def call(self, messages: ModuleType, request: object, *, timeout_s: float, max_version: int | None = None) -> Any:
        """Send a request, or what the function `request` makes for a version, and return its response."""
        deadline_s = time.monotonic() + timeout_s
        self.send(messages, request, timeout_s=timeout_s, max_version=max_version)
        return self.receive(max(deadline_s - time.monotonic(), 0.001))

    def send(
        self, messages: ModuleType, request: object, *, timeout_s: float, max_version: int | None = None,
        has_answer: bool = True,
    ) -> None:  # fmt: skip
        """Send a request; `receive` returns responses in the order of the requests."""
        self._send(messages, request, self.version_of(messages, max_version), timeout_s, has_answer=has_answer)

    def _send(
        self, messages: ModuleType, request: object, version: int, timeout_s: float, *, has_answer: bool = True
    ) -> None:
        self._correlation_id += 1
        body: list[Any] = []
        try:
            messages.encode_request(request(version) if callable(request) else request, version, body)
        except UnsupportedFieldError as error:
            raise UnsupportedApiError(f"{self.address} is too old for that: {error}") from None
        header = RequestHeader(messages.API_KEY, version, self._correlation_id, self._client_id)
        parts = [encode_request_header(header), *map(bytes, body)]
        frame = sum(map(len, parts)).to_bytes(4, "big") + b"".join(parts)
        try:
            self._sock.settimeout(timeout_s)
            self._sock.sendall(frame)
        except TimeoutError:
            raise ExpiredError(f"{self.address} takes no more bytes") from None
        except OSError as error:
            raise UnreachableError(f"{self.address}: the connection is lost ({error.strerror or error})") from None
        if has_answer:
            self._waiting.append((self._correlation_id, messages, version))

    def receive(self, timeout_s: float) -> Any:
        """The response to the oldest request without one."""
        correlation_id, messages, version = self._waiting.pop(0)
        frame = self._receive_frame(time.monotonic() + timeout_s)
        try:
            got, position = decode_response_header(frame, response_header_is_flexible(messages.API_KEY, version))
            if got != correlation_id:
                raise UnknownPeerError(f"{self.address} answers request {got}, not {correlation_id}", frame[:16])
            return messages.decode_response(frame, position, version)
        except MalformedMessageError as error:
            raise UnknownPeerError(f"{self.address} answers what cannot be read: {error}", frame[:16]) from None

    def _receive_frame(self, deadline_s: float) -> bytes:
        start = self._receive_bytes(4, deadline_s)
        size = int.from_bytes(start, "big", signed=True)
        limit = MAX_FRAME_BYTES if self.versions else MAX_FIRST_FRAME_BYTES
        if not 4 <= size <= limit:
            raise UnknownPeerError(f"{self.address} is not Kafka: {describe_bytes(start)}", start)
        return self._receive_bytes(size, deadline_s)

    def _receive_bytes(self, count: int, deadline_s: float) -> bytes:
        received = bytearray()
        while len(received) < count:
            left_s = deadline_s - time.monotonic()
            if left_s <= 0:
                raise ExpiredError(f"{self.address} has not answered in time")
            self._sock.settimeout(left_s)
            try:
                chunk = self._sock.recv(min(count - len(received), 1024 * 1024))
            except TimeoutError:
                raise ExpiredError(f"{self.address} has not answered in time") from None
            except OSError as error:
                reason = error.strerror or str(error)
                raise UnreachableError(f"{self.address}: the connection is lost ({reason})") from None
            if not chunk:
                raise UnreachableError(f"{self.address} closed the connection")
            received += chunk
        return bytes(received)

    def _ask_versions(self, deadline_s: float) -> None:
        request = api_versions.ApiVersionsRequest(SOFTWARE_NAME, "1")
        self._send(api_versions, request, _API_VERSIONS_VERSION, max(deadline_s - time.monotonic(), 0.001))
        correlation_id, _, _ = self._waiting.pop()
        frame = self._receive_frame(deadline_s)
        try:
            got, position = decode_response_header(frame, flexible=False)
            if got != correlation_id:
                raise UnknownPeerError(f"{self.address} is not Kafka: it answers request {got}", frame[:16])
            if int.from_bytes(frame[position : position + 2], "big") == error_codes.UNSUPPORTED_VERSION:
                response = api_versions.decode_response(frame, position, 0)  # as brokers answer newer requests
            else:
                response = api_versions.decode_response(frame, position, _API_VERSIONS_VERSION)
        except MalformedMessageError as error:
            raise UnknownPeerError(f"{self.address} is not Kafka: {error}", frame[:16]) from None
        self.versions = {each.api_key: (each.min_version, each.max_version) for each in response.api_keys}
        if not self.versions:
            raise ClientError(f"{self.address} refuses ApiVersions: {error_codes.name(response.error_code)}")


def address_of(host: str, port: int) -> str:
    """An address as people write it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def describe_bytes(start: bytes) -> str:
    """What sends these bytes where a size belongs."""
    if start.startswith(b"HTTP"):
        return "it speaks HTTP"
    if start[:2] in (b"\x15\x03", b"\x16\x03"):
        return "it speaks TLS: use --tls"
    if start.startswith(b"SSH-"):
        return "it speaks SSH"
    return f"its first bytes are {start!r}"
