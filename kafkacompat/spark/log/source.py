"""`format("kafkacompat-log")`: PySpark's data source in Python, over the segment files of log directories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql import datasource
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition

from kafkacompat.spark.log.fields import BATCH_FIELDS, BATCH_FIELDS_OF_RECORD, HEADERS_FIELD, RAW_FIELD, RECORD_FIELDS
from kafkacompat.spark.log.log_files import LogReadError
from kafkacompat.spark.log.offset_ranges import splits_of_batch
from kafkacompat.spark.log.pushed_filters import Narrowing, narrow
from kafkacompat.spark.log.read_options import LogOptions, parse
from kafkacompat.spark.log.stream_source import check_supported, stream_reader
from kafkacompat.spark.log.tasks import read, reading_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

FORMAT = "kafkacompat-log"


class LogDataSource(DataSource):
    """What `spark.read.format("kafkacompat-log")` and `spark.readStream.format("kafkacompat-log")` make."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        """The columns that the options ask for, those of Spark's Kafka source if they ask for nothing."""
        options = _parsed(self.options)
        check_supported(options)
        return ", ".join(f"{name} {kind}" for name, kind in _fields(options).items())

    def reader(self, schema: StructType) -> DataSourceReader:
        options = parse(self.options)
        kind = LogReader
        if options.pushdown:
            if not hasattr(datasource, "Filter"):
                raise LogReadError("pushdown needs Spark 4.1 or newer")
            kind = PushdownLogReader
        return kind(options, _columns(schema, options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        options = parse(self.options, is_stream=True)
        return stream_reader(options, _columns(schema, options))


def _parsed(options: Any) -> LogOptions:
    """The options of a batch or of a stream: a schema is asked for before it is known which."""
    try:
        return parse(options)
    except LogReadError:
        return parse(options, is_stream=True)


def _fields(options: LogOptions) -> dict[str, str]:
    """Names and types of the columns."""
    if options.is_by_batch:
        return BATCH_FIELDS | (RAW_FIELD if options.include_batch_bytes else {})
    headers = HEADERS_FIELD if options.include_headers else {}
    return RECORD_FIELDS | headers | (BATCH_FIELDS_OF_RECORD if options.include_batch_fields else {})


def _columns(schema: StructType, options: LogOptions) -> list[str]:
    """The columns that a schema names: all, or some of them in any order. Others are not decoded."""
    known = BATCH_FIELDS | RAW_FIELD if options.is_by_batch else RECORD_FIELDS | HEADERS_FIELD | BATCH_FIELDS_OF_RECORD
    for field in schema.fields:
        kind = field.dataType.simpleString()
        if known.get(field.name) != kind:
            there = ", ".join(f"{name} {kind}" for name, kind in known.items())
            raise LogReadError(f"there is no column {field.name} {kind}: there are {there}")
    return [field.name for field in schema.fields]


class LogReader(DataSourceReader):
    """A batch."""

    def __init__(self, options: LogOptions, names: list[str]) -> None:
        self._options = options
        self._reading = reading_of(options, names)
        self._narrowing = Narrowing()

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(split) for split in splits_of_batch(self._options, self._narrowing)]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        if partition is None:  # pyspark's task for a read without partitions
            return iter(())
        return read(partition.value, self._options, self._reading)


class PushdownLogReader(LogReader):
    """A batch that is told the query's conditions. Spark refuses such a class unless its setting for that is on."""

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:  # noqa: N802
        """Note what need not be read. Spark applies all conditions once more."""
        self._narrowing = narrow(filters)
        if self._narrowing.min_timestamp_ms is not None:
            self._reading = self._reading._replace(min_timestamp_ms=self._narrowing.min_timestamp_ms)
        return filters
