"""ControllerRegistration (70), version 0: a controller registers its endpoints and features (KIP-919)."""

from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.messages.controller_registration import (
    ControllerRegistrationRequest,
    ControllerRegistrationResponse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: ControllerRegistrationRequest, context: "Context") -> "Answer":
    """Ask the active controller."""
    return ask_controller(context, lambda controller: controller.register_controller(request, context.now))


def failed(_request: ControllerRegistrationRequest, error_code: int) -> ControllerRegistrationResponse:
    """The response that fails the whole request."""
    return ControllerRegistrationResponse(error_code=error_code)
