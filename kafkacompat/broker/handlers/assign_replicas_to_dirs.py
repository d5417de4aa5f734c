"""AssignReplicasToDirs (73), version 0: a broker says in which of its log directories replicas are (KIP-858)."""

from kafkacompat.broker.control.controllership import ask_controller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.protocol.messages.assign_replicas_to_dirs import AssignReplicasToDirsRequest


def handle(request: "AssignReplicasToDirsRequest", context: "Context") -> object:
    """Hand it to the active controller."""
    return ask_controller(context, lambda controller: controller.assign_directories(request, context.now))
