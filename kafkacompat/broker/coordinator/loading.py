"""Loads coordinator shards from the logs of their partitions, in parts between other events (Kafka's
CoordinatorLoader, which uses a thread).

A log of half a million commits takes seconds to read. The broker serves other requests meanwhile; requests to a shard
that is not loaded yet receive COORDINATOR_LOAD_IN_PROGRESS.
"""

import logging
from typing import Generic, TypeVar

from kafkacompat.broker.coordinator.plain_records import plain_content, plain_records
from kafkacompat.broker.coordinator.repeated_batches import RepeatedBatches
from kafkacompat.protocol.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, UNKNOWN_OFFSET
from kafkacompat.protocol.error_codes import CORRUPT_MESSAGE
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.protocol.records.batch import (
    BATCH_OVERHEAD,
    CorruptBatchError,
    RecordBatchError,
    check_crc,
    read_header,
)
from kafkacompat.protocol.records.control import COMMIT, decode_key
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Protocol

    from kafkacompat.broker.coordinator.coordinator_shard import CoordinatorRecord, CoordinatorShard
    from kafkacompat.broker.coordinator.plain_records import Latest
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.protocol.records.builder import Record
    from kafkacompat.replication.partition import Partition

    class Worker(Protocol):
        """Has long work, such as loading a shard."""

        @property
        def has_work(self) -> bool: ...
        def work(self, budget: int, now: Now) -> int:
            """Work for about `budget`. Returns the cost."""


ITERATION_BUDGET = 500
"""For all shards together in one iteration of the event loop. A unit is one record read or replayed, 3 to 8 µs; other
work is counted in units of about the same time."""
START_UP_BUDGET = 20_000
"""The budget before clients are served, so that a broker with few commits is loaded before its first request."""
READ_BYTES = 1 << 18
"""The size of one read."""
CHUNK_RECORDS = 1_024
BUCKETS = 256
"""Dicts that `LatestRecords` spreads its keys over."""
PLAIN_PER_COST = 3
"""Records read by ``plain_records`` and kept per unit of cost."""
REPEATED_PER_COST = 30
"""Records of a batch that supersedes another one, per unit of cost."""
KEPT_PER_COST = 8
"""Records per unit of cost that were decoded in an earlier unit and are kept now."""
KEPT_BYTES = 128 * 1024 * 1024
"""Of batches that may be superseded undecoded, in all shards that load at a time."""
MAX_NAMED = 10
"""Skipped records of one log that are logged one by one; the rest are only counted."""

_log = logging.getLogger(__name__)

ShardT = TypeVar("ShardT", bound="CoordinatorShard")


class Loader:
    """Shares the time for long work, mostly loading, among all shards of a broker, round robin.

    `is_serving`: whether clients are served already.
    """

    def __init__(self, timers: "Timers", is_serving: "Callable[[], bool]") -> None:
        self._timers = timers
        self._is_serving = is_serving
        self._waiting: dict[Worker, None] = {}
        self._is_working = False
        self._iteration_ms = -1
        self._left = 0

    def add(self, worker: "Worker", now: "Now") -> None:
        """Let it work: now, as far as the budget of this iteration allows, then in later iterations."""
        is_first = not self._waiting
        self._waiting[worker] = None
        if is_first and not self._is_working:
            if self._iteration_ms != now.monotonic_ms:
                self._iteration_ms = now.monotonic_ms
                self._left = ITERATION_BUDGET if self._is_serving() else START_UP_BUDGET
            self._work(now)

    @property
    def kept_bytes(self) -> int:
        """Of KEPT_BYTES, what the worker may take whose turn it is: equal parts for all."""
        return KEPT_BYTES // (1 + len(self._waiting))

    def drop(self, worker: "Worker") -> None:
        """Stop its work."""
        self._waiting.pop(worker, None)

    def _resume(self, now: "Now") -> None:
        self._iteration_ms = now.monotonic_ms
        self._left = ITERATION_BUDGET
        self._work(now)

    def _work(self, now: "Now") -> None:
        self._is_working = True
        try:
            while self._waiting and self._left > 0:
                worker = next(iter(self._waiting))
                del self._waiting[worker]
                self._left -= 1 + worker.work(self._left, now)
                if worker.has_work:
                    self._waiting[worker] = None  # last in the queue: a large shard does not delay small ones
        finally:  # a bug in one shard does not stop the others
            self._is_working = False
            if self._waiting:
                self._timers.set(self, now.monotonic_ms, self._resume)


