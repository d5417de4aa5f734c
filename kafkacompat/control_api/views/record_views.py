"""Records of one partition, with what a consumer is not told: producers, markers, what is not committed."""

from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol.records.compression import NAMES as CODECS
from kafkacompat.steps import UNITS_PER_ITERATION
from kafkacompat.storage.errors import LogError, UnfinishedError
from kafkacompat.storage.txn_index import Search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.protocol.records.builder import Record
    from kafkacompat.replication.partition import Partition
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

    Plain = dict[str, Any]

RECORDS_MAX = 10_000
"""The most records of one page."""
PAGE_MAX_BYTES = 4 << 20
"""A page ends behind the record with which its keys, values and headers reach this size."""
RECORDS_PER_YIELD = 50
COMMITTED, ABORTED, OPEN, ABOVE_HIGH_WATERMARK = "committed", "aborted", "open", "above_hw"


class NotFoundError(KafkaCompatError):
    """What was asked for does not exist here; the message says what to do."""


def records(
    server: "BrokerServer", topic: str, partition: int, *, from_offset: int | None = None, limit: int = 100
) -> "Steps[Plain]":
    """A page of at most `limit` records (up to RECORDS_MAX) of this broker's replica, from an offset on.

    from_offset: None is the log start; an offset before it counts as the log start, one beyond the end is an empty
    page. The answer has `topic`, `partition`, `broker`, `is_leader`, `log_start_offset`, `high_watermark`,
    `last_stable_offset`, `log_end_offset`, `records`, and `next_offset` for the next page (None: that is all). Raises
    NotFoundError without such a replica, KafkaCompatError if the log cannot be read.
    """
    replica = _replica(server, topic, partition)
    log = replica.log
    page: Plain = {
        "topic": topic,
        "partition": partition,
        "broker": replica.node_id,
        "is_leader": replica.is_leader,
        "log_start_offset": log.log_start_offset,
        "high_watermark": replica.high_watermark,
        "last_stable_offset": replica.last_stable_offset,
        "log_end_offset": log.log_end_offset,
        "records": [],
        "next_offset": None,
    }
    limit = max(0, min(limit, RECORDS_MAX))
    offset = log.log_start_offset if from_offset is None else max(from_offset, log.log_start_offset)
    end_offset = log.log_end_offset
    found: list[Plain] = page["records"]
    size_bytes = since_yield = 0
    aborted: list[tuple[int, int, int]] | None = None
    while offset < end_offset:
        if len(found) >= limit or size_bytes >= PAGE_MAX_BYTES:
            page["next_offset"] = offset
            break
        # The log may be truncated between two steps, so each batch is searched by its offset.
        batch = _batch(replica, offset, end_offset)
        if batch is None:
            break
        header, decoded = batch
        if aborted is None and header.is_transactional:  # most logs have none
            aborted = yield from _aborted(replica, offset, end_offset)
        for record in decoded:
            if record.offset < offset:
                continue
            if len(found) >= limit or size_bytes >= PAGE_MAX_BYTES:
                break
            found.append(_record(record, header, replica, aborted or []))
            size_bytes += _size_bytes(record)
            offset = record.offset + 1
            since_yield += 1
            if since_yield >= RECORDS_PER_YIELD:
                yield since_yield
                since_yield = 0
        else:
            offset = header.next_offset
    return page


def _replica(server: "BrokerServer", topic: str, partition: int) -> "Partition":
    broker = server.broker
    replica = broker.partitions.get(topic, partition)
    if replica is not None:
        return replica
    image = broker.image.topics.get(topic)
    if image is None:
        raise NotFoundError(f"there is no topic {topic!r}: `topics` lists those that exist")
    if not 0 <= partition < len(image.partitions):
        raise NotFoundError(f"topic {topic!r} has {len(image.partitions)} partitions, so there is no {partition}")
    on = image.partitions[partition].replicas
    raise NotFoundError(f"broker {broker.node_id} has no replica of {topic}-{partition}: ask one of {list(on)}")


def _batch(replica: "Partition", offset: int, end_offset: int) -> "tuple[BatchHeader, Iterator[Record]] | None":
    """The header of the batch that holds an offset, and its records; None if there is none any more."""
    try:
        for header, data in replica.log.batches(offset, end_offset):
            return header, _decoded(replica, header, data)
    except LogError as error:
        raise _unreadable(replica, offset, error) from error
    return None


