"""`kafkacompat spark import`: an archive becomes the data directory of a new lone broker."""

from __future__ import annotations

import sys

import click

from kafkacompat.cli.exits import USAGE, VerbError, say, verb
from kafkacompat.cli.rows import to_json
from kafkacompat.cli.spark.spark_session import TOPICS, point_in_time, run_job, topic_configs, with_session
from kafkacompat.protocol.records.compression import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@click.command("import")
@click.option("--from", "path", metavar="PATH", required=True, help="The archive: a path or a URL that Spark knows.")
@click.option(
    "--log-dir",
    metavar="DIR",
    required=True,
    help="A directory that is empty or missing, seen by all of Spark's tasks.",
)
@TOPICS
@click.option("--until-time", metavar="TIME", help="Without each partition's first record at or after this, and those "
              "behind it: 2026-05-01T14:29Z, or ms.")  # fmt: skip
@click.option(
    "--until-offsets", metavar="JSON", help='Up to these: {"orders": {"0": 23}}; other partitions as a whole.'
)
@click.option(
    "--partitions",
    metavar="TOPIC=N",
    multiple=True,
    help="How many a topic gets, if the archive knows fewer. Repeatable.",
)
@click.option(
    "--topic-config", "configs", metavar="TOPIC:KEY=VALUE", multiple=True,
    help="A config of a topic, in place of that of the archived one. Repeatable.",
)  # fmt: skip
@click.option("--node-id", type=click.IntRange(0), default=1, show_default=True, help="The node.id of the new broker.")
@click.option("--cluster-id", metavar="ID", help="Of the new cluster. [default: a random one]")
@click.option("--compression", type=click.Choice(NAMES), default="none", show_default=True, help="Of record batches.")
@click.option(
    "--chunk-offsets", type=click.IntRange(1), default=1_000_000, show_default=True,
    help="Offsets of a partition that one task writes.",
)  # fmt: skip
@with_session
@verb
def import_(
    *, path: str, log_dir: str, topics: str, until_time: str | None, until_offsets: str | None,
    partitions: tuple[str, ...], configs: tuple[str, ...], node_id: int, cluster_id: str | None, compression: str,
    chunk_offsets: int, master: str | None, settings: tuple[str, ...],
) -> int:  # fmt: skip
    """Write the data directory of a new lone broker, on which this one and Apache Kafka start."""
    from kafkacompat.spark import ImportSpec, import_archive
    from kafkacompat.spark.restore.import_spec import check_import

    until_ms, offsets = point_in_time(until_time, until_offsets)
    spec = ImportSpec(
        path, log_dir, topics, until_ms, offsets, _counts(partitions), topic_configs(configs), node_id, cluster_id,
        compression, chunk_offsets,
    )  # fmt: skip

    check_import(spec)

    def run(session: SparkSession) -> int:
        report = import_archive(session, spec)
        for note in report.notes:
            say(note)
        sys.stdout.write(to_json(report._asdict()) + "\n")
        return 0

    return run_job(run, master, settings, needs_connector=False)


def _counts(given: tuple[str, ...]) -> dict[str, int]:
    found = {}
    for text in given:
        topic, equals, count = text.partition("=")
        if not (topic and equals and count.isdecimal() and int(count)):
            raise VerbError(f"--partitions {text}: TOPIC=N, such as orders=6", USAGE)
        found[topic] = int(count)
    return found
