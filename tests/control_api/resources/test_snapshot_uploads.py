"""Snapshots that were saved elsewhere: uploaded over HTTP, checked, kept, gone back to; or refused with no trace."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkacompat import Cluster
from kafkacompat.control_api.http import http_bodies
from kafkacompat.control_api.resources import snapshot_uploads
from kafkacompat.control_api.snapshots import disk_room
from tests.control_api.harness import TIMEOUT_S, Answered, Api, serving
from tests.control_api.snapshots.test_snapshot_files import BAD, rewritten
from tests.raw_client import RawClient
from tests.waiting import wait_until

RECORDS = {"orders": [{"key": "a", "value": "1"}]}
DAY_MS = 86_400_000
PLACE = "/v1/snapshots/saved"


def values(kafka: Cluster) -> list[bytes | None]:
    return [record.value for record in kafka.records("orders")]


def saved(path: Path, **options: Any) -> bytes:
    """A snapshot of another cluster, three days ahead, with a record in `orders`."""
    with Cluster(records=RECORDS, **options) as kafka:
        kafka.clock.advance(days=3)
        kafka.snapshot(path)
    return path.read_bytes()


def upload(api: Api, tar: bytes, place: str = PLACE) -> Answered:
    return api.send("PUT", f"{place}/file", raw=tar, headers={"content-type": "application/x-tar"})


def kept_files(kafka: Cluster) -> list[str]:
    """The files of snapshots that a node keeps, also of those that are not whole."""
    kept = kafka._call(kafka.brokers[0].id, lambda server: server.kept_snapshots)
    return [] if kept is None else sorted(path.name for path in Path(kept.directory).iterdir())


@pytest.fixture(scope="module")
def tar(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return saved(tmp_path_factory.mktemp("saved") / "it.tar")


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["it.tar", "it.tar.zst"])
@pytest.mark.parametrize(
    "options", [{}, {"brokers": 2, "controllers": 1}, {"processes": True}, {"brokers": 2, "processes": True}], ids=str
)
def test_a_fresh_cluster_goes_back_to_a_snapshot_of_another_one(
    tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    tar = saved(tmp_path / name, **options)
    with serving(topics=["other"], **options) as (kafka, api):
        cluster_id = kafka.cluster_id
        kept = upload(api, tar)
        assert kept.status == 201
        assert api.get(PLACE) == kept.body
        assert api.get("/v1/snapshots") == {"snapshots": [kept.body]}
        assert kept.body["cluster_id"] != cluster_id
        for _ in range(2):
            assert api.send("POST", f"{PLACE}/restore", {}).body == {"connections": []}
            assert (list(kafka.topics()), values(kafka), kafka.cluster_id) == (["orders"], [b"1"], cluster_id)
            assert abs(kafka.clock.view.offset_ms - 3 * DAY_MS) < 60_000
            written = api.send("POST", "/v1/topics/orders/records", {"records": [{"value": "2"}]})
            assert written.body["partitions"] == [{"partition": 0, "first_offset": 1, "last_offset": 1}]
            assert values(kafka) == [b"1", b"2"]
        api.connection.request("GET", f"{PLACE}/file")
        sent = api.connection.getresponse().read()
        assert (len(sent), b"manifest.json" in sent) == (kept.body["size_bytes"], True)
        assert api.send("HEAD", f"{PLACE}/file").headers["content-length"] == str(len(sent))
        assert api.send("DELETE", PLACE).status == 200
        assert api.get("/v1/snapshots") == {"snapshots": []}
        kafka.restart(kafka.brokers[0].id)
        assert (values(kafka), kafka.cluster_id) == ([b"1", b"2"], cluster_id)


def test_a_broker_goes_back_to_its_own_file_and_a_client_that_stayed_reads_the_records() -> None:
    with serving(records=RECORDS) as (kafka, api), RawClient(kafka.bootstrap_servers) as client:
        client.ask("metadata", 3, 1, topics=None)
        taken = api.send("POST", "/v1/snapshots", {}).body
        api.connection.request("GET", f"/v1/snapshots/{taken['snapshot_id']}/file")
        tar = api.connection.getresponse().read()
        api.send("POST", "/v1/topics/orders/records", {"records": [{"value": "2"}]})
        assert upload(api, tar, "/v1/snapshots/2").status == 201
        assert len(api.send("POST", "/v1/snapshots/2/restore", {}).body["connections"]) == 1
        assert values(kafka) == [b"1"]
        assert client.ask("metadata", 3, 1, topics=None).topics[0].name == "orders"
        assert api.send("POST", "/v1/snapshots", {}).body["snapshot_id"] == "3", "an id that was uploaded is taken"


def test_what_is_no_snapshot_is_refused_and_leaves_no_file(tmp_path: Path, tar: bytes) -> None:
    (tmp_path / "it.tar").write_bytes(tar)
    at = tar.index(b"1", tar.index(b"node-1/orders-0/00000000000000000000.log") + 512)
    sent = {
        "nothing": (b"", "is no snapshot"),
        "no tar": (b"x" * 5000, "is no snapshot"),
        "half": (tar[: len(tar) // 2], "is no snapshot"),
        "checksum": (tar[:at] + b"?" + tar[at + 1 :], "the checksum of node-1/orders-0/"),
        "no zstd": (b"\x28\xb5\x2f\xfd" + tar, "what was sent is "),
    }
    for kind, (change, says) in BAD.items():
        rewritten(tmp_path / "it.tar", tmp_path / "bad.tar", change)
        sent[kind] = (tmp_path / "bad.tar").read_bytes(), says
    with serving() as (kafka, api):
        for kind, (data, says) in sent.items():
            refused = upload(api, data)
            assert (refused.status, refused.body["type"]) == (400, "urn:kafkacompat:problem:no-snapshot"), kind
            assert says in refused.body["detail"], kind
            assert "kafkacompat snapshot save" in refused.body["detail"], kind
            assert (kept_files(kafka), api.get("/v1/snapshots")) == ([], {"snapshots": []}), kind


def test_a_snapshot_of_other_nodes_is_refused_with_advice(tmp_path: Path, tar: bytes) -> None:
    others: dict[str, dict[str, Any]] = {
        "a lone broker, node 7 (broker, controller)": {"config": {"node.id": 7}},
        "a cluster of the nodes 1 (broker, controller), 2 (broker)": {"brokers": 2},
        "a cluster of the nodes 1 (broker), 1001 (controller)": {"controllers": 1},
    }
    for shape, options in others.items():
        with serving(**options) as (kafka, api):
            refused = upload(api, tar)
            assert (refused.status, refused.body["type"]) == (409, "urn:kafkacompat:problem:other-nodes")
            assert f"is of a lone broker, node 1 (broker, controller), and {shape} runs" in refused.body["detail"]
            assert "Cluster.restore(file)" in refused.body["detail"]
            assert kept_files(kafka) == []


def test_limits_are_problems_that_say_what_to_do(tar: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as (kafka, api):
        assert upload(api, tar).status == 201
        refused = upload(api, tar)
        assert (refused.status, refused.body["type"]) == (409, "urn:kafkacompat:problem:snapshot-exists")
        for bad in ("..", "a.b", "%2Fetc", "x" * 65):
            assert upload(api, tar, f"/v1/snapshots/{bad}").status in (400, 404)
        monkeypatch.setattr(snapshot_uploads, "UPLOAD_BYTES_MAX", len(tar) - 1)
        assert upload(api, tar, "/v1/snapshots/b").status == 413
        assert send_in_chunks(api, [tar[:1000], tar[1000:]], "b").startswith(b"HTTP/1.1 413")
        monkeypatch.undo()
        monkeypatch.setattr(disk_room, "FREE_BYTES_MIN", 1 << 60)
        refused = upload(api, tar, "/v1/snapshots/b")
        assert (refused.status, "TMPDIR, on a larger disk" in refused.body["detail"]) == (507, True)
        monkeypatch.undo()
        for number in range(15):
            assert upload(api, tar, f"/v1/snapshots/more-{number}").status == 201
        assert "delete one" in upload(api, tar, "/v1/snapshots/b").body["detail"]
        assert len(kept_files(kafka)) == 16


def test_compressed_data_that_unpack_to_too_much_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compressed = saved(tmp_path / "it.tar.zst")
    monkeypatch.setattr(snapshot_uploads, "UPLOAD_BYTES_MAX", len(compressed) + 1)
    with serving() as (kafka, api):
        refused = upload(api, compressed)
        assert (refused.status, "unpacks to more than" in refused.body["detail"]) == (400, True)
        assert kept_files(kafka) == []


def head(*fields: str) -> bytes:
    lines = [f"PUT {PLACE}/file HTTP/1.1", "host: localhost", *fields, "", ""]
    return "\r\n".join(lines).encode()


def send_in_chunks(api: Api, pieces: list[bytes], snapshot_id: str = "saved") -> bytes:
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    start = head("transfer-encoding: chunked", "connection: close").replace(b"/saved/", f"/{snapshot_id}/".encode())
    return api.raw(start + chunks + b"0\r\n\r\n")


@contextlib.contextmanager
def half_sent(kafka: Cluster, api: Api, tar: bytes) -> Iterator[socket.socket]:
    """A connection on which half of a snapshot was sent, and written by the node."""
    with socket.create_connection(api.address, timeout=TIMEOUT_S) as sock:
        sock.sendall(head(f"content-length: {len(tar)}") + tar[: len(tar) // 2])
        wait_until(lambda: kept_files(kafka) == ["saved.tar.part"])
        yield sock


def test_a_body_in_chunks_and_one_that_waits_for_100_are_taken(tar: bytes) -> None:
    with serving() as (_, api):
        assert send_in_chunks(api, [tar[:1000], tar[1000:]]).startswith(b"HTTP/1.1 201")
        api.send("DELETE", PLACE)
        fields = (f"content-length: {len(tar)}", "expect: 100-continue")
        for expected in (b"HTTP/1.1 100", b"HTTP/1.1 409"):
            with socket.create_connection(api.address, timeout=TIMEOUT_S) as sock:
                sock.sendall(head(*fields))
                assert sock.recv(1000).startswith(expected)
                if b"100" in expected:
                    sock.sendall(tar)
                    assert sock.recv(1000).startswith(b"HTTP/1.1 201")


def test_a_body_that_is_cut_off_leaves_nothing(tar: bytes) -> None:
    with serving() as (kafka, api):
        for is_half_closed in (False, True):
            with half_sent(kafka, api, tar) as sock:
                sock.shutdown(socket.SHUT_WR) if is_half_closed else sock.close()
                wait_until(lambda: kept_files(kafka) == [])
        assert api.send("POST", f"{PLACE}/restore", {}).status == 404
        assert upload(api, tar).status == 201
        with half_sent_in_processes(tar) as api_of_processes:
            wait_until(lambda: upload(api_of_processes, tar).status != 429)


@contextlib.contextmanager
def half_sent_in_processes(tar: bytes) -> Iterator[Api]:
    """The API of a node in a process of its own, after a body that was cut off."""
    with serving(processes=True) as (_, api):
        with socket.create_connection(api.address, timeout=TIMEOUT_S) as sock:
            sock.sendall(head(f"content-length: {len(tar)}") + tar[: len(tar) // 2])
            wait_until(lambda: upload(api, b"").status == 429)
        yield api


def test_one_is_uploaded_at_a_time_and_a_slow_one_delays_nobody(tar: bytes) -> None:
    with serving() as (kafka, api):
        with half_sent(kafka, api, tar) as sock:
            refused = upload(api, tar, "/v1/snapshots/second")
            assert (refused.status, "try again" in refused.body["detail"]) == (429, True)
            api.close()
            began_s = time.monotonic()
            assert api.send("POST", "/v1/topics/more/records", {"records": [{"value": "2"}]}).status == 404
            assert api.send("POST", "/v1/topics", {"name": "more"}).status == 201
            assert api.send("POST", "/v1/snapshots", {}).status == 201
            assert time.monotonic() - began_s < http_bodies.IDLE_TIMEOUT_S
            sock.sendall(tar[len(tar) // 2 :])
            assert sock.recv(1000).startswith(b"HTTP/1.1 201")
        assert upload(api, tar, "/v1/snapshots/second").status == 201


def test_a_body_that_stops_is_given_up(tar: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_bodies, "IDLE_TIMEOUT_S", 0.1)
    with serving() as (kafka, api), half_sent(kafka, api, tar) as sock:
        assert sock.recv(1000).startswith(b"HTTP/1.1 408")
        wait_until(lambda: kept_files(kafka) == [])


def test_a_node_that_stops_ends_an_upload(tar: bytes) -> None:
    with serving() as (kafka, api):
        directory = None
        with half_sent(kafka, api, tar):
            directory = kafka._call(1, lambda server: server.kept_snapshots.directory)
            kafka.stop()
        assert not Path(directory).exists()
