"""The steps of the demo: read the files, write, read back, compare, Spark."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import NamedTuple

from kafkacompat.demo import aggregate, checks, dataset, spark_jars
from kafkacompat.demo.broker import RunningBroker
from kafkacompat.demo.dataset import FLIGHTS, SIDE_TOPICS, Dataset
from kafkacompat.demo.ledger import group_by_key, key_checksums
from kafkacompat.demo.progress import Progress
from kafkacompat.demo.report import Report, Speed
from kafkacompat.demo.spark_messages import SparkPlan

GROUP = "flight-readers"
RESULT = "departures_per_day"
FLIGHT_PARTITIONS = 6
PARTITIONS = {FLIGHTS: FLIGHT_PARTITIONS, **dict.fromkeys(SIDE_TOPICS, 1), RESULT: 3}


class Options(NamedTuple):
    """Command-line options. Without `bootstrap_servers` the demo starts a broker. `flights` of None means all."""

    flights: int | None = None
    bootstrap_servers: str | None = None
    with_spark: bool = True
    keep: bool = False


class _Stage(NamedTuple):
    """The state that all steps share."""

    broker: RunningBroker
    data: Dataset
    progress: Progress
    report: Report

    def show(self, done: int) -> None:
        """Show that `done` flights are processed. Raises DemoError if the broker has ended."""
        self.broker.check()
        self.progress.update(done, len(self.data.flights))

    def measure(self, what: str, seconds: float) -> None:
        """Report that all flights were processed in `seconds`."""
        size_bytes = sum(record.size_bytes() for record in self.data.flights)
        self.report.speeds.append(Speed(what, len(self.data.flights), size_bytes, seconds))


def load(options: Options, progress: Progress) -> Dataset:
    """Load the files. Raises DemoError if they are not installed."""
    progress.step("reading the data files")
    data = dataset.load(dataset.locate(), options.flights)
    gc.freeze()  # the records are never freed, so the collector can skip them
    progress.done(f"{sum(map(len, data.topics.values())):,} records for {len(data.topics)} topics")
    return data


def work(
    options: Options, data: Dataset, broker: RunningBroker, folder: Path, progress: Progress, report: Report
) -> None:
    """Run the steps that use the broker. Raises DemoError and the clients' exceptions."""
    why_no_spark = spark_jars.why_not() if options.with_spark else "--no-spark was given"
    stage = _Stage(broker, data, progress, report)
    _write(stage)
    _read(stage)
    if why_no_spark:
        report.left_out.append(f"Spark ({why_no_spark}).")
    else:
        _spark(stage, folder)


def _write(stage: _Stage) -> None:
    from kafkacompat.demo.writer import Writer, create_topics

    stage.progress.step("writing with confluent-kafka")
    create_topics(stage.broker.address, PARTITIONS)
    writer, began = Writer(stage.broker.address), time.monotonic()
    writer.write(FLIGHTS, stage.data.flights, stage.show)
    stage.measure("written with confluent-kafka", time.monotonic() - began)
    for topic in SIDE_TOPICS:
        writer.write(topic, stage.data.topics[topic])
    stage.progress.done(f"{len(stage.data.flights):,} flights and their carriers, airports, planes, weather")


def _read(stage: _Stage) -> None:
    from kafkacompat.demo import group, reader

    address, flights, report = stage.broker.address, stage.data.flights, stage.report
    stage.progress.step("reading with a group of kafka-python")
    began = time.monotonic()
    reading = group.read_with_group(address, FLIGHTS, GROUP, len(flights), FLIGHT_PARTITIONS, stage.show)
    stage.measure("read with kafka-python, in a group", time.monotonic() - began)
    first, second, third = (f"{count:,}" for count in reading.delivered)
    stage.progress.done(f"{first}, {second} and {third} records by its three members")

    stage.progress.step("comparing with the files")
    ends = reader.log_ends(address, [FLIGHTS, *SIDE_TOPICS])
    report.checks += checks.check_records(FLIGHTS, flights, reading.ledger, ends[FLIGHTS])
    report.checks += [
        checks.check_committed(ends[FLIGHTS], reader.committed(address, GROUP, FLIGHTS)),
        checks.equal("  members that shared the partitions", _sizes(group.STAGES), _sizes(reading.stages)),
    ]
    side = reader.read_topics(address, SIDE_TOPICS)
    for topic in SIDE_TOPICS:
        found = checks.check_records(topic, stage.data.topics[topic], side[topic], ends[topic])
        report.checks.append(checks.summarize(topic, found))
    stage.progress.done("equal" if report.is_equal else "DIFFERENT")


def _spark(stage: _Stage, folder: Path) -> None:
    from kafkacompat.demo import reader
    from kafkacompat.demo.spark import spark_run

    address, flights, report, progress = stage.broker.address, stage.data.flights, stage.report, stage.progress
    progress.step("starting Spark")
    scratch = folder / "spark"
    scratch.mkdir()
    settings = spark_jars.session_settings(spark_jars.pyspark_version() or spark_jars.SPARK_VERSION)
    plan = SparkPlan(address, FLIGHTS, RESULT, len(flights), str(scratch), settings)
    with spark_run(plan) as job:
        progress.done(f"Spark {job.started().version}")
        progress.step("reading as a batch with Spark")
        batch = job.batch()
        stage.measure("read as a batch with Spark", batch.seconds)
        checksums = key_checksums(group_by_key(flights))
        report.checks += [
            checks.equal("Spark, as a batch: records", len(flights), batch.records),
            checks.check_checksums("  checksum, computed by Spark", checksums, batch.checksums),
        ]
        progress.done(f"{batch.records:,} records")
        progress.step("reading as a stream with Spark")
        streamed = job.stream(stage.show)
        stage.measure("aggregated as a stream with Spark", streamed.seconds)
        progress.done(f"{streamed.triggers} triggers, stopped and started again after {streamed.before:,} records")
    days = aggregate.latest_per_key(reader.read_topics(address, [RESULT])[RESULT].updates())
    both = streamed.before + streamed.after
    report.checks += [
        checks.equal("Spark, as a stream: records, before and after a restart", len(flights), both),
        checks.check_restart("  of these before the restart", streamed.before, len(flights)),
        *checks.check_days("  departures per origin and day", aggregate.departures_per_day(flights), days),
    ]


def _sizes(stages: list[tuple[int, ...]]) -> str:
    return ", ".join(str(len(stage)) for stage in stages)
