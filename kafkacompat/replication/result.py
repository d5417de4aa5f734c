"""What a core answers: records to append, and the response that waits until they are committed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.protocol.primitives import Message


class Result:
    """The records of one atomic change of metadata, possibly none, and the response to give once they are committed."""

    __slots__ = ("records", "response")

    def __init__(self, records: "Sequence[Message]", response: "Any" = None) -> None:
        self.records = records
        self.response = response


class RefusedError(Exception):
    """A request, or one item of it, that breaks a rule. `error_code` is Kafka's; no message is null on the wire."""

    def __init__(self, error_code: int, message: str | None = None) -> None:
        super().__init__(message)
        self.error_code = error_code
        self.message = message
