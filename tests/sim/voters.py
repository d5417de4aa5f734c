"""One leader that changes its voters, with scripted end offsets of the others (KIP-853).

Each is a function that raises AssertionError if it behaves wrongly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol.error_codes import (
    DUPLICATE_VOTER,
    INVALID_REQUEST,
    INVALID_UPDATE_VERSION,
    NOT_LEADER_OR_FOLLOWER,
    REQUEST_TIMED_OUT,
    UNSUPPORTED_VERSION,
    VOTER_NOT_FOUND,
)
from kafkacompat.replication.raft.epoch_state import LEADER, RESIGNED
from kafkacompat.replication.raft.messages import Fetch
from kafkacompat.replication.raft.voters import Voter, VoterChangeError, VoterHistory
from tests.sim.conversations import Lone

if TYPE_CHECKING:
    from collections.abc import Callable

ID = bytes(16)
OTHER = b"o" * 16


def leader_of(count: int) -> Lone:
    """A leader whose voters are in its log, and that has committed no record yet."""
    lone = Lone(count)
    lone.log._voters = VoterHistory([(-1, tuple(Voter(n, ID) for n in range(1, count + 1)))])
    lone.leader()
    return lone


def fetch(lone: Lone, node_id: int, offset: int | None = None) -> None:
    """A replica fetches at `offset`, or at the end of the log."""
    offset = lone.log.end_offset if offset is None else offset
    lone.replica.requested("f", Fetch(node_id, ID, lone.replica.epoch, offset, min(1, offset), 0), lone.now)
    lone.carry_out()


def error_of(decide: Callable[[], object]) -> int:
    try:
        decide()
    except VoterChangeError as error:
        return error.error_code
    return 0


def a_new_leader_changes_no_voters_yet() -> None:
    lone = leader_of(3)
    replica = lone.replica
    assert error_of(lambda: replica.voter_changes.without_voter((2, ID))) == REQUEST_TIMED_OUT
    fetch(lone, 2)
    assert [voter.id for voter in replica.voter_changes.without_voter((2, ID))] == [1, 3]


def who_is_behind_does_not_vote_yet() -> None:
    lone = leader_of(3)
    fetch(lone, 2)
    replica, new = lone.replica, Voter(4, ID)
    assert error_of(lambda: replica.voter_changes.with_voter(new, lone.now)) == REQUEST_TIMED_OUT
    replica.append(["a"], lone.now)
    fetch(lone, 4, 0)
    assert error_of(lambda: replica.voter_changes.with_voter(new, lone.now)) == REQUEST_TIMED_OUT
    fetch(lone, 4)
    assert [voter.id for voter in replica.voter_changes.with_voter(new, lone.now)] == [1, 2, 3, 4]
    lone.now_ms += 3_600_000
    assert error_of(lambda: replica.voter_changes.with_voter(new, lone.now)) == REQUEST_TIMED_OUT


def one_change_at_a_time_and_only_what_can_be() -> None:
    lone = leader_of(3)
    replica = lone.replica
    fetch(lone, 2)
    assert error_of(lambda: replica.voter_changes.without_voter((2, b"x" * 16))) == VOTER_NOT_FOUND
    assert error_of(lambda: replica.voter_changes.with_voter_updated(Voter(2, b"x" * 16))) == VOTER_NOT_FOUND
    assert error_of(lambda: replica.voter_changes.with_voter_updated(Voter(2, ID, (), (0, 0)))) == INVALID_REQUEST
    assert error_of(lambda: replica.voter_changes.check_new_voter(Voter(2, b"x" * 16))) == DUPLICATE_VOTER
    offset = replica.append_voters(replica.voter_changes.without_voter((3, ID)), lone.now)
    lone.carry_out()
    assert sorted(replica.voters) == [1, 2]
    assert error_of(lambda: replica.voter_changes.without_voter((2, ID))) == REQUEST_TIMED_OUT
    fetch(lone, 3)
    assert replica.high_watermark <= offset  # the removed voter does not count
    fetch(lone, 2)
    assert replica.high_watermark > offset
    assert error_of(lambda: replica.voter_changes.without_voter((2, ID))) == 0
    alone = Lone(1)
    alone.log._voters = VoterHistory([(-1, (Voter(1, ID),))])
    assert error_of(lambda: alone.replica.voter_changes.without_voter((1, ID))) == VOTER_NOT_FOUND
    static = Lone(1)
    assert static.replica.state == LEADER
    assert error_of(static.replica.voter_changes.changeable_voters) == UNSUPPORTED_VERSION
    assert error_of(Lone(3).replica.voter_changes.changeable_voters) == NOT_LEADER_OR_FOLLOWER


def a_leader_that_removes_itself_stays_until_that_is_committed() -> None:
    lone = leader_of(3)
    replica = lone.replica
    fetch(lone, 2)
    offset = replica.append_voters(replica.voter_changes.without_voter((1, ID)), lone.now)
    lone.carry_out()
    assert (replica.is_voter, replica.state) == (False, LEADER)
    fetch(lone, 2)
    assert (replica.high_watermark, replica.state) == (offset, LEADER)  # only the others count
    fetch(lone, 3)
    assert (replica.high_watermark, replica.state) == (offset + 1, RESIGNED)
    assert not replica.quorum.may_stand


def static_leader() -> Lone:
    """A leader of three static voters that has committed the first record of its epoch."""
    lone = Lone(3)
    lone.leader()
    fetch(lone, 2)
    return lone


def voters_move_into_the_log_once_all_are_known() -> None:
    """The set and the state of each replica stay the same; a majority commits it like any record."""
    lone = static_leader()
    replica, own = lone.replica, Voter(1, ID)
    assert error_of(lambda: replica.voter_changes.register(Voter(9, OTHER))) == VOTER_NOT_FOUND
    assert error_of(lambda: replica.voter_changes.register(Voter(2, OTHER, (), (1, 1)))) == INVALID_REQUEST
    assert error_of(lambda: replica.voter_changes.configured_voters(own)) == INVALID_UPDATE_VERSION
    replica.voter_changes.register(Voter(2, OTHER, (("C", "two", 2),), (0, 0)))
    assert error_of(lambda: replica.voter_changes.configured_voters(own)) == INVALID_UPDATE_VERSION
    replica.voter_changes.register(Voter(3, OTHER))
    assert error_of(lambda: replica.voter_changes.configured_voters(own)) == INVALID_UPDATE_VERSION  # one cannot do it
    replica.voter_changes.register(Voter(2, OTHER, (("C", "two", 2),)))
    voters = replica.voter_changes.configured_voters(own)
    assert [voter.key for voter in voters] == [(1, ID), (2, OTHER), (3, OTHER)]
    assert voters[1].endpoints == (("C", "two", 2),)
    offset = replica.append_voters(voters, lone.now)
    lone.carry_out()
    assert replica.voters == {1: ID, 2: OTHER, 3: OTHER}
    assert replica.high_watermark == offset
    fetch(lone, 3)
    assert replica.high_watermark == offset  # that replica has another directory and is no longer a voter
    replica.requested("f", Fetch(3, OTHER, replica.epoch, lone.log.end_offset, 1, 0), lone.now)
    lone.carry_out()
    assert replica.high_watermark == offset + 1


def who_has_another_directory_tells_anew() -> None:
    lone = static_leader()
    replica = lone.replica
    for node_id in (2, 3):
        replica.voter_changes.register(Voter(node_id, ID))
        fetch(lone, node_id)
    assert error_of(lambda: replica.voter_changes.configured_voters(Voter(1, ID))) == 0
    replica.requested("f", Fetch(3, OTHER, replica.epoch, lone.log.end_offset, 1, 0), lone.now)
    assert error_of(lambda: replica.voter_changes.configured_voters(Voter(1, ID))) == INVALID_UPDATE_VERSION
    replica.voter_changes.register(Voter(3, OTHER))
    assert [voter.directory_id for voter in replica.voter_changes.configured_voters(Voter(1, ID))] == [ID, ID, OTHER]


def nobody_else_raises_the_level() -> None:
    lone = Lone(3)
    assert error_of(lambda: lone.replica.voter_changes.register(Voter(2, ID))) == NOT_LEADER_OR_FOLLOWER
    lone.leader()
    assert error_of(lambda: lone.replica.voter_changes.register(Voter(2, ID))) == REQUEST_TIMED_OUT
    assert error_of(lambda: lone.replica.voter_changes.configured_voters(Voter(1, ID))) == REQUEST_TIMED_OUT


ALL: tuple[Callable[[], None], ...] = (
    a_new_leader_changes_no_voters_yet,
    who_is_behind_does_not_vote_yet,
    one_change_at_a_time_and_only_what_can_be,
    a_leader_that_removes_itself_stays_until_that_is_committed,
    voters_move_into_the_log_once_all_are_known,
    who_has_another_directory_tells_anew,
    nobody_else_raises_the_level,
)
