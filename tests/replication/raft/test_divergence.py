"""Where two logs part: the cases of KIP-595, on logs written as their epochs."""

import pytest

from kafkacompat.replication.raft.divergence import LostCommittedError, cut_offset, diverging
from kafkacompat.replication.raft.messages import Fetch
from tests.sim.disk import MemoryLog


def log(epochs: str) -> MemoryLog:
    return MemoryLog([(int(epoch), "v") for epoch in epochs])


def fetch(offset: int, last_epoch: int) -> Fetch:
    return Fetch(2, bytes(16), 9, offset, last_epoch, -1)


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
    replica = log(follower)
    assert diverging(log(leader), fetch(replica.end_offset, replica.last_epoch)) == where


@pytest.mark.parametrize(
    ("leader", "follower"),
    [("1124", "113"), ("11244", "11222"), ("114", "1122"), ("33", "12"), ("1144", "1222333"), ("134", "1112")],
)
def test_the_replica_cuts_until_its_log_is_a_part_of_the_leaders(leader: str, follower: str) -> None:
    ours, theirs = log(leader), log(follower)
    while (where := diverging(ours, fetch(theirs.end_offset, theirs.last_epoch))) is not None:
        before = theirs.end_offset
        theirs.truncate_to(cut_offset(theirs, *where, 0))
        assert theirs.end_offset < before
    assert ours.entries[: theirs.end_offset] == theirs.entries
    common = next((n for n, (one, two) in enumerate(zip(leader, follower, strict=False)) if one != two), 0)
    assert theirs.end_offset <= common


def test_what_is_committed_is_not_cut() -> None:
    with pytest.raises(LostCommittedError, match="offset 2 on; here records below 3 are committed"):
        cut_offset(log("1122"), 1, 2, 3)
    assert cut_offset(log("1122"), 1, 2, 2) == 2
