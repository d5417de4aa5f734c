"""`kafkacompat topic`: list, create, describe, alter, delete and trim topics of any Kafka."""

from __future__ import annotations

import click

from kafkacompat.cli.connected import complete_topics, connected
from kafkacompat.cli.exits import EXISTS, NOT_FOUND, VerbError, say, say_error, status_of
from kafkacompat.cli.rows import formatted, print_rows
from kafkacompat.protocol.constants import BROKER_DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kafkacompat.client.client import Client
    from kafkacompat.client.errors import BrokerError
    from kafkacompat.client.topic_admin import ConfigValue, Topic


@click.group()
def topic() -> None:
    """List, create, describe, alter, delete and trim topics."""


def _names(function: click.decorators.FC) -> click.decorators.FC:
    return click.argument("names", metavar="TOPIC...", nargs=-1, required=True, shell_complete=complete_topics)(
        function
    )


_config = click.option("-c", "--config", "configs", metavar="KEY=VALUE", multiple=True, help="A config. Repeatable.")


@topic.command("list")
@click.option("-i", "--internal", "with_internal", is_flag=True, help="Internal topics as well.")
@formatted
@connected
def list_(client: Client, *, with_internal: bool, words: str) -> None:
    """List topics with their numbers of partitions and replicas."""
    from kafkacompat.client.topic_admin import list_topics

    rows = [
        {"name": found.name, "partitions": len(found.partitions), "replicas": _replicas(found)}
        for found in list_topics(client)
        if with_internal or not found.is_internal
    ]
    print_rows(rows, ("name", "partitions", "replicas"), words)


def _replicas(found: Topic) -> int:
    return max((len(each.replicas) for each in found.partitions), default=0)


