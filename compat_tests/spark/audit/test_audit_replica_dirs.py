"""`audit_replicas` on the directories of three brokers."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]
from pyspark.sql import SparkSession

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.clients.confluent_kafka import using as confluent
from compat_tests.clients.samples import eventually
from compat_tests.kafkacompat_broker import KafkacompatBroker
from compat_tests.spark.workbench import WAIT_S
from kafkacompat.spark import AuditError, audit_replicas

TOPIC = "orders"


def is_in(checkpoint: Path) -> bool:
    """Whether the high watermarks are those of all records."""
    return checkpoint.exists() and all(f"{TOPIC} {number} 2000\n" in checkpoint.read_text() for number in range(2))


@pytest.mark.parametrize("kind", [ApacheKafka, KafkacompatBroker])
@pytest.mark.spark_behaviour
def test_replicas_are_the_same_until_one_is_damaged(
    kind: type[ApacheKafka] | type[KafkacompatBroker], spark: SparkSession, tmp_path: Path
) -> None:
    with closing(kind(brokers=3)) as cluster:
        cluster.start()
        settings = {"bootstrap.servers": cluster.bootstrap_servers}
        admin = AdminClient(settings)
        confluent.only(admin.create_topics([NewTopic(TOPIC, 2, 3)]))
        producer = Producer({**settings, "acks": "all", "batch.size": 4000})
        for number in range(4000):
            producer.produce(TOPIC, b"%d" % number * 30, partition=number % 2)
            producer.poll(0)
        assert producer.flush(WAIT_S) == 0
        eventually(lambda: all(is_in(path / "replication-offset-checkpoint") for path in cluster.data_dirs), WAIT_S)
        cluster.kill()
        copies = [str(shutil.copytree(path, tmp_path / str(n))) for n, path in enumerate(cluster.data_dirs)]
    report = audit_replicas(spark, copies, topics=TOPIC)
    assert report.findings == ()
    assert report.totals["partitions"] == 2
    assert report.totals["equal_batches"] > 2
    (file,) = Path(copies[1]).glob(f"{TOPIC}-0/*.log")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    (found,) = audit_replicas(spark, copies, topics=TOPIC).findings
    assert (found.kind, found.replica, found.partition) == ("replica-checksum", copies[1], 0)
    said = re.search(
        r"; records that differ: (\d+)$|; those from (\d+) on cannot be read (here|there) \(", found.detail
    )
    assert said is not None, found.detail
    assert found.first_offset <= int(said[1] or said[2]) <= found.last_offset
    with pytest.raises(AuditError, match="two brokers or more"):
        audit_replicas(spark, copies[:1])
