"""The interface between the runtime and a coordinator's shard (Kafka's CoordinatorShard). Types only."""

from collections.abc import Iterator
from typing import Protocol

from kafkacompat.broker.coordinator.result import Result
from kafkacompat.now import Now
from kafkacompat.protocol.primitives import Message

CoordinatorRecord = tuple[Message, Message | None]


class CoordinatorShard(Protocol):
    """A coordinator's shard, without its own events."""

    def replay(
        self,
        offset: int,
        producer_id: int,
        producer_epoch: int,
        record: CoordinatorRecord,
        last_offset: int,
        wall_ms: int,
    ) -> None:
        """Apply the record at `offset`. It is committed as soon as `last_offset`, the last one of its batch, is.

        wall_ms: the record's timestamp. producer_id: −1 outside transactions; a transactional record takes effect at
        the end of its transaction, if that is a commit.
        """

    def replay_end_transaction(
        self, producer_id: int, producer_epoch: int, last_offset: int, *, is_commit: bool
    ) -> None:
        """The producer's transaction has ended. The marker is committed as soon as `last_offset` is."""

    def on_committed(self, high_watermark: int) -> None:
        """All records below `high_watermark` are committed."""

    def on_loaded(self, now: Now) -> Iterator[Result]:
        """Events to carry out after loading, such as setting timers."""

    def release(self) -> Iterator[int]:
        """Free all state in parts; yields the cost of each."""

    def timer_fired(self, key: tuple[str, ...], now: Now) -> Result: ...
