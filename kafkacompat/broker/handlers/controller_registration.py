"""ControllerRegistration (70), version 0: a controller says where it is and what it supports (KIP-919)."""

from kafkacompat.broker.control.controllership import ask_controller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.protocol.messages.controller_registration import ControllerRegistrationRequest


def handle(request: "ControllerRegistrationRequest", context: "Context") -> object:
    """Hand it to the active controller."""
    return ask_controller(context, lambda controller: controller.register_controller(request, context.now))
