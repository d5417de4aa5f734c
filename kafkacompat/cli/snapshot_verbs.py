"""`kafkacompat snapshot`: copies of all that brokers of ours keep, and the way back to them."""

from __future__ import annotations

import os

import click

from kafkacompat.cli.controlled import confirm, confirmed, controlled, described
from kafkacompat.cli.exits import USAGE, VerbError, say
from kafkacompat.cli.rows import formatted_by_output, print_rows
from kafkacompat.client.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.client.control import ControlClient

COLUMNS = ("snapshot_id", "size_bytes", "node_ids", "cluster_id", "path")


@click.group()
def snapshot() -> None:
    """Save the state of brokers of ours: topics, records, groups, offsets; and go back to it."""


@snapshot.command()
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--force", is_flag=True, help="Write over a file that exists.")
@formatted_by_output
@controlled
def save(client: ControlClient, *, file: str | None, force: bool, words: str) -> None:
    """Take a snapshot, which the broker keeps until it stops; with FILE also as a tar of Kafka's directories."""
    from kafkacompat.client.control import path_of

    if file is not None and not force and os.path.exists(file):  # noqa: PTH110 (pathlib costs start-up time)
        raise VerbError(f"{file} exists already: choose another file, or give --force", USAGE)
    taken = client.post(path_of("snapshots"))
    if file is not None:
        content = client.get_bytes(path_of("snapshots", taken["snapshot_id"], "file"))
        try:
            with open(file, "wb") as tar:  # noqa: PTH123 (as above)
                tar.write(content)
        except OSError as error:
            raise VerbError(f"{file}: {error.strerror}") from None
    print_rows([taken], COLUMNS, words)


@snapshot.command("list")
@formatted_by_output
@controlled
def list_(client: ControlClient, *, words: str) -> None:
    """List the snapshots that the broker keeps."""
    print_rows(client.get("/v1/snapshots")["snapshots"], COLUMNS, words)


@snapshot.command()
@click.argument("id_", metavar="ID")
@click.option("--close-connections", is_flag=True, help="Close the connections of clients.")
@confirmed
@controlled
def restore(client: ControlClient, *, id_: str, close_connections: bool, yes: bool) -> None:
    """Go back to a snapshot that the broker keeps: what was written since is lost. Clients stay connected."""
    from kafkacompat.client.control import path_of

    client.get(path_of("snapshots", id_))
    if not yes:
        confirm(f"restore snapshot {id_} of {described(client)}? What was written since is lost.", yes=yes)
    done = client.post(path_of("snapshots", id_, "restore"), {"close_connections": close_connections})
    was = "closed" if close_connections else "still connected"
    say(f"snapshot {id_} is restored; {counted(len(done['connections']), 'client')} {was}")


@snapshot.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@controlled
def delete(client: ControlClient, *, ids: Sequence[str]) -> None:
    """Delete snapshots that the broker keeps."""
    from kafkacompat.client.control import path_of

    for each in ids:
        client.delete(path_of("snapshots", each))
        say(f"snapshot {each} is deleted")
