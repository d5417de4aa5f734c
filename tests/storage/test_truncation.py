"""The offset at which two logs diverge: the cases of KIP-595. A log is written as its epochs."""

import pytest

from kafkacompat.protocol.constants import NO_PARTITION_LEADER_EPOCH
from kafkacompat.storage.truncation import diverging_epoch, truncation_offset
from tests.sim.disk import MemoryLog


def log(epochs: str) -> MemoryLog:
    return MemoryLog([(int(epoch), "v") for epoch in epochs])


def where_they_diverge(leader: MemoryLog, follower: MemoryLog) -> tuple[int, int] | None:
    return diverging_epoch(follower.end_offset, follower.last_epoch, leader.end_for(follower.last_epoch))


@pytest.mark.parametrize(
    ("leader", "follower", "where"),
    [
        ("", "", None),
        ("112", "", None),
        ("112", "112", None),
        ("1123", "11", None),
        ("1124", "113", (2, 3)),  # an epoch that the leader has not
        ("11244", "11222", (2, 3)),  # longer in an epoch that both have
        ("114", "1122", (1, 2)),
        ("33", "12", (2, 0)),  # nothing in common
    ],
)
def test_the_leader_tells_where(leader: str, follower: str, where: tuple[int, int] | None) -> None:
    assert where_they_diverge(log(leader), log(follower)) == where


@pytest.mark.parametrize(
    ("leader", "follower"),
    [("1124", "113"), ("11244", "11222"), ("114", "1122"), ("33", "12"), ("1144", "1222333"), ("134", "1112")],
)
def test_the_replica_truncates_until_its_log_is_a_prefix_of_the_leaders(leader: str, follower: str) -> None:
    ours, theirs = log(leader), log(follower)
    while (where := where_they_diverge(ours, theirs)) is not None:
        before = theirs.end_offset
        theirs.truncate_to(truncation_offset(*where, theirs.end_for(where[0]), before))
        assert theirs.end_offset < before
    assert ours.entries[: theirs.end_offset] == theirs.entries
    common = next((n for n, (one, two) in enumerate(zip(leader, follower, strict=False)) if one != two), 0)
    assert theirs.end_offset <= common


def test_a_log_without_epochs_goes_by_the_offset_alone() -> None:
    assert truncation_offset(3, 7, (NO_PARTITION_LEADER_EPOCH, -1), 9) == 7
    assert truncation_offset(3, 7, (NO_PARTITION_LEADER_EPOCH, -1), 5) == 5
