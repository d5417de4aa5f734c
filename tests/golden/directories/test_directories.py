"""Directories that earlier versions have left are opened, and hold what they held."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from compat_tests.api.raw import RawClient
from kafkacompat import Cluster
from kafkacompat.broker.replicas.retention_check import GRACE_MS
from kafkacompat.errors import StartupError
from kafkacompat.protocol.internal.cluster_metadata import FeatureLevelRecord
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from kafkacompat.replication.metadata.result import Result
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.golden.directories import making
from tests.golden.directories.content import content
from tests.waiting import pause

VERSIONS = sorted(path.name for path in making.DIRECTORIES.iterdir() if (path / "expected.json").exists())
STATES = [making.STOPPED, making.KILLED]
MINUTE_MS = 60_000
FOREVER = {"offsets.retention.minutes": "2147483647"}
"""Groups without members are years old by now."""


def expected(version: str, state: str) -> tuple[dict[str, Any], int]:
    """What was in there, and when it was made."""
    kept = json.loads((making.DIRECTORIES / version / "expected.json").read_text())
    return kept[state], kept["made_at_ms"]


def unpacked(version: str, state: str) -> MemFs:
    """A file system in memory with the directory at /data."""
    fs = MemFs()
    fs.mkdir("/data")
    with tarfile.open(making.DIRECTORIES / version / f"{state}.tar.xz") as tar:
        for member in tar:
            if member.isdir():
                fs.mkdir(f"/data/{member.name}")
                continue
            file = tar.extractfile(member)
            assert file is not None
            fs.write_atomic(f"/data/{member.name}", file.read(), sync=True)
    return fs


def opened(fs: MemFs, made_at_ms: int) -> BrokerHarness:
    return BrokerHarness(fs, wall_ms=made_at_ms + MINUTE_MS, offsets_retention_minutes="2147483647")


def seen(broker: BrokerHarness) -> dict[str, Any]:
    return content(broker.ask, lambda: broker.advance(10))


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_there_is_one_of_each_version_so_far() -> None:
    assert "0.1.0" in VERSIONS
    for version in VERSIONS:
        files = list((making.DIRECTORIES / version).iterdir())
        names = ["cluster.tar.xz", "expected.json", "killed.tar.xz", "stopped.tar.xz"]
        assert sorted(file.name for file in files) == names
        assert sum(file.stat().st_size for file in files) <= making.MAX_BYTES


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_same_records_groups_and_configs(version: str, state: str) -> None:
    was, made_at_ms = expected(version, state)
    fs = unpacked(version, state)
    broker = opened(fs, made_at_ms)
    assert as_json(seen(broker)) == was
    broker.close()
    assert as_json(seen(opened(fs, made_at_ms))) == was  # and what this version has made of it


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_real_broker_serves_it_and_goes_on_writing(version: str, state: str, tmp_path: Path) -> None:
    was, _ = expected(version, state)
    with tarfile.open(making.DIRECTORIES / version / f"{state}.tar.xz") as tar:
        tar.extractall(tmp_path, filter="data")
    with Cluster(data_dir=tmp_path, config=FOREVER) as kafka, RawClient(kafka.bootstrap_servers) as client:
        assert kafka.cluster_id == was["cluster_id"]
        found = as_json(content(making.asking(client), pause))
        for topic in (*was["topics"].values(), *found["topics"].values()):
            for partition in topic["partitions"].values():
                del partition["producers"]  # of long ago: they are forgotten after producer.id.expiration.ms
        assert found == was
        for topic, kept in was["topics"].items():
            assert making.produce_one(client, topic) == kept["partitions"]["0"]["latest"]


@pytest.mark.parametrize("state", STATES)
def test_retention_spares_it_for_ten_minutes_and_says_what_will_go(
    state: str, caplog: pytest.LogCaptureFixture
) -> None:
    was, made_at_ms = expected("0.1.0", state)
    kept_ms = 8 * 24 * 60 * MINUTE_MS  # a day longer than the default of retention.ms
    broker = BrokerHarness(
        unpacked("0.1.0", state), wall_ms=made_at_ms + kept_ms, offsets_retention_minutes="2147483647"
    )

    for topic in was["topics"]:
        some = [AlterableConfig("retention.ms", 1, None)]  # the default of a week
        broker.ask(IncrementalAlterConfigsRequest([AlterConfigsResource(2, topic, some)]), 1)

    def starts() -> list[int]:
        return [each.log.log_start_offset for each in broker.broker.partitions if each.topic in was["topics"]]

    before = starts()
    broker.advance(GRACE_MS // 2 - 1)
    broker.advance(GRACE_MS // 2 - 1)
    assert starts() == before
    warned = [record.message for record in caplog.records if "retention has not run" in record.message]
    assert warned
    assert all("retention.ms=-1" in line and any(topic in line for topic in was["topics"]) for line in warned)
    for _ in range(3):
        broker.advance(GRACE_MS // 2)
    assert starts() != before


@pytest.mark.parametrize("level", [28, 99])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_feature_level_of_another_version_is_refused_in_one_line(version: str, level: int) -> None:
    _, made_at_ms = expected(version, making.STOPPED)
    fs = unpacked(version, making.STOPPED)
    broker = opened(fs, made_at_ms)
    record = FeatureLevelRecord(name="metadata.version", feature_level=level)
    broker.broker.quorum.submit(lambda _image, _now: Result([record]), broker.now)
    broker.settle()
    broker.close()
    log = "/data/__cluster_metadata-0/00000000000000000000.log"
    before = fs.read_bytes(log)
    with pytest.raises(StartupError, match=rf"metadata\.version {level}.*Nothing was written") as refused:
        opened(fs, made_at_ms)
    assert "\n" not in str(refused.value)
    assert fs.read_bytes(log) == before


def test_the_version_in_this_checkout_makes_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(making, "DIRECTORIES", tmp_path)
    made = making.make(Path(__file__).resolve().parents[3], sys.executable)
    kept = json.loads((made / "expected.json").read_text())
    assert kept["killed"]["topics"]["rolled"]["partitions"]["0"]["latest"] == 26
    assert sorted(kept["stopped"]["groups"]) == ["dynamic", "left", "plain", "static"]
