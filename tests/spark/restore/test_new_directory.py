"""A data directory that is written without a broker, and one that starts on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.replication.metadata.new_cluster import InitialTopic
from kafkacompat.spark.restore.new_directory import CHUNKS, Chunk, NewLog, Owner, finish, write_chunk
from kafkacompat.spark.restore.packed_batches import LogRecord

OWNER = Owner(5, uuid_to_text(bytes(range(16, 32))))
ID = bytes(range(16))
CONFIGS = {"segment.bytes": "1048576", "retention.ms": "-1"}


def records(start: int, end: int) -> list[LogRecord]:
    """Two of three offsets have a record."""
    return [
        LogRecord(n, 10**12 + n, 0, b"k%d" % n, None if n % 5 == 0 else b"v" * 1000, (("h", b"%d" % n),))
        for n in range(start, end)
        if n % 3
    ]


def test_a_broker_starts_on_a_directory_of_chunks(tmp_path: Path) -> None:
    chunks = [
        Chunk(0, "orders", 0, 100, 2000, False), Chunk(1, "orders", 0, 2000, 5000, False),
        Chunk(2, "orders", 0, 5000, 6000, True),
    ]  # fmt: skip
    wanted = records(101, 1500) + records(5000, 5900)
    first = write_chunk(str(tmp_path), chunks[0], records(101, 1500), CONFIGS)
    again = write_chunk(str(tmp_path), chunks[0], records(101, 1500), CONFIGS)  # another attempt
    assert first == again
    assert (first.records, first.first, first.last) == (933, 101, 1499)
    last = write_chunk(str(tmp_path), chunks[2], records(5000, 5900), CONFIGS, compression=1)
    assert sorted(path.name for path in (tmp_path / CHUNKS).iterdir()) == ["0", "2"]
    topics = [InitialTopic("orders", ID, 3, CONFIGS), InitialTopic("others", bytes(range(1, 17)), 1, {})]
    logs = [
        NewLog("orders", 0, 100, 6000), NewLog("orders", 1, 0, 0), NewLog("orders", 2, 55, 55),
        NewLog("others", 0, 0, 0),
    ]  # fmt: skip
    finish(str(tmp_path), OWNER, topics, logs, [chunks[0], chunks[2]])
    assert not (tmp_path / CHUNKS).exists()
    segments = sorted((tmp_path / "orders-0").glob("*.log"))
    assert [int(path.stem) for path in segments][:: len(segments) - 1] == [100, 5000]
    assert sum(path.stat().st_size for path in segments) == first.size_bytes + last.size_bytes
    with Cluster(data_dir=str(tmp_path), config={"node.id": OWNER.node_id}) as kafka:
        assert kafka.cluster_id == OWNER.cluster_id
        topic = kafka.topics()["orders"]
        assert topic.topic_id == uuid_to_text(ID)
        assert topic.configs["retention.ms"].value == "-1"
        (log,) = topic.partitions[0].logs
        assert (log.log_start_offset, log.log_end_offset, log.high_watermark) == (100, 6000, 6000)
        assert [each.logs[0].log_end_offset for each in topic.partitions[1:]] == [0, 55]
        found = kafka.records("orders", limit=len(wanted) + 1)
        assert [(each.offset, each.timestamp, each.key, each.value) for each in found] == [
            (each.offset, each.timestamp_ms, each.key, each.value) for each in wanted
        ]
        assert found[0].headers == [("h", b"101")]


def test_a_record_beyond_its_chunk_is_refused(tmp_path: Path) -> None:
    for offset in (9, 20):
        with pytest.raises(ValueError, match=f"offset {offset} is beyond the chunk of 10 to 19"):
            write_chunk(
                str(tmp_path), Chunk(0, "orders", 0, 10, 20, True), [LogRecord(offset, 1, 0, None, b"v", ())], {}
            )
