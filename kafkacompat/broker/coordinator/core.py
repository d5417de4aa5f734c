"""What the runtime asks of a coordinator's core (Kafka's CoordinatorShard). For types alone."""

from collections.abc import Iterator
from typing import Protocol

from kafkacompat.broker.coordinator.result import Result
from kafkacompat.now import Now
from kafkacompat.protocol.primitives import Message

CoreRecord = tuple[Message, Message | None]


class Core(Protocol):
    """What a coordinator's core offers besides its events."""

    def replay(self, record: CoreRecord, last_offset: int, wall_ms: int) -> None:
        """Take in a record, which is committed as soon as `last_offset`, the last of its batch, is."""

    def on_committed(self, high_watermark: int) -> None:
        """All records below are committed."""

    def on_loaded(self, now: Now) -> Iterator[Result]:
        """What follows from what was loaded, in small parts."""

    def release(self) -> Iterator[int]:
        """Let all state go, in steps that say how much they did."""

    def timer_fired(self, key: tuple[str, ...], now: Now) -> Result: ...
