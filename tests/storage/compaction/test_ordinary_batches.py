"""Batches that are taken ahead of the scanner: what stays of them is what the scanner leaves."""

import struct
from functools import partial
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacompat.protocol.constants import LONG_MAX, UNKNOWN_OFFSET
from kafkacompat.protocol.records.batch import CorruptBatchError, RecordBatchError, read_header, stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import LZ4
from kafkacompat.storage import scan
from kafkacompat.storage.compaction import clean_pass, ordinary_batches
from kafkacompat.storage.compaction.batch_rules import BatchRules
from kafkacompat.storage.compaction.clean_rules import RoundTransactions
from kafkacompat.storage.compaction.noted_batches import NotedBatches
from kafkacompat.storage.compaction.offset_map import OffsetMap
from kafkacompat.storage.compaction.record_keys import MAX_RECORDS
from kafkacompat.storage.compaction.scan_loop import LoopScanner
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.txn_index import AbortedTransaction
from tests.storage.compaction.logs import compact, request, write
from tests.storage.compaction.scans import LOOP, SCANNERS, NewScanner, Scans
from tests.storage.compaction.test_scan_arrays import BATCH, NOW_MS, built
from tests.storage.support import open_log, topic_config

SECRET = b"secret of 16 b."
Note = tuple[int, int, int]


class Output:
    """What stays: bytes, and how the batches lie in them."""

    def __init__(self) -> None:
        self.runs: list[tuple[bytes | bytearray | memoryview, list[Note]]] = []

    def add(self, batch: bytes | bytearray | memoryview, last_offset: int, max_timestamp_ms: int) -> None:
        self.add_run(batch, [(len(batch), last_offset, max_timestamp_ms)])

    def add_run(self, batches: bytes | bytearray | memoryview, notes: list[Note]) -> None:
        assert sum(size for size, _, _ in notes) == len(batches)
        self.runs.append((batches, notes))

    def all(self) -> tuple[bytes, list[Note]]:
        return b"".join(data for data, _ in self.runs), [note for _, notes in self.runs for note in notes]


def left_by_a_pass(
    batches: list[memoryview], aborted: list[AbortedTransaction], keys: int, first_dirty: int, read_bytes: int,
    *, ahead: bool,
) -> list[object]:  # fmt: skip
    """What a pass over a file finds, or its first error: then nothing of what is left is used."""
    file = MemFs().open("/file", append=True)
    file.write([b"".join(batches)])
    scanner, output, found = LOOP.with_keys(keys), Output(), list[object]()

    def read(take: "ordinary_batches.Take", from_offset: int = 0) -> Any:
        for _, header, batch in scan.batches(file, 0, file.size(), read_bytes, take if ahead else scan.leave_all):
            if header.last_offset >= from_offset:
                yield header, batch

    try:
        read_all = read(scanner.index_ahead(first_dirty), first_dirty)
        found += [scanner.index(read_all, RoundTransactions(aborted), first_dirty), scanner.end_offset]
        last = read_header(batches[-1])
        rules = BatchRules(
            RoundTransactions(aborted), {1: (last.last_offset, 0), 2: (UNKNOWN_OFFSET, 0)},
            upper_bound=last.next_offset, now_ms=NOW_MS, delete_retention_ms=100,
        )  # fmt: skip
        for header, data, max_ms in scanner.thin(read(scanner.thin_ahead(rules, output)), rules):
            output.add(data, header.last_offset, max_ms)
        found += [output.all(), scanner.without_key, rules.retained]
    except RecordBatchError as error:
        found = [type(error), str(error)]
    return found


