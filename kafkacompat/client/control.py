"""A blocking client of the control API of our brokers (docs/control-api.md): JSON over HTTP, on one connection."""

from __future__ import annotations

import http.client
import json
import os
from urllib.parse import quote, urlencode, urlsplit

from kafkacompat.client.errors import (
    ClientError,
    ControlError,
    ExpiredError,
    UnknownPeerError,
    UnreachableError,
)
from kafkacompat.client.texts import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, BinaryIO, TypeAlias, TypeVar

    T = TypeVar("T")
    Told: TypeAlias = Callable[[int], object]

DEFAULT_URL = "http://127.0.0.1:9644"
"""Where `kafkacompat serve` answers, unless it is told otherwise (server/control_listener.py)."""
RESPONSE_BYTES_MAX = 256 * 1024 * 1024
PIECE_BYTES = 256 * 1024
"""Of a file, sent or received at a time."""
GRACE_S = 5.0
"""A wait that the broker limits is given so much more here."""
_PORTS = {"http": 80, "https": 443}


def _nobody(_size_bytes: int) -> None:
    pass


class ControlClient:
    """Asks the control API at `url`. It connects when it is used first; use it in a with block.

    `token` is for brokers on other computers. A call ends after `timeout_s`. Raises ClientError for a `url` that is
    none.
    """

    def __init__(self, url: str, *, token: str | None = None, timeout_s: float = 30.0) -> None:
        self.scheme, self.host, self.port = parse_url(url)
        self.url = f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"
        self.timeout_s = timeout_s
        self._headers = {"accept": "application/json"}
        if token:
            if not (token.isascii() and token.isprintable()):
                raise ClientError("the token of the control API has characters that HTTP cannot send")
            self._headers["authorization"] = f"Bearer {token}"
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> ControlClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, path: str, query: Mapping[str, object] | None = None, *, timeout_s: float | None = None) -> Any:
        """The JSON of a resource. Members of `query` that are None are left out. Raises ClientError."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        return self._json("GET", f"{path}?{urlencode(given)}" if given else path, None, timeout_s)

    def post(self, path: str, body: object = None, *, timeout_s: float | None = None) -> Any:
        """Send JSON to a resource, and return its answer. Raises ClientError."""
        return self._json("POST", path, body, timeout_s)

    def put(self, path: str, body: object = None) -> Any:
        """As `post`, with PUT."""
        return self._json("PUT", path, body, None)

    def delete(self, path: str) -> Any:
        """As `post`, with DELETE and no body."""
        return self._json("DELETE", path, None, None)

    def get_file(self, path: str, write: Callable[[bytes], object], told: Told = _nobody) -> None:
        """The content of a resource that is not JSON, in pieces. told: called with the number of bytes that have come.
        Raises ClientError, and what `write` raises.
        """
        response = self._answered(lambda: self._ask("GET", path, None, None), None)
        if response.status != http.client.OK:
            self._result(response, self._rest_of(response, None))
        try:
            size_bytes = 0
            while piece := self._answered(lambda: response.read(PIECE_BYTES), None):
                write(piece)
                size_bytes += len(piece)
                told(size_bytes)
            if response.length:
                raise self._unknown("closes the connection within its answer")
        except BaseException:
            self.close()  # the rest of the answer is in the way of the next one
            raise

    def put_file(self, path: str, file: BinaryIO, told: Told = _nobody) -> Any:
        """Send a file to a resource in pieces, and return its answer. Raises ClientError, OSError of the file."""
        size_bytes = os.fstat(file.fileno()).st_size
        pieces = _pieces(file, size_bytes, told)
        response = self._answered(lambda: self._ask("PUT", path, pieces, None, size_bytes), None)
        return self._result(response, self._rest_of(response, None))

    def _json(self, method: str, path: str, body: object, timeout_s: float | None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        return self._result(*self._exchange(method, path, data, timeout_s))

    def _exchange(
        self, method: str, path: str, data: bytes | None, timeout_s: float | None
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Send a request; returns the response with its whole content. Raises ClientError."""
        response = self._answered(lambda: self._ask(method, path, data, timeout_s), timeout_s)
        return response, self._rest_of(response, timeout_s)

    def _rest_of(self, response: http.client.HTTPResponse, timeout_s: float | None) -> bytes:
        content = self._answered(lambda: response.read(RESPONSE_BYTES_MAX + 1), timeout_s)
        if len(content) > RESPONSE_BYTES_MAX:
            raise ClientError(f"the answer of {self.url} is larger than {RESPONSE_BYTES_MAX:,} bytes: ask for less")
        if response.length:
            raise self._unknown("closes the connection within its answer")
        return content

    def _answered(self, ask: Callable[[], T], timeout_s: float | None) -> T:
        """What `ask` returns. Raises ClientError for what goes wrong on the way."""
        try:
            return ask()
        except TimeoutError:
            raise self._expired(timeout_s) from None
        except http.client.RemoteDisconnected:
            raise self._unknown("closes the connection without an answer") from None
        except OSError as error:
            raise self._unreachable(error) from None
        except http.client.HTTPException:
            raise self._unknown() from None

    def _ask(
        self, method: str, path: str, data: bytes | Iterator[bytes] | None, timeout_s: float | None,
        size_bytes: int | None = None,
    ) -> http.client.HTTPResponse:  # fmt: skip
        """Send a request; returns when the header of the response is there. size_bytes: of `data` in pieces."""
        within_s = self.timeout_s if timeout_s is None else timeout_s
        if self._connection is None:
            kind = http.client.HTTPSConnection if self.scheme == "https" else http.client.HTTPConnection
            self._connection = kind(self.host, self.port, timeout=within_s)
        self._connection.timeout = within_s
        if self._connection.sock is not None:
            self._connection.sock.settimeout(within_s)
        headers = dict(self._headers)
        if size_bytes is not None:
            headers |= {"content-type": "application/octet-stream", "content-length": str(size_bytes)}
        elif method in ("POST", "PUT"):
            headers["content-type"] = "application/json"
        try:
            try:
                self._connection.request(method, path, data, headers)
            except (BrokenPipeError, ConnectionResetError):
                if size_bytes is None:
                    raise  # else it is refused before all of it is there, and the answer says why
            return self._connection.getresponse()
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def _result(self, response: http.client.HTTPResponse, text: bytes) -> Any:
        try:
            value = json.loads(text)
        except ValueError:
            raise self._unknown(f"answers with status {response.status} and no JSON") from None
        if 200 <= response.status < 300:
            return value
        is_problem = isinstance(value, dict) and str(value.get("type", "")).startswith("urn:kafkacompat:")
        if not is_problem and not (isinstance(value, dict) and response.status == 503):
            raise self._unknown(f"answers with status {response.status}")
        raise ControlError(response.status, value)

    def _expired(self, timeout_s: float | None) -> ExpiredError:
        self.close()
        within_s = self.timeout_s if timeout_s is None else timeout_s
        return ExpiredError(f"{self.url} did not answer within {within_s:g} s: the broker may be paused or overloaded")

    def _unreachable(self, error: OSError) -> UnreachableError:
        if isinstance(error, ConnectionRefusedError):
            return UnreachableError(
                f"no control API at {self.url}: start a broker with kafkacompat serve, whose first line says where it "
                "is, or name another with --control URL"
            )
        return UnreachableError(f"{self.url} cannot be reached: {one_line(error.strerror or error)}")

    def _unknown(self, what: str = "does not speak HTTP") -> UnknownPeerError:
        return UnknownPeerError(f"{self.url} is no control API of kafkacompat: it {what}; name one with --control URL")


