"""What the module of a handler offers. For types alone; the registry imports the modules themselves."""

from typing import Any, Protocol

from kafkacompat.broker.answers import Answer
from kafkacompat.broker.context import Context
from kafkacompat.protocol.primitives import Message


class Handler(Protocol):
    """A module of `broker/handlers/`."""

    def handle(self, request: Any, context: Context) -> Answer:
        """Answer one request."""

    def failed(self, request: Any, error_code: int) -> Message:
        """The response that refuses the whole request with one error: at its top, or of each item."""


class LocalValidator(Handler, Protocol):
    """A handler for the active controller, of which any broker refuses some items itself (`Api.validates_locally`)."""

    def validate_locally(self, request: Any, context: Context) -> dict[int, Message]:
        """What this broker refuses before the rest is forwarded, by position in the request."""