@given(
    descriptions=st.lists(BATCH, min_size=1, max_size=12), keys=st.sampled_from([1, 2, 3, 100]),
    first_dirty=st.sampled_from([0, 0, 3, 10, 1000]), read_bytes=st.sampled_from([61, 500, 1 << 18]),
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_what_is_taken_ahead_ends_as_what_is_not(
    descriptions: list[dict[str, object]], keys: int, first_dirty: int, read_bytes: int
) -> None:
    batches, aborted = built(descriptions)
    left = partial(left_by_a_pass, batches, aborted, keys, first_dirty, read_bytes)
    assert left(ahead=True) == left(ahead=False)


def a_batch(base_offset: int, keys: tuple[bytes | None, ...], value: bytes | None = b"v", **fields: Any) -> bytes:
    records = [Record(base_offset + place, NOW_MS + place, key, value) for place, key in enumerate(keys)]
    return bytes(build_batch(records, base_offset=base_offset, **fields))


def changed(batch: bytes, at: int, form: str, value: int) -> bytes:
    """The batch with another field, and the checksum of that."""
    data = bytearray(batch)
    struct.pack_into(form, data, at, value)
    stamp_crc(data, 0, len(data))
    return bytes(data)


KEYS = (b"a", b"b", b"a")
GOOD = [a_batch(3 * number, KEYS, compression=number) for number in range(5)]
PRODUCER = {"producer_id": 7, "producer_epoch": 0, "base_sequence": 0}
LEFT = {
    "transactional": a_batch(3, KEYS, is_transactional=True, **PRODUCER),
    "damaged": a_batch(3, KEYS).replace(b"\x02b\x02v", b"\x02c\x02v"),
    "cut off": GOOD[1][:-1],
    "less than a header": GOOD[1][:60],
    "an old format": GOOD[1][:16] + b"\1" + GOOD[1][17:],
    **{f"length {length}": changed(GOOD[1], 8, ">i", length) for length in (48, -12, -13, -(2**31))},
    "a negative offset": changed(GOOD[1], 0, ">q", -3),
    "an offset behind the last": changed(GOOD[1], 0, ">q", LONG_MAX - 2),
    "a negative last offset delta": changed(GOOD[1], 23, ">i", -1),
}
LEFT_IF_CLEAN = [
    "cut off",
    "less than a header",
    "an old format",
    *(each for each in LEFT if each.startswith("length")),
]


def indexed(data: bytes, at: int = 0, *, keys: int = 10, first_dirty: int = 0) -> tuple[int, OffsetMap, NotedBatches]:
    offsets, noted = OffsetMap(keys * LOOP.entry_bytes, SECRET), NotedBatches()
    end = ordinary_batches.Indexing(offsets, noted, first_dirty).take(data, at)
    noted.finish(*offsets.all_newest())
    return end, offsets, noted


def thinned(
    data: bytes, noted: NotedBatches, *, upper_bound: int = 1 << 40, last: dict[int, tuple[int, int]] | None = None
) -> tuple[int, Output, list[int]]:
    """Where it ended, what stays, and the base offsets of those that were opened."""
    opened, output = list[int](), Output()
    rules = BatchRules(
        RoundTransactions([]), last or {}, upper_bound=upper_bound, now_ms=NOW_MS, delete_retention_ms=100
    )
    end = ordinary_batches.thin(
        noted, rules, lambda header, _batch, _is_noted: opened.append(header.base_offset), output, data, 0
    )
    return end, output, opened


def test_ordinary_batches_are_noted_with_any_codec() -> None:
    data = b"".join(GOOD)
    end, offsets, noted = indexed(data)
    assert end == len(data)
    assert offsets.offsets == {b"a": 14, b"b": 13}
    assert offsets.latest == 14
    assert noted.range_at(3) == (0, 15)
    assert indexed(data, len(GOOD[0]))[2].range_at(3) == (3, 15)
    end, offsets, _ = indexed(data, first_dirty=9)
    assert (end, offsets.latest, offsets.offsets) == (len(data), 14, {b"a": 14, b"b": 13})


@pytest.mark.parametrize("which", LEFT)
def test_what_is_not_ordinary_is_left_and_nothing_behind_it_is_taken(which: str) -> None:
    is_cut = which in {"cut off", "less than a header"}
    data = GOOD[0] + LEFT[which] + (b"" if is_cut else GOOD[2])
    end, offsets, noted = indexed(data)
    assert end == len(GOOD[0])
    assert (offsets.latest, offsets.offsets) == (2, {b"a": 2, b"b": 1})
    assert noted.range_at(3) == (0, 3)
    whole = indexed(b"".join(GOOD[:3]))[2]
    end, output, opened = thinned(data, whole)
    assert (end, output.runs, opened) == (len(GOOD[0]), [], [])


@pytest.mark.parametrize("which", LEFT_IF_CLEAN)
def test_what_is_clean_is_passed_over_if_it_is_whole(which: str) -> None:
    assert indexed(GOOD[0] + GOOD[1], first_dirty=100)[0] == len(GOOD[0] + GOOD[1])
    assert indexed(GOOD[0] + LEFT[which], first_dirty=100)[0] == len(GOOD[0])


def test_after_a_batch_that_was_read_in_vain_some_are_left() -> None:
    good = [a_batch(number, (b"a",)) for number in range(100)]
    unusual = a_batch(0, (b"k" * 64,))
    data = unusual + b"".join(good[1:])
    taking = ordinary_batches.Indexing(OffsetMap(10 * LOOP.entry_bytes, SECRET), NotedBatches(), 0)
    at = 0
    for number in range(1 + ordinary_batches.LEFT_BATCHES):
        assert taking.take(data, at) == at
        at = len(unusual) + sum(len(each) for each in good[1 : number + 1])
    assert taking.take(data, at) == len(data)


def test_of_a_batch_with_many_records_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordinary_batches, "crc32c", None)
    assert indexed(a_batch(0, (b"a",) * (MAX_RECORDS + 1)), keys=2 * MAX_RECORDS)[0] == 0


