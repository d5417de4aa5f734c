"""The checker of transactions finds each violation in a history written by hand, and none where there is none."""

from __future__ import annotations

import pytest

from tests.sim.invariants import InvariantError
from tests.sim.nodes.transaction_story import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    EMPTY,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    Data,
    Marker,
    PartitionStory,
    ReadBatch,
    Results,
    Row,
    RowStory,
    check_read,
    visible_batches,
)

P, Q = 7, 8  # producer ids


def data(offset: int, name: str, *, producer_id: int = P, epoch: int = 0, count: int = 1) -> Data:
    return Data(offset, offset + count - 1, producer_id, epoch, tuple(f"{name}.{at}" for at in range(count)))


def commit(offset: int, *, producer_id: int = P, epoch: int = 0, coordinator_epoch: int = 0) -> Marker:
    return Marker(offset, producer_id, epoch, True, coordinator_epoch)


def abort(offset: int, *, producer_id: int = P, epoch: int = 0, coordinator_epoch: int = 0) -> Marker:
    return Marker(offset, producer_id, epoch, False, coordinator_epoch)


def told(*entries: Data | Marker, results: Results | None = None) -> PartitionStory:
    story = PartitionStory("t-0", results or Results())
    for entry in entries:
        story.add(entry)
    return story


def test_a_story_without_mistakes() -> None:
    story = told(
        data(0, "A.1", count=2), data(2, "B.1", producer_id=Q), data(3, "A.1"), commit(4), abort(5, producer_id=Q),
        data(6, "A.2"),
    )  # fmt: skip
    assert story.visible() == [(0, "A.1.0"), (1, "A.1.1"), (3, "A.1.0")]
    assert story.first_open_offset == 6
    assert [story.result_at(offset) for offset in (0, 2, 3, 6)] == [True, False, True, None]


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ([data(0, "A.1"), commit(1), data(2, "A.1")], "T3"),
        ([data(0, "A.1"), abort(1, epoch=1), data(2, "A.2")], "T3"),
        ([data(0, "A.1"), data(1, "A.2")], "T3"),
        ([data(0, "A.1"), data(1, "A.1", epoch=1)], "T3"),
        ([Data(0, 1, P, 0, ("A.1.0", "A.2.0"))], "T3"),
        ([data(0, "A.1"), commit(1, epoch=3), commit(2, epoch=2)], "T9"),
        ([data(0, "A.1", epoch=2), commit(1, epoch=1)], "T9"),
        ([data(0, "A.1"), commit(1, coordinator_epoch=3), commit(2, coordinator_epoch=2)], "T10"),
    ],
    ids=[
        "data behind its marker", "data of an old epoch behind a marker", "two transactions at once",
        "two epochs in one transaction", "two transactions in one batch", "a marker of a former epoch",
        "a marker below the epoch of its data", "a marker of a former coordinator",
    ],
)  # fmt: skip
def test_a_mistake_in_one_partition(entries: list[Data | Marker], found: str) -> None:
    told(*entries[:-1])
    with pytest.raises(InvariantError, match=found):
        told(*entries)


def test_two_results_in_two_partitions() -> None:
    results = Results()
    told(data(0, "A.1"), commit(1), results=results)
    with pytest.raises(InvariantError, match="T2"):
        told(data(0, "A.1"), abort(1), results=results)


# --- rows ---


def row(state: int, *, epoch: int = 0, producer_id: int = P, name: str = "A", version: int = 0) -> Row:
    return Row(name, producer_id, epoch, state, frozenset(), version)


def rows(*given: Row) -> RowStory:
    story = RowStory()
    for each in given:
        story.add(each)
    return story


