"""The demo from its start to its exit status."""

from __future__ import annotations

import gc
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TextIO

from kafkacompat.demo import aggregate, checks, dataset, spark_jars
from kafkacompat.demo.broker import own_broker
from kafkacompat.demo.dataset import FLIGHTS, SIDE_TOPICS, Dataset
from kafkacompat.demo.errors import DemoError
from kafkacompat.demo.ledger import group_by_key, key_checksums
from kafkacompat.demo.progress import Progress
from kafkacompat.demo.report import Report, Speed, how_to_connect
from kafkacompat.demo.spark_messages import SparkPlan
from kafkacompat.errors import KafkaCompatError

GROUP = "flight-readers"
RESULT = "departures_per_day"
FLIGHT_PARTITIONS = 6
PARTITIONS = {FLIGHTS: FLIGHT_PARTITIONS, **dict.fromkeys(SIDE_TOPICS, 1), RESULT: 3}
INTERRUPTED = 130
"""Exit status after Ctrl-C, as of a shell."""


class Options(NamedTuple):
    """What the command line said. Without `bootstrap_servers` the demo starts a broker; `flights` of None is all."""

    flights: int | None = None
    bootstrap_servers: str | None = None
    with_spark: bool = True
    keep: bool = False


def run(options: Options, out: TextIO) -> int:
    """Do it all, with progress and tables on `out`; the exit status, 0 only if everything was equal."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends the children as Ctrl-C does
    progress, report = Progress(out, is_terminal=out.isatty()), Report()
    shown = False
    try:
        _check_clients()
        with _folder() as folder, _address(options, folder, progress) as address:
            _work(options, address, folder, progress, report)
            _say(out, f"\n{report.text()}\n\n{how_to_connect(address if options.keep else None)}")
            shown = True
            if options.keep:
                _say(out, f"\nThe broker at {address} stays until Ctrl-C.")
                threading.Event().wait()
    except KeyboardInterrupt:
        progress.end()
        if not shown:
            _say(out, "stopped")
            return INTERRUPTED
    except KafkaCompatError as error:
        return _fail(str(error), progress, report if not shown else Report(), out)
    except Exception as error:
        if not _is_from_a_client(error):
            raise
        return _fail(f"a client failed: {type(error).__name__}: {error}", progress, report, out)
    return 0 if report.is_equal else 1


def _fail(line: str, progress: Progress, report: Report, out: TextIO) -> int:
    progress.end()
    _say(
        out,
        f"\n{report.text()}\n\nkafkacompat demo: {line}"
        if report.checks or report.speeds
        else f"kafkacompat demo: {line}",
    )
    return 1


def _is_from_a_client(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] in ("kafka", "confluent_kafka", "cimpl")


def _say(out: TextIO, text: str) -> None:
    out.write(f"{text}\n")
    out.flush()


def _check_clients() -> None:
    missing = [name for name in ("confluent_kafka", "kafka") if find_spec(name) is None]
    if missing:
        raise DemoError(f"{' and '.join(missing)} cannot be imported: pip install 'kafkacompat[demo]'")


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kafkacompat-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def _address(options: Options, folder: Path, progress: Progress) -> Iterator[str]:
    if options.bootstrap_servers:
        yield options.bootstrap_servers
        return
    progress.step("starting a broker")
    with own_broker(folder) as address:
        progress.done(f"ready on {address}")
        yield address


def _work(options: Options, address: str, folder: Path, progress: Progress, report: Report) -> None:
    why_no_spark = spark_jars.why_not() if options.with_spark else "--no-spark was given"
    progress.step("reading the data files")
    data = dataset.load(dataset.locate(), options.flights)
    gc.freeze()  # the records stay to the end: collections need not look at them
    progress.done(f"{sum(map(len, data.topics.values())):,} records for {len(data.topics)} topics")
    _write(address, data, progress, report)
    _read(address, data, progress, report)
    if why_no_spark:
        report.left_out.append(f"Spark ({why_no_spark}).")
    else:
        _spark(address, data, folder, progress, report)


def _write(address: str, data: Dataset, progress: Progress, report: Report) -> None:
    from kafkacompat.demo.writer import Writer, create_topics

    progress.step("writing with confluent-kafka")
    create_topics(address, PARTITIONS)
    writer, began = Writer(address), time.monotonic()
    writer.write(FLIGHTS, data.flights, lambda done: progress.update(done, len(data.flights)))
    report.speeds.append(_speed("written with confluent-kafka", data, time.monotonic() - began))
    for topic in SIDE_TOPICS:
        writer.write(topic, data.topics[topic])
    progress.done(f"{len(data.flights):,} flights and their carriers, airports, planes, weather")


def _read(address: str, data: Dataset, progress: Progress, report: Report) -> None:
    from kafkacompat.demo import group, reader

    total = len(data.flights)
    progress.step("reading with a group of kafka-python")
    began = time.monotonic()
    reading = group.read_with_group(
        address, FLIGHTS, GROUP, total, FLIGHT_PARTITIONS, lambda done: progress.update(done, total)
    )
    report.speeds.append(_speed("read with kafka-python, in a group", data, time.monotonic() - began))
    progress.done(" and ".join(f"{count:,}" for count in reading.delivered) + " records by members 1, 2 and 3")
    progress.step("comparing with the files")
    ends = reader.log_ends(address, [FLIGHTS, *SIDE_TOPICS])
    report.checks += checks.check_records(FLIGHTS, data.flights, reading.ledger, ends[FLIGHTS])
    report.checks += [
        checks.check_committed(ends[FLIGHTS], reader.committed(address, GROUP, FLIGHTS)),
        checks.equal("  members that shared the partitions", _sizes(group.STAGES), _sizes(reading.stages)),
    ]
    side = reader.read_topics(address, SIDE_TOPICS)
    for topic in SIDE_TOPICS:
        found = checks.check_records(topic, data.topics[topic], side[topic], ends[topic])
        report.checks.append(checks.summarize(topic, found))
    progress.done("equal" if report.is_equal else "DIFFERENT")


def _spark(address: str, data: Dataset, folder: Path, progress: Progress, report: Report) -> None:
    from kafkacompat.demo import reader
    from kafkacompat.demo.spark import spark_run

    total = len(data.flights)
    progress.step("starting Spark")
    scratch = folder / "spark"
    scratch.mkdir()
    plan = SparkPlan(address, FLIGHTS, RESULT, total, str(scratch), spark_jars.session_settings())
    with spark_run(plan) as job:
        progress.done(f"Spark {job.started().version}")
        progress.step("reading as a batch with Spark")
        batch = job.batch()
        report.speeds.append(_speed("read as a batch with Spark", data, batch.seconds))
        report.checks += [
            checks.equal("Spark, as a batch: records", total, batch.records),
            checks.check_checksums(
                "  checksum, computed by Spark", key_checksums(group_by_key(data.flights)), batch.checksums
            ),
        ]
        progress.done(f"{batch.records:,} records")
        progress.step("reading as a stream with Spark")
        streamed = job.stream(lambda done: progress.update(done, total))
        report.speeds.append(_speed("aggregated as a stream with Spark", data, streamed.seconds))
        progress.done(f"{streamed.triggers} triggers, stopped and started again after {streamed.before:,} records")
    days = aggregate.latest_per_key(reader.read_topics(address, [RESULT])[RESULT].updates())
    report.checks += [
        checks.equal(
            "Spark, as a stream: records, before and after a restart", total, streamed.before + streamed.after
        ),
        *checks.check_days("  departures per origin and day", aggregate.departures_per_day(data.flights), days),
    ]


def _sizes(stages: list[tuple[int, ...]]) -> str:
    return ", ".join(str(len(stage)) for stage in stages)


def _speed(what: str, data: Dataset, seconds: float) -> Speed:
    """Of all flights."""
    return Speed(what, len(data.flights), sum(record.size_bytes() for record in data.flights), seconds)
