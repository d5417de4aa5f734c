"""The comparison finds what it is there to find: each kind of damage makes a check fail, and the right one."""

from __future__ import annotations

import pytest

from kafkacompat.demo import checks
from kafkacompat.demo.aggregate import Day
from kafkacompat.demo.dataset import Record
from kafkacompat.demo.ledger import Ledger, Row, checksum, group_by_key, key_checksums
from tests.demo.samples import records

WRITTEN = records(30)
ENDS = {0: 20, 1: 10}


def rows() -> dict[int, list[Row]]:
    """The written records as they lie in two partitions, key-2 in a partition of its own."""
    parts: dict[int, list[Row]] = {0: [], 1: []}
    for record in WRITTEN:
        part = parts[1 if record.key == b"key-2" else 0]
        part.append((len(part), *record))
    return parts


def failing(parts: dict[int, list[Row]], ends: dict[int, int] = ENDS) -> set[str]:
    ledger = Ledger()
    for partition, found in parts.items():
        ledger.add(partition, found)
    return {check.what.strip() for check in checks.check_records("t", WRITTEN, ledger, ends) if not check.is_equal}


COUNT, OFFSETS, AGAIN = "t: records", "every offset once, none missing", "same record if delivered again (0)"
ORDER, TIMES, HEADERS, SUM = "in the file's order, by key", "timestamps", "headers", "checksum (SHA-256)"


def test_nothing_is_wrong_with_what_is_equal() -> None:
    assert failing(rows()) == set()


def test_the_same_records_delivered_again_are_no_fault() -> None:
    parts = rows()
    parts[0] += parts[0][5:9]
    assert failing(parts) == set()


def test_a_lost_record() -> None:
    parts = rows()
    del parts[0][7]
    assert {COUNT, OFFSETS, ORDER, SUM} <= failing(parts)


def test_the_last_record_lost() -> None:
    parts = rows()
    del parts[1][-1]
    assert failing(parts) == {COUNT, OFFSETS, ORDER, TIMES, HEADERS, SUM}


def test_a_record_written_twice() -> None:
    parts = rows()
    parts[1].append((10, *parts[1][9][1:]))
    assert failing(parts, {0: 20, 1: 11}) == {COUNT, ORDER, TIMES, HEADERS, SUM}


def test_an_offset_beyond_the_log_end() -> None:
    parts = rows()
    parts[1][9] = (12, *parts[1][9][1:])
    assert failing(parts) == {OFFSETS}


def test_two_records_of_a_key_in_the_wrong_order() -> None:
    parts = rows()
    (first, *a), (second, *b) = parts[1][3], parts[1][4]
    parts[1][3], parts[1][4] = (first, *b), (second, *a)  # type: ignore[assignment]
    assert failing(parts) == {ORDER, TIMES, HEADERS, SUM}


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        (2, b"value-x", {ORDER, SUM}),
        (2, None, {ORDER, SUM}),
        (3, 999, {TIMES, SUM}),
        (4, (("airline", b"B"), ("tailnum", b"N5")), {HEADERS, SUM}),
        (4, (), {HEADERS, SUM}),
    ],
)
def test_a_changed_field(field: int, value: object, expected: set[str]) -> None:
    parts = rows()
    row = list(parts[1][2])
    row[field] = value
    parts[1][2] = tuple(row)  # type: ignore[assignment]
    assert failing(parts) == expected


def test_another_record_at_an_offset_delivered_before() -> None:
    parts = rows()
    parts[0].append((3, *parts[0][4][1:]))
    assert failing(parts) == {AGAIN}


def test_a_key_in_two_partitions() -> None:
    parts = rows()
    moved = parts[1].pop()
    parts[0].append((20, *moved[1:]))
    assert failing(parts, {0: 21, 1: 9}) >= {"keys in more than one partition"}


def test_a_failing_check_says_where() -> None:
    ledger = Ledger()
    ledger.add(0, [(0, *WRITTEN[0]), (2, *WRITTEN[2])])
    found = {check.what.strip(): check for check in checks.check_records("t", WRITTEN[:3], ledger, {0: 3})}
    assert found[OFFSETS].detail == "first: partition 0 offset 1"
    assert found[ORDER].detail == "first: key b'key-1' has 0 records for 1"
    assert found[SUM].detail == "keys that differ: key-1"
    line = checks.summarize("t", list(found.values()))
    assert not line.is_equal
    assert "t: records: 3, got 2" in line.detail


def test_committed_offsets_are_the_log_ends() -> None:
    assert checks.check_committed({0: 5, 1: 0}, {0: 5}).is_equal
    assert not checks.check_committed({0: 5, 1: 5}, {0: 5}).is_equal
    swapped = checks.check_committed({0: 4, 1: 6}, {0: 6, 1: 4})
    assert not swapped.is_equal
    assert swapped.detail.startswith("partition 0 ends at 4, committed 6")


def test_days_that_differ_or_are_missing() -> None:
    days = {"EWR 0": Day(3, 2, 10), "JFK 0": Day(1, 1, -4)}
    assert all(check.is_equal for check in checks.check_days("d", days, dict(days)))
    assert not all(check.is_equal for check in checks.check_days("d", days, days | {"JFK 0": Day(1, 1, 4)}))
    assert not all(check.is_equal for check in checks.check_days("d", days, {"EWR 0": days["EWR 0"]}))


@pytest.mark.parametrize(("before", "expected"), [(0, False), (1, True), (9, True), (10, False)])
def test_a_restart_is_on_the_way(before: int, *, expected: bool) -> None:
    assert checks.check_restart("r", before, total=10).is_equal is expected


def test_the_checksum_tells_fields_apart() -> None:
    """A byte that moves from one field to the next is another record."""

    def of(record: Record) -> str:
        return checksum(key_checksums(group_by_key([record])))

    plain = Record(b"k", b"ab", 12, (("h", b"x"),))
    others = [
        Record(b"k", b"a", 12, (("h", b"x"),)), Record(b"ka", b"b", 12, (("h", b"x"),)),
        Record(b"k", b"ab", 1, (("h", b"x"),)), Record(b"k", b"ab", 12, (("hx", b""),)),
        Record(b"k", b"ab", 12, ()), Record(b"k", b"ab", 12, (("h", b"x"), ("h", b"x"))),
    ]  # fmt: skip
    assert len({of(record) for record in [plain, *others]}) == 1 + len(others)
