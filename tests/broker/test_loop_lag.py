import logging

from kafkacompat.broker.loop_lag import LONG_TURN_MS, RECENT_WINDOWS, SLOW_TURN_MS, WINDOW_MS, LoopLag
from kafkacompat.now import Now


def test_keeps_the_longest_turn_and_what_it_was():
    lag = LoopLag()
    for took_ms, what in ((3, b"\x00\x03rest of the frame"), (40, b"\x00\x13"), (12, "checkpoint")):
        lag.took(took_ms, 1_000, what)
    assert (lag.longest_ms, lag.longest_what) == (40, "create_topics")
    assert lag.counts[:7] == [0, 0, 1, 0, 1, 0, 1]


def test_the_last_minute_forgets_what_the_start_does_not():
    lag = LoopLag()
    lag.took(500, 0, "start")
    lag.took(7, WINDOW_MS, "later")
    assert lag.recent_ms(WINDOW_MS) == 500
    assert lag.recent_ms(RECENT_WINDOWS * WINDOW_MS) == 7
    assert lag.recent_ms((RECENT_WINDOWS + 1) * WINDOW_MS) == 0
    assert lag.longest_ms == 500


def test_a_turn_of_a_second_is_named_in_the_log(caplog):
    lag = LoopLag()
    lag.took(SLOW_TURN_MS - 1, 0, "fast enough")
    lag.took(SLOW_TURN_MS, 0, b"\x7f\xff")
    lag.took(1 << 40, 0, "x" * 1000)  # more than the last count is for
    assert caplog.record_tuples[0] == (
        "kafkacompat.broker.loop_lag",
        logging.WARNING,
        f"the event loop was held for {SLOW_TURN_MS} ms by API key 32767",
    )
    assert len(caplog.record_tuples) == 2
    assert len(lag.longest_what) == 100


def test_without_a_clock_no_turn_is_long() -> None:
    lag, now = LoopLag(), Now(1_000, 0)
    assert not lag.is_long(now)
    lag.clock_ms = lambda: now.monotonic_ms + LONG_TURN_MS - 1
    assert not lag.is_long(now)
    lag.clock_ms = lambda: now.monotonic_ms + LONG_TURN_MS
    assert lag.is_long(now)
