"""Replicas move between the log directories of a broker: what clients are told, what is copied, and how it ends."""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from kafkacompat.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.replication.metadata.image import BROKER_RESOURCE
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.broker.test_several_directories import assigned, delete, fail, fetched, harness, produce

SET, DELETE = 0, 1


def alter(broker: BrokerHarness, path: str, *indexes: int, topic: str = "t") -> list[int]:
    request = AlterReplicaLogDirsRequest([AlterReplicaLogDir(path, [AlterReplicaLogDirTopic(topic, indexes)])])
    answer = broker.begin(request, 2)  # it may wait for a folder
    until(broker, lambda: answer.is_there)
    (result,) = answer.message.results
    assert [each.partition_index for each in result.partitions] == list(indexes)
    return [each.error_code for each in result.partitions]


def places(broker: BrokerHarness, index: int, topic: str = "t") -> dict[str, tuple[bool, int]]:
    """Whether it is a future replica, and its lag, by directory."""
    return {
        each.log_dir: (partition.is_future_key, partition.offset_lag)
        for each in broker.ask(DescribeLogDirsRequest(topics=None), 4).results
        for found in each.topics
        for partition in found.partitions
        if (found.name, partition.partition_index) == (topic, index)
    }


def wait(broker: BrokerHarness, rounds: int = 40) -> None:
    for _ in range(rounds):
        broker.advance(50)


def folders(broker: BrokerHarness, path: str) -> list[str]:
    return sorted(name for name in broker.fs.listdir(path) if name.startswith("t-"))


def test_a_replica_moves_with_its_records_and_the_metadata_names_the_new_directory() -> None:
    broker = harness()
    broker.create_topic("t", 1)
    assert [produce(broker, 0) for _ in range(3)] == [0] * 3
    wait(broker)
    assert assigned(broker) == ["/a"]
    assert alter(broker, "/b", 0) == [errors.NONE]
    assert places(broker, 0) == {"/a": (False, 0), "/b": (True, 3)}
    (name,) = folders(broker, "/b")
    assert name.startswith("t-0.")
    assert name.endswith("-future")
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}
    assert assigned(broker) == ["/b"]
    assert folders(broker, "/b") == ["t-0"]
    (name,) = folders(broker, "/a")
    assert name.endswith("-delete")
    assert fetched(broker, 0) == (errors.NONE, 3)
    assert produce(broker, 0) == errors.NONE
    assert fetched(broker, 0) == (errors.NONE, 4)
    broker.advance(120_000)
    assert folders(broker, "/a") == []


@pytest.mark.parametrize("clean", [True, False])
def test_a_restart_after_a_move_serves_all_records(clean: bool) -> None:
    fs = MemFs()
    broker = harness(fs)
    broker.create_topic("t", 1)
    assert [produce(broker, 0) for _ in range(3)] == [0] * 3
    alter(broker, "/c", 0)
    wait(broker)
    assert produce(broker, 0) == errors.NONE
    broker.close(clean=clean)
    if not clean:
        fs.restart()
    broker = harness(fs, seed=2)
    assert places(broker, 0) == {"/c": (False, 0)}
    assert fetched(broker, 0) == (errors.NONE, 4)


def test_errors_are_those_of_apache_kafka() -> None:
    broker = harness()
    broker.create_topic("t", 2)
    assert alter(broker, "/nowhere", 0, 9) == [errors.LOG_DIR_NOT_FOUND] * 2
    assert alter(broker, "/b", 9, -1) == [errors.UNKNOWN_TOPIC_OR_PARTITION] * 2
    for name in ("a/b", "", "__cluster_metadata", "unknown"):
        assert alter(broker, "/b", 0, topic=name) == [errors.UNKNOWN_TOPIC_OR_PARTITION]
    assert alter(broker, "/nowhere", 0, topic="x" * 213) == [errors.LOG_DIR_NOT_FOUND]
    assert alter(broker, "/b", 0, topic="x" * 214) == [errors.INVALID_TOPIC_EXCEPTION]
    assert alter(broker, "/a", 0) == [errors.NONE]
    assert places(broker, 0) == {"/a": (False, 0)}
    fail(broker, "/c")
    assert alter(broker, "/c", 0) == [errors.KAFKA_STORAGE_ERROR]
    assert alter(broker, "/b", 0) == [errors.KAFKA_STORAGE_ERROR]
    assert alter(broker, "/a", 0) == [errors.NONE]
    assert places(broker, 0) == {"/a": (False, 0)}


