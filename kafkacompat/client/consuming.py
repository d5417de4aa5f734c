"""Fetch: records of partitions from given offsets on, without sessions and without a group."""

from __future__ import annotations

import select
import time
from typing import NamedTuple

from kafkacompat.client.client import STALE_METADATA
from kafkacompat.client.errors import BrokerError, ClientError, ExpiredError, UnreachableError
from kafkacompat.client.partition_offsets import READ_UNCOMMITTED
from kafkacompat.client.texts import partition_of
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.records import control
from kafkacompat.protocol.records.batch import LOG_OVERHEAD, CorruptBatchError, check_crc, read_header
from kafkacompat.protocol.records.reader import record_bytes, records_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kafkacompat.client.client import Client, Place
    from kafkacompat.client.connection import Connection
    from kafkacompat.protocol.messages.fetch import PartitionData
    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.protocol.records.builder import Header

MAX_BYTES = 16 * 1024 * 1024
PARTITION_MAX_BYTES = 1024 * 1024
MAX_WAIT_MS = 500
"""How long a broker holds a Fetch that finds nothing."""
ANSWER_TIMEOUT_S = 30.0
_NAMED_VERSION = 12
"""The last version with topics' names: from 13 on there are ids (KIP-516)."""
_MOVED = STALE_METADATA | {errors.UNKNOWN_TOPIC_OR_PARTITION}
"""Errors after which the leaders are asked for again; a replica that has left a broker is unknown there."""
PAUSE_S = 0.05
"""After a leader moved or is gone."""


