"""One replica against scripted peers: late answers, duplicate answers, unexpected messages.

Each is a function that raises AssertionError if the replica behaves wrongly.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from kafkacompat.now import Now
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.error_codes import (
    FENCED_LEADER_EPOCH,
    INVALID_REQUEST,
    INVALID_VOTER_KEY,
    NONE,
    NOT_LEADER_OR_FOLLOWER,
    UNKNOWN_LEADER_EPOCH,
)
from kafkacompat.replication.raft.client import RaftClient
from kafkacompat.replication.raft.election_state import ElectionState
from kafkacompat.replication.raft.epoch_state import CANDIDATE, FOLLOWER, LEADER, PROSPECTIVE, UNATTACHED
from kafkacompat.replication.raft.messages import (
    Answer,
    BeginEpoch,
    EndEpoch,
    Fetch,
    FetchAnswer,
    Reply,
    Send,
    Sync,
    Vote,
    VoteAnswer,
)
from kafkacompat.replication.raft.quorum_state import QuorumState
from tests.sim.disk import MemoryLog

if TYPE_CHECKING:
    from collections.abc import Callable


class Lone:
    """One replica whose peers are scripted by the test. Syncs are done at once."""

    def __init__(
        self, voters: int | dict[int, bytes], stored: ElectionState | None = None, epochs: str = "", node_id: int = 1
    ) -> None:
        self.now_ms = 0
        self.stored: list[ElectionState] = []
        self.log = MemoryLog([(int(epoch), "v") for epoch in epochs])
        self.said: list[Send] = []
        self.replies: list[Answer] = []
        if isinstance(voters, int):
            voters = dict.fromkeys(range(1, voters + 1), bytes(16))
        quorum = QuorumState(node_id, bytes(16), voters, self.log, stored, self.stored.append, random.Random(1))
        self.replica = RaftClient(quorum, self.now)
        self.carry_out()

    @property
    def now(self) -> Now:
        return Now(self.now_ms, self.now_ms)

    def carry_out(self) -> None:
        for effect in self.replica.take_effects():
            if isinstance(effect, Send):
                self.said.append(effect)
            elif isinstance(effect, Reply):
                self.replies.append(effect.answer)
            elif isinstance(effect, Sync):
                self.log.synced(self.log.begin_sync())
                self.replica.flushed(self.now)
                self.carry_out()

    def wait(self) -> None:
        """Advance time to the replica's next deadline."""
        self.now_ms = max(self.now_ms, self.replica.deadline_ms)
        self.replica.tick(self.now)
        self.carry_out()

    def wait_until(self, state: str) -> None:
        for _ in range(100):
            if self.replica.state == state:
                return
            self.wait()
        raise AssertionError(f"{self.replica.state}, never {state}")

    def take_said(self, kind: type) -> list[Send]:
        """The messages of this kind that it has sent since the last call. Others are dropped."""
        said, self.said = [send for send in self.said if isinstance(send.message, kind)], []
        return said

    def answer(self, send: Send, answer: Answer) -> None:
        self.replica.answered(send.token, answer, self.now)
        self.carry_out()

    def grant(self, send: Send, *, granted: bool = True) -> None:
        self.answer(send, VoteAnswer(NONE, NO_NODE, send.message.epoch, granted=granted))  # type: ignore[attr-defined]

    def ask(self, message: object) -> Answer:
        self.replica.requested("token", message, self.now)
        self.carry_out()
        return self.replies.pop()

    def candidate(self) -> list[Send]:
        """Make it stand for election. Returns the votes that it asks for."""
        self.wait_until(PROSPECTIVE)
        asked = self.take_said(Vote)
        for send in asked:
            if self.replica.state == PROSPECTIVE:
                self.grant(send)
        assert self.replica.state == CANDIDATE
        return self.take_said(Vote)

    def leader(self) -> None:
        for send in self.candidate():
            if self.replica.state == CANDIDATE:
                self.grant(send)
        assert self.replica.state == LEADER


def votes_of_an_older_epoch_do_not_count() -> None:
    lone = Lone(5)
    first = lone.candidate()
    lone.wait()
    assert lone.replica.state == UNATTACHED
    lone.candidate()
    assert lone.replica.epoch == 2
    for send in first:
        lone.grant(send)
    assert lone.replica.state == CANDIDATE


