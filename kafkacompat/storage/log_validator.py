"""What a topic's config asks of the batches that clients send (Kafka's ``LogValidator``)."""

from kafkacompat.protocol.records.batch import LOG_OVERHEAD
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.validate import check_client_batch, check_create_time, check_fits_segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.storage.recompress import Recompression
    from kafkacompat.storage.validate import HeaderFields


class LogValidator:
    """Checks the one batch of a client, and recompresses it where the topic asks for that. Made anew for each config.

    ``stamps_append_time``: the topic's timestamps are the broker's. ``opens_batches``: a batch is decompressed before
    it is appended.
    """

    __slots__ = (
        "_config", "_segment_bytes", "_timestamp_after_ms", "_timestamp_before_ms", "max_message_bytes",
        "opens_batches", "stamps_append_time",
    )  # fmt: skip

    def __init__(self, config: "TopicConfig") -> None:
        self._config = config
        self._segment_bytes: int = config.segment_bytes
        self._timestamp_before_ms: int = config.message_timestamp_before_max_ms
        self._timestamp_after_ms: int = config.message_timestamp_after_max_ms
        self.max_message_bytes: int = config.max_message_bytes
        self.stamps_append_time = config.message_timestamp_type == "LogAppendTime"
        self.opens_batches = config.compression_type != "producer" or config.is_compacted

    def validate(
        self, records: memoryview, now: "Now", recompression: "Recompression | None"
    ) -> "tuple[memoryview, HeaderFields]":
        """The batch as the topic wants it stored, and its header. Raises LogError with the code that Kafka answers.

        ``recompression``: what ``self.recompression`` has returned for this batch, and has been run.
        """
        fields = check_client_batch(records, self.max_message_bytes, stamps_append_time=self.stamps_append_time)
        records = records[: fields[1] + LOG_OVERHEAD]
        if self.opens_batches:
            config = self._config
            if recompression is None:
                from kafkacompat.storage.recompress import recompress  # few topics need it

                records = recompress(records, config, now.wall_ms)
            else:
                stored = recompression.result(config)
                if not stored.readonly:  # else the batch stays as it came, in memory that cannot be written
                    records = stored
            fields = check_client_batch(records, self.max_message_bytes)
        if not self.stamps_append_time:
            first_ms, max_ms = fields[7], fields[8]
            check_create_time(
                records, first_ms, max_ms, now.wall_ms, self._timestamp_before_ms, self._timestamp_after_ms
            )
        check_fits_segment(len(records), self._segment_bytes)
        return records, fields

    def recompression(self, records: memoryview, now: "Now") -> "Recompression | None":
        """The slow part of ``validate`` for a large batch, to be run before it; None if there is none."""
        if not self.opens_batches:
            return None
        try:
            fields = check_client_batch(records, self.max_message_bytes, stamps_append_time=self.stamps_append_time)
        except LogError:
            return None  # the append refuses it
        from kafkacompat.storage.recompress import Recompression, is_large

        records = records[: fields[1] + LOG_OVERHEAD]
        return Recompression(records, self._config, now.wall_ms) if is_large(records, self._config) else None
