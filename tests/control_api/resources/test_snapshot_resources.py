"""Snapshots over HTTP: taken, listed, fetched, gone back to, and removed with the node."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.control_api.resources import snapshot_resources
from tests.control_api.harness import Api, serving

RECORDS = {"orders": [{"key": "a", "value": "1"}]}
DAY_MS = 86_400_000


def values(kafka: Cluster) -> list[bytes | None]:
    return [record.value for record in kafka.records("orders")]


@pytest.mark.parametrize("brokers", [1, 2, 3])
def test_the_nodes_of_a_process_go_back_to_a_snapshot(
    tmp_path: Path, brokers: int, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(brokers=brokers, records=RECORDS) as (kafka, api):
        assert api.get("/v1/snapshots") == {"snapshots": []}
        kafka.clock.advance(days=3)
        taken = api.send("POST", "/v1/snapshots", {})
        assert taken.status == 201
        assert taken.body["node_ids"] == list(range(1, brokers + 1))
        place = f"/v1/snapshots/{taken.body['snapshot_id']}"
        assert api.get(place) == taken.body
        assert api.get("/v1/snapshots") == {"snapshots": [taken.body]}
        topic_id = kafka.topics()["orders"].topic_id
        for _ in range(2):
            api.send("POST", "/v1/topics/orders/records", {"records": [{"value": "2"}]})
            api.send("POST", "/v1/topics", {"name": "more"})
            kafka.clock.advance(days=1)
            assert api.send("POST", f"{place}/restore", {}).body == {"connections": []}
            assert (list(kafka.topics()), values(kafka)) == (["orders"], [b"1"])
            assert kafka.topics()["orders"].topic_id == topic_id
            assert abs(kafka.clock.view.offset_ms - 3 * DAY_MS) < 60_000
        assert "another process is registered" not in caplog.text, "brokers wait for the sessions of dead ones"
        api.connection.request("GET", f"{place}/file")
        answered = api.connection.getresponse()
        assert answered.getheader("content-type") == "application/x-tar"
        (tmp_path / "it.tar").write_bytes(answered.read())
        path = Path(taken.body["path"])
        assert path.stat().st_size == taken.body["size_bytes"]
        assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)
        assert api.send("DELETE", place).body == taken.body
        assert not path.exists()
        assert api.send("POST", f"{place}/restore", {}).status == 404
        again = Path(api.send("POST", "/v1/snapshots", {}).body["path"])
        assert again.exists()
    assert not again.parent.exists(), "snapshots outlive their node"
    with Cluster.restore(tmp_path / "it.tar") as restored:
        assert values(restored) == [b"1"]
        assert abs(restored.clock.view.offset_ms - 3 * DAY_MS) < 60_000
        restored.reset()
        assert abs(restored.clock.view.offset_ms - 3 * DAY_MS) < 60_000


def test_what_cannot_be_is_refused_before_anything_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(brokers=3, records=RECORDS) as (kafka, api):
        taken = api.send("POST", "/v1/snapshots", {}).body
        place = f"/v1/snapshots/{taken['snapshot_id']}"
        monkeypatch.setattr(snapshot_resources, "KEPT_MAX", 1)
        assert "kept already" in api.send("POST", "/v1/snapshots", {}).body["detail"]
        whole = Path(taken["path"]).read_bytes()
        Path(taken["path"]).write_bytes(whole[: len(whole) // 2])
        assert api.send("POST", f"{place}/restore", {}).status == 409
        assert values(kafka) == [b"1"]
        Path(taken["path"]).write_bytes(whole)
        kafka.kill(3)
        for path in ("/v1/snapshots", f"{place}/restore"):
            assert api.send("POST", path, {}).status == 409
        kafka.restart(3)
        assert api.send("POST", f"{place}/restore", {}).status == 200
        assert values(kafka) == [b"1"]


def test_a_node_in_a_process_of_its_own_is_copied_and_goes_back(tmp_path: Path) -> None:
    with Cluster(processes=True, records=RECORDS) as kafka:
        api = Api(kafka.control_url)
        pid = kafka.brokers[0].pid
        kafka.clock.advance(days=3)
        kafka.snapshot(tmp_path / "it.tar.zst")
        assert api.get("/v1/snapshots") == {"snapshots": []}, "the copy of the node is left"
        taken = api.send("POST", "/v1/snapshots", {}).body
        topic_id = kafka.topics()["orders"].topic_id
        api.send("POST", "/v1/topics/orders/records", {"records": [{"value": "2"}]})
        kafka.create_topics(["more"])
        done = api.send("POST", f"/v1/snapshots/{taken['snapshot_id']}/restore", {})
        assert (done.status, done.body) == (200, {"connections": []})
        assert (list(kafka.topics()), values(kafka), kafka.brokers[0].pid) == (["orders"], [b"1"], pid)
        assert kafka.topics()["orders"].topic_id == topic_id
        assert abs(kafka.clock.view.offset_ms - 3 * DAY_MS) < 60_000
        api.close()
    for processes in (False, True):
        with Cluster.restore(tmp_path / "it.tar.zst", processes=processes) as restored:
            restored.create_topics(["more"])
            restored.reset()
            assert (list(restored.topics()), values(restored)) == (["orders"], [b"1"])
