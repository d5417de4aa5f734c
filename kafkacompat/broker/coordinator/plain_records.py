"""Reads the records of a coordinator's batch at once: faster than ``read_records``, which is for any record."""

from kafkacompat.protocol.records.batch import RecordBatchError
from kafkacompat.protocol.records.reader import record_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.records.batch import BatchHeader

    Latest = tuple[bytes | None, int, int]

MAX_BYTE = 0x7F
"""Of a number that takes one byte."""
NO_VALUE = 1
"""The length -1, zigzag."""
MAX_RECORDS = 1_000
"""They are read in one turn of the event loop, about 1 µs each."""


class _UnusualError(Exception):
    """The records are not all plain ones."""


def plain_content(buf: bytes, position: int, header: "BatchHeader") -> bytes | None:
    """What ``plain_records`` reads of the batch at ``position``; None where ``read_records`` has to be asked: more than
    MAX_RECORDS, LogAppendTime, damage.
    """
    if header.record_count > MAX_RECORDS or header.is_log_append_time:
        return None
    try:
        return bytes(record_bytes(buf, position, header))
    except RecordBatchError:
        return None


def plain_records(
    content: bytes, header: "BatchHeader", values: "list[int] | None" = None
) -> "list[tuple[bytes, Latest]] | None":
    """Key, and value, timestamp (ms) and offset of each record. ``values`` gets where each value begins and ends.

    None where ``read_records`` has to be asked: records without a key or with headers, numbers that take more than two
    bytes, damage.
    """
    try:
        return _read(content, header, values)
    except (_UnusualError, IndexError):
        return None


def _read(data: bytes, header: "BatchHeader", values: "list[int] | None") -> "list[tuple[bytes, Latest]]":
    """Numbers below 128 are read without a call."""
    base_offset, base_timestamp, last_delta = header.base_offset, header.base_timestamp, header.last_offset_delta
    found = []
    at = 0
    for _ in range(header.record_count):
        size, at = data[at], at + 1
        if size > MAX_BYTE:
            size, at = _two_bytes(data, at, size)
        end = at + (size >> 1)
        elapsed, at = data[at + 1], at + 2  # behind the attributes
        if elapsed > MAX_BYTE:
            elapsed, at = _two_bytes(data, at, elapsed)
        delta, at = data[at], at + 1
        if delta > MAX_BYTE:
            delta, at = _two_bytes(data, at, delta)
        length, at = data[at], at + 1
        if length > MAX_BYTE:
            length, at = _two_bytes(data, at, length)
        after = at + (length >> 1)
        key = data[at:after]
        length_of_value, at = data[after], after + 1
        if length_of_value > MAX_BYTE:
            length_of_value, at = _two_bytes(data, at, length_of_value)
        value = None
        if length_of_value != NO_VALUE:
            after = at + (length_of_value >> 1)
            value, at = data[at:after], after
            length |= length_of_value
            if values is not None:
                values += (after - (length_of_value >> 1), after)
        # negative numbers, headers, and whatever does not fit
        if (size | delta | length) & 1 or delta >> 1 > last_delta or data[at] or at + 1 != end:
            raise _UnusualError
        at = end
        timestamp = base_timestamp + ((elapsed >> 1) ^ -(elapsed & 1))
        found.append((key, (value, timestamp, base_offset + (delta >> 1))))
    if at != len(data):
        raise _UnusualError
    return found


def _two_bytes(data: bytes, at: int, first: int) -> tuple[int, int]:
    """A number (before zigzag) whose second byte is at ``at``, and the position behind it."""
    second = data[at]
    if second > MAX_BYTE:
        raise _UnusualError
    return first & MAX_BYTE | second << 7, at + 1