@topic.command()
@_names
@click.option("-p", "--partitions", type=click.IntRange(1), help="Partitions of each. [default: the broker's]")
@click.option("-r", "--replicas", type=click.IntRange(1, 32_767), help="Replicas of each. [default: the broker's]")
@_config
@click.option("--if-not-exists", is_flag=True, help="Topics that exist are fine.")
@click.option("--dry-run", is_flag=True, help="Let the broker check the request, and create nothing.")
@connected
def create(
    client: Client, *, names: Sequence[str], partitions: int | None, replicas: int | None, configs: Sequence[str],
    if_not_exists: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Create topics, and wait until each partition has a leader."""
    from kafkacompat.client.topic_admin import NewTopic, create_topics, wait_for_leaders

    new = NewTopic(partitions or BROKER_DEFAULT, replicas or BROKER_DEFAULT, pairs_of(configs))
    results = create_topics(client, dict.fromkeys(names, new), validate_only=dry_run)
    created = [name for name in names if results.get(name) is None]
    if created and not dry_run:
        wait_for_leaders(client, created)
    return _report(results, "can be created" if dry_run else "created", EXISTS if if_not_exists else None)


@topic.command()
@_names
@click.option("--if-exists", is_flag=True, help="Topics that do not exist are fine.")
@connected
def delete(client: Client, *, names: Sequence[str], if_exists: bool) -> int:
    """Delete topics with all their records."""
    from kafkacompat.client.topic_admin import delete_topics

    return _report(delete_topics(client, list(names)), "deleted", NOT_FOUND if if_exists else None)


def _report(results: Mapping[str, BrokerError | None], done: str, fine: int | None) -> int:
    """Say what was done and what was refused; the status of the first refusal. `fine` is a status that is none."""
    status = 0
    for name, error in results.items():
        if error is None:
            say(f"topic {name} {done}")
        elif status_of(error) != fine:
            say_error(error)
            status = status or status_of(error)
    return status


@topic.command()
@_names
@click.option("--configs", "with_configs", is_flag=True, help="All configs in place of partitions.")
@formatted
@connected
def describe(client: Client, *, names: Sequence[str], with_configs: bool, words: str) -> None:
    """Describe topics: partitions with leader, replicas and offsets. As JSON with the configs that were set."""
    from kafkacompat.client.topic_admin import describe_configs, describe_topics

    if with_configs:
        found = describe_configs(client, names)
        rows = [
            {"topic": name, "name": config.name, "value": config.value, "source": config.source}
            for name in names
            for config in found[name]
        ]
        shown = ("name", "value", "source")
        print_rows(rows, shown if len(names) == 1 else ("topic", *shown), words)
        return
    topics = describe_topics(client, names)
    partitions = _partitions(client, topics)
    if words == "json":
        configs = describe_configs(client, names)
        print_rows([_whole(each, partitions[each.name], configs[each.name]) for each in topics], (), words)
        return
    columns = ("partition", "leader", "epoch", "replicas", "isr", "log_start", "end")
    whole_rows = [{"topic": name, **row} for name in names for row in partitions[name]]
    print_rows(whole_rows, columns if len(names) == 1 else ("topic", *columns), words)


def _partitions(client: Client, topics: Sequence[Topic]) -> dict[str, list[dict[str, object]]]:
    from kafkacompat.client.partition_offsets import EARLIEST, LATEST, list_offsets

    led = [(each.name, one.partition) for each in topics for one in each.partitions if one.leader >= 0]
    starts = list_offsets(client, dict.fromkeys(led, EARLIEST))
    ends = list_offsets(client, dict.fromkeys(led, LATEST))
    return {
        each.name: [
            {
                "partition": one.partition, "leader": one.leader if one.leader >= 0 else None,
                "epoch": one.leader_epoch, "replicas": one.replicas, "isr": one.isr, "offline": one.offline,
                "log_start": starts[each.name, one.partition].offset if one.leader >= 0 else None,
                "end": ends[each.name, one.partition].offset if one.leader >= 0 else None,
            }
            for one in each.partitions
        ]
        for each in topics
    }  # fmt: skip


def _whole(found: Topic, partitions: list[dict[str, object]], configs: Sequence[ConfigValue]) -> dict[str, object]:
    set_here = {config.name: config.value for config in configs if config.source == "topic"}
    return {
        "name": found.name, "topic_id": found.topic_id, "is_internal": found.is_internal, "configs": set_here,
        "partitions": partitions,
    }  # fmt: skip


@topic.command()
@_names
@_config
@click.option("-d", "--delete-config", "deleted", metavar="KEY", multiple=True, help="Back to the default. Repeatable.")
@click.option("-p", "--partitions", type=click.IntRange(1), help="So many partitions, more than now.")
@connected
def alter(
    client: Client, *, names: Sequence[str], configs: Sequence[str], deleted: Sequence[str], partitions: int | None
) -> int:
    """Alter configs of topics, or their number of partitions. Keys may go to other partitions then."""
    from kafkacompat.client.topic_admin import alter_configs, create_partitions

    changes: dict[str, str | None] = dict(pairs_of(configs))
    changes |= dict.fromkeys(deleted)
    if not changes and partitions is None:
        raise VerbError("nothing to alter: give --config, --delete-config or --partitions", 2)
    status = _report(alter_configs(client, dict.fromkeys(names, changes)), "altered", None) if changes else 0
    if partitions is not None:
        results = create_partitions(client, dict.fromkeys(names, partitions))
        status = _report(results, f"has {partitions} partitions", None) or status
    return status


@topic.command()
@click.argument("name", metavar="TOPIC", shell_complete=complete_topics)
@click.option("-p", "--partition", "partitions", type=click.IntRange(0), multiple=True, help="Only there. Repeatable.")
@click.option(
    "-o", "--offset", "before", metavar="OFFSET|@TIME|end", required=True,
    help="Delete the records before this offset, before the first record of this time, or all.",
)  # fmt: skip
@formatted
@connected
def trim(client: Client, *, name: str, partitions: Sequence[int], before: str, words: str) -> None:
    """Delete old records of a topic."""
    from kafkacompat.cli.positions import Position
    from kafkacompat.client.partition_offsets import delete_records

    places = [(name, number) for number in partitions or client.partitions(name)]
    starts = delete_records(client, Position(before).resolve(client, places))
    rows = [{"partition": partition, "log_start": start} for (_, partition), start in sorted(starts.items())]
    print_rows(rows, ("partition", "log_start"), words)


def pairs_of(configs: Sequence[str]) -> dict[str, str]:
    """KEY=VALUE texts as a dict. Raises VerbError."""
    pairs = {}
    for text in configs:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise VerbError(f"{text!r} is no config: write KEY=VALUE", 2)
        pairs[key] = value
    return pairs
