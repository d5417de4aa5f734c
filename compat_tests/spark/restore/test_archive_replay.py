"""Replays: an archive is written into ours and into Apache Kafka, each record once, whatever ends a run."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from compat_tests.spark.archives.test_archive_writer import settings
from compat_tests.spark.test_log_source import fill, same
from compat_tests.spark.workbench import BASE_MS, LATEST, VERB_S, Workbench
from kafkacompat import Cluster
from kafkacompat.client.client import Client
from kafkacompat.client.group_admin import delete_group
from kafkacompat.spark import ArchiveError, ArchiveSpec, ReplayError, archive, replay
from kafkacompat.spark.restore.replay_spec import ReplaySpec
from tests.waiting import pause

pytestmark = pytest.mark.api("Produce", "Fetch", "ListOffsets")
PER_CODEC = 60
RECORDS = 2 * PER_CODEC * 5
MANY = 40_000
STAMPED = {"message_timestamp_type": "LogAppendTime"}
COLUMNS = ("key", "value", "partition", "offset", "timestamp", "timestampType", "headers")
OLD_MS = 1_500_000_000_000


def of_topic(bench: Workbench, topic: str) -> DataFrame:
    """All that a topic has, without its name."""
    return bench.read(subscribe=topic, includeHeaders=True).select(*COLUMNS)


@pytest.mark.older_spark
@pytest.mark.spark_behaviour
def test_a_replay_keeps_partition_order_timestamp_key_value_and_headers(
    bench: Workbench, topic: str, tmp_path: Path
) -> None:
    fill(bench, topic, PER_CODEC)
    path, ids = str(tmp_path / "archive"), list[str]()
    archive(bench.spark, ArchiveSpec(path, bench.bootstrap_servers, topics=topic, max_records=350))
    other = f"{topic}-other"
    spec = ReplaySpec(path, bench.bootstrap_servers, topic_map={topic: other}, compression="zstd")
    report = replay(bench.spark, spec, ids.append)
    assert (report.partitions, report.sent, report.found, ids) == (2, RECORDS, 0, [report.replay_id])
    assert same(of_topic(bench, other), of_topic(bench, topic)) == RECORDS
    again = ReplaySpec(path, bench.bootstrap_servers, resume=report.replay_id)
    resumed = replay(bench.spark, again)
    assert (resumed.sent, resumed.found) == (0, RECORDS), "everything is there"
    bench.send(other, 1, ["not of the replay"])
    with pytest.raises(ReplayError, match=f"{other}-1 at the target has {RECORDS // 2 + 1} records since the replay"):
        replay(bench.spark, again)
    second = replay(bench.spark, spec._replace(until_offsets={(topic, 0): 10, (topic, 1): 0}))
    assert (second.partitions, second.sent) == (1, 10), "behind what is there"
    bench.saw("records", bench.read(subscribe=other).count())


@pytest.mark.spark_behaviour
def test_what_would_be_lost_or_mixed_ends_a_replay_before_it_writes(
    bench: Workbench, topic: str, tmp_path: Path
) -> None:
    bench.create(topic, 3, retention_ms="-1")
    bench.send(topic, 2, range(5), [OLD_MS] * 5)
    path = str(tmp_path / "archive")
    archive(bench.spark, ArchiveSpec(path, bench.bootstrap_servers, topics=topic))
    for name, partitions, configs in (
        ("week", 3, {"retention_ms": "604800000"}), ("few", 2, {}), ("append", 3, STAMPED),
        ("small", 3, {"retention_ms": "-1", "retention_bytes": "4"}),
    ):  # fmt: skip
        bench.create(f"{topic}-{name}", partitions, **configs)
    spec = ReplaySpec(path, bench.bootstrap_servers)
    for name, told in (
        ("week", "has retention.ms=604800000 at the target, and the records begin at 1500000000000 ms"),
        ("few", "has 2 partitions at the target, and 3 are needed"),
        ("append", "has message.timestamp.type=LogAppendTime at the target"),
        ("small", "has retention.bytes=4 at the target, and a partition gets"),
    ):
        with pytest.raises(ReplayError, match=told):
            replay(bench.spark, spec._replace(topic_map={topic: f"{topic}-{name}"}))
        assert bench.read(subscribe=f"{topic}-{name}").count() == 0
    assert not (tmp_path / "archive" / "replays").exists()
    made = replay(bench.spark, spec._replace(topic_map={topic: f"{topic}-made"}))
    (note,) = made.notes
    assert note == f"topic {topic}-made is made with retention.ms=-1: its records begin at {OLD_MS} ms"
    assert same(of_topic(bench, f"{topic}-made"), of_topic(bench, topic)) == 5
    into_week = spec._replace(topic_map={topic: f"{topic}-week"}, allow_expired=True)
    assert replay(bench.spark, into_week).sent == 5
    bench.saw("records", [bench.offset(f"{topic}-{name}", 2, LATEST) for name in ("week", "append", "made")])
    for wrong, told in (
        (spec._replace(topics="none"), "has no topic that matches 'none'"),
        (spec._replace(topic_map={"none": "x"}), "topic_map has none, which is not among"),
        (spec._replace(resume=made.replay_id, topics=topic), "leave them out"),
        (spec._replace(resume="abc"), "replays/abc.json cannot be read"),
        (spec._replace(compression="rar"), "compression is one of"),
    ):
        with pytest.raises(ArchiveError, match=told):
            replay(bench.spark, wrong)


@pytest.mark.sampled
@pytest.mark.parametrize("transactional", [False, True], ids=["plain", "transactional"])
@pytest.mark.parametrize("kills", [1, pytest.param(5, marks=pytest.mark.full)])
@pytest.mark.spark_behaviour
@pytest.mark.full("kafka")
def test_kill_9_of_the_driver_of_a_replay(
    bench: Workbench, topic: str, tmp_path: Path, kills: int, transactional: bool
) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    bench.create(topic, 3)
    for partition in range(3):
        values = [b"%d" % chance.randrange(10) * 50 for _ in range(MANY // 3)]  # many are alike
        bench.send_records(
            topic, partition, [(None, value, ()) for value in values], [BASE_MS + n for n in range(len(values))]
        )
    path = tmp_path / "archive"
    archive(bench.spark, ArchiveSpec(str(path), bench.bootstrap_servers, topics=topic))
    target = f"{topic}-target"
    bench.create(target, 3)
    bench.send(target, 0, ["was there before"])
    replay_id = ""
    for _ in range(kills):
        kill_in_the_middle(bench, topic, target, path, replay_id, transactional)
        (file,) = path.glob("replays/*.json")
        replay_id = file.stem
        if transactional:
            bench.send(target, 1, ["meanwhile"])
    command = [*verb_of(bench, path), "--resume", replay_id, *settings()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=VERB_S)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["found"] > 0
    assert report["sent"] > 0, "it was killed in the middle"
    assert report["found"] + report["sent"] == MANY // 3 * 3
    there = committed(bench, target).where("CAST(value AS STRING) NOT IN ('was there before', 'meanwhile')")
    assert same(numbered(there), numbered(of_topic(bench, topic))) == MANY // 3 * 3
    bench.saw("records", report["found"] + report["sent"])


def committed(bench: Workbench, topic: str) -> DataFrame:
    """All that a reader of committed records sees of a topic."""
    frame = bench.read(subscribe=topic, includeHeaders=True, kafka_isolation_level="read_committed")
    return frame.select(*COLUMNS)


def numbered(frame: DataFrame) -> DataFrame:
    """With the place in the partition instead of the offset: markers and other writers take offsets."""
    place = F.row_number().over(Window.partitionBy("partition").orderBy("offset"))
    return frame.withColumn("place", place).drop("offset")


@pytest.mark.spark_behaviour
def test_a_transactional_replay_is_visible_as_a_whole_and_told_from_others(
    bench: Workbench, topic: str, tmp_path: Path
) -> None:
    fill(bench, topic, PER_CODEC)
    path, other = str(tmp_path / "archive"), f"{topic}-other"
    archive(bench.spark, ArchiveSpec(path, bench.bootstrap_servers, topics=topic))
    spec = ReplaySpec(path, bench.bootstrap_servers, topic_map={topic: other}, is_transactional=True)
    report = replay(bench.spark, spec)
    assert (report.sent, report.found) == (RECORDS, 0)
    assert same(numbered(committed(bench, other)), numbered(of_topic(bench, topic))) == RECORDS
    bench.send(other, 1, ["not of the replay"])
    again = ReplaySpec(path, bench.bootstrap_servers, resume=report.replay_id)
    resumed = replay(bench.spark, again)
    assert (resumed.sent, resumed.found) == (0, RECORDS), "others may write"
    bench.saw("records", committed(bench, other).count())
    bench.delete_records_before(other, 1, RECORDS // 2)
    with pytest.raises(ReplayError, match=f"{other}-1 at the target: the record at .* is not there to be"):
        replay(bench.spark, again)
    with Client(bench.bootstrap_servers) as client:
        delete_group(client, f"kafkacompat-replay-{report.replay_id}")
    with pytest.raises(ReplayError, match=f"{other}-0 at the target has no progress in group"):
        replay(bench.spark, again)
    plain = replay(bench.spark, spec._replace(is_transactional=False))
    with pytest.raises(ReplayError, match="was begun without transactions"):
        replay(bench.spark, again._replace(resume=plain.replay_id, is_transactional=True))


def verb_of(bench: Workbench, path: Path) -> list[str]:
    """The command without what chooses the records."""
    servers = bench.bootstrap_servers
    return [sys.executable, "-m", "kafkacompat", "spark", "replay", "--from", str(path), "-b", servers]


def kill_in_the_middle(
    bench: Workbench, topic: str, target: str, path: Path, replay_id: str, transactional: bool
) -> None:
    """Start a replay that takes thirteen seconds, or go on with one, and kill it when it has written some records."""
    what = ["--resume", replay_id] if replay_id else ["--topic-map", f"{topic}={target}"]
    what += ["--transactional"] if transactional else []
    told = path.parent / "told"
    before = written(bench, target)
    with told.open("w") as output:
        process = subprocess.Popen(
            [*verb_of(bench, path), *what, "--speed", "realtime", *settings()], stdout=output, stderr=output,
            start_new_session=True, cwd=path.parent,
        )  # fmt: skip
    deadline_s = time.monotonic() + VERB_S
    try:
        while written(bench, target) == before:
            assert process.poll() is None, told.read_text()
            assert time.monotonic() < deadline_s, told.read_text()
            pause()
    finally:
        with suppress(ProcessLookupError):  # it ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    assert status == -signal.SIGKILL, told.read_text()


def written(bench: Workbench, topic: str) -> int:
    """How many records a topic has."""
    return sum(bench.offset(topic, partition, LATEST) for partition in range(3))


@pytest.mark.spark_behaviour
def test_a_replay_in_the_time_of_the_records(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "archive")
    now_ms = int(time.time() * 1000)
    records = [
        {"value": str(n), "partition": n % 3, "timestamp": now_ms - 100_000 + n * 1000 - (5000 if n == 7 else 0)}
        for n in range(20)
    ]
    with Cluster(topics={"orders": 3}, records={"orders": records}) as kafka:
        archive(spark, ArchiveSpec(path, kafka.bootstrap_servers))
    with Cluster() as kafka:
        kafka.create_topics({"orders": {"partitions": 3}})
        begin_s = time.monotonic()
        report = replay(spark, ReplaySpec(path, kafka.bootstrap_servers, speed="4x"))
        took_s = time.monotonic() - begin_s
        assert report.sent == 20
        assert took_s > 19 / 4
        found = [(each.partition, each.timestamp, each.value) for each in kafka.records("orders")]
        assert sorted(found) == sorted(
            (each["partition"], each["timestamp"], str(each["value"]).encode()) for each in records
        )
        assert [value for partition, _, value in found if partition == 1] == [b"%d" % n for n in range(1, 20, 3)]
        archived = replay(spark, ReplaySpec(path, kafka.bootstrap_servers, resume=report.replay_id, speed="realtime"))
        assert (archived.sent, archived.found) == (0, 20)
