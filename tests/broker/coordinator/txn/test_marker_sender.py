"""From the decision to COMPLETE, through a whole broker: what is sent, again, and not at all."""

from typing import Any

from kafkacompat.broker.coordinator.txn.marker_sender import RETRY_MS, MarkerSender
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tests.broker.handlers.txn_harness import Transactions, pair_of


def state(kafka: Transactions) -> str:
    (described,) = kafka.describe("t")
    return str(described.transaction_state)


def ended(kafka: Transactions, **codes: Any) -> tuple[int, int]:
    """A transaction with both partitions of `a`, committed; its producer's id and the epoch that its markers have."""
    pair = pair_of(kafka.init())
    assert kafka.add(pair, ("a", 0), ("a", 1)) == [errors.NONE, errors.NONE]
    return pair_of(kafka.end(pair))


def test_complete_follows_the_last_marker() -> None:
    kafka = Transactions()
    kafka.receiver.holds = True
    producer_id, epoch = ended(kafka)
    assert kafka.receiver.written == [(producer_id, epoch, True, ("a", 0)), (producer_id, epoch, True, ("a", 1))]
    assert state(kafka) == "PrepareCommit"
    ((markers, before),) = kafka.broker.coordinators.unsettled()
    kafka.receiver.answer(kafka.now)
    assert isinstance(markers, MarkerSender)
    assert markers.written_count == before + 1
    assert state(kafka) == "CompleteCommit"
    assert not list(kafka.broker.coordinators.unsettled())


def test_what_is_missing_is_sent_again() -> None:
    kafka = Transactions()
    kafka.receiver.codes["a", 1] = errors.NOT_LEADER_OR_FOLLOWER
    producer_id, epoch = ended(kafka)
    (described,) = kafka.describe("t")
    assert [(topic.topic, list(topic.partitions)) for topic in described.topics] == [("a", [1])]
    kafka.receiver.requests.clear()
    kafka.advance(RETRY_MS)
    assert kafka.receiver.written == [(producer_id, epoch, True, ("a", 1))]
    kafka.receiver.codes.clear()
    kafka.advance(RETRY_MS)
    assert state(kafka) == "CompleteCommit"


def test_a_lost_answer_is_asked_for_again() -> None:
    kafka = Transactions()
    kafka.receiver.holds = True
    ended(kafka)
    kafka.receiver.holds = False
    kafka.receiver.answer(kafka.now, lost=True)
    assert state(kafka) == "PrepareCommit"
    kafka.advance(RETRY_MS)
    assert state(kafka) == "CompleteCommit"


def test_other_transactions_do_not_put_off_another_attempt() -> None:
    kafka = Transactions()
    kafka.receiver.codes["a", 1] = errors.NOT_ENOUGH_REPLICAS
    ended(kafka)
    other = pair_of(kafka.init("other"))
    kafka.receiver.codes.clear()
    for _ in range(4):
        kafka.advance(RETRY_MS // 4)
        assert kafka.add(other, ("a", 0), name="other") == [errors.NONE]
        other = pair_of(kafka.end(other, name="other"))
    assert state(kafka) == "CompleteCommit"


def test_a_deleted_topic_needs_no_marker() -> None:
    kafka = Transactions()
    kafka.receiver.codes = {("a", 0): errors.NOT_LEADER_OR_FOLLOWER, ("a", 1): errors.NOT_LEADER_OR_FOLLOWER}
    ended(kafka)
    deleted = kafka.ask(DeleteTopicsRequest(topics=[DeleteTopicState("a")], timeout_ms=1_000), 6)
    assert deleted.responses[0].error_code == errors.NONE
    assert state(kafka) == "CompleteCommit"


def test_a_partition_that_knows_a_newer_coordinator_ends_all_attempts() -> None:
    kafka = Transactions()
    kafka.receiver.codes["a", 0] = errors.TRANSACTION_COORDINATOR_FENCED
    ended(kafka)
    kafka.receiver.requests.clear()
    kafka.advance(10 * RETRY_MS)
    assert kafka.receiver.written == []
    assert state(kafka) == "PrepareCommit"


def test_a_transaction_of_many_partitions_takes_several_turns() -> None:
    kafka = Transactions()
    kafka.create_topic("many", 250)
    pair = pair_of(kafka.init())
    assert set(kafka.add(pair, *(("many", index) for index in range(250)))) == {errors.NONE}
    kafka.end(pair)
    sizes = [1]
    while len(sizes) < 9 and state(kafka) != "CompleteCommit":
        kafka.advance(0)
        sizes.append(len(kafka.receiver.requests))
    assert len(kafka.receiver.requests) == 3
    assert len(set(kafka.receiver.written)) == 250