def an_answer_counts_once() -> None:
    lone = Lone(5)
    (first, *_) = lone.candidate()
    lone.grant(first)
    lone.grant(first)
    lone.replica.failed(first.token, lone.now)
    assert lone.replica.state == CANDIDATE
    follower = Lone(3)
    follower.ask(BeginEpoch(1, 2))
    (fetch,) = follower.take_said(Fetch)
    records = FetchAnswer(NONE, 2, 1, high_watermark=0, records=(0, [(1, "a")]))
    follower.answer(fetch, records)
    follower.answer(fetch, records)
    assert follower.log.entries == [(1, "a")]


def a_lost_round_is_over() -> None:
    """Votes granted after an election was lost do not count; in the next election they would."""
    lone = Lone(5)
    asked = lone.take_said(Vote)
    lone.wait()
    assert lone.replica.state == UNATTACHED
    for send in asked:
        lone.grant(send)
    assert (lone.replica.state, lone.replica.epoch) == (UNATTACHED, 0)


def who_cannot_be_asked_refuses() -> None:
    lone = Lone(5)
    one, two, three, _ = lone.take_said(Vote)
    for send in (one, two, three):
        assert lone.replica.state == PROSPECTIVE
        lone.replica.failed(send.token, lone.now)
    assert lone.replica.state == UNATTACHED
    assert lone.replica.deadline_ms <= 100


def a_lost_round_leads_back_to_the_leader_unless_it_is_dead() -> None:
    for is_dead, state in ((False, FOLLOWER), (True, UNATTACHED)):
        lone = Lone(3)
        lone.ask(BeginEpoch(5, 2))
        lone.take_said(Vote)
        lone.wait_until(PROSPECTIVE)
        assert lone.now_ms == 2000
        if is_dead:
            lone.replica.died(2, lone.now)
        for send in lone.take_said(Vote):
            lone.grant(send, granted=False)
        assert (lone.replica.state, lone.replica.leader_id) == (state, NO_NODE if is_dead else 2)
        lone.wait_until(PROSPECTIVE)
        assert lone.now_ms <= 2100
        assert lone.replica.epoch == 5


def a_held_fetch_is_forgotten_with_its_connection() -> None:
    lone = Lone(3)
    lone.leader()
    lone.replica.requested("f", Fetch(3, bytes(16), 1, 1, 1, 1), lone.now)
    lone.replica.forgotten("f")
    lone.carry_out()
    while lone.now_ms < 2000:
        lone.wait()
    assert lone.replies == []


def no_vote_for_a_log_that_is_behind() -> None:
    """Pre-votes make this rule rarely necessary, but a candidate that skips them must be refused."""
    for last_epoch, end, granted in ((4, 3, False), (3, 9, False), (4, 4, True), (5, 1, True)):
        lone = Lone(3, ElectionState(4), "1144")
        vote = Vote(6, 2, bytes(16), last_epoch, end, pre_vote=False)
        assert lone.ask(vote).granted is granted  # type: ignore[attr-defined]
        assert (lone.stored[-1].leader_epoch, lone.stored[-1].voted_id) == (6, 2 if granted else NO_NODE)


def a_leader_is_followed_from_its_first_word() -> None:
    """The leader of a newer epoch replaces a live leader; another message about the same leader changes nothing."""
    lone = Lone(3, ElectionState(5))
    lone.ask(BeginEpoch(5, 2))
    assert (lone.replica.state, lone.replica.leader_id) == (FOLLOWER, 2)
    lone.answer(lone.take_said(Fetch)[0], FetchAnswer(NONE, 2, 5, high_watermark=0))
    count = len(lone.stored)
    assert lone.ask(BeginEpoch(5, 2)).error_code == NONE
    assert len(lone.stored) == count
    assert not lone.ask(Vote(5, 3, bytes(16), 4, 9, pre_vote=True)).granted  # type: ignore[attr-defined]
    lone.take_said(Fetch)
    assert lone.ask(BeginEpoch(6, 3)).error_code == NONE
    assert (lone.replica.leader_id, lone.stored[-1].leader_epoch, lone.stored[-1].leader_id) == (3, 6, 3)
    assert [send.node_id for send in lone.take_said(Fetch)] == [3]


