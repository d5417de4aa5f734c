"""Runs of numbers that are next to each other."""

from __future__ import annotations

import numpy as np

from kafkacompat.protocol.columns.varints import Flags


def runs(flags: Flags) -> list[tuple[int, int]]:
    """First and last number of each run of set flags."""
    numbers = np.flatnonzero(flags)
    if not numbers.size:
        return []
    cuts = np.flatnonzero(np.diff(numbers) > 1)
    return list(
        zip(numbers[np.append(0, cuts + 1)].tolist(), numbers[np.append(cuts, numbers.size - 1)].tolist(), strict=True)
    )
