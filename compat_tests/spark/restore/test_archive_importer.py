"""Imports: an archive becomes the data directory of a new broker, which serves every record as the old one did."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import TopicCollection
from confluent_kafka.admin import ConfigResource  # type: ignore[attr-defined]
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from compat_tests.broker_process import Broker
from compat_tests.spark.test_log_source import fill, own, same
from compat_tests.spark.workbench import BASE_MS, Row, Workbench
from kafkacompat import Cluster
from kafkacompat.spark import ArchiveError, ArchiveSpec, archive, import_archive
from kafkacompat.spark.restore import archive_importer
from kafkacompat.spark.restore.archive_importer import UNFINISHED, by_chunk
from kafkacompat.spark.restore.import_spec import ImportSpec
from kafkacompat.spark.restore.new_directory import NewLog
from kafkacompat.spark.restore.new_topics import Found, chunks_of

pytestmark = pytest.mark.api("Produce", "Fetch", "ListOffsets")

__all__ = ("own",)  # a fixture
PER_CODEC = 100
RECORDS = 2 * PER_CODEC * 5
OLD_MS = 1_500_000_000_000
REMOVED = 30


def config_of(bench: Workbench, topic: str, name: str) -> str:
    """The value of a topic's config."""
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    return str(bench.admin.describe_configs([resource])[resource].result()[name].value)


def ids_of(bench: Workbench, topics: list[str]) -> dict[str, str]:
    """The ids of topics."""
    found = bench.admin.describe_topics(TopicCollection(topics))
    return {topic: str(described.result().topic_id) for topic, described in found.items()}


@pytest.mark.older_spark
@pytest.mark.each_run
@pytest.mark.spark_behaviour
def test_a_broker_starts_on_an_imported_archive_and_serves_every_record(
    own: tuple[Broker, Workbench], new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench],
    topic: str, tmp_path: Path,
) -> None:  # fmt: skip
    broker, bench = own
    fill(bench, topic, PER_CODEC)
    bench.delete_records_before(topic, 0, REMOVED)
    old = f"{topic}-old"
    bench.create(old, 3, retention_ms="-1")
    bench.send(old, 1, range(5), [OLD_MS + n for n in range(5)])
    path = str(tmp_path / "archive")
    archive(bench.spark, ArchiveSpec(path, broker.bootstrap_servers, topics=f"{topic}.*", max_records=450))
    expected = {name: bench.read(subscribe=name, includeHeaders=True).cache() for name in (topic, old)}
    counts = {name: frame.count() for name, frame in expected.items()}
    assert counts == {topic: RECORDS - REMOVED, old: 5}
    later = expected[topic].where(f"timestamp >= timestamp_millis({BASE_MS + 2000})").groupBy("partition")
    late_offsets = {
        row["partition"]: row["at"] for row in later.agg({"offset": "min"}).toDF("partition", "at").collect()
    }
    segment_bytes = config_of(bench, topic, "segment.bytes")
    ids = ids_of(bench, [topic, old])
    broker.stop()

    target = new_broker()
    target.stop()
    (directory,) = target.data_dirs
    shutil.rmtree(directory)
    spec = ImportSpec(path, str(directory), chunk_offsets=170)
    report = import_archive(bench.spark, spec)
    assert (report.topics, report.partitions, report.records, report.notes) == (2, 5, RECORDS - REMOVED + 5, ())
    with pytest.raises(ArchiveError, match="is not an empty directory"):
        import_archive(bench.spark, spec)
    target.start()
    there = workbench(target)
    for name, frame in expected.items():
        assert same(there.read(subscribe=name, includeHeaders=True), frame) == counts[name]
    assert ids_of(there, [topic, old]) == ids
    assert config_of(there, topic, "segment.bytes") == segment_bytes
    assert config_of(there, old, "retention.ms") == "-1"
    starts = {"startingOffsets": json.dumps({topic: {"0": 333, "1": 77}})}
    assert there.read(subscribe=topic, **starts).count() == RECORDS - 333 - 77
    found = there.read(subscribe=topic, startingTimestamp=BASE_MS + 2000).groupBy("partition").agg({"offset": "min"})
    assert {row[0]: row[1] for row in found.collect()} == late_offsets
    there.send(old, 1, ["more"])
    there.send(old, 2, ["first"])
    rows = there.rows(there.read(subscribe=old))
    there.saw("rows", [list(row) for row in rows])
    assert rows == [*(Row(1, n, str(n)) for n in range(5)), Row(1, 5, "more"), Row(2, 0, "first")]


