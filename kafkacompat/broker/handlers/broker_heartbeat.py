"""BrokerHeartbeat (63), versions 0-2: a broker reports that it is alive, and asks to be unfenced or to shut down
(KIP-631). v1 adds offline log directories (KIP-858), v2 cordoned ones (KIP-1066).
"""

from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.error_codes import NONE
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.replication.controller.active import ActiveController
    from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent


def handle(request: BrokerHeartbeatRequest, context: "Context") -> "Answer":
    """Ask the active controller. It watches the connection of a broker's last heartbeat."""
    return ask_controller(context, lambda controller: _heartbeat(controller, request, context))


def failed(_request: BrokerHeartbeatRequest, error_code: int) -> BrokerHeartbeatResponse:
    """The response that fails the whole request."""
    return BrokerHeartbeatResponse(error_code=error_code)


def _heartbeat(controller: "ActiveController", request: BrokerHeartbeatRequest, context: "Context") -> "DeferredEvent":
    def decided(response: object) -> None:
        if isinstance(response, BrokerHeartbeatResponse) and response.error_code == NONE:
            context.services.controller_server.heard(request.broker_id, context.connection, context.now)

    event = controller.heartbeat(request, context.now)
    event.when_decided(decided)
    return event
