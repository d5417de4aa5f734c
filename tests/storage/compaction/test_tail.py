"""When a coordinator's log gets a new segment before the active one is full."""

from itertools import pairwise

import pytest

from kafkacompat.storage.compaction import tail
from kafkacompat.storage.compaction.tail import bound_tail
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.storage.compaction.logs import compact, write
from tests.storage.support import at, open_log, topic_config


@pytest.fixture(autouse=True)
def short_tail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "TAIL_RECORDS", 100)


def put(log: Log, keys: range, *, clean_offset: int | None = None, batch: int = 10) -> list[int]:
    """A record for each key; the base offsets of the segments that were begun meanwhile."""
    begun = []
    for first in range(keys.start, keys.stop, batch):
        active = log.segments.active
        clean = (0 if active is None else active.base_offset) if clean_offset is None else clean_offset
        if bound_tail(log, clean, at(0)):
            begun.append(log.log_end_offset)
        write(log, [("put", None, [(b"%06d" % key, b"v") for key in range(first, first + batch)], 0)])
    return begun


def test_a_tail_of_superseded_records_is_bounded() -> None:
    log = open_log(MemFs(), topic_config())
    dirty = 0
    for _ in range(30):
        put(log, range(20), clean_offset=dirty)
        if len(log.segments.all) > 1:
            log.flush()
            dirty = compact(log, first_dirty=dirty)
        active = log.segments.active
        assert active is not None
        assert log.log_end_offset - active.base_offset <= 100 + 20
    assert len(log.segments.all) <= 3
    assert sum(segment.size_bytes for segment in log.segments.all) < 20_000


def test_a_log_of_new_keys_gets_few_segments() -> None:
    log = open_log(MemFs(), topic_config())
    begun = put(log, range(10_000))
    assert begun[0] == 110
    assert len(begun) <= 8
    assert all(later >= 2 * earlier for earlier, later in pairwise(begun))


def test_records_that_wait_for_compaction_do_not_count() -> None:
    log = open_log(MemFs(), topic_config())
    put(log, range(1_000), clean_offset=0)
    assert [segment.base_offset for segment in log.segments.all] == [*range(0, 1_000, 110)]


def test_nothing_is_begun_in_an_empty_log_and_a_log_that_failed_says_so() -> None:
    log = open_log(MemFs(), topic_config())
    assert not bound_tail(log, 0, at(0))
    write(log, [("put", None, [(b"%06d" % key, b"v") for key in range(200)], 0)])
    log.fail(OSError(5, "broken"))
    with pytest.raises(LogError):
        bound_tail(log, 0, at(0))
