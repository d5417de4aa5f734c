"""What is said of a replay: its speed, its file, when records are due."""

from __future__ import annotations

import json

import pytest

from kafkacompat.spark.restore.replay_spec import Pace, Replay, ReplayedLog, ReplayError, factor_of, name_of, parse

REPLAY = Replay("abc", "cluster", (ReplayedLog("orders", 0, 9, "orders_ci", 4),))


def test_a_speed_is_a_factor() -> None:
    assert [factor_of(speed) for speed in ("max", "realtime", "10x", "0.5x")] == [None, 1.0, 10.0, 0.5]
    for speed in ("fast", "0x", "-1x", "10", "nanx", "infx", "x", ""):
        with pytest.raises(ReplayError, match="speed is max, realtime, or times of it such as 10x"):
            factor_of(speed)


def test_records_are_due_as_they_were_made() -> None:
    pace = Pace(1000.0, 50_000, 10.0)
    assert [pace.due_s(ms) for ms in (50_000, 60_000, 40_000)] == [1000.0, 1001.0, 999.0]


def test_a_file_is_read_as_it_was_written() -> None:
    assert parse(REPLAY.to_json(), "it") == REPLAY
    assert parse(REPLAY._replace(is_transactional=True).to_json(), "it").is_transactional
    first = json.loads(REPLAY.to_json()) | {"format_version": 1}
    del first["is_transactional"]
    assert parse(json.dumps(first), "it") == REPLAY
    with pytest.raises(ReplayError, match="it has format version 3: resume it with"):
        parse(json.dumps({**json.loads(REPLAY.to_json()), "format_version": 3}), "it")
    for text in ("", "[]", "{}", '{"format_version": 1}', '{"format_version": 1, "logs": [3]}'):
        with pytest.raises(ReplayError, match="it says nothing of a replay"):
            parse(text, "it")
    whole = json.loads(REPLAY.to_json())
    for name, wrong in (
        ("cluster_id", 3),
        ("is_transactional", 1),
        ("logs", [{**whole["logs"][0], "base_offset": "4"}]),
    ):
        with pytest.raises(ReplayError, match="it says nothing of a replay"):
            parse(json.dumps({**whole, name: wrong}), "it")


def test_an_id_is_no_path() -> None:
    assert name_of("0af3") == "replays/0af3.json"
    for wrong in ("", "../x", "a/b", "a.b"):
        with pytest.raises(ReplayError, match="is no id of a replay"):
            name_of(wrong)
