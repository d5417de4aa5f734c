"""The leader's state: the high watermark, contact with a majority, delayed fetches."""

import pytest

from kafkacompat.now import NEVER
from kafkacompat.replication.raft.leader_state import MAX_OBSERVERS, DelayedFetch, LeaderState, majority_end
from kafkacompat.replication.raft.messages import Fetch
from kafkacompat.replication.raft.timing import Timing


def fetch(replica_id: int, offset: int, high_watermark: int = -1) -> Fetch:
    return Fetch(replica_id, bytes(16), 5, offset, 5, high_watermark)


@pytest.mark.parametrize(
    ("ends", "committed"), [([7], 7), ([7, 3], 3), ([7, 3, 5], 5), ([9, 9, 1, 2], 2), ([9, 8, 7, -1, -1], 7)]
)
def test_a_majority_holds_everything_below(ends: list[int], committed: int) -> None:
    assert majority_end(ends) == committed


def test_the_high_watermark_moves_beyond_the_start_of_the_epoch_only() -> None:
    leader = LeaderState([2, 3], epoch_start_offset=10, now_ms=0)
    leader.fetched(fetch(2, 10), 100, 0, is_voter=True)
    assert leader.high_watermark(11, 4) == 4  # older records are on a majority, the epoch's first is not
    leader.fetched(fetch(2, 11), 100, 0, is_voter=True)
    assert leader.high_watermark(10, 4) == 4  # here it is not durable yet
    assert leader.high_watermark(11, 4) == 11


def test_a_late_fetch_takes_nothing_back() -> None:
    leader = LeaderState([2], 0, 0)
    leader.fetched(fetch(2, 8), 100, 1, is_voter=True)
    leader.fetched(fetch(2, 3), 100, 2, is_voter=True)
    assert leader.high_watermark(9, 0) == 8


def test_the_quorum_is_lost_when_a_majority_was_silent_for_too_long() -> None:
    leader = LeaderState([2, 3, 4, 5], 0, now_ms=100)
    leader.fetched(fetch(2, 0), 100, 900, is_voter=True)
    leader.fetched(fetch(3, 0), 100, 700, is_voter=True)
    leader.fetched(fetch(9, 0), 100, 999, is_voter=False)  # an observer counts for nothing
    assert leader.quorum_lost_at_ms(3000, 1000) == 3700
    assert LeaderState([], 0, 0).quorum_lost_at_ms(3000, 1000) == NEVER


def test_voters_are_told_of_the_epoch_until_they_fetch() -> None:
    leader = LeaderState([2, 3], 0, now_ms=0)
    assert leader.take_due_begin_epochs(0, 500) == [2, 3]
    assert leader.take_due_begin_epochs(499, 500) == []
    leader.fetched(fetch(3, 0), 100, 499, is_voter=True)
    assert leader.take_due_begin_epochs(500, 500) == [2]


def test_a_fetch_waits_for_records_for_a_high_watermark_or_for_its_time() -> None:
    leader = LeaderState([2], 0, 0)
    leader.fetched(fetch(2, 5), 100, 0, is_voter=True)
    for end_offset, high_watermark, now_ms in ((6, 3, 0), (5, 4, 0), (5, 3, 500)):
        assert leader.delay(DelayedFetch("token", fetch(2, 5, high_watermark=3), 500)) is None
        assert leader.take_due(5, 3, 499) == []
        assert [delayed.token for delayed in leader.take_due(end_offset, high_watermark, now_ms)] == ["token"]
        assert leader.delayed_fetches == {}


def test_one_fetch_of_a_replica_is_held() -> None:
    leader = LeaderState([2], 0, 0)
    first = DelayedFetch("first", fetch(2, 5), 500)
    leader.delay(first)
    assert leader.delay(DelayedFetch("second", fetch(2, 5), 700)) is first
    leader.forget("first")
    assert [delayed.token for delayed in leader.delayed_fetches.values()] == ["second"]
    leader.forget("second")
    assert leader.delayed_fetches == {}


def test_the_longest_log_is_the_first_successor() -> None:
    leader = LeaderState([2, 3, 4], 0, 0)
    leader.fetched(fetch(4, 9), 100, 0, is_voter=True)
    leader.fetched(fetch(3, 7), 100, 0, is_voter=True)
    assert leader.successors() == (4, 3, 2)


def test_observers_are_forgotten_when_there_are_too_many() -> None:
    leader = LeaderState([2], 0, 0)
    for replica_id in range(10, 10 + MAX_OBSERVERS):
        leader.fetched(fetch(replica_id, 0), 100, 0, is_voter=False)
    leader.fetched(fetch(10, 0), 100, 1, is_voter=False)
    leader.fetched(fetch(9, 0), 100, 2, is_voter=False)
    assert len(leader.observers) == MAX_OBSERVERS
    assert (11, bytes(16)) not in leader.observers
    assert (10, bytes(16)) in leader.observers


def test_the_pause_after_a_lost_election_doubles_up_to_a_limit() -> None:
    timing = Timing()
    assert [timing.backoff_ms(rounds) for rounds in (1, 2, 3, 4, 5, 99)] == [100, 200, 400, 800, 1000, 1000]
    assert timing.check_quorum_timeout_ms == 3000
