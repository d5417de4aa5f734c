"""Snapshots: equal views after a restore, other ports, and one line for a file that is damaged or is none."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.control_api.snapshots import snapshot_files, snapshots
from kafkacompat.control_api.snapshots.snapshot_files import NEW_SUFFIX, Snapshot, filling
from kafkacompat.storage.checkpoints import CLEAN_SHUTDOWN_FILE, META_PROPERTIES_FILE, RECOVERY_POINT_FILE
from kafkacompat.storage.data_dir import disk_name
from tests.raw_client import RawClient

RECORDS = {
    "orders": [{"key": f"key {n}", "value": f"value {n}", "timestamp": 1_700_000_000_000 + n} for n in range(500)]
}


def view(kafka: Cluster) -> Any:
    """What a snapshot keeps."""
    topics = {
        name: (topic.topic_id, len(topic.partitions), {key: config.value for key, config in topic.configs.items()})
        for name, topic in kafka.topics().items()
    }
    records = {name: [record._replace(leader_epoch=0) for record in kafka.records(name)] for name in topics}
    return kafka.cluster_id, topics, records


def seeded(**options: Any) -> Cluster:
    configs = {"retention.ms": -1, "max.message.bytes": 12345}
    return Cluster(topics={"orders": {"partitions": 3, "configs": configs}, "other": 1}, records=RECORDS, **options)


@pytest.mark.parametrize("name", ["it.tar", "it.tar.zst"])
@pytest.mark.parametrize("options", [{}, {"brokers": 3}, {"brokers": 2, "controllers": 1}], ids=str)
def test_a_restored_cluster_shows_the_same_on_other_ports(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    path = tmp_path / name
    with seeded(**options) as kafka:
        before, servers = view(kafka), kafka.bootstrap_servers
        kafka.snapshot(path)
        kafka.create_topics(["later"])
    assert [each.name for each in tmp_path.iterdir()] == [name]
    for _ in range(2):
        with Cluster.restore(path) as restored:
            assert view(restored) == before
            assert set(restored.bootstrap_servers.split(",")).isdisjoint(servers.split(","))
            restored.create_topics(["more"])


def test_producers_and_groups_go_on_after_a_restore(tmp_path: Path) -> None:
    def init(kafka: Cluster) -> int:
        with RawClient(kafka.bootstrap_servers) as client:
            answer = client.ask("init_producer_id", 22, 4, transactional_id=None, producer_id=-1, producer_epoch=-1)
            return int(answer.producer_id)

    with Cluster(topics=["orders"]) as kafka:
        first = init(kafka)
        kafka.snapshot(tmp_path / "it.tar")
        kafka.snapshot(tmp_path / "it.tar")  # replaces the former one
    with Cluster.restore(tmp_path / "it.tar") as restored:
        assert init(restored) > first


def test_a_snapshot_keeps_the_id_of_its_node_and_its_data_may_stay(tmp_path: Path) -> None:
    with seeded(config={"node.id": 7}) as kafka:
        before = view(kafka)
        kafka.snapshot(tmp_path / "it.tar")
    data_dir = tmp_path / "data"
    for restored in (
        Cluster.restore(tmp_path / "it.tar", data_dir=data_dir),
        Cluster(config={"node.id": 7}, data_dir=data_dir),
    ):
        with restored:
            assert restored.brokers[0].id == 7
            assert view(restored) == before
    with pytest.raises(KafkaCompatError, match="is not empty"):
        Cluster.restore(tmp_path / "it.tar", data_dir=data_dir)


def test_options_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "it.tar"
    with Cluster() as kafka:
        kafka.snapshot(path)
        with pytest.raises(KafkaCompatError, match=r"nowhere.it\.tar cannot be written: No such file"):
            kafka.snapshot(tmp_path / "nowhere" / "it.tar")
    for options, says in (({"brokers": 3}, "brokers=3: the snapshot has 1"), ({"processes": True}, "of a lone broker")):
        with pytest.raises(KafkaCompatError, match=says):
            Cluster.restore(path, **options)
    with Cluster(brokers=3) as kafka:
        kafka.kill(2)
        with pytest.raises(KafkaCompatError, match="a snapshot needs all nodes"):
            kafka.snapshot(path)


Change = Callable[[list[tuple[tarfile.TarInfo, bytes]], dict[str, Any]], object]


def rewritten(source: Path, target: Path, change: Change) -> None:
    """A copy of a snapshot, after a change to its files and its manifest."""
    with tarfile.open(source) as tar:
        files = [(member, tar.extractfile(member).read()) for member in tar.getmembers()]  # type: ignore[union-attr]
    manifest = json.loads(files.pop()[1])
    change(files, manifest)
    content = json.dumps(manifest).encode()
    info = tarfile.TarInfo(snapshots.MANIFEST)
    info.size = len(content)
    with tarfile.open(target, "w") as tar:
        for member, data in [*files, (info, content)]:
            tar.addfile(member, io.BytesIO(data))


def _renamed(name: str) -> Change:
    return lambda files, manifest: (setattr(files[0][0], "name", name), manifest["files"][0].update(name=name))


def _link(files: list[tuple[tarfile.TarInfo, bytes]], _manifest: dict[str, Any]) -> None:
    files[0][0].type, files[0][0].linkname = tarfile.SYMTYPE, "/etc/passwd"


def _twice(files: list[tuple[tarfile.TarInfo, bytes]], _manifest: dict[str, Any]) -> None:
    files.append(files[0])


BAD: dict[str, tuple[Change, str]] = {
    "path up": (_renamed("node-1/../evil"), "is not a file of a node"),
    "path up twice": (_renamed("../evil"), "is not a file of a node"),
    "path of a parent": (_renamed("node-1/orders-0/.."), "is not a file of a node"),
    "absolute path": (_renamed("/tmp/evil"), "is not a file of a node"),
    "link": (_link, "is no plain file"),
    "twice": (_twice, "is there twice"),
    "one file too many": (lambda _, manifest: manifest["files"].pop(), "its files are not those of its manifest"),
    "later format": (lambda _, manifest: manifest.update(format=3), "is of a later version of kafkacompat"),
    "in no directory": (
        lambda _, manifest: manifest["nodes"][0].update(directories=2),
        "is in none of the directories of its node",
    ),
    "file of no directory": (_renamed("node-1/disk1/orders-0/0.log"), "is in none of the directories of its node"),
    "no directories": (lambda _, manifest: manifest["nodes"][0].update(directories=0), "nodes without directories"),
    "directories without end": (
        lambda _, manifest: manifest["nodes"][0].update(directories=json.loads("1e999")),
        "is no snapshot",
    ),
    "no nodes": (lambda _, manifest: manifest.update(nodes=[]), "its manifest names no nodes"),
    "other manifest": (lambda _, manifest: manifest.clear(), "is no snapshot"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_foreign_tar_is_refused_before_anything_is_written(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "it.tar"
    with Cluster() as kafka:
        kafka.snapshot(path)
    change, says = BAD[kind]
    rewritten(path, tmp_path / "bad.tar", change)
    with pytest.raises(KafkaCompatError) as refused:
        Cluster.restore(tmp_path / "bad.tar")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["it.tar", "it.tar.zst"])
def test_a_damaged_snapshot_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with seeded() as kafka:
        kafka.snapshot(path)
    whole = path.read_bytes()
    for size in (0, 1, 100, 600, len(whole) // 2, len(whole) - 2000):
        path.write_bytes(whole[: max(0, size)])
        with pytest.raises(KafkaCompatError, match=r"it\.tar"):
            Snapshot(path)
    with pytest.raises(KafkaCompatError, match="cannot be read: No such file"):
        Snapshot(tmp_path / "nowhere.tar")


def test_what_says_that_a_directory_is_whole_is_written_last(tmp_path: Path) -> None:
    path, bad = tmp_path / "it.tar", tmp_path / "bad.tar"
    with Cluster(log_dirs=2, topics={"orders": 2}) as kafka:
        kafka.snapshot(path)
    with Snapshot(path) as snapshot:
        names = [entry["name"] for entry in snapshot.manifest["files"]]
    tops = ["node-1/disk1", "node-1/disk2"]
    for top in tops:
        of_top = [name for name in names if name.startswith(top)]
        assert of_top[-1] == f"{top}/{CLEAN_SHUTDOWN_FILE}", "it speaks for the checkpoints"
        assert f"{top}/{RECOVERY_POINT_FILE}" in of_top
    ends = {f"{top}/{name}" for top in tops for name in (CLEAN_SHUTDOWN_FILE, META_PROPERTIES_FILE)}
    for turn, failing in enumerate(names):

        def change(_files: object, manifest: dict[str, Any], failing: str = failing, turn: int = turn) -> None:
            next(entry for entry in manifest["files"] if entry["name"] == failing)["crc32c"] ^= 1
            if turn % 2:
                manifest["files"].reverse()

        rewritten(path, bad, change)
        into = tmp_path / str(turn)
        directories = [str(into / top) for top in tops]
        fill = filling(str(bad), {1: directories}, {}, None)
        with pytest.raises(KafkaCompatError, match=r"the checksum of .* is wrong"):
            fill.run()
        written = {str(each.relative_to(into)) for each in into.rglob("*") if each.is_file()}
        assert {failing, f"{failing}{NEW_SUFFIX}"} & written
        for top in tops:
            there = {name for name in names if name.startswith(top)}
            if f"{top}/{META_PROPERTIES_FILE}" in written:
                assert there <= written
            if f"{top}/{CLEAN_SHUTDOWN_FILE}" in written:
                assert there - ends <= written
        if f"{tops[0]}/{META_PROPERTIES_FILE}" in written:
            assert set(names) == written


def test_a_manifest_of_many_nodes_is_read_in_one_pass(tmp_path: Path) -> None:
    path, many = tmp_path / "it.tar", tmp_path / "many.tar"
    with Cluster() as kafka:
        kafka.snapshot(path)
    read = 0

    class Counting(dict[str, Any]):
        def get(self, *arguments: Any) -> Any:
            nonlocal read
            read += 1
            return super().get(*arguments)

    def change(_files: object, manifest: dict[str, Any]) -> None:
        node = manifest["nodes"][0]
        manifest["nodes"] = [{**node, "id": number} for number in range(1, 1001)]

    rewritten(path, many, change)
    with Snapshot(many) as snapshot:
        snapshot.manifest["nodes"] = [Counting(node) for node in snapshot.manifest["nodes"]]
        snapshot._check_directories()
    assert read == 1000


def test_the_names_of_directories_are_made_once_however_many_files_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Cluster(log_dirs=2, topics={"orders": 5}) as kafka:
        kafka.snapshot(tmp_path / "it.tar")
    made = []

    def name(number: int) -> str:
        made.append(number)
        return disk_name(number)

    monkeypatch.setattr(snapshot_files, "disk_name", name)
    with Snapshot(tmp_path / "it.tar"):
        assert made == [1, 2]


def test_a_wrong_checksum_ends_the_start_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    path = tmp_path / "it.tar"
    with seeded() as kafka:
        kafka.snapshot(path)
    whole = path.read_bytes()
    at = whole.index(b"value 17")
    path.write_bytes(whole[:at] + b"Value" + whole[at + 5 :])
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    with pytest.raises(KafkaCompatError, match=r"the checksum of node-1/orders-\d/0+\.log is wrong"):
        Cluster.restore(path).start()
    assert not list(scratch.iterdir())