class Release:
    """Frees the state of a shard in parts, as a worker of the loader."""

    __slots__ = ("_steps", "has_work")

    def __init__(self, steps: "Iterator[int]") -> None:
        self._steps = steps
        self.has_work = True

    def work(self, budget: int, _now: "Now") -> int:
        """See `Worker`."""
        done = 0
        for step in self._steps:
            done += step
            if done >= budget:
                return done
        self.has_work = False
        return done


class _FullReplayNeededError(Exception):
    """The last record of a key cannot be replayed, so an earlier one counts, which was not kept."""


class LogReplay(Generic[ShardT]):
    """Reads a log into a shard, from start to end.

    With `replays_every_record` every record is decoded and replayed. Otherwise, below the high watermark, only the last
    record of each key is replayed, in log order, as if the log were compacted. Every record above the high watermark is
    replayed, since the shard keeps the values that uncommitted records replace; so is every record of a transaction,
    and all records before the end of a transaction are replayed before that end.

    A record that cannot be decoded is skipped and counted in `passed_over`, as is the rest of a batch that cannot be
    read although its checksum is right. If such a record is the last of its key, the log is read again into a new
    shard, and every record is replayed. `kept_bytes`: how much may wait to be superseded undecoded.
    """

    def __init__(
        self,
        partition: "Partition",
        decode: "Callable[[bytes, bytes | None], CoordinatorRecord | None]",
        make_shard: "Callable[[], ShardT]",
        *,
        replays_every_record: bool,
        kept_bytes: "Callable[[], int]" = lambda: KEPT_BYTES,
    ) -> None:
        self.shard = make_shard()
        self.passed_over = 0
        self._partition = partition
        self._decode = decode
        self._make_shard = make_shard
        self._kept_bytes = kept_bytes
        self._high_watermark = UNKNOWN_OFFSET  # that the shard knows
        self._replays_every_record = replays_every_record
        self._named: list[str] = []  # log lines about the first skipped records
        self._latest = LatestRecords()
        self._repeated = RepeatedBatches()  # what comes after `_latest` in the log

    def run(self) -> "Iterator[int]":
        """Replay the log, yielding 1 for each unit of work. Raises LogError, RecordBatchError (for damage), OSError."""
        try:
            yield from self._read()
        except _FullReplayNeededError:
            self.shard = self._make_shard()
            self.passed_over = 0
            self._high_watermark = UNKNOWN_OFFSET
            self._replays_every_record = True
            self._named.clear()
            self._latest, self._repeated = LatestRecords(), RepeatedBatches()
            yield from self._read()
        for line in self._named:
            _log.error("%s", line)
        if self.passed_over > MAX_NAMED:
            name = f"{self._partition.topic}-{self._partition.index}"
            _log.error("%s: %d records were skipped; the first %d are named above", name, self.passed_over, MAX_NAMED)

    def release(self) -> "Iterator[int]":
        """Free all that was read, in parts; yields the cost of each."""
        for count in self._repeated.release():
            yield 1 + count // KEPT_PER_COST
        for _ in self._latest.drain():
            yield 1
        yield from self.shard.release()

    def _read(self) -> "Iterator[int]":
        offset = self._partition.log.log_start_offset
        while offset < (end_offset := self._partition.log.log_end_offset):
            log = self._partition.log  # a future replica may take its place between two parts
            part = log.read(offset, READ_BYTES, end_offset=end_offset, at_least_one=True)
            try:
                data = part.read(0, len(part))
            finally:
                part.release()
            if not data:
                break
            next_offset = offset
            for position, header in _whole_batches(data):
                next_offset = header.last_offset + 1
                yield 1  # an empty batch costs time, too
                yield from self._replay_batch(data, position, header)
            if next_offset <= offset:
                raise LogError(CORRUPT_MESSAGE, f"{log.path} has no complete batch at offset {offset}")
            offset = next_offset
        yield from self._replay_latest()

    def _replay_batch(self, data: bytes, position: int, header: "BatchHeader") -> "Iterator[int]":
        records = self._records_of(data, position, header)
        if header.is_control:
            yield from self._replay_latest()
            self._update_high_watermark()
            is_commit = self._has_commit(records)
            producer_id, epoch = header.producer_id, header.producer_epoch
            self.shard.replay_end_transaction(producer_id, epoch, header.last_offset, is_commit=is_commit)
        elif (
            header.is_transactional
            or self._replays_every_record
            or header.last_offset >= self._partition.high_watermark
        ):
            yield from self._replay_latest()
            yield from self._replay_each(records, header)
        else:
            yield from self._read_latest(data, position, header, records)

    def _read_latest(
        self, data: bytes, position: int, header: "BatchHeader", records: "Iterator[Record]"
    ) -> "Iterator[int]":
        """Of a batch below the high watermark: the last record of each key counts."""
        content, values = plain_content(data, position, header), list[int]()
        if content is not None and self._repeated.replace(content, header):
            yield 1 + header.record_count // REPEATED_PER_COST
            return
        found = None if content is None else plain_records(content, header, values)
        is_added = content is not None and found is not None and self._repeated.add(content, header, found, values)
        repeated = self._repeated
        for oldest, is_decoded in repeated.overflow(self._kept_bytes()) if is_added else repeated.drain():
            yield self._keep(oldest, is_decoded=is_decoded)
        if found is not None:
            if not is_added:
                self._latest.keep_all(found)
            yield 1 + len(found) // PLAIN_PER_COST
            return
        for record in records:
            self._latest.keep_all([(record.key or b"", (record.value, record.timestamp, record.offset))])
            yield 1

    def _keep(self, records: "Sequence[tuple[bytes, Latest]]", *, is_decoded: bool) -> int:
        """Keep each as the last one of its key. Returns the cost; `is_decoded`: that of decoding them, too."""
        self._latest.keep_all(records)
        return 1 + len(records) // (PLAIN_PER_COST if is_decoded else KEPT_PER_COST)

    def _records_of(self, data: bytes, position: int, header: "BatchHeader") -> "Iterator[Record]":
        try:
            yield from read_records(data, position, header)
        except RecordBatchError as error:
            self._pass_over(header.base_offset, f"its batch cannot be read: {error}")

    def _has_commit(self, markers: "Iterator[Record]") -> bool:
        for marker in markers:
            try:
                if decode_key(marker.key) == COMMIT:
                    return True
            except CorruptBatchError as error:
                self._pass_over(marker.offset, str(error))
        return False

    def _replay_each(self, records: "Iterator[Record]", header: "BatchHeader") -> "Iterator[int]":
        producer_id = header.producer_id if header.is_transactional else NO_PRODUCER_ID
        for record in records:
            try:
                self._replay(
                    record.offset, producer_id, header.producer_epoch,
                    record.key or b"", record.value, header.last_offset, record.timestamp,
                )  # fmt: skip
            except MalformedMessageError as error:
                self._pass_over(record.offset, str(error))
            except Exception:  # noqa: BLE001 (it concerns one record only)
                _log.exception("a bug: a record of %s cannot be replayed", self._partition.log.path)
                self._pass_over(record.offset, "it cannot be replayed")
            yield 1

    def _replay_latest(self) -> "Iterator[int]":
        for repeated, is_decoded in self._repeated.drain():
            yield self._keep(repeated, is_decoded=is_decoded)
        if not self._latest.is_used:
            return
        latest, self._latest = self._latest, LatestRecords()
        for key, (value, timestamp, offset) in latest.drain():
            try:  # the record's offset stands in for its batch's last one: both are committed
                self._replay(offset, NO_PRODUCER_ID, NO_PRODUCER_EPOCH, key, value, offset, timestamp)
            except Exception as error:
                raise _FullReplayNeededError from error
            yield 1

    def _replay(
        self,
        offset: int,
        producer_id: int,
        producer_epoch: int,
        key: bytes,
        value: bytes | None,
        last_offset: int,
        timestamp: int,
    ) -> None:
        if self._high_watermark != self._partition.high_watermark:
            self._update_high_watermark()
        record = self._decode(key, value)
        if record is not None:
            self.shard.replay(offset, producer_id, producer_epoch, record, last_offset, timestamp)

    def _update_high_watermark(self) -> None:
        self._high_watermark = self._partition.high_watermark
        self.shard.on_committed(self._high_watermark)

    def _pass_over(self, offset: int, why: str) -> None:
        self.passed_over += 1
        if len(self._named) < MAX_NAMED:
            log = self._partition.log
            path = next((segment.paths()[0] for segment in log.segments.from_offset(offset)), log.path)
            self._named.append(f"{path}: the record at offset {offset} is skipped: {why}")


