"""InitProducerId (22), versions 0-5: a producer id for an idempotent or a transactional producer (KIP-98).

v2 is flexible, v3 adds the producer's current id (KIP-360), v4 answers PRODUCER_FENCED, which is INVALID_PRODUCER_EPOCH
before, v5 allows TRANSACTION_ABORTABLE (KIP-890).

Behavior:
- Without a transactional id every request gets a new id with epoch 0, also one that has an id already.
- With one, the epoch rises, so that other instances with this transactional id are shut out. A producer that names its
  current id and epoch goes on after an error; with an earlier one it is PRODUCER_FENCED.
- An open transaction is aborted: CONCURRENT_TRANSACTIONS, and the client comes again.
- When the epochs of a producer id are used up (32766), the transactional id gets a new one.
- When this broker's block of ids is used up, the request waits for a new block from the controller; if none comes in
  time: COORDINATOR_LOAD_IN_PROGRESS, which clients retry.
- An id without an epoch or an epoch without an id, or an empty transactional id: INVALID_REQUEST.
- A time-out that is not positive or above transaction.max.timeout.ms: INVALID_TRANSACTION_TIMEOUT.
"""

from kafkacompat.broker.answers import Deferred
from kafkacompat.broker.coordinator.runtime import then
from kafkacompat.broker.purgatory import PRODUCER_IDS_KEY, Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from kafkacompat.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer, Settled
    from kafkacompat.broker.context import Context, Services
    from kafkacompat.now import Now

FIRST_EPOCH = 0
FIRST_VERSION_WITH_PRODUCER_FENCED = 4


def handle(request: InitProducerIdRequest, context: "Context") -> "Answer":
    """Ask the coordinator of the transactional id; without one, any id will do."""
    is_half = (request.producer_id == NO_PRODUCER_ID) != (request.producer_epoch == NO_PRODUCER_EPOCH)
    if is_half or request.transactional_id == "":
        return InitProducerIdResponse(error_code=errors.INVALID_REQUEST, producer_epoch=NO_PRODUCER_EPOCH)
    return _fresh(context) if request.transactional_id is None else _transactional(request, context)


def _transactional(request: InitProducerIdRequest, context: "Context") -> "Answer":
    assert request.transactional_id is not None
    expected = None if request.producer_id == NO_PRODUCER_ID else (request.producer_id, request.producer_epoch)
    answer = context.services.transactions.init_producer_id(
        request.transactional_id, request.transaction_timeout_ms, expected, context.now
    )
    if not isinstance(answer, Deferred):
        return then(answer, lambda found: _for_version(found, context.version))
    late = Deferred()
    answer.then(lambda found: late.complete(_for_version(found, context.version)))
    return late


def _for_version(response: "Settled", version: int) -> "Settled":
    assert isinstance(response, InitProducerIdResponse)
    if response.error_code == errors.PRODUCER_FENCED and version < FIRST_VERSION_WITH_PRODUCER_FENCED:
        return InitProducerIdResponse(error_code=errors.INVALID_PRODUCER_EPOCH, producer_epoch=NO_PRODUCER_EPOCH)
    return response


def _fresh(context: "Context") -> InitProducerIdResponse | Pending:
    """The next id, or wait until the controller has allocated a block."""
    services = context.services

    def finish(now: "Now", expired: bool) -> InitProducerIdResponse | None:
        answer = _next(services)
        if answer is None and expired:
            return InitProducerIdResponse(
                error_code=errors.COORDINATOR_LOAD_IN_PROGRESS, producer_epoch=NO_PRODUCER_EPOCH
            )
        if answer is None:
            services.request_producer_ids(now)
        return answer

    answer = finish(context.now, False) or _next(services)  # noqa: FBT003 (the controller may answer at once)
    return answer or Pending([PRODUCER_IDS_KEY], context.now.monotonic_ms + services.request_timeout_ms, finish)


def failed(_request: InitProducerIdRequest, error_code: int) -> InitProducerIdResponse:
    """The response that fails the whole request."""
    return InitProducerIdResponse(error_code=error_code)


def _next(services: "Services") -> InitProducerIdResponse | None:
    producer_id = services.producer_ids.next_id()
    return None if producer_id is None else InitProducerIdResponse(producer_id=producer_id, producer_epoch=FIRST_EPOCH)
