"""How long commits take, as the leader of the quorum sees it."""

from __future__ import annotations

from kafkacompat.replication.raft.commit_times import WAITING_MAX, CommitTimes


def test_a_batch_counts_when_all_of_it_is_committed() -> None:
    times = CommitTimes()
    times.appended(0, 2, 1_000)
    times.appended(2, 3, 1_010)
    times.committed(1, 1_020)
    assert (times.count, times.sum_ms) == (0, 0)
    times.committed(2, 1_020)
    assert (times.count, times.sum_ms) == (1, 10)  # 20 ms for two records
    times.committed(3, 1_030)
    times.committed(3, 1_040)
    assert (times.count, times.sum_ms) == (2, 30)


def test_what_an_earlier_epoch_appended_does_not_count() -> None:
    times = CommitTimes()
    times.appended(0, 1, 1_000)
    times.begin()
    times.committed(5, 9_000)
    assert times.count == 0


def test_a_quorum_that_commits_nothing_keeps_few() -> None:
    times = CommitTimes()
    for offset in range(WAITING_MAX + 10):
        times.appended(offset, offset + 1, 1_000)
    times.committed(WAITING_MAX + 10, 1_000)
    assert times.count == WAITING_MAX
