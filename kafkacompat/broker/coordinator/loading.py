"""Loads the cores of coordinators from their partitions' logs, a little in each turn of the loop (Kafka's
CoordinatorLoader, which has a thread for it).

A log of half a million commits takes seconds to read; the broker goes on meanwhile, and who asks a shard that is not
loaded yet is told to come again (COORDINATOR_LOAD_IN_PROGRESS).
"""

from itertools import islice

from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, CorruptBatchError, check_crc, read_header
from kafkacompat.protocol.records.control import COMMIT, decode_key
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.errors import CORRUPT_MESSAGE, LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    from kafkacompat.broker.coordinator.runtime import Core, CoreRecord
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.protocol.records.builder import Record
    from kafkacompat.replication.partition import Partition

    Latest = tuple[bytes | None, int]

    class Loadable(Protocol):
        """A shard, as the loader sees it."""

        @property
        def is_loading(self) -> bool: ...
        def load_more(self, most: int, now: Now) -> int:
            """Do so many steps at most; how many it were."""


TURN_STEPS = 500
"""Of all shards together in one turn; a step takes in a record or applies one, in 3 to 8 µs."""
START_STEPS = 20_000
"""The same while nobody is served yet, so that a broker with few commits is loaded before its first request."""
READ_BYTES = 1 << 18
"""Read at once."""
CHUNK_RECORDS = 1_024
PLACES = 256
"""Dicts that `LatestRecords` spreads its keys over."""


class Loader:
    """All shards of a broker that wait to be loaded, each in its turn.

    `is_serving` says whether somebody may ask already.
    """

    def __init__(self, timers: "Timers", is_serving: "Callable[[], bool]") -> None:
        self._timers = timers
        self._is_serving = is_serving
        self._waiting: dict[Loadable, None] = {}
        self._turn_ms = -1
        self._left = 0

    def add(self, shard: "Loadable", now: "Now") -> None:
        """Load it: at once, as far as this turn allows, and then little by little."""
        is_first = not self._waiting
        self._waiting[shard] = None
        if is_first:
            if self._turn_ms != now.monotonic_ms:
                self._turn_ms = now.monotonic_ms
                self._left = TURN_STEPS if self._is_serving() else START_STEPS
            self._work(now)

    def drop(self, shard: "Loadable") -> None:
        """It is not to be loaded any more."""
        self._waiting.pop(shard, None)

    def _go_on(self, now: "Now") -> None:
        self._turn_ms = now.monotonic_ms
        self._left = TURN_STEPS
        self._work(now)

    def _work(self, now: "Now") -> None:
        try:
            while self._waiting and self._left > 0:
                shard = next(iter(self._waiting))
                del self._waiting[shard]
                self._left -= 1 + shard.load_more(self._left, now)
                if shard.is_loading:
                    self._waiting[shard] = None  # behind the others: small ones need not wait for a large one
        finally:  # a mistake in one shard holds up no other
            if self._waiting:
                self._timers.set(self, now.monotonic_ms, self._go_on)


class LogReplay:
    """Reads a log into a core, from its start to its end. Records of a transaction count from its commit marker on.

    Only the last record of each key is decoded and replayed, in the log's order: what compaction would have left.
    That the end may lie above the high watermark is for the caller to know.
    """

    def __init__(
        self, partition: "Partition", decode: "Callable[[bytes, bytes | None], CoreRecord | None]", core: "Core"
    ) -> None:
        self._partition = partition
        self._decode = decode
        self._core = core
        self._open: dict[int, list[Record]] = {}
        self._latest = LatestRecords()

    def steps(self) -> "Iterator[int]":
        """Do it, yielding 1 for each step. Raises LogError, RecordBatchError, MalformedMessageError, OSError."""
        log = self._partition.log
        offset = log.log_start_offset
        while offset < (end_offset := log.log_end_offset):
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
                yield from self._take(data, position, header)
            if next_offset <= offset:
                raise LogError(CORRUPT_MESSAGE, f"no whole batch of {log.path} goes on at offset {offset}")
            offset = next_offset
        yield from self._apply()

    def _take(self, data: bytes, position: int, header: "BatchHeader") -> "Iterator[int]":
        yield 1  # a batch without records is some work as well
        producer_id = header.producer_id
        if header.is_control:
            records = self._open.pop(producer_id, [])
            if not any(decode_key(marker.key) == COMMIT for marker in read_records(data, position, header)):
                return
            for record in records:
                self._keep(record)
                yield 1
        elif header.is_transactional:
            held = self._open.setdefault(producer_id, [])
            for record in read_records(data, position, header):
                held.append(record)
                yield 1
        else:
            for record in read_records(data, position, header):
                self._keep(record)
                yield 1

    def _keep(self, record: "Record") -> None:
        self._latest.keep(record.key or b"", record.value, record.timestamp)

    def _apply(self) -> "Iterator[int]":
        decode, replay = self._decode, self._core.replay
        for key, (value, timestamp) in self._latest.drain():
            record = decode(key, value)
            if record is not None:
                replay(record, timestamp)
            yield 1


class LatestRecords:
    """Value and timestamp of the last record of each key, in the order of these records.

    Made of small dicts: a large one that grows moves all that it holds at once, 40 ms for half a million keys. Nothing
    but the chunks refers to what the garbage collector would have to follow.
    """

    def __init__(self) -> None:
        self._chunks: list[dict[bytes, Latest]] = [{}]
        self._places: list[dict[bytes, int]] = [{} for _ in range(PLACES)]  # in which chunk each key is

    def keep(self, key: bytes, value: bytes | None, timestamp: int) -> None:
        """There is a later record of the key."""
        places, chunks = self._places[hash(key) % PLACES], self._chunks
        newest = chunks[-1]
        former = places.get(key)
        if former is not None:
            del chunks[former][key]
        newest[key] = (value, timestamp)
        places[key] = len(chunks) - 1
        if len(newest) == CHUNK_RECORDS:
            chunks.append({})

    def drain(self) -> "Iterator[tuple[bytes, Latest]]":
        """All of them; each is forgotten, so that letting them go takes no turn of its own either."""
        for number, chunk in enumerate(self._chunks):
            for key, latest in chunk.items():
                del self._places[hash(key) % PLACES][key]
                yield key, latest
            self._chunks[number] = {}


def _whole_batches(data: bytes) -> "Iterator[tuple[int, BatchHeader]]":
    """Where each batch begins, but for one that is cut off at the end. Raises CorruptBatchError."""
    position = 0
    while position + BATCH_OVERHEAD <= len(data):
        header = read_header(data, position)
        if position + header.size_bytes > len(data):
            return
        if not check_crc(data, position, header.size_bytes):
            raise CorruptBatchError(f"the batch at offset {header.base_offset} has a wrong checksum")
        yield position, header
        position += header.size_bytes


def advance(steps: "Iterator[int]", most: int) -> int:
    """Do so many steps at most; how many it were. Fewer than `most`: there are no more."""
    return sum(islice(steps, most))
