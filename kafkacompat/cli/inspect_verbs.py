"""`kafkacompat inspect`: what brokers of ours show of themselves, which no client can ask; nothing is moved by it."""

from __future__ import annotations

import click

from kafkacompat.cli.controlled import controlled
from kafkacompat.cli.exits import say
from kafkacompat.cli.rows import formatted_by_output, print_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from kafkacompat.client.control import ControlClient

    Plain = dict[str, Any]

PAGE_RECORDS = 1000


@click.group()
def inspect() -> None:
    """Look into brokers of ours: topics, groups, records, producers, transactions, connections, requests, ..."""


@inspect.command()
@formatted_by_output
@controlled
def cluster(client: ControlClient, *, words: str) -> None:
    """Show the brokers, the controller, and what is missing to serve clients."""
    found, brokers = client.get("/v1/cluster"), client.get("/v1/brokers")["brokers"]
    if words == "json":
        print_rows([{**found, "brokers": brokers}], (), words)
        return
    if words == "table":
        voters = ",".join(map(str, found["voters"]))
        say(f"cluster {found['cluster_id']}, controller {found['controller_id']}, voters {voters}")
        for line in found["missing"]:
            say(f"not ready: {line}")
    rows = [{"broker": each["broker_id"], "controller": each["is_controller"], **_last(each)} for each in brokers]
    print_rows(rows, ("broker", "controller", "fenced", "stopping", "rack", "endpoints"), words)


def _last(broker: Plain) -> Plain:
    return {
        "fenced": broker["is_fenced"], "stopping": broker["is_stopping"], "rack": broker["rack"],
        "endpoints": broker["endpoints"],
    }  # fmt: skip


@inspect.command()
@click.argument("names", metavar="[TOPIC...]", nargs=-1)
@click.option("-i", "--internal", "with_internal", is_flag=True, help="Internal topics as well.")
@formatted_by_output
@controlled
def topics(client: ControlClient, *, names: Sequence[str], with_internal: bool, words: str) -> None:
    """Show topics with the log of each replica: offsets, size, epochs. As JSON with configs and followers."""
    found = [each for each in _named(client, "topics", names) if names or with_internal or not each["is_internal"]]
    if words == "json":
        print_rows(found, (), words)
        return
    rows = [
        {"topic": each["name"], "broker": None, **_NO_LOG, **one, **log}
        for each in found
        for one in each["partitions"]
        for log in one["logs"] or [{}]
    ]
    columns = (
        "topic", "partition", "broker", "leader", "isr", "log_start_offset", "high_watermark", "log_end_offset",
        "size_bytes",
    )  # fmt: skip
    print_rows(rows, columns, words)


_NO_LOG = dict.fromkeys(("log_start_offset", "high_watermark", "log_end_offset", "size_bytes"))


@inspect.command()
@click.argument("names", metavar="[GROUP...]", nargs=-1)
@formatted_by_output
@controlled
def groups(client: ControlClient, *, names: Sequence[str], words: str) -> None:
    """Show groups as their coordinators know them. As JSON with members, offsets and the last rebalances."""
    found = _named(client, "groups", names)
    if words == "json":
        print_rows(found, (), words)
        return
    rows = [
        {
            **each, "members": len(each["members"]), "lag": sum(one["lag"] or 0 for one in each["offsets"]),
            "last_rebalance": each["rebalances"][-1]["reason"] if each["rebalances"] else None,
        }
        for each in found
    ]  # fmt: skip
    columns = ("group_id", "state", "generation", "protocol", "coordinator", "members", "lag", "last_rebalance")
    print_rows(rows, columns, words)


@inspect.command()
@click.argument("topic", metavar="TOPIC")
@click.option("-p", "--partition", "partitions", type=click.IntRange(0), multiple=True, help="Only these. Repeatable.")
@click.option("--from", "start", metavar="OFFSET", type=click.IntRange(0), help="Begin here. [default: the log start]")
@click.option("-n", "--count", metavar="N", type=click.IntRange(1), help="At most N of each partition.")
@formatted_by_output
@controlled
def records(
    client: ControlClient, *, topic: str, partitions: Sequence[int], start: int | None, count: int | None, words: str
) -> None:
    """Show all records in the logs of a topic, those as well that no consumer gets: aborted, open, not committed."""
    from kafkacompat.client.control import path_of

    there = client.get(path_of("topics", topic))["partitions"]
    chosen = partitions or [each["partition"] for each in there]
    rows = (row for one in chosen for row in _records(client, topic, one, start, count))
    columns = ("partition", "offset", "timestamp", "key", "value", "producer_id", "state", "control")
    print_rows(rows if words in ("json", "raw") else list(rows), columns if words != "raw" else ("value",), words)


