"""AlterPartition (56), versions 2-3: another in-sync set, from its leader (KIP-497). v3 has broker epochs (KIP-903)."""

from kafkacompat.broker.control.controllership import ask_controller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.protocol.messages.alter_partition import AlterPartitionRequest


def handle(request: "AlterPartitionRequest", context: "Context") -> object:
    """Hand it to the active controller."""
    return ask_controller(context, lambda controller: controller.alter_partition(request, context.now))
