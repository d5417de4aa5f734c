"""The Spark session of `kafkacompat spark`, in this process or on a cluster (`--master`), and what its verbs share."""

from __future__ import annotations

import json
import os
import re
import sys
from datetime import UTC, datetime

import click

from kafkacompat.cli.exits import REFUSED, USAGE, VerbError
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pyspark.sql import SparkSession

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13"
SETTINGS = {"spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC"}
CONSOLE_PROGRESS = "spark.ui.showConsoleProgress"
"""Spark's ConsoleProgressBar writes to stderr what its listener (AppStatusListener) knows of stages and tasks."""
CAUSES_MAX, LINE_MAX = 20, 500
"""Of what Spark says: exceptions that caused each other, and characters of a line."""
_SESSION = (
    click.option(
        "--master", metavar="URL", help="Spark's master, as for spark-submit. [default: that of --conf, or local[*]]"
    ),
    click.option(
        "--conf", "settings", metavar="KEY=VALUE", multiple=True, help="A setting of the Spark session. Repeatable."
    ),
)


def _pattern(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """Raises click.BadParameter before a session is started."""
    try:
        re.compile(text)
    except re.error as error:
        raise click.BadParameter(f"{text!r} is no regular expression: {error}") from None
    return text


TOPICS = click.option(
    "--topics", metavar="REGEX", default=".*", show_default=True, callback=_pattern,
    help="Topics whose whole names match.",
)  # fmt: skip


def with_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the options of the session: `master` and `settings`."""
    for option in reversed(_SESSION):
        function = option(function)
    return function


def time_ms(text: str, option: str) -> int:
    """ms, or ISO 8601; UTC unless it says otherwise. Raises VerbError, which names the option."""
    if text.isdecimal():
        return int(text)
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise VerbError(f"{option}: {text!r} is neither ms nor a time such as 2026-05-01T14:29Z", USAGE) from None
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def point_in_time(
    until_time: str | None, until_offsets: str | None
) -> tuple[int | None, dict[tuple[str, int], int] | None]:
    """What --until-time and --until-offsets say, None each where it is not given. Raises VerbError."""
    return (
        None if until_time is None else time_ms(until_time, "--until-time"),
        None if until_offsets is None else offsets_of(until_offsets, "--until-offsets"),
    )


def offsets_of(text: str, option: str) -> dict[tuple[str, int], int]:
    """Offsets by topic and partition, as Spark's Kafka source takes them. Raises VerbError, which names the option."""
    try:
        found = {(topic, int(key)): at for topic, each in json.loads(text).items() for key, at in each.items()}
    except (ValueError, AttributeError):
        found = {}
    if not found or not all(type(at) is int for at in found.values()):
        raise VerbError(f'{option}: {text!r} is not offsets such as {{"orders": {{"0": 23}}}}', USAGE)
    return found


def topic_configs(given: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Configs by topic, of --topic-config. Raises VerbError."""
    found: dict[str, dict[str, str]] = {}
    for text in given:
        topic, colon, setting = text.partition(":")
        key, equals, value = setting.partition("=")
        if not (topic and colon and key and equals):
            raise VerbError(f"--topic-config {text}: TOPIC:KEY=VALUE, such as orders:retention.ms=-1", USAGE)
        found.setdefault(topic, {})[key] = value
    return found


def topic_names(given: tuple[str, ...]) -> dict[str, str]:
    """Other names by topic, of --topic-map. Raises VerbError."""
    found = {}
    for text in given:
        name, equals, other = text.partition("=")
        if not (name and equals and other):
            raise VerbError(f"--topic-map {text}: NAME=OTHER, such as orders=orders_ci", USAGE)
        found[name] = other
    return found


def run_job(
    job: Callable[[SparkSession], int], master: str | None, settings: tuple[str, ...], *, needs_connector: bool,
    log_dirs: tuple[str, ...] = (),
) -> int:  # fmt: skip
    """Run a job in a session, and say in a line what Spark says in hundreds. Returns the status. Raises VerbError, and
    before the session starts LogReadError if the job is to read `log_dirs` that are none.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    if log_dirs:
        from kafkacompat.spark.log.log_files import log_directories

        log_directories(log_dirs)
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    session = _session(master, settings, needs_connector=needs_connector)
    try:
        return job(session)
    except (PySparkException, Py4JJavaError) as error:
        told = told_of(error)
        raise VerbError(f"Spark: {told}", REFUSED if "AccessControl" in told else 1) from None
    finally:
        session.stop()


def told_of(error: Exception) -> str:
    """The first line of an exception of Spark's, and behind it what caused it: the last of its causes."""
    java: Any = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    first, *_ = str(error if java is None else java.toString()).strip().splitlines() or [type(error).__name__]
    cause = java
    for _ in range(CAUSES_MAX):
        if cause is None or cause.getCause() is None:
            break
        cause = cause.getCause()
    lines = "" if cause is None else str(cause.toString()).strip()
    reason = lines.splitlines()[-1 if "Traceback" in lines else 0] if lines else first
    return first[:LINE_MAX] if reason in first else f"{first[:LINE_MAX]}: {reason[:LINE_MAX]}"


def session_settings(master: str | None, settings: tuple[str, ...], *, is_terminal: bool) -> dict[str, str]:
    """What a session is made with. On a terminal Spark shows its stages and tasks, and in a file it does not, unless
    `--conf` says otherwise (pyspark alone has it show them everywhere); these settings come before those of
    spark-defaults.conf. Raises VerbError for a setting without a value.
    """
    given = SETTINGS | {CONSOLE_PROGRESS: "true" if is_terminal else "false"}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise VerbError(f"--conf {setting}: KEY=VALUE", USAGE)
        given[name] = value
    if master is not None or "spark.master" not in given:
        given["spark.master"] = master or "local[*]"
    return given


def _session(master: str | None, settings: tuple[str, ...], *, needs_connector: bool) -> SparkSession:
    """Raises KafkaCompatError if there is no Java, or the connector cannot be fetched."""
    import pyspark
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    given = session_settings(master, settings, is_terminal=sys.stderr.isatty())
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
