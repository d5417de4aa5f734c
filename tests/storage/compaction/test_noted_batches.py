"""Batches that were noted as a whole are thinned by offsets: with the same result as by keys."""

from array import array
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacompat.protocol.records.batch import BatchHeader, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.compaction import noted_batches, scan_loop
from kafkacompat.storage.compaction.batch_rules import BatchRules, Verdict
from kafkacompat.storage.compaction.clean_rules import DELETE_EMPTY, RETAIN_EMPTY, RoundTransactions
from kafkacompat.storage.compaction.noted_batches import NotedBatches
from kafkacompat.storage.txn_index import AbortedTransaction
from tests.storage.compaction.scans import SCANNERS, NewScanner, Scans
from tests.storage.compaction.test_scan_arrays import BATCH, built, outcome

STAYS, GOES = (
    Verdict(RETAIN_EMPTY, drops=False, ends_nothing=False),
    Verdict(DELETE_EMPTY, drops=False, ends_nothing=False),
)
CODED = 4


def a_batch(base_offset: int, count: int = 3, **arguments: Any) -> memoryview:
    records = [
        Record(
            base_offset + place,
            1_000 + 70 * place,
            b"key-%d" % (base_offset + place),
            b"value" * (1 + 2_000 * (place % 2)),
        )
        for place in range(count)
    ]
    return memoryview(bytes(build_batch(records, base_offset=base_offset, **arguments)))


def header_of(base_offset: int, count: int = 3) -> BatchHeader:
    return read_header(a_batch(base_offset, count))


def rules() -> BatchRules:
    return BatchRules(RoundTransactions([]), {}, upper_bound=1 << 40, now_ms=5_000, delete_retention_ms=100)


def noted(*headers: BatchHeader, newest: tuple[int, ...] = (), tombstones: tuple[int, ...] = ()) -> NotedBatches:
    found = NotedBatches()
    for header in headers:
        found.add(header, is_noted=True)
    found.finish(array("q", newest), array("q", tombstones))
    return found


def test_ranges_end_at_batches_that_were_not_noted() -> None:
    found = NotedBatches()
    headers = [header_of(base) for base in (0, 3, 9, 12, 15, 20)]
    for header in headers:
        found.add(header, is_noted=header.base_offset not in (9, 15))
    assert [found.has(header) for header in headers] == [True, True, False, True, False, True]
    assert not found.has(header_of(4, 9)), "it goes on behind the range"
    assert not found.has(header_of(30))


def test_aborted_batches_are_in_no_range() -> None:
    found = NotedBatches()
    found.add(header_of(0), is_noted=True)
    found.interrupt()
    found.add(header_of(6), is_noted=True)
    assert [found.has(header_of(base)) for base in (0, 3, 6)] == [True, False, True]


def test_a_log_whose_offsets_do_not_ascend_is_thinned_by_keys() -> None:
    found = noted(header_of(0), header_of(3))
    assert found.has(header_of(0))
    found.add(header_of(5), is_noted=True)
    found.add(header_of(20), is_noted=True)
    assert not any(found.has(header_of(base)) for base in (0, 3, 5, 20))


def test_ranges_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noted_batches, "MAX_RANGES", 2)
    found = NotedBatches()
    for base in range(0, 60, 3):
        found.add(header_of(base), is_noted=base % 2 == 0)
    assert [base for base in range(0, 60, 3) if found.has(header_of(base))] == [0, 6]


def test_tombstones_that_may_go_are_looked_at() -> None:
    header = header_of(0)
    found = noted(header)
    assert found.has(header)
    header.attributes |= 0x40
    assert not found.has(header)


@pytest.mark.parametrize("codec", [0, CODED])
def test_what_stays_is_at_the_newest_offsets(codec: int) -> None:
    batch = a_batch(10, 5, compression=codec)
    header = read_header(batch)
    written = noted(header, newest=(9, 11, 12, 14, 15)).thinned(header, batch, rules(), STAYS)
    assert written is not None
    data, max_ms = written
    assert [record.offset for record in read_records(data)] == [11, 12, 14]
    assert list(read_records(data)) == [record for record in read_records(batch) if record.offset in (11, 12, 14)]
    assert max_ms == read_header(data).max_timestamp == 1_280
    written = noted(header, newest=(10, 11)).thinned(header, batch, rules(), STAYS)
    assert written is not None
    assert written[1] == 1_070


