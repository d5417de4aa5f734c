"""EndTxn (26), versions 0-5: commit or abort a transaction (KIP-98).

v2 answers PRODUCER_FENCED, which is INVALID_PRODUCER_EPOCH before, v3 is flexible, v4 allows TRANSACTION_ABORTABLE. v5
raises the producer's epoch at every end, and answers producer id and epoch of the next transaction (KIP-890).

Behavior:
- Answered once the decision is committed, before the markers are written.
- A repeated request is answered as the first one: by v0-4 if the epoch is the same, by v5 if it is the one before.
- An empty transactional id: INVALID_REQUEST. An unknown one, or another producer id: INVALID_PRODUCER_ID_MAPPING.
- Another epoch: PRODUCER_FENCED. While the transaction ends: CONCURRENT_TRANSACTIONS.
- Nothing to end: INVALID_TXN_STATE, except for an abort in v5.
"""

from kafkacompat.broker.coordinator.runtime import then
from kafkacompat.broker.coordinator.txn.state import FIRST_EPOCH_BUMPING_VERSION
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending

FIRST_VERSION_WITH_PRODUCER_FENCED = 2
FIRST_VERSION_WITH_EPOCH_BUMP = 5


def handle(request: EndTxnRequest, context: "Context") -> "EndTxnResponse | Pending":
    """End the transaction."""
    if request.transactional_id == "":
        return EndTxnResponse(error_code=errors.INVALID_REQUEST)
    bumps = context.version >= FIRST_VERSION_WITH_EPOCH_BUMP
    ended = context.services.transactions.end(request, FIRST_EPOCH_BUMPING_VERSION if bumps else 0, context.now)
    return then(ended, lambda response: _for_version(response, context.version))


def failed(_request: EndTxnRequest, error_code: int) -> EndTxnResponse:
    """The response that fails the whole request."""
    return EndTxnResponse(error_code=error_code)


def _for_version(response: EndTxnResponse, version: int) -> EndTxnResponse:
    if response.error_code == errors.PRODUCER_FENCED and version < FIRST_VERSION_WITH_PRODUCER_FENCED:
        return EndTxnResponse(error_code=errors.INVALID_PRODUCER_EPOCH)
    return response
