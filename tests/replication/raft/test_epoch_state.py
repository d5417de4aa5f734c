"""The states of a replica: the allowed transitions, and when a pre-vote is granted."""

import random

import pytest

from kafkacompat.now import Now
from kafkacompat.replication.raft.epoch_state import (
    CANDIDATE,
    FOLLOWER,
    LEADER,
    NEXT_IN_A_HIGHER_EPOCH,
    NEXT_IN_THE_SAME_EPOCH,
    PROSPECTIVE,
    RESIGNED,
    STOPPED,
    UNATTACHED,
    FollowerState,
    UnattachedState,
    may_follow,
)
from kafkacompat.replication.raft.leader_state import LeaderState
from kafkacompat.replication.raft.quorum_state import QuorumState
from tests.sim.disk import MemoryLog

ALL = {UNATTACHED, FOLLOWER, PROSPECTIVE, CANDIDATE, LEADER, RESIGNED, STOPPED}
AT = Now(0, 0)


def quorum_state() -> QuorumState:
    voters = dict.fromkeys((1, 2, 3), bytes(16))
    log = MemoryLog([])
    return QuorumState(1, bytes(16), voters, log, None, lambda _: None, random.Random(1))


def test_every_state_has_its_row() -> None:
    assert NEXT_IN_THE_SAME_EPOCH.keys() == NEXT_IN_A_HIGHER_EPOCH.keys() == ALL
    assert set().union(*NEXT_IN_THE_SAME_EPOCH.values(), *NEXT_IN_A_HIGHER_EPOCH.values()) == ALL


def test_only_a_candidate_becomes_leader_and_only_a_prospective_becomes_candidate() -> None:
    for name in ALL:
        assert may_follow(name, LEADER, is_higher_epoch=False) == (name == CANDIDATE)
        assert not may_follow(name, LEADER, is_higher_epoch=True)
        assert may_follow(name, CANDIDATE, is_higher_epoch=True) == (name == PROSPECTIVE)
        assert not may_follow(name, CANDIDATE, is_higher_epoch=False)


def test_a_leader_goes_by_resigning_or_by_a_higher_epoch() -> None:
    assert NEXT_IN_THE_SAME_EPOCH[LEADER] == {RESIGNED}
    assert NEXT_IN_A_HIGHER_EPOCH[LEADER] == {UNATTACHED, FOLLOWER}


def test_a_transition_that_is_not_in_the_table_is_a_bug() -> None:
    quorum = quorum_state()
    with pytest.raises(AssertionError, match="Unattached to Leader"):
        quorum.to_leader(0, AT)
    quorum = quorum_state()
    quorum.to_stopped()
    with pytest.raises(AssertionError, match="Stopped to Prospective"):
        quorum.to_prospective()


def test_a_prospective_remembers_that_its_leader_is_dead() -> None:
    for is_dead in (False, True):
        quorum = quorum_state()
        quorum.to_follower(2, AT, 5)
        assert isinstance(quorum.state, FollowerState)
        quorum.state.is_leader_dead = is_dead
        state = quorum.to_prospective()
        assert (state.is_leader_dead, quorum.leader_id, quorum.epoch) == (is_dead, 2, 5)


def test_a_pre_vote_is_granted_unless_a_leader_is_alive() -> None:
    follower = FollowerState(2)
    assert follower.would_vote_for(3)
    follower.has_fetched = True
    assert not follower.would_vote_for(3)
    assert follower.would_vote_for(2)  # it restarted
    follower.is_leader_dead = True
    assert follower.would_vote_for(3)
    assert UnattachedState().would_vote_for(3)
    assert not LeaderState([2, 3], 0, 0).would_vote_for(2)
