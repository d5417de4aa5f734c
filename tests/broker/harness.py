"""A whole broker without a shell: frames in, frames out, time by hand, files in memory."""

import random
from collections.abc import Sequence
from typing import Any

from kafkacompat.broker.broker import Broker
from kafkacompat.broker.connection import BROKER, CONTROLLER, Connection
from kafkacompat.broker.inspect import Inspection
from kafkacompat.broker.registry import APIS
from kafkacompat.config import BrokerConfig, development_defaults
from kafkacompat.now import Now
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.memfs import MemFs
from tests.broker.starting import begin, settle, stop

STEM_TO_API = {api.stem: api for api in APIS.values()}


class BrokerHarness:
    """One broker on `fs` (a fresh one in memory); requests are messages, answers too. The metadata log is in the first
    of `directories`, and the other logs in all of them, or in `log_directories`. Another `seed` makes
    another incarnation.
    """

    def __init__(
        self,
        fs: MemFs | RealFs | None = None,
        *,
        wall_ms: int = 1_700_000_000_000,
        directories: Sequence[str] = ("/data",),
        log_directories: Sequence[str] = (),
        seed: int = 1,
        **config: str,
    ) -> None:
        self.fs: Any = fs if fs is not None else MemFs()
        self.now = Now(1_000_000, wall_ms)
        settings = {name.replace("_", "."): value for name, value in config.items()}
        broker = Broker.open(
            config=BrokerConfig.from_sources({}, {"node.id": "1", **settings}, development_defaults(1)),
            fs=self.fs,
            data_dir=directories[0],
            log_dirs=log_directories or directories,
            endpoints=[Endpoint("PLAINTEXT", "localhost", 9092)],
            now=self.now,
            rng=random.Random(seed),
        )
        self.broker = begin(broker, self.now)
        self.view = Inspection(self.broker)
        self.connection = self.connect()
        self.controller_connection = self.connect(CONTROLLER)

    def connect(self, kind: str = BROKER) -> Connection:
        """Another client's connection, or another node's to the controller."""
        listener = "PLAINTEXT" if kind == BROKER else "CONTROLLER"
        return Connection(random.Random().randrange(1 << 30), "127.0.0.1", listener, kind)

    def advance(self, duration_ms: int) -> None:
        """Let time pass: both clocks, and what is due."""
        self.now = Now(self.now.monotonic_ms + duration_ms, self.now.wall_ms + duration_ms)
        self.broker.timers.run(self.now)
        self.settle()

    def settle(self) -> None:
        """Let syncs and other background work end."""
        settle(self.broker, self.now)

    def send_frame(self, frame: bytes, connection: Connection | None = None) -> list[list[Any] | None]:
        """Send raw bytes; what is answered, now or later, is appended to the list."""
        answers: list[list[Any] | None] = []
        self.broker.dispatch(frame, connection or self.connection, self.now, answers.append)
        self.settle()
        return answers

    def begin(self, request: Any, version: int, connection: Connection | None = None) -> "Answer":
        """Send a request that may wait, to the controller's listener where no other serves it."""
        api = _api_of(request)
        if connection is None and BROKER not in api.listeners:
            connection = self.controller_connection
        out: list[Any] = []
        api.messages.encode_request(request, version, out)
        header = encode_request_header(RequestHeader(api.key, version, 7, "tests"))
        return Answer(self.send_frame(header + b"".join(map(bytes, out)), connection), api, version)

    def ask(self, request: Any, version: int, connection: Connection | None = None) -> Any:
        """Send a request that is answered at once, and decode the answer."""
        answer = self.begin(request, version, connection)
        assert answer.is_there, f"no answer to {request}"
        return answer.message

    def create_topic(self, name: str, partitions: int = 1, **configs: str) -> None:
        """Create a topic through the front door."""
        topic = CreatableTopic(
            name, partitions, 1, configs=[CreatableTopicConfig(k.replace("_", "."), v) for k, v in configs.items()]
        )
        response = self.ask(CreateTopicsRequest(topics=[topic]), 7)
        assert response.topics[0].error_code == 0, response

    def close(self, *, clean: bool = True) -> None:
        """Stop the broker."""
        stop(self.broker, self.now, clean=clean)


class Answer:
    """What came back so far."""

    def __init__(self, answers: list[list[Any] | None], api: Any, version: int) -> None:
        self._answers = answers
        self._api = api
        self._version = version

    @property
    def is_there(self) -> bool:
        """Whether it was answered."""
        return bool(self._answers)

    @property
    def message(self) -> Any:
        """The decoded response; None where nothing was to be sent."""
        (parts,) = self._answers
        if parts is None:
            return None
        frame = b"".join(part.read(0, len(part)) if hasattr(part, "read") else bytes(part) for part in parts)
        _, position = decode_response_header(frame, response_header_is_flexible(self._api.key, self._version))
        return self._api.messages.decode_response(frame, position, self._version)


def _api_of(request: Any) -> Any:
    return STEM_TO_API[type(request).__module__.rpartition(".")[2]]
