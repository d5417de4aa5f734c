"""A directory that the metadata does not know is set aside only when the metadata is known to have given it up."""

from __future__ import annotations

import logging

import pytest

from kafkacompat.broker.replicas.strays import FILE_NAME
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.storage.checkpoints import read_partition_metadata
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.robustness.damage import read_files, write_files

METADATA_LOG = "/data/__cluster_metadata-0/00000000000000000000.log"


def names(broker: BrokerHarness) -> list[str]:
    return [name for name in broker.fs.listdir("/data") if broker.fs.is_dir(f"/data/{name}")]


def produce(broker: BrokerHarness, topic: str) -> int:
    batch = build_batch([Record(0, broker.now.wall_ms, b"k", b"v")])
    data = TopicProduceData(topic, partition_data=[PartitionProduceData(0, batch)])
    answer = broker.ask(ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[data]), 9)
    return answer.responses[0].partition_responses[0].error_code


def fetched(broker: BrokerHarness, topic: str) -> tuple[int, int]:
    """The error code and how many bytes."""
    wanted = FetchTopic(topic, partitions=[FetchPartition(0, fetch_offset=0, partition_max_bytes=1 << 20)])
    answer = broker.ask(FetchRequest(max_wait_ms=0, max_bytes=1 << 20, topics=[wanted]), 12).responses[0].partitions[0]
    return answer.error_code, len(bytes(answer.records or b""))


def topic_id(fs: MemFs, name: str) -> bytes:
    found = read_partition_metadata(fs, f"/data/{name}/partition.metadata")
    assert found is not None
    return found


def cut_before(fs: MemFs, part: bytes) -> None:
    """Lose the metadata log from the batch on that holds `part`."""
    data, at = fs.read_bytes(METADATA_LOG), 0
    while part not in data[at : at + read_header(data, at).size_bytes]:
        at += read_header(data, at).size_bytes
    fs.write_atomic(METADATA_LOG, data[:at], sync=True)


def broker_with_two_topics(*, clean: bool) -> BrokerHarness:
    broker = BrokerHarness()
    for topic in ("early", "late"):
        broker.create_topic(topic)
        assert produce(broker, topic) == errors.NONE
    broker.close(clean=clean)
    return broker


@pytest.mark.parametrize("clean", [True, False])
def test_partitions_that_lost_metadata_knew_are_kept_and_not_served(clean, caplog):
    old = broker_with_two_topics(clean=clean)
    whole = read_files(old.fs, "/data")
    cut_before(old.fs, topic_id(old.fs, "late-0"))
    for _ in range(3):  # a later start does not trust what was written behind the loss
        with caplog.at_level(logging.WARNING):
            broker = BrokerHarness(old.fs)
        assert "nothing shows that it deleted them: late-0. They are kept" in caplog.text
        caplog.clear()
        assert sorted(names(broker)) == ["__cluster_metadata-0", "early-0", "late-0"]
        assert fetched(broker, "early")[1] > 0
        assert fetched(broker, "late") == (errors.UNKNOWN_TOPIC_OR_PARTITION, 0)
        broker.close()
    assert broker.fs.read_bytes(f"/data/{FILE_NAME}") == b"late-0\n"
    fs = write_files(read_files(broker.fs, "/data") | {METADATA_LOG: whole[METADATA_LOG]})
    broker = BrokerHarness(fs)  # the metadata is restored
    assert fetched(broker, "late")[1] > 0
    assert not fs.exists(f"/data/{FILE_NAME}")


def test_metadata_that_does_not_know_the_last_registration_gives_nothing_up(caplog):
    old = broker_with_two_topics(clean=True)
    before = old.fs.read_bytes(METADATA_LOG)
    broker = BrokerHarness(old.fs)
    broker.ask(DeleteTopicsRequest([DeleteTopicState("early")], timeout_ms=1000), 6)
    broker.create_topic("early")
    assert produce(broker, "early") == errors.NONE
    newest = topic_id(broker.fs, "early-0")
    broker.close()
    broker.fs.write_atomic(METADATA_LOG, before, sync=True)
    with caplog.at_level(logging.WARNING):
        broker = BrokerHarness(broker.fs)
    assert "metadata is lost: /data was used up to broker epoch" in caplog.text
    assert "/data/early-0 belongs to another topic of that name" in caplog.text
    assert fetched(broker, "early") == (errors.KAFKA_STORAGE_ERROR, 0)
    assert fetched(broker, "late")[1] > 0
    assert topic_id(broker.fs, "early-0") == newest
    assert not [name for name in names(broker) if name.endswith("-stray")]


def test_a_file_of_a_later_version_stays_and_nothing_is_given_up(caplog):
    """As if an older version were started again: it cannot know which partitions are kept."""
    broker = broker_with_two_topics(clean=True)
    copy = {path: data for path, data in read_files(broker.fs, "/data").items() if path.startswith("/data/early-0/")}
    broker = BrokerHarness(broker.fs)
    broker.ask(DeleteTopicsRequest([DeleteTopicState("early")], timeout_ms=1000), 6)
    broker.close()
    later = {f"/data/{FILE_NAME}": b'{"version": 2, "kept": ["early-0"]}\n'}
    fs = write_files(read_files(broker.fs, "/data") | copy | later)
    for _ in range(2):
        with caplog.at_level(logging.WARNING):
            broker = BrokerHarness(fs)
        assert f"/data/{FILE_NAME} cannot be read, or is of a later version" in caplog.text
        assert "early-0" in names(broker)
        assert fetched(broker, "early") == (errors.UNKNOWN_TOPIC_OR_PARTITION, 0)
        assert fetched(broker, "late")[1] > 0
        broker.close()
    assert fs.read_bytes(f"/data/{FILE_NAME}") == later[f"/data/{FILE_NAME}"]


def test_a_new_topic_does_not_take_the_place_of_what_is_kept():
    old = broker_with_two_topics(clean=True)
    kept = topic_id(old.fs, "late-0")
    cut_before(old.fs, kept)
    broker = BrokerHarness(old.fs)
    broker.ask(CreateTopicsRequest(topics=[CreatableTopic("late", 1, 1)]), 7)
    assert produce(broker, "late") == errors.KAFKA_STORAGE_ERROR
    assert topic_id(broker.fs, "late-0") == kept


@pytest.mark.parametrize("clean", [True, False])
def test_what_the_metadata_has_given_up_is_set_aside(clean):
    broker = broker_with_two_topics(clean=True)
    copy = {path: data for path, data in read_files(broker.fs, "/data").items() if path.startswith("/data/early-0/")}
    broker = BrokerHarness(broker.fs)
    broker.ask(DeleteTopicsRequest([DeleteTopicState("early")], timeout_ms=1000), 6)
    broker.close(clean=clean)
    broker = BrokerHarness(write_files(read_files(broker.fs, "/data") | copy))  # as if it had been away meanwhile
    found = [name for name in names(broker) if "early" in name and not name.endswith("-delete")]
    assert [(name[:8], name[-6:]) for name in found] == [("early-0.", "-stray")]
    assert not broker.fs.exists(f"/data/{FILE_NAME}")


def test_a_disk_on_which_it_cannot_be_noted_what_is_kept_is_offline():
    old = broker_with_two_topics(clean=True)
    cut_before(old.fs, topic_id(old.fs, "late-0"))
    old.fs.fail_next(lambda operation: operation[0] == "rename" and FILE_NAME in operation[1])
    broker = BrokerHarness(old.fs)
    assert list(broker.view.offline_directories.values()) == ["injected fault"]
    assert "late-0" in names(broker)