def test_rows_without_mistakes() -> None:
    story = rows(
        row(EMPTY), row(ONGOING), row(ONGOING), row(PREPARE_COMMIT), row(COMPLETE_COMMIT),
        row(ONGOING), row(PREPARE_ABORT, epoch=1), row(COMPLETE_ABORT, epoch=1), row(EMPTY, epoch=2),
        row(ONGOING, epoch=2), row(PREPARE_COMMIT, epoch=3, version=2), row(COMPLETE_COMMIT, producer_id=Q, version=2),
    )  # fmt: skip
    story.must_be_prepared(commit(0), "")
    story.must_be_prepared(abort(0, epoch=1), "")
    story.must_be_prepared(commit(0, epoch=3), "")
    assert story.has_had("A", P, 1, COMPLETE_ABORT)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([row(ONGOING)], "first of its id"),
        ([row(EMPTY), row(PREPARE_COMMIT)], "comes after Empty"),
        ([row(EMPTY), row(ONGOING), row(COMPLETE_COMMIT)], "comes after Ongoing"),
        ([row(EMPTY), row(ONGOING), row(PREPARE_COMMIT), row(COMPLETE_ABORT)], "comes after PrepareCommit"),
        ([row(EMPTY, epoch=1), row(EMPTY)], "T9"),
        ([row(EMPTY), row(EMPTY, producer_id=Q), row(EMPTY)], "T9"),
        ([row(EMPTY), row(EMPTY, producer_id=Q, epoch=1)], "T9"),
        ([row(EMPTY), row(EMPTY, name="B")], "T9"),
        (
            [
                row(EMPTY), row(ONGOING), row(PREPARE_COMMIT, epoch=1, version=2),
                row(COMPLETE_COMMIT, epoch=1, version=2), row(PREPARE_ABORT, epoch=1, version=2),
            ],
            "T2",
        ),
    ],
    ids=[
        "no first record", "an end of nothing", "COMPLETE without PREPARE", "another result", "an epoch falls",
        "a former producer id", "a new producer id beyond epoch 0", "two ids with one producer id",
        "two results in one epoch",
    ],
)  # fmt: skip
def test_a_mistake_in_the_rows(given: list[Row], found: str) -> None:
    rows(*given[:-1])
    with pytest.raises(InvariantError, match=found):
        rows(*given)


@pytest.mark.parametrize("marker", [abort(3), commit(3, epoch=1), commit(3, producer_id=Q)])
def test_a_marker_without_its_prepare(marker: Marker) -> None:
    story = rows(row(EMPTY), row(ONGOING), row(PREPARE_COMMIT))
    story.must_be_prepared(commit(3), "here")
    with pytest.raises(InvariantError, match="T1"):
        story.must_be_prepared(marker, "here")


# --- reading ---

BATCHES = [
    ReadBatch(0, 0, P, True, None, ("A.1.0",)), ReadBatch(1, 1, Q, True, None, ("B.1.0",)),
    ReadBatch(2, 2, Q, True, False), ReadBatch(3, 3, Q, True, None, ("B.2.0",)),
    ReadBatch(4, 4, P, True, True), ReadBatch(5, 5, Q, True, True), ReadBatch(6, 6, -1, False, None, ("p0.1",)),
]  # fmt: skip


def read_story() -> PartitionStory:
    return told(
        data(0, "A.1"), data(1, "B.1", producer_id=Q), abort(2, producer_id=Q), data(3, "B.2", producer_id=Q),
        commit(4), commit(5, producer_id=Q), data(7, "A.2"),
    )  # fmt: skip


def test_a_read_without_mistakes() -> None:
    assert [batch.first_offset for batch in check_read(read_story(), 7, BATCHES, [(1, Q)])] == [0, 3, 6]
    assert visible_batches(BATCHES[3:], []) == [BATCHES[3], BATCHES[6]]


@pytest.mark.parametrize(
    ("stable", "batches", "aborted", "found"),
    [
        (7, BATCHES, [], "T5"),
        (7, BATCHES, [(1, Q), (3, Q)], "T5"),
        (7, BATCHES, [(0, P), (1, Q)], "T5"),
        (8, BATCHES, [(1, Q)], "T4"),
        (6, BATCHES, [(1, Q)], "T4"),
        (7, [ReadBatch(7, 7, P, True, None, ("A.2.0",))], [], "T4"),
    ],
    ids=[
        "an aborted one is missing", "the same producer's next one is listed", "a committed one is listed",
        "stable beyond an open one", "read beyond the stable offset", "an open one is read",
    ],
)  # fmt: skip
def test_a_mistake_in_a_read(stable: int, batches: list[ReadBatch], aborted: list[tuple[int, int]], found: str) -> None:
    with pytest.raises(InvariantError, match=found):
        check_read(read_story(), stable, batches, aborted)
