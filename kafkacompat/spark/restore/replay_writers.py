"""How the tasks of a replay write: each log with what tells how far it is, in transactions or without."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from kafkacompat.client.client import Client, pauses_s
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.group_admin import Committed, committed_offsets
from kafkacompat.client.producing import BUFFER_BYTES, OutgoingRecord, Producer
from kafkacompat.client.transactional_producer import TransactionalProducer
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.spark.archives.archive_ranges import TopicPartition
from kafkacompat.spark.restore.packed_batches import LogRecord
from kafkacompat.spark.restore.replay_matching import Content, Progress, content_of
from kafkacompat.spark.restore.replay_spec import Replay, ReplayedLog, ReplayError
from kafkacompat.spark.restore.replay_target import contents, tail_of


class Kept(NamedTuple):
    """How far a log is, as the transactions keep it: behind which offset of the source, after how many records, and
    where the last of them is at the target (-1: there is none).
    """

    next_offset: int
    records: int = 0
    target_offset: int = UNKNOWN_OFFSET

    def to_metadata(self) -> str:
        """What goes with the committed offset."""
        return json.dumps({"records": self.records, "target_offset": self.target_offset})


BEGUN = Kept(0)
"""Before the first record of a log."""


def kept_of(replay: Replay, log: ReplayedLog, committed: Mapping[TopicPartition, Committed]) -> Kept:
    """How far a log is. Raises ReplayError if that is not known any more."""
    found = committed.get((log.target, log.partition))
    if found is None:
        raise ReplayError(
            f"{log.target}-{log.partition} at the target has no progress in group {replay.group_id}: it has "
            "expired (offsets.retention.minutes), or the group or the topic was deleted. Replay into another "
            "topic, without resume"
        )
    try:
        return Kept(found.offset, **json.loads(found.metadata)) if found.metadata else Kept(found.offset)
    except (ValueError, TypeError):
        raise ReplayError(f"group {replay.group_id} has {found.metadata!r}, which is no progress of ours") from None


def progress_of(client: Client, replay: Replay) -> list[Kept]:
    """How far each log of a transactional replay is, by the transactions that have ended: a task that was killed may
    have left one open. Raises ReplayError, ClientError.
    """
    committed = _committed(client, replay)
    return [kept_of(replay, log, committed) for log in replay.logs]


def settled_progress_of(client: Client, replay: Replay, logs: Sequence[ReplayedLog]) -> list[Kept]:
    """How far these logs are. Waits for the markers of transactions that were just ended. Raises ReplayError,
    ClientError.
    """
    for pause_s in pauses_s(time.monotonic() + client.timeout_s):
        settled = _committed(client, replay, require_stable=True)
        unsettled = [log for log in logs if (log.target, log.partition) not in settled]
        if not unsettled:
            return [kept_of(replay, log, settled) for log in logs]
        known = _committed(client, replay)
        for log in unsettled:
            kept_of(replay, log, known)
        if pause_s is None:
            raise ReplayError(
                f"{unsettled[0].target}-{unsettled[0].partition} at the target has an open transaction of group "
                f"{replay.group_id}: resume when its coordinator has ended it"
            )
        time.sleep(pause_s)
    raise AssertionError


def _committed(client: Client, replay: Replay, *, require_stable: bool = False) -> dict[TopicPartition, Committed]:
    try:
        return committed_offsets(client, replay.group_id, require_stable=require_stable)
    except BrokerError as error:
        if error.error_code != errors.GROUP_ID_NOT_FOUND:
            raise
        return {}


class KeptProgress:
    """One partition, as `Progress`: but what is there is known, and only the last of it is compared.

    there: the content of the record at the target that was written last, None without one.
    """

    def __init__(self, log: ReplayedLog, kept: Kept, there: Content | None) -> None:
        self._log = log
        self._kept = kept
        self._there = there
        self._skipped = 0
        self.found = kept.records
        self.sent = 0
        self._buffered = 0
        self._kept_records = kept.records
        self._next_offset = kept.next_offset
        if kept.records and there is None:
            raise ReplayError(
                f"{self._name}: the record at offset {kept.target_offset}, the last one that was replayed, is not "
                f"there to be compared: retention, DeleteRecords or compaction has removed it. {_ANOTHER}"
            )

    def take(self, record: LogRecord) -> bool:
        """Whether the next record of the source is to be sent."""
        if record.offset >= self._kept.next_offset:
            self.sent += 1
            return True
        self._skipped += 1
        if record.offset == self._kept.next_offset - 1 and content_of(record) != self._there:
            raise ReplayError(
                f"{self._name}: the record at offset {self._kept.target_offset} is not that of {self._log.topic}-"
                f"{self._log.partition}, offset {record.offset}, which was written there. {_ANOTHER}"
            )
        return False

    def finish(self) -> None:
        """There are no more records."""
        if self._skipped != self.found:
            raise ReplayError(
                f"{self._name} has {self.found} records of the runs before, and the archive has {self._skipped} up to "
                f"there: it is not the one that was replayed. {_ANOTHER}"
            )

    def buffer(self, record: LogRecord) -> None:
        """The record is in the next transaction. One that was only taken is not: it may be due later."""
        self._buffered += 1
        self._next_offset = record.offset + 1

    def kept(self, target_offset: int) -> Kept:
        """The progress with all that is buffered, the last of it at that offset of the target."""
        self._kept_records += self._buffered
        self._buffered = 0
        return Kept(self._next_offset, self._kept_records, target_offset)

    @property
    def _name(self) -> str:
        return f"{self._log.target}-{self._log.partition} at the target"


class Writer(Protocol):
    """Writes the records of some logs. All methods raise ReplayError, ClientError."""

    def open(self, number: int) -> Progress | KeptProgress:
        """Look how far a log is; called before its first record is written."""

    def send(self, number: int, record: LogRecord) -> None:
        """Write a record, soon."""

    def flush(self) -> None:
        """Write all that was sent."""

    @property
    def buffered_bytes(self) -> int:
        """Of records that are not written yet."""


class PlainWriter:
    """Without transactions: how far a log is, is counted."""

    def __init__(self, client: Client, replay: Replay, compression: str) -> None:
        self._client, self._logs = client, replay.logs
        self._producer = Producer(client, compression=compression)

    def open(self, number: int) -> Progress:
        log = self._logs[number]
        return Progress(log, *tail_of(self._client, log))

    def send(self, number: int, record: LogRecord) -> None:
        log = self._logs[number]
        self._producer.send(log.target, outgoing(log, record))
        if self._producer.is_full:
            self.flush()

    def flush(self) -> None:
        self._producer.flush()

    @property
    def buffered_bytes(self) -> int:
        return self._producer.buffered_bytes


class TransactionalWriter:
    """Each log has a transactional id: whoever opens it fences all who wrote it before, and aborts what they have open.

    The progress is an offset of the replay's group, committed with the records.
    """

    def __init__(self, client: Client, replay: Replay, compression: str) -> None:
        self._client, self._replay, self._compression = client, replay, compression
        self._open: dict[int, tuple[TransactionalProducer, KeptProgress]] = {}
        self._buffered: set[int] = set()
        self.buffered_bytes = 0

    def open(self, number: int) -> KeptProgress:
        log = self._replay.logs[number]
        transactional_id = f"{self._replay.group_id}-{number}"
        producer = TransactionalProducer(self._client, transactional_id, compression=self._compression)
        producer.start()  # from here on nobody else moves the progress
        (kept,) = settled_progress_of(self._client, self._replay, [log])
        there = None
        if kept.records:
            there = contents(self._client, log, kept.target_offset, kept.target_offset + 1).get(kept.target_offset)
        progress = KeptProgress(log, kept, there)
        self._open[number] = producer, progress
        return progress

    def send(self, number: int, record: LogRecord) -> None:
        log = self._replay.logs[number]
        producer, progress = self._open[number]
        before = producer.buffered_bytes
        producer.send(log.target, outgoing(log, record))
        progress.buffer(record)
        self._buffered.add(number)
        self.buffered_bytes += producer.buffered_bytes - before
        if self.buffered_bytes >= BUFFER_BYTES:
            self.flush()

    def flush(self) -> None:
        for number in sorted(self._buffered):
            producer, progress = self._open[number]
            log = self._replay.logs[number]
            kept = progress.kept(max(each.offset for each in producer.flush()))
            place = (log.target, log.partition)
            producer.commit(self._replay.group_id, {place: (kept.next_offset, kept.to_metadata())})
        self._buffered.clear()
        self.buffered_bytes = 0


def outgoing(log: ReplayedLog, record: LogRecord) -> OutgoingRecord:
    """A record of the archive as it is sent."""
    return OutgoingRecord(record.key, record.value, record.headers, record.timestamp_ms, log.partition)


_ANOTHER = "Replay into another topic, without resume"
