"""`kafkacompat spark audit`: whether logs, replicas, ledgers and clusters hold what they promise."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from kafkacompat.cli.exits import DIFFERENT, VerbError, say, verb
from kafkacompat.cli.rows import to_json
from kafkacompat.cli.spark_session import run_job, with_session
from kafkacompat.client.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pyspark.sql import SparkSession

    from kafkacompat.spark import AuditReport

MAX_SAID = 50
"""Findings that are said on stderr; the files have more."""
_FILES = (
    click.option("--json", "json_path", metavar="FILE", help="Write the verdict as JSON, too."),
    click.option("--junit", "junit_path", metavar="FILE", help="Write it as JUnit's XML."),
)
TOPICS = click.option(
    "--topics", metavar="REGEX", default=".*", show_default=True, help="Topics whose whole names match."
)


@click.group()
def audit() -> None:
    """Look for damage with Spark. The status is 0 if there is none, 8 if there is, 1 if the audit could not run."""


def _with_files(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_FILES):
        function = option(function)
    return function


@audit.command()
@click.option(
    "--log-dir", "log_dirs", metavar="DIR", multiple=True, required=True,
    help="A log directory, as in log.dirs of a broker, ours or Apache Kafka's. Repeatable.",
)  # fmt: skip
@TOPICS
@_with_files
@with_session
@verb
def log(*, log_dirs: tuple[str, ...], topics: str, master: str | None, settings: tuple[str, ...], **files: Any) -> int:
    """Each log by itself: checksums, offsets, epochs, indexes, sequences, transactions, checkpoints."""
    from kafkacompat.spark import audit_log

    return _run(lambda session: audit_log(session, log_dirs, topics=topics), master, settings, files)


def _run(
    job: Callable[[SparkSession], AuditReport], master: str | None, settings: tuple[str, ...], files: dict[str, Any],
    *, needs_connector: bool = False,
) -> int:  # fmt: skip
    def run(session: SparkSession) -> int:
        report = job(session)
        _write(report, **files)
        return 0 if report.is_clean else DIFFERENT

    return run_job(run, master, settings, needs_connector=needs_connector)


def _write(report: AuditReport, json_path: str | None, junit_path: str | None) -> None:
    """The verdict to stdout and to files, the findings to stderr."""
    from kafkacompat.spark.audit_output import as_json, as_junit

    plain = as_json(report)
    if json_path is not None:
        _to_file(json_path, json.dumps(plain, indent=1) + "\n")
    if junit_path is not None:
        _to_file(junit_path, as_junit(report))
    for finding in report.findings[:MAX_SAID]:
        say(f"kafkacompat: {finding}")
    count = sum(report.counts.values())
    if count > MAX_SAID:
        say(f"kafkacompat: {counted(count - MAX_SAID, 'finding')} more: --json FILE has {len(report.findings)}")
    sys.stdout.write(to_json({name: value for name, value in plain.items() if name != "findings"}) + "\n")


def _to_file(path: str, text: str) -> None:
    try:
        Path(path).write_text(text)
    except OSError as error:
        raise VerbError(f"{path}: {error.strerror or error}") from None
