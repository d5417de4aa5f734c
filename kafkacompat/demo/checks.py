"""The checks: expected and actual values, and whether they are equal. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from kafkacompat.demo.aggregate import Day
from kafkacompat.demo.dataset import Record
from kafkacompat.demo.ledger import Ledger, checksum, group_by_key, key_checksums

DIGITS_SHOWN = 12
"""Digits of a checksum in the table. The comparison uses all of them."""


class Check(NamedTuple):
    """One line of the table. `detail` names the first difference."""

    what: str
    expected: str
    got: str
    is_equal: bool
    detail: str = ""


def equal(what: str, expected: object, got: object, detail: str = "") -> Check:
    """Compare two values. Numbers are shown with thousands separators."""
    is_equal = expected == got
    return Check(what, _show(expected), _show(got), is_equal, "" if is_equal else detail)


def check_records(what: str, written: Sequence[Record], ledger: Ledger, ends: Mapping[int, int]) -> list[Check]:
    """Compare count, offsets (each once), order per key, timestamps, headers and checksum.

    `ends` has the log end of each partition. The topic starts at offset 0 and has no other writer.
    """
    wanted, got = group_by_key(written), ledger.by_key()
    gaps, changed, scattered = ledger.gaps(ends), ledger.changed, ledger.scattered_keys()
    return [
        equal(f"{what}: records", len(written), len(ledger)),
        equal("  every offset once, none missing", 0, len(gaps), f"first: {_place(gaps)}"),
        equal(f"  same record if delivered again ({ledger.repeated:,})", 0, len(changed), f"first: {_place(changed)}"),
        equal("  keys in more than one partition", 0, len(scattered), f"first: {scattered[:1]}"),
        _in_step("  in the file's order, by key", wanted, got, lambda record: record.value),
        _in_step("  timestamps", wanted, got, lambda record: record.timestamp_ms),
        _in_step("  headers", wanted, got, lambda record: record.headers),
        check_checksums("  checksum (SHA-256)", key_checksums(wanted), key_checksums(got)),
    ]


def summarize(topic: str, checks: Sequence[Check]) -> Check:
    """Combine the checks of `check_records` into one line: record count and checksum."""
    count, digest = checks[0], checks[-1]
    wrong = [f"{check.what.strip()}: {check.expected}, got {check.got}" for check in checks if not check.is_equal]
    return Check(
        f"{topic}: records, checksum", f"{count.expected} {digest.expected}", f"{count.got} {digest.got}",
        not wrong, "; ".join(wrong),
    )  # fmt: skip


def check_checksums(what: str, expected: Mapping[str, str], got: Mapping[str, str]) -> Check:
    """Compare checksums by key. The table shows the checksum over all keys."""
    differing = sorted(key for key in expected.keys() | got.keys() if expected.get(key) != got.get(key))
    wanted, found = checksum(expected), checksum(got)
    return Check(
        what, wanted[:DIGITS_SHOWN], found[:DIGITS_SHOWN], wanted == found,
        f"keys that differ: {', '.join(differing)}" if differing else "",
    )  # fmt: skip


def check_committed(ends: Mapping[int, int], committed: Mapping[int, int]) -> Check:
    """The group has committed the end of every partition that has records."""
    wrong = [
        f"partition {partition} ends at {end}, committed {committed.get(partition)}"
        for partition, end in sorted(ends.items())
        if committed.get(partition, 0) != end
    ]
    check = equal("  committed offsets, summed", sum(ends.values()), sum(committed.values()))
    return check._replace(is_equal=not wrong, detail="; ".join(wrong))


def check_restart(what: str, before: int, total: int) -> Check:
    """The stream was stopped after its first record and before its last."""
    return Check(what, f"1 to {total - 1:,}", f"{before:,}", 0 < before < total)


def check_days(what: str, expected: Mapping[str, Day], got: Mapping[str, Day]) -> list[Check]:
    """Compare the aggregates of all windows."""
    wrong = sorted(key for key in expected.keys() | got.keys() if expected.get(key) != got.get(key))
    detail = f"first: {wrong[0]}: {expected.get(wrong[0])}, got {got.get(wrong[0])}" if wrong else ""
    return [
        equal(f"{what}: windows", len(expected), len(got), detail),
        equal("  windows that differ", 0, len(wrong), detail),
        equal("  flights", sum(day.scheduled for day in expected.values()), sum(day.scheduled for day in got.values())),
        equal(
            "  minutes of delay",
            sum(day.delay_minutes for day in expected.values()),
            sum(day.delay_minutes for day in got.values()),
        ),
    ]


def _in_step(
    what: str,
    expected: Mapping[bytes, Sequence[Record]],
    got: Mapping[bytes, Sequence[Record]],
    part: Callable[[Record], object],
) -> Check:
    """Compare `part` of the records at the same position of each key, and count the equal ones."""
    same, first = 0, ""
    for key in sorted(expected.keys() | got.keys()):
        wanted, found = expected.get(key, ()), got.get(key, ())
        for place, (left, right) in enumerate(zip(wanted, found, strict=False)):
            if part(left) == part(right):
                same += 1
            elif not first:
                first = f"first: record {place} of key {key!r}: {part(left)!r}, got {part(right)!r}"
        if len(wanted) != len(found) and not first:
            first = f"first: key {key!r} has {len(found):,} records for {len(wanted):,}"
    return Check(what, _show(sum(map(len, expected.values()))), _show(same), not first, first)


def _place(places: Sequence[tuple[int, int]]) -> str:
    return f"partition {places[0][0]} offset {places[0][1]}" if places else "none"


def _show(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
