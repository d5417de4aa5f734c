"""Filters of `consume`."""

from __future__ import annotations

import pytest

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.record_filter import record_filter
from kafkacompat.client.consuming import IncomingRecord
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.builder import Record, build_batch

HEADER = read_header(build_batch([Record(0, 0, None, None)]))
RECORD = IncomingRecord(0, 0, b"k\xff", None, [("h", b"1"), ("h", b"2"), ("n", None)], HEADER)


@pytest.mark.parametrize(
    ("key", "value", "headers", "is_kept"),
    [
        ("k", None, [], True), ("^x", None, [], False), (None, "", [], False), (None, None, ["h"], True),
        (None, None, ["h=2"], True), (None, None, ["h=3"], False), (None, None, ["n"], True),
        (None, None, ["n="], False), (None, None, ["x"], False), ("k", None, ["h=1", "h=2"], True),
    ],
)  # fmt: skip
def test_all_filters_must_fit(key: str | None, value: str | None, headers: list[str], is_kept: bool) -> None:
    keep = record_filter(key, value, headers)
    assert keep is not None
    assert keep(RECORD) is is_kept


def test_no_filter_costs_nothing_and_a_wrong_one_is_named() -> None:
    assert record_filter(None, None, []) is None
    with pytest.raises(VerbError, match="no regular expression"):
        record_filter("[", None, [])
