"""AddPartitionsToTxn (24), versions 0-5: add partitions to a transaction, or ask whether it has them.

Clients send v0-3, for one transaction. v2 answers PRODUCER_FENCED, which is INVALID_PRODUCER_EPOCH before, v3 is
flexible. Brokers send v4-5 (KIP-890): several transactions, each to add or to verify; v5 answers TRANSACTION_ABORTABLE.

Behavior:
- A partition that does not exist: UNKNOWN_TOPIC_OR_PARTITION; the others of its transaction are then not added:
  OPERATION_NOT_ATTEMPTED.
- An empty transactional id: INVALID_REQUEST. An unknown one, or another producer id: INVALID_PRODUCER_ID_MAPPING.
- Another epoch: PRODUCER_FENCED.
- While the transaction ends: CONCURRENT_TRANSACTIONS.
- Verify only: TRANSACTION_ABORTABLE for a partition that is not in the transaction.
"""

from kafkacompat.broker.coordinator.runtime import then, together
from kafkacompat.broker.coordinator.txn.state import FIRST_EPOCH_BUMPING_VERSION
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTopicResult,
    AddPartitionsToTxnTransaction,
)
from kafkacompat.steps import UNITS_PER_ITERATION, at_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.broker.answers import Answer, Late
    from kafkacompat.broker.context import Context
    from kafkacompat.steps import Steps

FIRST_VERSION_OF_BROKERS = 4
FIRST_VERSION_WITH_PRODUCER_FENCED = 2
UNITS_PER_TRANSACTION = 10
"""Of work to add partitions to one (`steps.py`)."""
PARTITIONS_PER_UNIT = 5
PARTITIONS_AT_ONCE_MAX = 2_000
"""Partitions of one transaction that are looked up, added and answered in one turn: 5 ms."""


def handle(request: AddPartitionsToTxnRequest, context: "Context") -> "Answer":
    """Ask the coordinator for each transaction; answer when all have been answered."""
    if context.version < FIRST_VERSION_OF_BROKERS:
        steps = _answer_client(request, context)
        return steps if _count(request.v3_and_below_topics) > PARTITIONS_AT_ONCE_MAX else at_once(steps)
    return _answer_broker(request, context)


def _answer_client(request: AddPartitionsToTxnRequest, context: "Context") -> "Steps[Late]":
    codes = yield from _codes(_transaction(request), context)
    if not isinstance(codes, Pending) and len(codes) > PARTITIONS_AT_ONCE_MAX:
        yield UNITS_PER_ITERATION
    return then(codes, lambda found: _client_response(request, found, context))


def _answer_broker(request: AddPartitionsToTxnRequest, context: "Context") -> "Steps[Late]":
    answers: list[list[int] | Pending] = []
    waits = False
    for transaction in request.transactions:
        steps = _codes(transaction, context)
        # no step may separate a read that waits from `together`: it could end in between
        answer = at_once(steps) if waits else (yield from steps)
        answers.append(answer)
        waits = waits or (transaction.verify_only and isinstance(answer, Pending))
        if not waits:
            yield UNITS_PER_TRANSACTION + _count(transaction.topics) // PARTITIONS_PER_UNIT
    response = together(answers, lambda codes: _broker_response(request, codes))
    if type(response) is Pending:  # all that is written may be committed already: no event would complete it then
        return response.finish(context.now, False) or response  # noqa: FBT003 (as a Pending has it)
    return response


def failed(request: AddPartitionsToTxnRequest, error_code: int) -> AddPartitionsToTxnResponse:
    """The response that fails the whole request."""
    topics = request.v3_and_below_topics
    return AddPartitionsToTxnResponse(
        error_code=error_code, results_by_topic_v3_and_below=_results(topics, [error_code] * _count(topics))
    )


def _transaction(request: AddPartitionsToTxnRequest) -> AddPartitionsToTxnTransaction:
    """The transaction of a client's request."""
    return AddPartitionsToTxnTransaction(
        request.v3_and_below_transactional_id,
        request.v3_and_below_producer_id,
        request.v3_and_below_producer_epoch,
        topics=request.v3_and_below_topics,
    )


def _codes(transaction: AddPartitionsToTxnTransaction, context: "Context") -> "Steps[list[int] | Pending]":
    """An error code for each partition, in the order of the request. Those of many partitions are looked up in a turn,
    and added in the next one.
    """
    partitions = [(topic.name, index) for topic in transaction.topics for index in topic.partitions]
    image, coordinator = context.services.image, context.services.transactions
    codes = [
        errors.OPERATION_NOT_ATTEMPTED if image.partition(*partition) else errors.UNKNOWN_TOPIC_OR_PARTITION
        for partition in partitions
    ]
    if len(partitions) > PARTITIONS_AT_ONCE_MAX:
        yield UNITS_PER_ITERATION
    if errors.UNKNOWN_TOPIC_OR_PARTITION in codes:
        return codes
    if transaction.transactional_id == "":
        return [errors.INVALID_REQUEST] * len(partitions)
    who = transaction.transactional_id, transaction.producer_id, transaction.producer_epoch
    if transaction.verify_only:
        return coordinator.verify_partitions(*who, partitions, now=context.now)
    is_from_broker = context.version >= FIRST_VERSION_OF_BROKERS
    client_version = FIRST_EPOCH_BUMPING_VERSION if is_from_broker else 0
    added = coordinator.add_partitions(*who, partitions, client_version=client_version, now=context.now)
    return then(added, lambda error_code: [error_code] * len(partitions))


def _client_response(
    request: AddPartitionsToTxnRequest, codes: "Sequence[int]", context: "Context"
) -> AddPartitionsToTxnResponse:
    if context.version < FIRST_VERSION_WITH_PRODUCER_FENCED:
        codes = [errors.INVALID_PRODUCER_EPOCH if code == errors.PRODUCER_FENCED else code for code in codes]
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_results(request.v3_and_below_topics, codes))


def _broker_response(
    request: AddPartitionsToTxnRequest, codes: "Sequence[Sequence[int]]"
) -> AddPartitionsToTxnResponse:
    return AddPartitionsToTxnResponse(
        results_by_transaction=[
            AddPartitionsToTxnResult(transaction.transactional_id, _results(transaction.topics, found))
            for transaction, found in zip(request.transactions, codes, strict=True)
        ]
    )


def _results(
    topics: "Sequence[AddPartitionsToTxnTopic]", codes: "Sequence[int]"
) -> list[AddPartitionsToTxnTopicResult]:
    left = iter(codes)
    return [
        AddPartitionsToTxnTopicResult(
            topic.name, [AddPartitionsToTxnPartitionResult(index, next(left)) for index in topic.partitions]
        )
        for topic in topics
    ]


def _count(topics: "Sequence[AddPartitionsToTxnTopic]") -> int:
    return sum(len(topic.partitions) for topic in topics)
