"""The verbs and their flags."""

from __future__ import annotations

import math
import sys

import click

from kafkacompat import __version__
from kafkacompat.cli.lazy import VERBS, LazyGroup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _not_empty(_context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
    """Refuse an empty value, as an unset shell variable leaves it: it would mean another directory or address."""
    if "" in (value if isinstance(value, tuple) else (value,)):
        raise click.BadParameter("it is empty: give a value, or leave the flag out")
    return value


def _number(_context: click.Context, _parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and math.isnan(value):
        raise click.BadParameter("it is not a number")
    return value


@click.group(cls=LazyGroup, places=VERBS)
@click.version_option(__version__, message="%(prog)s %(version)s")
def root() -> None:
    """A Kafka-compatible broker. Without a command it serves, as `kafkacompat serve` does."""


@root.command()
@click.option("--brokers", type=click.IntRange(1, 99), help="Number of brokers, each in its own process. [default: 1]")
@click.option(
    "--controllers", type=click.IntRange(0, 9),
    help="Number of dedicated controllers, each in its own process. [default: brokers are the controllers]",
)  # fmt: skip
@click.option("--host", metavar="HOST", callback=_not_empty, help="Listen here. [default: localhost, on IPv4 and IPv6]")
@click.option(
    "--port", type=click.IntRange(0, 65_535),
    help="Listen at this port, the second broker at the next, and so on; 0 picks free ones. "
    "[default: 9092; with --brokers those of the last time, at first free ones]",
)  # fmt: skip
@click.option(
    "--advertised-host", metavar="HOST", callback=_not_empty,
    help="The host that clients connect to. [default: --host]",
)  # fmt: skip
@click.option(
    "--data-dir", metavar="DIR", type=click.Path(file_okay=False), callback=_not_empty,
    help="Keep data here. [default: a temporary directory, removed at the end]",
)  # fmt: skip
@click.option(
    "--cluster-id", metavar="ID", callback=_not_empty,
    help="The cluster id; a data directory with another one is refused. [default: that of the data]",
)  # fmt: skip
@click.option(
    "--rack", "racks", metavar="NAME", multiple=True, callback=_not_empty,
    help="Racks of the brokers, in turn. Repeatable.",
)  # fmt: skip
@click.option("--partitions", type=click.IntRange(1), help="Default partition count of new topics. [default: 1]")
@click.option("--auto-create-topics/--no-auto-create-topics", default=None, help="Create topics on use. [default: yes]")
@click.option(
    "--state-file", metavar="FILE", type=click.Path(dir_okay=False), callback=_not_empty,
    help="Write addresses, ids, pids and directories here, as JSON, when ready; removed at a clean stop.",
)  # fmt: skip
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="info", show_default=True,
    help="What to log on stderr.",
)  # fmt: skip
@click.option(
    "--seed", type=click.Path(dir_okay=False), metavar="FILE",
    help="Topics and records to begin with: JSON Lines, JSON or YAML. Existing topics are left as they are.",
)  # fmt: skip
@click.option(
    "--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="How to write log lines: for people, or an object of JSON in each line.",
)  # fmt: skip
@click.option(
    "--control", metavar="HOST:PORT", callback=_not_empty,
    help="Serve the control API, health and metrics here; port 0 picks a free one. Other hosts than this computer need "
    "KAFKACOMPAT_CONTROL_TOKEN. [default: 127.0.0.1:9644, or a free port if that is taken]",
)  # fmt: skip
@click.option("--no-control", is_flag=True, help="Serve no control API.")
@click.option(
    "--allow-faults", is_flag=True,
    help="Let the control API change a broker with a --data-dir, too: faults, reset, topics.",
)  # fmt: skip
@click.option(
    "--config", "configs", metavar="KEY=VALUE", multiple=True, help="A broker setting of Kafka's. Repeatable."
)
@click.option(
    "--properties", metavar="FILE", type=click.Path(dir_okay=False), callback=_not_empty,
    help="A server.properties file; with process.roles it describes one node of a cluster, as for Kafka.",
)  # fmt: skip
@click.option(
    "--from-env", is_flag=True,
    help="Read KAFKA_* variables too, as Kafka's container image does: KAFKA_LOG_DIRS is log.dirs; CLUSTER_ID as well. "
    "They take precedence over --properties, and --config over them.",
)  # fmt: skip
@click.option(
    "--stop-timeout", "stop_timeout_s", metavar="SECONDS", type=click.FloatRange(0.1), callback=_number,
    help="With --brokers: kill a node whose stop makes no progress for so long. [default: 300; without --data-dir 10]",
)  # fmt: skip
@click.option(
    "--read-only", is_flag=True,
    help="Serve a --data-dir without a write to it, not even a lock file: changes stay in memory and writes of clients "
    "are refused.",
)  # fmt: skip
@click.option("--never-sync", is_flag=True, help="Never sync to disk: data survives kill -9, but no loss of power.")
@click.option("--stop-with-stdin", is_flag=True, help="Stop when standard input ends, for programs that start it.")
@click.option("--addresses-by-peer", is_flag=True, hidden=True)  # for the nodes of `serve --brokers` in a container
@click.option("--restored", is_flag=True, hidden=True)  # for the nodes of `Cluster.restore`
def serve(**given: Any) -> None:
    """Run a broker, or a cluster, until Ctrl-C or SIGTERM; a second Ctrl-C ends it at once."""
    from kafkacompat.cli.options import ServeOptions

    options = ServeOptions(**given)
    if options.is_for_a_cluster():
        from kafkacompat.cli.serve_cluster import run
    else:
        from kafkacompat.cli.serve import run

    sys.exit(run(options))


@root.command("format")
@click.option(
    "--properties", metavar="FILE", type=click.Path(dir_okay=False), required=True,
    help="The server.properties file of the node.",
)  # fmt: skip
@click.option(
    "--cluster-id", metavar="ID", callback=_not_empty, help="The id of the node's cluster. [default: a new one]"
)
@click.option("--standalone", is_flag=True, help="This controller is the only voter at first.")
@click.option(
    "--initial-controllers", metavar="ID@HOST:PORT:DIRECTORY-ID,...", help="The first voters, the same list on each."
)
@click.option("--no-initial-controllers", "no_initial", is_flag=True, help="Others vote; this controller joins later.")
def format_(**given: Any) -> None:
    """Format the new data directory of a node of a cluster, as Kafka's kafka-storage.sh does."""
    from kafkacompat.cli.format import run
    from kafkacompat.errors import KafkaCompatError

    try:
        click.echo(run(**given))
    except KafkaCompatError as error:
        raise click.ClickException(str(error)) from None


@root.command("random-uuid")
def random_uuid() -> None:
    """Print a new id for a cluster or a directory."""
    from kafkacompat.cli.format import random_id

    click.echo(random_id())


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


@root.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def compat(arguments: tuple[str, ...]) -> None:
    """Run the compatibility suite on any broker; `kafkacompat compat --help` says how."""
    from kafkacompat.cli.compat import run
    from kafkacompat.errors import KafkaCompatError

    try:
        sys.exit(run(arguments))
    except KafkaCompatError as error:
        raise click.ClickException(str(error)) from None
