"""A disk that is full: produce says so, the broker stays, and nothing acknowledged is lost once there is room again.

As in Kafka the directory goes offline as a whole, so reads of it fail too until the next start; what needs no disk is
answered all the while.
"""

import logging

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch, metadata, produce
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.robustness.client import batch_of, fetch_request, produce_request

FREE_BYTES = 100_000


def write(broker: BrokerHarness, value: bytes, acks: int = -1) -> produce.PartitionProduceResponse:
    request = produce_request("t", batch_of(value))
    request.acks = acks
    return broker.ask(request, 9).responses[0].partition_responses[0]


def read(broker: BrokerHarness, offset: int) -> fetch.PartitionData:
    return broker.ask(fetch_request("t", offset, 1 << 20), 12).responses[0].partitions[0]


def test_a_full_disk(caplog):
    fs = MemFs(free_bytes=FREE_BYTES)
    broker = BrokerHarness(fs)
    broker.create_topic("t")
    acknowledged = 0
    with caplog.at_level(logging.ERROR):
        while (answer := write(broker, b"%d" % acknowledged * 1000)).error_code == errors.NONE:
            assert answer.base_offset == acknowledged
            acknowledged += 1
        assert answer.error_code == errors.KAFKA_STORAGE_ERROR
        assert acknowledged > 10
        for acks in (-1, 1):
            assert write(broker, b"again", acks).error_code == errors.KAFKA_STORAGE_ERROR
        assert read(broker, 0).error_code == errors.KAFKA_STORAGE_ERROR
        topics = broker.ask(metadata.MetadataRequest([metadata.MetadataRequestTopic(name="t")]), 9).topics
        assert topics[0].name == "t"
        (directory,) = broker.ask(DescribeLogDirsRequest(None), 4).results
        assert directory.error_code == errors.KAFKA_STORAGE_ERROR
        broker.advance(600_000)
        broker.close()
    assert "/data goes offline: [Errno 28]" in caplog.text
    assert "a bug" not in caplog.text
    assert not [record for record in caplog.records if record.exc_info]

    fs.free_bytes = None
    again = BrokerHarness(fs)
    offset = 0
    while records := bytes(read(again, offset).records or b""):
        for record in read_records(records):
            assert record.value == b"%d" % record.offset * 1000
            offset = record.offset + 1
    assert offset >= acknowledged
    assert write(again, b"more").error_code == errors.NONE
    again.close()