def _pieces(file: BinaryIO, size_bytes: int, told: Told) -> Iterator[bytes]:
    """A file up to the size that was announced, also if it grows meanwhile."""
    left = size_bytes
    while left and (piece := file.read(min(PIECE_BYTES, left))):
        left -= len(piece)
        yield piece
        told(size_bytes - left)


def parse_url(text: str) -> tuple[str, str, int]:
    """Scheme, host and port of http://HOST:PORT or HOST:PORT. Raises ClientError."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port if parts.port is not None else _PORTS.get(parts.scheme, 0)
        is_one = parts.scheme in _PORTS and bool(parts.hostname) and port > 0 and parts.path in ("", "/")
        host = (parts.hostname or "").encode("idna").decode() if is_one and ":" not in (parts.hostname or "") else ""
    except ValueError:
        is_one = False
    if not is_one or parts.query or parts.fragment or parts.username or not text.isprintable() or " " in text:
        shown = f"...@{text.rpartition('@')[2]}" if "@" in text else text  # without a password
        raise ClientError(f"{shown!r} is no address of a control API: write http://HOST:PORT, such as {DEFAULT_URL}")
    return parts.scheme, host or str(parts.hostname), port


def path_of(*parts: object) -> str:
    """/v1/topics/a%2Fb of the parts behind /v1."""
    return "/".join(["/v1", *(quote(str(part), safe="") for part in parts)])
