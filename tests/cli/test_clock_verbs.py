"""`kafkacompat clock`: the brokers' time is seen, moved, stopped and resumed."""

from __future__ import annotations

import pytest

from tests.cli.control_api import node


def test_time_is_moved_stopped_and_resumed() -> None:
    with node() as broker:
        (began,) = broker.printed("clock", "clock", "show")
        assert (began["offset_ms"], began["is_frozen"]) == (0, False)
        (moved,) = broker.printed("advanced", "clock", "advance", "8d")
        assert moved["wall_ms"] - began["wall_ms"] >= 8 * 86_400_000
        (frozen,) = broker.printed("clock", "clock", "freeze")
        assert frozen["is_frozen"]
        assert broker.printed("clock", "clock", "show")[0]["wall_ms"] == frozen["wall_ms"]
        (moved,) = broker.printed("advanced", "clock", "advance", "500ms", "--no-sessions")
        assert moved["wall_ms"] == frozen["wall_ms"] + 500
        (resumed,) = broker.printed("clock", "clock", "resume")
        assert not resumed["is_frozen"]


def test_people_read_the_time_and_what_fired() -> None:
    with node() as broker:
        broker.cluster.clock.freeze()
        wall_ms = broker.printed("clock", "clock", "show")[0]["wall_ms"]
        from datetime import UTC, datetime

        time = datetime.fromtimestamp((wall_ms + 1000) / 1000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
        assert broker.run("clock", "advance", "1s", "-f", "table") == (
            0, b"", f"the brokers' time is {time}; 0 timers fired\n",
        )  # fmt: skip
        assert broker.run("clock", "show", "-f", "raw").text == time + "\n"


@pytest.mark.parametrize("duration", ["5", "-5m", "m", "", "5 m", "5w", "9999999999999d"])
def test_what_is_no_length_of_time_is_refused(duration: str) -> None:
    with node() as broker:
        done = broker.run("clock", "advance", "--", duration)
        assert done.status == 2
        assert "is no length of time: write 200ms, 5s, 10m, 2h or 7d" in done.err


def test_too_long_a_way_is_refused_by_the_broker() -> None:
    with node() as broker:
        done = broker.run("clock", "advance", "99999d")
        assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
