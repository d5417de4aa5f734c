from __future__ import annotations

import json

from kafkacompat.traffic.fetched import MISSING, FieldDifference
from kafkacompat.traffic.replay_report import Difference, ReplayReport


def difference(number: int, code: int = 25, fields: int = 1) -> Difference:
    found = [FieldDifference("error_code", 0, code), *(FieldDifference(f"f{i}", MISSING, b"x") for i in range(fields))]
    return Difference(number, 2, "app", "Heartbeat", 4, ["g"], 1_500_000, found)


def report(*differences: Difference, count: int | None = None, cut_at: int | None = None) -> ReplayReport:
    count = len(differences) if count is None else count
    return ReplayReport(20, 20, 1, list(differences), count, cut_at, 1.25)


def test_lines_name_the_request_and_both_values() -> None:
    assert report(difference(3)).lines == [
        "request 3 at 1.500 s, connection 2, app: Heartbeat v4 g",
        "  error_code is 25 (UNKNOWN_MEMBER_ID), was 0 (NONE)",
        "  f0 is b'x', was missing",
        "19 of 20 answers are equal, in 1.2 s, 1 requests were skipped",
    ]


def test_what_repeats_is_shown_once() -> None:
    lines = report(*(difference(number) for number in range(3, 20)), difference(20, 27), count=200, cut_at=5).lines
    assert lines[3] == "  the same in requests 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 and more"
    assert lines[5] == "  error_code is 27 (REBALANCE_IN_PROGRESS), was 0 (NONE)"
    assert lines[7] == "182 more answers differ"
    assert lines[8].endswith("the file is cut at byte 5")


def test_many_fields_are_counted() -> None:
    assert report(difference(3, fields=9)).lines[6] == "  5 more fields differ"


def test_it_becomes_json() -> None:
    plain = json.loads(json.dumps(report(difference(3)).plain))
    assert plain["is_equal"] is False
    assert plain["differences"][0]["fields"] == [
        {"path": "error_code", "was": 0, "is": 25}, {"path": "f0", "was": "missing", "is": "b'x'"}
    ]  # fmt: skip
    assert report().is_equal
    assert str(report()) == "20 of 20 answers are equal, in 1.2 s, 1 requests were skipped"
