"""Readers of committed records, compared with a naive one that knows how each transaction ended."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacompat.protocol.records.batch import RecordBatchError, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from kafkacompat.steps import at_once
from kafkacompat.storage.aborted import COMPARED_OF_MANY
from kafkacompat.storage.errors import LogError, UnfinishedError
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.scan import LOOKUP_BYTES
from kafkacompat.storage.txn_index import (
    ENTRIES_AT_ONCE,
    FIRST_ENTRIES,
    UNITS_PER_BLOCK,
    SearchBudget,
    TooManyError,
    TxnIndex,
)
from tests.storage.support import START_MS, append, at, batch, open_log, topic_config

PLAIN = 0
CONFIG = topic_config(segment_bytes=700, index_interval_bytes=100)


class World:
    """A log, and for each offset whether it is of a transaction: (producer, how it ended: None while it is open)."""

    def __init__(self, fs=None):
        self.fs = MemFs() if fs is None else fs
        self.log = open_log(self.fs, CONFIG)
        self.open = {}  # producer -> its transaction: [outcome]
        self.offsets = {}  # base offset of a data batch -> its transaction, None outside of one
        self.sequences = {}

    def write(self, producer, count):
        is_transactional = producer != PLAIN
        data = batch(count, value=b"v" * 10)
        if is_transactional:
            sequence = self.sequences.get(producer, 0)
            self.sequences[producer] = sequence + count
            data = batch(
                count, value=b"v" * 10, producer_id=producer, producer_epoch=0, base_sequence=sequence,
                is_transactional=True,
            )  # fmt: skip
        info = append(self.log, data)
        self.offsets[info.first_offset] = self.open.setdefault(producer, [None]) if is_transactional else None
        self.replicate()

    def end(self, producer, kind):
        record = Record(0, START_MS, encode_key(kind), encode_end_transaction(0))
        data = build_batch([record], producer_id=producer, producer_epoch=0, is_transactional=True, is_control=True)
        append(self.log, memoryview(data), internal=True)
        transaction = self.open.pop(producer, None)
        if transaction is not None:
            transaction[0] = kind
        self.replicate()

    def restart(self, *, clean):
        end = self.log.log_end_offset
        self.log.close(clean=clean, now=at())
        self.log = open_log(self.fs, CONFIG, clean=clean, recovery_point=end if clean else 0)
        self.replicate()

    def replicate(self):
        self.log.producers.replicated_to(self.log.log_end_offset)

    @property
    def last_stable_offset(self):
        return self.log.producers.last_stable_offset(self.log.log_end_offset)

    def committed(self, start, end):
        """What the naive reader sees: base offsets of data batches that are committed or outside of transactions."""
        return [
            offset for offset, transaction in self.offsets.items()
            if start <= offset < end and (transaction is None or transaction[0] == COMMIT)
        ]  # fmt: skip

    def read(self, start, max_bytes):
        """Base offsets of data batches that a consumer hands out, and where its position is then."""
        part = self.log.read(start, max_bytes, end_offset=self.last_stable_offset, at_least_one=True)
        if not len(part):
            return [], start
        aborted = sorted(self.aborted(start, part), key=lambda each: each.first_offset)
        data = part.read(0, len(part))
        part.release()
        seen, hidden, position = [], set(), 0
        while True:
            try:
                header = read_header(data, position)
            except RecordBatchError:
                break
            if position + header.size_bytes > len(data):
                break
            while aborted and aborted[0].first_offset <= header.last_offset:
                hidden.add(aborted.pop(0).producer_id)
            if header.is_control:
                hidden.discard(header.producer_id)
            elif header.producer_id not in hidden or not header.is_transactional:
                seen.append(header.base_offset)
            position, start = position + header.size_bytes, header.next_offset
        return seen, start

    def aborted(self, start, part):
        """A consumer asks again while an index is compared or built."""
        while True:
            with suppress(UnfinishedError):
                return self.log.aborted(start, part)

    def check(self, start, max_bytes):
        """Read all from an offset on, and compare."""
        seen, at_offset, end = [], start, self.last_stable_offset
        while at_offset < end:
            found, at_offset = self.read(at_offset, max_bytes)
            seen += found
        assert seen == self.committed(start, end)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 3), st.integers(1, 4)),
        st.tuples(st.just("end"), st.integers(1, 3), st.sampled_from([ABORT, ABORT, COMMIT])),
        st.tuples(st.just("restart"), st.booleans()),
        st.tuples(st.just("damage"), st.integers(0, 10), st.integers(0, 200)),
        st.tuples(st.just("truncate"), st.integers(0, 12)),
    ),
    max_size=60,
)


@given(steps, st.integers(1, 2000), st.data())
@settings(deadline=None)
def test_a_reader_of_committed_records_sees_exactly_those(steps, max_bytes, data):
    world = World()
    for name, *facts in steps:
        if name == "write":
            world.write(*facts)
        elif name == "end":
            world.end(*facts)
        elif name == "restart":
            world.restart(clean=facts[0])
        elif name == "damage":
            _damage(world, *facts)
        else:
            _truncate(world, *facts)
    starts = [0, *world.offsets]
    for start in data.draw(st.lists(st.sampled_from(starts), min_size=1, max_size=4, unique=True)):
        world.check(start, max_bytes)


def _damage(world, which, where):
    """Flip a byte of an index of a sealed segment that nobody has read yet."""
    world.restart(clean=True)
    names = [name for name in world.fs.listdir(world.log.path) if name.endswith(".txnindex")]
    if names:
        path = f"{world.log.path}/{names[which % len(names)]}"
        content = bytearray(world.fs.read_bytes(path))
        if content:
            content[where // 34 * 34 % len(content)] ^= 1  # the version of an entry
            world.fs.write_atomic(path, bytes(content), sync=True)


def _truncate(world, count):
    """Cut off the last batches; transactions are open again whose markers were among them."""
    bases = [header.base_offset for header, _ in world.log.batches(0, world.log.log_end_offset)]
    if not 0 < count <= len(bases):
        return
    offset = bases[-count]
    world.log.truncate_to(offset)
    kept = World.__new__(World)
    kept.fs, kept.log, kept.open, kept.offsets, kept.sequences = world.fs, world.log, {}, {}, {}
    for header, content in world.log.batches(0, offset):
        producer = header.producer_id
        if header.is_control:
            transaction = kept.open.pop(producer, None)
            if transaction is not None:
                transaction[0] = _kind(content, header)
        elif producer > 0:
            kept.offsets[header.base_offset] = kept.open.setdefault(producer, [None])
            kept.sequences[producer] = header.last_sequence + 1
        else:
            kept.offsets[header.base_offset] = None
    world.open, world.offsets, world.sequences = kept.open, kept.offsets, kept.sequences


def _kind(content, header):
    from kafkacompat.storage.producer_replay import read_marker

    return ABORT if read_marker(header, content).is_aborted else COMMIT


def _aborts(world, count):
    for _ in range(count):
        world.write(1, 1)
        world.end(1, ABORT)


def test_what_was_stable_stays_so_when_the_log_is_truncated():
    world = World()
    world.write(1, 1)
    world.end(1, ABORT)
    world.write(2, 1)
    assert world.last_stable_offset == 2
    world.log.truncate_to(2)
    assert world.log.producers.last_stable_offset(2) == 2
    assert not world.log.producers.ended


def test_deleted_records_hold_nothing_back():
    world = World()
    world.write(1, 4)
    world.write(PLAIN, 1)
    producers = world.log.producers
    assert producers.last_stable_offset(5, 0) == 0
    assert producers.last_stable_offset(5, 2) == 2
    assert producers.last_stable_offset(1, 2) == 1


def test_many_aborted_transactions_in_one_index():
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 2 * ENTRIES_AT_ONCE + 7)
    world.write(PLAIN, 1)
    world.restart(clean=True)
    world.log.config = topic_config(segment_bytes=1 << 20)
    for start in (0, 1, 2 * ENTRIES_AT_ONCE, 4 * ENTRIES_AT_ONCE + 10):
        world.check(start, 5000)
    part = world.log.read(2, 300, end_offset=world.last_stable_offset, at_least_one=True)
    aborted = world.log.aborted(2, part)
    assert [(each.first_offset, each.last_offset) for each in aborted][:2] == [(2, 3), (4, 5)]
    assert len(aborted) < 30  # not all of the log
    part.release()


def test_a_reader_in_the_middle_of_an_index_reads_few_entries(monkeypatch):
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 2 * ENTRIES_AT_ONCE)
    world.restart(clean=True)
    world.check(0, 3000)  # compares the index with the log
    counts = []
    read = TxnIndex._entries_from
    monkeypatch.setattr(
        TxnIndex, "_entries_from", lambda index, slot, limit: counts.append(limit) or read(index, slot, limit)
    )
    part = world.log.read(ENTRIES_AT_ONCE + 1, 300, end_offset=world.last_stable_offset, at_least_one=True)
    assert world.log.aborted(ENTRIES_AT_ONCE + 1, part)
    assert counts == [FIRST_ENTRIES, 4 * FIRST_ENTRIES]  # the offset index tells the end of the part roughly
    part.release()


def test_an_index_whose_middle_is_damaged_is_built_anew(caplog):
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, ENTRIES_AT_ONCE + 20)
    world.restart(clean=True)
    path = f"{world.log.path}/{0:020d}.txnindex"
    content = bytearray(world.fs.read_bytes(path))
    sound = bytes(content)
    content[100 * 34] ^= 1
    world.fs.write_atomic(path, bytes(content), sync=True)
    world.check(0, 3000)
    assert "anew" in caplog.text
    assert world.fs.read_bytes(path) == sound


@pytest.mark.parametrize("slots", [range(4 * ENTRIES_AT_ONCE), [0], [4 * ENTRIES_AT_ONCE - 1]])
def test_of_very_many_entries_some_are_compared_with_the_log(caplog, slots):
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 4 * ENTRIES_AT_ONCE)
    world.restart(clean=True)
    path = f"{world.log.path}/{0:020d}.txnindex"
    sound = world.fs.read_bytes(path)
    content = bytearray(sound)
    for slot in slots:
        content[34 * slot + 9] ^= 64  # its producer id
    world.fs.write_atomic(path, bytes(content), sync=True)
    world.check(0, 3000)
    assert "anew" in caplog.text
    assert world.fs.read_bytes(path) == sound


def test_of_very_many_entries_few_are_read(monkeypatch):
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 4 * ENTRIES_AT_ONCE)
    world.restart(clean=True)
    read = []
    entry = TxnIndex.entry
    monkeypatch.setattr(TxnIndex, "entry", lambda index, slot: read.append(slot) or entry(index, slot))
    world.check(0, 3000)
    assert len(set(read)) == len(read) == COMPARED_OF_MANY
    assert (read[0], read[-1]) == (0, 4 * ENTRIES_AT_ONCE - 1)


def test_an_index_that_cannot_be_built_is_an_error(caplog):
    world = World()
    _aborts(world, 4)
    world.write(PLAIN, 3)
    world.log.close(clean=True, now=at())
    path = f"{world.log.path}/{world.log.segments.all[0].base_offset:020d}"
    world.fs.write_atomic(path + ".txnindex", b"short", sync=True)
    content = bytearray(world.fs.read_bytes(path + ".log"))
    second = read_header(content).size_bytes
    content[second + 16] = 9  # no such magic
    world.fs.write_atomic(path + ".log", bytes(content), sync=True)
    world.log = open_log(world.fs, CONFIG, clean=True, recovery_point=world.log.log_end_offset)
    part = world.log.read(0, 80, end_offset=world.last_stable_offset, at_least_one=True)
    with pytest.raises(LogError):
        world.log.aborted(0, part)
    part.release()
    assert "anew" in caplog.text


def test_recovery_builds_the_index_of_the_last_segment_from_nothing():
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 40)  # some entries are in the file, the others were only in memory
    world.restart(clean=False)
    index = world.log.segments.all[0].txn_index
    assert len(index.entries()) == 40
    world.check(0, 1000)


def test_the_search_goes_on_through_segments_until_all_is_decided():
    world = World()
    world.write(2, 1)
    for producer in (1, 3, 1):
        world.write(producer, 1)
        world.end(producer, ABORT)
        while len(world.log.segments.all) < producer + 1:
            world.write(PLAIN, 4)
    world.end(2, ABORT)
    part = world.log.read(0, 100, end_offset=world.last_stable_offset, at_least_one=True)
    assert [each.first_offset for each in world.log.aborted(0, part)][-1] == 0
    part.release()
    world.check(0, 100)


def _file_of(world, number=0):
    return f"{world.log.path}/{world.log.segments.all[number].base_offset:020d}.txnindex"


def test_no_changed_byte_of_an_index_hides_an_aborted_transaction():
    """Each byte in turn. An entry has no checksum: it is compared with the batches, and the index is built anew."""
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 3)
    world.write(PLAIN, 1)
    world.restart(clean=True)
    path = _file_of(world)
    sound = world.fs.read_bytes(path)
    for position in range(len(sound)):
        for bits in (0x01, 0x80, 0xFF):
            content = bytearray(sound)
            content[position] ^= bits
            world.fs.write_atomic(path, bytes(content), sync=True)
            world.restart(clean=True)
            world.check(0, 300)
            part = world.log.read(0, 5000, end_offset=world.last_stable_offset, at_least_one=True)
            assert len(world.log.aborted(0, part)) == 3, (position, bits)
            part.release()


def test_an_entry_that_says_too_much_is_decided_hides_none_behind_it():
    """A search ends where all below its end was decided: here a transaction was open then, and is aborted later."""
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20, index_interval_bytes=0)
    world.write(1, 1)
    world.write(2, 1)
    world.write(PLAIN, 1)
    world.end(2, ABORT)
    world.end(1, ABORT)
    world.write(PLAIN, 1)
    world.restart(clean=True)
    path = _file_of(world)
    content = bytearray(world.fs.read_bytes(path))
    assert content[33] == 0, "the last byte of the first entry: its last stable offset"
    content[33] = 4
    world.fs.write_atomic(path, bytes(content), sync=True)
    world.restart(clean=True)
    world.check(0, 300)
    part = world.log.read(0, 200, end_offset=6, at_least_one=True)
    assert len(world.log.aborted(0, part)) == 2
    part.release()


def test_a_comparison_reads_little_more_than_headers():
    """Whole batches of a large log would take a MiB for each look-up."""
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 30, index_interval_bytes=4096)
    for _ in range(60):
        world.write(1, 1)
        append(world.log, batch(1, value=bytes(30_000)))
        world.end(1, ABORT)
    world.restart(clean=True)
    operations = world.fs.record()
    index = world.log.segments.all[0].txn_index
    assert at_once(world.log.segments.aborted.mend(world.log.segments.all)) == 0
    read_bytes = sum(each[2] for each in operations if each[0] == "pread" and each[1].endswith(".log"))
    assert 0 < read_bytes <= 60 * 4 * LOOKUP_BYTES
    assert index.count == 60


def test_an_index_that_this_process_wrote_is_not_compared():
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 3)
    aborted = world.log.segments.aborted
    aborted._header_at = None
    world.check(0, 300)
    world.restart(clean=True)
    world.log.segments.aborted._header_at = None
    with pytest.raises(TypeError):
        world.check(0, 300)


def test_an_index_is_compared_once():
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 3)
    world.write(PLAIN, 1)
    world.restart(clean=True)
    world.check(0, 300)
    world.log.segments.aborted._header_at = None
    world.check(0, 300)


@pytest.mark.parametrize("size_bytes", range(7, 3 * 34, 7))  # never at the end of an entry
def test_an_index_that_is_cut_off_within_an_entry_is_built_anew(size_bytes):
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 3)
    world.restart(clean=True)
    path = _file_of(world)
    sound = world.fs.read_bytes(path)
    world.fs.write_atomic(path, sound[:size_bytes], sync=True)
    world.restart(clean=True)
    world.check(0, 5000)
    assert world.fs.read_bytes(path) == sound


def test_a_large_segment_is_read_in_turns_for_its_index(monkeypatch):
    monkeypatch.setattr(SearchBudget.__init__, "__defaults__", (50,))
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 100)
    world.write(PLAIN, 1)
    world.restart(clean=True)
    path = _file_of(world)
    sound = world.fs.read_bytes(path)
    world.fs.write_atomic(path, b"short", sync=True)
    world.restart(clean=True)
    world.log.config = topic_config(segment_bytes=1 << 20)
    turns = 0
    part = world.log.read(0, 5000, end_offset=world.last_stable_offset, at_least_one=True)
    while True:
        try:
            aborted = world.log.aborted(0, part)
            break
        except UnfinishedError:
            turns += 1
            if turns == 1:  # more is aborted meanwhile, in the same segment
                _aborts(world, 2)
    part.release()
    assert 3 < turns < 20
    assert len(aborted) >= 30
    assert world.fs.read_bytes(path).startswith(sound)
    assert len(world.log.segments.all[0].txn_index.entries()) == 102
    world.check(0, 5000)


def test_what_was_aborted_while_a_transaction_was_open_is_read_in_turns(monkeypatch):
    monkeypatch.setattr(SearchBudget.__init__, "__defaults__", (2 * UNITS_PER_BLOCK,))
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    world.write(2, 1)
    _aborts(world, 6 * ENTRIES_AT_ONCE)
    world.end(2, ABORT)
    part = world.log.read(0, 80, end_offset=world.last_stable_offset, at_least_one=True)
    turns = 0
    while True:
        try:
            aborted = world.log.aborted(0, part)
            break
        except UnfinishedError:
            turns += 1
    assert turns == 3
    assert [each.first_offset for each in aborted][-1] == 0
    assert world.log.aborted(0, part) == aborted  # what was read is remembered
    part.release()


def test_a_fetch_names_so_many_at_most():
    world = World()
    world.log.config = topic_config(segment_bytes=1 << 20)
    _aborts(world, 20)
    part = world.log.read(0, 1 << 20, end_offset=world.last_stable_offset, at_least_one=True)
    assert len(world.log.aborted(0, part, 20)) == 20
    with pytest.raises(TooManyError):
        world.log.aborted(0, part, 19)
    part.release()


def test_a_search_through_many_small_indexes_ends(monkeypatch):
    monkeypatch.setattr(SearchBudget.__init__, "__defaults__", (2 * UNITS_PER_BLOCK,))
    world = World()
    world.write(2, 1)
    _aborts(world, 40)
    world.end(2, ABORT)
    segments = len(world.log.segments.all)
    assert segments > 6
    turns = 0
    while True:
        part = world.log.read(0, 80, end_offset=world.last_stable_offset, at_least_one=True)
        try:
            aborted = world.log.aborted(0, part)
            break
        except UnfinishedError:
            turns += 1
            assert turns < segments, "what was read is read again"
        finally:
            part.release()
    assert turns > 1
    assert 0 in {each.first_offset for each in aborted}


@pytest.mark.parametrize("event", ["evicted", "removed"])
def test_between_turns_of_building_an_index_files_may_be_closed(monkeypatch, event):
    monkeypatch.setattr(SearchBudget.__init__, "__defaults__", (10,))
    world = World()
    world.log.config = topic_config(segment_bytes=4000)
    _aborts(world, 60)
    world.restart(clean=True)
    first, second = world.log.segments.all[0].base_offset, world.log.segments.all[1].base_offset
    path = _file_of(world, 1)
    world.fs.write_atomic(path, b"short", sync=True)
    world.restart(clean=True)
    operations = world.fs.record()
    turns = 0
    while True:
        part = world.log.read(second, 80, end_offset=world.last_stable_offset, at_least_one=True)
        try:
            aborted = world.log.aborted(second, part)
            break
        except UnfinishedError:
            turns += 1
        finally:
            part.release()
        assert turns < 100
        if event == "removed" and turns == 2:
            world.log.delete_segments(1, at())
        for segment in world.log.segments.all:
            segment.file.close()
        if event == "evicted":
            assert any(segment.file.is_referenced for segment in world.log.segments.all), "its descriptor is closed"
    assert turns > 2
    assert aborted[0].first_offset == second
    created = [each[1] for each in operations if each[0] == "create"]
    assert f"{first:020d}.log" not in " ".join(created)
