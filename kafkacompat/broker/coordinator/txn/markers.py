"""The markers that end transactions, on their way to the leaders of their partitions (Kafka's
TransactionMarkerChannelManager). Pure: says which request goes to which broker, and reads the answers.

| answer for a partition                                             | what follows                                 |
|--------------------------------------------------------------------|----------------------------------------------|
| NONE; UNSUPPORTED_FOR_MESSAGE_FORMAT, UNSUPPORTED_VERSION          | it is done                                   |
| INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED             | it is not sent any more: another coordinator |
|                                                                    | has the transaction                          |
| any other, or none                                                 | again, after a while or with new metadata    |
| the partition is not in the metadata                               | it is done: its topic was deleted            |

A partition without a leader, or whose leader has no known address, is not deleted: it waits.
"""

from itertools import islice

from kafkacompat.broker.coordinator.txn.state import by_topic
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kafkacompat.broker.coordinator.txn.state import TopicPartition, Transaction

    #: The markers in one request, each with the partitions that it goes to.
    Batch = dict["TransactionEnd", frozenset[TopicPartition]]

MAX_PARTITIONS = 100
"""Partitions in one request: the receiver writes to all of them in one turn of its event loop."""

DONE = (errors.NONE, errors.UNSUPPORTED_FOR_MESSAGE_FORMAT, errors.UNSUPPORTED_VERSION)
FENCED = (errors.INVALID_PRODUCER_EPOCH, errors.TRANSACTION_COORDINATOR_FENCED)


class TransactionEnd:
    """The end of one transaction, whose PREPARE is committed. `owner`: whoever is told when its markers are written."""

    __slots__ = (
        "coordinator_epoch", "epoch", "is_commit", "offset", "owner", "producer_id", "transactional_id", "version",
    )  # fmt: skip

    def __init__(self, row: "Transaction", owner: object, coordinator_epoch: int) -> None:
        self.owner = owner
        self.coordinator_epoch = coordinator_epoch
        self.transactional_id = row.transactional_id
        self.offset = row.offset
        self.producer_id = row.producer_id
        self.epoch = row.epoch
        self.is_commit = row.is_commit
        self.version = row.client_version

    def __repr__(self) -> str:
        kind = "commit" if self.is_commit else "abort"
        return f"{kind} of {self.transactional_id!r} {self.producer_id}/{self.epoch}"


class Outcome:
    """What an answer says of one transaction: partitions with the marker, and those that need another attempt."""

    __slots__ = ("again", "done", "end", "is_fenced")

    def __init__(self, end: TransactionEnd) -> None:
        self.end = end
        self.done: set[TopicPartition] = set()
        self.again: set[TopicPartition] = set()
        self.is_fenced = False


