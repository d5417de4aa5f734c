"""`kafkacompat txn`: list and describe transactions, see producers, find hanging transactions and abort them."""

from __future__ import annotations

import time

import click

from kafkacompat.cli.connected import complete_topics, connected
from kafkacompat.cli.durations import duration_ms
from kafkacompat.cli.exits import NOT_FOUND, VerbError, say, say_error, status_of
from kafkacompat.cli.rows import formatted, print_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.client.client import Client, Place

STATES = (
    "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "PrepareEpochFence", "Dead",
)  # fmt: skip
"""The states of a transactional id, as brokers name them (Kafka's TransactionState)."""
LIST_COLUMNS = ("transactional_id", "coordinator", "producer_id", "state")
DESCRIBE_COLUMNS = (
    "transactional_id", "coordinator", "state", "producer_id", "producer_epoch", "timeout_ms", "start_ms", "open_ms",
    "partitions",
)  # fmt: skip
PRODUCER_COLUMNS = (
    "topic", "partition", "producer_id", "producer_epoch", "coordinator_epoch", "last_sequence", "last_timestamp",
    "start_offset",
)  # fmt: skip
HANGING_COLUMNS = (
    "topic", "partition", "start_offset", "producer_id", "producer_epoch", "coordinator_epoch", "transactional_id",
    "last_timestamp", "idle_ms",
)  # fmt: skip


@click.group()
def txn() -> None:
    """List and describe transactions, find those that hang, and abort them."""


@txn.command("list")
@click.option("--state", "states", type=click.Choice(STATES), multiple=True, help="Only these states. Repeatable.")
@click.option("--producer-id", "producer_ids", metavar="ID", type=int, multiple=True, help="Only these. Repeatable.")
@click.option(
    "--longer-than", "longer_than_ms", metavar="TIME", type=duration_ms,
    help="Only those open for longer: 200ms, 5s, 10m. Kafka 3.8 and later.",
)  # fmt: skip
@click.option("--pattern", metavar="REGEX", help="Only ids that match as a whole. Kafka 4.1 and later.")
@formatted
@connected
def list_(
    client: Client, *, states: Sequence[str], producer_ids: Sequence[int], longer_than_ms: int | None,
    pattern: str | None, words: str,
) -> None:  # fmt: skip
    """List transactional ids with their states."""
    from kafkacompat.client.transaction_admin import list_transactions

    found = list_transactions(
        client, states=states, producer_ids=producer_ids, pattern=pattern,
        longer_than_ms=longer_than_ms,
    )  # fmt: skip
    print_rows([each._asdict() for each in found], LIST_COLUMNS, words)


@txn.command()
@click.argument("names", metavar="TRANSACTIONAL-ID...", nargs=-1, required=True)
@formatted
@connected
def describe(client: Client, *, names: Sequence[str], words: str) -> int:
    """Describe transactional ids, each with its transaction."""
    from kafkacompat.client.errors import BrokerError
    from kafkacompat.client.transaction_admin import describe_transaction

    rows, status = [], 0
    now_ms = int(time.time() * 1000)
    for name in names:
        try:
            found = describe_transaction(client, name)
        except BrokerError as error:
            say_error(error)
            status = status or status_of(error)
            continue
        row: dict[str, Any] = found._asdict()
        row["partitions"] = [f"{topic}-{number}" for topic, number in found.partitions]
        row["open_ms"] = None if found.start_ms is None else max(now_ms - found.start_ms, 0)
        rows.append({column: row[column] for column in DESCRIBE_COLUMNS})
    if rows:
        print_rows(rows, DESCRIBE_COLUMNS, words)
    return status


@txn.command()
@click.argument("topic", metavar="TOPIC", shell_complete=complete_topics)
@click.option("-p", "--partition", "partitions", type=click.IntRange(0), multiple=True, help="Only these. Repeatable.")
@formatted
@connected
def producers(client: Client, *, topic: str, partitions: Sequence[int], words: str) -> None:
    """See the idempotent producers of a topic's partitions. The start offset is that of an open transaction."""
    from kafkacompat.client.transaction_admin import describe_producers

    found = describe_producers(client, [(topic, n) for n in partitions or client.partitions(topic)])
    print_rows([each._asdict() for each in found], PRODUCER_COLUMNS, words)


@txn.command("find-hanging")
@click.option(
    "-t", "--topic", "topics", metavar="TOPIC", multiple=True, shell_complete=complete_topics,
    help="Only its partitions; repeatable. [default: all topics]",
)  # fmt: skip
@click.option("-p", "--partition", "partitions", type=click.IntRange(0), multiple=True, help="Only these. Repeatable.")
@click.option(
    "--idle", "idle_ms", metavar="TIME", type=duration_ms, default="15m", show_default=True,
    help="Only those without a record for longer: more than the brokers' transaction.max.timeout.ms.",
)  # fmt: skip
@formatted
@connected
def find_hanging(client: Client, *, topics: Sequence[str], partitions: Sequence[int], idle_ms: int, words: str) -> None:
    """Find transactions that are open on a partition, and of which no coordinator knows."""
    from kafkacompat.client import transaction_admin

    rows = [
        {**each.producer._asdict(), "transactional_id": each.transactional_id, "idle_ms": each.idle_ms}
        for each in transaction_admin.find_hanging(client, _places(client, topics, partitions), idle_ms=idle_ms)
    ]
    print_rows([{column: row[column] for column in HANGING_COLUMNS} for row in rows], HANGING_COLUMNS, words)


def _places(client: Client, topics: Sequence[str], partitions: Sequence[int]) -> list[Place]:
    from kafkacompat.client.topic_admin import list_topics

    if topics:
        places = [(topic, number) for topic in topics for number in client.partitions(topic)]
    else:
        places = [(topic.name, each.partition) for topic in list_topics(client) for each in topic.partitions]
    return [place for place in places if not partitions or place[1] in partitions]


@txn.command()
@click.argument("topic", metavar="TOPIC", shell_complete=complete_topics)
@click.option("-p", "--partition", type=click.IntRange(0), required=True, help="The partition on which it is open.")
@click.option("--start-offset", metavar="N", type=click.IntRange(0), required=True, help="Where it begins there.")
@connected
def abort(client: Client, *, topic: str, partition: int, start_offset: int) -> None:
    """Abort a hanging transaction on one partition, as find-hanging names it.

    Its coordinator is not asked: abort none that is still in progress.
    """
    from kafkacompat.client.texts import partition_of
    from kafkacompat.client.transaction_admin import abort_on_partition, describe_producers

    place = (topic, partition)
    found = [each for each in describe_producers(client, [place]) if each.start_offset == start_offset]
    if not found:
        raise VerbError(
            f"{partition_of(place)} has no open transaction that begins at offset {start_offset}; "
            f"kafkacompat txn producers {topic} shows those that are open",
            NOT_FOUND,
        )
    abort_on_partition(client, found[0])
    say(f"transaction of producer {found[0].producer_id} aborted on {partition_of(place)}")
