"""A directory is served without a write to it, and what would write is refused with a reason."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace

import pytest

from kafkacompat.broker.connection import BROKER
from kafkacompat.broker.registry import APIS
from kafkacompat.errors import StartupError
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.create_topics import CreatableTopic
from kafkacompat.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsTopic
from kafkacompat.server.read_only import (
    READS,
    REFUSALS,
    SETTINGS,
    WHY,
    ReadOnlyPlatform,
    check_directory,
    refuse_writes,
)
from kafkacompat.storage.overlay_fs import OverlayFs
from tests.broker.replicas.test_retention_check import checked, log_of, with_old_records
from tests.broker.test_log_cleaner import produce, rounds, sealed, with_topic
from tests.cli.processes import run, serving
from tests.raw_client import RawClient
from tests.robustness.client import Client, batch_of


def hashes(directory: Path) -> dict[str, tuple[str, int]]:
    """Content and time of the last change of every file, and the times of directories."""
    found = {}
    for path in sorted(directory.rglob("*")):
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "a directory"
        found[str(path.relative_to(directory))] = content, path.stat().st_mtime_ns
    return found


def test_each_api_of_clients_reads_or_is_refused() -> None:
    """A new one has to be put into one of the two."""
    of_clients = {key for key, api in APIS.items() if BROKER in api.listeners and not api.is_of_peers}
    assert of_clients - {api_keys.WRITE_TXN_MARKERS} <= READS | REFUSALS.keys()
    assert not READS & REFUSALS.keys()
    assert set(REFUSALS.values()) <= {
        errors.TOPIC_AUTHORIZATION_FAILED, errors.GROUP_AUTHORIZATION_FAILED, errors.CLUSTER_AUTHORIZATION_FAILED,
        errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, errors.POLICY_VIOLATION,
    }  # fmt: skip


def test_time_stands_still_and_files_are_an_overlay(tmp_path: Path) -> None:
    platform = ReadOnlyPlatform()
    assert platform.clock.is_frozen
    assert isinstance(platform.files(temporary=False, directories=[str(tmp_path)]), OverlayFs)
    assert SETTINGS["auto.create.topics.enable"] == "false"


def test_nothing_is_compacted() -> None:
    kafka = with_topic()
    produce(kafka)
    before = sealed(kafka)
    refuse_writes(SimpleNamespace(broker=kafka.broker))  # type: ignore[arg-type]
    rounds(kafka)
    assert sealed(kafka) == before > 2
    assert kafka.broker.compaction.cleaner is None


def test_retention_removes_nothing() -> None:
    kafka = with_old_records()
    refuse_writes(SimpleNamespace(broker=kafka.broker))  # type: ignore[arg-type]
    assert checked(kafka) == []
    assert log_of(kafka).log_start_offset == 0


@pytest.mark.parametrize("path", [None, "there is none"])
def test_without_a_directory_there_is_nothing_to_serve(path: str | None) -> None:
    with pytest.raises(StartupError):
        check_directory(path)


@pytest.fixture(params=["clean", "killed"])
def directory(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """With a topic `t` of one record."""
    data_dir = tmp_path / "data"
    with serving(tmp_path, "--no-control", "--data-dir", str(data_dir)) as (child, state):
        with Client(int(state["bootstrap_servers"].rpartition(":")[2])) as client:
            client.create_topic("t")
            assert client.produce("t", batch_of(b"x")).error_code == errors.NONE
        if request.param == "clean":
            assert child.stop() == 0
        else:
            child.process.kill()
            child.wait()
    return data_dir


def test_nothing_is_written_and_clients_are_told_why(tmp_path: Path, directory: Path) -> None:
    before = hashes(directory)
    arguments = ("--no-control", "--read-only", "--data-dir", str(directory))
    with serving(tmp_path, *arguments) as (child, state):
        address = state["bootstrap_servers"]
        with Client(int(address.rpartition(":")[2])) as client:
            answer = client.produce("t", batch_of(b"y"))
            assert (answer.error_code, answer.error_message) == (errors.TOPIC_AUTHORIZATION_FAILED, WHY)
        with RawClient(address) as raw:
            created = raw.ask("create_topics", 19, 7, topics=[CreatableTopic("n", 1, 1)]).topics[0]
            assert (created.error_code, created.error_message) == (errors.POLICY_VIOLATION, WHY)
            unnamed = raw.ask("init_producer_id", 22, 4, transactional_id=None)
            assert unnamed.error_code == errors.CLUSTER_AUTHORIZATION_FAILED
            named = raw.ask("init_producer_id", 22, 4, transactional_id="x")
            assert named.error_code == errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
            assert raw.ask("join_group", 11, 7, group_id="g").error_code == errors.GROUP_AUTHORIZATION_FAILED
            deleted = raw.ask("delete_groups", 42, 2, groups_names=["g"]).results[0]
            assert deleted.error_code == errors.GROUP_AUTHORIZATION_FAILED
            end = raw.ask("list_offsets", 2, 7, topics=[ListOffsetsTopic("t", [ListOffsetsPartition(0, -1, -1)])])
            assert end.topics[0].partitions[0].offset == 1
        if (directory / ".lock").exists():  # a clean stop leaves none, and to make one would be a write
            other = run("serve", "--no-control", "--port", "0", "--data-dir", str(directory))
            assert (other.returncode, "is locked by another broker" in other.stderr) == (1, True)
        assert child.stop() == 0
    assert hashes(directory) == before


def test_a_directory_in_use_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path, "--no-control", "--data-dir", str(tmp_path / "data")):
        done = run("serve", "--no-control", "--port", "0", "--read-only", "--data-dir", str(tmp_path / "data"))
    assert done.returncode == 1
    assert "is locked by another broker" in done.stderr


@pytest.mark.parametrize("flag", ["--allow-faults", "--seed=x.jsonl"])
def test_flags_that_write_are_refused(tmp_path: Path, flag: str) -> None:
    (tmp_path / "meta.properties").write_text("")
    Path(tmp_path / "x.jsonl").write_text("")
    flag = flag.replace("x.", f"{tmp_path}/x.")
    done = run("serve", "--no-control", "--read-only", "--data-dir", str(tmp_path), flag)
    assert done.returncode == 1
    assert "--read-only does not" in done.stderr
