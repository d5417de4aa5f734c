"""Transactions of thousands of partitions: each turn of the event loop does some of the work, which is counted."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafkacompat.broker import pipeline, produce_verification
from kafkacompat.broker.coordinator.txn import marker_sender
from kafkacompat.broker.coordinator.txn.markers import MAX_PARTITIONS
from kafkacompat.broker.handlers import add_partitions_to_txn
from kafkacompat.broker.handlers import produce as produce_handler
from kafkacompat.broker.replicas.replica_manager import ReplicaManager
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import add_partitions_to_txn as messages
from kafkacompat.protocol.messages import metadata
from kafkacompat.protocol.messages.end_txn import EndTxnRequest
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.steps import Stepped
from tests.broker.handlers.txn_harness import Transactions, pair_of
from tests.broker.test_produce_verification import ADDS, VERIFIES, batch

MANY = 350
AT_ONCE = 100
"""Units in a turn, here."""
ALL = range(MANY)


@pytest.fixture
def kafka(monkeypatch: pytest.MonkeyPatch) -> Iterator[Transactions]:
    """A coordinator, and a topic of many partitions. A turn does little."""
    harness = Transactions()
    harness.create_topic("wide", MANY)
    monkeypatch.setattr(pipeline, "APART_FRAME_BYTES", 1024)
    monkeypatch.setattr(Stepped.resume, "__defaults__", (AT_ONCE,))
    monkeypatch.setattr(produce_handler, "PARTITIONS_AT_ONCE_MAX", AT_ONCE)
    monkeypatch.setattr(add_partitions_to_txn, "PARTITIONS_AT_ONCE_MAX", AT_ONCE)
    monkeypatch.setattr(add_partitions_to_txn, "PARTITIONS_PER_UNIT", 1)
    yield harness
    harness.close()


class Work:
    """Partitions that something was done with, by turn."""

    def __init__(self) -> None:
        self.turns = [0]

    def counted(self, function: Callable[..., Any], count: Callable[..., int] = lambda *_args: 1) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.turns[-1] += count(*args)
            return function(*args, **kwargs)

        return call


def finish(kafka: Transactions, answer: Any, *work: Work) -> int:
    """Turns of the event loop until it is answered."""
    for count in range(1, 200):
        if answer.is_there:
            return count
        for each in work:
            each.turns.append(0)
        kafka.broker.timers.run(kafka.now)
        kafka.broker.flusher.flush_inline(kafka.now)
    raise AssertionError("no answer")


def added(kafka: Transactions, pair: tuple[int, int], indexes: Any = ALL) -> None:
    """Partitions are added by the client."""
    topics = [messages.AddPartitionsToTxnTopic("wide", list(indexes))]
    answer = kafka.begin(messages.AddPartitionsToTxnRequest((), "t", *pair, topics), 3)
    finish(kafka, answer)
    (topic,) = answer.message.results_by_topic_v3_and_below
    assert {each.partition_error_code for each in topic.results_by_partition} == {errors.NONE}


def written(kafka: Transactions, pair: tuple[int, int], *, version: int = ADDS) -> Any:
    """A transactional Produce to all partitions, which is begun."""
    data = [PartitionProduceData(index, batch(pair)) for index in ALL]
    return kafka.begin(ProduceRequest("t", -1, 60_000, [TopicProduceData("wide", partition_data=data)]), version)


def codes(answer: Any) -> list[int]:
    (topic,) = answer.message.responses
    assert [each.index for each in topic.partition_responses] == list(ALL)
    return [each.error_code for each in topic.partition_responses]


def test_a_wide_transactional_produce_does_each_part_of_its_work_in_several_turns(kafka, monkeypatch):
    collected, guarded, compared, appended = works = [Work() for _ in range(4)]
    monkeypatch.setattr(produce_verification, "the_batch", collected.counted(produce_verification.the_batch))
    from kafkacompat.storage.producer_state import ProducerState

    monkeypatch.setattr(ProducerState, "begin_verification", guarded.counted(ProducerState.begin_verification))
    monkeypatch.setattr(
        produce_handler,
        "_recompressions",
        compared.counted(produce_handler._recompressions, lambda some, _context: len(list(some))),
    )
    monkeypatch.setattr(ReplicaManager, "append", appended.counted(ReplicaManager.append, _of_wide))
    answer = written(kafka, pair_of(kafka.init()))
    assert not any(sum(each.turns) for each in works)  # in this turn it was decoded
    finish(kafka, answer, *works)
    assert set(codes(answer)) == {errors.NONE}
    for each in works:
        assert sum(each.turns) == MANY
        assert max(each.turns) == AT_ONCE
    assert max(map(sum, zip(*(each.turns for each in works), strict=True))) <= 2 * AT_ONCE


def _of_wide(_self: object, partition: Any, *_args: object) -> int:
    return int(partition.topic == "wide")


def test_a_wide_produce_of_a_client_that_adds_its_partitions_itself_is_verified(kafka):
    pair = pair_of(kafka.init())
    added(kafka, pair, ALL[1::2])
    answer = written(kafka, pair, version=VERIFIES)
    finish(kafka, answer)
    assert codes(answer) == [errors.NONE if index % 2 else errors.INVALID_TXN_STATE for index in ALL]


def test_others_are_served_while_a_wide_produce_is_verified(kafka):
    answer = written(kafka, pair_of(kafka.init()))
    kafka.broker.timers.run(kafka.now)
    assert kafka.begin(metadata.MetadataRequest(topics=[]), 12, kafka.connect()).is_there
    assert not answer.is_there
    finish(kafka, answer)


def test_partitions_are_added_in_turns_while_the_transaction_before_still_ends(kafka):
    pair = pair_of(kafka.init())
    kafka.receiver.holds = True
    kafka.add(pair, ("wide", 0))
    pair = pair_of(kafka.end(pair))
    answer = written(kafka, pair)
    for _ in range(40):
        kafka.advance(1)
    assert not answer.is_there
    kafka.receiver.holds = False
    kafka.receiver.answer(kafka.now)
    while not answer.is_there:
        kafka.advance(1)
    assert set(codes(answer)) == {errors.NONE}


@pytest.mark.parametrize("version", [3, 5])
def test_many_partitions_are_looked_up_added_and_answered_in_a_turn_each(kafka, version):
    pair = pair_of(kafka.init())
    topics = [messages.AddPartitionsToTxnTopic("wide", list(ALL))]
    if version == 3:
        request = messages.AddPartitionsToTxnRequest((), "t", *pair, topics)
    else:
        one = messages.AddPartitionsToTxnTransaction("t", *pair, False, topics)
        request = messages.AddPartitionsToTxnRequest([one])
    by_coordinator, answered = works = [Work(), Work()]
    with pytest.MonkeyPatch.context() as patch:
        coordinator = kafka.broker.transactions
        patch.setattr(coordinator, "add_partitions", by_coordinator.counted(coordinator.add_partitions))
        patch.setattr(add_partitions_to_txn, "_results", answered.counted(add_partitions_to_txn._results))
        answer = kafka.begin(request, version)
        assert not by_coordinator.turns[-1]
        finish(kafka, answer, *works)
    assert not any(map(int.__and__, by_coordinator.turns, answered.turns))
    assert (sum(by_coordinator.turns), sum(answered.turns)) == (1, 1)
    (row,) = (row for shard in kafka.broker.transactions.shards() for row in shard.rows.values())
    assert len(row.partitions) == MANY


def test_the_leaders_of_markers_are_looked_up_in_several_turns(kafka, monkeypatch):
    monkeypatch.setattr(marker_sender, "PLACED_PER_TURN", AT_ONCE)
    pair = pair_of(kafka.init())
    added(kafka, pair)
    placed = Work()
    sender = kafka.broker.transactions._markers
    monkeypatch.setattr(sender._queues, "_leader_of", placed.counted(sender._queues._leader_of))
    kafka.begin(EndTxnRequest("t", *pair, True), 5)
    while not sender.is_settled or not kafka.receiver.requests:
        placed.turns.append(0)
        kafka.broker.timers.run(kafka.now)
    assert max(placed.turns) <= AT_ONCE
    assert sum(placed.turns) == MANY
    assert len(kafka.receiver.written) == MANY
    assert max(len(request.markers[0].topics[0].partition_indexes) for request in kafka.receiver.requests) <= min(
        MAX_PARTITIONS, AT_ONCE
    )
    (row,) = (row for shard in kafka.broker.transactions.shards() for row in shard.rows.values())
    assert row.state_name == "CompleteCommit"


def test_markers_whose_leaders_are_not_looked_up_yet_go_with_their_shard(kafka, monkeypatch):
    monkeypatch.setattr(marker_sender, "PLACED_PER_TURN", AT_ONCE)
    pair = pair_of(kafka.init())
    added(kafka, pair)
    kafka.receiver.holds = True
    kafka.end(pair)
    sender = kafka.broker.transactions._markers
    assert sender._unplaced
    (context,) = (each for each in kafka.broker.transactions._contexts.values() if each.shard.rows)
    kafka.broker.transactions.on_resigned(context.partition, kafka.now)
    assert not sender._unplaced
