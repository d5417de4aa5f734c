"""How a replica of the metadata quorum handles the answers to its fetches."""

from kafkacompat.protocol.error_codes import NONE, UNKNOWN_LEADER_EPOCH
from kafkacompat.replication.raft.epoch_state import FOLLOWER, PROSPECTIVE
from kafkacompat.replication.raft.messages import BeginEpoch, Fetch, FetchAnswer
from tests.sim.conversations import Lone


def test_a_fetch_that_is_refused_is_made_again_after_a_pause() -> None:
    lone = Lone(3)
    lone.ask(BeginEpoch(5, 2))
    (fetch,) = lone.take_said(Fetch)
    lone.answer(fetch, FetchAnswer(UNKNOWN_LEADER_EPOCH, 2, 5))
    assert lone.take_said(Fetch) == []
    lone.wait()
    assert lone.now_ms == lone.replica.timing.refetch_ms
    assert [send.node_id for send in lone.take_said(Fetch)] == [2]


def test_who_asks_for_votes_and_hears_from_its_leader_after_all_follows_it_again() -> None:
    lone = Lone(3)
    lone.ask(BeginEpoch(5, 2))
    (fetch,) = lone.take_said(Fetch)
    lone.wait_until(PROSPECTIVE)
    lone.answer(fetch, FetchAnswer(NONE, 2, 5, high_watermark=0))
    assert (lone.replica.state, lone.replica.leader_id, lone.replica.epoch) == (FOLLOWER, 2, 5)
    assert [send.node_id for send in lone.take_said(Fetch)] == [2]
