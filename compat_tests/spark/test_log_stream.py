"""Streams of `format("kafkacompat-log")` over the files of a broker that is running."""

from __future__ import annotations

import pytest
from pyspark.sql.streaming.query import StreamingQuery

from compat_tests.broker_process import Broker
from compat_tests.spark.versions import is_since
from compat_tests.spark.workbench import WAIT_S, Workbench, progress, rows_of
from kafkacompat.spark import register

pytestmark = pytest.mark.api("Produce")

COUNT = 300


def run(bench: Workbench, broker: Broker, topic: str, **options: object) -> StreamingQuery:
    """Read what is there into files, from where the query was before."""
    register(bench.spark)
    given = {"subscribe": topic, "bounds": "all", "startingOffsets": "earliest"} | options
    reader = bench.spark.readStream.format("kafkacompat-log").options(**{name: str(it) for name, it in given.items()})
    (directory,) = broker.data_dirs
    folders = {"path": str(bench.scratch / "out"), "checkpointLocation": str(bench.scratch / "checkpoint")}
    writer = reader.load(str(directory)).writeStream.format("parquet").options(**folders)
    query = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(int(WAIT_S))
    return query


def offsets_read(bench: Workbench) -> list[tuple[int, int]]:
    found = bench.spark.read.parquet(str(bench.scratch / "out")).select("partition", "offset").collect()
    return sorted(map(tuple, found))  # type: ignore[arg-type]


@pytest.mark.spark_behaviour
def test_a_stream_goes_on_from_its_checkpoint(broker: Broker, bench: Workbench, topic: str) -> None:
    bench.create(topic, 2)
    for partition in range(2):
        bench.send(topic, partition, range(COUNT))
    run(bench, broker, topic)
    first = offsets_read(bench)
    bench.send(topic, 1, range(50))
    query = run(bench, broker, topic)
    (last,) = progress(query)
    bench.saw("rows", [len(first), last["numInputRows"], last["sources"][0]["endOffset"]])
    assert last["sources"][0]["endOffset"] == {topic: {"0": COUNT, "1": COUNT + 50}}
    expected = rows_of(0, range(COUNT)) + rows_of(1, range(COUNT + 50))
    assert offsets_read(bench) == [(row.partition, row.offset) for row in expected]


@pytest.mark.since_spark("4.2.0")
@pytest.mark.spark_behaviour
def test_a_batch_has_as_many_offsets_as_it_may_and_the_rest_follows(
    broker: Broker, bench: Workbench, topic: str
) -> None:
    bench.create(topic, 2)
    bench.send(topic, 0, range(COUNT))
    bench.send(topic, 1, range(COUNT // 3))
    query = run(bench, broker, topic, maxOffsetsPerTrigger=100)
    sizes = [entry["numInputRows"] for entry in progress(query)]
    bench.saw("sizes", sizes)
    assert sizes == [100] * 4
    assert len(set(offsets_read(bench))) == len(offsets_read(bench)) == 4 * COUNT // 3


@pytest.mark.older_spark
@pytest.mark.spark_behaviour
def test_an_older_spark_says_what_it_lacks(broker: Broker, bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(3))
    if not is_since("4.2"):
        with pytest.raises(Exception, match=r"maxBytesPerTrigger need Spark 4\.2 or newer"):
            run(bench, broker, topic, maxBytesPerTrigger=1)
    else:
        run(bench, broker, topic, maxBytesPerTrigger=1)
        assert len(offsets_read(bench)) == 3
    bench.saw("sent", 3)
