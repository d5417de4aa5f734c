"""`kafkacompat snapshot`: copies of all that brokers of ours keep, and the way back to them."""

from __future__ import annotations

import contextlib
import os

import click

from kafkacompat.cli.bar import Bar
from kafkacompat.cli.controlled import confirm, confirmed, controlled, delete_data_option, described
from kafkacompat.cli.exits import NOT_FOUND, USAGE, VerbError, say
from kafkacompat.cli.rows import formatted_by_output, print_rows
from kafkacompat.client.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

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
        try:
            _save(client, taken, file)
        except OSError as error:
            raise VerbError(f"{file}: {error.strerror}") from None
    print_rows([taken], COLUMNS, words)


def _save(client: ControlClient, taken: Mapping[str, Any], file: str) -> None:
    """Write the tar, and give it its name when it is whole; a pipe or a device gets it as it comes."""
    from kafkacompat.client.control import path_of

    is_special = os.path.exists(file) and not os.path.isfile(file)  # noqa: PTH110, PTH113 (as above)
    part = file if is_special else f"{file}.part"
    try:
        with open(part, "wb") as tar:  # noqa: PTH123 (as above)
            bar = Bar("bytes saved", taken["size_bytes"])
            client.get_file(path_of("snapshots", taken["snapshot_id"], "file"), tar.write, bar.show)
        bar.end()
        if not is_special:
            os.replace(part, file)  # noqa: PTH105 (as above)
    except BaseException:
        if not is_special:
            with contextlib.suppress(OSError):
                os.unlink(part)  # noqa: PTH108 (as above)
        raise


@snapshot.command("list")
@formatted_by_output
@controlled
def list_(client: ControlClient, *, words: str) -> None:
    """List the snapshots that the broker keeps."""
    print_rows(client.get("/v1/snapshots")["snapshots"], COLUMNS, words)


@snapshot.command()
@click.argument("id_", metavar="ID|FILE")
@click.option("--close-connections", is_flag=True, help="Close the connections of clients.")
@delete_data_option
@confirmed
@controlled
def restore(client: ControlClient, *, id_: str, close_connections: bool, delete_data: bool, yes: bool) -> None:
    """Go back to a snapshot: what was written since is lost. Clients stay connected.

    ID is one that the broker keeps, FILE one that was saved, here or elsewhere; it has a dot or a slash.
    """
    from kafkacompat.client.control import path_of

    is_file = "." in id_ or "/" in id_ or os.sep in id_
    if is_file and not os.path.isfile(id_):  # noqa: PTH113 (pathlib costs start-up time)
        raise VerbError(f"{id_}: there is no such file", NOT_FOUND)
    if not is_file:
        client.get(path_of("snapshots", id_))
    if not yes:
        confirm(f"restore snapshot {id_} of {described(client)}? What was written since is lost.", yes=yes)
    kept = _uploaded(client, id_) if is_file else id_
    try:
        body = {"close_connections": close_connections, "delete_data": delete_data}
        done = client.post(path_of("snapshots", kept, "restore"), body)
    finally:
        if is_file:
            client.delete(path_of("snapshots", kept))
    was = "closed" if close_connections else "still connected"
    say(f"snapshot {id_} is restored; {counted(len(done['connections']), 'client')} {was}")


def _uploaded(client: ControlClient, file: str) -> str:
    """Send a file to the broker, and return the id under which it is kept."""
    from secrets import token_hex

    from kafkacompat.client.control import path_of

    snapshot_id = f"uploaded-{token_hex(4)}"
    try:
        with open(file, "rb") as tar:  # noqa: PTH123 (as above)
            bar = Bar("bytes sent", os.fstat(tar.fileno()).st_size)
            client.put_file(path_of("snapshots", snapshot_id, "file"), tar, bar.show)
        bar.end()
    except OSError as error:
        raise VerbError(f"{file}: {error.strerror or error}") from None
    return snapshot_id


@snapshot.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@controlled
def delete(client: ControlClient, *, ids: Sequence[str]) -> None:
    """Delete snapshots that the broker keeps."""
    from kafkacompat.client.control import path_of

    for each in ids:
        client.delete(path_of("snapshots", each))
        say(f"snapshot {each} is deleted")
