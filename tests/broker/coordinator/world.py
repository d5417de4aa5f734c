"""A group shard with a log, a clock and timers, and nothing else: events in, answers out."""

import random
from collections.abc import Mapping
from typing import NamedTuple

from kafkacompat.broker.coordinator.group.classic.join import Join
from kafkacompat.broker.coordinator.group.classic.members import Client
from kafkacompat.broker.coordinator.group.event_context import GroupSettings
from kafkacompat.broker.coordinator.group.records import batch_of, decode_record
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.broker.coordinator.result import CancelTimer, Reply, Result, SetTimer
from kafkacompat.now import Now
from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest
from kafkacompat.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from kafkacompat.protocol.messages.leave_group import MemberIdentity
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from kafkacompat.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from kafkacompat.protocol.records.reader import read_records

START = Now(1_000_000, 1_700_000_000_000)


class Logged(NamedTuple):
    """One record of the log, or the end of a producer's transaction (`is_commit`)."""

    key: bytes = b""
    value: bytes | None = None
    timestamp: int = 0
    producer_id: int = -1
    is_commit: bool | None = None


class TopicStandIn:
    """A topic's metadata."""

    def __init__(self, name: str, partitions: int = 8, topic_id: bytes = b"\x07" * 16) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = (None,) * partitions


def subscription(*topics: str) -> bytes:
    """A consumer's subscription to topics, version 0."""
    names = b"".join(len(topic.encode()).to_bytes(2) + topic.encode() for topic in topics)
    return b"\0\0" + len(topics).to_bytes(4) + names + b"\xff\xff\xff\xff"


def protocols(*pairs: tuple[str, bytes]) -> list[JoinGroupRequestProtocol]:
    return [JoinGroupRequestProtocol(name, metadata) for name, metadata in pairs]


RANGE = protocols(("range", subscription("t")))


def join_request(group: str = "g", member_id: str = "", **fields: object) -> JoinGroupRequest:
    settings: dict = {"session_timeout_ms": 10_000, "rebalance_timeout_ms": 60_000, "protocol_type": "consumer"}
    settings |= {"protocols": RANGE} | fields
    return JoinGroupRequest(group_id=group, member_id=member_id, **settings)


