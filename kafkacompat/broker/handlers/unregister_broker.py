"""UnregisterBroker (64), version 0: remove the registration of a broker that will not return (KIP-500)."""

from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: UnregisterBrokerRequest, context: "Context") -> "Answer":
    """Ask the active controller."""
    return ask_controller(context, lambda controller: controller.unregister(request, context.now))


def failed(_request: UnregisterBrokerRequest, error_code: int) -> UnregisterBrokerResponse:
    """The response that fails the whole request."""
    return UnregisterBrokerResponse(error_code=error_code, error_message=None)
