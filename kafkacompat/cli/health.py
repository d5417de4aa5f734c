"""`kafkacompat health`: whether a broker serves clients, for HEALTHCHECK and scripts."""

from __future__ import annotations

import click

from kafkacompat.cli.connected import connected
from kafkacompat.cli.exits import FAILED, say
from kafkacompat.client.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.client.client import Client


@click.command()
@click.option("-q", "--quiet", is_flag=True, help="Say nothing; the exit status says it.")
@connected
def health(client: Client, *, quiet: bool) -> int:
    """Ask a broker for its versions and for the cluster: 0 if it serves clients."""
    found = client.metadata(())
    if not found.brokers:
        say("kafkacompat: the cluster has no broker that is alive")
        return FAILED
    if not quiet:
        click.echo(f"healthy: cluster {found.cluster_id}, {counted(len(found.brokers), 'broker')}")
    return 0
