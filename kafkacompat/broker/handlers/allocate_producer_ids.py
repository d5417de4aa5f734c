"""AllocateProducerIds (67), version 0: a broker wants the next block of producer ids (KIP-730)."""

from kafkacompat.broker.control.controllership import ask_controller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest


def handle(request: "AllocateProducerIdsRequest", context: "Context") -> object:
    """Hand it to the active controller."""
    return ask_controller(context, lambda controller: controller.allocate_producer_ids(request, context.now))