def _records(
    client: ControlClient, topic: str, partition: int, start: int | None, count: int | None
) -> Iterator[Plain]:
    """The records of a partition, page by page."""
    from kafkacompat.client.control import path_of

    path = path_of("topics", topic, "partitions", partition, "records")
    left = count
    while left is None or left > 0:
        page = client.get(path, {"from": start, "limit": PAGE_RECORDS if left is None else min(left, PAGE_RECORDS)})
        for record in page["records"]:
            yield {"topic": topic, "partition": partition, **record}
        start = page["next_offset"]
        if start is None:
            return
        if left is not None:
            left -= len(page["records"])


@inspect.command()
@click.option("-t", "--topic", metavar="TOPIC", help="Only of this topic.")
@click.option("-p", "--partition", type=click.IntRange(0), help="Only of this partition.")
@formatted_by_output
@controlled
def producers(client: ControlClient, *, topic: str | None, partition: int | None, words: str) -> None:
    """Show the idempotent producers that leaders know: epoch, last sequence, open transaction."""
    found = client.get("/v1/producers", {"topic": topic, "partition": partition})["producers"]
    columns = ("topic", "partition", "producer_id", "epoch", "last_sequence", "last_offset", "transaction_start_offset")
    print_rows(found, columns, words)


@inspect.command()
@formatted_by_output
@controlled
def connections(client: ControlClient, *, words: str) -> None:
    """Show open connections, and what their requests wait for."""
    found = client.get("/v1/connections")["connections"]
    rows = found if words == "json" else [{**each, "waits": _keys(each["waits"])} for each in found]
    columns = (
        "connection", "broker", "peer", "client_id", "client_software_name", "request_count", "in_flight", "idle_ms",
        "waits",
    )  # fmt: skip
    print_rows(rows, columns, words)


@inspect.command()
@click.argument("transactional_id", metavar="[TRANSACTIONAL_ID]", required=False)
@click.option("-s", "--state", metavar="STATE", help="Only in this state: Ongoing, CompleteCommit, ...")
@formatted_by_output
@controlled
def transactions(client: ControlClient, *, transactional_id: str | None, state: str | None, words: str) -> None:
    """Show transactional ids as their coordinators have them: producer, state, age, partitions."""
    columns = (
        "transactional_id", "coordinator", "producer_id", "epoch", "state", "age_ms", "timeout_ms", "partition_count",
    )  # fmt: skip
    print_rows(_transactions(client, {"transactional_id": transactional_id, "state": state}), columns, words)


def _transactions(client: ControlClient, chosen: Plain) -> Iterator[Plain]:
    after: str | None = ""
    while after is not None:
        page = client.get("/v1/transactions", {**chosen, "after": after})
        yield from page["transactions"]
        after = page["next"]


def _keys(waits: Sequence[Plain]) -> list[str]:
    return [key for wait in waits for key in wait["keys"]]


@inspect.command()
@click.option("-n", "--count", metavar="N", type=click.IntRange(1, 10_000), help="Only the last N.")
@click.option("--on/--off", "switch", default=None, help="Switch the journal of requests on or off first.")
@formatted_by_output
@controlled
def requests(client: ControlClient, *, count: int | None, switch: bool | None, words: str) -> None:
    """Show the last requests of clients, with errors in their answers and the fault that they met."""
    if switch is not None:
        client.put("/v1/requests", {"is_on": switch})
    found = client.get("/v1/requests", {"limit": count})
    if not found["is_on"] and switch is None:
        say("the journal of requests is off: kafkacompat inspect requests --on switches it on")
    rows = found["requests"]
    if words != "json":
        rows = [{**each, "errors": [one["error"] for one in each["errors"] or ()]} for each in rows]
    columns = ("number", "connection", "client_id", "api", "version", "names", "took_ms", "errors", "fault")
    print_rows(rows, columns, words)


def _named(client: ControlClient, kind: str, names: Sequence[str]) -> list[Plain]:
    """All topics or groups, or those with these names. Raises ControlError for one that does not exist."""
    from kafkacompat.client.control import path_of

    if not names:
        found: list[Plain] = client.get(path_of(kind))[kind]
        return found
    return [client.get(path_of(kind, name)) for name in dict.fromkeys(names)]