class MarkerQueues:
    """Markers that are not written yet, by the broker that leads their partition.

    leader_of: the leader's id; −1 if there is none that can be reached, None if the partition does not exist.
    """

    def __init__(self, leader_of: "Callable[[TopicPartition], int | None]") -> None:
        self._leader_of = leader_of
        self._waiting: dict[int, dict[TransactionEnd, dict[TopicPartition, None]]] = {}
        self._in_flight: dict[int, Batch] = {}

    @property
    def is_empty(self) -> bool:
        """Whether no marker waits or is in flight."""
        return not self._waiting and not self._in_flight

    @property
    def has_delayed(self) -> bool:
        """Whether markers wait for another attempt."""
        return NO_NODE in self._waiting

    @property
    def delayed_count(self) -> int:
        """How many transactions have markers that wait for another attempt."""
        return len(self._waiting.get(NO_NODE, ()))

    def add(self, end: TransactionEnd, partitions: "Iterable[TopicPartition]") -> "frozenset[TopicPartition]":
        """Queue the markers. Returns the partitions that do not exist any more."""
        gone = set()
        for topic, indexes in by_topic(partitions).items():
            for index in indexes:
                partition = topic, index
                leader = self._leader_of(partition)
                if leader is None:
                    gone.add(partition)
                else:
                    self._put(leader, end, partition)
        return frozenset(gone)

    def delay(self, end: TransactionEnd, partitions: "Iterable[TopicPartition]") -> None:
        """Queue the markers for another attempt (`take_delayed`)."""
        for partition in sorted(partitions):
            self._put(NO_NODE, end, partition)

    def take_delayed(self) -> "dict[TransactionEnd, dict[TopicPartition, None]]":
        """The markers that wait for another attempt; the caller adds them again."""
        return self._waiting.pop(NO_NODE, {})

    def sendable(self) -> list[int]:
        """The brokers that a request can be sent to: one at a time each."""
        return [broker_id for broker_id in self._waiting if broker_id != NO_NODE and broker_id not in self._in_flight]

    def take(self, broker_id: int) -> "Batch":
        """The markers of the next request to a broker, which is now in flight. Answers are by producer id, so a request
        has no two transactions of one.
        """
        waiting = self._waiting[broker_id]
        batch: Batch = {}
        seen: set[int] = set()
        room = MAX_PARTITIONS
        for end in list(waiting):
            if end.producer_id in seen:
                continue
            partitions = waiting[end]
            taken = frozenset(islice(partitions, room))
            if len(taken) == len(partitions):
                del waiting[end]
            else:
                for partition in taken:
                    del partitions[partition]
            seen.add(end.producer_id)
            batch[end] = taken
            room -= len(taken)
            if room == 0:
                break
        if not waiting:
            del self._waiting[broker_id]
        self._in_flight[broker_id] = batch
        return batch

    def is_in_flight(self, broker_id: int, batch: "Batch") -> bool:
        """Whether the request has no answer yet."""
        return self._in_flight.get(broker_id) is batch

    def answered(self, broker_id: int, batch: "Batch") -> bool:
        """The request has an answer, or failed. False if it had one before."""
        if not self.is_in_flight(broker_id, batch):
            return False
        del self._in_flight[broker_id]
        return True

    def drop(self, is_dropped: "Callable[[TransactionEnd], bool]") -> None:
        """Forget the markers of these transactions. Answers to those in flight come all the same."""
        for broker_id, waiting in list(self._waiting.items()):
            for end in [end for end in waiting if is_dropped(end)]:
                del waiting[end]
            if not waiting:
                del self._waiting[broker_id]

    def _put(self, broker_id: int, end: TransactionEnd, partition: "TopicPartition") -> None:
        self._waiting.setdefault(broker_id, {}).setdefault(end, {})[partition] = None


def request_of(batch: "Batch") -> WriteTxnMarkersRequest:
    """The request for a batch."""
    markers = []
    for end, partitions in batch.items():
        markers.append(
            WritableTxnMarker(
                producer_id=end.producer_id,
                producer_epoch=end.epoch,
                transaction_result=end.is_commit,
                topics=[WritableTxnMarkerTopic(topic, indexes) for topic, indexes in by_topic(partitions).items()],
                coordinator_epoch=end.coordinator_epoch,
                transaction_version=end.version,
            )
        )
    return WriteTxnMarkersRequest(markers=markers)


def outcomes(batch: "Batch", response: object | None) -> "Iterator[Outcome]":
    """What the answer says of each transaction; None: there was no answer. Each partition is judged."""
    codes: dict[tuple[int, TopicPartition], int] = {}
    if isinstance(response, WriteTxnMarkersResponse):
        for marker in response.markers:
            for topic in marker.topics:
                for partition in topic.partitions:
                    codes[marker.producer_id, (topic.name, partition.partition_index)] = partition.error_code
    for end, partitions in batch.items():
        outcome = Outcome(end)
        for key in partitions:
            code = codes.get((end.producer_id, key), errors.REQUEST_TIMED_OUT)
            if code in DONE:
                outcome.done.add(key)
            elif code in FENCED:
                outcome.is_fenced = True
            else:
                outcome.again.add(key)
        yield outcome