def test_some_compressed_batches_are_opened_at_once() -> None:
    data = b"".join(a_batch(2 * number, (b"%d" % number, b"a"), compression=LZ4) for number in range(100))
    end, offsets, noted = indexed(data, keys=1_000)
    assert (end < len(data), offsets.latest + 1) == (True, 2 * ordinary_batches.MAX_OPENED)
    assert noted.range_at(0) == (0, 2 * ordinary_batches.MAX_OPENED)
    end, _, opened = thinned(data, NotedBatches())
    assert (end < len(data), opened) == (True, [2 * number for number in range(ordinary_batches.MAX_OPENED)])


def test_batches_that_stay_as_they_are_after_a_look_at_their_keys_are_copied() -> None:
    data, output = b"".join(GOOD[:3]), Output()
    rules = BatchRules(RoundTransactions([]), {}, upper_bound=1 << 40, now_ms=NOW_MS, delete_retention_ms=100)

    def thin(header: Any, batch: memoryview, _is_noted: bool) -> Any:
        return batch if header.base_offset else batch[:0], header.max_timestamp

    assert ordinary_batches.thin(NotedBatches(), rules, thin, output, data, 0) == len(data)
    assert [(type(run), len(notes)) for run, notes in output.runs] == [(memoryview, 1), (bytes, 2)]
    assert output.runs[1][0] == b"".join(GOOD[1:3])


@pytest.mark.parametrize(("base", "last_delta"), [(-3, 2), (0, -1), (LONG_MAX - 1, 1), (LONG_MAX, 1)])
@pytest.mark.parametrize("new", SCANNERS)
def test_offsets_that_cannot_be_are_damage(new: NewScanner, base: int, last_delta: int) -> None:
    batch = changed(changed(GOOD[0], 0, ">q", base), 23, ">i", last_delta)
    for which in (Scans(new).index, Scans(new).thin):
        with pytest.raises(CorruptBatchError, match=f"a batch from offset {base} to"):
            which(memoryview(batch))


class Seen(LoopScanner):
    """Notes which batches come to it."""

    seen: ClassVar[dict[str, list[int]]] = {}

    def noted(self, name: str, batches: Any) -> Any:
        offsets = self.seen.setdefault(name, [])
        for header, batch in batches:
            offsets.append(header.base_offset)
            yield header, batch

    def index(self, batches: Any, *rest: Any) -> bool:
        return super().index(self.noted("index", batches), *rest)

    def thin(self, batches: Any, *rest: Any) -> Any:
        return super().thin(self.noted("thin", batches), *rest)


