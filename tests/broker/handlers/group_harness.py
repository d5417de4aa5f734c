"""A broker in memory that is asked frame by frame: what a client would see of the group APIs."""

import random
from types import ModuleType

from kafkacompat.broker.broker import Broker
from kafkacompat.broker.connection import Connection
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.broker.inspect import Inspection
from kafkacompat.broker.registry import APIS
from kafkacompat.config import BrokerConfig
from kafkacompat.now import Now
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest
from kafkacompat.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from kafkacompat.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.storage.memfs import MemFs
from tests.broker.starting import begin, settle, stop

STEMS = {api.stem: api for api in APIS.values()}
SUBSCRIPTION = b"\0\0\0\0\0\1\0\1t\xff\xff\xff\xff"
PORT = 9092


class Answer:
    """The answer to a frame, which may come later. `body` is None until then."""

    def __init__(self, messages: ModuleType, key: int, version: int) -> None:
        self._messages = messages
        self._key = key
        self._version = version
        self.body: object | None = None
        self.count = 0

    def __call__(self, parts: list[object] | None) -> None:
        assert parts is not None
        self.count += 1
        assert self.count == 1, "answered twice"
        data = b"".join(bytes(part) for part in parts)
        _, position = decode_response_header(data, response_header_is_flexible(self._key, self._version))
        self.body = self._messages.decode_response(data, position, self._version)


class Kafka:
    """The broker, its clock and its disk."""

    def __init__(self, **config: str) -> None:
        self.settings = {
            "node.id": "1",
            "group.initial.rebalance.delay.ms": "0",
            "offsets.topic.num.partitions": "3",
            "offsets.topic.replication.factor": "1",
        } | {name.replace("_", "."): value for name, value in config.items()}
        self.fs = MemFs()
        self.now = Now(1_000_000, 1_700_000_000_000)
        self.connections = 0
        self.disk_is_stuck = False
        self.broker = self._open()

    def _open(self) -> Broker:
        broker = Broker.open(
            config=BrokerConfig.from_sources(cli=self.settings),
            fs=self.fs,
            data_dir="/data",
            endpoints=[Endpoint("PLAINTEXT", "broker.test", PORT)],
            now=self.now,
            rng=random.Random(self.now.monotonic_ms),
        )
        return begin(broker, self.now)

    @property
    def view(self) -> Inspection:
        return Inspection(self.broker)

    def restart(self, *, clean: bool) -> None:
        """Stop and start again, or as after kill -9: what was written is still in the page cache."""
        stop(self.broker, self.now, clean=clean)
        self.advance(1)
        self.broker = self._open()

    def shard(self, group_id: str) -> GroupCoordinatorShard:
        """The shard that keeps a group; all that it has must be committed."""
        shard = self.broker.groups.read_newest(group_id, lambda shard: shard, lambda error_code: error_code, self.now)
        assert isinstance(shard, GroupCoordinatorShard)
        return shard

    def advance(self, ms: int) -> None:
        """Let time pass; timers fire when they are due."""
        until = self.now.monotonic_ms + ms
        while (deadline := self.broker.timers.next_deadline_ms()) is not None and deadline <= until:
            self.set_clock(max(deadline, self.now.monotonic_ms))
            self.broker.timers.run(self.now)
            self.flush()
        self.set_clock(until)

    def flush(self) -> None:
        """Sync what waits to be synced."""
        if not self.disk_is_stuck:
            settle(self.broker, self.now)
        self.broker.after_event(self.now)

    def set_clock(self, monotonic_ms: int) -> None:
        self.now = Now(monotonic_ms, self.now.wall_ms + monotonic_ms - self.now.monotonic_ms)

    def connect(self) -> Connection:
        self.connections += 1
        return Connection(self.connections, "127.0.0.1", "PLAINTEXT")

    def send(
        self, stem: str, version: int, request: object, *, connection: Connection | None = None, client: str = "c"
    ) -> Answer:
        """Send a request; the answer may come later."""
        api = STEMS[stem]
        answer = Answer(api.messages, api.key, version)
        parts: list[object] = [encode_request_header(RequestHeader(api.key, version, 7, client))]
        api.messages.encode_request(request, version, parts)
        frame = bytearray(b"".join(bytes(part) for part in parts))
        self.broker.dispatch(frame, connection or self.connect(), self.now, answer)
        self.flush()
        return answer

    def ask(self, stem: str, version: int, request: object, **how: object) -> object:
        """Send a request that is answered at once."""
        body = self.send(stem, version, request, **how).body
        assert body is not None, f"{stem} waits"
        return body

    def create_topic(self, name: str, partitions: int = 3) -> bytes:
        """Create a topic; its id."""
        response = self.ask("create_topics", 7, CreateTopicsRequest([CreatableTopic(name, partitions, 1)]))
        assert response.topics[0].error_code == 0, response
        return response.topics[0].topic_id

    def join(self, group: str = "g", member_id: str = "", *, version: int = 9, **fields: object) -> Answer:
        """Send a JoinGroup of a consumer of topic t."""
        settings: dict = {"session_timeout_ms": 10_000, "rebalance_timeout_ms": 60_000, "protocol_type": "consumer"}
        settings["protocols"] = [JoinGroupRequestProtocol("range", SUBSCRIPTION)]
        how = {name: fields.pop(name) for name in ("client", "connection") if name in fields}
        request = JoinGroupRequest(group_id=group, member_id=member_id, **(settings | fields))
        return self.send("join_group", version, request, **how)


def commit(
    kafka: Kafka, offset: int, group: str = "g", *, generation: int = -1, member_id: str = "", **fields: object
) -> int:
    """Commit an offset of t-0; the error code."""
    partition = OffsetCommitRequestPartition(0, offset, **fields)
    topics = [OffsetCommitRequestTopic("t", partitions=[partition])]
    request = OffsetCommitRequest(group, generation, member_id, topics=topics)
    return kafka.ask("offset_commit", 8, request).topics[0].partitions[0].error_code


def committed(kafka: Kafka, group: str = "g") -> int:
    request = OffsetFetchRequest(group, [OffsetFetchRequestTopic("t", [0])])
    return kafka.ask("offset_fetch", 5, request).topics[0].partitions[0].committed_offset


def sync(kafka: Kafka, member_id: str, generation: int, **shares: bytes) -> Answer:
    assignments = [SyncGroupRequestAssignment(*share) for share in shares.items()]
    return kafka.send("sync_group", 3, SyncGroupRequest("g", generation, member_id, assignments=assignments))


def heartbeat(kafka: Kafka, member_id: str, generation: int) -> int:
    return kafka.ask("heartbeat", 4, HeartbeatRequest("g", generation, member_id)).error_code


def stable_pair(kafka: Kafka) -> tuple[str, str]:
    """Two members in generation 2."""
    first = kafka.join(version=3).body.member_id
    waiting = kafka.join(version=3)
    kafka.join(member_id=first)
    second = waiting.body.member_id
    assert sync(kafka, first, 2, **{first: b"1", second: b"2"}).body.assignment == b"1"
    assert sync(kafka, second, 2).body.assignment == b"2"
    return first, second


def with_coordinator(**config: str) -> Kafka:
    """A broker with topic t whose groups' topic is there."""
    kafka = Kafka(**config)
    kafka.create_topic("t")
    kafka.ask("find_coordinator", 2, FindCoordinatorRequest("g"))
    return kafka
