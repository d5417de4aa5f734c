"""What the runtime asks of a coordinator's shard (Kafka's CoordinatorShard). For types alone."""

from collections.abc import Iterator
from typing import Protocol

from kafkacompat.broker.coordinator.result import Result
from kafkacompat.now import Now
from kafkacompat.protocol.primitives import Message

CoordinatorRecord = tuple[Message, Message | None]


class CoordinatorShard(Protocol):
    """What a coordinator's shard offers besides its events."""

    def replay(
        self,
        offset: int,
        producer_id: int,
        producer_epoch: int,
        record: CoordinatorRecord,
        last_offset: int,
        wall_ms: int,
    ) -> None:
        """Take in the record at `offset`, which is committed as soon as `last_offset`, the last of its batch, is.
        `wall_ms` is its time. A record of a transaction has the producer's id, others −1: it counts from the
        transaction's end on, if that is a commit.
        """

    def replay_end_transaction(
        self, producer_id: int, producer_epoch: int, last_offset: int, *, is_commit: bool
    ) -> None:
        """The producer's transaction has ended, which is committed in the log as soon as `last_offset` is."""

    def on_committed(self, high_watermark: int) -> None:
        """All records below are committed."""

    def on_loaded(self, now: Now) -> Iterator[Result]:
        """What follows from what was loaded, in small parts."""

    def release(self) -> Iterator[int]:
        """Let all state go, in steps that say how much they did."""

    def timer_fired(self, key: tuple[str, ...], now: Now) -> Result: ...
