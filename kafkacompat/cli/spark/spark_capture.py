"""`kafkacompat spark capture`: a slice of topics becomes a fixture file for tests."""

from __future__ import annotations

import sys

import click

from kafkacompat.cli.exits import USAGE, VerbError, say, verb
from kafkacompat.cli.rows import to_json
from kafkacompat.cli.spark.spark_cluster import cluster_of, with_properties
from kafkacompat.cli.spark.spark_session import TOPICS, offsets_of, run_job, time_ms, topic_configs, with_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@click.command()
@click.option("-b", "--bootstrap-servers", metavar="HOST:PORT,...", help="Capture topics of this cluster.")
@click.option(
    "--log-dir", "log_dirs", metavar="DIR", multiple=True,
    help="Capture from the log directories of one broker instead. Repeatable.",
)  # fmt: skip
@click.option("--from", "archive", metavar="PATH", help="Capture from an archive instead.")
@TOPICS
@click.option(
    "--from-time", metavar="TIME", help="From each partition's first record at or after this: 2026-05-01T10:00Z, or ms."
)
@click.option("--to-time", metavar="TIME", help="Up to each partition's first record at or after this.")
@click.option(
    "--from-offsets", metavar="JSON", help='From these on: {"orders": {"0": 23}}; they count more than times.'
)
@click.option("--to-offsets", metavar="JSON", help="Up to these.")
@click.option("--sample-keys", metavar="N/M", help="The records of this share of all keys, such as 1/100.")
@click.option(
    "--mask", metavar="FILE:FUNCTION", help="A function that gets each record and returns it changed, or None."
)
@click.option(
    "--topic-config",
    "configs",
    metavar="TOPIC:KEY=VALUE",
    multiple=True,
    help="A config of a topic, in place of its own. Repeatable.",
)
@click.option(
    "--isolation", type=click.Choice(("read_uncommitted", "read_committed")), default="read_uncommitted",
    show_default=True, help="Whether records of transactions that are open or were aborted are captured.",
)  # fmt: skip
@click.option(
    "--out", metavar="FILE", required=True, help="The fixture, such as orders.kcf; one that exists is replaced."
)
@with_properties
@with_session
@verb
def capture(
    *, bootstrap_servers: str | None, log_dirs: tuple[str, ...], archive: str | None, topics: str,
    from_time: str | None, to_time: str | None, from_offsets: str | None, to_offsets: str | None,
    sample_keys: str | None, mask: str | None, configs: tuple[str, ...], isolation: str, out: str,
    command_config: str | None, command_properties: tuple[str, ...], master: str | None, settings: tuple[str, ...],
) -> int:  # fmt: skip
    """Write a slice of topics into a file with which `Cluster(fixture=...)` starts.

    Partition, order, offset, timestamp and headers stay as they are.
    """
    from kafkacompat.spark import CaptureSpec, capture
    from kafkacompat.spark.fixture.capture_spec import checked_capture

    bootstrap_servers, properties = cluster_of(bootstrap_servers, command_config, command_properties)
    if [bootstrap_servers is None, not log_dirs, archive is None].count(False) != 1:
        raise VerbError("give --bootstrap-servers, --log-dir or --from, one of them", USAGE)
    spec = checked_capture(CaptureSpec(
        out, bootstrap_servers, log_dirs, archive, topics,
        None if from_time is None else time_ms(from_time, "--from-time"),
        None if to_time is None else time_ms(to_time, "--to-time"),
        {} if from_offsets is None else offsets_of(from_offsets, "--from-offsets"),
        {} if to_offsets is None else offsets_of(to_offsets, "--to-offsets"),
        sample_keys, mask, isolation, topic_configs(configs), properties,
    ))  # fmt: skip

    def run(session: SparkSession) -> int:
        report = capture(session, spec)
        for note in report.notes:
            say(note)
        sys.stdout.write(to_json(report._asdict()) + "\n")
        return 0

    return run_job(run, master, settings, needs_connector=bootstrap_servers is not None, log_dirs=log_dirs)
