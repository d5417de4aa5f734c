"""Each column has the type that Spark is told of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from kafkacompat.protocol.records.builder import build_batch
from kafkacompat.spark.log.batch_headers import HEADER_TYPE, codecs, column, read_headers
from kafkacompat.spark.log.columns import HEADERS_TYPE
from kafkacompat.spark.log.fields import BATCH_FIELDS, BATCH_FIELDS_OF_RECORD, HEADERS_FIELD, RAW_FIELD, RECORD_FIELDS
from kafkacompat.spark.log.read_damage import FAIL, DamageHandler
from kafkacompat.spark.log.segment_reader import read_split
from kafkacompat.spark.log.split import Reading
from tests.spark.log.segment_files import records_from, whole, write_segment

ARROW = {
    "binary": pa.binary(), "string": pa.string(), "int": pa.int32(), "bigint": pa.int64(), "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", "UTC"), HEADERS_FIELD["headers"]: HEADERS_TYPE,
}  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "is_by_batch"),
    [(RECORD_FIELDS | HEADERS_FIELD | BATCH_FIELDS_OF_RECORD, False), (BATCH_FIELDS | RAW_FIELD, True)],
)
def test_types_are_those_of_the_schema(tmp_path: Path, fields: dict[str, str], is_by_batch: bool) -> None:
    split = whole(write_segment(tmp_path, [build_batch(records_from(0, 3))]))
    (batch,) = read_split(split, Reading(list(fields), is_by_batch), DamageHandler(FAIL))
    assert {field.name: field.type for field in batch.schema} == {name: ARROW[kind] for name, kind in fields.items()}
    batch.validate(full=True)


def test_headers_of_batches_are_read_field_by_field() -> None:
    batch = build_batch(records_from(5, 2), base_offset=5, leader_epoch=3, compression=4, producer_id=9)
    headers = read_headers(np.frombuffer(batch * 2, np.uint8), np.array([0, len(batch)]))
    assert headers.dtype == HEADER_TYPE
    assert column(headers, "producer_id").tolist() == [9, 9]
    assert codecs(headers).tolist() == [4, 4]