def an_answer_tells_of_a_newer_epoch() -> None:
    lone = Lone(3)
    asked = lone.candidate()
    lone.answer(asked[0], VoteAnswer(FENCED_LEADER_EPOCH, NO_NODE, 7, granted=False))
    assert (lone.replica.state, lone.replica.epoch, lone.stored[-1].leader_epoch) == (UNATTACHED, 7, 7)
    lone = Lone(3)
    asked = lone.candidate()
    lone.answer(asked[0], VoteAnswer(FENCED_LEADER_EPOCH, 3, 7, granted=False))
    assert (lone.replica.state, lone.replica.leader_id, lone.stored[-1].leader_id) == (FOLLOWER, 3, 3)
    assert [send.node_id for send in lone.take_said(Fetch)] == [3]


def a_vote_is_stored_before_it_is_given() -> None:
    lone = Lone(3)
    assert lone.ask(Vote(4, 2, b"2" * 16, 0, 0, pre_vote=False)).granted  # type: ignore[attr-defined]
    state = lone.stored[-1]
    assert (state.leader_epoch, state.voted_id, state.voted_directory_id) == (4, 2, b"2" * 16)
    count = len(lone.stored)
    assert lone.ask(Vote(4, 2, b"2" * 16, 0, 0, pre_vote=False)).granted  # type: ignore[attr-defined]
    for other in (Vote(4, 3, b"3" * 16, 3, 9, pre_vote=False), Vote(4, 2, b"x" * 16, 3, 9, pre_vote=False)):
        assert not lone.ask(other).granted  # type: ignore[attr-defined]
    assert len(lone.stored) == count


def a_restarted_voter_goes_back_to_its_leader() -> None:
    """It fetches from the stored leader and does not vote in that epoch; without a stored leader it may vote."""
    lone = Lone(3, ElectionState(5, 2), "15")
    assert [send.node_id for send in lone.take_said(Fetch)] == [2]
    assert not lone.ask(Vote(5, 3, bytes(16), 4, 9, pre_vote=False)).granted  # type: ignore[attr-defined]
    for voted_id, granted in ((NO_NODE, True), (3, True), (2, False)):
        lone = Lone(3, ElectionState(5, NO_NODE, voted_id, bytes(16)), "14")
        assert lone.ask(Vote(5, 3, bytes(16), 4, 9, pre_vote=False)).granted is granted  # type: ignore[attr-defined]


def pre_votes_change_nothing() -> None:
    lone = Lone(3, ElectionState(4), "1144")
    for vote, granted in (
        (Vote(4, 2, bytes(16), 4, 4, pre_vote=True), True),
        (Vote(4, 3, bytes(16), 4, 5, pre_vote=True), True),
        (Vote(4, 3, bytes(16), 4, 3, pre_vote=True), False),
        (Vote(4, 3, bytes(16), 3, 9, pre_vote=True), False),
    ):
        assert lone.ask(vote).granted is granted  # type: ignore[attr-defined]
    assert lone.stored == []
    assert lone.ask(Vote(3, 2, bytes(16), 2, 9, pre_vote=True)).error_code == FENCED_LEADER_EPOCH


def whoever_has_a_live_leader_grants_no_pre_vote() -> None:
    lone = Lone(3)
    lone.ask(BeginEpoch(5, 2))
    vote = Vote(5, 3, bytes(16), 4, 9, pre_vote=True)
    assert lone.ask(vote).granted  # type: ignore[attr-defined]  # that leader is hearsay
    lone.answer(lone.take_said(Fetch)[-1], FetchAnswer(NONE, 2, 5, high_watermark=0))
    assert not lone.ask(vote).granted  # type: ignore[attr-defined]
    assert lone.ask(Vote(5, 2, bytes(16), 5, 9, pre_vote=True)).granted  # type: ignore[attr-defined]  # it restarted
    lone.replica.died(2, lone.now)
    assert lone.ask(vote).granted  # type: ignore[attr-defined]
    assert lone.ask(Vote(5, 3, bytes(16), 4, 9, pre_vote=False)).leader_id == 2


