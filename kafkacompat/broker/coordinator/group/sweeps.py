"""Jobs on the groups of a shard: delete offsets of deleted topics, expired offsets, and groups with many offsets.

Each step checks a limited number of items and returns tombstones. The runtime carries a step out before it asks for the
next, and serves other requests in between, so each step decides on the state at its own time.
"""

from kafkacompat.broker.coordinator.group.offsets import has_expired
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey
from kafkacompat.protocol.primitives import ZERO_UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Protocol

    from kafkacompat.broker.coordinator.group.event_context import EventContext
    from kafkacompat.broker.coordinator.group.group import Group
    from kafkacompat.broker.coordinator.group.offsets import Committed, OffsetStore
    from kafkacompat.broker.coordinator.group.pending_offsets import PendingOffsets
    from kafkacompat.broker.coordinator.result import Result

    class Groups(Protocol):
        """The groups and offsets of a shard."""

        @property
        def groups(self) -> Mapping[str, Group]: ...
        @property
        def offsets(self) -> OffsetStore: ...
        @property
        def pending(self) -> PendingOffsets: ...


CHECKS_PER_STEP = 128
"""Groups and offsets checked in one step, which limits its tombstones as well."""
CHECKS_PER_COST = 8
"""Checks per unit of cost: a check takes about 0.5 µs, reading a record 4."""


class _Step:
    """The tombstones of one step, and the number of checks so far."""

    __slots__ = ("checks", "event", "pending")

    def __init__(self, event: "EventContext") -> None:
        self.event = event
        self.event.result.is_atomic = False
        self.checks = 0
        self.pending = 0  # tombstones for the current group

    @property
    def is_full(self) -> bool:
        return self.checks >= CHECKS_PER_STEP

    def result(self) -> "Result":
        self.event.result.cost = self.checks // CHECKS_PER_COST
        return self.event.result

    def write_tombstone(self, group_id: str, topic: str, partition: int) -> None:
        self.event.write(OffsetCommitKey(group_id, topic, partition), None)
        self.pending += 1


def forget_topics(
    shard: "Groups", deleted: "Mapping[str, bytes]", deleted_ms: int, event_of: "Callable[[], EventContext]"
) -> "Iterator[Result]":
    """Tombstones for all offsets of topics, given by name and id, that were deleted at `deleted_ms` (wall clock).

    Offsets of a new topic with the same name are kept: they have another topic id, or, without an id (old clients), a
    later commit time.
    """
    step = _Step(event_of())
    for group_id in dict.fromkeys((*shard.offsets.group_ids(), *shard.pending.group_ids())):
        step.checks += 1
        topics = shard.offsets.topics(group_id)
        for topic in [topic for topic in (deleted if len(deleted) < len(topics) else topics) if topic in topics]:
            topic_id = deleted.get(topic)
            if topic_id is None:
                continue
            for partition in list(shard.offsets.topics(group_id).get(topic, ())):
                if step.is_full:
                    yield step.result()
                    step = _Step(event_of())
                step.checks += 1
                value = shard.offsets.find(group_id, topic, partition, newest=True)
                if value is not None and _was_of(value, topic_id, deleted_ms):
                    step.write_tombstone(group_id, topic, partition)
        for topic, partition in shard.pending.places(group_id):
            topic_id = deleted.get(topic)
            if topic_id is None:
                continue
            if step.is_full:
                yield step.result()
                step = _Step(event_of())
            step.checks += 1
            values = shard.pending.values(group_id, topic, partition)
            if any(_is_of(value.topic_id, value.commit_timestamp, topic_id, deleted_ms) for value in values):
                step.write_tombstone(group_id, topic, partition)
        if step.is_full:
            yield step.result()
            step = _Step(event_of())
    yield step.result()


def _was_of(value: "Committed", topic_id: bytes, deleted_ms: int) -> bool:
    _, _, _, committed_ms, _, of_topic, _ = value
    return _is_of(of_topic, committed_ms, topic_id, deleted_ms)


def _is_of(of_topic: bytes, committed_ms: int, topic_id: bytes, deleted_ms: int) -> bool:
    return of_topic == topic_id or (of_topic == ZERO_UUID and committed_ms <= deleted_ms)


def expire(shard: "Groups", event_of: "Callable[[], EventContext]") -> "Iterator[Result]":
    """Tombstones for expired offsets, and for empty groups without offsets. What is open in a transaction is kept."""
    step = _Step(event_of())
    for group_id in list(shard.groups):
        step.checks += 1
        step.pending = 0
        for topic, partition in _committed_places(shard.offsets, group_id):
            if step.is_full:
                yield step.result()
                step = _Step(event_of())
            step.checks += 1
            if shard.pending.is_open(group_id, topic, partition):
                continue
            group = shard.groups.get(group_id)
            value = shard.offsets.find(group_id, topic, partition, newest=True)
            if group is not None and value is not None and has_expired(group, topic, value, step.event):
                step.write_tombstone(group_id, topic, partition)
        group = shard.groups.get(group_id)
        is_unused = shard.offsets.count(group_id) == step.pending and not shard.pending.has_open(group_id)
        if group is not None and group.is_empty and is_unused:
            group.write_tombstones(step.event)
        if step.is_full:
            yield step.result()
            step = _Step(event_of())
    yield step.result()


def delete_group(shard: "Groups", group_id: str, event_of: "Callable[[], EventContext]") -> "Iterator[Result]":
    """Tombstones for an empty group and its many offsets. The shard accepts no member of it meanwhile."""
    step = _Step(event_of())
    for topic, partition in places(shard, group_id):
        if step.is_full:
            yield step.result()
            step = _Step(event_of())
        step.checks += 1
        step.write_tombstone(group_id, topic, partition)
    group = shard.groups.get(group_id)
    if group is not None:  # it has not expired meanwhile
        group.write_tombstones(step.event)
    yield step.result()


def places(shard: "Groups", group_id: str) -> "Iterator[tuple[str, int]]":
    """Topic and partition of each offset of the group, committed or in a transaction; offsets may change during the
    iteration.
    """
    yield from _committed_places(shard.offsets, group_id)
    for topic, partition in shard.pending.places(group_id):
        if partition not in shard.offsets.topics(group_id).get(topic, ()):
            yield topic, partition


def _committed_places(store: "OffsetStore", group_id: str) -> "Iterator[tuple[str, int]]":
    for topic in list(store.topics(group_id)):
        for partition in list(store.topics(group_id).get(topic, ())):
            yield topic, partition
