"""A follower of the metadata quorum: what it never truncates, and how it fetches a snapshot."""

from typing import Any

import pytest

from kafkacompat.protocol.error_codes import NONE, SNAPSHOT_NOT_FOUND
from kafkacompat.replication.raft.epoch_state import FOLLOWER
from kafkacompat.replication.raft.follower import LostCommittedError
from kafkacompat.replication.raft.messages import BeginEpoch, Fetch, FetchAnswer, FetchSnapshot, Send, SnapshotAnswer
from tests.sim.conversations import Lone


def test_what_is_committed_is_not_cut() -> None:
    for diverging, is_lost in (((1, 2), True), ((2, 3), False)):
        lone = Lone(3, epochs="1122")
        lone.ask(BeginEpoch(5, 2))
        lone.answer(lone.take_said(Fetch)[0], FetchAnswer(NONE, 2, 5, high_watermark=3))
        (sent,) = lone.take_said(Fetch)
        answer = FetchAnswer(NONE, 2, 5, high_watermark=3, diverging=diverging)
        if is_lost:
            with pytest.raises(LostCommittedError, match="offset 2 on, but records below 3 are committed here"):
                lone.answer(sent, answer)
        else:
            lone.answer(sent, answer)
        assert lone.log.end_offset == (4 if is_lost else 3)


ID = bytes(16)
SNAPSHOT = (3, 2)
CONTENT = [((1, ID), (2, ID)), (1, "a"), (2, "b"), (2, "c")]
"""Who votes, then records, one a position: the log of the conversations counts so."""


def following(epochs: str = "1") -> Lone:
    """A follower of 2 in epoch 5, one of three voters."""
    lone = Lone(3, epochs=epochs)
    lone.ask(BeginEpoch(5, 2))
    return lone


def asked(lone: Lone, kind: type) -> Send:
    (send,) = lone.take_said(kind)
    return send


def sent_to_snapshot() -> Lone:
    lone = following()
    lone.answer(asked(lone, Fetch), FetchAnswer(NONE, 2, 5, high_watermark=3, snapshot_id=SNAPSHOT))
    return lone


def piece(position: int, end: int, **changes: Any) -> SnapshotAnswer:
    said = {"snapshot_id": SNAPSHOT, "size_bytes": len(CONTENT), "position": position, "data": CONTENT[position:end]}
    return SnapshotAnswer(NONE, 2, 5, **{**said, **changes})


def test_who_has_what_is_in_a_snapshot_fetches_on_after_a_pause() -> None:
    lone = following("1122")
    lone.answer(asked(lone, Fetch), FetchAnswer(NONE, 2, 5, high_watermark=4, snapshot_id=(3, 2)))
    assert lone.take_said(Fetch) == []
    lone.wait()
    assert lone.now_ms == lone.replica.timing.refetch_ms
    assert asked(lone, Fetch).node_id == 2


@pytest.mark.parametrize(
    "answer",
    [
        SnapshotAnswer(SNAPSHOT_NOT_FOUND, 2, 5, SNAPSHOT),
        piece(0, 2, snapshot_id=(4, 2)),
        piece(1, 2),
        piece(0, 0),
        piece(0, 4, size_bytes=3),
    ],
    ids=["error", "another snapshot", "another position", "nothing", "more than there is"],
)
def test_who_is_sent_what_is_no_piece_of_the_snapshot_asks_anew_after_a_pause(answer: SnapshotAnswer) -> None:
    lone = sent_to_snapshot()
    lone.answer(asked(lone, FetchSnapshot), answer)
    assert lone.said == []
    lone.wait()
    assert lone.now_ms == lone.replica.timing.refetch_ms
    assert asked(lone, Fetch).node_id == 2
    assert lone.log.entries == [(1, "v")]


def test_a_leader_whose_snapshot_takes_long_is_alive_all_the_time() -> None:
    lone = sent_to_snapshot()
    for position in range(len(CONTENT)):
        send = asked(lone, FetchSnapshot)
        lone.now_ms += lone.replica.timing.fetch_timeout_ms - 1
        lone.replica.tick(lone.now)
        lone.answer(send, piece(position, position + 1))
        assert (lone.replica.state, lone.replica.leader_id) == (FOLLOWER, 2)
    assert lone.log.entries == CONTENT[1:]


def test_the_voters_of_a_snapshot_count_as_soon_as_it_is_loaded() -> None:
    lone = sent_to_snapshot()
    lone.answer(asked(lone, FetchSnapshot), piece(0, 4))
    assert sorted(lone.replica.voters) == [1, 2]
    assert (lone.replica.high_watermark, lone.log.start_offset) == (3, 3)
