"""What becomes of results and errors."""

from __future__ import annotations

import asyncio
import json
from typing import NamedTuple

import pytest

from kafkacompat.control_api import cluster_resources
from kafkacompat.control_api.access import Access
from kafkacompat.control_api.application import Application, as_json
from kafkacompat.control_api.calls import Call
from kafkacompat.control_api.http import Request
from kafkacompat.control_api.problems import ProblemError


class Record(NamedTuple):
    offset: int
    value: bytes


def test_named_tuples_become_objects_and_bytes_base64() -> None:
    value = {"records": iter([Record(1, b"\xff")]), 7: {"ids": (1, 2)}, "text": "ü\ud800"}
    assert json.loads(as_json(value)) == {
        "records": [{"offset": 1, "value": "/w=="}], "7": {"ids": [1, 2]}, "text": "ü\ud800",
    }  # fmt: skip


def test_without_a_node_there_is_nothing_to_ask() -> None:
    with pytest.raises(ProblemError) as found:
        cluster_resources.cluster(Call({}, {}, {}))
    assert found.value.status == 503


def test_a_bug_is_logged_and_answered_as_one(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(cluster_resources, "index", lambda _call: 1 / 0)
    request = Request("GET", "/v1", {"host": "localhost"}, b"", "127.0.0.1", "127.0.0.1")
    response = asyncio.run(Application(dict, Access(), "0").handle(request))
    assert response.status == 500
    assert json.loads(response.body)["type"] == "urn:kafkacompat:problem:bug"
    assert "ZeroDivisionError" in caplog.text
