"""Where a replay goes on, and what cannot be matched."""

from __future__ import annotations

import pytest

from kafkacompat.spark.restore.packed_batches import LogRecord
from kafkacompat.spark.restore.replay_matching import Content, Progress
from kafkacompat.spark.restore.replay_spec import ReplayedLog, ReplayError

LOG = ReplayedLog("orders", 2, 30, "other", 100)


def record(n: int) -> LogRecord:
    """The n-th of the source; every second is alike."""
    return LogRecord(10 + 2 * n, 5, 0, None, b"%d" % (n % 2), (("h", None),))


def content(n: int) -> Content:
    return (5, None, b"%d" % (n % 2), (("h", None),))


def taken(progress: Progress, count: int = 6) -> list[int]:
    found = [n for n in range(count) if progress.take(record(n))]
    progress.finish()
    return found


def test_a_first_run_sends_everything() -> None:
    progress = Progress(LOG, 100, {})
    assert taken(progress) == list(range(6))
    assert (progress.sent, progress.found) == (6, 0)


def test_a_run_goes_on_behind_what_is_there() -> None:
    for there in range(1, 7):
        tail = {100 + n: content(n) for n in range(max(0, there - 3), there)}
        progress = Progress(LOG, 100 + there, tail)
        assert taken(progress) == list(range(there, 6))
        assert (progress.sent, progress.found) == (6 - there, there)


def test_a_compacted_target_has_gaps() -> None:
    assert taken(Progress(LOG, 104, {100: content(0), 103: content(3)})) == [4, 5]


@pytest.mark.parametrize(
    "other",
    [
        (6, None, b"1", (("h", None),)), (5, b"", b"1", (("h", None),)), (5, None, None, (("h", None),)),
        (5, None, b"1", ()), (5, None, b"1", (("h", b""),)), (5, None, b"0", (("h", None),)),
    ],
)  # fmt: skip
def test_a_record_of_somebody_else_is_an_error(other: Content) -> None:
    progress = Progress(LOG, 104, {102: content(2), 103: other})
    with pytest.raises(
        ReplayError, match="other-2 at the target: the record at offset 103 is not that of orders-2, offset 16"
    ):
        taken(progress)


def test_what_is_not_there_or_too_much_is_an_error() -> None:
    with pytest.raises(ReplayError, match="ends at offset 99, and ended at 100"):
        Progress(LOG, 99, {})
    with pytest.raises(ReplayError, match="has 4 records of the run before, and none of the last"):
        Progress(LOG, 104, {})
    with pytest.raises(ReplayError, match="has 7 records since the replay began, and there are 6 to be replayed"):
        taken(Progress(LOG, 107, {100: content(0)}))
