"""What a task of a batch or of a stream does: it reads one split."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafkacompat.spark.log.read_damage import DamageHandler, reported
from kafkacompat.spark.log.read_options import LogOptions
from kafkacompat.spark.log.segment_reader import read_split
from kafkacompat.spark.log.split import Reading, Split

if TYPE_CHECKING:
    import pyarrow as pa


def reading_of(options: LogOptions, names: list[str]) -> Reading:
    """How the columns `names` are read."""
    return Reading(names, options.is_by_batch, options.check_crcs, options.fail_on_data_loss)


def read(split: Split | None, options: LogOptions, reading: Reading) -> Iterator[pa.RecordBatch]:
    """The rows of a split. None: Spark has a task even where there is nothing to read."""
    if split is not None:
        damage = DamageHandler(options.on_damage)
        with reported(damage, options.damage_report, split.name):
            yield from read_split(split, reading, damage)
