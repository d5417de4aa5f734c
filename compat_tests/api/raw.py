"""A client that is only a socket and our message codec: any request to any broker, answers as they came."""

from __future__ import annotations

import re
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from compat_tests.api.outcomes import Exchange, outcome
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol import headers, messages
from kafkacompat.protocol.api_keys import NAMES
from kafkacompat.protocol.primitives import ZERO_UUID, Message

TIMEOUT_S = 60.0
"""No limit that a broker has to keep: what is answered at all is answered within it, on whatever machine."""
CLIENT_ID = "raw"
MASKED = "*"
CLOSED = "the connection was closed"
SILENT = "no answer came"
UNSET = (None, "", 0, -1, b"", ZERO_UUID)
_Facts = TypeVar("_Facts")
_ENDS_WITH_UUID = re.compile(r"(.*)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class NotAdvertisedError(Exception):
    """A request in a version that the broker does not offer; names API and version."""


class RawClient:
    """One connection to the first address of `bootstrap_servers`. Raises OSError when the broker closes it."""

    def __init__(self, bootstrap_servers: str, timeout_s: float = TIMEOUT_S) -> None:
        host, _, port = bootstrap_servers.partition(",")[0].rpartition(":")
        self._address = host, int(port)
        self._timeout_s = timeout_s
        self._socket = socket.create_connection(self._address, timeout_s)
        self._correlation_id = 0
        self._names: dict[str, str] = {}  # ids that the broker made up, and what they are called in facts
        self.exchanges: list[Exchange] = []
        self.advertised: Mapping[int, range] | None = None
        """What may be asked; None is everything."""
        self.client_id = CLIENT_ID

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    @property
    def address(self) -> str:
        """host:port of the broker."""
        return f"{self._address[0]}:{self._address[1]}"

    def another(self) -> RawClient:
        """A second connection to the same broker, in the same conversation."""
        other = RawClient(self.address, self._timeout_s)
        other._names, other.exchanges, other.advertised = self._names, self.exchanges, self.advertised
        return other

    def reconnect(self) -> None:
        """Go on after the broker closed the connection."""
        self._socket.close()
        self._socket = socket.create_connection(self._address, self._timeout_s)

    def ask(self, api: ModuleType, version: int, request: Message, masked: Sequence[str] = ()) -> Any:
        """Send one request; its answer as facts, CLOSED or SILENT. Member ids are numbered as they were seen."""
        try:
            answer = self.call(api.API_KEY, version, request)
        except (ConnectionError, TimeoutError) as error:
            self.reconnect()
            return self.noted(api.API_KEY, version, SILENT if isinstance(error, TimeoutError) else CLOSED)
        return self.noted(api.API_KEY, version, self.numbered(facts(answer, masked)))

    def ask_within(
        self, timeout_s: float, api: ModuleType, version: int, request: Message, masked: Sequence[str] = ()
    ) -> Any:
        """`ask` what may be left unanswered: the answer is SILENT when none came for so long."""
        usual_s, self._timeout_s = self._timeout_s, timeout_s
        self._socket.settimeout(timeout_s)
        try:
            return self.ask(api, version, request, masked)
        finally:
            self._timeout_s = usual_s
            self._socket.settimeout(usual_s)

    def ask_all(
        self, api: ModuleType, version: int, requests: Mapping[str, Message], masked: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The answers to named requests, asked one after the other."""
        return {name: self.ask(api, version, request, masked) for name, request in requests.items()}

    def ask_until(self, api: ModuleType, version: int, request: Message, error_code: int) -> Any:
        """Ask again and again until the answer has an error code; that answer as facts."""
        deadline = time.monotonic() + TIMEOUT_S
        while (answer := self.ask(api, version, request))["error_code"] != error_code:
            assert time.monotonic() < deadline, answer
            self.exchanges.pop()  # how often we had to wait is no fact
            time.sleep(0.02)
        return answer

    def start(self, api: ModuleType, version: int, request: Message) -> None:
        """Send a request whose answer comes later: `finish` takes it. Raises NotAdvertisedError."""
        if self.advertised is not None and version not in self.advertised.get(api.API_KEY, ()):
            raise NotAdvertisedError(f"{NAMES[api.API_KEY]} {version}")
        body: list[Any] = []
        api.encode_request(request, version, body)
        self.send(api.API_KEY, version, b"".join(body))

    def finish(self, api: ModuleType, version: int) -> Any:
        """The answer to what `start` sent, as facts."""
        answer = facts(api.decode_response(self._answer(api.API_KEY, version), 0, version))
        return self.noted(api.API_KEY, version, self.numbered(answer))

    def noted(self, api_key: int, version: int, answer: Any) -> Any:
        """Enter an answer, as facts, among the exchanges of this conversation; returns it."""
        self.exchanges.append(Exchange(api_key, version, outcome(answer)))
        return answer

    def id_called(self, name: str) -> str:
        """The id that facts of this conversation show under a name; the name itself if none is."""
        return next((made_up for made_up, shown in self._names.items() if shown == name), name)

    def numbered(self, value: Any) -> Any:
        """Facts in which each id that ends with a random UUID is replaced by what comes before it and a number."""
        if isinstance(value, dict):
            return {name: self.numbered(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.numbered(item) for item in value]
        made_up = isinstance(value, str) and _ENDS_WITH_UUID.fullmatch(value)
        return self._names.setdefault(value, f"{made_up[1]}-{len(self._names) + 1}") if made_up else value

    def call(self, api_key: int, version: int, request: Message) -> Any:
        """Send one request and return its decoded response."""
        module = messages.load(api_key)
        self.start(module, version, request)
        return module.decode_response(self._answer(api_key, version), 0, version)

    def _answer(self, api_key: int, version: int) -> bytes:
        response = self.receive()
        (correlation_id,) = struct.unpack_from(">i", response)
        assert correlation_id == self._correlation_id, "an answer to something else"
        return response[5 if headers.response_header_is_flexible(api_key, version) else 4 :]

    def send(self, api_key: int, version: int, body: bytes) -> None:
        """Send a request with a header of its own, without waiting (acks=0 is never answered)."""
        self._correlation_id += 1
        header = headers.RequestHeader(api_key, version, self._correlation_id, self.client_id)
        self.send_frame(headers.encode_request_header(header) + body)

    def send_frame(self, frame: bytes) -> None:
        """Send bytes as one frame."""
        self.send_raw(struct.pack(">i", len(frame)) + frame)

    def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._socket.sendall(data)

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


def versions(api: ModuleType, since: int = 0) -> range:
    """The versions of an API that this broker advertises, from `since` on: the message module may know newer ones."""
    row = APIS[api.API_KEY]
    return range(max(since, row.min_version), row.max_version + 1)


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


def unordered(value: _Facts, *names: str) -> _Facts:
    """Facts in which the lists of these fields are sorted: Kafka gives them no order."""
    made: Any = value
    if isinstance(value, dict):
        made = {name: unordered(item, *names) for name, item in value.items()}
        for name in names:
            if isinstance(made.get(name), list):
                made[name] = sorted(made[name], key=repr)
    elif isinstance(value, list):
        made = [unordered(item, *names) for item in value]
    return made  # type: ignore[no-any-return]


def presence(value: Any) -> Any:
    """What may be compared of a value that is each broker's own: only whether there is one."""
    return value if value in UNSET else MASKED


def field_names(message: Message) -> list[str]:
    return [name for cls in type(message).__mro__ for name in getattr(cls, "__slots__", ())]


class Difference(NamedTuple):
    """One field in which two answers differ."""

    path: str
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        return f"{self.path or '.'}: kafkacompat {self.ours!r}, Apache Kafka {self.theirs!r}"


def differences(ours: Any, theirs: Any, path: str = "") -> list[Difference]:
    """Where two answers differ, field by field; entries of lists that do not have the same names are told by name."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        names = {**ours, **theirs}
        return [found for n in names for found in differences(ours.get(n), theirs.get(n), f"{path}.{n}")]
    if isinstance(ours, list) and isinstance(theirs, list) and _are_named(ours, theirs):
        mine, others = ({f"[{each['name']}]": each for each in entries} for entries in (ours, theirs))
        return [found for n in {**mine, **others} for found in differences(mine.get(n), others.get(n), path + n)]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [found for n, (mine, other) in pairs for found in differences(mine, other, f"{path}[{n}]")]
    return [] if ours == theirs else [Difference(path, ours, theirs)]


def _are_named(ours: list[Any], theirs: list[Any]) -> bool:
    """Whether the entries of both lists have names, all different, which are not the same on both sides."""
    names = [[each.get("name") for each in entries if isinstance(each, Mapping)] for entries in (ours, theirs)]
    whole = all(len(found) == len(entries) for found, entries in zip(names, (ours, theirs), strict=True))
    unique = all(None not in found and len(set(found)) == len(found) for found in names)
    return whole and unique and set(names[0]) != set(names[1])
