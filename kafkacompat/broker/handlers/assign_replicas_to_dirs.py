"""AssignReplicasToDirs (73), version 0: a broker reports the log directories of its replicas (KIP-858)."""

from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.messages.assign_replicas_to_dirs import (
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsResponse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: AssignReplicasToDirsRequest, context: "Context") -> "Answer":
    """Ask the active controller."""
    return ask_controller(context, lambda controller: controller.assign_directories(request, context.now))


def failed(_request: AssignReplicasToDirsRequest, error_code: int) -> AssignReplicasToDirsResponse:
    """The response that fails the whole request."""
    return AssignReplicasToDirsResponse(error_code=error_code)
