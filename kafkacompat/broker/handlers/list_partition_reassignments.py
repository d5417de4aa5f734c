"""ListPartitionReassignments (46), version 0: the reassignments in progress (KIP-455)."""

from kafkacompat.broker.answers import Failed
from kafkacompat.protocol.error_codes import NOT_CONTROLLER
from kafkacompat.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: ListPartitionReassignmentsRequest, context: "Context") -> "Answer":
    """List what the active controller has committed."""
    controller = context.services.controller_server.active
    return Failed(NOT_CONTROLLER) if controller is None else controller.list_reassignments(request)


def failed(_request: ListPartitionReassignmentsRequest, error_code: int) -> ListPartitionReassignmentsResponse:
    """The response that fails the whole request."""
    return ListPartitionReassignmentsResponse(error_code=error_code, error_message=None)
