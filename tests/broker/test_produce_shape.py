"""The fast path of Produce answers what the normal way answers, or stands aside."""

import pytest

from kafkacompat.broker.registry import APIS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import PRODUCE
from kafkacompat.protocol.headers import RequestHeader, encode_request_header
from kafkacompat.protocol.messages import produce
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.broker.harness import BrokerHarness

TOPIC = 2


@pytest.fixture
def broker() -> BrokerHarness:
    harness = BrokerHarness()
    harness.create_topic("t", 3)
    return harness


def frame(
    broker: BrokerHarness, value: bytes, version: int, *, correlation_id: int = 7, index: int = 0, **batch
) -> bytes:
    data = build_batch([Record(0, 1_700_000_000_000, b"k", value)], **batch)
    topic_id = broker.view.topics()["t"]
    topic = produce.TopicProduceData(
        "t" if version < 13 else "",
        topic_id if version >= 13 else bytes(16),
        [produce.PartitionProduceData(index, data)],
    )
    out: list = []
    produce.encode_request(produce.ProduceRequest(acks=-1, timeout_ms=100, topic_data=[topic]), version, out)
    return encode_request_header(RequestHeader(PRODUCE, version, correlation_id, "tests")) + b"".join(map(bytes, out))


def topic_id(broker: BrokerHarness) -> bytes:
    return broker.view.topics()["t"]


def answer(broker: BrokerHarness, data: bytes, connection) -> bytes:
    (parts,) = broker.send_frame(data, connection)
    return b"".join(map(bytes, parts))


@pytest.mark.parametrize("version", range(3, APIS[PRODUCE].max_version + 1))
def test_both_ways_give_the_same_bytes(version):
    fast, slow = BrokerHarness(), BrokerHarness()
    for harness in (fast, slow):
        harness.create_topic("t", 3)
    connection = fast.connect()
    for number, size in enumerate((1, 1, 2, 60, 61, 62, 130, 20_000, 5)):
        kind = bytearray if number % 2 else bytes
        data = {harness: kind(frame(harness, b"x" * size, version, correlation_id=number)) for harness in (fast, slow)}
        ways = [
            answer(fast, data[fast], connection).replace(topic_id(fast), b""),
            answer(slow, data[slow], slow.connect()).replace(topic_id(slow), b""),
        ]
        assert ways[0] == ways[1]
    assert connection.produce_shapes is not None
    assert fast.view.replica("t", 0).log_end_offset == slow.view.replica("t", 0).log_end_offset


def test_the_fast_path_is_taken(broker, monkeypatch):
    connection = broker.connect()
    answer(broker, frame(broker, b"a", 9), connection)
    monkeypatch.setattr(APIS[PRODUCE].handler, "handle", lambda *_: pytest.fail("the normal way was taken"))
    answer(broker, bytearray(frame(broker, b"bb", 9)), connection)
    assert broker.view.replica("t", 0).log_end_offset == 2


def test_other_partitions_versions_and_clients_have_other_shapes(broker):
    connection = broker.connect()
    for number in range(60):
        answer(broker, frame(broker, b"a", 3 + number % 7, index=number % 3), connection)
    assert [broker.view.replica("t", index).log_end_offset for index in range(3)] == [20, 20, 20]


def test_what_is_refused_is_refused_in_words(broker):
    connection = broker.connect()
    answer(broker, frame(broker, b"a", 9), connection)
    broken = bytearray(frame(broker, b"b", 9))
    broken[-5] ^= 1
    assert errors.CORRUPT_MESSAGE.to_bytes(2, "big") in answer(broker, broken, connection)
    assert broker.view.replica("t", 0).log_end_offset == 1


def test_a_deleted_topic_is_not_written_to(broker):
    connection = broker.connect()
    data = frame(broker, b"a", 9)
    answer(broker, data, connection)
    broker.ask(DeleteTopicsRequest(topic_names=["t"], timeout_ms=1000), 5)
    assert errors.UNKNOWN_TOPIC_OR_PARTITION.to_bytes(2, "big") in answer(broker, data, connection)


def test_a_topic_that_is_synced_from_now_on_waits_for_the_disk(broker):
    connection = broker.connect()
    answer(broker, frame(broker, b"a", 9), connection)
    resource = AlterConfigsResource(TOPIC, "t", [AlterableConfig("flush.messages", 0, "1")])
    broker.ask(IncrementalAlterConfigsRequest(resources=[resource]), 1)
    broker.settle = lambda: None
    answers = broker.send_frame(frame(broker, b"b", 9), connection)
    assert answers == []
    broker.broker.background.run_inline(broker.now)
    assert len(answers) == 1


def test_duplicates_are_answered_with_where_they_went(broker):
    connection = broker.connect()
    batch = {"producer_id": 9, "producer_epoch": 0}

    def offsets() -> list[int]:
        found = []
        for number in range(3):
            data = answer(broker, frame(broker, b"a", 9, base_sequence=number, **batch), connection)
            found.append(produce.decode_response(data, 5, 9).responses[0].partition_responses[0].base_offset)
        return found

    assert offsets() == offsets() == [0, 1, 2]
