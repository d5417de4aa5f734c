"""Captures of traffic over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.client.client import Client
from kafkacompat.cluster.captured_requests import captured_requests
from kafkacompat.traffic.capture_file import CaptureFile
from tests.control_api.harness import Api, serving


def ask(kafka: Cluster) -> None:
    with Client(kafka.bootstrap_servers, timeout_s=30) as client:
        client.metadata(["orders"])


@pytest.fixture(autouse=True)
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_capture_is_started_seen_and_ended(temporary_files: Path) -> None:
    with serving(topics=["orders"], brokers=2) as (kafka, api):
        assert api.get("/v1/captures") == {"captures": []}
        started = api.send("POST", "/v1/captures", {"max_bytes": 1_000_000})
        (capture,) = started.body["captures"]
        assert started.status == 201
        assert Path(capture["path"]).parent == temporary_files
        assert api.send("POST", "/v1/captures", {}).status == 409
        ask(kafka)
        assert api.get("/v1/captures")["captures"][0]["ended"] is None
        (ended,) = api.send("DELETE", "/v1/captures").body["captures"]
        assert (ended["path"], ended["ended"]) == (capture["path"], "it was stopped")
        assert ended["frame_count"] > 0
        assert api.send("DELETE", "/v1/captures").body == {"captures": []}
    with CaptureFile(capture["path"]) as written:
        assert "Metadata" in [each.api for each in captured_requests(written)]


def test_a_capture_ends_with_the_broker() -> None:
    with serving(topics=["orders"]) as (kafka, api):
        path = api.send("POST", "/v1/captures", {"redact": ["values"]}).body["captures"][0]["path"]
        ask(kafka)
    with CaptureFile(path) as written:
        assert len(list(written)) > 3
        assert written.end == {"reason": "it was stopped"}


def test_wrong_wishes_are_refused() -> None:
    with serving() as (_, api):
        for body in ({"max_bytes": 1}, {"redact": ["everything"]}, {"path": "/etc/passwd"}):
            assert api.send("POST", "/v1/captures", body).status == 400


def test_processes_have_a_file_each() -> None:
    with Cluster(processes=True, brokers=2) as kafka:
        api = Api(kafka.control_url)
        captures = api.send("POST", "/v1/captures", {}).body["captures"]
        ask(kafka)
        ended = api.send("DELETE", "/v1/captures").body["captures"]
        api.connection.close()
    assert len({each["path"] for each in captures}) == 2
    assert sum(each["frame_count"] for each in ended) > 0
    for each in ended:
        with CaptureFile(each["path"]) as written:
            assert list(written)[-1].fields == {"reason": "it was stopped"}
        Path(each["path"]).unlink()
