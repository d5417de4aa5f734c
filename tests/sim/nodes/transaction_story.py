"""What the logs say about transactions, entry by entry, and whether that may be: T1 to T9 of `docs/testing.md`.

Nothing here knows a node: the entries are told in the order of their logs. The values of a transaction begin with its
name, `<transactional id>.<number>`, so that each batch says to which transaction its client counts it.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.sim.invariants import must

EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT = range(6)
PREPARED = (PREPARE_COMMIT, PREPARE_ABORT)
COMPLETED = (COMPLETE_COMMIT, COMPLETE_ABORT)
AT_REST = (EMPTY, *COMPLETED)
STATE_NAMES = ("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort")
MAY_FOLLOW = {
    EMPTY: AT_REST,
    ONGOING: (*AT_REST, ONGOING),
    PREPARE_COMMIT: (ONGOING,),
    PREPARE_ABORT: (*AT_REST, ONGOING),
    COMPLETE_COMMIT: (PREPARE_COMMIT,),
    COMPLETE_ABORT: (PREPARE_ABORT,),
}
"""The states that each state may follow; a new id begins as Empty."""
LAST_CLIENT_EPOCH = 32_766


class Data(NamedTuple):
    """A transactional batch with its values."""

    first_offset: int
    last_offset: int
    producer_id: int
    epoch: int
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        return name_of(self.values[0])


class Marker(NamedTuple):
    """The end of a transaction in one partition."""

    offset: int
    producer_id: int
    epoch: int
    commits: bool
    coordinator_epoch: int


class Row(NamedTuple):
    """A record of a transactional id. version: 2 if the end of a transaction raises the epoch."""

    transactional_id: str
    producer_id: int
    epoch: int
    state: int
    partitions: frozenset[tuple[str, int]]
    version: int


def name_of(value: str) -> str:
    """The transaction of a value."""
    return value.rpartition(".")[0]


class Results:
    """How transactions have ended, in all partitions together."""

    def __init__(self) -> None:
        self.by_name: dict[str, bool] = {}
        self._first: dict[str, str] = {}

    def ended(self, name: str, commits: bool, where: str) -> None:
        """T2: a transaction has one result."""
        known = self.by_name.setdefault(name, commits)
        first = self._first.setdefault(name, where)
        must(known == commits, f"T2: {name} has committed={known} {first} and committed={commits} {where}")


class PartitionStory:
    """The committed transactional batches and markers of one partition."""

    def __init__(self, name: str, results: Results) -> None:
        self.name = name
        self.results = results
        self.open: dict[int, Data] = {}
        """By producer id: the first batch of its open transaction."""
        self._batches: list[Data] = []
        self._result_at: dict[int, bool] = {}  # by the first offset of a batch
        self._of_open: dict[int, list[int]] = {}  # by producer id: first offsets of its open transaction
        self._last_markers: dict[int, Marker] = {}
        self._ended: set[str] = set()

    def add(self, entry: Data | Marker) -> None:
        """The next committed entry."""
        if isinstance(entry, Marker):
            self._end(entry)
        else:
            self._write(entry)

    def _write(self, batch: Data) -> None:
        """T3: nothing of a transaction is behind its marker, and an open one is not mixed with another."""
        where = f"{self.name} at {batch.first_offset}"
        marker = self._last_markers.get(batch.producer_id)
        if marker is not None:
            must(
                batch.epoch >= marker.epoch,
                f"T3: {where} is epoch {batch.epoch} behind the marker of {marker.epoch} at {marker.offset}",
            )
        names = {name_of(value) for value in batch.values}
        must(len(names) == 1, f"T3: {where} is of {sorted(names)}")
        must(batch.name not in self._ended, f"T3: {where} is of {batch.name}, which has ended there")
        first = self.open.setdefault(batch.producer_id, batch)
        must(
            (first.name, first.epoch) == (batch.name, batch.epoch),
            f"T3: {where} is of {batch.name} in the open {first.name}, epochs {batch.epoch} and {first.epoch}",
        )
        self._of_open.setdefault(batch.producer_id, []).append(batch.first_offset)
        self._batches.append(batch)

    def _end(self, marker: Marker) -> None:
        where = f"in {self.name} at {marker.offset}"
        before = self._last_markers.get(marker.producer_id)
        if before is not None:
            must(marker.epoch >= before.epoch, f"T9: the marker {where} has an older epoch than the one before")
            must(marker.coordinator_epoch >= before.coordinator_epoch, f"T10: a former coordinator's marker {where}")
        self._last_markers[marker.producer_id] = marker
        first = self.open.pop(marker.producer_id, None)
        for offset in self._of_open.pop(marker.producer_id, ()):
            self._result_at[offset] = marker.commits
        if first is not None:
            must(marker.epoch >= first.epoch, f"T9: the marker {where} ends the newer epoch {first.epoch}")
            self._ended.add(first.name)
            self.results.ended(first.name, marker.commits, where)

    @property
    def first_open_offset(self) -> int | None:
        """The first offset of the oldest open transaction."""
        return min((batch.first_offset for batch in self.open.values()), default=None)

    def result_at(self, first_offset: int) -> bool | None:
        """Whether the batch at an offset is committed; None while its transaction is open, or without one."""
        return self._result_at.get(first_offset)

    def first_value(self, name: str) -> str | None:
        """The first value of a transaction here."""
        return next((batch.values[0] for batch in self._batches if batch.name == name), None)

    def visible(self) -> list[tuple[int, str]]:
        """Offsets and values of all committed transactions."""
        return [
            (batch.first_offset + at, value)
            for batch in self._batches if self._result_at.get(batch.first_offset)
            for at, value in enumerate(batch.values)
        ]  # fmt: skip


class RowStory:
    """The committed records of all transactional ids."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self._prepared: dict[tuple[int, int], bool] = {}  # by producer id and epoch: the newest result
        self._producer_ids: dict[int, str] = {}  # whose it is
        self._seen: set[tuple[str, int, int, int]] = set()

    def add(self, row: Row) -> None:
        """The next committed record of an id. T2, T9, and the table of states."""
        before = self.rows.get(row.transactional_id)
        name = f"{row.transactional_id} ({row.producer_id}, {row.epoch}) {STATE_NAMES[row.state]}"
        owner = self._producer_ids.setdefault(row.producer_id, row.transactional_id)
        must(owner == row.transactional_id, f"T9: {name} has a producer id of {owner}")
        if before is None:
            must(row.state == EMPTY, f"{name} is the first of its id")
        else:
            must(before.state in MAY_FOLLOW[row.state], f"{name} comes after {STATE_NAMES[before.state]}")
            self._check_epoch(before, row, name)
        if row.state in PREPARED:
            self._prepare(row, name)
        self.rows[row.transactional_id] = row
        self._seen.add(_facts(row))

    def _check_epoch(self, before: Row, row: Row, name: str) -> None:
        if row.producer_id == before.producer_id:
            must(row.epoch >= before.epoch, f"T9: {name} comes after epoch {before.epoch}")
        else:
            is_known = any(each[:2] == (row.transactional_id, row.producer_id) for each in self._seen)
            must(not is_known, f"T9: {name} goes back to a former producer id")
            must(row.epoch == 0, f"T9: {name} begins beyond epoch 0")

    def _prepare(self, row: Row, name: str) -> None:
        commits = row.state == PREPARE_COMMIT
        key = row.producer_id, row.epoch
        if row.version >= 2:
            must(key not in self._prepared, f"T2: {name} ends a second transaction in one epoch")
        self._prepared[key] = commits

    def must_be_prepared(self, marker: Marker, where: str) -> None:
        """T1: a marker is written only for a committed PREPARE of the same result and epoch."""
        prepared = self._prepared.get((marker.producer_id, marker.epoch))
        must(
            prepared == marker.commits,
            f"T1: a marker of ({marker.producer_id}, {marker.epoch}) with committed={marker.commits} {where}, while "
            f"prepared is {prepared}",
        )

    def has_had(self, transactional_id: str, producer_id: int, epoch: int, state: int) -> bool:
        """Whether an id has been in this state with these, by a committed record."""
        return (transactional_id, producer_id, epoch, state) in self._seen

    def epochs_at_rest(self, transactional_id: str, producer_id: int) -> set[int]:
        """The epochs in which an id has been without a transaction, by committed records."""
        return {
            epoch for name, known_id, epoch, state in self._seen
            if (name, known_id) == (transactional_id, producer_id) and state in AT_REST
        }  # fmt: skip


