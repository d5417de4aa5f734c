"""Committed offsets: commit, fetch, delete and expire (Kafka's OffsetMetadataManager)."""

from kafkacompat.protocol.constants import (
    DEFAULT_RETENTION_TIME,
    LONG_MAX,
    NO_EXPIRE_TIMESTAMP,
    NO_PARTITION_LEADER_EPOCH,
    UNKNOWN_OFFSET,
)
from kafkacompat.protocol.error_codes import (
    GROUP_SUBSCRIBED_TO_TOPIC,
    ILLEGAL_GENERATION,
    NONE,
    OFFSET_METADATA_TOO_LARGE,
    UNKNOWN_TOPIC_OR_PARTITION,
    UNSTABLE_OFFSET_COMMIT,
)
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from kafkacompat.protocol.messages.offset_fetch import (
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)
from kafkacompat.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from kafkacompat.protocol.primitives import ZERO_UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol

    from kafkacompat.broker.coordinator.group.event_context import EventContext
    from kafkacompat.broker.coordinator.group.group import Group
    from kafkacompat.broker.coordinator.group.pending_offsets import PendingOffsets
    from kafkacompat.broker.coordinator.uncommitted import Uncommitted
    from kafkacompat.protocol.messages.offset_commit import (
        OffsetCommitRequest,
        OffsetCommitRequestPartition,
        OffsetCommitRequestTopic,
    )
    from kafkacompat.protocol.messages.offset_fetch import OffsetFetchRequestTopics
    from kafkacompat.protocol.messages.txn_offset_commit import (
        TxnOffsetCommitRequest,
        TxnOffsetCommitRequestPartition,
        TxnOffsetCommitRequestTopic,
    )

    class Topic(Protocol):
        """The part of a topic's metadata that commits need."""

        @property
        def name(self) -> str: ...
        @property
        def topic_id(self) -> bytes: ...
        @property
        def partitions(self) -> Sequence[object]: ...

    #: Offset, leader epoch, metadata, commit time, expiry and topic id, as in the record's value, and the offset of the
    #: record in the log. The garbage collector does not track such tuples; with as many objects each full collection
    #: would take tens of milliseconds.
    Committed = tuple[int, int, str, int, int, bytes, int]

    #: One topic of an OffsetCommit, its metadata, and the error if it has none.
    CommitTarget = tuple[OffsetCommitRequestTopic, Topic | None, int]

NOT_COMMITTED = (UNKNOWN_OFFSET, NO_PARTITION_LEADER_EPOCH, "")
"""Offset, leader epoch and metadata of a partition without a committed offset."""
UNSTABLE = (*NOT_COMMITTED, UNSTABLE_OFFSET_COMMIT)
RELEASED_PER_COST = 32
"""Offsets freed per unit of cost: freeing an offset takes about 0.1 µs, reading a record 4."""


class OffsetStore:
    """The offsets of all groups in one shard: group -> topic -> partition -> the client's commit.

    `uncommitted` holds the values that uncommitted records have replaced, by (topic, partition).
    """

    __slots__ = ("_groups", "_uncommitted")

    def __init__(self, uncommitted: "Uncommitted") -> None:
        self._groups: dict[str, dict[str, dict[int, Committed]]] = {}
        self._uncommitted = uncommitted

    def replay(
        self, record_offset: int, key: OffsetCommitKey, value: OffsetCommitValue | None, last_offset: int
    ) -> None:
        """Apply the record at `record_offset`, which is committed as soon as `last_offset` is; value None: a tombstone.

        A transaction's records are applied at its end: by then a later record may have been applied, and that one
        counts. The order of records is the order of commits, also after compaction and a restart.
        """
        former = self._groups.get(key.group, {}).get(key.topic, {}).get(key.partition)
        if former is not None and former[-1] > record_offset:
            return
        if last_offset >= self._uncommitted.high_watermark:
            self._uncommitted.note(key.group, (key.topic, key.partition), last_offset, former)
        if value is not None:
            self._groups.setdefault(key.group, {}).setdefault(key.topic, {})[key.partition] = (
                value.offset, value.leader_epoch, value.metadata,
                value.commit_timestamp, value.expire_timestamp, value.topic_id, record_offset,
            )  # fmt: skip
            return
        topics = self._groups.get(key.group, {})
        partitions = topics.get(key.topic, {})
        partitions.pop(key.partition, None)
        if not partitions:
            topics.pop(key.topic, None)
        if not topics:
            self._groups.pop(key.group, None)

    def topics(self, group_id: str) -> "dict[str, dict[int, Committed]]":
        """The group's offsets; read-only."""
        return self._groups.get(group_id, {})

    def find(self, group_id: str, topic: str, partition: int, *, newest: bool) -> "Committed | None":
        """One offset: the newest, or the last committed in the log."""
        found = self._groups.get(group_id, {}).get(topic, {}).get(partition)
        if newest:
            return found
        return self._uncommitted.former(group_id, (topic, partition), found)

    def all(self, group_id: str, *, newest: bool) -> "dict[str, dict[int, Committed]]":
        """All offsets of the group, likewise; read-only."""
        topics = self.topics(group_id)
        items = [] if newest else [item for item in self._uncommitted.items(group_id) if isinstance(item, tuple)]
        if not items:
            return topics
        topics = {topic: dict(partitions) for topic, partitions in topics.items()}
        for topic, partition in items:
            former = self.find(group_id, topic, partition, newest=False)
            if former is not None:
                topics.setdefault(topic, {})[partition] = former
            elif topic in topics:
                topics[topic].pop(partition, None)
        return {topic: partitions for topic, partitions in topics.items() if partitions}

    def count(self, group_id: str) -> int:
        """The number of offsets of the group."""
        return sum(map(len, self.topics(group_id).values()))

    def group_ids(self) -> "Iterable[str]":
        """The groups that have offsets."""
        return self._groups

    def release(self) -> "Iterator[int]":
        """Free all offsets in parts; yields the cost of each."""
        while self._groups:
            _, topics = self._groups.popitem()
            yield 1 + sum(map(len, topics.values())) // RELEASED_PER_COST


