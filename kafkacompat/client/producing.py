"""Produce: records are put into batches by partition, and sent to leaders with one request at a time for each."""

from __future__ import annotations

import random
import time
from typing import NamedTuple

from kafkacompat.client.client import pauses_s
from kafkacompat.client.errors import BrokerError, UnreachableError
from kafkacompat.client.partitioner import partition_of_key
from kafkacompat.client.texts import partition_of
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import (
    ACKS_ALL,
    ACKS_NONE,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    UNKNOWN_OFFSET,
)
from kafkacompat.protocol.records.batch import increment_sequence
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.client.client import Client, Place
    from kafkacompat.protocol.records.builder import Header

BATCH_BYTES = 512 * 1024
"""Of records before compression; half of what brokers accept by default, since keys and lengths are estimated."""
RECORD_OVERHEAD_BYTES = 40
"""Estimated: lengths, deltas and a length for each header."""
BUFFER_BYTES = 8 * 1024 * 1024
MAX_BATCH_RECORDS = 50_000
_NAMED_VERSION = 12
"""The last version with topics' names: from 13 on there are ids (KIP-516)."""
_RETRIED = errors.RETRIABLE - {errors.CORRUPT_MESSAGE, errors.UNKNOWN_TOPIC_OR_PARTITION, errors.UNKNOWN_TOPIC_ID}
_WRITTEN_ALREADY = errors.DUPLICATE_SEQUENCE_NUMBER


class OutgoingRecord(NamedTuple):
    """A record to write. `timestamp` is in ms; None: now. `partition` None: by key, or any without one."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[Header] = ()
    timestamp: int | None = None
    partition: int | None = None


class Delivered(NamedTuple):
    """Where a record is. `offset` is -1 with acks=0; `timestamp` is the broker's with LogAppendTime."""

    topic: str
    partition: int
    offset: int
    timestamp: int


class _Batch:
    """Records for one partition. `numbers` are their places in the order of `send`."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.numbers: list[int] = []
        self.size_bytes = 0
        self.sequence = NO_SEQUENCE

    def is_full(self, more_bytes: int) -> bool:
        return bool(self.records) and (
            self.size_bytes + more_bytes > BATCH_BYTES or len(self.records) >= MAX_BATCH_RECORDS
        )


class Producer:
    """Writes records. `acks` is -1 (all), 1 or 0; `compression` a name of Kafka's. Raises ValueError for others.

    With acks=-1 it is idempotent, so that a retry writes nothing twice. Topics are created on use with `auto_create`.
    """

    def __init__(
        self, client: Client, *, acks: int = ACKS_ALL, compression: str = "none", auto_create: bool = False
    ) -> None:
        self._client = client
        self._acks = acks
        self._codec = NAMES.index(compression)
        self._auto_create = auto_create
        self._counts: dict[str, int] = {}
        self._sticky: dict[str, int] = {}
        self._batches: dict[Place, list[_Batch]] = {}
        self._sent = 0
        self._sequences: dict[Place, int] = {}
        self._producer_id, self._producer_epoch = NO_PRODUCER_ID, NO_PRODUCER_EPOCH
        self._is_started = acks != ACKS_ALL
        self._transactional_id: str | None = None
        self._produce_version = _NAMED_VERSION
        self.buffered_bytes = 0

    def send(self, topic: str, record: OutgoingRecord) -> None:
        """Buffer a record; call `flush` when `is_full`. Raises BrokerError if there is no such topic or partition."""
        place = (topic, self._partition(topic, record))
        timestamp = int(time.time() * 1000) if record.timestamp is None else record.timestamp
        size = RECORD_OVERHEAD_BYTES * (1 + len(record.headers)) + len(record.key or b"") + len(record.value or b"")
        batches = self._batches.setdefault(place, [_Batch()])
        if batches[-1].is_full(size):
            batches.append(_Batch())
        batch = batches[-1]
        batch.records.append(Record(len(batch.records), timestamp, record.key, record.value, record.headers))
        batch.numbers.append(self._sent)
        batch.size_bytes += size
        self.buffered_bytes += size
        self._sent += 1

    @property
    def is_full(self) -> bool:
        """Whether `flush` is due."""
        return self.buffered_bytes >= BUFFER_BYTES

    def flush(self) -> list[Delivered]:
        """Send what is buffered, and return where each record is, in the order of `send`. Raises ClientError: then
        some of the records may not be written.
        """
        if not self._is_started:
            self._start()
        delivered: dict[int, Delivered] = {}
        while self._batches:
            wave = {place: batches[0] for place, batches in self._batches.items()}
            for place, batch in wave.items():
                self._number(place, batch)
            self._deliver(wave, delivered)
            self._batches = {place: batches[1:] for place, batches in self._batches.items() if len(batches) > 1}
        self._sent = 0
        self._sticky.clear()
        self.buffered_bytes = 0
        return [delivered[number] for number in sorted(delivered)]

    def _partition(self, topic: str, record: OutgoingRecord) -> int:
        count = self._counts.get(topic)
        if count is None:
            count = self._counts[topic] = len(self._client.partitions(topic, auto_create=self._auto_create))
        if record.partition is not None:
            if not 0 <= record.partition < count:
                raise BrokerError(errors.UNKNOWN_TOPIC_OR_PARTITION, f"partition {record.partition} of topic {topic!r}")
            return record.partition
        if record.key is not None:
            return partition_of_key(record.key, count)
        if topic not in self._sticky:
            self._sticky[topic] = random.randrange(count)
        return self._sticky[topic]

    def _start(self) -> None:
        """Get a producer id. Old brokers ask for a right of its own: without it there is none."""
        from kafkacompat.protocol.messages import init_producer_id as messages

        self._is_started = True
        request = messages.InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)
        for pause_s in pauses_s(time.monotonic() + self._client.timeout_s):
            answer = self._client.call(messages, request)
            if answer.error_code not in errors.RETRIABLE or pause_s is None:
                break
            time.sleep(pause_s)
        if answer.error_code == errors.NONE:
            self._producer_id, self._producer_epoch = answer.producer_id, answer.producer_epoch
        elif answer.error_code != errors.CLUSTER_AUTHORIZATION_FAILED:
            raise BrokerError(answer.error_code, "producer id")

    def _number(self, place: Place, batch: _Batch) -> None:
        if self._producer_id != NO_PRODUCER_ID:
            batch.sequence = self._sequences.get(place, 0)
            self._sequences[place] = increment_sequence(batch.sequence, len(batch.records))

    def _deliver(self, wave: dict[Place, _Batch], delivered: dict[int, Delivered]) -> None:
        """Send one batch for each partition, again while leaders move."""
        todo = wave
        for pause_s in pauses_s(time.monotonic() + self._client.timeout_s):
            failed: dict[Place, _Batch] = {}
            for leader, places in self._client.by_leader(todo).items():
                for place, (code, offset, time_ms, message) in self._ask(leader, places, todo).items():
                    if code in (errors.NONE, _WRITTEN_ALREADY):
                        self._note(place, todo[place], offset, time_ms, delivered)
                    elif pause_s is not None and (code in _RETRIED or self._client.is_stale(code, place)):
                        failed[place] = todo[place]
                    else:
                        raise BrokerError(code, partition_of(place), message)
            todo = failed
            if not todo:
                return
            if pause_s is not None:
                time.sleep(pause_s)
                self._client.refresh_leaders(todo)

    def _ask(
        self, leader: int, places: list[Place], wave: dict[Place, _Batch]
    ) -> dict[Place, tuple[int, int, int, str | None]]:
        """Error code, base offset, log append time and message for each partition."""
        if leader < 0:
            return dict.fromkeys(places, (errors.LEADER_NOT_AVAILABLE, UNKNOWN_OFFSET, NO_TIMESTAMP, None))
        from kafkacompat.protocol.messages import produce as messages

        topics: dict[str, list[messages.PartitionProduceData]] = {}
        for place in places:
            data = messages.PartitionProduceData(place[1], self._encode(wave[place]))
            topics.setdefault(place[0], []).append(data)
        request = messages.ProduceRequest(
            transactional_id=self._transactional_id, acks=self._acks, timeout_ms=int(self._client.timeout_s * 1000),
            topic_data=[messages.TopicProduceData(name=topic, partition_data=data) for topic, data in topics.items()],
        )  # fmt: skip
        try:
            if self._acks == ACKS_NONE:
                connection = self._client.node(leader)
                connection.send(
                    messages, request, timeout_s=self._client.timeout_s, max_version=self._produce_version,
                    has_answer=False,
                )  # fmt: skip
                return dict.fromkeys(places, (errors.NONE, UNKNOWN_OFFSET, NO_TIMESTAMP, None))
            response = self._client.call_node(leader, messages, request, max_version=self._produce_version)
        except UnreachableError as error:
            return dict.fromkeys(places, (errors.NETWORK_EXCEPTION, UNKNOWN_OFFSET, NO_TIMESTAMP, str(error)))
        return {
            (topic.name, each.index): (each.error_code, each.base_offset, each.log_append_time_ms, each.error_message)
            for topic in response.responses
            for each in topic.partition_responses
        }

    def _encode(self, batch: _Batch) -> memoryview:
        has_id = self._producer_id != NO_PRODUCER_ID
        return memoryview(
            build_batch(
                batch.records, compression=self._codec, producer_id=self._producer_id,
                producer_epoch=self._producer_epoch, base_sequence=batch.sequence if has_id else NO_SEQUENCE,
                is_transactional=self._transactional_id is not None,
            )
        )  # fmt: skip

    @staticmethod
    def _note(place: Place, batch: _Batch, offset: int, time_ms: int, delivered: dict[int, Delivered]) -> None:
        for index, (number, record) in enumerate(zip(batch.numbers, batch.records, strict=True)):
            timestamp = record.timestamp if time_ms < 0 else time_ms
            delivered[number] = Delivered(*place, offset + index if offset >= 0 else UNKNOWN_OFFSET, timestamp)
