"""One replica, and requests that are invalid, delayed, or sent after it has stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.now import NEVER
from kafkacompat.protocol.error_codes import BROKER_NOT_AVAILABLE, FENCED_LEADER_EPOCH, INVALID_REQUEST, NONE
from kafkacompat.replication.raft.election_state import ElectionState
from kafkacompat.replication.raft.epoch_state import STOPPED
from kafkacompat.replication.raft.messages import Answer, BeginEpoch, EndEpoch, Fetch, Vote
from tests.sim.conversations import Lone

if TYPE_CHECKING:
    from collections.abc import Callable


def words_that_cannot_be_true_are_refused() -> None:
    """As in Kafka, impossible requests are INVALID_REQUEST before any other check."""
    lone = Lone(3, ElectionState(5), "15")
    for message in (
        Vote(6, 2, bytes(16), 6, 9, pre_vote=False),
        Vote(6, 2, bytes(16), 7, 9, pre_vote=True),
        Vote(6, 2, bytes(16), -1, 9, pre_vote=True),
        Vote(6, 2, bytes(16), 5, -1, pre_vote=True),
        Vote(6, -1, bytes(16), 5, 9, pre_vote=False),
        Vote(2**31 - 1, 2, bytes(16), 5, 9, pre_vote=False),
        BeginEpoch(6, -1),
        BeginEpoch(2**31 - 1, 2),
        EndEpoch(6, -1, ()),
        Fetch(2, bytes(16), 5, -1, 5, 0),
        Fetch(2, bytes(16), 5, 1, -1, 0),
        Fetch(2, bytes(16), 5, 1, 6, 0),
        Fetch(2, bytes(16), 5, 1, 5, 0, max_wait_ms=-1),
    ):
        assert lone.ask(message).error_code == INVALID_REQUEST
    assert lone.ask(Vote(4, -1, bytes(16), 3, 9, pre_vote=False)).error_code == FENCED_LEADER_EPOCH
    assert lone.replica.epoch == 5
    assert lone.ask(Vote(6, 2, bytes(16), 6, 9, pre_vote=True)).error_code == NONE


def a_new_leader_does_not_know_what_is_committed() -> None:
    """Its answers have no high watermark until that is beyond the start of its epoch; this delays no fetch."""
    lone = Lone(3, epochs="11")
    lone.leader()
    epoch = lone.replica.epoch
    answers = [lone.ask(Fetch(2, bytes(16), epoch, offset, 1, -1, max_wait_ms=0)) for offset in (1, 2)]
    assert [answer.high_watermark for answer in answers] == [-1, -1]  # type: ignore[attr-defined]
    assert lone.ask(Fetch(2, bytes(16), epoch, 3, epoch, -1)).high_watermark == 3  # type: ignore[attr-defined]


def a_fetch_waits_as_long_as_it_says() -> None:
    lone = Lone(3)
    lone.leader()
    epoch = lone.replica.epoch
    for max_wait_ms in (0, 70, 400):
        lone.replica.requested("f", Fetch(3, bytes(16), epoch, 1, epoch, 1, max_wait_ms=max_wait_ms), lone.now)
        lone.carry_out()
        asked_ms = lone.now_ms
        while not lone.replies:
            lone.wait()
        assert lone.now_ms == asked_ms + max_wait_ms
        lone.replies.clear()


def who_has_stopped_answers_and_asks_nothing() -> None:
    lone = Lone(3)
    lone.leader()
    epoch = lone.replica.epoch
    lone.ask(Fetch(2, bytes(16), epoch, 1, epoch, -1))
    lone.replica.requested("held", Fetch(2, bytes(16), epoch, 1, epoch, 1), lone.now)
    lone.carry_out()
    lone.take_said(EndEpoch)
    lone.replica.stop(lone.now)
    lone.carry_out()
    assert len(lone.said) == 2
    assert isinstance(lone.said[0].message, EndEpoch)
    assert lone.replies.pop().error_code == BROKER_NOT_AVAILABLE
    for message in (Vote(9, 2, bytes(16), 8, 9, pre_vote=False), BeginEpoch(9, 2), Fetch(2, bytes(16), epoch, 1, 1, 1)):
        assert lone.ask(message).error_code == BROKER_NOT_AVAILABLE
    for send in lone.said:
        lone.answer(send, Answer(NONE, 3, 9))
    assert (lone.replica.state, lone.replica.epoch, lone.replica.deadline_ms) == (STOPPED, epoch, NEVER)


ALL: tuple[Callable[[], None], ...] = (
    words_that_cannot_be_true_are_refused,
    a_new_leader_does_not_know_what_is_committed,
    a_fetch_waits_as_long_as_it_says,
    who_has_stopped_answers_and_asks_nothing,
)
