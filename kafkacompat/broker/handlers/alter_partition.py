"""AlterPartition (56), versions 2-3: a leader changes the ISR (KIP-497). v3 has broker epochs (KIP-903)."""

from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: AlterPartitionRequest, context: "Context") -> "Answer":
    """Ask the active controller."""
    return ask_controller(context, lambda controller: controller.alter_partition(request, context.now))


def failed(_request: AlterPartitionRequest, error_code: int) -> AlterPartitionResponse:
    """The response that fails the whole request."""
    return AlterPartitionResponse(error_code=error_code)