def test_a_batch_of_which_all_or_nothing_stays_is_not_opened() -> None:
    batch = bytearray(a_batch(10, 3, compression=CODED))
    batch[61:] = b"not compressed at all"
    header = read_header(batch)
    view = memoryview(batch)
    assert noted(header, newest=(10, 11, 12)).thinned(header, view, rules(), STAYS) == (view, header.max_timestamp)
    assert noted(header, newest=(9, 13)).thinned(header, view, rules(), GOES) is None
    emptied = noted(header, newest=(9, 13)).thinned(header, view, rules(), STAYS)
    assert emptied is not None
    assert read_header(emptied[0]).record_count == 0


def test_a_tombstone_that_stays_gets_a_horizon() -> None:
    records = [Record(place, 1_000 + place, b"key-%d" % place, None if place == 1 else b"value") for place in range(3)]
    batch = memoryview(build_batch(records))
    header = read_header(batch)
    for newest in ((0, 1, 2), (1, 2)):
        written = noted(header, newest=newest, tombstones=(1, 7)).thinned(header, batch, rules(), STAYS)
        assert written is not None
        assert read_header(written[0]).has_delete_horizon
        assert list(read_records(written[0])) == [records[offset] for offset in newest]
    for tombstones in ((), (7,)):
        assert noted(header, newest=(0, 1, 2), tombstones=tombstones).thinned(header, batch, rules(), STAYS) == (
            batch, 1_002
        )  # fmt: skip


@pytest.mark.parametrize("new", SCANNERS)
def test_batches_that_were_seen_are_thinned_by_offsets(new: NewScanner, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    thinned = NotedBatches.thinned

    def spy(self: NotedBatches, header: BatchHeader, *arguments: Any) -> Any:
        seen.append(header.base_offset)
        return thinned(self, header, *arguments)

    monkeypatch.setattr(NotedBatches, "thinned", spy)
    batch = a_batch(10)
    assert Scans(new, batch).thin(batch) == batch
    assert seen == [10]
    assert Scans(new, batch, first_dirty=11).thin(batch) == batch
    assert Scans(new, batch, keys=2).thin(batch) == batch
    assert seen == [10]


@pytest.mark.parametrize("new", SCANNERS)
def test_a_batch_that_only_the_index_pass_took_for_aborted_stays(new: NewScanner) -> None:
    """Whatever made it do so: what is not in the map is superseded by nothing."""
    batches = [a_batch(base, producer_id=7, producer_epoch=0, base_sequence=base, is_transactional=base == 3)
               for base in (0, 3, 6)]  # fmt: skip
    scans = Scans(new)
    pairs = [(read_header(batch), batch) for batch in batches]
    assert scans.scanner.index(pairs, RoundTransactions([AbortedTransaction(7, 3, 5, 5)]), 0)
    assert [scans.thin(batch) for batch in batches] == batches


@pytest.mark.parametrize("new", SCANNERS)
def test_a_full_map_ends_in_the_middle_of_a_batch(new: NewScanner) -> None:
    batch = a_batch(10, 5)
    scans = Scans(new, keys=2)
    assert not scans.index(batch)
    assert scans.scanner.end_offset == 12
    assert scans.thin(batch) == batch


@pytest.mark.parametrize("new", SCANNERS)
def test_of_a_sparse_batch_the_newest_records_stay(new: NewScanner) -> None:
    records = [Record(offset, 1_000, key, b"value") for offset, key in ((10, b"a"), (12, b"b"), (13, b"a"))]
    batch = memoryview(bytes(build_batch(records, base_offset=10)))
    found = Scans(new, batch).thin(batch)
    assert found is not None
    assert list(read_records(found)) == records[1:]


@pytest.mark.parametrize("new", SCANNERS)
@given(
    descriptions=st.lists(BATCH, min_size=1, max_size=8), keys=st.sampled_from([1, 3, 8, 100, 100]),
    first_dirty=st.sampled_from([0, 0, 0, 3]), has_null_keys=st.booleans(),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_offsets_tell_what_keys_tell(
    new: NewScanner, descriptions: list[dict[str, Any]], keys: int, first_dirty: int, has_null_keys: bool
) -> None:
    """And the loop for usual batches what the one for all of them tells."""
    if not has_null_keys:
        for each in descriptions:
            each["records"] = [(key or b"", *rest) for key, *rest in each["records"]]
    batches, aborted = built(descriptions)
    found = outcome(new, batches, aborted, keys, first_dirty)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NotedBatches, "has", lambda *_: False)
        patch.setattr(scan_loop, "read_keys", lambda *_: None)
        assert outcome(new, batches, aborted, keys, first_dirty) == found
