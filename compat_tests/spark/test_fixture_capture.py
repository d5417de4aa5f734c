"""Captures: a fixture has a slice of topics, record by record, with masks and shares of keys."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from compat_tests.broker_process import Broker
from compat_tests.spark.test_log_source import fill, own
from compat_tests.spark.workbench import BASE_MS, Workbench
from kafkacompat import Cluster
from kafkacompat.spark import ArchiveError, ArchiveSpec, MaskedRecord, archive, capture
from kafkacompat.spark.capture_spec import CaptureSpec

pytestmark = pytest.mark.api("Produce", "Fetch", "ListOffsets")

__all__ = ("own",)  # a fixture
PER_CODEC = 60
RECORDS = 2 * PER_CODEC * 5
ALL = 10 * RECORDS

Seen = set[tuple[int, int, int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]]


def of_spark(bench: Workbench, topic: str, where: str = "true") -> Seen:
    """What Spark's Kafka source reads."""
    rows = bench.read(subscribe=topic, includeHeaders=True).where(where)
    return {
        (
            row["partition"], row["offset"], row["ms"], None if row["key"] is None else bytes(row["key"]),
            None if row["value"] is None else bytes(row["value"]),
            tuple((name, None if value is None else bytes(value)) for name, value in row["headers"] or ()),
        )
        for row in rows.selectExpr("*", "unix_millis(timestamp) AS ms").collect()
    }  # fmt: skip


def of_fixture(kafka: Cluster, topic: str) -> Seen:
    """What a cluster has."""
    return {
        (each.partition, each.offset, each.timestamp, each.key, each.value, tuple(map(tuple, each.headers)))
        for each in kafka.records(topic, limit=ALL)
    }  # type: ignore[misc]


