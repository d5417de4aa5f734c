"""InitProducerId (22), versions 0-5: a producer id for an idempotent producer (KIP-98). v2 is flexible, v3 adds the
producer's current id (KIP-360), v4-5 concern transactions.

Behavior:
- Every request gets a new id with epoch 0, also one that has an id already, as in Kafka.
- When this broker's block of ids is used up, the request waits for a new block from the controller; if none comes in
  time: COORDINATOR_LOAD_IN_PROGRESS, which clients retry.
- An id without an epoch or an epoch without an id: INVALID_REQUEST.

Not implemented: transactional ids (UNSUPPORTED_VERSION, which clients take as final).
"""

from kafkacompat.broker.purgatory import PRODUCER_IDS_KEY, Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from kafkacompat.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context, Services
    from kafkacompat.now import Now

FIRST_EPOCH = 0


def handle(request: InitProducerIdRequest, context: "Context") -> InitProducerIdResponse | Pending:
    """Return the next id, or wait until the controller has allocated a block."""
    if request.transactional_id is not None:
        error = errors.UNSUPPORTED_VERSION if request.transactional_id else errors.INVALID_REQUEST
        return InitProducerIdResponse(error_code=error, producer_epoch=NO_PRODUCER_EPOCH)
    if (request.producer_id == NO_PRODUCER_ID) != (request.producer_epoch == NO_PRODUCER_EPOCH):
        return InitProducerIdResponse(error_code=errors.INVALID_REQUEST, producer_epoch=NO_PRODUCER_EPOCH)
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
