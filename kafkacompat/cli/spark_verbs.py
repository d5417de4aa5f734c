"""`kafkacompat spark`: jobs on Spark, in this process or on a cluster (`--master`)."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime

import click

from kafkacompat.cli.exits import DIFFERENT, REFUSED, USAGE, VerbError, say, verb
from kafkacompat.cli.rows import to_json
from kafkacompat.client.texts import counted
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pyspark.sql import SparkSession

    from kafkacompat.spark.archive_manifests import Manifest

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13"
SETTINGS = {"spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC"}
_SESSION = (
    click.option(
        "--master", metavar="URL", help="Spark's master, as for spark-submit. [default: that of --conf, or local[*]]"
    ),
    click.option(
        "--conf", "settings", metavar="KEY=VALUE", multiple=True, help="A setting of the Spark session. Repeatable."
    ),
)


@click.group()
def spark() -> None:
    """Archive topics in Parquet, with Spark. Needs `pip install 'kafkacompat[spark]'` and Java."""


def _with_session(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_SESSION):
        function = option(function)
    return function


@spark.command()
@click.option("-b", "--bootstrap-servers", metavar="HOST:PORT,...", help="Archive topics of this cluster.")
@click.option(
    "--log-dir", "log_dirs", metavar="DIR", multiple=True,
    help="Archive topics from the log directories of one broker instead, up to their high watermarks. Repeatable.",
)  # fmt: skip
@click.option(
    "--topics",
    metavar="REGEX",
    default=".*",
    show_default=True,
    help="Topics whose whole names match.",
)
@click.option("--to", "path", metavar="PATH", required=True, help="The archive: a path or a URL that Spark knows.")
@click.option(
    "--until-time", metavar="TIME", help="Stop before the first record at or after this: 2026-05-01T14:29Z, or ms."
)
@click.option(
    "--until-offsets", metavar="JSON", help='Stop at these: {"orders": {"0": 23}}; other partitions go to their ends.'
)
@click.option(
    "--max-records", type=click.IntRange(1), default=10_000_000, show_default=True, help="Records of a batch, at most."
)
@click.option(
    "--isolation", type=click.Choice(("read_uncommitted", "read_committed")), default="read_uncommitted",
    show_default=True, help="Whether records of transactions that are open or were aborted are archived.",
)  # fmt: skip
@click.option("--allow-gaps", is_flag=True, help="Note offsets without a record, which are an error otherwise.")
@click.option("--allow-loss", is_flag=True, help="Go on behind records that were removed before they were archived.")
@_with_session
@verb
def archive(
    *, bootstrap_servers: str | None, log_dirs: tuple[str, ...], topics: str, path: str, until_time: str | None,
    until_offsets: str | None,
    max_records: int, isolation: str, allow_gaps: bool, allow_loss: bool, master: str | None, settings: tuple[str, ...],
) -> int:  # fmt: skip
    """Archive what is not archived yet, each record once, up to the ends that the partitions have now.

    Run it again and again, also after a failure or a kill: it goes on behind its last batch.
    """
    from kafkacompat.spark import ArchiveSpec, archive

    if (bootstrap_servers is None) == (not log_dirs):
        raise VerbError("give --bootstrap-servers or --log-dir, one of them", USAGE)
    spec = ArchiveSpec(
        path, bootstrap_servers, log_dirs, topics, None if until_time is None else _time_ms(until_time), max_records,
        isolation, allow_gaps, allow_loss, None if until_offsets is None else _offsets(until_offsets),
    )  # fmt: skip

    def progress(manifest: Manifest) -> None:
        say(f"batch {manifest.batch_id}: {counted(manifest.records, 'record')}")

    def run(session: SparkSession) -> int:
        sys.stdout.write(to_json(archive(session, spec, progress)._asdict()) + "\n")
        return 0

    return _run(run, master, settings, needs_connector=not log_dirs)


@spark.command("verify-archive")
@click.argument("path", metavar="PATH")
@_with_session
@verb
def verify_archive(*, path: str, master: str | None, settings: tuple[str, ...]) -> int:
    """Read an archive and compare it with its manifests. The status is 8 if something does not hold."""
    from kafkacompat.spark import verify_archive

    def run(session: SparkSession) -> int:
        verdict = verify_archive(session, path)
        sys.stdout.write(to_json({**verdict._asdict(), "is_sound": verdict.is_sound}) + "\n")
        for line in verdict.findings:
            say(f"kafkacompat: {line}")
        return 0 if verdict.is_sound else DIFFERENT

    return _run(run, master, settings, needs_connector=False)


def _time_ms(text: str) -> int:
    """ms, or ISO 8601; UTC unless it says otherwise."""
    if text.isdecimal():
        return int(text)
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise VerbError(f"--until-time: {text!r} is neither ms nor a time such as 2026-05-01T14:29Z", USAGE) from None
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def _offsets(text: str) -> dict[tuple[str, int], int]:
    """Offsets by topic and partition, as Spark's Kafka source takes them."""
    try:
        found = {(topic, int(key)): at for topic, each in json.loads(text).items() for key, at in each.items()}
    except (ValueError, AttributeError):
        found = {}
    if not found or not all(type(at) is int for at in found.values()):
        raise VerbError(f'--until-offsets: {text!r} is not offsets such as {{"orders": {{"0": 23}}}}', USAGE)
    return found


def _run(
    job: Callable[[SparkSession], int], master: str | None, settings: tuple[str, ...], *, needs_connector: bool
) -> int:
    """Run a job in a session, and say in a line what Spark says in hundreds."""
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    session = _session(master, settings, needs_connector=needs_connector)
    try:
        return job(session)
    except (PySparkException, Py4JJavaError) as error:
        told = getattr(error, "java_exception", None)
        lines = str(told.toString() if told is not None else error).strip().splitlines()
        raise VerbError(f"Spark: {lines[0][:500]}", REFUSED if "AccessControl" in lines[0] else 1) from None
    finally:
        session.stop()


def _session(master: str | None, settings: tuple[str, ...], *, needs_connector: bool) -> SparkSession:
    """Raises KafkaCompatError if there is no Java, or the connector cannot be fetched."""
    import pyspark
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    given = dict(SETTINGS)
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise VerbError(f"--conf {setting}: KEY=VALUE", USAGE)
        given[name] = value
    if master is not None or "spark.master" not in given:
        given["spark.master"] = master or "local[*]"
    if needs_connector and not {"spark.jars", "spark.jars.packages"} & given.keys():
        given["spark.jars.packages"] = f"{CONNECTOR}:{pyspark.__version__}"
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("kafkacompat")
    for name, value in given.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except (PySparkException, RuntimeError, OSError) as error:
        first = str(error).strip().splitlines()[0][:300]
        raise KafkaCompatError(
            f"Spark does not start: {first}. It needs Java 17 or newer (JAVA_HOME) and, for a broker, its Kafka "
            f"connector: --conf spark.jars=... names the files where {CONNECTOR} cannot be fetched"
        ) from None
    session.sparkContext.setLogLevel("ERROR")
    return session
