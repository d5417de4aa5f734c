"""A leader alone that is asked to change who votes, told by hand what the others hold (KIP-853).

Each is a function that raises AssertionError when it does not do what it should.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.replication.raft.epoch_state import LEADER, RESIGNED
from kafkacompat.replication.raft.messages import (
    DUPLICATE_VOTER,
    INVALID_REQUEST,
    INVALID_UPDATE_VERSION,
    NOT_LEADER_OR_FOLLOWER,
    REQUEST_TIMED_OUT,
    UNSUPPORTED_VERSION,
    VOTER_NOT_FOUND,
    Fetch,
)
from kafkacompat.replication.raft.voters import Voter, VoterChangeError, VoterHistory
from tests.sim.conversations import Lone

if TYPE_CHECKING:
    from collections.abc import Callable

ID = bytes(16)
OTHER = b"o" * 16


def leader_of(count: int) -> Lone:
    """A leader whose voters are in its log, and that has committed nothing yet."""
    lone = Lone(count)
    lone.log._voters = VoterHistory([(-1, tuple(Voter(n, ID) for n in range(1, count + 1)))])
    lone.leader()
    return lone


def fetch(lone: Lone, node_id: int, offset: int | None = None) -> None:
    """A replica holds everything below `offset`, or all there is."""
    offset = lone.log.end_offset if offset is None else offset
    lone.member.requested("f", Fetch(node_id, ID, lone.member.epoch, offset, min(1, offset), 0), lone.now)
    lone.carry_out()


def error_of(decide: Callable[[], object]) -> int:
    try:
        decide()
    except VoterChangeError as error:
        return error.error_code
    return 0


def a_new_leader_changes_no_voters_yet() -> None:
    lone = leader_of(3)
    member = lone.member
    assert error_of(lambda: member.voter_changes.without_voter((2, ID))) == REQUEST_TIMED_OUT
    fetch(lone, 2)
    assert [voter.id for voter in member.voter_changes.without_voter((2, ID))] == [1, 3]


def who_is_behind_does_not_vote_yet() -> None:
    lone = leader_of(3)
    fetch(lone, 2)
    member, new = lone.member, Voter(4, ID)
    assert error_of(lambda: member.voter_changes.with_voter(new, lone.now)) == REQUEST_TIMED_OUT
    member.append(["a"], lone.now)
    fetch(lone, 4, 0)
    assert error_of(lambda: member.voter_changes.with_voter(new, lone.now)) == REQUEST_TIMED_OUT
    fetch(lone, 4)
    assert [voter.id for voter in member.voter_changes.with_voter(new, lone.now)] == [1, 2, 3, 4]
    lone.now_ms += 3_600_000
    assert error_of(lambda: member.voter_changes.with_voter(new, lone.now)) == REQUEST_TIMED_OUT


def one_change_at_a_time_and_only_what_can_be() -> None:
    lone = leader_of(3)
    member = lone.member
    fetch(lone, 2)
    assert error_of(lambda: member.voter_changes.without_voter((2, b"x" * 16))) == VOTER_NOT_FOUND
    assert error_of(lambda: member.voter_changes.with_voter_updated(Voter(2, b"x" * 16))) == VOTER_NOT_FOUND
    assert error_of(lambda: member.voter_changes.with_voter_updated(Voter(2, ID, (), (0, 0)))) == INVALID_REQUEST
    assert error_of(lambda: member.voter_changes.check_new_voter(Voter(2, b"x" * 16))) == DUPLICATE_VOTER
    offset = member.append_voters(member.voter_changes.without_voter((3, ID)), lone.now)
    lone.carry_out()
    assert sorted(member.voters) == [1, 2]
    assert error_of(lambda: member.voter_changes.without_voter((2, ID))) == REQUEST_TIMED_OUT
    fetch(lone, 3)
    assert member.high_watermark <= offset  # who was removed does not count for it
    fetch(lone, 2)
    assert member.high_watermark > offset
    assert error_of(lambda: member.voter_changes.without_voter((2, ID))) == 0
    alone = Lone(1)
    alone.log._voters = VoterHistory([(-1, (Voter(1, ID),))])
    assert error_of(lambda: alone.member.voter_changes.without_voter((1, ID))) == VOTER_NOT_FOUND
    static = Lone(1)
    assert static.member.state == LEADER
    assert error_of(static.member.voter_changes.changeable_voters) == UNSUPPORTED_VERSION
    assert error_of(Lone(3).member.voter_changes.changeable_voters) == NOT_LEADER_OR_FOLLOWER


def a_leader_that_removes_itself_stays_until_that_is_committed() -> None:
    lone = leader_of(3)
    member = lone.member
    fetch(lone, 2)
    offset = member.append_voters(member.voter_changes.without_voter((1, ID)), lone.now)
    lone.carry_out()
    assert (member.is_voter, member.state) == (False, LEADER)
    fetch(lone, 2)
    assert (member.high_watermark, member.state) == (offset, LEADER)  # it counts the others alone
    fetch(lone, 3)
    assert (member.high_watermark, member.state) == (offset + 1, RESIGNED)
    assert not member.quorum.may_stand


def static_leader() -> Lone:
    """A leader of three whom the configuration names, and that has committed the beginning of its epoch."""
    lone = Lone(3)
    lone.leader()
    fetch(lone, 2)
    return lone


def voters_move_into_the_log_once_all_are_known() -> None:
    """The set stays the same, and so does what is known of each; a majority commits it as anything else."""
    lone = static_leader()
    member, own = lone.member, Voter(1, ID)
    assert error_of(lambda: member.voter_changes.register(Voter(9, OTHER))) == VOTER_NOT_FOUND
    assert error_of(lambda: member.voter_changes.register(Voter(2, OTHER, (), (1, 1)))) == INVALID_REQUEST
    assert error_of(lambda: member.voter_changes.configured_voters(own)) == INVALID_UPDATE_VERSION
    member.voter_changes.register(Voter(2, OTHER, (("C", "two", 2),), (0, 0)))
    assert error_of(lambda: member.voter_changes.configured_voters(own)) == INVALID_UPDATE_VERSION
    member.voter_changes.register(Voter(3, OTHER))
    assert error_of(lambda: member.voter_changes.configured_voters(own)) == INVALID_UPDATE_VERSION  # one cannot do it
    member.voter_changes.register(Voter(2, OTHER, (("C", "two", 2),)))
    voters = member.voter_changes.configured_voters(own)
    assert [voter.key for voter in voters] == [(1, ID), (2, OTHER), (3, OTHER)]
    assert voters[1].endpoints == (("C", "two", 2),)
    offset = member.append_voters(voters, lone.now)
    lone.carry_out()
    assert member.voters == {1: ID, 2: OTHER, 3: OTHER}
    assert member.high_watermark == offset
    fetch(lone, 3)
    assert member.high_watermark == offset  # that replica has another directory: it votes no more
    member.requested("f", Fetch(3, OTHER, member.epoch, lone.log.end_offset, 1, 0), lone.now)
    lone.carry_out()
    assert member.high_watermark == offset + 1


def who_has_another_directory_tells_anew() -> None:
    lone = static_leader()
    member = lone.member
    for node_id in (2, 3):
        member.voter_changes.register(Voter(node_id, ID))
        fetch(lone, node_id)
    assert error_of(lambda: member.voter_changes.configured_voters(Voter(1, ID))) == 0
    member.requested("f", Fetch(3, OTHER, member.epoch, lone.log.end_offset, 1, 0), lone.now)
    assert error_of(lambda: member.voter_changes.configured_voters(Voter(1, ID))) == INVALID_UPDATE_VERSION
    member.voter_changes.register(Voter(3, OTHER))
    assert [voter.directory_id for voter in member.voter_changes.configured_voters(Voter(1, ID))] == [ID, ID, OTHER]


def nobody_else_raises_the_level() -> None:
    lone = Lone(3)
    assert error_of(lambda: lone.member.voter_changes.register(Voter(2, ID))) == NOT_LEADER_OR_FOLLOWER
    lone.leader()
    assert error_of(lambda: lone.member.voter_changes.register(Voter(2, ID))) == REQUEST_TIMED_OUT
    assert error_of(lambda: lone.member.voter_changes.configured_voters(Voter(1, ID))) == REQUEST_TIMED_OUT


ALL: tuple[Callable[[], None], ...] = (
    a_new_leader_changes_no_voters_yet,
    who_is_behind_does_not_vote_yet,
    one_change_at_a_time_and_only_what_can_be,
    a_leader_that_removes_itself_stays_until_that_is_committed,
    voters_move_into_the_log_once_all_are_known,
    who_has_another_directory_tells_anew,
    nobody_else_raises_the_level,
)