def test_a_replica_that_comes_later_is_made_in_the_directory_that_was_chosen() -> None:
    broker = harness()
    assert alter(broker, "/c", 0) == [errors.UNKNOWN_TOPIC_OR_PARTITION]
    broker.create_topic("t", 2)
    assert places(broker, 0) == {"/c": (False, 0)}
    delete(broker, "t")
    broker.create_topic("t", 1)
    assert places(broker, 0) != {"/c": (False, 0)}  # it was a wish for one time


@pytest.mark.parametrize("last", ["/a", "/c"])
def test_another_directory_is_a_new_target_and_the_current_one_ends_the_move(last: str) -> None:
    broker = harness()
    broker.create_topic("t", 1)
    assert produce(broker, 0) == errors.NONE
    assert alter(broker, "/b", 0) == [errors.NONE]
    assert alter(broker, "/b", 0) == [errors.NONE]
    assert alter(broker, last, 0) == [errors.NONE]
    (name,) = folders(broker, "/b")
    assert name.endswith("-delete")
    wait(broker)
    assert places(broker, 0) == {last: (False, 0)}
    assert assigned(broker) == [last]
    assert fetched(broker, 0) == (errors.NONE, 1)


def until(broker: BrokerHarness, is_so: Callable[[], bool], step_ms: int = 50) -> None:
    for _ in range(100):
        if is_so():
            return
        broker.advance(step_ms)
    raise AssertionError("it does not come")


def begin(fs: MemFs | None = None, **config: str) -> BrokerHarness:
    """A broker with a replica in /a that has three records."""
    broker = harness(fs, **config)
    broker.create_topic("t", 1)
    assert [produce(broker, 0) for _ in range(3)] == [0] * 3
    wait(broker, 20)
    assert assigned(broker) == ["/a"]
    return broker


def accepted(broker: BrokerHarness) -> BrokerHarness:
    """The metadata names /b, and a record is there that the future replica does not have."""
    broker.fs.is_held = True
    assert alter(broker, "/b", 0) == [errors.NONE]
    until(broker, lambda: assigned(broker) == ["/b"])
    broker.now = Now(broker.now.monotonic_ms + 1_000, broker.now.wall_ms + 1_000)
    assert produce(broker, 0) == errors.NONE
    assert places(broker, 0) == {"/a": (False, 0), "/b": (True, 1)}
    return broker


class Held(MemFs):
    """No move to /b comes to its end while it is held: there is no room for the name of its log."""

    is_held = False

    def begin(self, name: str, path: str, size_bytes: int = 0) -> None:
        super().begin(name, path, size_bytes)
        if self.is_held and (name, path) == ("rename", "/b/t-0"):
            raise OSError(errno.ENOSPC, "no space", path)


def test_a_move_that_the_metadata_knows_of_can_be_ended() -> None:
    broker = accepted(begin(Held()))
    assert alter(broker, "/a", 0) == [errors.NONE]
    wait(broker)
    assert assigned(broker) == ["/a"]
    assert places(broker, 0) == {"/a": (False, 0)}
    assert fetched(broker, 0) == (errors.NONE, 4)


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("is_accepted", [True, False])
def test_a_restart_goes_on_with_a_move(clean: bool, is_accepted: bool) -> None:
    """Where the metadata names the new directory, Apache Kafka promotes the future replica at once, without the last
    records of the current one.
    """
    fs = Held()
    broker = begin(fs)
    if is_accepted:
        accepted(broker)
    else:
        assert alter(broker, "/b", 0) == [errors.NONE]
        assert produce(broker, 0) == errors.NONE
    broker.close(clean=clean)
    fs.restart()
    fs.is_held = False
    broker = harness(fs, seed=2)
    assert places(broker, 0)["/a"] == (False, 0)
    assert fetched(broker, 0) == (errors.NONE, 4)
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}
    assert assigned(broker) == ["/b"]
    assert fetched(broker, 0) == (errors.NONE, 4)
    assert folders(broker, "/b") == ["t-0"]


def test_a_future_replica_alone_that_the_metadata_names_is_the_log() -> None:
    """A kill between the two renames."""
    fs = MemFs()
    broker = begin(fs)
    alter(broker, "/b", 0)
    wait(broker)
    broker.close()
    fs.rename("/b/t-0", f"/b/t-0.{'0' * 32}-future")
    broker = harness(fs, seed=2)
    assert places(broker, 0) == {"/b": (False, 0)}
    assert fetched(broker, 0) == (errors.NONE, 3)


