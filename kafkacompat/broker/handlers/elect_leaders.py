"""ElectLeaders (43), versions 0-2: elect the preferred replicas, or any live replica (unclean). v1 adds the election
type (KIP-460), v2 is flexible.
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
    """Ask the active controller; REQUEST_TIMED_OUT without executing it if timeout_ms is 0 or less."""
    if request.timeout_ms <= 0:
        return Failed(REQUEST_TIMED_OUT)
    return ask_controller(context, lambda controller: controller.elect_leaders(request, context.now))


def failed(request: ElectLeadersRequest, error_code: int) -> ElectLeadersResponse:
    """The response with one error at the top level and in each partition."""
    return refused_elections(request, error_code)
