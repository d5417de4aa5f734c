"""Clients of compacted topics: producers of keys and tombstones, also in transactions; readers that start anywhere."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch
from kafkacompat.protocol.records import control
from kafkacompat.protocol.records.batch import split
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from tests.sim.invariants import must
from tests.sim.nodes.cleaning_invariants import IN_HOLE, READER_BEHIND
from tests.sim.nodes.clients import RETRY_MS, TOPIC, Client, NoAnswerError, Producer, whole_size
from tests.sim.nodes.machine import WALL_MS
from tests.sim.nodes.transaction_ledger import Ledger
from tests.sim.nodes.transaction_protocol import AbortError, FencedError, GiveUpError, TransactionalClient
from tests.sim.world import MS

if TYPE_CHECKING:
    import random

    from tests.sim.nodes.cleaning_invariants import CleanedPartition, CleaningInvariants
    from tests.sim.nodes.cleaning_story import Entry
    from tests.sim.nodes.cluster import Cluster
    from tests.sim.nodes.transaction_ledger import Told

KEYS = [*[b"k%d" % number for number in range(5)] * 6, *[b"rare%d" % number for number in range(20)]]
"""Some come again and again; of others a tombstone stays the last record for long."""
CODECS = (0, 0, 1, 3)
READ_COMMITTED = 1


def keyed_batch(rng: random.Random, name: str, wall_ms: int, **fields: Any) -> tuple[bytes, list[str | None]]:
    """A batch of one to four records, and their values; None is a tombstone."""
    values = [None if rng.random() < 0.25 else f"{name}.{at}" for at in range(rng.randint(1, 4))]
    records = [
        Record(at, wall_ms, rng.choice(KEYS), None if value is None else value.encode())
        for at, value in enumerate(values)
    ]
    return bytes(build_batch(records, compression=rng.choice(CODECS), **fields)), values


class KeyedProducer(Producer):
    """An idempotent producer; with acks=1 one that loses records."""

    async def go(self) -> None:
        producer_id, epoch = await self._identity() if self._acks == -1 else (-1, -1)
        sequence = count = 0
        invariants = self.cluster.invariants
        while not self.cluster.is_over:
            count += 1
            fields = {"producer_id": producer_id, "producer_epoch": epoch, "base_sequence": sequence}
            batch, values = keyed_batch(
                self.rng, f"{self.name}.{count}", WALL_MS + self.cluster.world.now_us // MS,
                **(fields if producer_id >= 0 else {}),
            )  # fmt: skip
            offset = await self._write(batch)
            sequence += len(values)
            if offset is not None and self._acks == -1:
                self.cluster.acknowledged_count += 1
                for at, value in enumerate(values):
                    if value is not None:
                        invariants.acknowledged(f"{TOPIC}/{self.partition}", offset + at, value)
            await self.pause(self._pause_ms)


class UnwatchedLedger(Ledger):
    """The rows of transactional ids are not looked at: runs of transactions do that."""

    def must_have_had(self, transactional_id: str, producer_id: int, epoch: int, state: int) -> None:
        """Nothing is known of them."""


class KeyedTransactions(TransactionalClient):
    """Writes transactions of keyed records, half of which are aborted."""

    def __init__(self, cluster: Cluster, name: str, protocol: int, pause_ms: int) -> None:
        self._pause_ms = pause_ms
        super().__init__(cluster, UnwatchedLedger(), name, name, protocol=protocol, timeout_ms=5_000)

    async def go(self) -> None:
        await self.leader_of(0)
        while not self.cluster.is_over:
            with suppress(FencedError, AbortError, GiveUpError):
                await self.begin_life()
                while not self.cluster.is_over:
                    await self._transaction()
                    await self.pause(self._pause_ms)
            self.forget_transaction()
            await self.pause(1_000)

    async def _transaction(self) -> None:
        told = self.ledger.begin(self.transactional_id)
        for partition in range(self.cluster.partition_count):
            for _ in range(self.rng.choice((1, 1, 3))):
                await self.write_keys(told, partition)
                await self.pause(50)
        await self.end(told, commits=self.rng.random() < 0.5)

    async def write_keys(self, told: Told, partition: int) -> None:
        """Append one batch. Raises AbortError, FencedError, GiveUpError."""
        await self.add_partition(partition)
        sequence = self._sequences.get(partition, 0)
        batch, values = keyed_batch(
            self.rng, f"{told.name}.{partition}.{sequence}", WALL_MS + self.cluster.world.now_us // MS,
            producer_id=self.producer_id, producer_epoch=self.epoch, base_sequence=sequence, is_transactional=True,
        )  # fmt: skip
        self._sequences[partition] = sequence + len(values)
        code = await self.persist(lambda: self._produced(partition, batch))
        if code != errors.DUPLICATE_SEQUENCE_NUMBER:
            self._refuse(code, "Produce")
        self.cluster.acknowledged_count += 1


class KeyedReader(Client):
    """Reads from anywhere to the end of what is stable, again and again: it never sees what was aborted, and finds the
    newest record of each key.
    """

    def __init__(self, cluster: Cluster, name: str, partition: int, *, from_offset: int | None = None) -> None:
        """from_offset: read once, from there on."""
        self.partition = partition
        self._from_offset = from_offset
        super().__init__(cluster, name)

    @property
    def _known(self) -> CleanedPartition:
        return cast("CleaningInvariants", self.cluster.invariants).cleaned(self.partition)

    async def go(self) -> None:
        if self._from_offset is not None:
            while not await self._read(self._from_offset):
                await self.pause(RETRY_MS)
            return
        while not self.cluster.is_over:
            await self._read(self.rng.randint(0, self._known.end_offset))
            await self.pause(5 * RETRY_MS)

    async def _read(self, offset: int) -> bool:
        """Whether it came to the end. Every fetch is of another size."""
        start, position, end, seen = offset, offset, None, dict[int, Any]()
        while end is None or position < end:
            if end is not None and self.cluster.is_over and self._from_offset is None:
                return False
            data = await self._fetch(position)
            if data is None:
                return False
            if data.error_code == errors.OFFSET_OUT_OF_RANGE:
                must(position < self._newest_start(), f"{self.name}: {position} is out of range")
                cast("CleaningInvariants", self.cluster.invariants).met[READER_BEHIND] += 1
                start = position = max(position + 1, self._newest_start())
                seen.clear()
                continue
            if data.error_code != errors.NONE:
                self.forget_leader(self.partition)
                return False
            end = data.last_stable_offset if end is None else end
            position = self._take(data, position, seen)
        self._check(start, end, seen)
        return True

    def _newest_start(self) -> int:
        return max(self._known.log_starts.values(), default=0)

    async def _fetch(self, offset: int) -> Any:
        leader, epoch = await self.leader_of(self.partition)
        size = self.rng.choice((1, 300, 2_000, 1 << 16))
        asked = fetch.FetchPartition(self.partition, epoch, offset, partition_max_bytes=size)
        request = fetch.FetchRequest(
            max_wait_ms=300, min_bytes=1, max_bytes=1 << 20, isolation_level=READ_COMMITTED,
            topics=[fetch.FetchTopic(TOPIC, partitions=[asked])],
        )  # fmt: skip
        try:
            answer = await self.ask(leader, fetch, 12, request)
        except NoAnswerError:
            answer = None
        data = answer.responses[0].partitions[0] if answer is not None and answer.responses else None
        if data is None:
            self.forget_leader(self.partition)
            await self.pause(RETRY_MS)
        return data

    def _take(self, data: Any, position: int, seen: dict[int, Any]) -> int:
        """Filter as clients do. Returns the next offset."""
        found = data.records
        content = b"".join(map(bytes, found)) if isinstance(found, list) else bytes(found or b"")
        aborted = sorted((each.first_offset, each.producer_id) for each in data.aborted_transactions or ())
        open_: set[int] = set()
        story, asked = self._known.story, position
        for at, header in split(content[: whole_size(content)]):
            if header.base_offset > position and position == asked:
                cast("CleaningInvariants", self.cluster.invariants).met[IN_HOLE] += 1
            must(header.next_offset > position, f"{self.name} is given {header} at {position}")
            position = header.next_offset
            while aborted and aborted[0][0] <= header.last_offset:
                open_.add(aborted.pop(0)[1])
            records = list(read_records(content, at, header))
            if header.is_control:
                if records and control.decode_key(records[0].key) == control.ABORT:
                    open_.discard(header.producer_id)
            elif not (header.is_transactional and header.producer_id in open_):
                for record in records:
                    if record.offset >= asked:
                        self._see(story.entries.get(record.offset), record)
                        seen[record.offset] = record
        return position

    def _see(self, entry: Entry | None, record: Any) -> None:
        must(entry is not None, f"{self.name} reads {record}, which is not committed")
        assert entry is not None
        same = (entry.key, entry.value, entry.timestamp) == (record.key, record.value, record.timestamp)
        must(same, f"{self.name} reads {record}, which was {entry}")
        may_be = self._known.story.is_visible[record.offset] or self._known.may_lack_marker(record.offset)
        must(bool(may_be), f"L6: {self.name} reads {record}, which is not committed")

    def _check(self, start: int, end: int, seen: dict[int, Any]) -> None:
        """What is newest now was so all the time."""
        known = self._known
        start = max(start, self._newest_start())
        for key, entry in known.story.newest().items():
            if start <= entry.offset < end and entry.offset not in seen:
                what = f"L7: {self.name} reads {start} to {end} and misses {entry}, the newest of {key!r}"
                may_be_gone = entry.value is None and entry.offset in known.horizons
                must(may_be_gone or known.may_lack_marker(entry.offset), what)
