"""preallocate: each broker opens what the other leaves, also killed, and DumpLogSegments finds no fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.dumped_files import INDEXES, SEGMENTS, files_of, theirs
from compat_tests.hand_over.walk import serve_directory_of

SEGMENT_BYTES = 4 << 20
CONFIG = {"log.preallocate": "true", "log.segment.bytes": str(SEGMENT_BYTES)}
TOPIC, COUNT, WAIT_S = "preallocated", 40, 60
FIRST = f"{TOPIC}-0/{0:020d}.log"


@pytest.fixture
def kafka() -> Iterator[ApacheKafka]:
    broker = ApacheKafka(config=CONFIG)
    try:
        yield broker
    finally:
        broker.close()


def write(servers: str) -> None:
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 0})
    for number in range(COUNT):
        producer.produce(TOPIC, b"record %d" % number, partition=0)
        producer.flush(WAIT_S)


def count(servers: str) -> int:
    """How many records there are; each is read."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "g", "enable.partition.eof": True})
    consumer.assign([TopicPartition(TOPIC, 0, 0)])
    found = 0
    try:
        while (message := consumer.poll(WAIT_S)) is not None and message.error() is None:
            found += 1
    finally:
        consumer.close()
    return found


@pytest.mark.full
def test_each_broker_goes_on_where_the_other_was_killed(kafka: ApacheKafka, tmp_path: Path) -> None:
    directory, servers, log = kafka.data_dirs[0], kafka.bootstrap_servers, tmp_path / "server.log"
    kafka.start()
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic(TOPIC, 1, 1)])[TOPIC].result(WAIT_S)
    write(servers)
    kafka.kill()
    left = (directory / FIRST).read_bytes()
    assert len(left) == SEGMENT_BYTES  # Apache Kafka's file is as long as the segment, with zeros behind the records
    content = left.rstrip(b"\0")
    assert len(content) < SEGMENT_BYTES // 2
    metadata = next((directory / "__cluster_metadata-0").glob("*.log"))
    assert metadata.stat().st_size < SEGMENT_BYTES

    for expected in (1, 2, 3):  # killed, killed, and stopped
        ours = serve_directory_of(kafka, log, CONFIG)
        try:
            assert count(servers) == expected * COUNT
            write(servers)
            assert (directory / FIRST).stat().st_size < SEGMENT_BYTES // 2  # its records and nothing more
        finally:
            if expected < 3:
                ours.kill()
            else:
                assert ours.stop() == 0, log.read_text()
    files = [path for path in files_of(directory) if path.parent.name == f"{TOPIC}-0"]
    dumped = theirs([path for path in files if path.suffix in SEGMENTS], "--deep-iteration")
    assert "isvalid: true" in dumped.stdout
    assert "isvalid: false" not in dumped.stdout
    for mode in ("--verify-index-only", "--index-sanity-check"):
        checked = theirs([path for path in files if path.suffix in INDEXES], mode)
        assert (checked.status, checked.stderr) == (0, "")

    kafka.start()
    assert count(servers) == 4 * COUNT
    write(servers)
    kafka.stop()
    assert (directory / FIRST).stat().st_size < SEGMENT_BYTES // 2  # cut at a clean stop
    ours = serve_directory_of(kafka, log, CONFIG)
    try:
        assert count(servers) == 5 * COUNT
    finally:
        ours.kill()
