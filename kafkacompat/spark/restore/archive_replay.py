"""Replaying: the records of an archive are written into any Kafka, each partition by one task.

A task asks the target how far it is, compares the last records there with those of the source, and goes on behind them:
the first run, a task that Spark starts again, and a run that is resumed do the same.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple
from uuid import uuid4

from pyspark.sql import DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from kafkacompat.client.client import Client
from kafkacompat.client.errors import ClientError
from kafkacompat.client.group_admin import commit_offsets
from kafkacompat.spark.archives.archive_files import ArchiveFiles
from kafkacompat.spark.archives.archive_manifests import Manifest, archived_topics, read_manifests
from kafkacompat.spark.archives.archive_ranges import TopicPartition
from kafkacompat.spark.archives.archive_reader import ends_of, read_archive
from kafkacompat.spark.archives.kafka_properties import client_of
from kafkacompat.spark.restore.archive_importer import TASKS_MAX, counted
from kafkacompat.spark.restore.log_rows import LOG_COLUMNS, log_records, spread, timestamp_ms
from kafkacompat.spark.restore.new_topics import Found
from kafkacompat.spark.restore.packed_batches import LogRecord
from kafkacompat.spark.restore.replay_matching import Progress
from kafkacompat.spark.restore.replay_spec import (
    Pace,
    Replay,
    ReplayedLog,
    ReplayError,
    ReplayReport,
    ReplaySpec,
    check_replay,
    factor_of,
    name_of,
    parse,
)
from kafkacompat.spark.restore.replay_target import CLIENT_ID, WantedTopic, check_still, ends_of_logs, prepare
from kafkacompat.spark.restore.replay_writers import (
    BEGUN,
    KeptProgress,
    PlainWriter,
    TransactionalWriter,
    Writer,
    progress_of,
    settled_progress_of,
)

BEGIN_S = 1.0
"""How long after its start the first record of a paced replay is due, so that all tasks run by then."""
SLEEP_MAX_S = 0.5


class Done(NamedTuple):
    """What a task did for a log. reason: why it failed."""

    number: int
    sent: int
    found: int
    reason: str = ""


def replay(spark: SparkSession, spec: ReplaySpec, begun: Callable[[str], None] | None = None) -> ReplayReport:
    """Write what the target does not have yet, and compare how much is there. Raises ReplayError, ClientError.

    begun: called with the id of the replay before the first record is written.
    """
    check_replay(spec)
    factor = factor_of(spec.speed)
    if str(spark.conf.get("spark.speculation", "false")).lower() == "true":
        raise ReplayError("spark.speculation runs tasks twice, which writes records twice: turn it off")
    files = ArchiveFiles(spark, spec.path)
    with client_of(spec.bootstrap_servers, spec.properties, CLIENT_ID) as client:
        if spec.resume is None:
            known, records, found, notes = _begin(spark, spec, files, client)
        else:
            known, records, found = _resumed(spark, spec, files, client)
            notes = []
        if begun is not None:
            begun(known.replay_id)
        pace = None if factor is None else (factor, _written(client, known))
        done = _write(spark, records, known, spec, pace)
        failed = [each.reason for each in done if each.reason]
        if failed:
            raise ReplayError(f"{failed[0]} (replay {known.replay_id})")
        _check_ends(client, known, found)
    return ReplayReport(
        known.replay_id,
        len(known.logs),
        sum(each.sent for each in done),
        sum(each.found for each in done),
        tuple(notes),
    )


def _begin(
    spark: SparkSession, spec: ReplaySpec, files: ArchiveFiles, client: Client
) -> tuple[Replay, DataFrame, dict[TopicPartition, Found], list[str]]:
    """Look at everything, make topics, and write down where the target's logs end."""
    manifests = read_manifests(files)
    wanted = _wanted(manifests, spec)
    targets = {topic: spec.topic_map.get(topic, topic) for topic in wanted}
    if len(set(targets.values())) < len(targets):
        raise ReplayError("topic_map gives two topics the same name: their records would be mixed")
    ends = ends_of(spark, spec.path, until_offsets=spec.until_offsets, until_ms=spec.until_ms)
    ends = {key: end for key, end in ends.items() if key[0] in targets}
    records = _records(spark, spec.path, ends)
    found = counted(records)
    entries = archived_topics(manifests)
    topics = [
        WantedTopic(
            target,
            entries[topic].partitions,
            oldest_of(topic, found),
            entries[topic].configs,
            max((each.size_bytes for (name, _), each in found.items() if name == topic), default=0),
        )
        for topic, target in targets.items()
    ]
    notes = prepare(client, topics, allow_expired=spec.allow_expired, now_ms=time.time_ns() // 1_000_000)
    there = ends_of_logs(client, [(targets[topic], partition) for topic, partition in found])
    logs = tuple(
        ReplayedLog(*key, ends[key], targets[key[0]], there[targets[key[0]], key[1]]) for key in sorted(found)
    )  # fmt: skip
    known = Replay(uuid4().hex[:12], client.metadata(()).cluster_id or "", logs, spec.is_transactional)
    if spec.is_transactional and logs:  # before the file: whoever resumes from it finds progress, or it was lost
        commit_offsets(client, known.group_id, {(log.target, log.partition): BEGUN.next_offset for log in logs})
    if not files.write_new(name_of(known.replay_id), known.to_json()):
        raise ReplayError(f"{spec.path}/{name_of(known.replay_id)} cannot be written: nothing was replayed")
    return known, records, found, notes


def oldest_of(topic: str, found: Mapping[TopicPartition, Found]) -> int | None:
    """The time of the oldest record of a topic; None if none has a time."""
    times = [each.oldest_ms for (name, _), each in found.items() if name == topic and each.oldest_ms is not None]
    return min(times, default=None)


def _wanted(manifests: list[Manifest], spec: ReplaySpec) -> list[str]:
    wanted = [topic for topic in archived_topics(manifests) if re.fullmatch(spec.topics, topic)]
    if not wanted:
        raise ReplayError(f"{spec.path} has no topic that matches {spec.topics!r}")
    unknown = sorted(spec.topic_map.keys() - {*wanted})
    if unknown:
        raise ReplayError(f"topic_map has {unknown[0]}, which is not among the topics to replay")
    return sorted(wanted)


def _resumed(
    spark: SparkSession, spec: ReplaySpec, files: ArchiveFiles, client: Client
) -> tuple[Replay, DataFrame, dict[TopicPartition, Found]]:
    name = name_of(str(spec.resume))
    known = parse(files.read(name), f"{files.root}/{name}")
    cluster_id = client.metadata(()).cluster_id or ""
    if cluster_id != known.cluster_id:
        raise ReplayError(f"replay {spec.resume} is into cluster {known.cluster_id}, and this is {cluster_id}")
    if spec.is_transactional and not known.is_transactional:
        raise ReplayError(f"replay {spec.resume} was begun without transactions: its progress is in none")
    if known.is_transactional:
        progress_of(client, known)
    else:
        check_still(client, known.logs)
    records = _records(spark, spec.path, {(log.topic, log.partition): log.end_offset for log in known.logs})
    return known, records, counted(records)


def _records(spark: SparkSession, path: str, ends: Mapping[TopicPartition, int]) -> DataFrame:
    """What is replayed: these partitions, up to these offsets."""
    table = spark.createDataFrame([(*key,) for key in ends], "topic string, partition int")
    return read_archive(spark, path, until_offsets=ends).join(F.broadcast(table), ["topic", "partition"], "left_semi")


def _written(client: Client, known: Replay, *, is_over: bool = False) -> list[int]:
    """How many records of each log are at the target. is_over: no task writes any more."""
    if known.is_transactional:
        kept = settled_progress_of(client, known, known.logs) if is_over else progress_of(client, known)
        return [each.records for each in kept]
    ends = ends_of_logs(client, [(log.target, log.partition) for log in known.logs])
    return [ends[log.target, log.partition] - log.base_offset for log in known.logs]


def _write(
    spark: SparkSession, records: DataFrame, known: Replay, spec: ReplaySpec,
    paced: tuple[float, list[int]] | None,
) -> list[Done]:  # fmt: skip
    """Send the records in tasks. paced: how fast, and how many of each log are there already."""
    logs = known.logs
    if not logs:
        return []
    numbers = [(log.topic, log.partition, number) for number, log in enumerate(logs)]
    table = spark.createDataFrame(numbers, "topic string, partition int, log int")
    rows = records.join(F.broadcast(table), ["topic", "partition"]).select("*", timestamp_ms())
    before = Window.partitionBy("log").orderBy("offset")
    made = F.lit(0) if paced is None else F.max("timestamp_ms").over(before)
    rows = rows.withColumn("made_ms", made.cast("long"))  # later records of a partition are never due earlier
    pace = None if paced is None else _pace(spark, rows, *paced)
    most = TASKS_MAX if paced is None else spark.sparkContext.defaultParallelism  # all at once, each with several logs
    tasks = spread(spark, rows, F.col("log"), min(len(logs), most))
    order = ("log", "offset") if paced is None else ("made_ms", "log", "offset")
    columns = tasks.sortWithinPartitions(*order).select("log", "made_ms", *LOG_COLUMNS)
    servers, properties, compression = spec.bootstrap_servers, dict(spec.properties), spec.compression

    def work(of_task: Iterable[Row]) -> Iterator[Done]:
        try:
            with client_of(servers, properties, CLIENT_ID) as client:
                yield from send(client, compression, known, log_records(of_task, "log", "made_ms"), pace)
        except (ReplayError, ClientError) as error:
            yield Done(0, 0, 0, f"{error}")

    found: list[Done] = columns.rdd.mapPartitions(work).collect()
    return found


def _pace(spark: SparkSession, rows: DataFrame, factor: float, written: list[int]) -> Pace:
    """The first record that is not at the target yet is due first."""
    table = spark.createDataFrame(list(enumerate(written)), "log int, written bigint")
    number = F.row_number().over(Window.partitionBy("log").orderBy("offset"))
    open_rows = rows.withColumn("number", number).join(F.broadcast(table), ["log"]).where("number > written")
    first = open_rows.agg(F.min("made_ms").alias("first")).collect()[0]["first"]
    return Pace(time.time() + BEGIN_S, first or 0, factor)


def send(
    client: Client, compression: str, known: Replay, rows: Iterable[tuple[int, int, LogRecord]],
    pace: Pace | None,
) -> Iterator[Done]:  # fmt: skip
    """Send rows (number of the log, when it is due, record) as far as the target does not have them. Raises
    ReplayError, ClientError.
    """
    at: dict[int, Progress | KeptProgress] = {}
    kind = TransactionalWriter if known.is_transactional else PlainWriter
    writer: Writer = kind(client, known, compression)
    for number, made_ms, record in rows:
        progress = at.get(number)
        if progress is None:
            progress = at[number] = writer.open(number)
        if not progress.take(record):
            continue
        if pace is not None:
            _wait(writer, pace.due_s(made_ms))
        writer.send(number, record)
    writer.flush()
    for number, progress in at.items():
        progress.finish()
        yield Done(number, progress.sent, progress.found)


def _wait(writer: Writer, due_s: float) -> None:
    if writer.buffered_bytes and time.time() < due_s:
        writer.flush()
    while (left_s := due_s - time.time()) > 0:
        time.sleep(min(left_s, SLEEP_MAX_S))


def _check_ends(client: Client, known: Replay, found: Mapping[TopicPartition, Found]) -> None:
    """Raises ReplayError unless each log at the target has as many more records as there were to be replayed."""
    for log, written in zip(known.logs, _written(client, known, is_over=True), strict=True):
        records = found[log.topic, log.partition].records
        if written != records:
            raise ReplayError(
                f"{log.target}-{log.partition} at the target has {written} records since replay {known.replay_id} "
                f"began, and {records} were to be there: somebody else has written, too"
            )
