"""A disk that is full, and has room again: produce says so, all else goes on, and nothing acknowledged is lost.

Apache Kafka gives the whole directory up; here appends stop alone (DECISIONS.md).
"""

import errno
import logging
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch, metadata, produce
from kafkacompat.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from kafkacompat.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.reserve import FILE_NAME, RESERVE_BYTES, ROOM_BYTES
from tests.broker.harness import BrokerHarness
from tests.robustness.client import Client, batch_of, fetch_request, produce_request
from tests.robustness.killing import KilledBroker
from tests.waiting import wait_until

MIB = 1 << 20
DEADLINE_S = 60
RESUMES_MS = 1_000


def write(broker: BrokerHarness, value: bytes, acks: int = -1, topic: str = "t") -> produce.PartitionProduceResponse:
    request = produce_request(topic, batch_of(value))
    request.acks = acks
    return broker.ask(request, 9).responses[0].partition_responses[0]


def value_of(number: int, size_bytes: int = 10_000) -> bytes:
    return b"%06d" % number * (size_bytes // 6)


def fill(broker: BrokerHarness, first: int = 0) -> int:
    """Write until the disk is full; the offset of the first record that did not fit."""
    number = first
    while (answer := write(broker, value_of(number))).error_code == errors.NONE:
        assert answer.base_offset == number
        number += 1
    assert answer.error_code == errors.KAFKA_STORAGE_ERROR
    return number


def fetched(broker: BrokerHarness, offset: int) -> fetch.PartitionData:
    return broker.ask(fetch_request("t", offset, MIB), 12).responses[0].partitions[0]


def check_all(broker: BrokerHarness, count: int) -> None:
    """That all these records are there, and no other."""
    offset = 0
    while records := bytes(fetched(broker, offset).records or b""):
        for record in read_records(records):
            assert (record.offset, record.value) == (offset, value_of(offset))
            offset += 1
    assert offset == count


def broker_on_a_small_disk(**config: str) -> tuple[MemFs, BrokerHarness]:
    """With its reserve taken, and room for a few hundred records."""
    fs = MemFs(free_bytes=RESERVE_BYTES + 2 * MIB)
    broker = BrokerHarness(fs, **config)
    broker.create_topic("t", file_delete_delay_ms="0")
    broker.advance(RESUMES_MS)
    assert fs.exists(f"/data/{FILE_NAME}")
    return fs, broker


def test_appends_stop_and_go_on_when_there_is_room(caplog):
    fs, broker = broker_on_a_small_disk()
    with caplog.at_level(logging.WARNING):
        count = fill(broker)
        assert count > 100
        for acks in (-1, 1):
            assert write(broker, b"again", acks).error_code == errors.KAFKA_STORAGE_ERROR
        check_all(broker, count)
        broker.advance(10 * RESUMES_MS)  # checks and checkpoints: none of them takes the directory away
        check_all(broker, count)
        assert write(broker, b"again").error_code == errors.KAFKA_STORAGE_ERROR
        (directory,) = broker.ask(DescribeLogDirsRequest(None), 4).results
        assert directory.error_code == errors.NONE
        fs.release(RESERVE_BYTES + ROOM_BYTES)
        broker.advance(RESUMES_MS)
        assert fs.exists(f"/data/{FILE_NAME}")
        assert write(broker, value_of(count)).base_offset == count
    lines = [record.getMessage() for record in caplog.records if record.name == "kafkacompat.storage.reserve"]
    assert [line.partition(":")[0] for line in lines] == [
        "the disk of /data is full (no space left on device)", "the disk of /data has room again",
    ]  # fmt: skip
    assert "a bug" not in caplog.text
    fs.restart()  # kill -9
    again = BrokerHarness(fs)
    check_all(again, count + 1)
    again.close()


def test_a_write_that_was_cut_short_leaves_no_trace():
    fs, broker = broker_on_a_small_disk()
    count = fill(broker)
    path = "/data/t-0/00000000000000000000.log"
    whole = fs.size(path)
    assert sum(len(batch_of(value_of(number))) for number in range(count)) == whole
    fs.restart()
    again = BrokerHarness(fs)
    assert again.broker.partitions.get("t", 0).log.recovery.truncations == []
    check_all(again, count)


def test_an_index_that_is_lost_costs_no_read(caplog: pytest.LogCaptureFixture) -> None:
    """It is built anew where there is not one byte for it."""
    fs = MemFs(free_bytes=RESERVE_BYTES + 2 * MIB)
    broker = BrokerHarness(fs)
    broker.create_topic("t", segment_bytes=str(MIB))
    broker.advance(RESUMES_MS)
    count = fill(broker)
    fs.restart()
    broker = BrokerHarness(fs)  # it has looked into no index yet
    path = f"/data/t-0/{0:020d}.index"
    for at in range(fs.size(path)):
        fs.set_byte(path, at, 0x7F)
    operations = fs.record()
    fs.free_bytes = 0
    check_all(broker, count)
    check_all(broker, count)
    assert not broker.view.offline_directories
    assert caplog.text.count("stay in memory") == 1
    assert [operation[1] for operation in operations].count(path + ".tmp") <= 1, "built once"
    assert write(broker, b"again").error_code == errors.KAFKA_STORAGE_ERROR
    broker.close(clean=False)
    fs.restart()
    fs.release(RESERVE_BYTES + ROOM_BYTES)
    again = BrokerHarness(fs)
    check_all(again, count)
    again.close()


def test_records_and_topics_can_be_deleted_and_created():
    _, broker = broker_on_a_small_disk(log_segment_delete_delay_ms="0")
    broker.create_topic("other")
    count = fill(broker)
    broker.create_topic("made-on-a-full-disk")
    assert write(broker, b"x", topic="made-on-a-full-disk").error_code == errors.KAFKA_STORAGE_ERROR
    topic = DeleteRecordsTopic("t", [DeleteRecordsPartition(0, count // 2)])
    answer = broker.ask(DeleteRecordsRequest([topic], 1000), 2).topics[0].partitions[0]
    assert (answer.error_code, answer.low_watermark) == (errors.NONE, count // 2)
    assert fetched(broker, count - 1).error_code == errors.NONE
    deleted = broker.ask(DeleteTopicsRequest(topics=[DeleteTopicState("other")], timeout_ms=1000), 6)
    assert deleted.responses[0].error_code == errors.NONE


def test_room_made_by_deleting_a_topic_is_used():
    fs, broker = broker_on_a_small_disk()
    fs.release(ROOM_BYTES)
    fill(broker)
    broker.create_topic("u")
    assert write(broker, b"x", topic="u").error_code == errors.KAFKA_STORAGE_ERROR
    broker.ask(DeleteTopicsRequest(topics=[DeleteTopicState("t")], timeout_ms=1000), 6)
    broker.advance(20_000)
    broker.advance(RESUMES_MS)
    assert write(broker, b"x", topic="u").error_code == errors.NONE


def test_the_metadata_log_has_the_reserve_before_anything_is_refused():
    fs, broker = broker_on_a_small_disk()
    fs.free_bytes = 0
    broker.create_topic("u")
    assert not fs.exists(f"/data/{FILE_NAME}")
    assert write(broker, b"x", topic="u").error_code == errors.KAFKA_STORAGE_ERROR, "the room is not for records"


def test_metadata_are_refused_when_the_reserve_is_used_up_and_go_on_with_room():
    fs, broker = broker_on_a_small_disk()
    fill(broker)
    fs.free_bytes = 0
    request = CreateTopicsRequest(topics=[CreatableTopic("u", 1, 1)])
    for _ in range(2):
        assert broker.ask(request, 7).topics[0].error_code == errors.KAFKA_STORAGE_ERROR
    broker.advance(RESUMES_MS)
    assert not broker.ask(metadata.MetadataRequest([metadata.MetadataRequestTopic(name="u")]), 9).topics[0].partitions
    fs.release(RESERVE_BYTES + ROOM_BYTES)
    broker.advance(RESUMES_MS)
    assert broker.ask(request, 7).topics[0].error_code == errors.NONE
    assert write(broker, b"x", topic="u").error_code == errors.NONE
    broker.close()
    again = BrokerHarness(fs)
    assert again.broker.logs.metadata_directory.was_clean_shutdown
    assert write(again, b"y", topic="u").base_offset == 1


def test_a_partition_for_which_there_was_no_room_is_opened_later():
    fs, broker = broker_on_a_small_disk()
    fill(broker)
    for _ in range(2):  # it is tried again with the room of the reserve
        fs.fail_next(lambda operation: operation[:2] == ("mkdir", "/data/u-0"), errno.ENOSPC)
    broker.create_topic("u")
    assert write(broker, b"x", topic="u").error_code == errors.KAFKA_STORAGE_ERROR
    assert broker.broker.partitions.get("u", 0) is None
    fs.release(RESERVE_BYTES + ROOM_BYTES)
    broker.advance(RESUMES_MS)
    assert write(broker, b"x", topic="u").error_code == errors.NONE


def test_a_clean_stop_on_a_full_disk_is_clean():
    fs, broker = broker_on_a_small_disk()
    count = fill(broker)
    broker.close()
    fs.restart()
    again = BrokerHarness(fs)
    assert again.broker.logs.metadata_directory.was_clean_shutdown
    check_all(again, count)
    again.advance(RESUMES_MS)  # no room for the reserve: that alone stops nothing
    assert write(again, b"x").error_code == errors.NONE


@contextmanager
def small_disk(path: Path, size_bytes: int) -> Iterator[Path]:
    """A file system of its own, of which root alone can make one."""
    path.mkdir()
    options = ["-o", f"size={size_bytes}"]
    done = subprocess.run(["mount", "-t", "tmpfs", *options, "tmpfs", str(path)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted: {done.stderr.decode().strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", str(path)], check=True)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounts a file system")
def test_a_real_disk(tmp_path):
    with small_disk(tmp_path / "disk", 48 * MIB) as disk:
        ballast = disk / "ballast"
        broker = KilledBroker(disk / "data")
        try:
            wait_until((disk / "data" / FILE_NAME).exists)
            ballast.write_bytes(bytes(24 * MIB))
            with Client(broker.port) as client:
                client.create_topic("t")
                count = 0
                while (answer := client.produce("t", batch_of(value_of(count, 100_000)))).error_code == errors.NONE:
                    assert answer.base_offset == count
                    count += 1
                assert answer.error_code == errors.KAFKA_STORAGE_ERROR
                assert count > 50
                client.create_topic("made-on-a-full-disk")
                assert len(client.read_all("t")) == count
            broker.kill()
            with Client(broker.port) as client:
                assert len(client.read_all("t")) == count
                ballast.unlink()
                wait_until(lambda: client.produce("t", batch_of(b"x")).error_code == errors.NONE)
            broker.kill()
            with Client(broker.port) as client:
                records = client.read_all("t")
            assert [offset for offset, _ in records] == list(range(count + 1))
            assert [value for _, value in records] == [value_of(n, 100_000) for n in range(count)] + [b"x"]
            broker.stop()
        finally:
            broker.child.process.kill()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounts a file system")
def test_a_node_of_three_on_a_real_disk(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    with small_disk(data / "node-1", 64 * MIB) as disk, Cluster(brokers=3, processes=True, data_dir=str(data)) as kafka:
        wait_until(lambda: list(disk.rglob(FILE_NAME)))
        ports = [int(broker.address.rpartition(":")[2]) for broker in kafka.brokers]
        acknowledged: list[bytes] = []

        def leader() -> int:
            with Client(ports[1]) as client:
                return client.leader("t")

        def in_sync() -> set[int]:
            with Client(ports[1]) as client:
                request = metadata.MetadataRequest([metadata.MetadataRequestTopic(name="t")])
                return set(client.ask(request, 9).topics[0].partitions[0].isr_nodes)

        def is_written() -> bool:
            value = value_of(len(acknowledged), 100_000)
            try:
                with Client(ports[leader() - 1]) as client:
                    is_there = client.produce("t", batch_of(value)).error_code == errors.NONE
            except OSError:
                return False
            acknowledged.extend([value] * is_there)
            return is_there

        with Client(ports[1]) as client:
            given = [CreatableReplicaAssignment(0, [1, 2, 3])]
            topic = CreatableTopic("t", -1, -1, assignments=given)
            assert client.ask(CreateTopicsRequest(topics=[topic]), 7).topics[0].error_code == errors.NONE
        wait_until(lambda: leader() == 1 and is_written())
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(40 * MIB))
        wait_until(lambda: is_written() and leader() != 1)
        wait_until(lambda: 1 not in in_sync())
        for _ in range(20):
            wait_until(is_written)
        ballast.unlink()
        wait_until(lambda: in_sync() == {1, 2, 3})
        wait_until(is_written)
        kafka.restart(clean=False)
        wait_until(lambda: leader() > 0)
        with Client(ports[leader() - 1]) as client:
            found = [value for _, value in client.read_all("t")]
        assert [value for value in found if value in set(acknowledged)] == acknowledged
