"""The way back to a snapshot: room on the disk, two at once, beside the event loop, in little memory."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.control_api.snapshots import disk_room, snapshot_files, snapshots
from tests.control_api.harness import Api, serving

RECORDS = {"orders": [{"key": "a", "value": "1"}]}
QUICK = {"controller.quorum.election.timeout.ms": 300}
LARGE_BYTES = int(os.environ.get("KAFKACOMPAT_TEST_SNAPSHOT_MB", "48")) << 20
GROWTH_MAX_BYTES = 24 << 20


def values(kafka: Cluster) -> list[bytes | None]:
    return [record.value for record in kafka.records("orders")]


@pytest.mark.parametrize("options", [{}, {"brokers": 2, "processes": True, "config": QUICK}], ids=str)
def test_without_room_on_the_disk_nothing_is_dropped(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(records=RECORDS, **options) as (kafka, api):
        taken = api.send("POST", "/v1/snapshots", {}).body
        kafka.snapshot(tmp_path / "it.tar")
        kafka.create_topics(["more"])
        pids = [broker.pid for broker in kafka.brokers]
        monkeypatch.setattr(disk_room, "FREE_BYTES_MIN", 1 << 60)
        refused = api.send("POST", f"/v1/snapshots/{taken['snapshot_id']}/restore", {})
        assert (refused.status, refused.body["type"]) == (507, "urn:kafkacompat:problem:no-room")
        assert "delete snapshots that are kept" in refused.body["detail"]
        assert [broker.pid for broker in kafka.brokers] == pids
        assert (sorted(kafka.topics()), values(kafka)) == (["more", "orders"], [b"1"])
        monkeypatch.undo()
        assert api.send("POST", f"/v1/snapshots/{taken['snapshot_id']}/restore", {}).status == 200
        assert list(kafka.topics()) == ["orders"]
    with Cluster.restore(tmp_path / "it.tar", **options) as restored:
        restored.create_topics(["more"])
        monkeypatch.setattr(disk_room, "FREE_BYTES_MIN", 1 << 60)
        with pytest.raises(KafkaCompatError, match="MiB free"):
            restored.reset()
        assert (sorted(restored.topics()), values(restored)) == (["more", "orders"], [b"1"])


@pytest.mark.parametrize("options", [{}, {"brokers": 2}, {"brokers": 2, "processes": True, "config": QUICK}], ids=str)
def test_restores_resets_and_copies_at_once_wait_for_each_other(tmp_path: Path, options: dict[str, Any]) -> None:
    with serving(records=RECORDS, **options) as (kafka, api), ThreadPoolExecutor(6) as threads:
        taken = api.send("POST", "/v1/snapshots", {}).body
        restore = f"/v1/snapshots/{taken['snapshot_id']}/restore"

        def send(target: str) -> int:
            own = Api(kafka.control_url)
            try:
                return own.send("POST", target, {}).status
            finally:
                own.close()

        targets = [restore, "/v1/reset", restore, "/v1/snapshots", restore]
        assert sorted(threads.map(send, targets)) == [200, 200, 200, 200, 201]
        assert values(kafka) == [b"1"]
        api.send("POST", "/v1/topics/orders/records", {"records": [{"value": "2"}]})
        assert values(kafka) == [b"1", b"2"]
        for kept in api.get("/v1/snapshots")["snapshots"]:
            assert api.send("POST", f"/v1/snapshots/{kept['snapshot_id']}/restore", {}).status == 200
            assert values(kafka) == [b"1"], "it was copied in the middle of a reset"


def files_that_are_open() -> int:
    """Without sockets, which the clients of other tests may still close."""
    count = 0
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # that of this listing is gone
            count += str(entry.readlink()).startswith("/")
    return count


def test_files_are_read_and_unpacked_beside_the_loop_and_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_loop: list[str] = []

    class Watched(snapshot_files.Snapshot):
        def __init__(self, *args: Any, **options: Any) -> None:
            self._note("opened")
            super().__init__(*args, **options)

        def unpack(self, node_id: int, directory: str) -> None:
            self._note("unpacked")
            super().unpack(node_id, directory)

        def _note(self, what: str) -> None:
            seen.append(what)
            if asyncio._get_running_loop() is not None:
                on_loop.append(what)

    def finish(*given: Any) -> Any:
        seen.append("finished")
        if asyncio._get_running_loop() is not None:
            on_loop.append("finished")
        return finished(*given)

    finished = snapshots.finish
    seen: list[str] = []
    with Cluster(records=RECORDS) as kafka:
        kafka.snapshot(tmp_path / "it.tar.zst")
    monkeypatch.setattr(snapshot_files, "Snapshot", Watched)
    monkeypatch.setattr(snapshots, "finish", finish)
    open_files = []
    with serving_from(tmp_path / "it.tar.zst") as (kafka, api):
        for _ in range(4):
            kafka.reset()
            taken = api.send("POST", "/v1/snapshots", {}).body
            assert api.send("POST", f"/v1/snapshots/{taken['snapshot_id']}/restore", {}).status == 200
            assert values(kafka) == [b"1"]
            if sys.platform == "linux":
                open_files.append(files_that_are_open())
    assert {*seen} == {"opened", "unpacked", "finished"}
    assert on_loop == []
    assert open_files[3:4] <= open_files[1:2], "files are left open"


@contextmanager
def serving_from(path: Path) -> Iterator[tuple[Cluster, Api]]:
    with Cluster.restore(path) as kafka:
        api = Api(kafka.control_url)
        try:
            yield kafka, api
        finally:
            api.close()


class KilledError(BaseException):
    """Nothing else happens after it, as when the process is killed."""


@pytest.mark.parametrize(
    ("step", "node_id", "identified"),
    [
        ("unpack", 2, set()),
        ("unpack", 1001, set()),
        ("identify", 1, set()),
        ("identify", 2, {"node-1"}),
        ("identify", 1001, {"node-1", "node-2"}),
    ],
)
def test_a_restore_that_is_killed_leaves_no_cluster_that_begins_anew(
    step: str, node_id: int, identified: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape: dict[str, Any] = {"brokers": 2, "controllers": 1}
    with Cluster(records=RECORDS, config=QUICK, **shape) as kafka:
        kafka.snapshot(tmp_path / "it.tar")
    done = getattr(snapshot_files.Snapshot, step)

    def until(snapshot: snapshot_files.Snapshot, node: int, *given: Any) -> None:
        if node == node_id:
            raise KilledError
        done(snapshot, node, *given)

    monkeypatch.setattr(snapshot_files.Snapshot, step, until)
    with pytest.raises(KilledError):
        Cluster.restore(tmp_path / "it.tar", data_dir=tmp_path / "data").start()
    monkeypatch.undo()
    assert {each.parent.name for each in (tmp_path / "data").rglob("meta.properties")} == identified
    with pytest.raises(KafkaCompatError, match="is not empty"):
        Cluster.restore(tmp_path / "it.tar", data_dir=tmp_path / "data").start()
    with pytest.raises(KafkaCompatError, match=r"no meta\.properties: .* empty the data directory and do it again"):
        Cluster(data_dir=tmp_path / "data", config=QUICK, **shape).start()


def killed_at(cut: int) -> Any:
    """`Snapshot._write` that is killed in the file of that number: nothing is in it yet."""
    done, left = snapshot_files.Snapshot._write, cut

    def until(snapshot: snapshot_files.Snapshot, entry: Any, prefix: str, directory: str, suffix: str = "") -> None:
        nonlocal left
        left -= 1
        done(snapshot, entry, prefix, directory, suffix)
        if not left:
            os.truncate(f"{directory}/{entry['name'].removeprefix(prefix)}{suffix}", 0)
            raise KilledError

    return until


@pytest.mark.parametrize("options", [{}, {"log_dirs": 2}, {"brokers": 2}], ids=str)
def test_a_restore_that_is_killed_at_any_file_is_not_taken_for_a_new_cluster(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = {**options, "config": QUICK}
    with Cluster(topics={"Orders": 2}, **shape) as kafka:  # a folder that sorts before the metadata log's
        cluster_id = kafka.cluster_id
        kafka.snapshot(tmp_path / "it.tar")
    with snapshot_files.Snapshot(tmp_path / "it.tar") as snapshot:
        count = len(snapshot.manifest["files"])
    for cut in (1, 2, 3, count // 2, count - 3, count - 2, count - 1, count):
        data = tmp_path / str(cut)
        monkeypatch.setattr(snapshot_files.Snapshot, "_write", killed_at(cut))
        with pytest.raises(KilledError):
            Cluster.restore(tmp_path / "it.tar", data_dir=data, config=QUICK).start()
        monkeypatch.undo()
        with pytest.raises(KafkaCompatError, match=r"no meta\.properties: |is new, but the metadata log is expected"):
            Cluster(data_dir=data, **shape).start()
    with Cluster.restore(tmp_path / "it.tar", data_dir=tmp_path / "whole", config=QUICK) as restored:
        assert (restored.cluster_id, [*restored.topics()]) == (cluster_id, ["Orders"])


def test_a_directory_that_is_whole_has_the_id_of_its_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Cluster(log_dirs=2) as kafka:
        kafka.snapshot(tmp_path / "it.tar")
    directories = [str(tmp_path / name) for name in ("disk1", "disk2")]
    adopt, whole_before = snapshot_files._adopt, []

    def adopting(path: str, cluster_id: str) -> None:
        whole_before.append({each for each in directories if Path(each, "meta.properties").exists()})
        adopt(path, cluster_id)

    monkeypatch.setattr(snapshot_files, "_adopt", adopting)
    snapshot_files.filling(str(tmp_path / "it.tar"), {1: directories}, {}, "another").run()
    assert whole_before == [set(), {directories[1]}]
    for directory in directories:
        assert "cluster.id=another" in Path(directory, "meta.properties").read_text().splitlines()
        assert not list(Path(directory).glob("meta.properties.*"))


def padded(source: Path, target: Path, size_bytes: int) -> None:
    """A snapshot with one more file, so large, in the directory of node 1."""
    with tarfile.open(source) as tar, tarfile.open(target, "w") as larger:
        for member in tar.getmembers():
            content = tar.extractfile(member)
            assert content is not None
            if member.name != snapshots.MANIFEST:
                larger.addfile(member, content)
                continue
            manifest = json.loads(content.read())
        padding = tarfile.TarInfo("node-1/padding")
        padding.size = size_bytes
        with target.with_suffix(".zeros").open("wb") as zeros:
            zeros.truncate(size_bytes)
        with target.with_suffix(".zeros").open("rb") as zeros:
            larger.addfile(padding, zeros)
            crc = snapshots.checksum(zeros.fileno(), 0, size_bytes)
        manifest["files"].append({"name": padding.name, "size": size_bytes, "crc32c": crc})
        text = json.dumps(manifest).encode()
        last = tarfile.TarInfo(snapshots.MANIFEST)
        last.size = len(text)
        larger.addfile(last, io.BytesIO(text))


def memory_bytes(pid: int | str, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:"))


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of the memory from /proc")
@pytest.mark.parametrize("name", ["large.tar", "large.tar.zst"])
def test_an_upload_and_a_restore_take_little_memory(tmp_path: Path, name: str) -> None:
    with Cluster(processes=True, records=RECORDS) as kafka:
        kafka.snapshot(tmp_path / "it.tar")
        padded(tmp_path / "it.tar", tmp_path / "large.tar", LARGE_BYTES)
        if name.endswith(".zst"):
            tar = os.open(tmp_path / "large.tar", os.O_RDONLY)
            snapshots.compress(tar, str(tmp_path / name))
            os.close(tar)
        pid = kafka.brokers[0].pid
        processes: list[int | str] = ["self", pid or 0]
        api = HTTPConnection(*Api(kafka.control_url).address, timeout=60)
        before = {}
        for each in processes:
            Path(f"/proc/{each}/clear_refs").write_text("5")  # the peak begins anew
            before[each] = memory_bytes(each, "VmHWM")
        with (tmp_path / name).open("rb") as file:
            api.request("PUT", "/v1/snapshots/large/file", file, {"content-type": "application/x-tar"})
            assert api.getresponse().read()
        api.request("POST", "/v1/snapshots/large/restore", b"{}", {"content-type": "application/json"})
        assert json.loads(api.getresponse().read()) == {"connections": []}
        growth = {each: memory_bytes(each, "VmHWM") - before[each] for each in processes}
        assert values(kafka) == [b"1"]
        assert (Path(kafka.brokers[0].data_dir) / "padding").stat().st_size == LARGE_BYTES
        api.close()
    assert max(growth.values()) < GROWTH_MAX_BYTES, growth