def wrong_words_are_answered_with_errors() -> None:
    lone = Lone(3)
    lone.ask(BeginEpoch(5, 2))
    for message, error_code in (
        (BeginEpoch(4, 3), FENCED_LEADER_EPOCH),
        (BeginEpoch(5, 3), INVALID_REQUEST),
        (BeginEpoch(6, 1), INVALID_REQUEST),
        (EndEpoch(4, 3, ()), FENCED_LEADER_EPOCH),
        (EndEpoch(5, 3, ()), INVALID_REQUEST),
        (Fetch(3, bytes(16), 5, 0, 0, 0), NOT_LEADER_OR_FOLLOWER),
        (Fetch(3, bytes(16), 4, 0, 0, 0), FENCED_LEADER_EPOCH),
        (Fetch(3, bytes(16), 6, 0, 0, 0), UNKNOWN_LEADER_EPOCH),
    ):
        answer = lone.ask(message)
        assert (answer.error_code, answer.leader_id, answer.epoch) == (error_code, 2, 5)
    assert (lone.replica.state, lone.replica.epoch) == (FOLLOWER, 5)


def what_is_left_after_a_cut_may_differ_still() -> None:
    """The leader has 1 1 3 3 5, the follower 1 2 2 2 4: it truncates twice, and then learns the high watermark."""
    lone = Lone(3, epochs="12224")
    lone.ask(BeginEpoch(5, 2))
    for diverging, left in (((3, 4), 4), ((1, 2), 1)):
        (fetch,) = lone.take_said(Fetch)
        lone.answer(fetch, FetchAnswer(NONE, 2, 5, high_watermark=4, diverging=diverging))
        assert (lone.log.end_offset, lone.replica.high_watermark) == (left, 0)
    (fetch,) = lone.take_said(Fetch)
    lone.answer(fetch, FetchAnswer(NONE, 2, 5, high_watermark=4, records=(1, [(1, "b"), (3, "c"), (3, "d"), (5, "e")])))
    assert (lone.log.end_offset, lone.replica.high_watermark) == (5, 4)


def a_fetch_of_another_epoch_counts_for_nothing() -> None:
    lone = Lone(3)
    lone.leader()
    epoch, end = lone.replica.epoch, lone.log.end_offset
    for other, error_code in ((epoch - 1, FENCED_LEADER_EPOCH), (epoch + 1, UNKNOWN_LEADER_EPOCH)):
        assert lone.ask(Fetch(2, bytes(16), other, end, min(epoch, other), 0)).error_code == error_code
        assert lone.replica.high_watermark == 0
    lone.ask(Fetch(2, bytes(16), epoch, end, epoch, 0))
    assert lone.replica.high_watermark == end


def an_observer_keeps_no_leader_in_office() -> None:
    lone = Lone(3)
    lone.leader()
    epoch = lone.replica.epoch
    while lone.replica.is_leader:
        assert lone.now_ms < 4000
        lone.wait()
        if lone.replica.is_leader:
            lone.replica.requested("o", Fetch(9, bytes(16), epoch, 0, 0, lone.replica.high_watermark), lone.now)
            lone.carry_out()


def the_next_leader_knows_its_turn() -> None:
    for successors, asks_at_ms in (((1, 3), 0), ((3, 1), 50), ((3,), 1000)):
        lone = Lone(3)
        lone.ask(BeginEpoch(5, 2))
        lone.take_said(Vote)
        lone.ask(EndEpoch(5, 2, tuple((node_id, bytes(16)) for node_id in successors)))
        lone.wait_until(PROSPECTIVE)
        assert asks_at_ms <= lone.now_ms <= 2 * asks_at_ms
        assert lone.replica.epoch == 5


def voters_stand_in_turn() -> None:
    """Two replicas see the death of their leader at once: the lower id asks for votes first."""
    for node_id, stagger_ms in ((1, 0), (3, 50), (4, 100)):
        lone = Lone(4, node_id=node_id)
        lone.ask(BeginEpoch(5, 2))
        for bystander in (1, 3, 4):
            lone.replica.died(bystander, lone.now)
        assert lone.replica.deadline_ms >= 2000
        lone.replica.died(2, lone.now)
        assert lone.replica.deadline_ms == stagger_ms
        lone.replica.died(2, lone.now)
        assert lone.replica.deadline_ms == stagger_ms
        lone.wait()
        assert lone.replica.state == PROSPECTIVE


