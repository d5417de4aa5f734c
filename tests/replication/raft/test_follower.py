"""A follower of the metadata quorum: what it never truncates."""

import pytest

from kafkacompat.replication.raft.follower import LostCommittedError
from kafkacompat.replication.raft.messages import NONE, BeginEpoch, Fetch, FetchAnswer
from tests.sim.conversations import Lone


def test_what_is_committed_is_not_cut() -> None:
    for diverging, is_lost in (((1, 2), True), ((2, 3), False)):
        lone = Lone(3, epochs="1122")
        lone.ask(BeginEpoch(5, 2))
        lone.answer(lone.take_said(Fetch)[0], FetchAnswer(NONE, 2, 5, high_watermark=3))
        (sent,) = lone.take_said(Fetch)
        answer = FetchAnswer(NONE, 2, 5, high_watermark=3, diverging=diverging)
        if is_lost:
            with pytest.raises(LostCommittedError, match="offset 2 on; here records below 3 are committed"):
                lone.answer(sent, answer)
        else:
            lone.answer(sent, answer)
        assert lone.log.end_offset == (4 if is_lost else 3)
