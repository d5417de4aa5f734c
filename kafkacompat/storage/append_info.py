"""The result of an append."""


class AppendInfo:
    """The result of an append.

    ``append_time_ms`` is −1 unless the log stamps LogAppendTime. For a ``duplicate`` all values are those of the
    earlier batch. With ``sync_required`` the append must be acknowledged only once ``flushed_offset > last_offset``.
    """

    __slots__ = (
        "append_time_ms",
        "duplicate",
        "first_offset",
        "last_offset",
        "log_start_offset",
        "max_timestamp_ms",
        "sync_required",
    )

    def __init__(
        self,
        first_offset: int,
        last_offset: int,
        max_timestamp_ms: int,
        append_time_ms: int,
        log_start_offset: int,
        *,
        duplicate: bool = False,
        sync_required: bool = False,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.max_timestamp_ms = max_timestamp_ms
        self.append_time_ms = append_time_ms
        self.log_start_offset = log_start_offset
        self.duplicate = duplicate
        self.sync_required = sync_required
