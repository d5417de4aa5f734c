"""What a core answers: records to append, and the response that waits until they are committed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.protocol.primitives import Message


class Result:
    """The records of one change of metadata, possibly none, and the response to give once they are committed.

    is_atomic: all records count at once, in one batch. Otherwise each counts for itself, in their order, and many of
    them are written as several batches (Kafka's ControllerResult).
    """

    __slots__ = ("is_atomic", "records", "response")

    def __init__(self, records: "Sequence[Message]", response: "Any" = None, *, is_atomic: bool = True) -> None:
        self.records = records
        self.response = response
        self.is_atomic = is_atomic


class RefusedError(Exception):
    """A request, or one item of it, that breaks a rule. `error_code` is Kafka's; no message is null on the wire."""

    def __init__(self, error_code: int, message: str | None = None) -> None:
        super().__init__(message)
        self.error_code = error_code
        self.message = message
