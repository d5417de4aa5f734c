"""The verbs and their flags."""

from __future__ import annotations

import sys

import click

from kafkacompat import __version__


@click.group()
@click.version_option(__version__, message="%(prog)s %(version)s")
def root() -> None:
    """A Kafka-compatible broker. Without a command it serves, as `kafkacompat serve` does."""


@root.command()
@click.option("--host", metavar="HOST", help="Listen here. [default: localhost, on IPv4 and IPv6]")
@click.option("--port", type=click.IntRange(0, 65_535), help="Listen at this port; 0 picks a free one. [default: 9092]")
@click.option("--advertised-host", metavar="HOST", help="What clients are told to connect to. [default: --host]")
@click.option(
    "--data-dir", metavar="DIR", type=click.Path(file_okay=False),
    help="Keep data here. [default: a temporary directory, removed at the end]",
)  # fmt: skip
@click.option("--partitions", type=click.IntRange(1), help="Partitions of a new topic unless it says. [default: 1]")
@click.option("--auto-create-topics/--no-auto-create-topics", default=None, help="Create topics on use. [default: yes]")
@click.option(
    "--state-file", metavar="FILE", type=click.Path(dir_okay=False),
    help="Write addresses, ids and directories here, as JSON, when clients can work; removed at a clean stop.",
)  # fmt: skip
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="info", show_default=True,
    help="How much to say on stderr.",
)  # fmt: skip
@click.option(
    "--config", "configs", metavar="KEY=VALUE", multiple=True, help="A broker setting of Kafka's. Repeatable."
)
@click.option("--properties", metavar="FILE", type=click.Path(dir_okay=False), help="A server.properties file.")
def serve(
    *,
    host: str | None,
    port: int | None,
    advertised_host: str | None,
    data_dir: str | None,
    partitions: int | None,
    auto_create_topics: bool | None,
    state_file: str | None,
    log_level: str,
    configs: tuple[str, ...],
    properties: str | None,
) -> None:
    """Run a broker until Ctrl-C or SIGTERM; a second Ctrl-C ends it at once."""
    from kafkacompat.cli.serve import ServeOptions, run

    options = ServeOptions(
        host=host, port=port, advertised_host=advertised_host, data_dir=data_dir, partitions=partitions,
        auto_create_topics=auto_create_topics, state_file=state_file, log_level=log_level, configs=configs,
        properties=properties,
    )  # fmt: skip
    sys.exit(run(options))


@root.command()
@click.option("--flights", metavar="N", type=click.IntRange(100), help="Only the first N flights. [default: 336,776]")
@click.option("--bootstrap-servers", metavar="HOST:PORT", help="Use the Kafka there. [default: start a broker]")
@click.option("--no-spark", is_flag=True, help="Leave Spark out, even where Java is.")
@click.option("--keep", is_flag=True, help="Leave the broker up at the end, until Ctrl-C.")
def demo(*, flights: int | None, bootstrap_servers: str | None, no_spark: bool, keep: bool) -> None:
    """Write 336,776 real flights, read them back with clients and Spark, and compare every record."""
    from kafkacompat.demo.run import run
    from kafkacompat.demo.work import Options

    sys.exit(run(Options(flights, bootstrap_servers, with_spark=not no_spark, keep=keep), sys.stdout))