@pytest.mark.spark_behaviour
def test_each_record_goes_to_the_chunk_that_has_its_offset(spark: SparkSession) -> None:
    logs = [NewLog("orders", 0, 3, 90), NewLog("orders", 1, 0, 2), NewLog("orders", 2, 0, 500), NewLog("none", 0, 7, 7)]
    offsets = {("orders", 0): [5, 6, 14, 15, 40, 75], ("orders", 1): [0], ("orders", 2): [400, 401, 407]}
    found = {place: Found(len(at), at[0], at[-1], None, 0) for place, at in offsets.items()}
    rows = [(*place, offset) for place, at in offsets.items() for offset in at]
    records = spark.createDataFrame(rows, "topic string, partition int, offset bigint")
    records = records.withColumn("timestamp", F.timestamp_millis(F.lit(BASE_MS)))
    for size in (1, 7, 10, 1000):
        chunks = chunks_of(logs, found, size)
        numbered = by_chunk(spark, records, chunks, size).collect()
        assert len(numbered) == len(rows)
        for row in numbered:
            chunk = chunks[row["chunk"]]
            assert (chunk.topic, chunk.partition, row["timestamp_ms"]) == (row["topic"], row["partition"], BASE_MS)
            assert chunk.start <= row["offset"] < chunk.end


@pytest.mark.spark_behaviour
def test_a_directory_that_does_not_have_what_is_archived_does_not_get_its_name(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither where records are missing, nor where as many are there and one differs."""
    path, directory = str(tmp_path / "archive"), tmp_path / "data"
    records = [{"value": str(n), "partition": n % 2} for n in range(20)]
    with Cluster(topics={"orders": 2}, records={"orders": records}) as kafka:
        archive(spark, ArchiveSpec(path, kafka.bootstrap_servers))
    spec, whole = ImportSpec(path, str(directory)), archive_importer._write
    other = F.when(F.col("offset") == 3, F.lit(b"another")).otherwise(F.col("value"))
    damages: tuple[tuple[Callable[[DataFrame], DataFrame], str], ...] = (
        (lambda frame: frame.where("partition = 0 OR offset <> 3"), "orders-1: 10 records .*, and 9 are in"),
        (lambda frame: frame.withColumn("value", other), "orders-0: 10 records .*, and 10 are in .*, or they differ"),
    )
    for damage, told in damages:

        def write(
            spark: SparkSession, frame: DataFrame, *given: Any, damage: Callable[[DataFrame], DataFrame] = damage
        ) -> Any:
            return whole(spark, damage(frame), *given)

        with monkeypatch.context() as patch:
            patch.setattr(archive_importer, "_write", write)
            with pytest.raises(ArchiveError, match=f"{told}.*: it was left there; run verify-archive"):
                import_archive(spark, spec)
        assert (directory.exists(), Path(f"{directory}{UNFINISHED}").is_dir()) == (False, True)
    assert import_archive(spark, spec).records == 20
    assert not Path(f"{directory}{UNFINISHED}").exists()


@pytest.mark.spark_behaviour
def test_an_import_is_of_some_topics_at_a_point_in_time(spark: SparkSession, tmp_path: Path) -> None:
    path, directory = str(tmp_path / "archive"), tmp_path / "new" / "data"
    old = [{"value": str(n), "timestamp": OLD_MS + n} for n in range(20)]
    records = {"orders": [{**each, "partition": n % 2} for n, each in enumerate(old)], "others": [{"value": "x"}]}
    configs = {"min.insync.replicas": "1", "max.message.bytes": "2000000"}
    topics = {"orders": {"partitions": 4, "configs": configs}, "others": 1}
    with Cluster(topics=topics, records=records) as kafka:
        archive(spark, ArchiveSpec(path, kafka.bootstrap_servers))
    spec = ImportSpec(path, str(directory), topics="orders", until_ms=OLD_MS + 12, compression="zstd", node_id=7)
    leftover = Path(f"{directory}{UNFINISHED}", "orders-0")
    leftover.mkdir(parents=True)  # of a run that was killed
    report = import_archive(spark, spec._replace(partitions={"orders": 6}))
    assert (report.topics, report.partitions, report.records) == (1, 6, 12)
    (alone,) = report.notes
    assert alone == "topic orders does not get min.insync.replicas=1: the new broker is alone"
    assert not leftover.exists()
    with Cluster(data_dir=str(directory), config={"node.id": 7}) as kafka:
        assert list(kafka.topics()) == ["orders"]
        assert kafka.cluster_id == report.cluster_id
        found = {(each.partition, each.offset, each.value, each.codec) for each in kafka.records("orders")}
        assert found == {(n % 2, n // 2, b"%d" % n, "zstd") for n in range(12)}
        assert kafka.topics()["orders"].configs["max.message.bytes"].value == "2000000"
    other = spec._replace(log_dir=str(tmp_path / "other"))
    for wrong, told in (
        (other._replace(partitions={"orders": 2}), "orders has 4 partitions in the archive, and 2 are asked for"),
        (other._replace(partitions={"nothing": 2}), "partitions or configs are given of nothing"),
        (other._replace(topics="nothing"), "has no topic that matches 'nothing'"),
        (other._replace(compression="rar"), "compression is one of none, gzip"),
        (other._replace(until_offsets={("orders", 0): 77}), "until offset 77 of orders-0: it ends at offset 10"),
    ):
        with pytest.raises(ArchiveError, match=told):
            import_archive(spark, wrong)
        assert not (tmp_path / "other").exists()
