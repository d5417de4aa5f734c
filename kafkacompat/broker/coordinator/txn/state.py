"""The state of one transactional id, and its changes (Kafka's TransactionMetadata). Pure.

| state          | from                                              | by                                          |
|----------------|---------------------------------------------------|---------------------------------------------|
| Empty          | Empty, CompleteCommit, CompleteAbort              | InitProducerId                              |
| Ongoing        | Empty, CompleteCommit, CompleteAbort, Ongoing     | partitions or offsets are added             |
| PrepareCommit  | Ongoing                                           | EndTxn                                      |
| PrepareAbort   | Ongoing; TV2 also Empty and Complete*             | EndTxn, time-out, fencing                   |
| CompleteCommit | PrepareCommit                                     | all markers are written                     |
| CompleteAbort  | PrepareAbort                                      | all markers are written                     |
| Dead           | Empty, CompleteCommit, CompleteAbort              | expiry; its record is a tombstone           |

Kafka's PrepareEpochFence is replaced by PrepareAbort in the same turn and never written, so it does not exist here.

TV1 and TV2 are the protocols of KIP-890: with TV2 every end of a transaction raises the producer's epoch, so that
messages of the former transaction cannot enter the next one.
"""

from kafkacompat.protocol.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_TIMESTAMP, UNKNOWN_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    TopicPartition = tuple[str, int]

EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT, DEAD = range(7)
"""The states' numbers in records."""

STATE_NAMES = (
    "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead", "PrepareEpochFence",
)  # fmt: skip
"""Names on the wire, by number."""

AT_REST = (EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT)
PREPARED = (PREPARE_COMMIT, PREPARE_ABORT)

FROM: "Mapping[int, tuple[int, ...]]" = {
    EMPTY: AT_REST,
    ONGOING: (*AT_REST, ONGOING),
    PREPARE_COMMIT: (ONGOING,),
    PREPARE_ABORT: (*AT_REST, ONGOING),
    COMPLETE_COMMIT: (PREPARE_COMMIT,),
    COMPLETE_ABORT: (PREPARE_ABORT,),
    DEAD: AT_REST,
}
"""The states that each state may follow."""

MAX_EPOCH = 32_767
"""Kept for fencing: no client ever sees it."""
LAST_CLIENT_EPOCH = MAX_EPOCH - 1
NO_TIMEOUT_MS = 2**31 - 1
"""The time-out of a transaction that never times out (KIP-939)."""
FIRST_EPOCH_BUMPING_VERSION = 2
"""The transaction.version from which every end of a transaction raises the epoch."""
NO_PARTITIONS: "frozenset[TopicPartition]" = frozenset()


def by_topic(partitions: "Iterable[TopicPartition]") -> "dict[str, list[int]]":
    """The partitions' indexes by topic, both in order: three times as fast as sorting pairs."""
    found: dict[str, list[int]] = {}
    for topic, index in partitions:
        found.setdefault(topic, []).append(index)
    return {topic: sorted(found[topic]) for topic in sorted(found)}


class EpochFencedError(Exception):
    """The producer's epoch is neither the current nor the last one."""


class EpochsExhaustedError(Exception):
    """No epoch is left, and the producer does not name the current one."""


