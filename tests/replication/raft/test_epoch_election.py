"""Majorities, counted one vote at a time."""

import pytest

from kafkacompat.replication.raft.epoch_election import EpochElection


@pytest.mark.parametrize(("size", "majority"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_a_majority_wins_and_no_less(size: int, majority: int) -> None:
    election = EpochElection(range(size))
    for voter_id in range(majority):
        assert not election.is_granted
        election.record(voter_id, granted=True)
    assert election.is_granted
    assert election.granted == set(range(majority))


@pytest.mark.parametrize(("size", "against"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
def test_it_is_rejected_when_no_majority_can_come(size: int, against: int) -> None:
    election = EpochElection(range(size))
    for voter_id in range(against):
        assert not election.is_rejected
        election.record(voter_id, granted=False)
    assert election.is_rejected
    assert not election.is_granted


def test_a_voter_is_counted_once_and_nobody_else_at_all() -> None:
    election = EpochElection([1, 2, 3])
    election.record(1, granted=True)
    election.record(1, granted=True)
    election.record(9, granted=True)
    assert not election.is_granted
    election.record(1, granted=False)
    election.record(2, granted=False)
    assert not election.is_rejected
