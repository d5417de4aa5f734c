"""The part of `/metrics` about transactions: Kafka's TransactionMarkerChannelManager, TransactionStateManager and
AddPartitionsToTxnManager, and the transactional ids by state.
"""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.broker.coordinator.txn.state import DEAD, STATE_NAMES
from kafkacompat.control_api.metrics.exposition import COUNTER, GAUGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.coordinator.txn.service import TransactionCoordinator
    from kafkacompat.control_api.metrics.exposition import Exposition
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

MARKERS = "kafka_coordinator_transaction_transactionmarkerchannelmanager_"
COORDINATOR = "kafka_server_transaction_coordinator_metrics_"
VERIFICATION = "kafka_server_addpartitionstotxnmanager_"
LOADED_WITHIN_MS = 30_000
"""Kafka says of partition-load-time: in the last 30 s."""
ROWS_PER_YIELD = 250
UNITS_OF_ROWS = 10


class _Sums(NamedTuple):
    """Over all partitions of __transaction_state that are coordinated here."""

    by_state: list[int]
    retry_count: int
    load_times_ms: list[int]


def of_transactions(out: Exposition, server: BrokerServer) -> Steps[None]:
    """A broker that has coordinated no transaction says that there are none."""
    made = server.broker.coordinators.transactions_if_made
    sums = _Sums([0] * len(STATE_NAMES), 0, [])
    if made is not None:
        sums = yield from _sums(made, server.now().monotonic_ms)
    verifier = server.broker.transaction_verifier_if_made
    for name, kind, says, value in (
        (
            f"{MARKERS}unknowndestinationqueuesize", GAUGE, "Transactions with markers that no broker takes now.",
            0 if made is None else made.delayed_end_count,
        ),
        (
            f"{MARKERS}logappendretryqueuesize", GAUGE, "Transactions whose completion has to be written again.",
            sums.retry_count,
        ),
        (
            f"{VERIFICATION}verificationfailurerate_total", COUNTER, "Partitions that coordinators did not confirm.",
            0 if verifier is None else verifier.failure_count,
        ),
        (
            "kafkacompat_transaction_verifications_total", COUNTER, "Questions to coordinators that are answered.",
            0 if verifier is None else verifier.answer_count,
        ),
        (
            "kafkacompat_transactions_timed_out_total", COUNTER, "Transactions that were aborted by their time-out.",
            0 if made is None else made.timed_out_count,
        ),
    ):  # fmt: skip
        out.one(name, kind, says, value)
    if times_ms := sums.load_times_ms:
        window = "within the last 30 s, ms."
        out.one(
            f"{COORDINATOR}partition_load_time_max", GAUGE, f"The longest load of a partition {window}", max(times_ms)
        )
        average_ms = sum(times_ms) / len(times_ms)
        out.one(f"{COORDINATOR}partition_load_time_avg", GAUGE, f"The average load of a partition {window}", average_ms)
    out.family("kafkacompat_transactional_ids", GAUGE, "Transactional ids that this broker coordinates.")
    for number, name in enumerate(STATE_NAMES[:DEAD]):
        out.sample(sums.by_state[number], state=name)


def _sums(made: TransactionCoordinator, now_ms: int) -> Steps[_Sums]:
    by_state, retry_count, load_times_ms = [0] * len(STATE_NAMES), 0, []
    for context in [each for each in made.contexts() if each.is_active]:
        retry_count += len(context.shard.retried)
        if context.loaded_at_ms > now_ms - LOADED_WITHIN_MS:
            load_times_ms.append(context.load_time_ms)
        rows = list(context.shard.rows.values())
        for begin in range(0, len(rows), ROWS_PER_YIELD):
            for row in rows[begin : begin + ROWS_PER_YIELD]:
                by_state[row.state] += 1
            yield UNITS_OF_ROWS
    return _Sums(by_state, retry_count, load_times_ms)