def test_a_future_replica_that_the_metadata_does_not_name_is_set_aside_without_its_log() -> None:
    fs = MemFs()
    broker = begin(fs)
    broker.close()
    fs.mkdir(f"/b/t-0.{'0' * 32}-future")
    for name in fs.listdir("/a/t-0"):
        fs.write_atomic(f"/b/t-0.{'0' * 32}-future/{name}", fs.read_bytes(f"/a/t-0/{name}"), sync=True)
    fs.rmtree("/a/t-0")
    broker = harness(fs, seed=2)
    assert places(broker, 0) == {"/a": (False, 0)}
    (name,) = folders(broker, "/b")
    assert name.endswith("-stray")


def test_of_two_future_replicas_the_larger_goes_on() -> None:
    fs = MemFs()
    broker = begin(fs)
    alter(broker, "/b", 0)
    broker.close(clean=False)
    fs.restart()
    (found,) = folders(broker, "/b")
    empty = f"/b/t-0.{'f' * 32}-future"
    fs.mkdir(empty)
    broker = harness(fs, seed=2)
    broker.advance(1)
    assert len([name for name in folders(broker, "/b") if name.endswith("-future")]) == 1
    assert found in folders(broker, "/b")
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}


@pytest.mark.parametrize("is_deleted", [False, True])
def test_of_future_replicas_in_two_directories_one_goes_on(is_deleted: bool) -> None:
    """A loss of power has brought one back whose move was called off."""
    fs = MemFs()
    broker = begin(fs)
    alter(broker, "/c", 0)
    broker.close(clean=False)
    fs.restart()
    fs.mkdir(f"/b/t-0.{'f' * 32}-future")
    broker = harness(fs, seed=2)
    broker.advance(1)
    left = [name for path in ("/b", "/c") for name in folders(broker, path) if name.endswith("-future")]
    assert len(left) == 1
    if is_deleted:
        delete(broker, "t")
    wait(broker)
    assert not [name for path in ("/b", "/c") for name in folders(broker, path) if name.endswith("-future")]
    if not is_deleted:
        assert places(broker, 0) in ({"/b": (False, 0)}, {"/c": (False, 0)})
        assert fetched(broker, 0) == (errors.NONE, 3)


def test_a_log_start_that_a_kill_has_set_back_keeps_no_move_from_its_end() -> None:
    """What was deleted is deleted in the copy, which has all that follows."""
    fs = Held()
    broker = begin(fs)
    broker.ask(DeleteRecordsRequest([DeleteRecordsTopic("t", [DeleteRecordsPartition(0, 2)])], timeout_ms=0), 2)
    fs.is_held = True
    alter(broker, "/b", 0)
    wait(broker, 3)
    broker.close(clean=False)
    fs.restart()
    fs.is_held = False
    for name in ("log-start-offset-checkpoint", "recovery-point-offset-checkpoint"):
        if fs.exists(f"/a/{name}"):
            fs.remove(f"/a/{name}")  # it was not written before the kill
    broker = harness(fs, seed=2)
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    future = broker.broker.logs.directories[1].futures.logs["t", 0]
    assert (partition.log_start_offset, future.log_start_offset) == (0, 2)
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}
    assert (partition.log_start_offset, partition.log_end_offset, partition.high_watermark) == (2, 3, 3)


def test_a_future_replica_of_an_earlier_topic_is_deleted() -> None:
    fs = MemFs()
    broker = begin(fs)
    alter(broker, "/b", 0)
    broker.close()
    delete_before = fs.copy()
    broker = harness(fs, seed=2)
    delete(broker, "t")
    broker.create_topic("t", 1)
    broker.close()
    (name,) = [each for each in delete_before.listdir("/b") if each.endswith("-future")]
    fs.mkdir(f"/b/{name}")
    fs.write_atomic(
        f"/b/{name}/partition.metadata", delete_before.read_bytes(f"/b/{name}/partition.metadata"), sync=True
    )
    broker = harness(fs, seed=3)
    wait(broker)
    assert fetched(broker, 0) == (errors.NONE, 0)
    assert not [each for each in folders(broker, "/b") if each.endswith("-future")]