@pytest.mark.spark_behaviour
def test_a_fixture_has_the_records_of_a_slice(own: tuple[Broker, Workbench], topic: str, tmp_path: Path) -> None:
    broker, bench = own
    fill(bench, topic, PER_CODEC)
    whole = CaptureSpec(str(tmp_path / "whole.kcf"), broker.bootstrap_servers, topics=topic)
    expected = of_spark(bench, topic)
    report = capture(bench.spark, whole)
    assert (report.topics, report.partitions, report.sampled, report.records) == (1, 2, RECORDS, RECORDS)
    with Cluster(fixture=whole.out) as kafka:
        assert of_fixture(kafka, topic) == expected
        assert [each.logs[0].log_end_offset for each in kafka.topics()[topic].partitions] == [RECORDS // 2] * 2
    between = whole._replace(
        out=str(tmp_path / "between.kcf"),
        from_ms=BASE_MS + 1000,
        until_ms=BASE_MS + 3000,
        until_offsets={(topic, 1): 130},
    )
    capture(bench.spark, between)
    with Cluster(fixture=between.out) as kafka:
        found = of_fixture(kafka, topic)
        bounds = [
            (each.logs[0].log_start_offset, each.logs[0].log_end_offset) for each in kafka.topics()[topic].partitions
        ]
    bench.saw("bounds", [list(each) for each in bounds])
    assert bounds[1][1] == 130
    assert found == {each for each in expected if bounds[each[0]][0] <= each[1] < bounds[each[0]][1]}
    assert min(each[2] for each in found) >= BASE_MS + 940  # a late one behind the first
    broker.stop()
    files = whole._replace(
        out=str(tmp_path / "files.kcf"), bootstrap_servers=None, log_dirs=tuple(map(str, broker.data_dirs))
    )
    assert capture(bench.spark, files).records == RECORDS
    with Cluster(fixture=files.out) as kafka:
        assert of_fixture(kafka, topic) == expected


@pytest.mark.spark_behaviour
def test_a_share_of_keys_is_the_same_in_all_topics_and_runs(bench: Workbench, topic: str, tmp_path: Path) -> None:
    other = f"{topic}-other"
    for name in (topic, other):
        bench.create(name, 2)
        for partition in range(2):
            records = [(b"key %d" % (n % 50), b"%d" % n, ()) for n in range(200)]
            bench.send_records(name, partition, [*records, *[(None, b"no key", ())] * 50], [BASE_MS] * 250)
    spec = CaptureSpec(str(tmp_path / "it.kcf"), bench.bootstrap_servers, topics=f"{topic}.*", sample_keys="1/5")
    report = capture(bench.spark, spec)
    assert report.records == report.sampled
    assert capture(bench.spark, spec).records == report.records
    path = str(tmp_path / "archive")
    archive(bench.spark, ArchiveSpec(path, bench.bootstrap_servers, topics=f"{topic}.*"))
    of_archive = CaptureSpec(str(tmp_path / "other.kcf"), archive=path, topics=f"{topic}.*", sample_keys="1/5")
    assert capture(bench.spark, of_archive).records == report.records
    fixtures = []
    for out in (spec.out, of_archive.out):
        with Cluster(fixture=out) as kafka:
            fixtures.append([of_fixture(kafka, name) for name in (topic, other)])
            ends = [each.logs[0].log_end_offset for each in kafka.topics()[topic].partitions]
            assert ends == [250, 250], "a log ends where it ended, with a batch up to there"
    assert fixtures[0] == fixtures[1]
    keys = [{each[3] for each in found if each[3] is not None} for found in fixtures[0]]
    assert keys[0] == keys[1]
    assert 3 <= len(keys[0]) <= 25, "about a fifth of 50"
    for name, found in zip((topic, other), fixtures[0], strict=True):
        assert {each for each in found if each[3]} == {each for each in of_spark(bench, name) if each[3] in keys[0]}
        assert 5 <= sum(each[3] is None for each in found) <= 50, "about a fifth of 100"
    bench.saw("keys", sorted(key.decode() for key in keys[0]))


def without_digits(record: MaskedRecord) -> MaskedRecord | None:
    """A mask."""
    if record.offset == 99:
        return None
    if record.value == b"bad":
        raise ValueError("no digits")
    return record._replace(value=bytes(each for each in record.value or b"" if not chr(each).isdigit()))


@pytest.mark.spark_behaviour
def test_a_mask_changes_what_is_captured(spark: SparkSession, tmp_path: Path) -> None:
    spec = CaptureSpec(str(tmp_path / "it.kcf"), mask=without_digits)
    records = [
        {"value": f"card {n}", "key": f"k{n}", "partition": 0, "timestamp": 1_500_000_000_000} for n in range(100)
    ]
    with Cluster(topics={"cards": {"partitions": 2}, "none": 1}, records={"cards": records}) as kafka:
        spec = spec._replace(bootstrap_servers=kafka.bootstrap_servers)
        report = capture(spark, spec)
        assert (report.topics, report.sampled, report.records) == (2, 100, 99)
        assert report.notes == ()  # the seed has set the retention already
        mask = tmp_path / "mask.py"
        mask.write_text("def fn(record):\n    return 1 / (record.offset - 7)\n")
        failing = spec._replace(out=str(tmp_path / "no.kcf"), mask=f"{mask}:fn")
        with pytest.raises(ArchiveError, match=r"mask .*/mask.py:fn at cards-0, offset 0: it returned float"):
            capture(spark, failing)
        mask.write_text("def fn(record):\n    1 / (record.offset - 7)\n    return record\n")
        with pytest.raises(ArchiveError, match=r"mask .*/mask.py:fn at cards-0, offset 7: ZeroDivisionError"):
            capture(spark, failing)
        mask.write_text("def fn(record):\n    return None\n")
        assert capture(spark, failing._replace(out=str(tmp_path / "empty.kcf"))).records == 0
        with pytest.raises(ArchiveError, match="a share of keys is"):
            capture(spark, failing._replace(sample_keys="all"))
        with pytest.raises(ArchiveError, match="until offset 101 of cards-0: it ends at offset 100"):
            capture(spark, failing._replace(until_offsets={("cards", 0): 101}))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["empty.kcf", "it.kcf", "mask.py"]
    with Cluster(fixture=spec.out) as kafka:
        found = kafka.records("cards")
        assert {each.value for each in found} == {b"card "}
        assert [each.offset for each in found] == list(range(99))
        assert kafka.topics()["cards"].partitions[0].logs[0].log_end_offset == 100
        assert kafka.records("none") == []
    with Cluster(fixture=tmp_path / "empty.kcf") as kafka:
        assert [each.logs[0].log_start_offset for each in kafka.topics()["cards"].partitions] == [100, 0]


@pytest.mark.spark_behaviour
def test_a_fixture_of_100_000_records_starts_in_two_seconds(spark: SparkSession, tmp_path: Path) -> None:
    with Cluster(topics={"many": 4}) as kafka:
        frame = spark.range(100_000).selectExpr("CAST(id AS STRING) AS key", "repeat('v', 100) AS value")
        servers = {"kafka.bootstrap.servers": kafka.bootstrap_servers}
        frame.write.format("kafka").options(**servers, topic="many").save()
        spec = CaptureSpec(str(tmp_path / "many.kcf"), kafka.bootstrap_servers)
        assert capture(spark, spec).records == 100_000
    begin_s, begin_cpu_s = time.monotonic(), time.process_time()
    with Cluster(fixture=spec.out) as kafka:
        took_s, cpu_s = time.monotonic() - begin_s, time.process_time() - begin_cpu_s
        ends = [each.logs[0].log_end_offset for each in kafka.topics()["many"].partitions]
    print(f"start with 100,000 records: {took_s:.3f} s, {cpu_s:.3f} s of CPU time")
    assert sum(ends) == 100_000
    assert cpu_s < 2
