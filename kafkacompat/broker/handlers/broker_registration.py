"""BrokerRegistration (62), versions 0-4: a broker joins the cluster (KIP-631). v1 has a field of the ZooKeeper
migration, v2 adds log directories (KIP-858), v3 the broker epoch of the last clean shutdown (KIP-966), v4 features
with a minimum level of 0.
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
    """Ask the active controller. It watches the connections of brokers that it has registered."""
    return ask_controller(context, lambda controller: _register(controller, request, context))


def failed(_request: BrokerRegistrationRequest, error_code: int) -> BrokerRegistrationResponse:
    """The response that fails the whole request."""
    return BrokerRegistrationResponse(error_code=error_code)


def _register(
    controller: "ActiveController", request: BrokerRegistrationRequest, context: "Context"
) -> "DeferredEvent":
    def decided(response: object) -> None:
        if isinstance(response, BrokerRegistrationResponse) and response.error_code == NONE:
            context.services.controller_server.heard(request.broker_id, context.connection, context.now)
        else:
            context.services.controller_server.moved(context.now)  # it may now have to dial the previous incarnation

    event = controller.register(request, context.now)
    event.when_decided(decided)
    return event
