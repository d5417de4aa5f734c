"""A broker with several log directories: where replicas go, what the cluster is told, and what a failure takes."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest
from kafkacompat.protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.replication.metadata.snapshot_writer import _batches
from kafkacompat.replication.raft.voters import Voter
from kafkacompat.storage.checkpoints import read_meta_properties
from kafkacompat.storage.fs import Buffer, File, RealFs
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness

DIRECTORIES = ("/a", "/b", "/c")


class BrokenDisk(MemFs):
    """Everything at `broken` and below fails: no directory is made, and no file opened."""

    broken: str | None = None
    error_number = errno.EIO

    def _check(self, path: str) -> None:
        if self.broken is not None and f"{path}/".startswith(f"{self.broken}/"):
            raise OSError(self.error_number, "broken", path)

    def mkdir(self, path: str) -> None:
        self._check(path)
        super().mkdir(path)

    def open(self, path: str, *, append: bool = False) -> File:
        self._check(path)
        return super().open(path, append=append)


class FullDisk(MemFs):
    """Nothing can be written at `full` and below, and there is no room until it is None again."""

    full: str | None = None
    refusals = 0

    def _check(self, path: str) -> None:
        if self.full is not None and path.startswith(self.full):
            self.refusals += 1
            raise OSError(errno.ENOSPC, "no space", path)

    def open(self, path: str, *, append: bool = False) -> File:
        if append:
            self._check(path)
        return super().open(path, append=append)

    def write_atomic(self, path: str, data: Buffer, *, sync: bool) -> None:
        self._check(path)
        super().write_atomic(path, data, sync=sync)

    def disk_usage(self, path: str) -> tuple[int, int]:
        is_full = self.full is not None and path.startswith("/".join(self.full.split("/")[:2]))
        return 1 << 40, 0 if is_full else 1 << 40


def harness(fs: MemFs | None = None, seed: int = 1, **config: str) -> BrokerHarness:
    return BrokerHarness(fs, directories=DIRECTORIES, seed=seed, **config)


def produce(broker: BrokerHarness, index: int, topic: str = "t") -> int:
    batch = build_batch([Record(0, broker.now.wall_ms, b"k", b"v")])
    data = TopicProduceData(topic, partition_data=[PartitionProduceData(index, batch)])
    answer = broker.ask(ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[data]), 9)
    return answer.responses[0].partition_responses[0].error_code


def fetched(broker: BrokerHarness, index: int) -> tuple[int, int]:
    """The error code, and the high watermark."""
    wanted = FetchTopic("t", partitions=[FetchPartition(index, fetch_offset=0, partition_max_bytes=1 << 20)])
    answer = broker.ask(FetchRequest(max_wait_ms=0, max_bytes=1 << 20, topics=[wanted]), 12).responses[0].partitions[0]
    return answer.error_code, answer.high_watermark


def described(broker: BrokerHarness, asked: list[int] | None = None) -> dict[str, tuple[int, list[int]]]:
    """Error code and partitions of `t`, by directory."""
    topics = None if asked is None else [DescribableLogDirTopic("t", asked)]
    response = broker.ask(DescribeLogDirsRequest(topics=topics), 4)
    return {
        each.log_dir: (
            each.error_code,
            sorted(partition.partition_index for topic in each.topics for partition in topic.partitions),
        )
        for each in response.results
    }


def delete(broker: BrokerHarness, name: str) -> None:
    answer = broker.ask(DeleteTopicsRequest(topic_names=[name], timeout_ms=1000), 5)
    assert answer.responses[0].error_code == errors.NONE


def assigned(broker: BrokerHarness) -> list[str]:
    """Where the metadata has each partition of `t`."""
    paths = {each.directory_id: each.path for each in broker.broker.logs.directories}
    return [paths.get(each.directories[0], "none") for each in broker.broker.image.topics["t"].partitions]


def fail(broker: BrokerHarness, path: str) -> None:
    """An I/O error, and what the broker does when it checks its disks."""
    (directory,) = [each for each in broker.broker.logs.directories if each.path == path]
    directory.take_offline(OSError(errno.EIO, "I/O error"))
    broker.advance(1_000)


def test_replicas_spread_over_the_directories_and_the_metadata_says_where_they_are() -> None:
    broker = harness()
    broker.create_topic("t", 6)
    assert described(broker) == {"/a": (0, [0, 3]), "/b": (0, [1, 4]), "/c": (0, [2, 5])}
    assert described(broker, [1, 5]) == {"/a": (0, []), "/b": (0, [1]), "/c": (0, [5])}
    broker.advance(1_000)
    assert assigned(broker) == ["/a", "/b", "/c"] * 2


def test_the_registration_has_the_ids_of_all_directories() -> None:
    fs = MemFs()
    broker = harness(fs)
    found = [read_meta_properties(fs, f"{path}/meta.properties") for path in DIRECTORIES]
    assert len({each.cluster_id for each in found}) == 1
    assert broker.broker.image.brokers[1].log_dirs == tuple(sorted(each.directory_id for each in found))


@pytest.mark.parametrize("clean", [True, False])
def test_a_restart_serves_all_of_them(clean: bool) -> None:
    fs = MemFs()
    broker = harness(fs)
    broker.create_topic("t", 6)
    assert [produce(broker, index) for index in range(6)] == [errors.NONE] * 6
    broker.advance(1_000)
    before = described(broker)
    broker.close(clean=clean)
    if not clean:
        fs.restart()
    broker = harness(fs, seed=2)
    assert described(broker) == before
    assert [fetched(broker, index) for index in range(6)] == [(errors.NONE, 1)] * 6
    assert all(fs.exists(f"{path}/.kafka_cleanshutdown") is False for path in DIRECTORIES)


def test_a_failed_directory_takes_its_partitions_along_and_no_others() -> None:
    broker = harness()
    broker.create_topic("t", 6)
    broker.advance(1_000)
    fail(broker, "/b")
    codes = [errors.NONE, errors.KAFKA_STORAGE_ERROR, errors.NONE] * 2
    assert [produce(broker, index) for index in range(6)] == codes
    assert [fetched(broker, index)[0] for index in range(6)] == codes
    assert [broker.broker.partitions.get("t", index) is None for index in range(3)] == [False, True, False]
    assert described(broker) == {"/a": (0, [0, 3]), "/b": (errors.KAFKA_STORAGE_ERROR, []), "/c": (0, [2, 5])}
    online = sorted(each.directory_id for each in broker.broker.logs.directories if each.path != "/b")
    assert broker.broker.image.brokers[1].log_dirs == tuple(online)  # a heartbeat has said so
    assert [each.leader for each in broker.broker.image.topics["t"].partitions] == [1, -1, 1] * 2


def test_new_partitions_go_to_the_directories_that_are_left() -> None:
    broker = harness()
    broker.create_topic("t", 3)
    broker.advance(1_000)
    fail(broker, "/b")
    broker.create_topic("later", 4)
    broker.advance(1_000)
    assert [produce(broker, index, "later") for index in range(4)] == [errors.NONE] * 4
    assert described(broker)["/b"] == (errors.KAFKA_STORAGE_ERROR, [])


def test_a_disk_that_fails_when_a_log_is_made_goes_offline_and_the_log_is_made_elsewhere() -> None:
    fs = BrokenDisk()
    broker = harness(fs)
    broker.create_topic("t", 3)
    broker.advance(1_000)
    fs.broken = "/b"
    broker.create_topic("later", 6)
    broker.advance(1_000)
    assert [produce(broker, index, "later") for index in range(6)] == [errors.NONE] * 6
    assert [produce(broker, index) for index in range(3)] == [errors.NONE, errors.KAFKA_STORAGE_ERROR, errors.NONE]
    assert described(broker)["/b"] == (errors.KAFKA_STORAGE_ERROR, [])
    assert broker.broker.logs.failure is None


def test_a_log_whose_disk_fails_when_it_is_opened_is_made_nowhere_else() -> None:
    fs = BrokenDisk()
    broker = harness(fs)
    broker.create_topic("t", 6)
    broker.advance(1_000)
    broker.close()
    fs.broken = "/b/t-4"
    broker = harness(fs, seed=2)
    broker.advance(1_000)
    codes = [errors.NONE, errors.KAFKA_STORAGE_ERROR, errors.NONE] * 2
    assert [produce(broker, index) for index in range(6)] == codes
    assert not [path for path in ("/a", "/c") if fs.exists(f"{path}/t-4")]


def test_a_directory_that_fails_while_logs_are_opened_is_told_like_a_later_one() -> None:
    fs = BrokenDisk()
    broker = harness(fs)
    broker.create_topic("t", 6)
    broker.advance(1_000)
    broker.close()
    fs.broken = "/b/t-4"  # t-1 is open by then
    broker = harness(fs, seed=2)
    (failed,) = broker.broker.logs.offline_directory_ids
    broker.advance(1_000)
    assert broker.broker.partitions.get("t", 1) is None
    assert broker.broker.timers.is_set(("offline", failed))  # log.dir.failure.timeout.ms
    assert [each.leader for each in broker.broker.image.topics["t"].partitions] == [1, -1, 1] * 2


def test_a_replica_that_was_lost_before_its_directory_was_told_is_made_nowhere_else() -> None:
    broker = harness()
    broker.create_topic("t", 3)
    assert produce(broker, 1) == errors.NONE
    fail(broker, "/b")
    assert assigned(broker)[1] == "none"
    broker.broker.partitions.resign(broker.now)  # every role is assigned again
    broker.broker.partitions.apply(broker.broker.image, broker.now)
    broker.settle()
    assert produce(broker, 1) == errors.KAFKA_STORAGE_ERROR
    assert not [path for path in ("/a", "/c") if broker.fs.exists(f"{path}/t-1")]


@pytest.mark.parametrize("error_number", [errno.EMFILE, errno.ENFILE])
def test_a_process_that_may_open_no_more_files_has_sound_disks(error_number: int) -> None:
    fs = BrokenDisk()
    broker = harness(fs)
    fs.broken, fs.error_number = "/b", error_number
    broker.create_topic("t", 2)
    broker.advance(1_000)
    assert [produce(broker, index) for index in range(2)] == [errors.NONE, errors.KAFKA_STORAGE_ERROR]
    assert not broker.broker.logs.offline_directories


def test_a_log_in_a_full_directory_is_opened_again_when_that_one_has_room() -> None:
    fs = FullDisk()
    broker = harness(fs)
    broker.create_topic("t", 3)
    assert [produce(broker, index) for index in range(3)] == [errors.NONE] * 3
    broker.advance(1_000)
    broker.close(clean=False)
    fs.restart()
    fs.full = "/b/t-1"
    broker = harness(fs, seed=2)
    broker.advance(1_000)
    assert [produce(broker, index) for index in range(3)] == [errors.NONE, errors.KAFKA_STORAGE_ERROR, errors.NONE]
    refusals = fs.refusals
    for _ in range(10):
        broker.advance(1_000)
    assert fs.refusals == refusals > 0
    fs.full = None
    broker.advance(1_000)
    assert produce(broker, 1) == errors.NONE


def test_a_replica_that_was_deleted_while_it_waited_for_its_name_keeps_no_place() -> None:
    fs = FullDisk()
    broker = harness(fs)
    broker.create_topic("u", 3)
    for _ in range(2):  # the checkpoints name its partitions
        broker.advance(10_000)
    fs.full = "/b/"
    delete(broker, "u")
    broker.create_topic("u", 3)
    assert produce(broker, 1, "u") == errors.KAFKA_STORAGE_ERROR
    delete(broker, "u")
    fs.full = None
    broker.advance(1_000)
    broker.create_topic("t", 3)
    assert described(broker) == {"/a": (0, [0]), "/b": (0, [1]), "/c": (0, [2])}


def test_a_replica_that_waits_for_room_is_made_elsewhere_when_the_directory_fails() -> None:
    fs = FullDisk()
    broker = harness(fs)
    broker.create_topic("t", 3)
    for _ in range(2):
        broker.advance(10_000)
    fs.full = "/b/"
    delete(broker, "t")
    broker.create_topic("t", 3)
    for _ in range(3):  # the metadata of t changes no more
        broker.advance(1_000)
    assert produce(broker, 1) == errors.KAFKA_STORAGE_ERROR
    fail(broker, "/b")
    assert [produce(broker, index) for index in range(3)] == [errors.NONE] * 3


def test_a_broker_that_has_to_register_again_keeps_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = harness()
    with monkeypatch.context() as patch:  # names never become free
        patch.setattr(LogManager, "is_name_free", lambda *_: False)
        patch.setattr("tests.broker.harness.settle", lambda each, now: each.background.run_inline(now))
        broker.begin(CreateTopicsRequest(topics=[CreatableTopic("u", 2, 1)]), 7)
        assert broker.broker.partitions.is_behind
        broker.broker.partitions.resign(broker.now)
    delete(broker, "u")
    broker.create_topic("t", 3)
    assert described(broker) == {"/a": (0, [0]), "/b": (0, [1]), "/c": (0, [2])}


@pytest.mark.parametrize(("failed", "why"), [(["/a"], "/a has failed"), (["/c", "/b", "/a"], "/a has failed")])
def test_the_broker_ends_with_the_directory_of_the_metadata_log(failed: list[str], why: str) -> None:
    broker = harness()
    said: list[str] = []
    broker.broker.on_fatal = said.append
    for path in failed:
        assert not said
        fail(broker, path)
    assert len(said) == 1
    assert why in said[0]


def test_the_broker_ends_with_the_last_directory() -> None:
    broker = BrokerHarness(directories=("/m",), log_directories=("/a", "/b"))
    said: list[str] = []
    broker.broker.on_fatal = said.append
    fail(broker, "/a")
    assert not said
    fail(broker, "/b")
    assert said == ["all log directories have failed; the last one was /b"]


def test_where_logs_are_is_also_told_when_they_are_opened_after_the_metadata_came() -> None:
    broker = harness()
    broker.create_topic("t", 3)
    for _ in range(5):  # nothing is asked any more, and the checkpoints name its partitions
        broker.advance(10_000)
    delete(broker, "t")
    broker.create_topic("t", 3)
    for _ in range(3):
        broker.advance(1_000)
    assert sorted(assigned(broker)) == ["/a", "/b", "/c"]


def test_of_a_partition_in_two_directories_that_counts_which_the_metadata_names() -> None:
    fs = MemFs()
    broker = harness(fs)
    broker.create_topic("t", 3)
    assert produce(broker, 0) == errors.NONE
    broker.advance(1_000)
    broker.close()
    fs.mkdir("/c/t-0")
    broker = harness(fs)
    assert fetched(broker, 0) == (errors.NONE, 1)
    assert [name.endswith("-stray") for name in sorted(fs.listdir("/c")) if name.startswith("t-0")] == [True]


def test_a_partition_in_two_directories_that_the_metadata_does_not_name_is_not_served(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fs = MemFs()
    broker = harness(fs)
    broker.create_topic("t", 3)
    broker.advance(1_000)
    broker.close()
    for path in ("/b", "/c"):
        fs.mkdir(f"{path}/t-0")
    fs.rmtree("/a/t-0")
    broker = harness(fs)
    assert "t-0 is in two log directories, /b and /c, and the metadata names neither" in caplog.text
    assert fetched(broker, 0)[0] == errors.KAFKA_STORAGE_ERROR
    assert fetched(broker, 1) == (errors.NONE, 0)
    broker.close()
    fs.rmtree("/c/t-0")
    assert fetched(harness(fs, seed=2), 0) == (errors.NONE, 0)


def test_a_metadata_log_that_is_elsewhere_is_not_begun_anew() -> None:
    fs = MemFs()
    harness(fs).close()
    with pytest.raises(StartupError, match="the metadata log is in /a, but is expected in /b"):
        BrokerHarness(fs, directories=("/b", "/a", "/c"))
    with pytest.raises(StartupError, match="/d is new, but the metadata log is expected there"):
        BrokerHarness(fs, directories=("/d", "/b"))
    harness(fs).close()


def identify(fs: MemFs, path: str, change: Callable[[str], str]) -> None:
    """Change the meta.properties of a directory."""
    name = f"{path}/meta.properties"
    fs.write_atomic(name, change(fs.read_bytes(name).decode()).encode(), sync=True)


def with_id(directory_id: str) -> Callable[[str], str]:
    return lambda text: re.sub("directory.id=.*", f"directory.id={directory_id}", text)


def formatted(fs: MemFs) -> None:
    """Three directories with a partition in each."""
    broker = harness(fs)
    broker.create_topic("t", 3)
    broker.advance(1_000)
    assert assigned(broker) == list(DIRECTORIES)
    broker.close()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (with_id("AAAAAAAAAAAAAAAAAAAAYw"), "/b/meta.properties: its directory.id is reserved"),
        (lambda text: re.sub("cluster.id=.*", "cluster.id=other", text), "/b belongs to cluster other, not to"),
        (lambda text: re.sub("node.id=.*", "node.id=2", text), "/b belongs to broker 2, not to 1"),
        (lambda _: "", "/b/meta.properties: cluster.id is missing: add the line"),
        (lambda text: text.replace("version=1", "version=0"), "/b/meta.properties: broker.id is missing: add the line"),
    ],
)
def test_a_directory_of_somebody_else_keeps_a_broker_from_starting(change: Callable[[str], str], reason: str) -> None:
    fs = MemFs()
    formatted(fs)
    identify(fs, "/b", change)
    before = fs.copy()
    with pytest.raises(StartupError, match=reason):
        harness(fs)
    assert fs.read_bytes("/b/meta.properties") == before.read_bytes("/b/meta.properties")
    assert all(fs.exists(f"{path}/.kafka_cleanshutdown") for path in DIRECTORIES)


def test_two_directories_with_the_same_id_keep_a_broker_from_starting() -> None:
    fs = MemFs()
    formatted(fs)
    fs.write_atomic("/c/meta.properties", fs.read_bytes("/b/meta.properties"), sync=True)
    with pytest.raises(StartupError, match=r"/b and /c have the same directory.id, .*: one is a copy of the other"):
        harness(fs)
    fs.rmtree("/c")
    identify(fs, "/b", lambda text: text)
    with pytest.raises(StartupError, match=r"/c: no meta.properties there, and 1 replicas of this broker are in a log"):
        harness(fs)


@pytest.mark.parametrize(
    "change", [with_id("short"), lambda text: text.replace("version=1", "version=2"),
               lambda text: text.replace("node.id", "node"), lambda text: text.replace("cluster.id", "cluster")],
)  # fmt: skip
def test_a_directory_whose_identity_cannot_be_read_is_left_out(change: Callable[[str], str]) -> None:
    fs = MemFs()
    formatted(fs)
    identify(fs, "/b", change)
    broker = harness(fs, seed=2)
    assert described(broker)["/b"] == (errors.KAFKA_STORAGE_ERROR, [])
    assert [produce(broker, index) for index in range(3)] == [errors.NONE, errors.KAFKA_STORAGE_ERROR, errors.NONE]
    broker.close()
    identify(fs, "/a", change)
    with pytest.raises(StartupError, match=r"/a/meta.properties.*: repair the file"):
        harness(fs, seed=3)


def test_directories_of_version_0_are_served_and_keep_their_version() -> None:
    fs = MemFs()
    formatted(fs)
    ids = [read_meta_properties(fs, f"{path}/meta.properties") for path in DIRECTORIES]
    for path in DIRECTORIES:
        identify(fs, path, lambda text: text.replace("version=1\n", "").replace("node.id", "broker.id"))
    identify(fs, "/c", lambda text: re.sub("directory.id=.*\n", "", text))
    broker = harness(fs, seed=2)
    broker.advance(1_000)  # the controller learns of the new id
    assert [produce(broker, index) for index in range(3)] == [errors.NONE] * 3
    broker.close()
    found = [read_meta_properties(fs, f"{path}/meta.properties") for path in DIRECTORIES]
    assert [each.version for each in found if each] == [0, 0, 0]
    same = [one.directory_id == other.directory_id for one, other in zip(ids, found, strict=True) if one and other]
    assert same == [True, True, False]


def test_a_new_directory_is_formatted_unless_one_with_replicas_is_missing() -> None:
    fs = MemFs()
    formatted(fs)
    BrokerHarness(fs, directories=(*DIRECTORIES, "/d"), seed=2).close()
    assert read_meta_properties(fs, "/d/meta.properties") is not None
    with pytest.raises(StartupError, match=r"/e: no meta.properties there, and 1 replicas"):
        BrokerHarness(fs, directories=("/a", "/b", "/d", "/e"), seed=3)
    assert not fs.exists("/e")
    BrokerHarness(fs, directories=("/a", "/b", "/c", "/e"), seed=3).close()  # nothing is in /d
    fs = BrokenDisk()
    formatted(fs)
    fs.broken = "/b"  # what is missing is there
    broker = BrokerHarness(fs, directories=(*DIRECTORIES, "/e"), seed=4)
    assert described(broker)["/e"] == (errors.NONE, [])


def test_the_refusal_of_a_node_that_others_vote_for_says_how_old_its_metadata_are() -> None:
    fs = MemFs()
    broker = harness(fs)
    broker.create_topic("t", 3)
    broker.advance(1_000)
    broker.close()
    image = broker.broker.image
    ids, endpoints = [bytes([number] * 16) for number in (1, 2)], (("CONTROLLER", "localhost", 1),)
    ids[0] = broker.broker.logs.metadata_directory.directory_id
    voters = [Voter(number, each, endpoints) for number, each in enumerate(ids, 1)]
    content = b"".join(_batches(image, voters, 1_700_000_003_000))
    name = f"{image.offset + 1:020d}-{image.epoch:010d}.checkpoint"
    fs.write_atomic(f"/a/__cluster_metadata-0/{name}", content, sync=True)
    with pytest.raises(StartupError) as refused:
        BrokerHarness(fs, directories=("/a", "/b", "/e"), seed=2)
    assert str(refused.value) == (
        "/e: no meta.properties there, and 1 replicas of this broker are in a log directory that is missing, as of the "
        "last snapshot of the metadata, of 2023-11-14 22:13:23 UTC: mount its disk, or if it is lost or no "
        "longer needed, format the new one with kafkacompat format --properties FILE"
    )


def test_a_directory_that_cannot_be_used_at_the_start_is_left_out() -> None:
    fs = BrokenDisk()
    broker = harness(fs)
    broker.create_topic("t", 3)
    broker.advance(1_000)
    broker.close()
    fs.broken = "/b"
    broker = harness(fs, seed=2)
    assert [produce(broker, index) for index in range(3)] == [errors.NONE, errors.KAFKA_STORAGE_ERROR, errors.NONE]
    assert described(broker)["/b"] == (errors.KAFKA_STORAGE_ERROR, [])
    broker.close()
    fs.broken = None
    broker = harness(fs, seed=3)
    assert [produce(broker, index) for index in range(3)] == [errors.NONE] * 3


def test_a_metadata_log_in_a_directory_of_its_own() -> None:
    fs = MemFs()
    for seed in (1, 2):
        broker = BrokerHarness(fs, directories=("/m",), log_directories=("/a", "/b"), seed=seed)
        if seed == 1:
            broker.create_topic("t", 2)
        assert described(broker) == {"/a": (0, [0]), "/b": (0, [1])}
        assert len(broker.broker.image.brokers[1].log_dirs) == 2
        broker.close()
    assert fs.exists("/m/__cluster_metadata-0")
    assert not fs.exists("/m/.kafka_cleanshutdown")  # Apache Kafka would not remove it


def test_a_partition_whose_folder_was_moved_is_served_from_there_and_the_controller_is_told(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("one", "two")]
    broker = BrokerHarness(RealFs(), directories=paths)
    broker.create_topic("t", 2)
    assert [produce(broker, index) for index in (0, 1)] == [errors.NONE] * 2
    broker.advance(1_000)
    assert assigned(broker) == paths
    broker.close()
    (tmp_path / "one" / "t-0").rename(tmp_path / "two" / "t-0")
    broker = BrokerHarness(RealFs(), directories=paths, seed=2)
    broker.advance(1_000)
    assert assigned(broker) == [paths[1]] * 2
    assert [fetched(broker, index) for index in (0, 1)] == [(errors.NONE, 1)] * 2
    assert produce(broker, 0) == errors.NONE
    broker.close()