def commit(
    group: "Group | None",
    request: "OffsetCommitRequest",
    targets: "Sequence[CommitTarget]",
    not_found_error: int,
    event: "EventContext",
) -> None:
    """Write a record for each valid offset, and answer each offset."""
    generation = request.generation_id_or_member_epoch
    if group is None:  # the commit of a simple consumer creates it
        group_error = NONE if generation < 0 else not_found_error
    else:
        group_error = group.check_commit(request.member_id, request.group_instance_id, generation)
        if group_error == NONE:
            group.has_committed(request.member_id, event)
    topics = []
    for asked, topic, topic_error in targets:
        if topic is None:
            partitions = [
                OffsetCommitResponsePartition(asked_for.partition_index, topic_error) for asked_for in asked.partitions
            ]
        else:
            partitions = [
                _commit_partition(request, topic, partition, group_error, event) for partition in asked.partitions
            ]
        if partitions:
            topics.append(OffsetCommitResponseTopic(asked.name, asked.topic_id, partitions))
    event.respond(OffsetCommitResponse(topics=topics))


def _commit_partition(
    request: "OffsetCommitRequest",
    topic: "Topic",
    partition: "OffsetCommitRequestPartition",
    group_error: int,
    event: "EventContext",
) -> OffsetCommitResponsePartition:
    index = partition.partition_index
    metadata = partition.committed_metadata or ""
    if not 0 <= index < len(topic.partitions):
        return OffsetCommitResponsePartition(index, UNKNOWN_TOPIC_OR_PARTITION)
    if group_error != NONE:
        return OffsetCommitResponsePartition(index, group_error)
    if _java_length(metadata) > event.settings.offset_metadata_max_bytes:
        return OffsetCommitResponsePartition(index, OFFSET_METADATA_TOO_LARGE)
    now_ms = event.now.wall_ms
    offset = partition.committed_offset
    if request.retention_time_ms == DEFAULT_RETENTION_TIME:
        epoch = partition.committed_leader_epoch
        value = OffsetCommitValue(offset, epoch, metadata, now_ms, NO_EXPIRE_TIMESTAMP, topic.topic_id)
    else:  # the record version with an expiry has neither epoch nor topic id
        expiry_ms = min(now_ms + request.retention_time_ms, LONG_MAX)
        value = OffsetCommitValue(offset, NO_PARTITION_LEADER_EPOCH, metadata, now_ms, expiry_ms)
    event.write(OffsetCommitKey(request.group_id, topic.name, index), value)
    return OffsetCommitResponsePartition(index)


def commit_in_transaction(
    group: "Group | None", request: "TxnOffsetCommitRequest", refusal: int, event: "EventContext"
) -> None:
    """Write a record for each offset, as part of the producer's transaction, and answer each offset.

    The request's partitions exist. refusal: the error for all of them, if not NONE.
    """
    generation = request.generation_id_or_member_epoch
    if refusal != NONE:
        error_code = refusal
    elif group is None:  # the commit of a simple consumer creates it
        error_code = NONE if generation < 0 else ILLEGAL_GENERATION
    else:
        error_code = group.check_commit(request.member_id, request.group_instance_id, generation, is_transactional=True)
    topics = []
    for topic in request.topics:
        partitions = [
            TxnOffsetCommitResponsePartition(
                partition.partition_index,
                error_code or _commit_partition_in_transaction(request.group_id, topic, partition, event),
            )
            for partition in topic.partitions
        ]
        topics.append(TxnOffsetCommitResponseTopic(topic.name, partitions=partitions))
    event.respond(TxnOffsetCommitResponse(topics=topics))


