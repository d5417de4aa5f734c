"""ListTransactions (66), versions 0-2: the transactions that this broker coordinates (KIP-664). Flexible.

v1 filters by duration (KIP-994), v2 by a pattern of the transactional id (KIP-1152).

Behavior:
- States that are not known are returned, and match nothing.
- A transaction that has not begun passes every duration.
- The pattern is a Java regular expression for the whole id. INVALID_REGULAR_EXPRESSION for one that is none, and for
  what this broker does not know of Java's (`broker/coordinator/txn/java_pattern.py`).
- While a partition of the transaction log is loaded: COORDINATOR_LOAD_IN_PROGRESS.
"""

from kafkacompat.broker.coordinator.coordinator_service import error_itself
from kafkacompat.broker.coordinator.runtime import together
from kafkacompat.broker.coordinator.txn.java_pattern import JavaPattern, PatternError
from kafkacompat.broker.coordinator.txn.state import DEAD, STATE_NAMES
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
    encode_transaction_state,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.coordinator.txn.state import Transaction
    from kafkacompat.steps import Steps

    Listing = int | Iterator[Transaction]

ROWS_PER_UNIT = 5


def handle(request: ListTransactionsRequest, context: "Context") -> "Answer":
    """Ask every shard; one that has moved to another broker contributes nothing."""
    try:
        pattern = JavaPattern(request.transactional_id_pattern) if request.transactional_id_pattern else None
    except PatternError:
        return ListTransactionsResponse(error_code=errors.INVALID_REGULAR_EXPRESSION)
    wall_ms = context.now.wall_ms

    def at_last(found: "Sequence[Listing]") -> "Steps[ListTransactionsResponse]":
        return _respond(request, context.version, pattern, found, wall_ms)

    answers: list[Listing | Pending] = list(
        context.services.transactions.read_all(lambda shard: shard.list_committed(), error_itself, context.now)
    )
    found = [answer for answer in answers if not isinstance(answer, Pending)]
    if len(found) < len(answers):  # shards still wait for what their predecessor has committed
        return together(answers, at_last)  # type: ignore[arg-type] # mypy makes `object` of the union
    return _respond(request, context.version, pattern, found, wall_ms)


def failed(_request: ListTransactionsRequest, error_code: int) -> ListTransactionsResponse:
    """The response that fails the whole request."""
    return ListTransactionsResponse(error_code=error_code)


def _respond(
    request: ListTransactionsRequest,
    version: int,
    pattern: JavaPattern | None,
    answers: "Sequence[Listing]",
    wall_ms: int,
) -> "Steps[ListTransactionsResponse]":
    failures = [answer for answer in answers if isinstance(answer, int) and answer != errors.NOT_COORDINATOR]
    if failures:
        return ListTransactionsResponse(error_code=failures[0])
    unknown = [name for name in request.state_filters if name not in STATE_NAMES]
    states, producer_ids = frozenset(request.state_filters), frozenset(request.producer_id_filters)
    listed: list[bytes] = []
    seen = 0
    for answer in answers:
        for row in () if isinstance(answer, int) else answer:
            seen += 1
            if seen % ROWS_PER_UNIT == 0:
                yield 1
            if not _passes(row, states, producer_ids, request.duration_filter, wall_ms):
                continue
            if pattern is None or (yield from pattern.match(row.transactional_id)):
                state = TransactionState(row.transactional_id, row.producer_id, row.state_name)
                listed.append(encode_transaction_state(state, version))
    return ListTransactionsResponse(
        unknown_state_filters=list(dict.fromkeys(unknown)),
        transaction_states=listed,  # type: ignore[arg-type] # encoded already
    )


def _passes(
    row: "Transaction", states: "Collection[str]", producer_ids: "Collection[int]", lasted_ms: int, wall_ms: int
) -> bool:
    if row.state == DEAD or (producer_ids and row.producer_id not in producer_ids):
        return False
    if states and row.state_name not in states:
        return False
    return lasted_ms < 0 or wall_ms - row.start_ms > lasted_ms