class IncomingRecord(NamedTuple):
    """A record as it is in the log. `header` is that of its batch: codec, producer, epoch, kind of timestamp."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[Header]
    header: BatchHeader


class Fetched(NamedTuple):
    """Records of one partition, with its log start, last stable offset (-1: unknown) and high watermark.

    `next_offset` is where the next Fetch goes on: behind the last batch, whose records may be hidden or compacted.
    """

    topic: str
    partition: int
    records: list[IncomingRecord]
    next_offset: int
    log_start: int
    last_stable: int
    high_watermark: int


class Fetcher:
    """Fetches from `positions`, which moves on. With read_committed, records of aborted transactions are left out.

    Control records come only with `with_control`. A stop of a broker is waited out up to the client's `timeout_s`.
    """

    def __init__(
        self, client: Client, positions: Mapping[Place, int], *, isolation: int = READ_UNCOMMITTED,
        with_control: bool = False, max_wait_ms: int = MAX_WAIT_MS, check_crcs: bool = True,
    ) -> None:  # fmt: skip
        self._client = client
        self.positions = dict(positions)
        self._isolation = isolation
        self._with_control = with_control
        self._max_wait_ms = max_wait_ms
        self._check_crcs = check_crcs
        self._connections: dict[int, Connection] = {}
        self._asked: dict[int, set[Place]] = {}
        self._failing_since_s: float | None = None

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of this fetcher."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
        self._asked.clear()

    def stop(self, place: Place) -> None:
        """Fetch no more from a partition."""
        self.positions.pop(place, None)

    def poll(self, timeout_s: float) -> list[Fetched]:
        """What the first brokers to answer have, at most one piece for each partition; [] when the time is over.

        Raises BrokerError (OFFSET_OUT_OF_RANGE among others) and ClientError.
        """
        deadline_s = time.monotonic() + timeout_s
        while True:
            self._send()
            ready = self._ready(max(deadline_s - time.monotonic(), 0))
            pieces = [piece for node_id in ready for piece in self._receive(node_id)]
            if pieces or not self.positions or time.monotonic() >= deadline_s:
                return pieces

    def _send(self) -> None:
        """Ask each leader that has no request in flight."""
        for leader, places in self._client.by_leader(self.positions).items():
            if leader in self._asked:
                continue
            if leader < 0:
                self._moved(BrokerError(errors.LEADER_NOT_AVAILABLE, partition_of(places[0])))
                continue
            try:
                if leader not in self._connections:
                    self._connections[leader] = self._client.connect(*self._client.address_of(leader))
                self._ask(self._connections[leader], places)
                self._asked[leader] = set(places)
            except UnreachableError as error:
                self._drop(leader)
                self._moved(error)

    def _ask(self, connection: Connection, places: list[Place]) -> None:
        from kafkacompat.protocol.messages import fetch as messages

        topics: dict[str, list[messages.FetchPartition]] = {}
        for place in places:
            asked = messages.FetchPartition(
                partition=place[1], fetch_offset=self.positions[place], partition_max_bytes=PARTITION_MAX_BYTES
            )
            topics.setdefault(place[0], []).append(asked)
        request = messages.FetchRequest(
            max_wait_ms=self._max_wait_ms, min_bytes=1, max_bytes=MAX_BYTES, isolation_level=self._isolation,
            topics=[messages.FetchTopic(topic=topic, partitions=asked) for topic, asked in topics.items()],
        )  # fmt: skip
        connection.send(messages, request, timeout_s=ANSWER_TIMEOUT_S, max_version=_NAMED_VERSION)

    def _ready(self, timeout_s: float) -> list[int]:
        """Leaders whose answer has begun to arrive."""
        buffered = [node_id for node_id in self._asked if self._connections[node_id].has_buffered()]
        if buffered or not self._asked:
            return buffered
        waiting = {self._connections[node_id].fileno(): node_id for node_id in self._asked}
        if hasattr(select, "poll"):
            poll = select.poll()
            for descriptor in waiting:
                poll.register(descriptor, select.POLLIN)
            found = [descriptor for descriptor, _ in poll.poll(timeout_s * 1000)]
        else:
            found = select.select(list(waiting), [], [], timeout_s)[0]
        return [waiting[descriptor] for descriptor in found]

    def _receive(self, node_id: int) -> Iterator[Fetched]:
        asked = self._asked.pop(node_id)
        try:
            response = self._connections[node_id].receive(ANSWER_TIMEOUT_S)
        except (UnreachableError, ExpiredError) as error:
            self._drop(node_id)
            self._moved(error)
            return
        if response.error_code != errors.NONE:
            raise BrokerError(response.error_code, f"fetch from broker {node_id}")
        for topic in response.responses:
            for data in topic.partitions:
                place = (topic.topic, data.partition_index)
                if place not in self.positions or place not in asked:
                    continue
                if data.error_code in _MOVED:
                    self._moved(BrokerError(data.error_code, partition_of(place)))
                elif data.error_code != errors.NONE:
                    raise BrokerError(data.error_code, partition_of(place))
                else:
                    self._failing_since_s = None
                    yield self._piece(place, data)

    def _drop(self, node_id: int) -> None:
        connection = self._connections.pop(node_id, None)
        self._asked.pop(node_id, None)
        if connection is not None:
            connection.close()

    def _moved(self, error: ClientError) -> None:
        """Ask for the leaders again; raise the error if it does not end."""
        now_s = time.monotonic()
        if self._failing_since_s is None:
            self._failing_since_s = now_s
        elif now_s - self._failing_since_s > self._client.timeout_s:
            raise error
        time.sleep(PAUSE_S)
        self._client.refresh_leaders(self.positions)

    def _piece(self, place: Place, data: PartitionData) -> Fetched:
        records, next_offset = self._records(place, data)
        self.positions[place] = next_offset
        return Fetched(
            *place, records, next_offset, data.log_start_offset, data.last_stable_offset, data.high_watermark
        )

    def _records(self, place: Place, data: PartitionData) -> tuple[list[IncomingRecord], int]:
        """The records from the position on, and the offset behind the last whole batch."""
        start = next_offset = self.positions[place]
        assert isinstance(data.records, memoryview | bytes | None)
        raw = bytes(data.records or b"")
        aborted = sorted((each.first_offset, each.producer_id) for each in data.aborted_transactions or ())
        is_aborted: set[int] = set()
        records: list[IncomingRecord] = []
        for at, header in _whole_batches(raw):
            if self._check_crcs and not check_crc(raw, at, header.size_bytes):
                raise CorruptRecordsError(place, header.base_offset)
            while aborted and aborted[0][0] <= header.last_offset:
                is_aborted.add(aborted.pop(0)[1])
            next_offset = max(next_offset, header.next_offset)
            is_hidden = header.is_transactional and not header.is_control and header.producer_id in is_aborted
            if is_hidden or (header.is_control and not self._with_control and header.producer_id not in is_aborted):
                continue
            for record in records_of(record_bytes(raw, at, header), header):
                if header.is_control and control.decode_key(record.key) == control.ABORT:
                    is_aborted.discard(header.producer_id)
                if record.offset >= start and (self._with_control or not header.is_control):
                    records.append(
                        IncomingRecord(
                            record.offset, record.timestamp, record.key, record.value, record.headers, header
                        )
                    )
        return records, next_offset


class CorruptRecordsError(ClientError):
    """A batch whose checksum does not fit its bytes."""

    def __init__(self, place: Place, offset: int) -> None:
        super().__init__(f"{partition_of(place)}: the batch at offset {offset} is corrupt")


def _whole_batches(raw: bytes) -> Iterator[tuple[int, BatchHeader]]:
    """Position and header of each batch; a Fetch may end within one. Raises RecordBatchError."""
    at = 0
    while at + LOG_OVERHEAD <= len(raw):
        size = int.from_bytes(raw[at + 8 : at + 12], "big", signed=True) + LOG_OVERHEAD
        if size <= LOG_OVERHEAD:
            raise CorruptBatchError(f"batch of {size} bytes")
        if at + size > len(raw):
            return
        yield at, read_header(raw, at)
        at += size
