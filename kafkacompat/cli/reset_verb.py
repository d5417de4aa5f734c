"""`kafkacompat reset`: back to what a broker of ours was right after its start."""

from __future__ import annotations

import click

from kafkacompat.cli.controlled import confirm, confirmed, controlled, delete_data_option, described
from kafkacompat.cli.exits import say
from kafkacompat.cli.rows import formatted_by_output, print_rows
from kafkacompat.client.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.client.control import ControlClient

COLUMNS = ("connection", "peer", "client_id", "client_software_name", "client_software_version", "idle_ms")


@click.command()
@click.option("--keep-topics", is_flag=True, help="Keep topics with their configs, without their records.")
@click.option("--close-connections", is_flag=True, help="Close the connections of clients.")
@delete_data_option
@confirmed
@formatted_by_output
@controlled
def reset(
    client: ControlClient, *, keep_topics: bool, close_connections: bool, delete_data: bool, yes: bool, words: str
) -> None:
    """Delete what was done since the broker's start: topics, records, groups, faults, the clock's moves.

    Topics and records that it was started with are there again. Prints the clients that are still connected.
    """
    if not yes:
        confirm(f"reset {described(client)}? Its records are lost.", yes=yes)
    body = {
        "keep": ["topics"] if keep_topics else [], "close_connections": close_connections, "delete_data": delete_data
    }  # fmt: skip
    connections = client.post("/v1/reset", body)["connections"]
    was = "closed" if close_connections else "still connected"
    say(f"the broker is reset; {counted(len(connections), 'client')} {was}")
    if connections or words != "table":
        print_rows(connections, COLUMNS, words)
