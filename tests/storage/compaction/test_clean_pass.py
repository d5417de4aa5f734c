"""Compaction against a model that replays the log and keeps the last record of each key."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacompat.protocol.records.builder import Record
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.storage.compaction.logs import Op, batches, committed, compact, content, write
from tests.storage.compaction.scans import SCANNERS, NewScanner
from tests.storage.support import open_log, topic_config

KEYS = st.sampled_from([None, b"a", b"b", b"c", b"d", b"e"])
PAIRS = st.lists(st.tuples(KEYS, st.sampled_from([None, b"", b"value", b"x" * 200])), min_size=1, max_size=5)
STEP = st.one_of(
    st.tuples(st.just("put"), st.sampled_from([None, 1, 2, 3]), PAIRS, st.integers(0, 4)),
    st.tuples(st.sampled_from(["commit", "abort"]), st.sampled_from([1, 2, 3])),
    st.tuples(st.just("roll")),
)


def newest(records: list[Record], after: int) -> list[Record]:
    """The records that compaction must keep: the last of each key, and all from offset `after` on."""
    last = {record.key: record.offset for record in records if record.offset < after}
    return [
        record for record in records
        if record.offset >= after or (record.key is not None and last[record.key] == record.offset)
    ]  # fmt: skip


def a_log(ops: list[Op], **config: object) -> Log:
    log = open_log(MemFs(), topic_config(**config))
    write(log, ops)
    return log


@pytest.mark.parametrize("new", SCANNERS)
@settings(max_examples=100, deadline=None)
@given(
    ops=st.lists(STEP, max_size=40),
    keys=st.sampled_from([1, 2, 3, 100]),
    segment_bytes=st.sampled_from([1_500, 100_000]),
)
def test_a_pass_keeps_what_the_model_keeps(new: NewScanner, ops: list[Op], keys: int, segment_bytes: int) -> None:
    log = a_log(ops, segment_bytes=segment_bytes)
    if not log.segments.all:
        return
    before, end_offset = committed(log), log.log_end_offset
    dirty, passes = 0, 0
    while True:
        after = compact(log, first_dirty=dirty, keys=keys, new=new)
        assert committed(log) == newest(before, max(after, dirty)) or after == dirty
        if after == dirty:
            break
        dirty, passes = after, passes + 1
        assert passes < 200
    assert committed(log) == newest(before, dirty)
    assert log.log_end_offset == end_offset
    once = [(str(header), records) for header, records in batches(log)]
    compact(log, first_dirty=dirty, keys=keys, new=new)
    assert [(str(header), records) for header, records in batches(log)] == once
    again = open_log(log.fs, log.config, recovery_point=end_offset)  # the broker writes it before a pass
    again.producers.replicated_to(again.log_end_offset)
    assert committed(again) == newest(before, dirty)
    assert again.log_end_offset == end_offset
    assert content(again) == content(log)
