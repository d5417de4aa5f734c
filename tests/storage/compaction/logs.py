"""Logs to compact: written by operations that a list describes, and cleaned as the broker does it."""

from typing import Any

from kafkacompat.config.topic import TopicConfig
from kafkacompat.protocol.records.batch import BatchHeader, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.compaction.clean_pass import Pass
from kafkacompat.storage.compaction.offset_map import ENTRY_BYTES
from kafkacompat.storage.compaction.plan import plan
from kafkacompat.storage.compaction.request import Request
from kafkacompat.storage.log import Log
from tests.storage.compaction.scans import LOOP, NewScanner
from tests.storage.support import START_MS, append, at

SECRET = bytes(16)
Op = tuple[Any, ...]


def write(log: Log, ops: "list[Any]") -> None:
    """Operations: ("put", producer or None, [(key, value)], codec), ("commit" or "abort", producer), ("roll",).

    A producer's id is its number; in transactions all its batches are.
    """
    sequences: dict[int, int] = {}
    for ms, op in enumerate(ops, 1):
        if op[0] == "put":
            _, producer, pairs, codec = op
            records = [Record(i, START_MS + ms + i, key, value) for i, (key, value) in enumerate(pairs)]
            fields: dict[str, int | bool] = {"compression": codec}
            if producer is not None:
                assert isinstance(producer, int)
                sequence = sequences.get(producer, 0)
                sequences[producer] = sequence + len(records)
                fields |= {
                    "producer_id": producer, "producer_epoch": 0, "base_sequence": sequence, "is_transactional": True,
                }  # fmt: skip
            append(log, memoryview(build_batch(records, **fields)), ms=ms)  # type: ignore[arg-type]
        elif op[0] == "roll":
            if log.segments.active is not None and log.segments.active.size_bytes:
                log._roll(log.log_end_offset, at(ms))
        else:
            marker(log, op[1], COMMIT if op[0] == "commit" else ABORT, ms)


def marker(log: Log, producer: int, kind: int, ms: int) -> None:
    record = Record(0, START_MS + ms, encode_key(kind), encode_end_transaction(0))
    batch = build_batch(
        [record], producer_id=producer, producer_epoch=0, is_transactional=True, is_control=True
    )  # fmt: skip
    append(log, memoryview(batch), ms=ms, internal=True)
    log.producers.replicated_to(log.log_end_offset)


def request(
    log: Log, *, first_dirty: int = 0, limit: int | None = None, keys: int = 1_000_000, ms: int = 0
) -> tuple[Request, list[object]]:
    """What the broker asks for, and the segments."""
    config: TopicConfig = log.config
    stable = log.producers.last_stable_offset(log.log_end_offset, log.log_start_offset)
    found = plan(
        log.segments.all, first_dirty, stable if limit is None else limit, config, at(ms).wall_ms,
        lambda _: 0, lambda _: 0,
    )  # fmt: skip
    active = log.segments.active
    assert active is not None
    asked = Request(
        path=log.path, segments=[(each.base_offset, each.size_bytes) for each in found.segments],
        first_dirty=found.first_dirty, upper_bound=found.upper_bound,
        aborted=[entry[1:] for entry in active.txn_index.entries()],
        indexed=[base for base in log.segments.aborted.base_offsets if base < active.base_offset],
        last_records={id_: (entry.last_offset, entry.epoch) for id_, entry in log.producers.entries.items()},
        secret=SECRET, map_bytes=keys * ENTRY_BYTES, now_ms=at(ms).wall_ms,
        delete_retention_ms=config.delete_retention_ms,
        segment_bytes=config.segment_bytes, max_index_bytes=config.segment_index_bytes,
        index_interval_bytes=config.index_interval_bytes, bytes_per_second=1e300,
    )  # fmt: skip
    return asked, list(found.segments)


def compact(
    log: Log, *, first_dirty: int = 0, limit: int | None = None, keys: int = 1_000_000, ms: int = 0,
    new: NewScanner = LOOP,
) -> int:  # fmt: skip
    """One pass. Returns where the next one finds the log dirty."""
    asked, segments = request(log, first_dirty=first_dirty, limit=limit, keys=keys, ms=ms)
    if not asked.segments or asked.upper_bound <= asked.first_dirty:
        return first_dirty
    asked.map_bytes = keys * new.entry_bytes
    running = Pass(log.fs, asked, scanner=new.make)
    end, groups = running.index()
    for group in groups:
        old = [each for each in segments if each.base_offset in group]  # type: ignore[attr-defined]
        assert log.replace_segments(old, running.clean(group), at(ms))  # type: ignore[arg-type]
    return end


def batches(log: Log) -> list[tuple[BatchHeader, list[Record]]]:
    return [
        (header, list(read_records(data, 0, header)))
        for header, data in log.batches(log.log_start_offset, log.log_end_offset)
    ]


def content(log: Log) -> list[Record]:
    """All records but those of markers."""
    return [record for header, records in batches(log) if not header.is_control for record in records]


def committed(log: Log, *, from_offset: int | None = None, end_offset: int | None = None) -> list[Record]:
    """What a reader of committed records gets, as clients filter it; from the log start to the last stable offset."""
    start = offset = log.log_start_offset if from_offset is None else from_offset
    end = end_offset
    if end is None:
        end = log.producers.last_stable_offset(log.log_end_offset, log.log_start_offset)
    found: list[Record] = []
    piece = log.read(offset, 1 << 30, end_offset=end, at_least_one=True)
    while len(piece):
        aborted = sorted(log.segments.aborted_in(offset, piece, log.log_end_offset), key=lambda each: each.first_offset)
        open_: set[int] = set()
        data = memoryview(piece.read(0, len(piece)))
        piece.release()
        at_byte = 0
        while at_byte < len(data):
            header = read_header(data, at_byte)
            while aborted and aborted[0].first_offset <= header.last_offset:
                open_.add(aborted.pop(0).producer_id)
            if header.is_control:
                for record in read_records(data, at_byte, header):
                    if record.key == encode_key(ABORT):
                        open_.discard(header.producer_id)
            elif not (header.is_transactional and header.producer_id in open_):
                found += [record for record in read_records(data, at_byte, header) if record.offset >= start]
            at_byte += header.size_bytes
            offset = header.next_offset
        piece = log.read(offset, 1 << 30, end_offset=end, at_least_one=True)
    piece.release()
    return found
