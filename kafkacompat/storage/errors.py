"""Errors of a log, with the error codes that Kafka answers."""

from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class LogError(Exception):
    """A request that the log cannot carry out. ``error_code`` is Kafka's; the message says why."""

    def __init__(self, error_code: int, message: str) -> None:
        super().__init__(message)
        self.error_code = error_code


class RecordsRefusedError(LogError):
    """A well-formed batch that this log refuses. ``indexes`` are those of the bad records, empty if the whole batch is
    refused.
    """

    def __init__(self, error_code: int, message: str, indexes: "Sequence[int]" = ()) -> None:
        super().__init__(error_code, message)
        self.indexes = indexes


class ShortageError(LogError):
    """An append lacked descriptors or room on the disk, or a read or a truncation lacked descriptors. Nothing of an
    append is in the log, and nothing of a truncation is done; the log goes on.
    """

    def __init__(self, message: str) -> None:
        super().__init__(KAFKA_STORAGE_ERROR, message)


class DiskFullError(ShortageError):
    """It lacked room."""


class UnfinishedError(LogError):
    """Work that is too much for one turn of the event loop. It is remembered: who asks again goes on with it. Clients
    try again by themselves.
    """

    def __init__(self, message: str) -> None:
        super().__init__(KAFKA_STORAGE_ERROR, message)


class CorruptSnapshotError(Exception):
    """A producer snapshot file that cannot be used; an older one or the log itself takes its place."""