@pytest.mark.parametrize("path", ["/a", "/b"])
def test_a_directory_that_fails_ends_the_move(path: str) -> None:
    broker = accepted(begin(Held()))
    fail(broker, path)
    wait(broker)
    assert assigned(broker) == ["/a"]  # also if that has failed: the controller is to know
    error_code, high_watermark = fetched(broker, 0)
    assert (error_code, high_watermark) == ((errors.NONE, 4) if path == "/b" else (errors.KAFKA_STORAGE_ERROR, -1))


def test_a_directory_that_fails_in_the_swap_leaves_the_replica_where_it_is() -> None:
    fs = MemFs()
    broker = begin(fs)
    fs.fail_next(lambda operation: operation[:2] == ("rename", "/b/t-0"))
    alter(broker, "/b", 0)
    wait(broker)
    assert broker.broker.logs.offline_directories == (broker.broker.logs.directories[1],)
    assert assigned(broker) == ["/a"]
    assert fetched(broker, 0) == (errors.NONE, 3)
    assert produce(broker, 0) == errors.NONE
    assert folders(broker, "/a") == ["t-0"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE, errno.ENFILE])
@pytest.mark.parametrize("name", ["/a/t-0", "/b/t-0"])
def test_a_disk_that_is_full_at_the_swap_is_waited_for_and_so_are_descriptors(name: str, number: int) -> None:
    fs = Renamed(name, number)
    broker = begin(fs)
    alter(broker, "/b", 0)
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}
    assert broker.broker.logs.offline_directories == ()
    assert fetched(broker, 0) == (errors.NONE, 3)


