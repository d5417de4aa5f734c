"""AddOffsetsToTxn (25), versions 0-4: add a group's offsets to a transaction (KIP-98).

v2 answers PRODUCER_FENCED, which is INVALID_PRODUCER_EPOCH before, v3 is flexible, v4 allows TRANSACTION_ABORTABLE
(KIP-890). Producers whose transactions raise the epoch (TV2) do not send it.

Behavior:
- It adds the partition of __consumer_offsets that keeps the group, as AddPartitionsToTxn adds a partition; the group
  need not exist.
- An empty transactional id: INVALID_REQUEST. An unknown one, or another producer id: INVALID_PRODUCER_ID_MAPPING.
- Another epoch: PRODUCER_FENCED. While the transaction ends: CONCURRENT_TRANSACTIONS.
"""

from kafkacompat.broker.coordinator.coordinators import GROUP
from kafkacompat.broker.coordinator.runtime import then
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending

FIRST_VERSION_WITH_PRODUCER_FENCED = 2
TV1 = 0


def handle(request: AddOffsetsToTxnRequest, context: "Context") -> "AddOffsetsToTxnResponse | Pending":
    """Add the group's partition."""
    if request.transactional_id == "":
        return AddOffsetsToTxnResponse(error_code=errors.INVALID_REQUEST)
    services = context.services
    partition = (GROUP.topic, services.coordinators.partition_for(GROUP, request.group_id))
    added = services.transactions.add_partitions(
        request.transactional_id, request.producer_id, request.producer_epoch, [partition],
        client_version=TV1, now=context.now,
    )  # fmt: skip

    def respond(error_code: int) -> AddOffsetsToTxnResponse:
        if error_code == errors.PRODUCER_FENCED and context.version < FIRST_VERSION_WITH_PRODUCER_FENCED:
            error_code = errors.INVALID_PRODUCER_EPOCH
        return AddOffsetsToTxnResponse(error_code=error_code)

    return then(added, respond)


def failed(_request: AddOffsetsToTxnRequest, error_code: int) -> AddOffsetsToTxnResponse:
    """The response that fails the whole request."""
    return AddOffsetsToTxnResponse(error_code=error_code)
