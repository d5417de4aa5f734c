"""Offsets in open transactions (pendingTransactionalOffsets of Kafka's OffsetMetadataManager)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue

    #: Group, topic and partition.
    Item = tuple[str, str, int]

    #: The record's offset, key, value and timestamp (wall clock).
    Pending = tuple[int, OffsetCommitKey, OffsetCommitValue | None, int]


class PendingOffsets:
    """The last offset of each item in each producer's open transaction.

    An index by item finds the other producers of an item. The size is bounded by the records of open transactions in
    the log.
    """

    __slots__ = ("_by_item", "_by_producer")

    def __init__(self) -> None:
        self._by_item: dict[Item, dict[int, Pending]] = {}
        self._by_producer: dict[int, dict[Item, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_producer)

    def put(
        self, offset: int, producer_id: int, key: "OffsetCommitKey", value: "OffsetCommitValue | None", wall_ms: int
    ) -> None:
        """Add a record of a transaction."""
        item = (key.group, key.topic, key.partition)
        self._by_item.setdefault(item, {})[producer_id] = (offset, key, value, wall_ms)
        self._by_producer.setdefault(producer_id, {})[item] = None

    def drop_below(self, offset: int, key: "OffsetCommitKey") -> None:
        """Drop pending offsets of the item before `offset`, where a later record of it takes effect."""
        item = (key.group, key.topic, key.partition)
        for producer_id, (pending_offset, *_) in list(self._by_item.get(item, {}).items()):
            if pending_offset < offset:
                self._drop(item, producer_id)

    def end(self, producer_id: int) -> "Iterator[Pending]":
        """End the producer's transaction. Returns its offsets in log order."""
        items = list(self._by_producer.get(producer_id, ()))
        ended = sorted((self._by_item[item][producer_id] for item in items), key=lambda pending: pending[0])
        for item in items:
            self._drop(item, producer_id)
        return iter(ended)

    def _drop(self, item: "Item", producer_id: int) -> None:
        producers, items = self._by_item[item], self._by_producer[producer_id]
        del producers[producer_id], items[item]
        if not producers:
            del self._by_item[item]
        if not items:
            del self._by_producer[producer_id]
