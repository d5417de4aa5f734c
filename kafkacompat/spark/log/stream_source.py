"""A stream over segment files, for PySpark: micro-batches of what brokers have committed since the last one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from kafkacompat.spark.log.log_files import LogReadError
from kafkacompat.spark.log.read_options import LogOptions
from kafkacompat.spark.log.stream_offsets import JsonOffsets, StreamOffsets
from kafkacompat.spark.log.tasks import read, reading_of

if TYPE_CHECKING:
    import pyarrow as pa


class LogStreamReader(DataSourceStreamReader):
    """What streams on all Sparks have in common."""

    def __init__(self, options: LogOptions, names: list[str]) -> None:
        self._options = options
        self._reading = reading_of(options, names)
        self._offsets = StreamOffsets(options)

    def initialOffset(self) -> JsonOffsets:  # noqa: N802
        return self._offsets.initial()

    def partitions(self, start: JsonOffsets, end: JsonOffsets) -> list[InputPartition]:
        return [InputPartition(split) for split in self._offsets.splits(start, end)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return read(partition.value, self._options, self._reading)


class UnlimitedLogStreamReader(LogStreamReader):
    """A stream on Spark 4.0 and 4.1, where a micro-batch is all that there is."""

    def latestOffset(self) -> JsonOffsets:  # noqa: N802
        """Spark does not say where it is, so what was removed since is noticed when the batch is planned."""
        return self._offsets.latest({})


def check_supported(options: LogOptions) -> None:
    """Raises LogReadError for options that this Spark lacks. Spark 4.0 hides what is raised where it makes a reader."""
    if (options.max_offsets_per_trigger or options.max_bytes_per_trigger) and read_limits() is None:
        raise LogReadError("maxOffsetsPerTrigger and maxBytesPerTrigger need Spark 4.2 or newer")


def read_limits() -> Any:
    """The module with Spark's read limits, None before 4.2."""
    try:
        from pyspark.sql.streaming import datasource
    except ImportError:
        return None
    return datasource


def stream_reader(options: LogOptions, names: list[str]) -> DataSourceStreamReader:
    """The reader that this Spark can use. Raises LogReadError for options that it lacks."""
    check_supported(options)
    limits = read_limits()
    return UnlimitedLogStreamReader(options, names) if limits is None else _limited(limits)(options, names)


def _limited(limits: Any) -> Any:
    """The class for Sparks with read limits. A function, because its bases are not in older ones."""

    class LimitedLogStreamReader(LogStreamReader, limits.SupportsTriggerAvailableNow):
        """A stream on Spark 4.2 and newer."""

        def getDefaultReadLimit(self) -> Any:  # noqa: N802
            if self._options.max_offsets_per_trigger:
                return limits.ReadMaxRows(self._options.max_offsets_per_trigger)
            if self._options.max_bytes_per_trigger:
                return limits.ReadMaxBytes(self._options.max_bytes_per_trigger)
            return limits.ReadAllAvailable()

        def latestOffset(self, start: JsonOffsets, limit: Any) -> JsonOffsets:  # noqa: N802
            max_offsets, max_bytes = getattr(limit, "max_rows", None), getattr(limit, "max_bytes", None)
            return self._offsets.latest(start, max_offsets=max_offsets, max_bytes=max_bytes)

        def reportLatestOffset(self) -> JsonOffsets:  # noqa: N802
            return self._offsets.present_ends()

        def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
            self._offsets.stop_at_present_end()

    return LimitedLogStreamReader