def a_voter_with_another_directory_is_not_the_voter_it_was() -> None:
    lone = Lone({1: bytes(16), 2: b"2" * 16, 3: b"3" * 16})
    lone.leader()
    end = lone.log.end_offset
    lone.replica.requested("f", Fetch(2, b"x" * 16, 1, end, 1, 0), lone.now)
    assert lone.replica.high_watermark == 0
    lone.replica.requested("g", Fetch(2, b"2" * 16, 1, end, 1, 0), lone.now)
    assert lone.replica.high_watermark == end
    observer = Lone({1: b"x" * 16, 2: b"2" * 16})
    for _ in range(20):
        observer.wait()
        assert observer.replica.state == UNATTACHED
    assert not observer.take_said(Vote)


def who_has_another_directory_is_not_meant() -> None:
    lone = Lone(3, ElectionState(4))
    vote = Vote(6, 2, b"2" * 16, 5, 9, pre_vote=False, voter=(1, b"x" * 16))
    answer = lone.ask(vote)
    assert (answer.error_code, answer.epoch, answer.granted) == (INVALID_VOTER_KEY, 6, False)  # type: ignore[attr-defined]
    vote.voter = (3, bytes(16))
    assert lone.ask(vote).error_code == INVALID_VOTER_KEY
    vote.voter = (1, bytes(16))
    assert lone.ask(vote).granted  # type: ignore[attr-defined]
    answer = lone.ask(BeginEpoch(7, 2, (1, b"x" * 16)))
    assert (answer.error_code, answer.epoch, answer.leader_id) == (INVALID_VOTER_KEY, 7, 2)


def a_leader_that_goes_names_its_successors() -> None:
    lone = Lone(3)
    lone.leader()
    lone.replica.requested("f", Fetch(3, bytes(16), 1, 1, 1, 0), lone.now)
    lone.carry_out()
    assert lone.replies[-1].error_code == NONE
    lone.replica.requested("f", Fetch(3, bytes(16), 1, 1, 1, 1), lone.now)
    lone.carry_out()
    lone.replica.resign(lone.now)
    lone.carry_out()
    ends = [send.message for send in lone.take_said(EndEpoch)]
    assert [(end.epoch, end.leader_id, [key[0] for key in end.successors]) for end in ends] == [(1, 1, [3, 2])] * 2  # type: ignore[attr-defined]
    assert lone.replies[-1].error_code == NOT_LEADER_OR_FOLLOWER
    lone.wait_until(PROSPECTIVE)


def leaders_are_told_to_all_until_they_fetch() -> None:
    lone = Lone(3)
    lone.leader()
    one, two = lone.take_said(BeginEpoch)
    assert (one.node_id, two.node_id) == (2, 3)
    lone.answer(one, Answer(NONE, 1, 1))
    lone.replica.failed(two.token, lone.now)
    lone.replica.requested("f", Fetch(2, bytes(16), 1, 0, 0, 0), lone.now)
    while not (again := lone.take_said(BeginEpoch)):
        lone.wait()
    assert [send.node_id for send in again] == [3]
    assert lone.now_ms == 500


ALL: tuple[Callable[[], None], ...] = (
    votes_of_an_older_epoch_do_not_count,
    an_answer_counts_once,
    a_lost_round_is_over,
    who_cannot_be_asked_refuses,
    no_vote_for_a_log_that_is_behind,
    a_leader_is_followed_from_its_first_word,
    an_answer_tells_of_a_newer_epoch,
    a_lost_round_leads_back_to_the_leader_unless_it_is_dead,
    a_held_fetch_is_forgotten_with_its_connection,
    a_vote_is_stored_before_it_is_given,
    a_restarted_voter_goes_back_to_its_leader,
    pre_votes_change_nothing,
    whoever_has_a_live_leader_grants_no_pre_vote,
    wrong_words_are_answered_with_errors,
    what_is_left_after_a_cut_may_differ_still,
    a_fetch_of_another_epoch_counts_for_nothing,
    an_observer_keeps_no_leader_in_office,
    the_next_leader_knows_its_turn,
    voters_stand_in_turn,
    a_leader_that_goes_names_its_successors,
    a_voter_with_another_directory_is_not_the_voter_it_was,
    who_has_another_directory_is_not_meant,
    leaders_are_told_to_all_until_they_fetch,
)
