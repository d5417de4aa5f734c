"""BrokerRegistration (62), versions 0-4: a broker joins the cluster (KIP-631). v1 is of the migration from ZooKeeper,
v2 names log directories (KIP-858), v3 tells the epoch of the last clean stop (KIP-966), v4 has features from 0 on.
"""

from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.error_codes import NONE
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, BrokerRegistrationResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.replication.controller.active import ActiveController
    from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent


def handle(request: BrokerRegistrationRequest, context: "Context") -> "Answer":
    """Hand it to the active controller, which from now on watches the connection of a broker that it has taken."""
    return ask_controller(context, lambda controller: _register(controller, request, context))


def failed(_request: BrokerRegistrationRequest, error_code: int) -> BrokerRegistrationResponse:
    """The response that refuses the whole request."""
    return BrokerRegistrationResponse(error_code=error_code)


def _register(
    controller: "ActiveController", request: BrokerRegistrationRequest, context: "Context"
) -> "DeferredEvent":
    def decided(response: object) -> None:
        if isinstance(response, BrokerRegistrationResponse) and response.error_code == NONE:
            context.services.controller_server.heard(request.broker_id, context.connection, context.now)
        else:
            context.services.controller_server.moved(context.now)  # a last life that may be dead is dialed now

    event = controller.register(request, context.now)
    event.when_decided(decided)
    return event
