"""Which batches follow each other, over the borders of chunks."""

from __future__ import annotations

import random

import numpy as np
import pytest

from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.spark.audit.audit_order import HELD_BACK, OrderCheck
from kafkacompat.spark.audit.audit_scan import NO_BATCHES, Batches


def batches(bases: list[int], size: int = 10) -> Batches:
    base = np.array(bases, np.int64)
    zeros = np.zeros(base.size, np.int64)
    return Batches(*(zeros for _ in Batches._fields))._replace(base=base, last=base + size - 1)


def check(
    bases: list[int], chunk: int, *, cleaned_until: int = 0, following: int = LONG_MAX
) -> tuple[OrderCheck, Batches]:
    order = OrderCheck(0, following, cleaned_until, is_first=True, is_there=lambda base, *_: base in bases)
    placed = NO_BATCHES
    for number in range(0, len(bases), chunk):
        placed = placed.then(order.feed(batches(bases[number : number + chunk])))
    return order, placed.then(order.end())


@pytest.mark.parametrize("chunk", [37, HELD_BACK, 5000])
def test_one_fault_among_thousands_is_found_wherever_chunks_end(chunk: int) -> None:
    sound = list(range(0, 10_000, 10))
    order, placed = check(sound, chunk)
    assert (order.found, placed.base.tolist(), order.next_offset) == ([], sound, 10_000)
    at = random.randrange(1, 998)
    swapped = [*sound[:at], sound[at + 1], sound[at], *sound[at + 2 :]]
    for changed, kind in (
        (sound[:at] + sound[at + 1 :], "missing-offsets"),
        (swapped, "order"),
        ([*sound[: at + 1], *sound[at:]], "duplicate-batch"),
        ([*sound[:at], sound[at] + 50_000, *sound[at + 1 :]], "base-offset"),
    ):
        order, placed = check(changed, chunk)
        assert [(each.kind, each.first_offset) for each in order.found] == [(kind, sound[at])], at
        assert (np.diff(placed.base) > 0).all()


def test_what_compaction_has_removed_is_not_missing() -> None:
    order, placed = check([0, 30, 60, 100, 120], 5, cleaned_until=100)
    assert [(each.kind, each.first_offset, each.last_offset) for each in order.found] == [("missing-offsets", 110, 119)]
    assert placed.base.size == 5


def test_the_next_segment_follows() -> None:
    order, _ = check([0, 10], 5, following=40)
    assert [(each.first_offset, each.last_offset) for each in order.found] == [(20, 39)]
    assert order.blind == [(20, 39)]