class Transaction:
    """The row of one transactional id. Only `unmarked`, `offset` and `former` change; any other change is a new row.

    epoch: −1 before the first InitProducerId is written. last_epoch: the one before, if the producer may still name it;
    it is not in the log. start_ms, last_update_ms: wall clock. client_version: the transaction.version by which the
    client ends the transaction. offset: that of the row's record. former: the row before, while this one may not be
    committed. unmarked: the partitions that still wait for their marker, from PREPARE on.
    """

    __slots__ = (
        "client_version", "epoch", "former", "last_epoch", "last_update_ms", "next_producer_id", "offset", "partitions",
        "previous_producer_id", "producer_id", "start_ms", "state", "timeout_ms", "transactional_id", "unmarked",
    )  # fmt: skip

    def __init__(self, transactional_id: str, producer_id: int, timeout_ms: int, now_ms: int) -> None:
        """A new transactional id; nothing of it is written yet."""
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.previous_producer_id = NO_PRODUCER_ID
        self.next_producer_id = NO_PRODUCER_ID
        self.epoch = NO_PRODUCER_EPOCH
        self.last_epoch = NO_PRODUCER_EPOCH
        self.timeout_ms = timeout_ms
        self.state = EMPTY
        self.partitions = NO_PARTITIONS
        self.start_ms = NO_TIMESTAMP
        self.last_update_ms = now_ms
        self.client_version = 0
        self.offset = UNKNOWN_OFFSET
        self.former: Transaction | None = None
        self.unmarked = NO_PARTITIONS

    def __repr__(self) -> str:
        return f"Transaction({self.transactional_id!r}, {STATE_NAMES[self.state]}, {self.producer_id}/{self.epoch})"

    @property
    def is_exhausted(self) -> bool:
        """Whether the producer id has no further epoch for clients."""
        return self.epoch >= LAST_CLIENT_EPOCH

    @property
    def state_name(self) -> str:
        """The state's name on the wire."""
        return STATE_NAMES[self.state]

    @property
    def shown_partitions(self) -> "frozenset[TopicPartition]":
        """The partitions of the transaction; after PREPARE, those that still wait for their marker."""
        return self.unmarked if self.state in PREPARED else self.partitions

    @property
    def is_commit(self) -> bool:
        """Whether the transaction has been, or is to be, committed."""
        return self.state in (PREPARE_COMMIT, COMPLETE_COMMIT)

    def _changed(self, state: int, now_ms: int) -> "Transaction":
        assert self.state in FROM[state], f"{self} cannot become {STATE_NAMES[state]}"
        changed = Transaction(self.transactional_id, self.producer_id, self.timeout_ms, now_ms)
        changed.previous_producer_id = self.producer_id
        changed.epoch, changed.last_epoch = self.epoch, self.last_epoch
        changed.state = state
        changed.partitions = self.partitions
        changed.start_ms = self.start_ms
        changed.client_version = self.client_version
        return changed

    def _emptied(self, timeout_ms: int, now_ms: int) -> "Transaction":
        changed = self._changed(EMPTY, now_ms)
        changed.timeout_ms = timeout_ms
        changed.partitions = NO_PARTITIONS
        changed.start_ms = NO_TIMESTAMP
        return changed

    def initialized(self, timeout_ms: int, expected_epoch: int | None, now_ms: int) -> "Transaction":
        """InitProducerId with epochs left. `expected_epoch`: what the producer takes for its epoch (KIP-360).

        Raises EpochFencedError, EpochsExhaustedError.
        """
        if self.is_exhausted:
            raise EpochsExhaustedError
        changed = self._emptied(timeout_ms, now_ms)
        if expected_epoch is None:
            changed.epoch, changed.last_epoch = self.epoch + 1, NO_PRODUCER_EPOCH
        elif self.epoch in (NO_PRODUCER_EPOCH, expected_epoch):
            changed.epoch, changed.last_epoch = self.epoch + 1, self.epoch
        elif expected_epoch != self.last_epoch:
            raise EpochFencedError
        return changed  # with the epochs as they are: a retry of a request that was carried out

    def rotated(self, producer_id: int, timeout_ms: int, now_ms: int, *, keeps_last_epoch: bool) -> "Transaction":
        """InitProducerId with exhausted epochs: a new producer id, epoch 0."""
        changed = self._emptied(timeout_ms, now_ms)
        changed.producer_id = producer_id
        changed.epoch, changed.last_epoch = 0, self.epoch if keeps_last_epoch else NO_PRODUCER_EPOCH
        return changed

    def with_partitions(
        self, partitions: "frozenset[TopicPartition]", client_version: int, now_ms: int
    ) -> "Transaction":
        """Partitions are added to the transaction, which they may begin."""
        changed = self._changed(ONGOING, now_ms)
        changed.partitions = self.partitions | partitions
        changed.client_version = client_version
        if self.state != ONGOING:
            changed.start_ms = now_ms
        return changed

    def prepared(self, state: int, client_version: int, next_producer_id: int, now_ms: int) -> "Transaction":
        """EndTxn. With TV2 the epoch rises; at the last one, `next_producer_id` takes over when all is complete."""
        changed = self._changed(state, now_ms)
        changed.client_version = 0
        if client_version >= FIRST_EPOCH_BUMPING_VERSION:
            changed.client_version = client_version
            changed.epoch, changed.last_epoch = min(self.epoch + 1, MAX_EPOCH), self.epoch
            changed.next_producer_id = next_producer_id
        if self.state != ONGOING:  # an abort of nothing has no start
            changed.start_ms = now_ms
        changed.unmarked = changed.partitions
        return changed

    def fenced(self, now_ms: int) -> "Transaction":
        """The coordinator itself aborts under TV1: the epoch rises, so that the producer is shut out.

        Under TV2 it is `prepared` that raises the epoch.
        """
        changed = self.prepared(PREPARE_ABORT, 0, NO_PRODUCER_ID, now_ms)
        changed.epoch, changed.last_epoch = min(self.epoch + 1, MAX_EPOCH), NO_PRODUCER_EPOCH
        return changed

    def completed(self, now_ms: int) -> "Transaction":
        """All markers are written."""
        changed = self._changed(COMPLETE_COMMIT if self.state == PREPARE_COMMIT else COMPLETE_ABORT, now_ms)
        changed.partitions = NO_PARTITIONS
        if self.client_version >= FIRST_EPOCH_BUMPING_VERSION and self.next_producer_id != NO_PRODUCER_ID:
            changed.producer_id, changed.epoch = self.next_producer_id, 0  # the last epoch is that of the former id
        return changed

    @property
    def pair_for_client(self) -> tuple[int, int]:
        """Producer id and epoch of the next transaction, from PREPARE on."""
        return (self.producer_id, self.epoch) if self.next_producer_id == NO_PRODUCER_ID else (self.next_producer_id, 0)

    def dead(self) -> "Transaction":
        """The transactional id has expired. Whoever writes the tombstone has checked the state."""
        changed = Transaction(self.transactional_id, self.producer_id, self.timeout_ms, self.last_update_ms)
        changed.previous_producer_id, changed.epoch, changed.state = self.producer_id, self.epoch, DEAD
        return changed
