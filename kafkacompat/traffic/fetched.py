"""Compares answers of Fetch, whose content depends on when the broker looked.

What was acknowledged to a producer before a fetch was sent has to be in its answer, equal on both sides. What was
written meanwhile may be in this answer or in a later one: where both have it, it has to be equal.
"""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.protocol.records.batch import (
    ATTRIBUTES_OFFSET,
    CRC_OFFSET,
    LEADER_EPOCH_OFFSET,
    LOG_OVERHEAD,
    MAX_TIMESTAMP_OFFSET,
    RecordBatchError,
    read_header,
)
from kafkacompat.traffic.bindings import PRODUCER_ID, SESSION_ID, Bindings
from kafkacompat.traffic.invented import Topics, with_producers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from kafkacompat.protocol.primitives import Message

ENDS = ("high_watermark", "last_stable_offset")


class Words(str):
    """What a difference says in words, where it is no value of a field."""

    __slots__ = ()


MISSING = Words("missing")


class FieldDifference(NamedTuple):
    """A field of an answer: its path, what it was in the capture and what it is in the replay."""

    path: str
    was: Any
    is_: Any


class Batch(NamedTuple):
    """A batch of a fetch, without what each broker stamps into it."""

    base_offset: int
    last_offset: int
    content: bytes


def compare_fetches(
    captured: Message, replayed: Message, ends: Mapping[Any, int], bindings: Bindings, topics: Topics
) -> Iterator[FieldDifference]:
    """Where an answer of Fetch differs. ends: of partitions, as acknowledged before the fetch was sent."""
    was: Any = captured
    now: Any = replayed
    if was.error_code != now.error_code:
        yield FieldDifference("error_code", was.error_code, now.error_code)
    if bool(was.session_id) != bool(now.session_id):
        yield FieldDifference("session_id", was.session_id, now.session_id)
    elif was.session_id:
        bindings.bind(SESSION_ID, (), was.session_id, now.session_id)
    before = _partitions(was, topics.label)
    after = _partitions(now, lambda topic_id: topics.label(bindings.captured_topic(topic_id)))
    for place in {**before, **after}:
        at = f"responses[{topic_text(place[0])}-{place[1]}]"
        yield from _partition(at, before.get(place), after.get(place), ends.get(place, 0), bindings)


def _partitions(response: Any, label: Any) -> dict[tuple[object, int], Any]:
    found = {}
    for topic in response.responses:
        name = topic.topic or label(topic.topic_id)
        for partition in topic.partitions:
            found[name, partition.partition_index] = partition
    return found


def _partition(at: str, was: Any, now: Any, end: int, bindings: Bindings) -> Iterator[FieldDifference]:
    if was is not None and now is not None:
        for field in ("error_code", "log_start_offset"):
            if getattr(was, field) != getattr(now, field):
                yield FieldDifference(f"{at}.{field}", getattr(was, field), getattr(now, field))
        for field in ENDS:
            old, new = getattr(was, field), getattr(now, field)
            if old != new and min(old, new) < end:
                yield FieldDifference(f"{at}.{field}", old, new)
        yield from _aborted(at, was.aborted_transactions, now.aborted_transactions, bindings)
    elif (was or now).error_code:
        codes = (was.error_code, 0) if was is not None else (0, now.error_code)
        yield FieldDifference(f"{at}.error_code", *codes)
    yield from _records(at, _batches(was, bindings), _batches(now, None), end)


def _records(
    at: str, was: dict[int, Batch] | None, now: dict[int, Batch] | None, end: int
) -> Iterator[FieldDifference]:
    if was is None or now is None:
        if was is not now:
            yield FieldDifference(
                f"{at}.records", *(Words("unreadable" if each is None else "batches") for each in (was, now))
            )
        return
    for offset in sorted({*was, *now}):
        old, new = was.get(offset), now.get(offset)
        if old is None or new is None:
            if offset < end:  # acknowledged before, so both have to have it
                yield FieldDifference(f"{at}.records at offset {offset}", _state(old), _state(new))
                return
        elif old != new:
            yield FieldDifference(f"{at}.records at offset {offset}", _state(old, new), _state(new, old))
            return


def _batches(partition: Any, bindings: Bindings | None) -> dict[int, Batch] | None:
    """The batches by their base offsets, with the producers of the replay; None for bytes that are none."""
    found: dict[int, Batch] = {}
    records = b"" if partition is None or partition.records is None else bytes(partition.records)
    if bindings is not None:
        records = with_producers(records, bindings) or records
    at = 0
    try:
        while at + LOG_OVERHEAD < len(records):
            header = read_header(records, at)
            if at + header.size_bytes > len(records):
                break  # cut by the limit of bytes
            batch = bytearray(records[at : at + header.size_bytes])
            batch[LEADER_EPOCH_OFFSET : LEADER_EPOCH_OFFSET + 4] = bytes(4)
            batch[CRC_OFFSET:ATTRIBUTES_OFFSET] = bytes(4)
            if header.is_log_append_time:
                batch[MAX_TIMESTAMP_OFFSET : MAX_TIMESTAMP_OFFSET + 8] = bytes(8)
            found[header.base_offset] = Batch(header.base_offset, header.last_offset, bytes(batch))
            at += header.size_bytes
    except RecordBatchError:
        return None
    return found


def _aborted(at: str, was: Any, now: Any, bindings: Bindings) -> Iterator[FieldDifference]:
    old = sorted((bindings.replayed(PRODUCER_ID, (), each.producer_id), each.first_offset) for each in was or ())
    new = sorted((each.producer_id, each.first_offset) for each in now or ())
    if old != new:
        yield FieldDifference(f"{at}.aborted_transactions", old, new)


def _state(batches: Batch | None, other: Batch | None = None) -> str:
    if batches is None:
        return MISSING
    size = f"{batches.last_offset - batches.base_offset + 1} records in {len(batches.content)} bytes"
    if other is not None and len(other.content) == len(batches.content):
        pairs = enumerate(zip(batches.content, other.content, strict=True))
        at = next(number for number, (one, another) in pairs if one != another)
        return Words(f"{size}, {batches.content[at : at + 16]!r} at byte {at}")
    return Words(size)


def topic_text(label: object) -> str:
    return label.hex() if isinstance(label, bytes) else str(label)