def _decoded(replica: "Partition", header: "BatchHeader", data: memoryview) -> "Iterator[Record]":
    from kafkacompat.protocol.records.batch import RecordBatchError
    from kafkacompat.protocol.records.reader import read_records

    try:
        yield from read_records(data, 0, header)
    except RecordBatchError as error:
        raise _unreadable(replica, header.base_offset, error) from error


def _unreadable(replica: "Partition", offset: int, error: Exception) -> KafkaCompatError:
    return KafkaCompatError(f"{replica.topic}-{replica.index} cannot be read at offset {offset}: {error}")


def _aborted(replica: "Partition", offset: int, end_offset: int) -> "Steps[list[tuple[int, int, int]]]":
    """The aborted transactions with records in this range: producer id, first offset, offset of the marker."""
    while True:
        search = Search()
        try:
            _search(replica, offset, end_offset, search)
        except UnfinishedError:  # the next search goes on from there
            yield UNITS_PER_ITERATION
            continue
        return [(each.producer_id, each.first_offset, each.last_offset) for each in search.found]


def _search(replica: "Partition", offset: int, end_offset: int, search: Search) -> None:
    """Raises UnfinishedError, and KafkaCompatError if the log cannot be read."""
    segments = replica.log.segments
    for segment in segments.from_offset(offset):
        try:
            if segments.aborted.overlapping(segment, offset, end_offset, search):
                return
        except UnfinishedError:
            raise
        except (LogError, OSError) as error:
            raise _unreadable(replica, segment.base_offset, error) from error


def _state(offset: int, header: "BatchHeader", replica: "Partition", aborted: list[tuple[int, int, int]]) -> str:
    if offset >= replica.high_watermark:
        return ABOVE_HIGH_WATERMARK
    if header.is_transactional and not header.is_control:
        producer_id = header.producer_id
        if any(producer_id == other and first <= offset <= last for other, first, last in aborted):
            return ABORTED
        entry = replica.log.producers.entries.get(producer_id)
        if entry is not None and 0 <= entry.transaction_first_offset <= offset:
            return OPEN
    return COMMITTED


def _record(
    record: "Record", header: "BatchHeader", replica: "Partition", aborted: list[tuple[int, int, int]]
) -> "Plain":
    is_control = header.is_control
    key, key_encoding = tagged(record.key)
    value, value_encoding = tagged(record.value)
    return {
        "offset": record.offset,
        "timestamp": record.timestamp,
        "timestamp_type": "log_append_time" if header.is_log_append_time else "create_time",
        "leader_epoch": header.leader_epoch,
        "key": key,
        "key_encoding": key_encoding,
        "value": value,
        "value_encoding": value_encoding,
        "headers": [_header(name, content) for name, content in record.headers],
        "producer_id": header.producer_id,
        "producer_epoch": header.producer_epoch,
        "is_transactional": header.is_transactional,
        "control": _control(record) if is_control else None,
        "state": _state(record.offset, header, replica, aborted),
        "codec": CODECS[header.compression],
    }


def tagged(data: bytes | None) -> tuple[str | None, str | None]:
    """Bytes as a text and its encoding: "utf8", or "base64" for bytes that are none. None has neither."""
    if data is None:
        return None, None
    try:
        return str(data, "utf-8"), "utf8"
    except UnicodeDecodeError:
        from binascii import b2a_base64

        return b2a_base64(data, newline=False).decode(), "base64"


def _header(name: str, content: bytes | None) -> list[str | None]:
    """[name, value], or [name, value, "base64"] for a value that is no UTF-8."""
    value, encoding = tagged(content)
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return [shown, value, encoding] if encoding == "base64" else [shown, value]


def _control(record: "Record") -> str:
    from kafkacompat.protocol.records.batch import CorruptBatchError
    from kafkacompat.protocol.records.control import NAMES, decode_key

    try:
        kind = decode_key(record.key)
    except CorruptBatchError:
        return "unknown"
    return NAMES.get(kind, str(kind)).lower()


def _size_bytes(record: "Record") -> int:
    headers = sum(len(name) + len(value or b"") for name, value in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers
