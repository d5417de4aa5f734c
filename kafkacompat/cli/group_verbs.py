"""`kafkacompat group`: list, describe and delete groups, see their lag, and move their offsets."""

from __future__ import annotations

import click

from kafkacompat.cli.connected import complete_topics, connected
from kafkacompat.cli.exits import VerbError, say, say_error, status_of
from kafkacompat.cli.rows import formatted, print_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.client.client import Client, Place
    from kafkacompat.client.group_admin import Group

LAG_COLUMNS = ("topic", "partition", "committed", "end", "lag", "member")


@click.group()
def group() -> None:
    """List and describe groups, see their lag, move and delete their offsets."""


_one = click.argument("name", metavar="GROUP")


@group.command("list")
@formatted
@connected
def list_(client: Client, *, words: str) -> None:
    """List groups with their states."""
    from kafkacompat.client.group_admin import list_groups

    rows = [
        {"group": each.group, "state": each.state or None, "type": each.type or each.protocol_type or None,
         "coordinator": each.coordinator}
        for each in list_groups(client)
    ]  # fmt: skip
    print_rows(rows, ("group", "state", "type", "coordinator"), words)


@group.command()
@_one
@formatted
@connected
def describe(client: Client, *, name: str, words: str) -> None:
    """Describe the members of a group. As JSON with its state and its lag."""
    from kafkacompat.client.group_admin import describe_group

    found = describe_group(client, name)
    members = [
        {
            "member": each.member_id, "instance": each.instance_id, "client": each.client_id, "host": each.host,
            "partitions": None if each.assignment is None else [f"{topic}-{n}" for topic, n in each.assignment],
        }
        for each in found.members
    ]  # fmt: skip
    if words == "json":
        whole = {
            "group": found.group, "state": found.state, "type": found.type.lower(), "protocol": found.protocol,
            "coordinator": found.coordinator, "members": members, "offsets": _lag_rows(client, found),
        }  # fmt: skip
        print_rows([whole], (), words)
        return
    if words == "table":
        say(f"group {found.group}: {found.state}, {found.type.lower()}, coordinator {found.coordinator}")
    print_rows(members, ("member", "instance", "client", "host", "partitions"), words)


@group.command()
@_one
@click.option("--sum", "with_sum", is_flag=True, help="Only the sum.")
@formatted
@connected
def lag(client: Client, *, name: str, with_sum: bool, words: str) -> None:
    """See how far a group is behind, by partition. The lag is -, if nothing was committed."""
    from kafkacompat.client.group_admin import describe_group

    rows = _lag_rows(client, describe_group(client, name))
    if with_sum:
        total = sum(row["lag"] or 0 for row in rows)
        print_rows([{"lag": total, "group": name}], ("lag", "group"), words)
        return
    print_rows(rows, LAG_COLUMNS, words)


def _lag_rows(client: Client, found: Group) -> list[dict[str, Any]]:
    from kafkacompat.client.group_admin import committed_offsets
    from kafkacompat.client.partition_offsets import LATEST, list_offsets

    committed = committed_offsets(client, found.group)
    owners = {place: each.member_id for each in found.members for place in each.assignment or ()}
    places = sorted({*committed, *owners})
    there = {topic: set(_partitions(client, topic)) for topic in sorted({topic for topic, _ in places})}
    known = [place for place in places if place[1] in there[place[0]]]
    ends = list_offsets(client, dict.fromkeys(known, LATEST)) if known else {}
    rows = []
    for place in places:
        at = committed[place].offset if place in committed else None
        end = ends[place].offset if place in ends else None
        rows.append(
            {
                "topic": place[0], "partition": place[1], "committed": at, "end": end,
                "lag": None if at is None or end is None else max(end - at, 0), "member": owners.get(place),
            }
        )  # fmt: skip
    return rows


def _partitions(client: Client, topic: str) -> Sequence[int]:
    """The partitions of a topic, none if it was deleted."""
    from kafkacompat.client.errors import BrokerError

    try:
        return client.partitions(topic)
    except BrokerError:
        return ()


@group.command()
@_one
@click.option(
    "-t", "--topic", "topics", metavar="TOPIC", multiple=True, shell_complete=complete_topics,
    help="Its partitions; repeatable. [default: those with committed offsets]",
)  # fmt: skip
@click.option("-p", "--partition", "partitions", type=click.IntRange(0), multiple=True, help="Only these. Repeatable.")
@click.option("--to", "position", metavar="POSITION", required=True, help="start, end, N, +N, -N or @TIME.")
@click.option("--dry-run", is_flag=True, help="Only print what would be committed.")
@formatted
@connected
def seek(client: Client, *, name: str, position: str, dry_run: bool, words: str, **chosen: Any) -> None:
    """Commit other offsets for a group that has no members."""
    from kafkacompat.cli.positions import Position
    from kafkacompat.client.group_admin import commit_offsets

    to = Position(position)
    places = _chosen(client, name, chosen["topics"], chosen["partitions"])
    offsets = to.resolve(client, places)
    if not dry_run:
        commit_offsets(client, name, offsets)
    rows = [{"topic": topic, "partition": number, "offset": at} for (topic, number), at in sorted(offsets.items())]
    print_rows(rows, ("topic", "partition", "offset"), words)


def _chosen(client: Client, name: str, topics: Sequence[str], partitions: Sequence[int]) -> list[Place]:
    from kafkacompat.client.group_admin import committed_offsets

    if topics:
        places = [(topic, number) for topic in topics for number in client.partitions(topic)]
    else:
        places = list(committed_offsets(client, name))
    places = [place for place in places if not partitions or place[1] in partitions]
    if not places:
        raise VerbError(f"group {name!r} has no committed offsets there: name a topic with --topic", 3)
    return places


@group.command()
@click.argument("names", metavar="GROUP...", nargs=-1, required=True)
@click.option("-t", "--topic", "topics", metavar="TOPIC", multiple=True, help="Only its offsets there. Repeatable.")
@connected
def delete(client: Client, *, names: Sequence[str], topics: Sequence[str]) -> int:
    """Delete groups without members, or their offsets of some topics."""
    from kafkacompat.client.errors import BrokerError
    from kafkacompat.client.group_admin import delete_group, delete_offsets

    status = 0
    for name in names:
        try:
            if topics:
                delete_offsets(client, name, [(topic, n) for topic in topics for n in client.partitions(topic)])
            else:
                delete_group(client, name)
        except BrokerError as error:
            say_error(error)
            status = status or status_of(error)
        else:
            say(f"offsets of group {name} deleted" if topics else f"group {name} deleted")
    return status
