"""Pieces of segment files: bounds, control batches, aborted transactions, and damage of every kind."""

from __future__ import annotations

import json
from pathlib import Path
from struct import pack

import pytest

from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, CRC_OFFSET, LENGTH_OFFSET, MAGIC_OFFSET, stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, encode_key
from kafkacompat.spark.log.fields import BATCH_FIELDS, BATCH_FIELDS_OF_RECORD, RAW_FIELD
from kafkacompat.spark.log.read_damage import SKIP, DamagedLogError, DamageHandler, reported
from kafkacompat.spark.log.segment_reader import SegmentGoneError
from kafkacompat.spark.log.split import Aborted
from tests.spark.log.segment_files import expected, records_from, rows, tables, whole, write_segment

CODECS = range(5)


def three(codec: int = 0) -> list[bytearray]:
    """Offsets 0 to 29 in three batches."""
    return [build_batch(records_from(base, 10), base_offset=base, compression=codec) for base in (0, 10, 20)]


def offsets(found: list[object]) -> list[int]:
    return [row.offset for row in found]  # type: ignore[attr-defined]


@pytest.mark.parametrize("codec", CODECS)
def test_bounds_cut_inside_of_batches(tmp_path: Path, codec: int) -> None:
    path = write_segment(tmp_path, three(codec))
    assert offsets(rows(whole(path, start_offset=7, end_offset=24))) == list(range(7, 24))
    assert offsets(rows(whole(path, start_offset=10, end_offset=20))) == list(range(10, 20))
    assert rows(whole(path, start_offset=30)) == []


def test_nothing_behind_the_last_offset_is_looked_at(tmp_path: Path) -> None:
    batches = three()
    path = write_segment(tmp_path, [*batches, b"not a batch" * 20])
    assert rows(whole(path, end_offset=30, must_reach=True)) == expected(batches)


def test_control_batches_are_left_out_and_aborted_records_where_they_are_known(tmp_path: Path) -> None:
    def sent(base: int, producer_id: int) -> bytearray:
        return build_batch(
            records_from(base, 2), base_offset=base, producer_id=producer_id, producer_epoch=0, base_sequence=0,
            is_transactional=True,
        )  # fmt: skip

    def marker(base: int, producer_id: int) -> bytearray:
        return build_batch(
            [Record(base, 5, encode_key(ABORT), b"\0" * 6)], base_offset=base, producer_id=producer_id,
            producer_epoch=0, is_transactional=True, is_control=True,
        )  # fmt: skip

    path = write_segment(tmp_path, [sent(0, 7), sent(2, 8), marker(4, 7), sent(5, 7), sent(7, 8)])
    assert offsets(rows(whole(path))) == [0, 1, 2, 3, 5, 6, 7, 8]
    assert offsets(rows(whole(path, aborted=(Aborted(7, 0, 4),)))) == [2, 3, 5, 6, 7, 8]


@pytest.mark.parametrize("codec", CODECS)
def test_a_wrong_byte_is_an_error_that_says_where_and_can_be_left_out(tmp_path: Path, codec: int) -> None:
    batches = three(codec)
    place = len(batches[0]) + BATCH_OVERHEAD + 5
    path = write_segment(tmp_path, batches)
    damaged = bytearray(path.read_bytes())
    damaged[place] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(DamagedLogError, match=rf"{path}, position {len(batches[0])}: checksum .*onDamage"):
        rows(whole(path))
    found, damage = tables(whole(path), SKIP)
    assert [row["offset"] for row in found] == [*range(10), *range(20, 30)]
    (one,) = damage.found
    assert one[:6] == ("orders", 0, str(path), len(batches[0]), len(batches[1]), 10)


@pytest.mark.parametrize("codec", CODECS)
def test_records_that_cannot_be_decoded_are_found_without_and_with_a_right_checksum(tmp_path: Path, codec: int) -> None:
    batches = three(codec)
    batches[1][BATCH_OVERHEAD : BATCH_OVERHEAD + 12] = b"\xff" * 12
    path = write_segment(tmp_path, batches)
    found, damage = tables(whole(path), SKIP, check_crcs=False)
    assert [row["offset"] for row in found] == [*range(10), *range(20, 30)]
    assert [each.base_offset for each in damage.found] == [10]
    stamp_crc(batches[1], 0, len(batches[1]))
    path = write_segment(tmp_path, batches)
    with pytest.raises(DamagedLogError, match=rf"position {len(batches[0])}: (?!checksum)"):
        rows(whole(path))


@pytest.mark.parametrize(
    ("place", "content", "reason"),
    [
        (LENGTH_OFFSET, pack(">i", 3), "batch length 3 is less than its own header"),
        (LENGTH_OFFSET, pack(">i", 2**31 - 20), "batch of 2147483640 bytes, but the file has"),
        (MAGIC_OFFSET, b"\1", "a message of format v1, not v2"),
        (0, pack(">q", 4), "a batch of offsets 4 to 13 where 10 or more follows"),
        (23, pack(">i", -1), "a batch of offsets 10 to 9 where 10 or more follows"),
    ],
)
def test_a_header_that_cannot_be(tmp_path: Path, place: int, content: bytes, reason: str) -> None:
    batches = three()
    batches[1][place : place + len(content)] = content
    path = write_segment(tmp_path, batches)
    where = len(batches[0])
    with pytest.raises(DamagedLogError, match=f"position {where}: {reason}"):
        rows(whole(path))
    _, damage = tables(whole(path), SKIP)
    assert [each.position for each in damage.found] == [where]


