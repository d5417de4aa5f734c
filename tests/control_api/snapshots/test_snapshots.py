"""What a snapshot holds: a node's directory as after a clean stop, without what belongs to the running process."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

from kafkacompat import Cluster
from kafkacompat.control_api.snapshots.snapshots import MANIFEST, checksum


def test_a_snapshot_is_a_tar_of_kafkas_directories_with_a_manifest(tmp_path: Path) -> None:
    path = tmp_path / "it.tar"
    with Cluster(topics={"orders": 1}, records={"orders": [{"value": "x"}]}) as kafka:
        kafka.snapshot(path)
        cluster_id, address = kafka.cluster_id, kafka.bootstrap_servers
    with tarfile.open(path) as tar:
        names = tar.getnames()
        assert names[-1] == MANIFEST
        manifest = json.load(tar.extractfile(MANIFEST))  # type: ignore[arg-type]
        clean = tar.extractfile("node-1/.kafka_cleanshutdown").read()  # type: ignore[union-attr]
        ends = tar.extractfile("node-1/recovery-point-offset-checkpoint").read()  # type: ignore[union-attr]
        offsets = {member.name: member.offset_data for member in tar.getmembers()}
    assert json.loads(clean)["version"] == 0
    assert b"orders 0 1\n" in ends
    assert {"node-1/meta.properties", "node-1/orders-0/00000000000000000000.log"} < set(names)
    assert not [name for name in names if name.endswith((".lock", "session.json", ".tmp", "disk-reserve"))]
    assert manifest["cluster_id"] == cluster_id
    assert manifest["nodes"] == [{"id": 1, "roles": ["broker", "controller"], "listeners": {"PLAINTEXT": address}}]
    assert [each["name"] for each in manifest["files"]] == names[:-1]
    with path.open("rb") as file:
        for each in manifest["files"]:
            assert checksum(file.fileno(), offsets[each["name"]], each["size"]) == each["crc32c"]


def test_the_broker_goes_on_after_a_snapshot(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with Cluster(topics={"orders": 1}, records={"orders": [{"value": "x"}]}, data_dir=data_dir) as kafka:
        for number in range(3):
            kafka.snapshot(tmp_path / f"{number}.tar")
            kafka.create_topics([f"after-{number}"])
        found = sorted(each.name for each in (data_dir / "orders-0").glob("*.snapshot"))
    assert len(found) <= 1
    with Cluster(data_dir=data_dir) as kafka:
        assert {"after-0", "after-1", "after-2"} < kafka.topics().keys()
        assert [record.value for record in kafka.records("orders")] == [b"x"]