class Renamed(MemFs):
    """Once a name cannot be given or taken."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__()
        self._name, self._number = name, number

    def rename(self, path: str, new_path: str) -> None:
        if self._number and self._name in (path, new_path):
            number, self._number = self._number, 0
            raise OSError(number, "short", path)
        super().rename(path, new_path)


def test_a_topic_that_is_deleted_takes_its_future_replica_with_it() -> None:
    broker = begin()
    alter(broker, "/b", 0)
    delete(broker, "t")
    wait(broker, 4)
    assert [name[-7:] for path in ("/a", "/b") for name in folders(broker, path)] == ["-delete", "-delete"]
    broker.create_topic("t", 1)
    wait(broker)
    assert fetched(broker, 0) == (errors.NONE, 0)
    broker.advance(200_000)
    assert [len(folders(broker, path)) for path in ("/a", "/b")] in ([1, 0], [0, 1])


def test_deleted_records_wait_for_the_future_replica() -> None:
    broker = begin()
    alter(broker, "/b", 0)
    topic = DeleteRecordsTopic("t", [DeleteRecordsPartition(0, 2)])
    answer = broker.begin(DeleteRecordsRequest([topic], timeout_ms=10_000), 2)
    assert not answer.is_there
    until(broker, lambda: answer.is_there)
    (result,) = answer.message.topics[0].partitions
    assert (result.error_code, result.low_watermark) == (errors.NONE, 2)
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    assert (partition.log_start_offset, partition.log_end_offset) == (2, 3)


@pytest.mark.parametrize(("windows", "window_s", "seconds"), [("2", "1", 4), ("2", "10", 10), ("20", "1", 4)])
def test_a_rate_holds_moves_back(windows: str, window_s: str, seconds: int) -> None:
    """replica.alter.log.dirs.io.max.bytes.per.second, and the windows in which it is measured: after four seconds what
    the rate allows in so many is copied, and the rest when the rate is gone.
    """
    settings = {
        "alter.log.dirs.replication.quota.window.num": windows,
        "alter.log.dirs.replication.quota.window.size.seconds": window_s,
    }
    broker = begin(**settings)
    configure(broker, "replica.alter.log.dirs.io.max.bytes.per.second", "700")
    for _ in range(200):
        assert produce(broker, 0) == errors.NONE
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    broker.broker.alter_log_dirs.part_bytes = part_bytes = 700
    alter(broker, "/b", 0)
    for _ in range(80):
        broker.advance(50)
    future = partition.future_log
    assert future is not None
    assert (seconds - 1) * part_bytes <= future.size_bytes <= (seconds + 2) * part_bytes
    configure(broker, "replica.alter.log.dirs.io.max.bytes.per.second", None)
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}


def configure(broker: BrokerHarness, name: str, value: str | None) -> None:
    config = AlterableConfig(name, DELETE if value is None else SET, value)
    resource = AlterConfigsResource(BROKER_RESOURCE, "", [config])
    (result,) = broker.ask(IncrementalAlterConfigsRequest([resource]), 1).responses
    assert result.error_code == errors.NONE, result.error_message


def test_so_many_moves_read_at_the_same_time() -> None:
    """num.replica.alter.log.dirs.threads."""
    broker = harness(**{"num.replica.alter.log.dirs.threads": "2"})
    broker.create_topic("t", 9)
    for index in range(9):
        produce(broker, index)
    manager = broker.broker.alter_log_dirs
    most = 0
    for path in ("/a", "/b"):
        alter(broker, path, *range(9))
    for _ in range(400):
        broker.now = Now(broker.now.monotonic_ms + 10, broker.now.wall_ms + 10)
        broker.broker.timers.run(broker.now)
        most = max(most, manager.busy_count)
        broker.settle()
    assert most == 2
    assert [places(broker, index) for index in range(9)] == [{"/b": (False, 0)}] * 9


def test_producers_are_known_behind_a_move() -> None:
    """Also those whose records are gone: a batch that was written before is known again."""
    broker = begin()
    batch = build_batch([Record(0, 0, b"k", b"v")], producer_id=5, producer_epoch=0, base_sequence=0)
    assert produce_batch(broker, batch) == (errors.NONE, 3)
    broker.ask(DeleteRecordsRequest([DeleteRecordsTopic("t", [DeleteRecordsPartition(0, 4)])], timeout_ms=0), 2)
    alter(broker, "/b", 0)
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}
    assert produce_batch(broker, batch) == (errors.NONE, 3)
    assert fetched(broker, 0)[1] == -1  # its offset 0 is gone
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    assert partition.log_end_offset == 4


def produce_batch(broker: BrokerHarness, batch: bytes) -> tuple[int, int]:
    data = TopicProduceData("t", partition_data=[PartitionProduceData(0, batch)])
    answer = broker.ask(ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[data]), 9)
    (result,) = answer.responses[0].partition_responses
    return result.error_code, result.base_offset


class Watched(MemFs):
    """What a kill, and a power cut, would leave before each operation that changes something."""

    def __init__(self) -> None:
        super().__init__()
        self.states: list[tuple[MemFs, MemFs, int]] = []
        self.is_watching = False
        self.acknowledged = 0

    def begin(self, name: str, path: str, size_bytes: int = 0) -> None:
        super().begin(name, path, size_bytes)
        if self.is_watching and name not in ("pread", "listdir", "exists", "size", "read_bytes"):
            self.is_watching = False
            self.states.append((self.copy(), self.copy(NOTHING), self.acknowledged))
            self.is_watching = True


class Nothing:
    """Nothing survives a power cut that was not synced."""

    def changes(self, path: str, count: int) -> int:
        return 0

    def content(self, path: str, synced: bytes, current: bytes, dirty_pages: set[int]) -> bytes:
        return synced


NOTHING = Nothing()


@pytest.mark.parametrize("loses_power", [False, True])
def test_no_moment_of_a_move_loses_what_was_acknowledged(loses_power: bool) -> None:
    """The broker is killed, or the power fails, before each operation on the disk."""
    fs = Watched()
    broker = begin(fs, **{"log.flush.interval.messages": "1"})
    fs.acknowledged = 3
    fs.is_watching = True
    alter(broker, "/b", 0)
    for _ in range(30):
        if "/b" in places(broker, 0):
            assert produce(broker, 0) == errors.NONE
            fs.acknowledged += 1
        broker.advance(50)
    fs.is_watching = False
    assert places(broker, 0) == {"/b": (False, 0)}
    assert len(fs.states) > 60
    wrong = []
    for number, (killed, cut, acknowledged) in enumerate(fs.states):
        after = harness(cut if loses_power else killed, seed=2, **{"log.flush.interval.messages": "1"})
        wait(after, 60)
        where, found = places(after, 0), fetched(after, 0)
        if where != dict.fromkeys(assigned(after), (False, 0)):
            wrong.append((number, where))
        if not loses_power and where != {"/b": (False, 0)} and number > 5:
            wrong.append((number, where))
        if found[0] != errors.NONE or found[1] < acknowledged:
            wrong.append((number, found))
    assert wrong == []
