"""The lag of consumer groups: commits of a stock client and the times of records, as Spark joins them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from pyspark.sql import SparkSession

from compat_tests.spark.workbench import WAIT_S
from kafkacompat import Cluster
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.spark import audit_log, audit_page
from kafkacompat.spark.audit.lag_figures import lag_figures

MINUTE_MS = 60_000
EACH = 50
"""Records of a minute, in two partitions."""


def commit(kafka: Cluster, group: str, topic: str, offsets: dict[int, int]) -> None:
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": group})
    at = [TopicPartition(topic, partition, offset) for partition, offset in offsets.items()]
    consumer.commit(offsets=at, asynchronous=False)
    consumer.close()


@pytest.mark.spark_behaviour
def test_groups_are_behind_by_what_is_written_and_not_committed(spark: SparkSession, tmp_path: Path) -> None:
    """In five minutes 50 records come in each; one group commits twice, another one once."""
    start_ms = int(time.time() * 1000) // MINUTE_MS * MINUTE_MS
    with Cluster(topics={"orders": 2, "others": 1}, data_dir=tmp_path / "data") as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
        producer.produce("others", b"v")
        for minute in range(5):  # each in a batch of its own: the records of a batch count as spread over its time
            for n in range(EACH):
                producer.produce("orders", b"v", None, n % 2, timestamp=start_ms + minute * MINUTE_MS)
            assert producer.flush(WAIT_S) == 0
        del producer  # before the broker goes that it would look for
        kafka.clock.freeze()
        commit(kafka, "slow", "orders", {0: 10, 1: 10})
        commit(kafka, "quick", "orders", {0: 25})
        kafka.clock.advance(minutes=3)
        commit(kafka, "slow", "orders", {0: 60})
        commit(kafka, "elsewhere", "others", {0: 1})
    (log,) = tmp_path.glob("data/**/orders-0")
    log_dirs = [str(log.parent)]
    report = audit_log(spark, log_dirs, topics="orders")
    lag = lag_figures(spark, log_dirs, report)
    assert lag is not None
    assert (lag.bin_ms, lag.groups_count, [each.group for each in lag.groups]) == (MINUTE_MS, 2, ["slow", "quick"])
    slow, quick = lag.groups
    assert (slow.partitions, quick.partitions) == (2, 1)
    written = [min((lag.start_ms - start_ms) // MINUTE_MS + 1 + minute, 5) * EACH for minute in range(4)]
    assert slow.lags == tuple(all_of - done for all_of, done in zip(written, (20, 20, 20, 70), strict=True))
    assert quick.lags == tuple(all_of // 2 - 25 for all_of in written)
    assert UNKNOWN_OFFSET not in slow.lags
    page = audit_page(spark, report, log_dirs, topics="orders")
    assert "Lag of consumer groups" in page
    others = audit_log(spark, log_dirs, topics="others")
    alone = lag_figures(spark, log_dirs, others)
    assert alone is not None
    assert [each.group for each in alone.groups] == ["elsewhere"]


@pytest.mark.spark_behaviour
def test_without_commits_there_is_no_lag(spark: SparkSession, tmp_path: Path) -> None:
    with Cluster(topics=["orders"], records={"orders": [{"value": "x"}]}, data_dir=tmp_path / "data"):
        pass
    (log,) = tmp_path.glob("data/**/orders-0")
    report = audit_log(spark, [str(log.parent)], topics="orders")
    assert lag_figures(spark, [str(log.parent)], report) is None
    assert "Lag of consumer groups" not in audit_page(spark, report, [str(log.parent)], topics="orders")