@pytest.mark.parametrize("codec", range(5))
def test_of_ordinary_batches_the_last_alone_comes_to_the_scanner(monkeypatch: pytest.MonkeyPatch, codec: int) -> None:
    monkeypatch.setattr(Seen, "seen", {})
    log = open_log(MemFs(), topic_config())
    write(log, [("put", None, [(b"%d" % (n % 7), b"v" * n), (b"a", b"v")], codec) for n in range(300)] + [("roll",)])
    write(log, [("put", None, [(b"end", b"")], 0)])
    compact(log, new=LOOP._replace(make=Seen))
    assert Seen.seen == {"index": [], "thin": [598]}


@pytest.mark.parametrize("new", SCANNERS)
def test_the_throttle_is_told_all_that_is_read_and_written(monkeypatch: pytest.MonkeyPatch, new: NewScanner) -> None:
    monkeypatch.setattr(clean_pass, "CHUNK_BYTES", 1)
    log = open_log(MemFs(), topic_config())
    write(log, [("put", None, [(b"%d" % (n % 7), b"v" * n)], 0) for n in range(100)] + [("roll",)])
    write(log, [("put", None, [(b"end", b"")], 0)])
    asked, _ = request(log)
    asked.map_bytes = 100 * new.entry_bytes
    told: list[int] = []
    running = clean_pass.Pass(log.fs, asked, told.append, new.make)
    _, groups = running.index()
    (group,), size_bytes = groups, sum(size for _, size in asked.segments)
    assert sum(told) == size_bytes
    cleaned = running.clean(group)
    assert 0 < cleaned.size_bytes < size_bytes
    assert sum(told) == 2 * size_bytes + cleaned.size_bytes
    running.close()
    with pytest.raises(clean_pass.StoppedError):
        running.clean(group)


def test_what_is_partly_clean_or_has_no_room_is_left_to_the_scanner() -> None:
    assert indexed(GOOD[0], first_dirty=1)[0] == 0
    end, offsets, _ = indexed(b"".join(GOOD), keys=4)
    assert (end, offsets.latest) == (len(GOOD[0]), 2), "three more might not have room"
    assert indexed(GOOD[0] + a_batch(3, (b"a", None)))[0] == len(GOOD[0])


def test_batches_of_which_all_stays_are_added_as_runs_and_others_are_opened_in_their_order() -> None:
    single = [a_batch(number, (b"%d" % min(number, 5),)) for number in range(8)]
    data = b"".join(single)
    end, output, opened = thinned(data, indexed(data)[2])
    assert (end, opened) == (len(data), [])
    assert [(part, [note[1] for note in notes]) for part, notes in output.runs] == [
        (b"".join(single[:5]), [0, 1, 2, 3, 4]), (single[7], [7]),
    ]  # fmt: skip
    assert output.runs[0][1][0] == (len(single[0]), 0, NOW_MS)
    assert thinned(b"".join(GOOD), indexed(b"".join(GOOD))[2])[2] == [12]
    assert thinned(data, NotedBatches())[2] == list(range(8)), "not noted"
    tombstones = b"".join([single[0], a_batch(1, (b"1",), None), a_batch(2, (b"2",))])
    end, output, opened = thinned(tombstones, indexed(tombstones)[2])
    assert (end, opened) == (len(tombstones), [1]), "it gets a horizon"
    assert [notes[0][1] for _, notes in output.runs] == [0, 2]


def test_batches_that_may_stay_empty_are_left() -> None:
    data = a_batch(0, (b"a",), **PRODUCER) + a_batch(1, (b"a",), **PRODUCER) + a_batch(2, (b"a",))
    noted, first = indexed(data)[2], len(a_batch(0, (b"a",), **PRODUCER))
    assert thinned(data, noted)[0] == len(data)
    assert thinned(data, noted, last={7: (1, 0)})[0] == first
    assert thinned(data, noted, last={8: (1, 0), 7: (UNKNOWN_OFFSET, 0)})[0] == len(data)
    assert thinned(data, noted, upper_bound=2)[0] == first


def test_a_batch_with_a_horizon_is_left() -> None:
    data = bytearray(GOOD[0])
    data[22] |= 0x40
    stamp_crc(data, 0, len(data))
    noted = indexed(GOOD[0])[2]
    assert indexed(bytes(data))[0] == 0
    assert thinned(bytes(data), noted)[0] == 0
