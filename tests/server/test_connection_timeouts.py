"""The limits of time, seen by a sweep once a second."""

from kafkacompat.config import BrokerConfig
from kafkacompat.server.connection_timeouts import ConnectionTimeouts, Observation
from kafkacompat.server.limits import Limits

LIMITS = Limits(BrokerConfig.from_sources())


def closes_after(limit_s: int, seen) -> int | None:
    """The second at which the connection is closed, or None within `limit_s`; `seen(second)` is what the sweep sees."""
    patience = ConnectionTimeouts(0)
    for second in range(1, limit_s + 1):
        if patience.verdict(seen(second), LIMITS, second * 1000):
            return second
    return None


def observe(requests=1, received=0, unsent=0, *, inside=False, waiting=False) -> Observation:
    return Observation(
        requests=requests,
        received_bytes=received,
        unsent_bytes=unsent,
        is_inside_frame=inside,
        is_waiting_for_us=waiting,
    )


def test_no_request_within_ten_seconds() -> None:
    assert closes_after(60, lambda second: observe(requests=0)) == 10


def test_a_first_request_in_parts_has_ten_seconds_too() -> None:
    assert closes_after(60, lambda second: observe(requests=0, received=second * 100_000, inside=True)) == 10


def test_a_first_request_that_waits_for_us_is_not_late() -> None:
    assert closes_after(60, lambda second: observe(requests=0, waiting=True)) is None


def test_idle_after_ten_minutes() -> None:
    assert closes_after(700, lambda second: observe()) == 601  # the request was seen by the sweep at 1


def test_a_request_every_nine_minutes_is_not_idle() -> None:
    assert closes_after(4000, lambda second: observe(requests=1 + second // 540)) is None


def test_a_long_poll_is_not_idle() -> None:
    assert closes_after(4000, lambda second: observe(waiting=True)) is None


def test_a_frame_slower_than_a_kibibyte_a_second() -> None:
    assert closes_after(100, lambda second: observe(received=second * 1000, inside=True)) == 31


def test_a_frame_that_stalls_after_a_fast_start() -> None:
    assert closes_after(100, lambda second: observe(received=10_000_000, inside=True)) == 31


def test_a_frame_just_fast_enough() -> None:
    assert closes_after(500, lambda second: observe(received=second * 1024, inside=True)) is None


def test_many_short_frames_are_not_one_slow_frame() -> None:
    assert closes_after(500, lambda second: observe(requests=second, received=second * 10, inside=True)) is None


def test_a_peer_that_reads_nothing_for_a_minute() -> None:
    assert closes_after(200, lambda second: observe(unsent=5000, waiting=True)) == 61


def test_a_peer_that_reads_slowly_is_kept() -> None:
    assert closes_after(400, lambda second: observe(unsent=1_000_000 - second)) is None


def test_idle_limit_can_be_switched_off() -> None:
    limits = Limits(BrokerConfig.from_sources(cli={"connections.max.idle.ms": "-1"}))
    patience = ConnectionTimeouts(0)
    assert not any(patience.verdict(observe(), limits, second * 1000) for second in range(1, 4000))
