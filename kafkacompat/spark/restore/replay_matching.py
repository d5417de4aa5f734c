"""Where a replay goes on: what the target has already, record by record compared with the source."""

from __future__ import annotations

from collections.abc import Mapping

from kafkacompat.protocol.records.builder import Header
from kafkacompat.spark.restore.packed_batches import LogRecord
from kafkacompat.spark.restore.replay_spec import ReplayedLog, ReplayError

TAIL_RECORDS = 100
"""So many last records of each target partition are read and compared."""

Content = tuple[int, bytes | None, bytes | None, tuple[Header, ...]]
"""What source and target have in common: timestamp, key, value, headers."""


def content_of(record: LogRecord) -> Content:
    """That of a record of the source."""
    return record.timestamp_ms, record.key, record.value, record.headers


class Progress:
    """One partition. `take` is called with each record of the source, from the first one on, and says whether it is to
    be sent; `finish` after the last one.

    end_offset: where the log at the target ends now. tail: its last records by offset, some of which may be missing
    where the target is compacted. All raise ReplayError for what cannot be matched.
    """

    def __init__(self, log: ReplayedLog, end_offset: int, tail: Mapping[int, Content]) -> None:
        self._log = log
        self.found = end_offset - log.base_offset
        """How many records are there from the runs before."""
        self.sent = 0
        self._tail = tail
        self._next = 0
        if self.found < 0:
            raise ReplayError(f"{self._name} ends at offset {end_offset}, and ended at {log.base_offset}: {_ANOTHER}")
        if self.found and not tail:
            raise ReplayError(
                f"{self._name} has {self.found} records of the run before, and none of the last of them is there to be "
                "compared: retention or DeleteRecords has removed them. Replay into another topic"
            )

    def take(self, record: LogRecord) -> bool:
        """Whether the next record of the source is to be sent."""
        number = self._next
        self._next += 1
        if number >= self.found:
            self.sent += 1
            return True
        offset = self._log.base_offset + number
        there = self._tail.get(offset)
        if there is not None and there != content_of(record):
            raise ReplayError(
                f"{self._name}: the record at offset {offset} is not that of {self._log.topic}-{self._log.partition}, "
                f"offset {record.offset}, which was to be there. {_ANOTHER}"
            )
        return False

    def finish(self) -> None:
        """There are no more records."""
        if self._next < self.found:
            raise ReplayError(
                f"{self._name} has {self.found} records since the replay began, and there are {self._next} to be "
                f"replayed. {_ANOTHER}"
            )

    @property
    def _name(self) -> str:
        return f"{self._log.target}-{self._log.partition} at the target"


_ANOTHER = "Somebody else has written there, or it was created anew: replay into another topic, without resume"
