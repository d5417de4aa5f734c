"""The scanner with arrays leaves byte for byte what the one in plain Python leaves, and refuses what that refuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacompat.protocol.columns import record_decoder
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.records.batch import RecordBatchError, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from kafkacompat.protocol.records.reader import record_bytes
from kafkacompat.protocol.varint import put_varint, read_varint
from kafkacompat.storage.compaction import scan_arrays
from kafkacompat.storage.compaction.batch_rules import BatchRules
from kafkacompat.storage.compaction.clean_rules import RoundTransactions
from kafkacompat.storage.compaction.thinned_batch import room_for_header, without_some
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.txn_index import AbortedTransaction
from tests.storage.compaction.logs import compact, write
from tests.storage.compaction.scans import ARRAYS, LOOP, NewScanner
from tests.storage.compaction.test_clean_pass import STEP
from tests.storage.support import open_log, topic_config

NOW_MS = 9_000
KEYS = st.sampled_from([None, b"", b"a", b"b", b"key", b"12345678", b"123456789", b"k" * 300, b"k" * 299 + b"l"])
VALUES = st.sampled_from([None, None, b"", b"v", b"v" * 100, b"v" * 9000])
RECORD = st.tuples(
    KEYS, VALUES, st.integers(-(10**6), 10**6), st.sampled_from([0, 0, 0, 3]), st.lists(
        st.tuples(st.sampled_from(["", "name"]), st.sampled_from([None, b"x" * 70])), max_size=2
    )
)  # fmt: skip
BATCH = st.fixed_dictionaries({
    "records": st.lists(RECORD, min_size=1, max_size=6),
    "codec": st.integers(0, 4),
    "producer": st.sampled_from([None, 1, 2]),
    "marker": st.sampled_from([None, None, None, ABORT, COMMIT]),
    "timestamp_type": st.integers(0, 1),
    "damage": st.sampled_from(["none"] * 12 + ["byte", "long varint", "cut", "more", "count"]),
    "at": st.integers(0, 2000),
    "value": st.integers(0, 255),
})  # fmt: skip


def damaged(batch: bytearray, how: str, at: int, value: int) -> bytearray:
    """The batch with other records behind a correct checksum."""
    header = read_header(batch)
    data = bytearray(record_bytes(batch, 0, header))
    count = header.record_count
    if how == "byte":
        data[at % len(data)] = value
    elif how == "long varint":  # the length of the first record in as many bytes as `value` says
        size, rest = read_varint(data, 0)
        raw = bytearray()
        put_varint(raw, size)
        raw[-1] |= 0x80
        while len(raw) < 2 + value % 10:
            raw.append(0x80)
        data[:rest] = raw + b"\0"
    elif how == "cut":
        del data[at % len(data) :]
    elif how == "more":
        data += b"\0"
    else:
        count = [0, -1, count + 1, 1 << 30][value % 4]
    return without_some(header, room_for_header() + data, count, header.max_timestamp)


def built(descriptions: list[dict[str, object]]) -> tuple[list[memoryview], list[AbortedTransaction]]:
    offset, found, open_, aborted = 0, [], {}, []
    for each in descriptions:
        producer, base = each["producer"], offset
        fields: dict[str, object] = {"base_offset": base, "timestamp_type": each["timestamp_type"]}
        if producer is not None:
            fields |= {"producer_id": producer, "producer_epoch": 0, "base_sequence": 0, "is_transactional": True}
            open_.setdefault(producer, base)
        if producer is not None and each["marker"] is not None:
            if each["marker"] == ABORT:
                aborted.append(AbortedTransaction(producer, open_[producer], base, base))
            del open_[producer]
            record = Record(base, NOW_MS, encode_key(each["marker"]), encode_end_transaction(0))  # type: ignore[arg-type]
            batch = build_batch([record], is_control=True, **fields)  # type: ignore[arg-type]
            offset += 1
        else:
            records = []
            for key, value, ms, gap, headers in each["records"]:  # type: ignore[attr-defined]
                offset += gap
                records.append(Record(offset, 10**7 + ms, key, value, tuple(headers)))
                offset += 1
            batch = build_batch(records, compression=each["codec"], **fields)  # type: ignore[arg-type]
        if each["damage"] != "none":
            batch = damaged(batch, each["damage"], each["at"], each["value"])  # type: ignore[arg-type]
        found.append(memoryview(bytes(batch)))
    return found, aborted


def outcome(
    new: NewScanner, batches: list[memoryview], aborted: list[AbortedTransaction], keys: int, first_dirty: int
) -> list[object]:
    """All that a scanner finds, or its first error: then nothing of what is left is used."""
    scanner, found = new.with_keys(keys), []
    pairs = [(read_header(batch), batch) for batch in batches]
    try:
        transactions = RoundTransactions(aborted)
        for part in (pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]):
            found.append(scanner.index(part, transactions, first_dirty))
            found.append(scanner.end_offset)
            if not found[-2]:
                break
        rules = BatchRules(
            RoundTransactions(aborted), {1: (pairs[-1][0].last_offset, 0), 2: (UNKNOWN_OFFSET, 0)},
            upper_bound=pairs[-1][0].next_offset, now_ms=NOW_MS, delete_retention_ms=100,
        )  # fmt: skip
        found.append([(header.base_offset, bytes(data), max_ms) for header, data, max_ms in scanner.thin(pairs, rules)])
        found += [scanner.without_key, rules.retained]
    except RecordBatchError as error:
        found.append((type(error), str(error)))
    return found


@given(
    descriptions=st.lists(BATCH, min_size=1, max_size=8), keys=st.sampled_from([1, 2, 3, 100]),
    first_dirty=st.sampled_from([0, 0, 3, 1000]), chunk_bytes=st.sampled_from([1, 100, 4 << 20]),
    piece=st.sampled_from([1, 3, 65536]), in_step=st.sampled_from([1, 3, 64]),
)  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_both_scanners_find_the_same(
    descriptions: list[dict[str, object]], keys: int, first_dirty: int, chunk_bytes: int, piece: int, in_step: int
) -> None:
    batches, aborted = built(descriptions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan_arrays, "CHUNK_BYTES", chunk_bytes)
        patch.setattr(scan_arrays, "CHUNK_RECORDS", piece)
        patch.setattr(record_decoder, "MIN_IN_STEP", in_step)
        assert outcome(ARRAYS, batches, aborted, keys, first_dirty) == outcome(
            LOOP, batches, aborted, keys, first_dirty
        )


@given(ops=st.lists(STEP, max_size=30), keys=st.sampled_from([1, 2, 3, 100]))
@settings(max_examples=40, deadline=None)
def test_both_write_the_same_files(ops: list[tuple[object, ...]], keys: int) -> None:
    found = []
    for new in (LOOP, ARRAYS):
        log = open_log(MemFs(), topic_config(segment_bytes=1_500))
        write(log, ops)
        if log.segments.all:
            ends, dirty = [], UNKNOWN_OFFSET
            while not ends or ends[-1] != dirty:
                dirty = ends[-1] if ends else 0
                ends.append(compact(log, first_dirty=dirty, keys=keys, new=new))
            found.append((ends, [bytes(data) for _, data in log.batches(log.log_start_offset, log.log_end_offset)]))
    assert found[:1] == found[1:]
