"""`kafkacompat spark`: jobs on Spark, in this process or on a cluster (`--master`)."""

from __future__ import annotations

import sys

import click

from kafkacompat.cli.exits import DIFFERENT, say, verb
from kafkacompat.cli.lazy import LazyGroup
from kafkacompat.cli.rows import to_json
from kafkacompat.cli.spark.spark_cluster import check_one_source, cluster_of, with_properties
from kafkacompat.cli.spark.spark_session import TOPICS, point_in_time, run_job, with_session
from kafkacompat.client.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkacompat.spark.archives.archive_manifests import Manifest

HERE = "kafkacompat.cli.spark."
PLACES = {
    "audit": (HERE + "spark_audit", "audit", "Look for damage in logs, replicas, ledgers and clusters."),
    "capture": (HERE + "spark_capture", "capture", "Write a slice of topics into a fixture for tests."),
    "load": (HERE + "spark_load", "load", "Write at a rate, and keep a ledger of what was acknowledged."),
    "import": (HERE + "spark_import", "import_", "Write the data directory of a new broker from an archive."),
    "replay": (HERE + "spark_replay", "replay", "Write the records of an archive into any Kafka."),
}
"""The verbs in modules of their own: where each of them is, and its line of help."""


@click.group(cls=LazyGroup, places=PLACES)
def spark() -> None:
    """Archive, capture, replay and audit topics with Spark. Needs `pip install 'kafkacompat[spark]'` and Java.

    While a job runs, Spark's progress is on the terminal; the report is a JSON object on stdout.
    """


@spark.command(short_help="Archive topics in Parquet, each record once.")
@click.option("-b", "--bootstrap-servers", metavar="HOST:PORT,...", help="Archive topics of this cluster.")
@click.option(
    "--log-dir", "log_dirs", metavar="DIR", multiple=True,
    help="Archive topics from the log directories of one broker instead, up to their high watermarks. Repeatable.",
)  # fmt: skip
@TOPICS
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
@with_properties
@with_session
@verb
def archive(
    *, bootstrap_servers: str | None, log_dirs: tuple[str, ...], topics: str, path: str, until_time: str | None,
    until_offsets: str | None, max_records: int, isolation: str, allow_gaps: bool, allow_loss: bool,
    command_config: str | None, command_properties: tuple[str, ...], master: str | None, settings: tuple[str, ...],
) -> int:  # fmt: skip
    """Archive what is not archived yet, each record once, up to the ends that the partitions have now.

    Run it again and again, also after a failure or a kill: it goes on behind its last batch.
    """
    from kafkacompat.spark import ArchiveSpec, archive
    from kafkacompat.spark.archives.archive_spec import check_archive

    bootstrap_servers, properties = cluster_of(bootstrap_servers, command_config, command_properties)
    check_one_source(bootstrap_servers, log_dirs)
    until_ms, offsets = point_in_time(until_time, until_offsets)
    spec = ArchiveSpec(
        path, bootstrap_servers, log_dirs, topics,
        until_ms, max_records, isolation, allow_gaps, allow_loss, offsets, properties,
    )  # fmt: skip

    check_archive(spec)

    def progress(manifest: Manifest) -> None:
        say(f"batch {manifest.batch_id}: {counted(manifest.records, 'record')}")

    def run(session: SparkSession) -> int:
        sys.stdout.write(to_json(archive(session, spec, progress)._asdict()) + "\n")
        return 0

    return run_job(run, master, settings, needs_connector=not log_dirs, log_dirs=log_dirs)


@spark.command("verify-archive", short_help="Compare an archive with its manifests.")
@click.argument("path", metavar="PATH")
@with_session
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

    return run_job(run, master, settings, needs_connector=False)