def test_after_bytes_that_are_no_batch_the_index_says_where_the_next_one_is(tmp_path: Path) -> None:
    batches = three()
    batches[1][LENGTH_OFFSET : LENGTH_OFFSET + 4] = pack(">i", 0)
    path = write_segment(tmp_path, batches)
    second, third = len(batches[0]), len(batches[0] + batches[1])
    path.with_suffix(".index").write_bytes(pack(">IIII", 19, second, 29, third) + bytes(80))
    found, damage = tables(whole(path), SKIP)
    assert [row["offset"] for row in found] == [*range(10), *range(20, 30)]
    assert [(each.position, each.size_bytes) for each in damage.found] == [(second, third - second)]


@pytest.mark.parametrize("cut", [1, 30, 100])
def test_a_torn_end_is_damage_but_where_a_broker_writes(tmp_path: Path, cut: int) -> None:
    batches = three()
    path = write_segment(tmp_path, batches)
    path.write_bytes(path.read_bytes()[:-cut])
    assert rows(whole(path, may_be_torn=True)) == expected(batches[:2])
    with pytest.raises(DamagedLogError, match=f"position {len(batches[0] + batches[1])}: "):
        rows(whole(path))
    with pytest.raises(DamagedLogError, match="the log ends at offset 20, but is committed up to 30"):
        rows(whole(path, may_be_torn=True, end_offset=30, must_reach=True))


def test_a_file_that_was_allocated_ahead_ends_with_zeros(tmp_path: Path) -> None:
    batches = three()
    path = write_segment(tmp_path, [*batches, bytes(5000)])
    assert rows(whole(path, may_be_torn=True)) == expected(batches)
    with pytest.raises(DamagedLogError, match="format v0"):
        rows(whole(path))


def test_what_was_left_out_is_counted_in_a_file(tmp_path: Path) -> None:
    batches = three()
    batches[1][CRC_OFFSET] ^= 1
    split = whole(write_segment(tmp_path / "log", batches))
    damage = DamageHandler(SKIP)
    with reported(damage, str(tmp_path / "report"), split.name):
        damage.found += tables(split, SKIP)[1].found
    (file,) = (tmp_path / "report").iterdir()
    (line,) = file.read_text().splitlines()
    assert json.loads(line)["base_offset"] == 10
    assert file.name == f"{split.name}.json"


def test_a_segment_that_is_renamed_before_its_removal_is_read(tmp_path: Path) -> None:
    batches = three()
    path = write_segment(tmp_path, batches)
    split = whole(path)
    path.rename(f"{path}.deleted")
    assert rows(split) == expected(batches)
    Path(f"{path}.deleted").unlink()
    with pytest.raises(SegmentGoneError, match="failOnDataLoss"):
        rows(split)
    assert rows(split, fail_on_data_loss=False) == []


def test_batches_of_another_time_are_not_read(tmp_path: Path) -> None:
    path = write_segment(tmp_path, three())
    assert offsets(rows(whole(path), min_timestamp_ms=1_700_000_000_015)) == list(range(10, 30))


def test_the_level_of_batches_shows_headers_and_computed_checksums(tmp_path: Path) -> None:
    batches = three(4)
    batches[2][BATCH_OVERHEAD + 1] ^= 1
    path = write_segment(tmp_path, batches)
    found, _ = tables(whole(path), names=[*BATCH_FIELDS, *RAW_FIELD], is_by_batch=True)
    assert [(row["baseOffset"], row["lastOffset"], row["recordCount"], row["codec"]) for row in found] == [
        (base, base + 9, 10, "zstd") for base in (0, 10, 20)
    ]
    assert [row["crc"] == row["computedCrc"] for row in found] == [True, True, False]
    assert [row["batch"] for row in found] == batches
    assert [row["position"] for row in found] == [0, len(batches[0]), len(batches[0] + batches[1])]
    found, _ = tables(whole(path), names=[*BATCH_FIELDS], is_by_batch=True, check_crcs=False)
    assert {row["computedCrc"] for row in found} == {None}


def test_fields_of_the_batch_can_stand_beside_its_records(tmp_path: Path) -> None:
    path = write_segment(tmp_path, [build_batch(records_from(5, 2), base_offset=4, leader_epoch=3, producer_id=9)])
    found, _ = tables(whole(path), names=["offset", *BATCH_FIELDS_OF_RECORD])
    assert found == [{"offset": offset, "batchBaseOffset": 4, "leaderEpoch": 3, "producerId": 9} for offset in (5, 6)]


def test_a_header_name_that_is_not_utf8_is_read_as_in_java(tmp_path: Path) -> None:
    path = write_segment(tmp_path, [build_batch([Record(0, 0, None, None, [("\udcff", b"v"), ("é", None)])])])
    assert [row.headers for row in rows(whole(path))] == [(("\ufffd", b"v"), ("é", None))]


def test_a_timestamp_that_spark_cannot_hold_is_an_error(tmp_path: Path) -> None:
    path = write_segment(tmp_path, [build_batch([Record(0, LONG_MAX, None, None)])])
    with pytest.raises(OverflowError, match=str(path)):
        rows(whole(path))


@pytest.mark.parametrize("number", [1, 2])
def test_a_base_offset_that_the_segment_cannot_have_is_damage(tmp_path: Path, number: int) -> None:
    batches = three()
    batches[number][:8] = pack(">q", 1 << 40)
    path = write_segment(tmp_path, batches)
    split = whole(path, end_offset=30, is_last=True)
    with pytest.raises(DamagedLogError, match=f"{1 << 40}"):
        rows(split)
    others = [batch for at, batch in enumerate(batches) if at != number]
    assert rows(split, SKIP) == expected(others)
