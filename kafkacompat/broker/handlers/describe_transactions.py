"""DescribeTransactions (65), version 0: the state of transactions, from their coordinators (KIP-664). Flexible.

Behavior:
- After the decision to commit or abort, the partitions are those that wait for their marker.
- An empty transactional id: INVALID_REQUEST. An unknown one: TRANSACTIONAL_ID_NOT_FOUND. One that another broker
  coordinates: NOT_COORDINATOR.
- A response of more than 100 MB: INVALID_REQUEST for the remaining ids.
"""

from functools import partial

from kafkacompat.broker.answers import RESPONSE_BYTES_MAX
from kafkacompat.broker.coordinator.runtime import then, together
from kafkacompat.broker.coordinator.txn.state import Transaction, by_topic
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
    encode_transaction_state,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.broker.answers import Late
    from kafkacompat.broker.context import Context
    from kafkacompat.steps import Steps

UNITS_PER_TRANSACTION = 2
"""Measured: 11 µs to find, describe and encode one, in units of work (`steps.py`)."""
BYTES_PER_UNIT = 100
"""Of the encoded transaction: 20 partitions and a topic's name."""


def handle(request: DescribeTransactionsRequest, context: "Context") -> "Steps[Late]":
    """Ask the shard of each id."""
    left_bytes = RESPONSE_BYTES_MAX

    def encoded(transactional_id: str, row: Transaction | int) -> bytes:
        nonlocal left_bytes
        state = _state(row if left_bytes > 0 else errors.INVALID_REQUEST, transactional_id)
        found = encode_transaction_state(state, context.version)
        left_bytes -= len(found)
        return found

    answers: list[bytes | Pending] = []
    waits = False
    for transactional_id in request.transactional_ids:
        answer = then(_find(transactional_id, context), partial(encoded, transactional_id))
        answers.append(answer)
        if isinstance(answer, Pending):
            waits = True
        elif not waits:  # no step may separate a Pending from `together`: it could complete in between
            yield UNITS_PER_TRANSACTION + len(answer) // BYTES_PER_UNIT
    return together(answers, _response)


def _response(states: "Sequence[bytes]") -> DescribeTransactionsResponse:
    return DescribeTransactionsResponse(transaction_states=states)  # type: ignore[arg-type] # encoded already


def failed(request: DescribeTransactionsRequest, error_code: int) -> DescribeTransactionsResponse:
    """The response that answers every id with one error."""
    states = [TransactionState(error_code, transactional_id) for transactional_id in request.transactional_ids]
    return DescribeTransactionsResponse(transaction_states=states)


def _find(transactional_id: str, context: "Context") -> "Transaction | int | Pending":
    if transactional_id == "":
        return errors.INVALID_REQUEST
    return context.services.transactions.find(transactional_id, context.now)


def _state(row: Transaction | int, transactional_id: str) -> TransactionState:
    if isinstance(row, int):
        return TransactionState(row, transactional_id)
    return TransactionState(
        transactional_id=transactional_id,
        transaction_state=row.state_name,
        transaction_timeout_ms=row.timeout_ms,
        transaction_start_time_ms=row.start_ms,
        producer_id=row.producer_id,
        producer_epoch=row.epoch,
        topics=[TopicData(topic, indexes) for topic, indexes in by_topic(row.shown_partitions).items()],
    )
