"""ElectLeaders (43), versions 0-2: give leaderships back to preferred replicas, or elect whoever there is. v1 has the
kind of election (KIP-460), v2 is flexible.
"""

from kafkacompat.broker.answers import Failed
from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.error_codes import REQUEST_TIMED_OUT
from kafkacompat.protocol.messages.elect_leaders import ElectLeadersRequest, ElectLeadersResponse
from kafkacompat.replication.controller.elect_leaders import refused_elections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: ElectLeadersRequest, context: "Context") -> "Answer":
    """Hand it to the active controller; without time it is not begun."""
    if request.timeout_ms <= 0:
        return Failed(REQUEST_TIMED_OUT)
    return ask_controller(context, lambda controller: controller.elect_leaders(request, context.now))


def failed(request: ElectLeadersRequest, error_code: int) -> ElectLeadersResponse:
    """One error for the whole request and each of its partitions."""
    return refused_elections(request, error_code)
