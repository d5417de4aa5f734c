"""Which offsets the batches of an archive have, and what its manifests say."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.spark.archives.archive_manifests import Manifest, PartitionEntry, archived, continuity, parse
from kafkacompat.spark.archives.archive_ranges import (
    OFFSET_MASK,
    Range,
    check_not_another,
    gaps_in,
    next_ranges,
    offset_sum,
    up_to,
)
from kafkacompat.spark.archives.archive_spec import ArchiveError

LOGS = st.dictionaries(
    st.tuples(st.sampled_from(("a", "b")), st.integers(0, 2)), st.tuples(st.integers(0, 9), st.integers(0, 30))
)
ONE = ("a", 0)


def entry(start: int, end: int, *, records: int | None = None, missing: int = 0, lost: int = 0) -> PartitionEntry:
    return PartitionEntry("a", 0, start, end, end - start if records is None else records, missing, lost, "0")


def manifest(number: int, *partitions: PartitionEntry) -> Manifest:
    return Manifest(number, f"records/batch={number}/run=x", 0, "id", {"a": "A"}, "read_uncommitted", partitions, ())


@given(LOGS, st.integers(1, 40))
def test_batches_have_each_offset_once_and_no_more_than_their_limit(
    logs: dict[tuple[str, int], tuple[int, int]], max_records: int
) -> None:
    first = {key: start for key, (start, _) in logs.items()}
    end = {key: start + size for key, (start, size) in logs.items()}
    done: dict[tuple[str, int], int] = {}
    while ranges := next_ranges(done, first, end, max_records=max_records):
        assert 0 < sum(each.end - each.start for each in ranges) <= max_records
        for each in ranges:
            assert each.start == done.get((each.topic, each.partition), first[each.topic, each.partition])
            done[each.topic, each.partition] = each.end
    assert done == {key: end[key] for key in logs if end[key] > first[key]}


def test_a_limit_is_shared_evenly_and_small_partitions_leave_theirs() -> None:
    end = {("a", 0): 3, ("a", 1): 100, ("a", 2): 100}
    ranges = next_ranges({}, dict.fromkeys(end, 0), end, max_records=43)
    assert [each.end for each in ranges] == [3, 20, 20]


def test_removed_records_are_an_error_or_noted() -> None:
    with pytest.raises(ArchiveError, match="a-0: offsets 5 to 7 were removed before they were archived"):
        next_ranges({ONE: 5}, {ONE: 8}, {ONE: 9}, max_records=9)
    assert next_ranges({ONE: 5}, {ONE: 8}, {ONE: 9}, max_records=9, allow_loss=True) == [Range("a", 0, 8, 9, 3)]
    assert next_ranges({ONE: 5}, {ONE: 8}, {ONE: 8}, max_records=9, allow_loss=True) == [Range("a", 0, 8, 8, 3)]


def test_an_end_before_what_is_archived_leaves_it() -> None:
    assert next_ranges({ONE: 5}, {ONE: 0}, {ONE: 3}, max_records=9) == []


def test_a_log_that_ends_before_what_is_archived_is_another_one() -> None:
    check_not_another({ONE: 5}, {ONE: 5}, {"a": "A"}, {"a": "A"})
    check_not_another({ONE: 5}, {ONE: 5}, {"a": "A"}, {})
    check_not_another({ONE: 5}, {}, {"a": "A"}, {"b": "B"})  # the topic was deleted: its archive stays
    with pytest.raises(ArchiveError, match="a-0 ends at offset 4, and 5 are archived"):
        check_not_another({ONE: 5}, {ONE: 4}, {}, {})
    with pytest.raises(ArchiveError, match="a has id B, and that of the archive A: the topic was created anew"):
        check_not_another({ONE: 5}, {ONE: 9}, {"a": "A"}, {"a": "B"})


def test_a_manifest_is_read_as_it_was_written() -> None:
    whole = manifest(3, entry(1, 4))
    assert parse(whole.to_json(), "m") == whole
    assert archived([manifest(0, entry(0, 1)), whole]) == {ONE: 4}


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format_version": 1}', '{"format_version": 1, "files": 3}'])
def test_a_manifest_that_is_none_is_named(text: str) -> None:
    with pytest.raises(ArchiveError, match="manifest 1 is no manifest"):
        parse(text, "manifest 1")


def test_a_manifest_of_another_version_is_named() -> None:
    text = json.dumps({**json.loads(manifest(0).to_json()), "format_version": 7})
    with pytest.raises(ArchiveError, match="m has format version 7, and this version of kafkacompat knows 1 to 3"):
        parse(text, "m")


def test_batches_follow_on_each_other() -> None:
    sound = [
        manifest(0, entry(0, 5)),
        manifest(1, entry(5, 9, records=3, missing=1)),
        manifest(2, entry(12, 13, lost=3)),
    ]
    assert continuity(sound) == []
    assert continuity([manifest(0, entry(0, 5)), manifest(1, entry(6, 9))]) == [
        "batch 1, a-0: it begins at offset 6, and the one before ended at 5"
    ]
    assert continuity([manifest(0, entry(0, 5, records=4))]) == [
        "batch 0, a-0: 4 records and 0 missing ones are not its range"
    ]


@pytest.mark.parametrize(
    ("gaps", "sound"),
    [
        ((), True), (((5, 6),), True), (((5, 6), (8, 9)), True), (((5, 7),), True),
        (((5, 8),), False), (((4, 5),), False), (((9, 10),), False), (((7, 7),), False), (((8, 9), (5, 6)), False),
        (((5, 7), (6, 7)), False),
    ],
)  # fmt: skip
def test_gaps_are_of_offsets_that_are_missing(gaps: tuple[tuple[int, int], ...], sound: bool) -> None:
    found = continuity([manifest(0, entry(5, 9, records=2, missing=2)._replace(gaps=gaps))])
    assert found == ([] if sound else ["batch 0, a-0: its gaps are not among the 2 missing offsets of its range"])


@given(st.sets(st.integers(3, 12), min_size=1))
def test_gaps_are_what_the_records_leave(offsets: set[int]) -> None:
    there = sorted(offsets)
    between = [(one, other) for one, other in itertools.pairwise(there) if other != one + 1]
    gaps = gaps_in(3, 13, there[0], there[-1], between)
    assert [at for start, end in gaps for at in range(start, end)] == [at for at in range(3, 13) if at not in offsets]


def test_a_read_stops_at_given_offsets_and_else_at_the_end() -> None:
    ends = {ONE: 7, ("b", 0): 3}
    assert up_to(ends, {}) == ends
    assert up_to(ends, {ONE: 7, ("b", 0): 0}) == {ONE: 7, ("b", 0): 0}
    for until, told in (
        ({ONE: 8}, "it ends at offset 7"),
        ({ONE: -1}, "it ends"),
        ({("b", 1): 0}, "no such partition"),
    ):
        with pytest.raises(ArchiveError, match=told):
            up_to(ends, until)


@given(st.integers(0, 50).map(lambda n: OFFSET_MASK - 25 + n), st.integers(0, 60))
def test_the_sum_of_offsets_is_that_of_each(start: int, count: int) -> None:
    assert offset_sum(start, start + count) == sum(offset & OFFSET_MASK for offset in range(start, start + count))
