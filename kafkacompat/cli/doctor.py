"""`kafkacompat doctor`: says why a client cannot use a cluster, and what to change."""

from __future__ import annotations

import sys

import click

from kafkacompat.cli import exits
from kafkacompat.cli.connected import connection_options, security_of, servers_of
from kafkacompat.cli.exits import VerbError, verb
from kafkacompat.cli.rows import to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.client.finding import Finding

STATUS = {
    "unreachable": exits.UNREACHABLE, "refused": exits.REFUSED, "expired": exits.EXPIRED, "missing": exits.NOT_FOUND,
    "different": exits.DIFFERENT,
}  # fmt: skip
_MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "red")}
DEFAULT_TIMEOUT_S = 30.0
STEP_TIMEOUT_S = 5.0


@click.command()
@click.argument("servers", metavar="[HOST:PORT,...]", required=False)
@click.option("-t", "--topic", metavar="TOPIC", help="Look at this topic, and at the user's rights to it.")
@click.option("--write", is_flag=True, help="Write a record to the topic and read it again.")
@click.option("--client", metavar="NAME:VERSION", help="Whether this client is new enough, like librdkafka:1.5.")
@click.option("-f", "--format", "words", type=click.Choice(["table", "json"]), default="table", show_default=True)
@connection_options
@verb
def doctor(*, servers: str | None, topic: str | None, write: bool, client: str | None, words: str, **given: Any) -> int:
    """Find out why a client cannot use a cluster, from the name to a written record, and what to change.

    Nothing is changed in the cluster without --write.
    """
    from kafkacompat.client.diagnosis import Doctor

    if write and topic is None:
        raise VerbError("--write needs --topic: say where a record may be written", 2)
    if servers is not None:
        given["bootstrap_servers"] = servers
    timeout_s = STEP_TIMEOUT_S if given["timeout_s"] == DEFAULT_TIMEOUT_S else given["timeout_s"]
    examined = Doctor(
        servers_of(given), security=security_of(given), timeout_s=timeout_s, topic=topic, write=write, client=client
    )
    status = 0
    for finding in examined.steps():
        if words == "json":
            sys.stdout.write(to_json(finding._asdict()) + "\n")
        else:
            _print(finding)
        sys.stdout.flush()
        if finding.level == "fail" or finding.kind == "different":
            status = status or STATUS.get(finding.kind, exits.FAILED)
    return status


def _print(finding: Finding) -> None:
    mark, color = _MARKS[finding.level]
    click.echo(f"{click.style(mark, fg=color)}  {finding.step:<12}  {finding.text}")
    for line in filter(None, finding.advice.split("\n")):
        click.echo(f"{'':18}→ {line}" if not line.startswith("  ") else f"{'':20}{line.strip()}")
