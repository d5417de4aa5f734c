"""The result of an operation: records to append, and the response that is sent once they are committed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.protocol.primitives import Message


class Result:
    """The records of one metadata change, possibly none, and its response (Kafka's ControllerResult).

    is_atomic: all records are applied together, in one batch. Otherwise each is applied by itself, in order, and large
    numbers are written as several batches.
    """

    __slots__ = ("is_atomic", "records", "response")

    def __init__(self, records: "Sequence[Message]", response: "Any" = None, *, is_atomic: bool = True) -> None:
        self.records = records
        self.response = response
        self.is_atomic = is_atomic


class RefusedError(Exception):
    """A request, or one item of it, is refused. `error_code` is Kafka's; a missing message is null on the wire."""

    def __init__(self, error_code: int, message: str | None = None) -> None:
        super().__init__(message)
        self.error_code = error_code
        self.message = message
