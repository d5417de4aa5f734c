"""`audit_log` finds nothing in sound directories of both brokers, and damage as what it is."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from compat_tests.broker_process import Broker
from compat_tests.spark.workbench import WAIT_S, Workbench
from kafkacompat.spark import AuditError, audit_log
from kafkacompat.spark.audit.audit_output import as_json, as_junit

pytestmark = pytest.mark.api("Produce")

SEGMENT_BYTES = str(1 << 20)
"""The least that Apache Kafka takes."""
CLEANED_OFTEN = {"log.cleaner.backoff.ms": "200", "log.initial.task.delay.ms": "500"}


def fill(bench: Workbench, topic: str, *, has_transactions: bool) -> None:
    """An idempotent producer, a compacted topic and, where there are any, transactions, of which one stays open."""
    bench.create(topic, 2, segment_bytes=SEGMENT_BYTES)
    bench.create(
        f"{topic}-compacted", 1, segment_bytes=SEGMENT_BYTES, cleanup_policy="compact", segment_ms="1000",
        min_cleanable_dirty_ratio="0.01",
    )  # fmt: skip
    producer = Producer(
        {"bootstrap.servers": bench.bootstrap_servers, "enable.idempotence": True, "batch.size": 8000, "linger.ms": 2}
    )
    for number in range(24_000):
        producer.produce(topic, b"%d" % number * 20, partition=number % 2)
        producer.produce(f"{topic}-compacted", b"%d" % number * 10, b"%d" % (number % 300))
        producer.poll(0)
    assert producer.flush(WAIT_S) == 0
    writers = range(3 if has_transactions else 0)
    settings = {"bootstrap.servers": bench.bootstrap_servers}
    producers = [Producer({**settings, "transactional.id": f"{topic}-{number}"}) for number in writers]
    for producer in producers:
        producer.init_transactions(WAIT_S)
    for number in range(20 if has_transactions else 0):
        producer = producers[number % 3]
        producer.begin_transaction()
        for _ in range(10):
            producer.produce(topic, bytes(9000), partition=0)
        producer.flush(WAIT_S)
        if number < 19:
            (producer.abort_transaction if number % 3 else producer.commit_transaction)(WAIT_S)


@pytest.mark.each_run
@pytest.mark.spark_behaviour
def test_sound_directories_have_no_findings(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str, broker_kind: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    """Copied while the broker runs, after kill -9, and after a clean stop; compacted before."""
    broker = new_broker(config=CLEANED_OFTEN)
    bench = workbench(broker)
    fill(bench, topic, has_transactions=broker_kind == "kafka")
    (directory,) = broker.data_dirs
    cleaned = directory / "cleaner-offset-checkpoint"
    deadline = time.monotonic() + WAIT_S
    while not cleaned.exists() or f"{topic}-compacted 0 " not in cleaned.read_text():
        assert time.monotonic() < deadline, "the cleaner has not come"
        time.sleep(0.2)
    shutil.copytree(directory, tmp_path / "live", ignore=shutil.ignore_patterns("*.deleted", "*.tmp"))
    broker.kill()
    killed = audit_log(bench.spark, [str(directory)])
    broker.start()
    bench.send(topic, 0, range(100))
    broker.stop()
    reports = [audit_log(bench.spark, [str(tmp_path / "live")]), killed, audit_log(bench.spark, [str(directory)])]
    assert [report.findings for report in reports] == [(), (), ()]
    assert reports[2].totals["records"] > 24_000
    assert reports[2].totals["segments"] > 6
    bench.saw("findings", [report.is_clean for report in reports])


@pytest.mark.spark_behaviour
def test_damage_is_told_to_machines_and_in_frames(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str
) -> None:
    broker = new_broker()
    bench = workbench(broker)
    bench.create(topic, 1)
    for number in range(3):
        bench.send(topic, 0, [f"{number}" * 200])
    broker.stop()
    (file,) = broker.data_dirs[0].glob(f"{topic}-0/*.log")
    data = bytearray(file.read_bytes())
    data[len(data) // 3 + 100] ^= 1
    file.write_bytes(data)
    report = audit_log(bench.spark, [str(broker.data_dirs[0])], topics=topic)
    (finding,) = report.findings
    bench.saw("finding", [finding.kind, finding.first_offset, finding.last_offset, finding.partition])
    assert (finding.kind, finding.topic, finding.first_offset) == ("checksum", topic, 1)
    assert (finding.file, finding.position) == (str(file), len(data) // 3)
    assert [row.asDict() for row in report.to_frame(bench.spark).collect()] == [finding._asdict()]
    assert json.loads(json.dumps(as_json(report)))["counts"] == {"checksum": 1}
    (failed,) = Xml.fromstring(as_junit(report)).iterfind(".//failure/..")
    assert failed.get("name") == "checksum"


@pytest.mark.spark_behaviour
def test_what_cannot_be_audited_is_said(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "meta.properties").touch()
    with pytest.raises(AuditError, match=r"no topic in .* matches 'orders'"):
        audit_log(spark, [str(tmp_path)], topics="orders")
