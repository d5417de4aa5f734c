"""`kafkacompat spark load`: writes at a rate, with a ledger for `audit ledger`."""

from __future__ import annotations

import sys

import click

from kafkacompat.cli.durations import duration_ms
from kafkacompat.cli.exits import EXPIRED, verb
from kafkacompat.cli.rows import to_json
from kafkacompat.cli.spark.spark_cluster import cluster_of, needed, with_properties
from kafkacompat.cli.spark.spark_session import run_job, with_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MS_PER_SECOND = 1000


@click.command()
@click.option("-b", "--bootstrap-servers", metavar="HOST:PORT,...", help="The cluster.")
@click.option("--topic", metavar="NAME", required=True, help="A topic that exists.")
@click.option("--rate", type=click.FloatRange(0.1), default=1000.0, show_default=True, help="Records a second in all.")
@click.option(
    "--duration", "time_ms", metavar="TIME", type=duration_ms, default="10s", show_default=True, help="How long."
)
@click.option("--producers", type=click.IntRange(1), default=2, show_default=True, help="Each needs a core of Spark.")
@click.option("--value-bytes", type=click.IntRange(1), default=100, show_default=True, help="Bytes of a value.")
@click.option("--ledger", metavar="DIR", required=True, help="A folder, new or empty, that all of Spark's tasks see.")
@with_properties
@with_session
@verb
def load(
    *, bootstrap_servers: str | None, topic: str, rate: float, time_ms: int, producers: int, value_bytes: int,
    ledger: str, command_config: str | None, command_properties: tuple[str, ...], master: str | None,
    settings: tuple[str, ...],
) -> int:  # fmt: skip
    """Write at a rate, and keep a ledger of what was acknowledged.

    The status is 5 if some writes were not answered in time; the ledger says which.
    """
    from kafkacompat.spark import load

    servers, properties = cluster_of(bootstrap_servers, command_config, command_properties)
    servers = needed(servers)

    def run(session: SparkSession) -> int:
        report = load(
            session, servers, topic, ledger, rate=rate, duration_s=time_ms / MS_PER_SECOND,
            producers=producers, value_bytes=value_bytes, properties=properties,
        )  # fmt: skip
        sys.stdout.write(to_json(report._asdict()) + "\n")
        return EXPIRED if report.unknown else 0

    return run_job(run, master, settings, needs_connector=False)
