"""`format("kafkacompat-log")`: PySpark's data source in Python, over the segment files of log directories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from kafkacompat.spark.fields import BATCH_FIELDS, BATCH_FIELDS_OF_RECORD, HEADERS_FIELD, RAW_FIELD, RECORD_FIELDS
from kafkacompat.spark.log_files import LogReadError
from kafkacompat.spark.offset_ranges import splits_of_batch
from kafkacompat.spark.read_damage import DamageHandler, reported
from kafkacompat.spark.read_options import LogOptions, parse
from kafkacompat.spark.segment_reader import read_split
from kafkacompat.spark.split import Reading, Split

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
        return ", ".join(f"{name} {kind}" for name, kind in fields_of(parse_leniently(self.options)).items())

    def reader(self, schema: StructType) -> DataSourceReader:
        options = parse(self.options)
        names = columns_of(schema, options)
        return LogReader(options, names)


def parse_leniently(options: Any) -> LogOptions:
    """The options of a batch or of a stream: a schema is asked for before it is known which."""
    try:
        return parse(options)
    except LogReadError:
        return parse(options, is_stream=True)


def fields_of(options: LogOptions) -> dict[str, str]:
    """Names and types of the columns."""
    if options.is_by_batch:
        return BATCH_FIELDS | (RAW_FIELD if options.include_batch_bytes else {})
    headers = HEADERS_FIELD if options.include_headers else {}
    return RECORD_FIELDS | headers | (BATCH_FIELDS_OF_RECORD if options.include_batch_fields else {})


def columns_of(schema: StructType, options: LogOptions) -> list[str]:
    """The columns that a schema names: all, or some of them in any order. Others are not decoded."""
    known = BATCH_FIELDS | RAW_FIELD if options.is_by_batch else RECORD_FIELDS | HEADERS_FIELD | BATCH_FIELDS_OF_RECORD
    for field in schema.fields:
        kind = field.dataType.simpleString()
        if known.get(field.name) != kind:
            there = ", ".join(f"{name} {kind}" for name, kind in known.items())
            raise LogReadError(f"there is no column {field.name} {kind}: there are {there}")
    return [field.name for field in schema.fields]


def reading_of(options: LogOptions, names: list[str]) -> Reading:
    return Reading(names, options.is_by_batch, options.check_crcs, options.fail_on_data_loss)


def read(split: Split | None, options: LogOptions, reading: Reading) -> Iterator[pa.RecordBatch]:
    """What a task does. None: Spark has a task even where there is nothing to read."""
    if split is not None:
        damage = DamageHandler(options.on_damage)
        with reported(damage, options.damage_report, split.name):
            yield from read_split(split, reading, damage)


class LogReader(DataSourceReader):
    """A batch."""

    def __init__(self, options: LogOptions, names: list[str]) -> None:
        self._options = options
        self._reading = reading_of(options, names)

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(split) for split in splits_of_batch(self._options)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return read(partition.value, self._options, self._reading)