def _commit_partition_in_transaction(
    group_id: str,
    topic: "TxnOffsetCommitRequestTopic",
    partition: "TxnOffsetCommitRequestPartition",
    event: "EventContext",
) -> int:
    metadata = partition.committed_metadata or ""
    if _java_length(metadata) > event.settings.offset_metadata_max_bytes:
        return OFFSET_METADATA_TOO_LARGE
    offset, epoch = partition.committed_offset, partition.committed_leader_epoch
    value = OffsetCommitValue(offset, epoch, metadata, event.now.wall_ms, NO_EXPIRE_TIMESTAMP)  # without a topic id
    event.write(OffsetCommitKey(group_id, topic.name, partition.partition_index), value)
    return NONE


def _java_length(text: str) -> int:
    """The length of the text in Java, in UTF-16 units, which `offset.metadata.max.bytes` limits."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def fetch(
    store: OffsetStore,
    group_id: str,
    topics: "Sequence[OffsetFetchRequestTopics]",
    id_of: "Callable[[str], bytes]",
    stable: "PendingOffsets | None",
) -> OffsetFetchResponseGroup:
    """The requested offsets; −1 without an error for an unknown offset or group.

    stable: the offsets in open transactions, to get the newest offsets, with UNSTABLE_OFFSET_COMMIT for what is open;
    None for what is committed in the log.
    """
    answers = []
    for topic in topics:
        topic_id = id_of(topic.name)
        partitions = [
            OffsetFetchResponsePartitions(index, *UNSTABLE)
            if stable is not None and stable.is_open(group_id, topic.name, index)
            else _fetched(index, store.find(group_id, topic.name, index, newest=stable is not None), topic_id)
            for index in topic.partition_indexes
        ]
        answers.append(OffsetFetchResponseTopics(topic.name, topic.topic_id, partitions))
    return OffsetFetchResponseGroup(group_id, answers)


def fetch_all(
    store: OffsetStore, group_id: str, id_of: "Callable[[str], bytes]", stable: "PendingOffsets | None"
) -> OffsetFetchResponseGroup:
    """All offsets of the group; `stable` as above. A partition without an offset outside transactions is left out."""
    answers = []
    for topic, offsets in store.all(group_id, newest=stable is not None).items():
        topic_id = id_of(topic)
        partitions = [
            OffsetFetchResponsePartitions(index, *UNSTABLE)
            if stable is not None and stable.is_open(group_id, topic, index)
            else _fetched(index, value, topic_id)
            for index, value in offsets.items()
            if _is_of(value, topic_id)
        ]
        if partitions:
            answers.append(OffsetFetchResponseTopics(topic, ZERO_UUID, partitions))
    return OffsetFetchResponseGroup(group_id, answers)


def _fetched(index: int, committed: "Committed | None", topic_id: bytes) -> OffsetFetchResponsePartitions:
    if committed is None or not _is_of(committed, topic_id):
        return OffsetFetchResponsePartitions(index, *NOT_COMMITTED)
    offset, leader_epoch, metadata, *_ = committed
    return OffsetFetchResponsePartitions(index, offset, leader_epoch, metadata)


def _is_of(committed: "Committed", topic_id: bytes) -> bool:
    """Whether the offset belongs to the topic with this id, and not to a deleted one of the same name."""
    return ZERO_UUID in (topic_id, committed[5]) or topic_id == committed[5]


def delete_offset(
    store: OffsetStore, pending: "PendingOffsets", group: "Group", topic: str, partition: int, event: "EventContext"
) -> int:
    """Delete one offset, if it exists, be it in an open transaction, and no member is subscribed to its topic. Returns
    the error code.
    """
    if group.is_subscribed_to(topic):
        return GROUP_SUBSCRIBED_TO_TOPIC
    if partition in store.topics(group.id).get(topic, {}) or pending.is_open(group.id, topic, partition):
        event.write(OffsetCommitKey(group.id, topic, partition), None)
    return NONE


def has_expired(group: "Group", topic: str, committed: "Committed", event: "EventContext") -> bool:
    """Whether an offset of the group has expired."""
    _, _, _, committed_ms, expiry_ms, *_ = committed
    start_ms = group.retention_start_ms(topic, committed_ms)
    if start_ms is None:
        return False
    if expiry_ms != NO_EXPIRE_TIMESTAMP:
        return event.now.wall_ms >= expiry_ms
    return event.now.wall_ms - start_ms >= event.settings.offsets_retention_ms
