"""Offsets in open transactions (pendingTransactionalOffsets and OpenTransactions of Kafka's OffsetMetadataManager)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue

    #: Topic and partition.
    Place = tuple[str, int]

    #: The record's offset, key and value.
    Pending = tuple[int, OffsetCommitKey, OffsetCommitValue]


class PendingOffsets:
    """The last offset of each partition of a group in each producer's open transaction.

    A partition with such an offset is open: clients that require stable offsets wait for it, and its committed offset
    does not expire. The size is bounded by the records of open transactions in the log.
    """

    __slots__ = ("_by_group", "_by_producer")

    def __init__(self) -> None:
        self._by_group: dict[str, dict[Place, dict[int, Pending]]] = {}
        self._by_producer: dict[int, dict[tuple[str, Place], None]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_producer)

    def put(self, offset: int, producer_id: int, key: "OffsetCommitKey", value: "OffsetCommitValue") -> None:
        """Add the record at `offset`, part of a transaction."""
        place = (key.topic, key.partition)
        self._by_group.setdefault(key.group, {}).setdefault(place, {})[producer_id] = (offset, key, value)
        self._by_producer.setdefault(producer_id, {})[key.group, place] = None

    def drop(self, key: "OffsetCommitKey") -> None:
        """A tombstone drops the partition's offsets of all producers."""
        place = (key.topic, key.partition)
        for producer_id in list(self._by_group.get(key.group, {}).get(place, ())):
            self._drop(key.group, place, producer_id)

    def end(self, producer_id: int) -> "list[Pending]":
        """End the producer's transaction. Returns its offsets."""
        items = list(self._by_producer.get(producer_id, ()))
        return [self._drop(group_id, place, producer_id) for group_id, place in items]

    def _drop(self, group_id: str, place: "Place", producer_id: int) -> "Pending":
        places, items = self._by_group[group_id], self._by_producer[producer_id]
        pending = places[place].pop(producer_id)
        del items[group_id, place]
        if not places[place]:
            del places[place]
        if not places:
            del self._by_group[group_id]
        if not items:
            del self._by_producer[producer_id]
        return pending

    def is_open(self, group_id: str, topic: str, partition: int) -> bool:
        """Whether a transaction that has not ended has an offset of the partition."""
        places = self._by_group.get(group_id)
        return places is not None and (topic, partition) in places

    def has_open(self, group_id: str) -> bool:
        """Whether any partition of the group is open."""
        return group_id in self._by_group

    def places(self, group_id: str) -> "list[Place]":
        """Topic and partition of what is open in the group."""
        return list(self._by_group.get(group_id, ()))

    def values(self, group_id: str, topic: str, partition: int) -> "list[OffsetCommitValue]":
        """The partition's offsets in all open transactions."""
        found = self._by_group.get(group_id, {}).get((topic, partition), {})
        return [value for _, _, value in found.values()]

    def offsets(self, group_id: str, topic: str, partition: int) -> "list[tuple[int, int]]":
        """The producers with an open transaction that has the partition's offset, each with that offset."""
        found = self._by_group.get(group_id, {}).get((topic, partition), {})
        return [(producer_id, value.offset) for producer_id, (_, _, value) in found.items()]

    def group_ids(self) -> "Iterable[str]":
        """The groups in which something is open."""
        return self._by_group

    def release(self) -> "Iterator[int]":
        """Free everything in parts; yields the cost of each."""
        while self._by_producer:
            _, items = self._by_producer.popitem()
            yield 1 + len(items) // 8
        while self._by_group:
            _, places = self._by_group.popitem()
            yield 1 + len(places) // 8
