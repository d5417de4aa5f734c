"""The last time at which a follower was caught up."""

from kafkacompat.replication.raft.caught_up import NEVER_FETCHED, caught_up_ms


def test_a_follower_that_holds_all_is_caught_up_now() -> None:
    assert caught_up_ms(0, 10, 10, now_ms=500, last_fetch_ms=0, last_leader_end_offset=NEVER_FETCHED) == 500


def test_a_follower_that_holds_what_there_was_at_its_last_fetch_was_caught_up_then() -> None:
    assert caught_up_ms(0, 10, 12, now_ms=900, last_fetch_ms=500, last_leader_end_offset=10) == 500


def test_a_follower_behind_both_stays_as_it_was() -> None:
    assert caught_up_ms(100, 9, 12, now_ms=900, last_fetch_ms=500, last_leader_end_offset=10) == 100
    assert caught_up_ms(100, 9, 12, now_ms=900, last_fetch_ms=500, last_leader_end_offset=NEVER_FETCHED) == 100


def test_it_never_goes_back() -> None:
    assert caught_up_ms(700, 10, 12, now_ms=900, last_fetch_ms=500, last_leader_end_offset=10) == 700
