"""Transactions as their coordinators have them, as plain values."""

import heapq

from kafkacompat.broker.coordinator.coordinators import GROUP_TOPIC
from kafkacompat.broker.coordinator.txn.state import AT_REST, DEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from kafkacompat.broker.coordinator.txn.service import Context
    from kafkacompat.broker.coordinator.txn.state import Transaction
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

    Plain = dict[str, Any]

PAGE_MAX = 1_000
"""The most transactions of one page."""
PARTITIONS_MAX = 100
"""The most partitions that are shown of one transaction."""
ROWS_PER_YIELD = 250
UNITS_OF_ROWS = 25


def transactions(
    server: "BrokerServer",
    transactional_id: str | None = None,
    *,
    producer_id: int | None = None,
    state: str | None = None,
    after: str = "",
    limit: int = PAGE_MAX,
) -> "Steps[Plain]":
    """A page of the transactional ids that this broker coordinates, in their order; of those above `after`, and with
    this id, producer id and state (Kafka's name of it) if they are given.

    `transactions` has of each `transactional_id`, `coordinator` (this broker), `coordinator_epoch`, `producer_id`,
    `epoch`, `state`, `is_committed` (false while its newest record is not replicated), `timeout_ms`, `age_ms` since its
    transaction began (null without an open one), `partition_count`, and of the first PARTITIONS_MAX of them
    `partitions` {topic: [partition]} (those that lack their marker once it is prepared) and `offset_partitions`, those
    of __consumer_offsets, to which it commits offsets. `next` is the `after` of the next page; null: that is all.
    """
    limit = min(limit, PAGE_MAX)
    made = server.broker.coordinators.transactions_if_made
    contexts = [] if made is None else [each for each in made.contexts() if each.is_active]
    lowest: list[str] = []
    found: dict[str, tuple[Transaction, Context]] = {}
    is_cut, checked = False, 0
    for context in contexts:
        rows = context.shard.rows
        seen: Iterable[Transaction | None] = (
            list(rows.values()) if transactional_id is None else (rows.get(transactional_id),)
        )
        for row in seen:
            checked += 1
            if checked % ROWS_PER_YIELD == 0:
                yield UNITS_OF_ROWS
            if row is None or row.transactional_id <= after or not _is_chosen(row, producer_id, state):
                continue
            if row.state == DEAD and context.shard.find(row.transactional_id) is None:
                continue
            lowest.append(row.transactional_id)
            found[row.transactional_id] = row, context
            if len(lowest) >= 2 * limit + ROWS_PER_YIELD:
                is_cut = _keep_lowest(lowest, found, limit) or is_cut
    is_cut = _keep_lowest(lowest, found, limit) or is_cut
    now_ms = server.now().wall_ms
    shown = []
    for name in lowest:
        row, context = found[name]
        shown.append(
            {
                **_transaction(row, now_ms),
                "is_committed": row.offset < context.shard.high_watermark,
                "coordinator": server.broker.node_id,
                "coordinator_epoch": context.partition.leader_epoch,
            }
        )
        yield 1 + len(row.shown_partitions) // 100 + min(len(row.partitions), PARTITIONS_MAX) // 10
    return {"transactions": shown, "next": lowest[-1] if is_cut and lowest else None}


def join_transactions(parts: "list[Plain]", limit: int = PAGE_MAX) -> "Plain":
    """A page of the transactions of all nodes. Of an id that two nodes show it has the newer coordinator's."""
    limit = min(limit, PAGE_MAX)
    found: dict[str, Plain] = {}
    for part in parts:
        for each in part["transactions"]:
            known = found.get(each["transactional_id"])
            if known is None or known["coordinator_epoch"] < each["coordinator_epoch"]:
                found[each["transactional_id"]] = each
    ends = [part["next"] for part in parts if part["next"] is not None]
    # Beyond the end of a page that was cut there may be more of its node.
    names = sorted(name for name in found if not ends or name <= min(ends))
    is_cut = bool(ends) or len(names) > limit
    shown = names[:limit]
    return {"transactions": [found[name] for name in shown], "next": shown[-1] if is_cut and shown else None}


def _keep_lowest(names: list[str], found: "dict[str, tuple[Transaction, Context]]", limit: int) -> bool:
    """Whether there were more than `limit`."""
    names.sort()
    for name in names[limit:]:
        del found[name]
    is_cut = len(names) > limit
    del names[limit:]
    return is_cut


def _is_chosen(row: "Transaction", producer_id: int | None, state: str | None) -> bool:
    return producer_id in (None, row.producer_id) and state in (None, row.state_name)


def _transaction(row: "Transaction", now_ms: int) -> "Plain":
    topics: dict[str, list[int]] = {}
    partitions = row.shown_partitions
    is_open = row.state not in (*AT_REST, DEAD)
    for topic, index in heapq.nsmallest(PARTITIONS_MAX, partitions):  # of 10,000, without sorting all of them
        topics.setdefault(topic, []).append(index)
    return {
        "transactional_id": row.transactional_id,
        "producer_id": row.producer_id,
        "epoch": row.epoch,
        "state": row.state_name,
        "timeout_ms": row.timeout_ms,
        "age_ms": max(0, now_ms - row.start_ms) if is_open else None,
        "partition_count": len(partitions),
        "offset_partitions": topics.pop(GROUP_TOPIC, []),
        "partitions": topics,
    }
