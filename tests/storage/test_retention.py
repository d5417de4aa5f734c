"""Each rule of retention alone, their order, and what never goes."""

import pytest

from kafkacompat.protocol.constants import NO_TIMESTAMP
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.retention import LogFacts, Plan, plan
from tests.storage.support import START_MS, append, at, batch, offsets, open_log, read_bytes, topic_config

NOW_MS = 1_000_000


class FakeSegment:
    def __init__(self, base_offset: int, size_bytes: int, largest_ms: int | None = 0) -> None:
        self.base_offset = base_offset
        self.size_bytes = size_bytes
        self.largest_ms = largest_ms


def segments(*largest_ms: int | None, size_bytes: int = 100) -> list[FakeSegment]:
    """Segments of ten records."""
    return [FakeSegment(10 * place, size_bytes, ms) for place, ms in enumerate(largest_ms)]


def planned(
    found: list[FakeSegment], *, log_start: int = 0, hw: int | None = None, limit: int = 99, **configs: object
) -> Plan:
    end = found[-1].base_offset + (10 if found[-1].size_bytes else 0)
    facts = LogFacts(found, log_start, end if hw is None else hw, end, NOW_MS)
    config = topic_config(**({"retention_ms": -1} | configs))
    return plan(facts, config, lambda segment: segment.largest_ms, limit)


def counts(found: Plan) -> tuple[int, int, int]:
    return found.by_log_start, found.by_size, found.by_time


@pytest.mark.parametrize(("log_start", "gone"), [(0, 0), (9, 0), (10, 1), (11, 1), (20, 2), (30, 2)])
def test_what_ends_before_the_log_start_goes(log_start, gone):
    for policy in ("delete", "compact", "compact,delete", ""):
        assert counts(planned(segments(0, 0, 0), log_start=log_start, cleanup_policy=policy)) == (gone, 0, 0)


@pytest.mark.parametrize(
    ("limit", "gone"), [(-1, 0), (301, 0), (300, 0), (201, 0), (200, 1), (101, 1), (100, 2), (0, 3)]
)
def test_the_log_never_shrinks_below_its_size(limit, gone):
    assert counts(planned(segments(0, 0, 0), retention_bytes=limit)) == (0, gone, 0)


@pytest.mark.parametrize(("limit", "gone"), [(-1, 0), (1_000, 1), (999, 2), (900, 2), (0, 3)])
def test_older_than_the_limit_is_old(limit, gone):
    found = segments(NOW_MS - 2_000, NOW_MS - 1_000, NOW_MS - 900)
    assert counts(planned(found, retention_ms=limit)) == (0, 0, gone)


def test_the_rules_go_in_order_and_each_sees_what_the_one_before_has_left():
    found = segments(0, 0, 0, 0)
    assert counts(planned(found, log_start=10, retention_bytes=200, retention_ms=1)) == (1, 1, 2)


def test_only_what_is_committed_goes():
    assert counts(planned(segments(0, 0, 0), hw=19, retention_ms=1)) == (0, 0, 1)
    assert counts(planned(segments(0, 0, 0), hw=20, retention_ms=1)) == (0, 0, 2)
    assert counts(planned(segments(0, 0, 0), hw=29, retention_bytes=0)) == (0, 2, 0)
    assert counts(planned(segments(0, 0, 0), hw=9, log_start=20)) == (0, 0, 0)


def test_an_empty_last_segment_stays():
    found = [*segments(0, 0), FakeSegment(20, 0)]
    assert counts(planned(found, retention_ms=1)) == (0, 0, 2)
    assert counts(planned([FakeSegment(0, 0)], retention_bytes=0)) == (0, 0, 0)


def test_a_compacted_log_is_not_for_time_and_size():
    for policy in ("compact", ""):  # without any, records are kept for ever
        assert counts(planned(segments(0, 0), cleanup_policy=policy, retention_ms=1, retention_bytes=0)) == (0, 0, 0)
    assert counts(planned(segments(0, 0), cleanup_policy="compact,delete", retention_ms=1)) == (0, 0, 2)


def test_a_record_of_the_future_keeps_all_behind_it():
    found = planned(segments(0, NOW_MS + 1, 0), retention_ms=1)
    assert (counts(found), found.in_future) == ((0, 0, 1), 1)
    assert planned(segments(NOW_MS), retention_ms=1).in_future is None


def test_what_is_not_read_yet_is_asked_for():
    found = planned(segments(0, None, 0), retention_ms=1)
    assert (counts(found), found.unread) == ((0, 0, 1), 1)


def test_records_without_a_time_do_not_grow_old():
    assert counts(planned(segments(NO_TIMESTAMP, 0), retention_ms=1)) == (0, 0, 0)


def test_a_step_has_its_limit():
    assert counts(planned(segments(0, 0, 0), retention_ms=1, limit=2)) == (0, 0, 2)
    assert counts(planned(segments(0, 0, 0), log_start=20, limit=1)) == (1, 0, 0)


# In a log


def filled(fs: MemFs | None = None):
    fs = fs or MemFs()
    fs.mkdir("/data")
    log = open_log(fs, topic_config(segment_bytes=220))
    for number in range(4):
        append(log, batch(2, value=b"x" * 60, timestamp_ms=START_MS + number))
    assert len(log.segments.all) > 2
    return log


def test_the_oldest_go_and_the_log_starts_behind_them():
    log = filled()
    second = log.segments.all[1].base_offset
    log.delete_segments(1, at())
    assert log.log_start_offset == second
    assert offsets(log) == list(range(second, 8))


def test_all_go_and_the_next_record_gets_the_next_offset_also_after_a_restart():
    log = filled()
    log.delete_segments(len(log.segments.all), at())
    assert (log.log_start_offset, log.log_end_offset, log.size_bytes) == (8, 8, 0)
    log.close(clean=False, now=at())
    again = open_log(log.fs, topic_config(segment_bytes=220))
    assert (again.log_start_offset, again.log_end_offset) == (8, 8)
    assert append(again, batch(1)).first_offset == 8


def test_who_reads_goes_on():
    log = filled()
    piece = log.read(0, 1 << 20, end_offset=8, at_least_one=True)
    expected = read_bytes(log, 0)
    log.delete_segments(len(log.segments.all), at())
    for path in log.pop_deleted(at(10_000_000)):
        log.fs.remove(path)
    assert piece.read(0, len(piece)) == expected
    piece.release()


def test_the_log_starts_later_before_files_go():
    log = filled()
    starts = []
    before = log.fs.rename

    def rename(path: str, new_path: str) -> None:
        starts.append(log.log_start_offset)
        before(path, new_path)

    log.fs.rename = rename
    second = log.segments.all[1].base_offset
    log.delete_segments(1, at())
    assert set(starts) == {second}


def test_what_lies_before_the_log_start_goes_without_moving_it():
    log = filled()
    log.log_start_offset = 7
    log.delete_segments(2, at())
    assert log.log_start_offset == 7
    assert log.segments.all[0].base_offset == 4
