"""`kafkacompat spark replay`: the records of an archive are written into any Kafka."""

from __future__ import annotations

import sys

import click

from kafkacompat.cli.exits import say, verb
from kafkacompat.cli.rows import to_json
from kafkacompat.cli.spark.spark_cluster import cluster_of, needed, with_properties
from kafkacompat.cli.spark.spark_session import TOPICS, point_in_time, run_job, topic_names, with_session
from kafkacompat.protocol.records.compression import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@click.command()
@click.option("--from", "path", metavar="PATH", required=True, help="The archive: a path or a URL that Spark knows.")
@click.option("-b", "--bootstrap-servers", metavar="HOST:PORT,...", help="The cluster to write into.")
@TOPICS
@click.option(
    "--topic-map", "renamed", metavar="NAME=OTHER", multiple=True, help="Another name at the target. Repeatable."
)
@click.option("--until-time", metavar="TIME", help="Up to each partition's first record at or after this, or ms.")
@click.option(
    "--until-offsets", metavar="JSON", help='Up to these: {"orders": {"0": 23}}; other partitions as a whole.'
)
@click.option(
    "--speed",
    metavar="max|realtime|10x",
    default="max",
    show_default=True,
    help="How fast records follow on each other.",
)
@click.option("--resume", metavar="ID", help="Go on with a replay that was ended, without writing a record twice.")
@click.option("--allow-expired", is_flag=True, help="Write into topics that remove records by retention or compaction.")
@click.option("--compression", type=click.Choice(NAMES), default="none", show_default=True, help="Of record batches.")
@click.option(
    "--transactional", is_flag=True,
    help="Write in transactions: exactly once whoever else writes, but markers take offsets.",
)  # fmt: skip
@with_properties
@with_session
@verb
def replay(
    *, path: str, bootstrap_servers: str | None, topics: str, renamed: tuple[str, ...], until_time: str | None,
    until_offsets: str | None, speed: str, resume: str | None, allow_expired: bool, compression: str,
    transactional: bool, command_config: str | None, command_properties: tuple[str, ...],
    master: str | None, settings: tuple[str, ...],
) -> int:  # fmt: skip
    """Write the records of an archive into any Kafka, with partition, order, timestamp, key, value and headers.

    Without --transactional nobody else may write into these topics meanwhile.
    """
    from kafkacompat.spark import ReplaySpec, replay
    from kafkacompat.spark.restore.replay_spec import check_replay

    bootstrap_servers, properties = cluster_of(bootstrap_servers, command_config, command_properties)
    until_ms, offsets = point_in_time(until_time, until_offsets)
    spec = ReplaySpec(
        path, needed(bootstrap_servers), topics, topic_names(renamed), until_ms, offsets, speed, resume, allow_expired,
        compression, transactional, properties,
    )  # fmt: skip

    check_replay(spec)

    def begun(replay_id: str) -> None:
        say(f"replay {replay_id}: if it is ended, go on with --resume {replay_id}")

    def run(session: SparkSession) -> int:
        report = replay(session, spec, begun)
        for note in report.notes:
            say(note)
        sys.stdout.write(to_json(report._asdict()) + "\n")
        return 0

    return run_job(run, master, settings, needs_connector=False)