def _facts(row: Row) -> tuple[str, int, int, int]:
    return row.transactional_id, row.producer_id, row.epoch, row.state


class ReadBatch(NamedTuple):
    """A batch as a consumer receives it; marker: whether it commits, None for data."""

    first_offset: int
    last_offset: int
    producer_id: int
    is_transactional: bool
    marker: bool | None
    values: tuple[str, ...] = ()


def visible_batches(batches: list[ReadBatch], aborted: list[tuple[int, int]]) -> list[ReadBatch]:
    """The data that a read_committed consumer hands on, as Kafka's CompletedFetch chooses it.

    aborted: first offset and producer id of aborted transactions.
    """
    waiting = sorted(aborted)
    skipped: set[int] = set()
    found = []
    for batch in batches:
        while waiting and waiting[0][0] <= batch.last_offset:
            skipped.add(waiting.pop(0)[1])
        if batch.marker is not None:
            if not batch.marker:
                skipped.discard(batch.producer_id)
        elif not (batch.is_transactional and batch.producer_id in skipped):
            found.append(batch)
    return found


def check_read(
    story: PartitionStory,
    last_stable_offset: int,
    batches: list[ReadBatch],
    aborted: list[tuple[int, int]],
    *,
    may_know_more: bool = False,
) -> list[ReadBatch]:
    """T4 and T5 for an answer to a read_committed fetch, against a reader that knows all. Returns what is visible.

    may_know_more: the leader may take a marker that is not committed for one that is.
    """
    first_open = story.first_open_offset
    must(
        first_open is None or last_stable_offset <= first_open or may_know_more,
        f"T4: {story.name} has a last stable offset of {last_stable_offset}, and {first_open} is open",
    )
    visible = visible_batches(batches, aborted)
    for batch in batches:
        must(batch.last_offset < last_stable_offset, f"T4: {story.name} is read at {batch.first_offset}, not stable")
        if batch.marker is None and batch.is_transactional:
            result = story.result_at(batch.first_offset)
            must(
                result is not None or may_know_more, f"T4: {story.name} is read at {batch.first_offset}, which is open"
            )
            must(
                result is None or (batch in visible) == result,
                f"T5: {story.name} at {batch.first_offset} has committed={result}, and the list of aborted ones is "
                f"{aborted}",
            )
    return visible
