"""Majorities, counted one voice at a time."""

import pytest

from kafkacompat.replication.raft.ballot import Ballot


@pytest.mark.parametrize(("size", "majority"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_a_majority_wins_and_no_less(size: int, majority: int) -> None:
    ballot = Ballot(range(size))
    for voter_id in range(majority):
        assert not ballot.is_won
        ballot.count(voter_id, granted=True)
    assert ballot.is_won
    assert ballot.granted == set(range(majority))


@pytest.mark.parametrize(("size", "against"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
def test_it_is_lost_when_no_majority_can_come(size: int, against: int) -> None:
    ballot = Ballot(range(size))
    for voter_id in range(against):
        assert not ballot.is_lost
        ballot.count(voter_id, granted=False)
    assert ballot.is_lost
    assert not ballot.is_won


def test_a_voter_is_counted_once_and_nobody_else_at_all() -> None:
    ballot = Ballot([1, 2, 3])
    ballot.count(1, granted=True)
    ballot.count(1, granted=True)
    ballot.count(9, granted=True)
    assert not ballot.is_won
    ballot.count(1, granted=False)
    ballot.count(2, granted=False)
    assert not ballot.is_lost
