"""What Produce and Fetch answer to odd requests, as a comparison with Apache Kafka showed it."""

import pytest

from kafkacompat.broker.connection import CloseConnection
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch, produce
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.broker.harness import BrokerHarness

UNCOMMITTED_OR_COMMITTED = (0, 1)


@pytest.fixture
def broker() -> BrokerHarness:
    harness = BrokerHarness()
    harness.create_topic("t", 3)
    return harness


def batch(count: int = 1, **more) -> bytearray:
    return build_batch([Record(n, 1_700_000_000_000 + n, b"k", b"v") for n in range(count)], **more)


def ask_produce(broker, *entries, acks=-1, version=12, transactional_id=None):
    """Each entry is (topic, partition, records), in a topic entry of its own; returns {(topic, partition): answer}."""
    wanted = [
        produce.TopicProduceData(topic, partition_data=[produce.PartitionProduceData(index, records)])
        for topic, index, records in entries
    ]
    answer = broker.ask(produce.ProduceRequest(transactional_id, acks, 1_000, wanted), version)
    found = [((topic.name, part.index), part) for topic in answer.responses for part in topic.partition_responses]
    assert len(dict(found)) == len(found)
    return dict(found)


def ask_fetch(broker, *parts, version=12, **more):
    """Each part is a FetchPartition of topic t, or (topic, FetchPartition)."""
    wanted = [part if isinstance(part, tuple) else ("t", part) for part in parts]
    topics = [fetch.FetchTopic(topic, partitions=[part]) for topic, part in wanted]
    return broker.ask(fetch.FetchRequest(max_wait_ms=0, min_bytes=0, topics=topics, **more), version)


def part(index=0, offset=0, **more) -> fetch.FetchPartition:
    return fetch.FetchPartition(index, fetch_offset=offset, partition_max_bytes=1 << 20, **more)


def only(answer):
    (topic,) = answer.responses
    (found,) = topic.partitions
    return found


def test_of_a_partition_named_twice_the_last_counts(broker):
    answers = ask_produce(broker, ("t", 0, batch(1)), ("t", 1, batch(1)), ("t", 0, batch(3)))
    assert {key: found.error_code for key, found in answers.items()} == {("t", 0): 0, ("t", 1): 0}
    assert only(ask_fetch(broker, part())).high_watermark == 3
    again = only(ask_fetch(broker, part(offset=99), part(offset=3)))
    assert (again.error_code, again.high_watermark) == (errors.NONE, 3)


def test_transactional_records_need_a_transactional_id(broker):
    records = batch(producer_id=1, producer_epoch=0, base_sequence=0, is_transactional=True)
    answers = ask_produce(broker, ("t", 0, batch()), ("t", 1, records))
    assert {found.error_code for found in answers.values()} == {errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED}
    with pytest.raises(CloseConnection):
        ask_produce(broker, ("t", 1, records), acks=0)
    answers = ask_produce(broker, ("t", 0, batch()), ("t", 1, records), transactional_id="id")
    assert [found.error_code for found in answers.values()] == [
        errors.NONE,
        errors.NOT_ENOUGH_REPLICAS,
    ]  # no coordinator
    assert only(ask_fetch(broker, part(1), isolation_level=1)).high_watermark == 0


def test_transactional_records_do_not_slip_through_the_fast_path(broker):
    for _ in range(3):
        ask_produce(broker, ("t", 0, batch(producer_id=1, producer_epoch=-1)))
    records = batch(producer_id=1, producer_epoch=-1, base_sequence=0, is_transactional=True)
    assert ask_produce(broker, ("t", 0, records))["t", 0].error_code == errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED


def test_odd_acks_are_told_where_there_is_a_partition(broker):
    answers = ask_produce(broker, ("t", 0, batch()), ("t", 9, batch()), acks=2)
    assert answers["t", 0].error_code == errors.INVALID_REQUIRED_ACKS
    assert answers["t", 9].error_code == errors.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize("tail", [1, 16, 17, 40])
