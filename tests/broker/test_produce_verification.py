"""Transactional produce: who is asked before the first batch of a transaction, and what clients are told."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.broker.handlers.txn_harness import Transactions, pair_of

VERIFIES, TELLS_ABORTABLE, ADDS = 10, 11, 12


def batch(pair, sequence=0, *, is_transactional=True):
    producer_id, epoch = pair
    records = [Record(0, 0, None, b"v")]
    return bytes(
        build_batch(
            records, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence,
            is_transactional=is_transactional,
        )
    )  # fmt: skip


class Producer:
    """A producer with the id "t", and what the coordinator is asked on its behalf."""

    def __init__(self, **config):
        self.kafka = Transactions(**config)
        self.pair = pair_of(self.kafka.init())
        self.questions = []
        self.held = []
        self.holds = False
        self.answers_with = None
        verifier = self.kafka.broker.transaction_verifier
        verify = verifier.verify

        def watched(transactional_id, producer_id, epoch, partitions, *, adds, now, done):
            self.questions.append((transactional_id, (producer_id, epoch), list(partitions), adds))
            if self.answers_with is not None:
                done(dict.fromkeys(partitions, self.answers_with), now)
            elif self.holds:
                self.held.append((partitions, done))
            else:
                verify(transactional_id, producer_id, epoch, partitions, adds=adds, now=now, done=done)

        verifier.verify = watched

    def begin(self, *batches, version=ADDS, acks=-1, connection=None):
        """Batches as (partition of topic a, bytes)."""
        data = [PartitionProduceData(index, records) for index, records in batches]
        request = ProduceRequest("t", acks, 1000, [TopicProduceData("a", partition_data=data)])
        return self.kafka.begin(request, version, connection)

    def write(self, *batches, version=ADDS):
        """The error code of each partition."""
        return _codes(self.begin(*batches, version=version).message)

    def answer(self, code=0):
        partitions, done = self.held.pop(0)
        done(dict.fromkeys(partitions, code), self.kafka.now)
        self.kafka.settle()

    def log(self, index=0):
        return self.kafka.broker.partitions.get("a", index).log


def _codes(response):
    (topic,) = response.responses
    return [partition.error_code for partition in topic.partition_responses]


@pytest.fixture
def producer():
    return Producer()


def test_version_12_adds_all_partitions_in_one_question(producer):
    first, second = batch(producer.pair), batch(producer.pair)
    assert producer.write((0, first), (1, second)) == [errors.NONE] * 2
    assert producer.questions == [("t", producer.pair, [("a", 0), ("a", 1)], True)]
    assert producer.write((0, batch(producer.pair, 1))) == [errors.NONE]
    assert len(producer.questions) == 1  # the transaction is open in the log
    (state,) = producer.kafka.describe()
    assert [(topic.topic, sorted(topic.partitions)) for topic in state.topics] == [("a", [0, 1])]


def test_older_versions_only_ask(producer):
    assert producer.write((0, batch(producer.pair)), version=TELLS_ABORTABLE) == [errors.TRANSACTION_ABORTABLE]
    assert producer.write((0, batch(producer.pair)), version=VERIFIES) == [errors.INVALID_TXN_STATE]
    producer.kafka.add(producer.pair, ("a", 0))
    two = producer.write((0, batch(producer.pair)), (1, batch(producer.pair)), version=VERIFIES)
    assert two == [errors.NONE, errors.INVALID_TXN_STATE]
    assert [adds for *_, adds in producer.questions] == [False] * 3
    assert [producer.log(index).log_end_offset for index in range(2)] == [1, 0]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (errors.NETWORK_EXCEPTION, errors.NOT_ENOUGH_REPLICAS),
        (errors.COORDINATOR_LOAD_IN_PROGRESS, errors.NOT_ENOUGH_REPLICAS),
        (errors.COORDINATOR_NOT_AVAILABLE, errors.NOT_ENOUGH_REPLICAS),
        (errors.NOT_COORDINATOR, errors.NOT_ENOUGH_REPLICAS),
        (errors.INVALID_PRODUCER_EPOCH, errors.INVALID_PRODUCER_EPOCH),
        (errors.INVALID_PRODUCER_ID_MAPPING, errors.INVALID_PRODUCER_ID_MAPPING),
    ],
)
def test_what_is_told_of_the_coordinators_errors(producer, code, told):
    producer.answers_with = code
    for version in (VERIFIES, ADDS):
        assert producer.write((0, batch(producer.pair)), version=version) == [told]
    assert producer.log().log_end_offset == 0


def test_concurrent_transactions(producer):
    producer.answers_with = errors.CONCURRENT_TRANSACTIONS
    assert producer.write((0, batch(producer.pair)), version=VERIFIES) == [errors.NOT_ENOUGH_REPLICAS]
    answer = producer.begin((0, batch(producer.pair)))
    for _ in range(4):
        producer.kafka.advance(20)
        assert not answer.is_there
    producer.kafka.advance(20)
    assert _codes(answer.message) == [errors.CONCURRENT_TRANSACTIONS]
    assert len(producer.questions) == 1 + 6
    answer = producer.begin((0, batch(producer.pair)))
    producer.answers_with = None
    producer.kafka.advance(20)
    assert _codes(answer.message) == [errors.NONE]


def test_requests_of_a_connection_stay_in_order(producer):
    """The second is held by the connection until the first is answered or in the log."""
    producer.holds = True
    connection = producer.kafka.connect()
    first = producer.begin((0, batch(producer.pair)), connection=connection)
    (pending,) = connection.waiting
    assert not pending.is_written
    assert not producer.kafka.broker.complete_early(b"\0\0", connection, producer.kafka.now)
    producer.answer()
    assert _codes(first.message) == [errors.NONE]
    assert not connection.waiting


def test_a_transaction_that_ends_meanwhile_takes_no_batch(producer):
    producer.holds = True
    answer = producer.begin((0, batch(producer.pair)), version=VERIFIES)
    producer.kafka.broker.call_here = producer.kafka.receiver._call_here
    log = producer.log()
    log.producers.verifications.ended(producer.pair[0], producer.pair[1])
    producer.answer()
    assert _codes(answer.message) == [errors.INVALID_TXN_STATE]
    assert log.log_end_offset == 0


def test_no_answer_at_all(producer):
    producer.holds = True
    answer = producer.begin((0, batch(producer.pair)))
    producer.kafka.advance(3 * 30_000)
    assert _codes(answer.message) == [errors.NOT_ENOUGH_REPLICAS]
    (partitions, done) = producer.held.pop()
    done(dict.fromkeys(partitions, 0), producer.kafka.now)  # too late
    assert producer.log().log_end_offset == 0


def test_two_producers_in_a_request(producer):
    other = producer.pair[0], producer.pair[1] + 1
    codes = producer.write((0, batch(producer.pair)), (1, batch(other)))
    assert codes == [errors.INVALID_PRODUCER_ID_MAPPING] * 2
    assert producer.write((0, batch(producer.pair)), (1, batch(other, is_transactional=False))) == [errors.NONE] * 2


def test_a_fenced_producer_is_not_asked_about(producer):
    assert producer.write((0, batch((producer.pair[0], 5)))) == [
        errors.INVALID_PRODUCER_EPOCH
    ]  # the coordinator's word
    assert producer.write((0, batch(producer.pair))) == [errors.NONE]
    log = producer.log()
    log.producers.entries[producer.pair[0]].epoch = 9
    count = len(producer.questions)
    assert producer.write((0, batch(producer.pair, 1))) == [errors.INVALID_PRODUCER_EPOCH]
    assert len(producer.questions) == count


def test_acks_0(producer):
    answer = producer.begin((0, batch(producer.pair)), acks=0)
    assert answer.message is None
    assert producer.log().log_end_offset == 1
    producer.holds = True
    connection, dropped = producer.kafka.connect(), []
    connection.drop = dropped.append
    answer = producer.begin((1, batch(producer.pair)), acks=0, connection=connection)
    producer.answer(errors.INVALID_PRODUCER_ID_MAPPING)
    assert answer.message is None
    assert "INVALID_PRODUCER_ID_MAPPING" in dropped[0]


def test_what_is_not_transactional_is_not_asked_about(producer):
    assert producer.write((0, batch((77, 0), is_transactional=False))) == [errors.NONE]
    assert producer.write((9, batch(producer.pair))) == [errors.UNKNOWN_TOPIC_OR_PARTITION]
    assert producer.questions == []
