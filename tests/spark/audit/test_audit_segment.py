"""When the records of a batch were made, as a picture of throughput shows it."""

from __future__ import annotations

import numpy as np

from kafkacompat.spark.audit.audit_segment import MS_PER_MINUTE, SPREAD, is_spread, share

LARGEST = (1 << 63) - 1


def test_batches_over_more_than_one_minute_are_spread() -> None:
    first = np.array([0, 0, 10, -1, 5, 100, -LARGEST])
    last = np.array([MS_PER_MINUTE, MS_PER_MINUTE + 1, 10, MS_PER_MINUTE * 9, LARGEST, 0, LARGEST])
    assert is_spread(first, last, MS_PER_MINUTE).tolist() == [False, True, False, False, False, False, False]


def test_the_parts_of_a_batch_are_the_whole() -> None:
    amounts = np.array([0, 1, 15, 16, 1_000_003])
    parts = np.array([share(amounts, part) for part in range(SPREAD)])
    assert parts.sum(axis=0).tolist() == amounts.tolist()
    assert (parts.max(axis=0) - parts.min(axis=0)).max() <= 1
