"""DescribeTransactions (65), version 0: the state of transactions, from their coordinators (KIP-664). Flexible.

Behavior:
- After the decision to commit or abort, the partitions are those that wait for their marker.
- An empty transactional id: INVALID_REQUEST. An unknown one: TRANSACTIONAL_ID_NOT_FOUND. One that another broker
  coordinates: NOT_COORDINATOR.
"""

from kafkacompat.broker.coordinator.runtime import then, together
from kafkacompat.broker.coordinator.txn.state import Transaction
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Late
    from kafkacompat.broker.context import Context
    from kafkacompat.steps import Steps

PARTITIONS_PER_UNIT = 20
"""This many partitions, or one transaction, cost one unit of work (`steps.py`)."""


def handle(request: DescribeTransactionsRequest, context: "Context") -> "Steps[Late]":
    """Ask the shard of each id."""
    answers: list[TransactionState | Pending] = []
    waits = False
    for transactional_id in request.transactional_ids:
        answer = _describe(transactional_id, context)
        answers.append(answer)
        if isinstance(answer, Pending):
            waits = True
        elif not waits:  # no step may separate a Pending from `together`: it could complete in between
            yield 1 + sum(len(topic.partitions) for topic in answer.topics) // PARTITIONS_PER_UNIT
    return together(answers, lambda states: DescribeTransactionsResponse(transaction_states=states))


def failed(request: DescribeTransactionsRequest, error_code: int) -> DescribeTransactionsResponse:
    """The response that answers every id with one error."""
    states = [TransactionState(error_code, transactional_id) for transactional_id in request.transactional_ids]
    return DescribeTransactionsResponse(transaction_states=states)


def _describe(transactional_id: str, context: "Context") -> "TransactionState | Pending":
    if transactional_id == "":
        return TransactionState(errors.INVALID_REQUEST, "")
    found = context.services.transactions.find(transactional_id, context.now)
    if isinstance(found, Pending):
        return then(found, lambda row: _state(row, transactional_id))
    return _state(found, transactional_id)


def _state(row: Transaction | int, transactional_id: str) -> TransactionState:
    if isinstance(row, int):
        return TransactionState(row, transactional_id)
    topics: dict[str, list[int]] = {}
    for topic, index in sorted(row.shown_partitions):
        topics.setdefault(topic, []).append(index)
    return TransactionState(
        transactional_id=transactional_id,
        transaction_state=row.state_name,
        transaction_timeout_ms=row.timeout_ms,
        transaction_start_time_ms=row.start_ms,
        producer_id=row.producer_id,
        producer_epoch=row.epoch,
        topics=[TopicData(topic, indexes) for topic, indexes in topics.items()],
    )
