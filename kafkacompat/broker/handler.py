"""The typed protocol of handler modules. Imported for type checking only; the registry imports the modules."""

from typing import Any, Protocol

from kafkacompat.broker.answers import Answer
from kafkacompat.broker.context import Context
from kafkacompat.protocol.primitives import Message


class Handler(Protocol):
    """A module of `broker/handlers/`."""

    def handle(self, request: Any, context: Context) -> Answer:
        """Answer one request."""

    def failed(self, request: Any, error_code: int) -> Message:
        """The response that fails the whole request with one error: at the top level, or in each item."""


class LocalValidator(Handler, Protocol):
    """A handler of the active controller with checks that the receiving broker makes (`Api.validates_locally`)."""

    def validate_locally(self, request: Any, context: Context) -> dict[int, Message]:
        """Error results of the items that this broker rejects, by position in the request. The rest is forwarded."""
