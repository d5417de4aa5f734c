"""A million records, each read once."""

from __future__ import annotations

import zlib

import pytest
from confluent_kafka import Producer

from compat_tests.spark.workbench import WAIT_S, Workbench

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Metadata")

PARTITIONS, EACH = 3, 333_334
VALUE_BYTES = 100


@pytest.mark.spark_behaviour
@pytest.mark.full
def test_a_million_records(bench: Workbench, topic: str) -> None:
    """With Spark's defaults, which look two offsets up for every 500 records."""
    bench.create(topic, PARTITIONS)
    producer = Producer(
        {"bootstrap.servers": bench.bootstrap_servers, "linger.ms": 20, "queue.buffering.max.messages": 0}
    )
    checksums = 0
    for number in range(EACH):
        for partition in range(PARTITIONS):
            value = f"{partition}-{number}".ljust(VALUE_BYTES, ".").encode()
            checksums += zlib.crc32(value)
            producer.produce(topic, value, partition=partition)
    assert producer.flush(WAIT_S) == 0
    frame = bench.read(subscribe=topic, kafka_fetch_max_wait_ms=500)
    told = frame.groupBy("partition").agg({"offset": "count"}).collect()
    bench.saw("counts", sorted(tuple(row) for row in told))
    assert sorted(tuple(row) for row in told) == [(partition, EACH) for partition in range(PARTITIONS)]
    sums = frame.selectExpr("sum(offset)", "sum(crc32(value))", "max(offset)").collect()[0]
    bench.saw("sums", tuple(sums))
    assert tuple(sums) == (PARTITIONS * EACH * (EACH - 1) // 2, checksums, EACH - 1)
