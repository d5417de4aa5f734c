"""Sequences of idempotent producers and the ends of transactions, in one segment, and over all segments of a log.

A segment is looked at by itself; what its neighbours have to know of it is in `Ends`: the first batch of each producer
and its state at the end. Kafka's rules are those of `ProducerAppendInfo`: a sequence follows the one before, a new
epoch begins with 0, and a log that lacks what was before takes any sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kafkacompat.protocol.columns.varints import Flags
from kafkacompat.protocol.constants import NO_PRODUCER_ID, UNKNOWN_OFFSET
from kafkacompat.protocol.records.batch import MAX_SEQUENCE, TRANSACTIONAL_BIT
from kafkacompat.spark.audit.audit_findings import MISSING_MARKER, PRODUCER_SEQUENCE
from kafkacompat.spark.audit.audit_order import Misplaced
from kafkacompat.spark.audit.audit_scan import ABORT_MARKER, NO_MARKER, Batches

Range = tuple[int, int]
"""Offsets, both inclusive."""


class ProducedBatch(NamedTuple):
    """What the next batch of a producer is compared with. Sequences of control batches mean nothing."""

    producer_id: int
    epoch: int
    first_sequence: int
    last_sequence: int
    first_offset: int
    last_offset: int
    is_transactional: bool
    marker: int


class State(NamedTuple):
    """A producer at some offset: its last data batch, its last batch, and the first offset of its open transaction."""

    data: ProducedBatch | None
    last: ProducedBatch
    open_since: int = UNKNOWN_OFFSET


class Ended(NamedTuple):
    """A transaction that was aborted. `first_offset` is unknown where it began before the segment."""

    producer_id: int
    first_offset: int
    last_offset: int


class ProducerCheck:
    """The producers of a run of batches, which come in ascending order.

    `blind`: offsets of which nothing is known, so that a sequence may jump over them. `cleaned_until`: below it
    compaction has removed batches.
    """

    def __init__(self, cleaned_until: int) -> None:
        self._cleaned_until = cleaned_until
        self.states: dict[int, State] = {}
        self.firsts: dict[int, list[ProducedBatch]] = {}
        self.aborted: list[Ended] = []
        self.found: list[Misplaced] = []

    def feed(self, batches: Batches, blind: Sequence[Range]) -> None:
        """One chunk."""
        wanted = np.flatnonzero((batches.producer_id != NO_PRODUCER_ID) & batches.is_sound)
        if not wanted.size:
            return
        some = batches.some(wanted)
        ordered = some.some(np.argsort(some.producer_id, kind="stable"))
        for number, follows in _noteworthy(ordered):
            if follows:
                batch = _batch(ordered, number)
                state = self.states[batch.producer_id]
                self.states[batch.producer_id] = State(batch, batch, state.open_since)
            else:
                self.step(_batch(ordered, number), blind)

    def step(self, batch: ProducedBatch, blind: Sequence[Range]) -> None:
        """The next batch of a producer that is worth a look."""
        state = self.states.get(batch.producer_id)
        if state is None:
            self.firsts[batch.producer_id] = [batch]
            self.states[batch.producer_id] = self._next(State(None, batch), batch)
            return
        if state.data is None and batch.marker == NO_MARKER:
            self.firsts[batch.producer_id].append(batch)  # the first data, behind markers alone
        self.found += judged(state, batch, blind, self._cleaned_until)
        self.states[batch.producer_id] = self._next(state, batch)

    def _next(self, state: State, batch: ProducedBatch) -> State:
        if batch.marker != NO_MARKER:
            if batch.marker == ABORT_MARKER:
                self.aborted.append(Ended(batch.producer_id, state.open_since, batch.last_offset))
            return State(state.data, batch)
        since = state.open_since
        if batch.is_transactional and (since == UNKNOWN_OFFSET or batch.epoch > state.last.epoch):
            since = batch.first_offset
        return State(batch, batch, since if batch.is_transactional else UNKNOWN_OFFSET)


def _noteworthy(ordered: Batches) -> Iterator[tuple[int, bool]]:
    """The batches that have to be looked at one by one, and whether they simply follow the one before of the same
    producer: those that do not, and the last of each run.
    """
    data = ordered.marker == NO_MARKER
    same = ordered.producer_id[1:] == ordered.producer_id[:-1]
    due = (ordered.base_sequence[:-1] + ordered.last[:-1] - ordered.base[:-1] + 1) & MAX_SEQUENCE
    transactional = ordered.attributes & TRANSACTIONAL_BIT
    follows = same & data[1:] & data[:-1] & (ordered.producer_epoch[1:] == ordered.producer_epoch[:-1])
    follows &= (ordered.base_sequence[1:] == due) & (transactional[1:] == transactional[:-1])
    is_inside: Flags = np.append(False, follows)
    numbers = np.flatnonzero(~is_inside | np.append(~follows, True))
    return zip(numbers.tolist(), is_inside[numbers].tolist(), strict=True)


def judged(state: State, batch: ProducedBatch, blind: Iterable[Range], cleaned_until: int) -> list[Misplaced]:
    """What is wrong with a batch that comes after `state`."""
    if batch.marker != NO_MARKER:
        return []
    before = state.last
    found = []
    is_over = not batch.is_transactional or batch.epoch > before.epoch
    if before.marker == NO_MARKER and before.is_transactional and is_over:
        found.append(
            Misplaced(
                MISSING_MARKER, before.last_offset + 1, batch.first_offset - 1,
                f"producer {batch.producer_id} goes on at offset {batch.first_offset} with epoch {batch.epoch}, and no "
                f"marker ends its transaction of epoch {before.epoch}",
            )
        )  # fmt: skip
    wrong = _wrong_sequence(state, batch)
    is_forward = wrong is not None and wrong[1]
    since = (state.data or before).last_offset
    may_jump = since < cleaned_until or intersects(blind, since, batch.first_offset)
    if wrong is not None and not (is_forward and may_jump):
        detail = f"producer {batch.producer_id}, epoch {batch.epoch}: {wrong[0]}"
        found.append(Misplaced(PRODUCER_SEQUENCE, batch.first_offset, batch.last_offset, detail))
    return found


def _wrong_sequence(state: State, batch: ProducedBatch) -> tuple[str, bool] | None:
    """Why a sequence cannot be, and whether batches that are not there explain it."""
    if batch.epoch < state.last.epoch:
        return f"epoch {state.last.epoch} was there before, at offset {state.last.last_offset}", False
    before = state.data
    if before is None:
        return None
    if batch.epoch > before.epoch:
        return (f"sequence {batch.first_sequence} is the first of its epoch", True) if batch.first_sequence else None
    expected = (before.last_sequence + 1) & MAX_SEQUENCE
    if batch.first_sequence == expected:
        return None
    ahead = (batch.first_sequence - expected) & MAX_SEQUENCE
    return f"sequence {batch.first_sequence}, where {expected} is due", ahead < MAX_SEQUENCE // 2


def _batch(batches: Batches, number: int) -> ProducedBatch:
    base, last = int(batches.base[number]), int(batches.last[number])
    sequence = int(batches.base_sequence[number])
    return ProducedBatch(
        int(batches.producer_id[number]), int(batches.producer_epoch[number]), sequence,
        (sequence + last - base) & MAX_SEQUENCE, base, last,
        bool(batches.attributes[number] & TRANSACTIONAL_BIT), int(batches.marker[number]),
    )  # fmt: skip


class Ends(NamedTuple):
    """What the neighbours of a segment have to know of its producers."""

    firsts: dict[int, list[ProducedBatch]]
    states: dict[int, State]
    aborted: list[Ended]


class LogProducers:
    """The producers of a log, segment after segment."""

    def __init__(self, cleaned_until: int) -> None:
        self._cleaned_until = cleaned_until
        self.states: dict[int, State] = {}
        self.aborted: list[Ended] = []

    def then(self, ends: Ends, blind: Sequence[Range]) -> list[Misplaced]:
        """The next segment. `blind`: of the log up to its end."""
        found = []
        began = {}
        for producer_id, firsts in ends.firsts.items():
            state = self.states.get(producer_id)
            if state is None:
                continue
            for batch in firsts:
                found += judged(state, batch, blind, self._cleaned_until)
                state = State(batch if batch.marker == NO_MARKER else state.data, batch, state.open_since)
            began[producer_id] = self.states[producer_id].open_since
        for ended in ends.aborted:
            first = ends.firsts[ended.producer_id][0]
            is_first = ended.last_offset == first.last_offset or ended.first_offset == first.first_offset
            since = began.get(ended.producer_id, UNKNOWN_OFFSET) if is_first else UNKNOWN_OFFSET
            self.aborted.append(ended if since == UNKNOWN_OFFSET else ended._replace(first_offset=since))
        for producer_id, state in ends.states.items():
            self.states[producer_id] = self._joined(producer_id, state, ends.firsts[producer_id])
        return found

    def _joined(self, producer_id: int, state: State, firsts: list[ProducedBatch]) -> State:
        """The state at the end of a segment, with what was before it."""
        before = self.states.get(producer_id)
        if before is None:
            return state
        is_same = state.open_since == firsts[0].first_offset and before.open_since != UNKNOWN_OFFSET
        return State(state.data or before.data, state.last, before.open_since if is_same else state.open_since)

    def close(self, producer_id: int) -> None:
        """Its transaction counts as ended from here on."""
        self.states[producer_id] = self.states[producer_id]._replace(open_since=UNKNOWN_OFFSET)

    def open(self) -> dict[int, int]:
        """First offset of each open transaction, by producer."""
        return {key: state.open_since for key, state in self.states.items() if state.open_since != UNKNOWN_OFFSET}


def intersects(ranges: Iterable[Range], first: int, last: int) -> bool:
    """Whether one of the ranges has an offset from `first` to `last`."""
    return any(start <= last and end >= first for start, end in ranges)
