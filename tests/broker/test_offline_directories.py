"""Of several log directories one is offline or has a fault: what is noted and ended is that one's, not another's."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from kafkacompat.broker import compaction
from kafkacompat.broker.log_cleaner import LogCleaner
from kafkacompat.control_api import state
from kafkacompat.control_api.faults import disks
from kafkacompat.control_api.faults.healing import heal
from kafkacompat.control_api.resources import reset_parts
from kafkacompat.errors import KafkaCompatError
from kafkacompat.replication.partition import Partition
from kafkacompat.server import compaction_child
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.compaction_child import ChildPass
from kafkacompat.storage.compaction.clean_pass import Pass
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.manager import LogManager
from tests.broker.harness import BrokerHarness
from tests.broker.test_several_directories import fail, harness, produce

if TYPE_CHECKING:
    from pathlib import Path


def offline(broker: BrokerHarness) -> list[str]:
    return [each.path for each in broker.broker.logs.directories if each.offline is not None]


def with_one_offline() -> tuple[BrokerHarness, Partition]:
    """A broker whose directory /b has failed just now, and the partition there."""
    broker = harness()
    broker.create_topic("t", 3, cleanup_policy="compact")
    assert produce(broker, 1) == 0
    broker.advance(1_000)
    partition = broker.broker.partitions.get("t", 1)
    assert partition is not None
    (directory,) = [each for each in broker.broker.logs.directories if each.path == "/b"]
    directory.take_offline(OSError(errno.EIO, "I/O error"))
    return broker, partition


def test_an_error_of_a_partition_whose_directory_is_offline_takes_no_other_along(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = harness()
    broker.create_topic("t", 3)

    def fails(_partition: Partition) -> None:
        raise OSError(errno.EIO, "I/O error")

    monkeypatch.setattr(Partition, "resign", fails)
    fail(broker, "/b")
    assert offline(broker) == ["/b"]


def test_an_error_of_a_partition_takes_its_directory_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = harness()
    broker.create_topic("t", 3)
    broker.advance(1_000)

    def fails(partition: Partition, *_: object) -> None:
        if partition.index == 1:
            raise OSError(errno.EIO, "I/O error")

    monkeypatch.setattr(Partition, "check_lag", fails)
    for partition in broker.broker.partitions:
        broker.broker.partitions.may_lag(partition)
    broker.broker.partitions.check_lag(broker.now)
    assert offline(broker) == ["/b"]


def test_nothing_is_compacted_and_noted_for_a_log_whose_directory_is_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    broker, partition = with_one_offline()
    cleaner = LogCleaner(broker.broker, Pass, (), lambda _now: None)
    with pytest.raises(LogError, match="offline"):
        cleaner._plan(partition, broker.now)
    work: Any = SimpleNamespace(
        partition=partition, end_offset=1, running=SimpleNamespace(close=lambda: None), read_bytes=0, written_bytes=0,
        began_ms=0,
    )  # fmt: skip
    cleaner._work = work
    cleaner._synced(None, broker.now)
    assert [each.checkpoints.cleaner_offset(("t", 1)) for each in broker.broker.logs.directories] == [None] * 3
    bounded: list[int] = []
    monkeypatch.setattr(compaction, "is_long", lambda _log: True)
    monkeypatch.setattr(compaction, "bound_tail", lambda _log, offset, _now: bounded.append(offset))
    broker.broker.compaction.bound_tail(partition, broker.now)
    assert bounded == []


def test_only_topics_with_logs_that_were_opened_are_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = harness()
    broker.create_topic("t", 3)
    for _ in range(5):
        broker.advance(1_000)
    asked: set[str] = set()
    real = LogManager.directory_of_open

    def directory_of_open(manager: LogManager, topic: str, partition: int) -> object:
        asked.add(topic)
        return real(manager, topic, partition)

    monkeypatch.setattr(LogManager, "directory_of_open", directory_of_open)
    broker.broker.partitions.events.caught_up(broker.now)
    assert asked == set()
    broker.create_topic("u", 3)
    for _ in range(5):
        broker.advance(1_000)
    assert asked == {"u"}


def served(tmp_path: Path) -> tuple[Any, BrokerHarness, list[str]]:
    """What the control API knows of a node with two directories on a real disk."""
    paths = [str(tmp_path / name) for name in ("one", "two")]
    files = RealFs()
    broker = BrokerHarness(files, directories=paths)
    server = SimpleNamespace(
        broker=broker.broker, files=files, links=None, directories=tuple(paths), is_temporary=False, config=None,
        _children=None, _loop=SimpleNamespace(call_later=None),
    )  # fmt: skip
    return server, broker, paths


def test_heal_ends_the_fault_of_the_second_disk_too(tmp_path: Path) -> None:
    server, broker, paths = served(tmp_path)
    second = broker.broker.logs.directories[1].disk.files
    assert isinstance(second, RealFs)
    disks.disk(server, directory=paths[1], error="EIO")
    assert second.faults is not None
    heal(server)
    assert second.faults is None
    broker.close()


def test_a_pass_over_a_log_with_faults_runs_here_where_they_are_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, broker, paths = served(tmp_path)
    monkeypatch.setattr(compaction_child, "CHILD_FROM_BYTES", 1)
    request: Any = SimpleNamespace(segments=[(0, 5 << 20)], bytes_per_second=1e9, map_bytes=1, secret=b"", path="x")
    disks.disk(server, directory=paths[1], error="EIO")
    passes = [BrokerServer._new_pass(server, directory.disk, request) for directory in broker.broker.logs.directories]
    assert [type(each) for each in passes] == [ChildPass, Pass]
    disks.disk(server)
    broker.close()


def test_a_reset_asks_about_all_directories(tmp_path: Path) -> None:
    server, broker, paths = served(tmp_path)
    call: Any = SimpleNamespace(server=server, servers={1: server}, body={}, half_reset={})
    named = f"delete the data in {paths[0]}, {paths[1]}:"
    with pytest.raises(KafkaCompatError, match=named):
        state._begin([server], None, delete_data=False)
    with pytest.raises(KafkaCompatError, match=named):
        reset_parts._look(call)
    broker.close()