def test_what_is_cut_off_behind_a_batch_is_passed_over(broker, tail):
    records = batch(2)
    assert ask_produce(broker, ("t", 0, records + records[:tail]))["t", 0].error_code == errors.NONE
    assert bytes(only(ask_fetch(broker, part())).records)[21:] == bytes(records[21:])


def test_more_records_than_fit_are_refused(broker):
    records = batch(1)
    records[23:27] = (10**9).to_bytes(4, "big")
    records[57:61] = (10**9 + 1).to_bytes(4, "big")
    from kafkacompat.protocol.records.batch import stamp_crc

    stamp_crc(records, 0, len(records))
    assert ask_produce(broker, ("t", 0, records))["t", 0].error_code == errors.INVALID_RECORD


@pytest.mark.parametrize("level", [-1, 2])
@pytest.mark.parametrize("version", [4, 12, 13])
def test_an_isolation_level_that_does_not_exist(broker, level, version):
    name = "t" if version < 13 else ""
    topic_id = bytes(16) if version < 13 else broker.view.topics()["t"]
    request = fetch.FetchRequest(
        max_wait_ms=0, min_bytes=0, topics=[fetch.FetchTopic(name, topic_id, [part()])], isolation_level=level
    )
    answer = broker.ask(request, version)
    if version < 13:
        assert only(answer).error_code == errors.UNKNOWN_SERVER_ERROR
    else:
        assert (answer.error_code, list(answer.responses)) == (errors.UNKNOWN_SERVER_ERROR, [])


@pytest.mark.parametrize("level", UNCOMMITTED_OR_COMMITTED)
def test_epochs(broker, level):
    ask_produce(broker, ("t", 0, batch()))
    assert only(ask_fetch(broker, part(current_leader_epoch=-2, last_fetched_epoch=-2))).error_code == errors.NONE
    to_come = only(ask_fetch(broker, part(last_fetched_epoch=7), isolation_level=level))
    assert (to_come.error_code, to_come.aborted_transactions) == (errors.OFFSET_OUT_OF_RANGE, None)
    beyond = only(ask_fetch(broker, part(offset=5, last_fetched_epoch=0), isolation_level=level))
    assert (beyond.diverging_epoch.end_offset, beyond.aborted_transactions) == (1, None)


def test_a_session_knows_a_topic_that_is_gone(broker):
    def ask(epoch, *parts):
        wanted = [fetch.FetchTopic("", topic_id, list(parts))] if parts else []
        request = fetch.FetchRequest(
            max_wait_ms=0, min_bytes=0, topics=wanted, session_id=session_id, session_epoch=epoch
        )
        return broker.ask(request, 13)

    session_id, topic_id = 0, broker.view.topics()["t"]
    session_id = ask(0, part()).session_id
    broker.ask(DeleteTopicsRequest([DeleteTopicState("t")], timeout_ms=1_000), 6)
    assert only(ask(1)).error_code == errors.UNKNOWN_TOPIC_OR_PARTITION
    broker.create_topic("t", 1)
    again = only(ask(2))
    assert (again.error_code, again.aborted_transactions) == (errors.INCONSISTENT_TOPIC_ID, None)
    assert only(ask(-1, part())).error_code == errors.UNKNOWN_TOPIC_ID


def test_what_does_not_exist_comes_last(broker):
    answer = ask_fetch(broker, part(9), ("not", part()), part(), part(1, 7))
    found = [(topic.topic, entry.partition_index) for topic in answer.responses for entry in topic.partitions]
    assert found == [("t", 0), ("t", 1), ("t", 9), ("not", 0)]


@pytest.mark.parametrize(("epoch", "error"), [(-1, errors.NOT_LEADER_OR_FOLLOWER), (0, errors.UNKNOWN_LEADER_EPOCH)])
def test_nobody_else_is_a_replica(broker, epoch, error):
    answer = ask_fetch(broker, part(current_leader_epoch=epoch), replica_id=5)
    assert only(answer).error_code == error
    assert list(answer.node_endpoints) == []
