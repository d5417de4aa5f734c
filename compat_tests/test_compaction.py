"""One directory, cleaned by Apache Kafka and by this broker: the same batches and records are left."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic

from compat_tests.apache_kafka import ApacheKafka
from kafkacompat.now import Now
from kafkacompat.protocol.records.builder import Record
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.log import Log
from tests.storage.compaction.logs import batches, compact
from tests.storage.support import topic_config

SETTLED_S = 30
BASE_MS = 1_700_000_000_000
TOPIC = "compacted"


def write(servers: str) -> None:
    """Keys that come again, tombstones, headers, five codecs, transactions that commit and abort, in many segments."""
    at_ms = BASE_MS
    for number, codec in enumerate(("none", "gzip", "snappy", "lz4", "zstd") * 2):
        plain = Producer({"bootstrap.servers": servers, "compression.type": codec, "linger.ms": 50})
        for key in range(12):
            value = None if (key + number) % 7 == 0 else b"%d " % number + b"v" * 50
            at_ms += 1
            plain.produce(TOPIC, key=b"k%d" % key, value=value, timestamp=at_ms, headers=[("h", b"%d" % number)])
        plain.flush()
        end = Producer({"bootstrap.servers": servers, "transactional.id": f"t{number % 3}", "compression.type": codec})
        end.init_transactions()
        for _ in range(2):
            end.begin_transaction()
            for key in range(number, number + 5):
                at_ms += 1
                end.produce(TOPIC, key=b"k%d" % key, value=b"in transaction %d" % number, timestamp=at_ms)
            end.flush()
            if (number + at_ms) % 2:
                end.commit_transaction()
            else:
                end.abort_transaction()
        at_ms += 1_000  # the next batch begins a segment


def alter(servers: str, **configs: str) -> None:
    entries = [
        ConfigEntry(name.replace("_", "."), value, incremental_operation=AlterConfigOpType.SET)
        for name, value in configs.items()
    ]
    resource = ConfigResource(ConfigResource.Type.TOPIC, TOPIC, incremental_configs=entries)
    admin = AdminClient({"bootstrap.servers": servers})
    for future in admin.incremental_alter_configs([resource]).values():
        future.result(30)


def opened(path: Path) -> Log:
    now = Now(0, int(time.time() * 1000))
    topic_id = bytes(16)
    log = Log.open(
        RealFs(temporary=True), str(path), topic_config(delete_retention_ms=86_400_000), topic_id=topic_id,
        recovery_point=0, log_start_offset=0, clean=True, now=now,
    )  # fmt: skip
    log.producers.replicated_to(log.log_end_offset)
    return log


def left(log: Log) -> list[tuple[list[object], list[Record]]]:
    names = ("base_offset", "last_offset", "record_count", "attributes", "max_timestamp", "producer_id",
             "producer_epoch", "base_sequence", "leader_epoch")  # fmt: skip
    return [([getattr(header, name) for name in names], records) for header, records in batches(log)]


@pytest.fixture
def directories(tmp_path: Path):
    """The partition's directory as it was written, and as Apache Kafka has cleaned it."""
    kafka = ApacheKafka(config={"log.cleaner.backoff.ms": "200"})
    try:
        kafka.start()
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
        new = NewTopic(TOPIC, 1, 1, config={"segment.ms": "500"})
        for future in admin.create_topics([new]).values():
            future.result(30)
        write(kafka.bootstrap_servers)
        kafka.stop()
        found = kafka.data_dirs[0] / f"{TOPIC}-0"
        shutil.copytree(found, tmp_path / "before")
        kafka.start()
        alter(kafka.bootstrap_servers, cleanup_policy="compact", min_cleanable_dirty_ratio="0.01", segment_ms="9999999")
        deadline_s = time.monotonic() + SETTLED_S
        checkpoint = kafka.data_dirs[0] / "cleaner-offset-checkpoint"
        while not (checkpoint.exists() and TOPIC in checkpoint.read_text()) and time.monotonic() < deadline_s:
            time.sleep(0.2)
        kafka.stop()
        shutil.copytree(found, tmp_path / "theirs")
        yield tmp_path / "before", tmp_path / "theirs"
    finally:
        kafka.close()


def test_both_leave_the_same_records_and_the_same_empty_batches(directories: tuple[Path, Path]) -> None:
    before, theirs = directories
    for path in directories:
        (path / "partition.metadata").unlink()
    ours, kafkas = opened(before), opened(theirs)
    whole = left(ours)
    compact(ours, ms=int(time.time() * 1000) - BASE_MS)
    mine, reference = left(ours), left(kafkas)
    assert len(whole) > len(mine)
    assert any(not records for _, records in mine)
    assert mine == reference
    for log in (ours, kafkas):
        log.close(clean=False, now=Now(0, 0))
