"""AllocateProducerIds (67), version 0: allocate the next block of producer ids to a broker (KIP-730)."""

from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest, AllocateProducerIdsResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: AllocateProducerIdsRequest, context: "Context") -> "Answer":
    """Ask the active controller."""
    return ask_controller(context, lambda controller: controller.allocate_producer_ids(request, context.now))


def failed(_request: AllocateProducerIdsRequest, error_code: int) -> AllocateProducerIdsResponse:
    """The response that fails the whole request."""
    return AllocateProducerIdsResponse(error_code=error_code)
