"""`kafkacompat spark audit`: whether logs, replicas, ledgers, clusters and archives hold what they promise."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from kafkacompat.cli.exits import DIFFERENT, USAGE, VerbError, say, verb
from kafkacompat.cli.rows import to_json
from kafkacompat.cli.spark.spark_cluster import check_one_source, cluster_of, properties_of, with_properties
from kafkacompat.cli.spark.spark_session import TOPICS, run_job, topic_names, with_session
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
    click.option("--html", "html_path", metavar="FILE", help="Write it as a page with pictures."),
)


@click.group()
def audit() -> None:
    """Look for damage with Spark. The status is 0 if there is none, 8 if there is, 1 if the audit could not run."""


def _with_files(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_FILES):
        function = option(function)
    return function


def _with_broker(function: Callable[..., Any]) -> Callable[..., Any]:
    """What is compared with a broker: the records that it serves, or those in its files."""
    function = click.option(
        "--log-dir", "log_dirs", metavar="DIR", multiple=True,
        help="Compare it with the log directories of one broker instead, up to their high watermarks. Repeatable.",
    )(function)  # fmt: skip
    return click.option("-b", "--bootstrap-servers", metavar="HOST:PORT,...", help="Compare it with this cluster.")(
        function
    )


@audit.command(short_help="Each log by itself.")
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

    return _run(
        lambda session: audit_log(session, log_dirs, topics=topics), master, settings, files,
        log_dirs=log_dirs, read=(log_dirs, topics),
    )  # fmt: skip


@audit.command(short_help="The same batches on all brokers.")
@click.option(
    "--log-dir", "log_dirs", metavar="DIR", multiple=True, required=True,
    help="A log directory of a broker. Give it once for each broker.",
)  # fmt: skip
@TOPICS
@_with_files
@with_session
@verb
def replicas(
    *, log_dirs: tuple[str, ...], topics: str, master: str | None, settings: tuple[str, ...], **files: Any
) -> int:
    """Replicas of brokers: the same batches up to the lowest high watermark."""
    from kafkacompat.spark import audit_replicas

    return _run(
        lambda session: audit_replicas(session, log_dirs, topics=topics), master, settings, files, log_dirs=log_dirs
    )


@audit.command(short_help="Acknowledged writes are there.")
@click.option("--ledger", metavar="PATH", required=True, help="Parquet or JSON Lines, as `spark load` writes it.")
@_with_broker
@with_properties
@_with_files
@with_session
@verb
def ledger(
    *, ledger: str, bootstrap_servers: str | None, log_dirs: tuple[str, ...], command_config: str | None,
    command_properties: tuple[str, ...], master: str | None, settings: tuple[str, ...], **files: Any,
) -> int:  # fmt: skip
    """Acknowledged writes: each is there once, in order, at its offset."""
    from kafkacompat.spark import audit_ledger

    servers, properties = cluster_of(bootstrap_servers, command_config, command_properties)
    check_one_source(servers, log_dirs)
    return _run(
        lambda session: audit_ledger(
            session, ledger, bootstrap_servers=servers, log_dirs=log_dirs, properties=properties
        ),
        master, settings, files, log_dirs=log_dirs, needs_connector=not log_dirs,
    )  # fmt: skip


@audit.command()
@click.option("--a", metavar="HOST:PORT,...", required=True, help="Bootstrap servers of the first cluster.")
@click.option("--b", metavar="HOST:PORT,...", required=True, help="Those of the second one.")
@click.option("--a-config", metavar="FILE", help="A client's properties for the first: security.protocol, sasl.*, ...")
@click.option("--b-config", metavar="FILE", help="Those for the second one.")
@click.option(
    "--topics", metavar="REGEX", default=".*", show_default=True,
    help="Topics whose whole names match. Spark matches them, by the rules of Java.",
)  # fmt: skip
@click.option(
    "--align", type=click.Choice(("offset", "order", "key")), default="offset", show_default=True,
    help="Which records belong together: by offset, by their order in the partition, or by the order of their key.",
)  # fmt: skip
@click.option("--ignore", type=click.Choice(("timestamp",)), multiple=True, help="What need not be the same.")
@_with_files
@with_session
@verb
def clusters(
    *, a: str, b: str, a_config: str | None, b_config: str | None, topics: str, align: str,
    ignore: tuple[str, ...], master: str | None, settings: tuple[str, ...], **files: Any,
) -> int:  # fmt: skip
    """Two clusters: the same records."""
    from kafkacompat.spark import audit_clusters

    of_a = properties_of(a_config, option="--a-config")
    of_b = properties_of(b_config, option="--b-config")
    return _run(
        lambda session: audit_clusters(
            session, a, b, topics=topics, align=align, ignore=ignore, a_properties=of_a, b_properties=of_b
        ),
        master, settings, files, needs_connector=True,
    )  # fmt: skip


@audit.command(short_help="A broker has the records of an archive.")
@click.option("--archive", "path", metavar="PATH", required=True, help="The archive: a path or a URL that Spark knows.")
@_with_broker
@TOPICS
@click.option(
    "--topic-map", "renamed", metavar="NAME=OTHER", multiple=True, help="Another name at the broker. Repeatable."
)
@click.option(
    "--align", type=click.Choice(("offset", "order")), default="offset", show_default=True,
    help="Which records belong together: by offset, or by their order in the partition, as after a replay.",
)  # fmt: skip
@click.option("--ignore", type=click.Choice(("timestamp",)), multiple=True, help="What need not be the same.")
@with_properties
@_with_files
@with_session
@verb
def archive(
    *, path: str, bootstrap_servers: str | None, log_dirs: tuple[str, ...], topics: str, renamed: tuple[str, ...],
    align: str, ignore: tuple[str, ...], command_config: str | None, command_properties: tuple[str, ...],
    master: str | None, settings: tuple[str, ...], **files: Any,
) -> int:  # fmt: skip
    """An archive and a broker: the same records, as far as the broker still has them."""
    from kafkacompat.spark import audit_archive

    servers, properties = cluster_of(bootstrap_servers, command_config, command_properties)
    check_one_source(servers, log_dirs)
    names = topic_names(renamed)
    return _run(
        lambda session: audit_archive(
            session, path, bootstrap_servers=servers, log_dirs=log_dirs, topics=topics, topic_map=names, align=align,
            ignore=ignore, properties=properties,
        ),
        master, settings, files, log_dirs=log_dirs, needs_connector=not log_dirs,
    )  # fmt: skip


def _run(
    job: Callable[[SparkSession], AuditReport], master: str | None, settings: tuple[str, ...], files: dict[str, Any],
    *, log_dirs: tuple[str, ...] = (), needs_connector: bool = False, read: tuple[tuple[str, ...], str] = ((), ".*"),
) -> int:  # fmt: skip
    """`read`: the log directories and topics whose keys the page shows. Raises VerbError, before the audit runs if its
    verdict could not be written.
    """
    for path in filter(None, files.values()):
        if not Path(path).absolute().parent.is_dir() or Path(path).is_dir():
            raise VerbError(f"{path} cannot be written: give a file in a directory that exists", USAGE)

    def run(session: SparkSession) -> int:
        from kafkacompat.spark import audit_page

        report = job(session)
        html_path = files.pop("html_path")
        _write(report, **files)
        if html_path is not None:  # last: a page that cannot be made costs no verdict
            _to_file(html_path, audit_page(session, report, read[0], topics=read[1]))
        return 0 if report.is_clean else DIFFERENT

    return run_job(run, master, settings, needs_connector=needs_connector, log_dirs=log_dirs)


def _write(report: AuditReport, json_path: str | None, junit_path: str | None) -> None:
    """The verdict to stdout and to files, the findings to stderr."""
    from kafkacompat.spark.audit.audit_output import as_json, as_junit

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
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise VerbError(f"{path}: {error.strerror or error}") from None