class World:
    """Runs a shard as the runtime does, with everything committed at once. `replies` gathers what was answered."""

    def __init__(self, seed: int = 1, **settings: int) -> None:
        self.settings = GroupSettings(**settings)
        self.rng = random.Random(seed)
        self.now = Now(START.monotonic_ms, START.wall_ms)
        self.log: list[Logged] = []
        self.timers: dict[tuple[str, ...], int] = {}
        self.replies: dict[object, object] = {}
        self.tokens = 0
        self.shard = GroupCoordinatorShard(self.settings, self.rng)
        self.resume()

    def perform(self, result: Result, token: object = None) -> object:
        """Append and replay, then the effects; the response if there is one."""
        producer_id = -1 if result.producer is None else result.producer.producer_id
        if result.records:
            batch = batch_of(result.records, self.now.wall_ms)
            for record, read in zip(result.records, read_records(batch), strict=True):
                self.shard.replay(len(self.log), producer_id, 0, record, -1, self.now.wall_ms)
                self.log.append(Logged(read.key, read.value, read.timestamp, producer_id))
        for effect in result.effects:
            match effect:
                case Reply():
                    assert effect.token not in self.replies, "answered twice"
                    self.replies[effect.token] = effect.response
                case SetTimer():
                    self.timers[effect.key] = effect.deadline_ms
                case CancelTimer():
                    self.timers.pop(effect.key, None)
        for step in () if result.job is None else result.job(self.now):
            self.perform(step)
        if result.response is not None:
            self.replies[token] = result.response
        return result.response

    def token(self) -> int:
        self.tokens += 1
        return self.tokens

    def advance(self, ms: int) -> None:
        """Let time pass; timers fire in order of their deadlines."""
        until = self.now.monotonic_ms + ms
        while self.timers:
            key = min(self.timers, key=lambda key: (self.timers[key], key))
            if self.timers[key] > until:
                break
            self._set_clock(max(self.timers.pop(key), self.now.monotonic_ms), key)
        self._set_clock(until)

    def _set_clock(self, monotonic_ms: int, key: tuple[str, ...] | None = None) -> None:
        self.now = Now(monotonic_ms, START.wall_ms + monotonic_ms - START.monotonic_ms)
        if key is not None:
            self.perform(self.shard.timer_fired(key, self.now))

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """The producer's marker is written."""
        self.shard.replay_end_transaction(producer_id, 0, -1, is_commit=is_commit)
        self.log.append(Logged(producer_id=producer_id, is_commit=is_commit))

    def compacted(self) -> dict[int, Logged]:
        """The last record of each key, by offset; what is in transactions stays."""
        latest: dict[bytes, int] = {}
        for offset, record in enumerate(self.log):
            if record.producer_id == -1:
                latest[record.key] = offset
        kept = set(latest.values())
        return {offset: record for offset, record in self.whole().items() if offset in kept or record.producer_id != -1}

    def whole(self) -> dict[int, Logged]:
        """All records, by offset."""
        return dict(enumerate(self.log))

    def replayed(self, log: Mapping[int, Logged] | None = None) -> GroupCoordinatorShard:
        """A shard made from the log alone."""
        shard = GroupCoordinatorShard(self.settings, self.rng)
        for offset, (key, value, timestamp, producer_id, is_commit) in (self.whole() if log is None else log).items():
            if is_commit is not None:
                shard.replay_end_transaction(producer_id, 0, -1, is_commit=is_commit)
                continue
            record = decode_record(key, value)
            assert record is not None
            shard.replay(offset, producer_id, 0, record, -1, timestamp)
        return shard

    def restart(self) -> None:
        """As after kill -9: all that was not in the log is gone, and so are the connections."""
        self.shard = self.replayed()
        self.timers.clear()
        self.resume()

    def resume(self) -> None:
        """The log has been read."""
        for result in self.shard.on_loaded(self.now):
            self.perform(result)

    # Requests; each answers the response, or None while it waits (then see `replies[token]`).

    def join(self, client: str = "c", *, version: int = 9, token: object = None, **fields: object) -> object:
        request = join_request(**fields)
        token = self.token() if token is None else token
        join = Join(
            request,
            Client(client, "/127.0.0.1"),
            token,
            needs_member_id=version >= 4,
            may_skip_assignment=version >= 9,
        )
        return self.perform(self.shard.join_group(join, self.now), token)

    def sync(
        self,
        member_id: str,
        generation: int,
        assignments: dict[str, bytes] | None = None,
        *,
        group: str = "g",
        token: object = None,
        **fields: object,
    ) -> object:
        entries = [SyncGroupRequestAssignment(*pair) for pair in (assignments or {}).items()]
        request = SyncGroupRequest(group, generation, member_id, assignments=entries, **fields)
        token = self.token() if token is None else token
        return self.perform(self.shard.sync_group(request, token, self.now), token)

    def heartbeat(self, member_id: str, generation: int, *, group: str = "g", instance: str | None = None) -> object:
        request = HeartbeatRequest(group, generation, member_id, instance)
        return self.perform(self.shard.heartbeat(request, self.now))

    def leave(self, *members: tuple[str, str | None], group: str = "g") -> object:
        identities = [MemberIdentity(member_id, instance) for member_id, instance in members]
        return self.perform(self.shard.leave_group(group, identities, self.now))

    def commit(
        self,
        topic: str,
        offsets: dict[int, int],
        *,
        group: str = "g",
        generation: int = -1,
        member_id: str = "",
        metadata: str | None = "",
        not_found_error: int = 69,
        instance: str | None = None,
        retention_ms: int = -1,
        known: TopicStandIn | None = None,
    ) -> object:
        partitions = [OffsetCommitRequestPartition(index, offset, 3, metadata) for index, offset in offsets.items()]
        request = OffsetCommitRequest(group, generation, member_id, instance, retention_ms)
        targets = [(OffsetCommitRequestTopic(topic, partitions=partitions), known or TopicStandIn(topic), 0)]
        return self.perform(self.shard.commit_offsets(request, targets, not_found_error, self.now))

    def commit_in_transaction(
        self,
        topic: str,
        offsets: dict[int, int],
        *,
        producer_id: int,
        group: str = "g",
        generation: int = -1,
        member_id: str = "",
        metadata: str | None = "",
        instance: str | None = None,
    ) -> object:
        partitions = [TxnOffsetCommitRequestPartition(index, offset, 3, metadata) for index, offset in offsets.items()]
        topics = [TxnOffsetCommitRequestTopic(topic, partitions=partitions)]
        request = TxnOffsetCommitRequest("id", group, producer_id, 0, generation, member_id, instance, topics)
        return self.perform(self.shard.commit_offsets_in_transaction(request, self.now))
