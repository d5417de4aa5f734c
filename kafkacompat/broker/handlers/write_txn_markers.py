"""WriteTxnMarkers (27), versions 1-2: a transaction coordinator ends transactions on partitions that this broker leads
(KIP-98). Both versions are flexible; v2 has the transaction version (KIP-1228).

Behavior:
- A partition that is not here, or whose disk has failed: UNKNOWN_TOPIC_OR_PARTITION; led elsewhere:
  NOT_LEADER_OR_FOLLOWER. In `__consumer_offsets` the group coordinator writes the marker.
- An epoch below the producer's (with transaction version 2: not above it): INVALID_PRODUCER_EPOCH. A coordinator epoch
  below that of an earlier marker: TRANSACTION_COORDINATOR_FENCED.
- The response waits until all markers are committed. Several markers of a producer share one result:
  of those for one partition, the last one's counts.
"""

from kafkacompat.broker.coordinator.coordinators import GROUP_TOPIC
from kafkacompat.broker.coordinator.producer_batches import Marker, marker_batch
from kafkacompat.broker.purgatory import OpenParts, Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.steps import Steps

    PartitionKey = tuple[str, int]
    Codes = dict[int, dict[PartitionKey, int]]  #: error codes by producer id

UNITS_PER_MARKER = 10
"""Measured: 60 µs to write one."""


class _Waiting:
    """A marker that is written and not committed yet, and where its error code goes."""

    __slots__ = ("_last_offset", "_needs_sync", "_partition", "codes", "key", "watch_keys")

    def __init__(
        self,
        partition: "Partition",
        last_offset: int,
        codes: "dict[PartitionKey, int]",
        *,
        needs_sync: bool,
    ) -> None:
        self._partition = partition
        self._last_offset = last_offset
        self._needs_sync = needs_sync
        self.codes = codes
        self.key = partition.watch_key
        self.watch_keys: list[Hashable] = [partition.watch_key]

    def try_complete(self, now: "Now", *, expired: bool = False) -> bool:
        """Set the error code if it is known; returns whether it is."""
        code = self._partition.ack_error(self._last_offset, ACKS_ALL, now, needs_sync=self._needs_sync)
        if code is None and expired:
            code = errors.REQUEST_TIMED_OUT
        if code is None:
            return False
        self.codes[self.key] = code
        return True


class _WaitingForGroups:
    """A marker in `__consumer_offsets`, for which the group coordinator's answer is waited for."""

    __slots__ = ("_pending", "codes", "key", "watch_keys")

    def __init__(self, key: "PartitionKey", pending: Pending, codes: "dict[PartitionKey, int]") -> None:
        self.key = key
        self._pending = pending
        self.codes = codes
        self.watch_keys = list(pending.keys)

    def try_complete(self, now: "Now", *, expired: bool = False) -> bool:
        """Set the error code if it is known; returns whether it is."""
        code = self._pending.finish(now, expired)
        if code is None:
            return False
        self.codes[self.key] = code
        return True


if TYPE_CHECKING:
    Waiting = dict[tuple[int, PartitionKey], _Waiting | _WaitingForGroups]  #: by producer id and partition


def handle(request: WriteTxnMarkersRequest, context: "Context") -> "Steps[WriteTxnMarkersResponse | Pending]":
    """Write the markers, some in each iteration of the loop."""
    codes: Codes = {}
    waiting: Waiting = {}
    for marker in request.markers:
        keys = dict.fromkeys((topic.name, index) for topic in marker.topics for index in topic.partition_indexes)
        if not keys:
            continue
        found = codes.setdefault(marker.producer_id, {})
        for key in keys:
            waiting.pop((marker.producer_id, key), None)  # of an earlier marker: the later code counts
            _write(marker, key, found, waiting, context)
            yield UNITS_PER_MARKER
    left = OpenParts({entry: entry.watch_keys for entry in waiting.values()})
    if left.try_complete(None, lambda entry: entry.try_complete(context.now)):
        return _response(codes)

    def finish(now: "Now", expired: bool) -> WriteTxnMarkersResponse | None:
        is_complete = left.try_complete(pending.touched, lambda entry: entry.try_complete(now, expired=expired))
        return _response(codes) if is_complete else None

    pending = Pending(left.keys, context.now.monotonic_ms + context.services.request_timeout_ms, finish)
    return pending


def _write(
    marker: WritableTxnMarker,
    key: "PartitionKey",
    codes: "dict[PartitionKey, int]",
    waiting: "Waiting",
    context: "Context",
) -> None:
    """Write one marker to one partition; its error code goes to `codes`, now or when it is committed."""
    services, now = context.services, context.now
    partition = services.partitions.get(*key)
    codes[key] = errors.UNKNOWN_TOPIC_OR_PARTITION
    if partition is None or partition.has_failed:
        return
    if marker.producer_id < 0 or marker.producer_epoch < 0:
        codes[key] = errors.UNKNOWN_SERVER_ERROR  # as Kafka's builder of batches refuses it
        return
    if partition.topic == GROUP_TOPIC:
        answer = services.groups.complete_transaction(
            partition.index, marker.producer_id, marker.producer_epoch, marker.coordinator_epoch,
            is_commit=marker.transaction_result, transaction_version=marker.transaction_version, now=now,
        )  # fmt: skip
        if isinstance(answer, Pending):
            waiting[marker.producer_id, key] = _WaitingForGroups(key, answer, codes)
        else:
            codes[key] = answer
        return
    end = Marker(
        marker.producer_id, marker.producer_epoch, marker.coordinator_epoch,
        is_commit=marker.transaction_result, transaction_version=marker.transaction_version,
    )  # fmt: skip
    try:
        info = services.partitions.append(
            partition, memoryview(marker_batch(end, now.wall_ms)), ACKS_ALL, now, internal=True,
            transaction_version=marker.transaction_version,
        )  # fmt: skip
    except LogError as refused:
        codes[key] = refused.error_code
        return
    if info.sync_required:
        services.request_flush(partition)
    written = _Waiting(partition, info.last_offset, codes, needs_sync=info.sync_required)
    if not written.try_complete(now):  # with one replica it is committed at once
        waiting[marker.producer_id, key] = written


def _response(codes: "Codes") -> WriteTxnMarkersResponse:
    results = []
    for producer_id, by_partition in codes.items():
        topics: dict[str, list[WritableTxnMarkerPartitionResult]] = {}
        for (name, index), code in by_partition.items():
            topics.setdefault(name, []).append(WritableTxnMarkerPartitionResult(index, code))
        results.append(
            WritableTxnMarkerResult(producer_id, [WritableTxnMarkerTopicResult(*topic) for topic in topics.items()])
        )
    return WriteTxnMarkersResponse(results)


def failed(request: WriteTxnMarkersRequest, error_code: int) -> WriteTxnMarkersResponse:
    """The response that answers every marker of the request with one error."""
    codes: Codes = {}
    for marker in request.markers:
        for topic in marker.topics:
            found = codes.setdefault(marker.producer_id, {})
            found.update({(topic.name, index): error_code for index in topic.partition_indexes})
    return _response(codes)
