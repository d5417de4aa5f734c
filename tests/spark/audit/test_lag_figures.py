"""The lag of a group: commits and the ends of logs, by bins of time."""

from __future__ import annotations

from kafkacompat.broker.coordinator.group.records import encode_record
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.internal.consumer_offsets import GroupMetadataKey, OffsetCommitKey, OffsetCommitValue
from kafkacompat.spark.audit.lag_figures import added, commits_of, ends_at, lags_of

MINUTE = 60_000
START = 1357000020000


def commit(offset: int | None, minute: int) -> tuple[bytes, bytes | None]:
    """A record of a commit, or of one that was removed."""
    value = None if offset is None else OffsetCommitValue(offset=offset, commit_timestamp=START + minute * MINUTE)
    return encode_record((OffsetCommitKey("readers", "orders", 3), value))


def test_commits_are_read_and_other_records_are_not() -> None:
    group, _ = encode_record((GroupMetadataKey("readers"), None))
    records = [
        (*commit(40, 2), 7, START), (group, None, 8, START), (None, b"x", 9, START), (b"", b"x", 10, START),
        (commit(1, 1)[0], b"no commit", 11, START), (*commit(None, 0), 12, START + 5 * MINUTE),
        (*commit(None, 0), 13, None), (b"\0\x63", b"of a type to come", 14, START),
    ]  # fmt: skip
    at = START // MINUTE
    assert list(commits_of(records)) == [
        (("readers", "orders", 3, at + 2), (7, 40)),
        (("readers", "orders", 3, at + 5), (12, UNKNOWN_OFFSET)),
    ]


def test_the_end_of_a_log_at_the_end_of_each_bin() -> None:
    times = {START: [0, 10], START + 2 * MINUTE: [0, 5], START + 9 * MINUTE: [0, 1]}
    partition = {"times": times, "end_offset": 116}
    assert ends_at(partition, START, MINUTE, 4) == [110, 110, 115, 115]
    assert ends_at(partition, START - 5 * MINUTE, 5 * MINUTE, 4) == [100, 115, 116, 116]
    assert ends_at({"times": {}, "end_offset": 7}, START, MINUTE, 2) == [7, 7]


def test_a_commit_holds_until_the_next_one() -> None:
    ends = [10, 10, 20, 30, 30]
    assert lags_of([(1, 100, 4), (3, 101, 30), (1, 102, 9)], ends) == [UNKNOWN_OFFSET, 1, 11, 0, 0]
    assert lags_of([(0, 5, 4), (2, 6, UNKNOWN_OFFSET), (4, 7, 35)], ends) == [6, 6, UNKNOWN_OFFSET, UNKNOWN_OFFSET, 0]


def test_the_lag_of_a_group_is_that_of_all_its_partitions() -> None:
    assert added((1, [UNKNOWN_OFFSET, 3, UNKNOWN_OFFSET]), (2, [UNKNOWN_OFFSET, 4, 5])) == (3, [UNKNOWN_OFFSET, 7, 5])
