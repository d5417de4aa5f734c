"""What the verbs of `kafkacompat spark` share, without Spark."""

from __future__ import annotations

import pytest

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.spark_session import time_ms


def test_a_time_is_ms_or_iso_8601_in_utc_unless_it_says_otherwise() -> None:
    same = ("1777645740000", "2026-05-01T14:29Z", "2026-05-01T14:29:00", "2026-05-01T16:29+02:00")
    assert [time_ms(text, "--to-time") for text in same] == [1777645740000] * len(same)
    with pytest.raises(VerbError, match="--to-time: 'noon' is neither ms nor a time"):
        time_ms("noon", "--to-time")