class LatestRecords:
    """Value, timestamp and offset of the last record of each key, in log order.

    Uses many small dicts: a large dict copies all its entries when it grows, 40 ms for half a million keys. Only the
    chunks hold objects that the garbage collector has to traverse.
    """

    def __init__(self) -> None:
        self.is_used = False
        self._chunks: list[dict[bytes, Latest]] = [{}]
        self._chunk_of: list[dict[bytes, int]] = [{} for _ in range(BUCKETS)]  # in which chunk each key is

    def keep_all(self, records: "Sequence[tuple[bytes, Latest]]") -> None:
        """Keep each record as the last one of its key, in this order."""
        self.is_used = True
        chunks = self._chunks
        newest = chunks[-1]
        for key, latest in records:
            if newest.pop(key, None) is not None:
                newest[key] = latest
                continue
            chunk_of = self._chunk_of[hash(key) % BUCKETS]
            former = chunk_of.get(key)
            if former is not None:
                del chunks[former][key]
            newest[key] = latest
            chunk_of[key] = len(chunks) - 1
            if len(newest) == CHUNK_RECORDS:
                newest = {}
                chunks.append(newest)

    def drain(self) -> "Iterator[tuple[bytes, Latest]]":
        """All records; each is dropped as it is returned, so that freeing them takes no extra time at the end."""
        for number, chunk in enumerate(self._chunks):
            for key, latest in chunk.items():
                del self._chunk_of[hash(key) % BUCKETS][key]
                yield key, latest
            self._chunks[number] = {}


def _whole_batches(data: bytes) -> "Iterator[tuple[int, BatchHeader]]":
    """Position and header of each complete batch. Raises CorruptBatchError."""
    position = 0
    while position + BATCH_OVERHEAD <= len(data):
        header = read_header(data, position)
        if position + header.size_bytes > len(data):
            return
        if not check_crc(data, position, header.size_bytes):
            raise CorruptBatchError(f"the batch at offset {header.base_offset} has a wrong checksum")
        yield position, header
        position += header.size_bytes


def advance(work: "Iterator[int]", budget: int) -> int:
    """Work for about `budget` units. Returns how many were used; fewer than `budget` only at the end of the work."""
    done = 0
    for cost in work:
        done += cost
        if done >= budget:
            break
    return done
