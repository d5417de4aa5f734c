"""Moves between log directories that meet errors, wait, or are stopped: what is left of them, and when they go on."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.broker.replicas import replica_alter_log_dirs
from kafkacompat.broker.replicas.replica_alter_log_dirs import TIMER
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
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.slices import Slice
from tests.broker.harness import Answer, BrokerHarness
from tests.broker.replicas.test_replica_alter_log_dirs import (
    Watched,
    alter,
    begin,
    configure,
    folders,
    places,
    wait,
)
from tests.broker.test_several_directories import FullDisk, assigned, delete, fail, fetched, harness, produce


def test_a_move_that_is_refused_leaves_nothing() -> None:
    fs = MemFs()
    broker = begin(fs)
    fs.fail_next(lambda operation: operation[1].endswith("partition.metadata.tmp"), errno.EMFILE)
    assert alter(broker, "/b", 0) == [errors.KAFKA_STORAGE_ERROR]
    assert not [name for name in folders(broker, "/b") if name.endswith("-future")]
    broker.close()
    broker = harness(fs, seed=2)
    wait(broker)
    assert places(broker, 0) == {"/a": (False, 0)}


def test_a_future_replica_that_cannot_be_opened_is_tried_again_ever_later(caplog: pytest.LogCaptureFixture) -> None:
    fs = Unopened()
    broker = begin(fs)
    assert alter(broker, "/b", 0) == [errors.NONE]
    found = folders(broker, "/b")
    broker.close(clean=False)
    fs.restart()
    fs.is_held = True
    broker = harness(fs, seed=2)
    wait(broker, 15_000 // 50)
    assert 2 <= fs.attempts <= 5
    assert folders(broker, "/b") == found
    assert len([each for each in caplog.records if "does not move on" in each.message]) == 1
    fs.is_held = False
    wait(broker, 20_000 // 50)
    assert places(broker, 0) == {"/b": (False, 0)}


class Unopened(MemFs):
    """No future replica can be opened while it is held."""

    is_held = False
    attempts = 0

    def read_bytes(self, path: str) -> bytes:
        if self.is_held and "-future/partition.metadata" in path:
            self.attempts += 1
            raise OSError(errno.EMFILE, "too many open files", path)
        return super().read_bytes(path)


def test_a_move_of_a_topic_that_was_deleted_is_none_of_its_successor() -> None:
    fs = MemFs()
    broker = begin(fs)
    assert alter(broker, "/b", 0) == [errors.NONE]
    manager = broker.broker.alter_log_dirs
    manager.stop()  # the move is not looked at before the topic is there again
    delete(broker, "t")
    broker.create_topic("t", 1)
    path = next(path for path in ("/b", "/c") if path not in places(broker, 0))
    assert alter(broker, path, 0) == [errors.NONE]
    assert places(broker, 0)[path] == (True, 0)


def test_background_work_with_a_bug_ends_the_move(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = begin()
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    broker.broker.alter_log_dirs.part_bytes = 50  # read beside the loop

    def read_all(_part: object) -> bytearray:
        raise ValueError("a mistake")

    monkeypatch.setattr(replica_alter_log_dirs, "_read_all", read_all)
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker)
    assert partition.future_log is None
    assert len([each for each in caplog.records if "any more: a mistake" in each.message]) == 1


def test_a_move_waits_for_a_pass_of_compaction_without_work(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = begin()
    compaction, manager = broker.broker.compaction, broker.broker.alter_log_dirs
    partition, syncs, sync = broker.broker.partitions.get("t", 0), [], manager._sync
    monkeypatch.setattr(compaction, "cleaner", SimpleNamespace(working_on=partition))

    def count(*arguments: Any) -> None:
        syncs.append(None)
        sync(*arguments)

    monkeypatch.setattr(manager, "_sync", count)
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker)
    assert places(broker, 0) == {"/a": (False, 0), "/b": (True, 0)}
    assert syncs == []
    monkeypatch.setattr(compaction, "cleaner", None)
    wait(broker, 5)
    assert places(broker, 0) == {"/b": (False, 0)}
    assert len(syncs) == 1


def test_moves_that_wait_do_not_slow_one_that_can_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica_alter_log_dirs, "MOVES_PER_ITERATION", 2)
    broker = harness()
    broker.create_topic("t", 30)
    for _ in range(40):
        assert produce(broker, 0) == errors.NONE
    manager = broker.broker.alter_log_dirs
    manager.part_bytes = 100
    moving = [index for index in range(1, 30) if "/a" in places(broker, index)]
    assert alter(broker, "/b", *moving) == [errors.NONE] * len(moving)
    for move in manager._moves.values():
        move.until_ms = broker.now.monotonic_ms + 3_600_000
    wait(broker, 20)
    assert alter(broker, "/b", 0) == [errors.NONE]
    for _ in range(150):
        broker.now = Now(broker.now.monotonic_ms + 1, broker.now.wall_ms + 1)
        broker.broker.timers.run(broker.now)
        broker.settle()
    assert places(broker, 0)["/b"][1] == 0


def test_a_stop_lets_go_of_what_is_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = begin()
    manager = broker.broker.alter_log_dirs
    manager.part_bytes = 50
    assert alter(broker, "/b", 0) == [errors.NONE]
    for _ in range(10):
        broker.broker.timers.run(broker.now)
        if manager._unread:
            break
    (part,) = manager._unread.values()
    released, release = [], Slice.release

    def note(self: Slice) -> None:
        released.append(self)
        release(self)

    monkeypatch.setattr(Slice, "release", note)
    manager.stop()
    wait(broker, 3)
    assert released == [part]
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    assert partition.future_log is not None
    assert partition.future_log.log_end_offset == 0


def settled(count: int = 1, **config: str) -> BrokerHarness:
    """A broker whose moves to /b have copied everything; the controller has not been told."""
    broker = harness(**config)
    broker.create_topic("t", 3 * count)
    wait(broker, 20)
    broker.broker.directory_assignments._is_asking = True  # and never ends
    for index in here(broker):
        assert produce(broker, index) == errors.NONE
        assert alter(broker, "/b", index) == [errors.NONE]
    wait(broker, 4)
    assert len(here(broker)) == count
    assert [places(broker, index)["/b"] for index in here(broker)] == [(True, 0)] * count
    return broker


def here(broker: BrokerHarness) -> list[int]:
    """The partitions in /a."""
    return [index for _, index in broker.broker.logs.directories[0].logs if _ == "t"]


def is_idle(broker: BrokerHarness) -> bool:
    return not broker.broker.timers.is_set(TIMER)


def tell_controller(broker: BrokerHarness) -> None:
    assignments = broker.broker.directory_assignments
    assignments._is_asking = False
    assignments.check(broker.now)


def test_moves_with_nothing_to_do_have_no_timer_until_the_metadata_names_their_directory() -> None:
    broker = settled(20)
    assert is_idle(broker)
    moved = here(broker)
    tell_controller(broker)
    wait(broker)
    assert [places(broker, index) for index in moved] == [{"/b": (False, 0)}] * 20
    assert is_idle(broker)


def test_what_is_written_meanwhile_is_copied_and_what_is_deleted_goes() -> None:
    broker = settled()
    (index,) = here(broker)
    assert produce(broker, index) == errors.NONE
    assert places(broker, index) == {"/a": (False, 0), "/b": (True, 1)}
    wait(broker, 2)
    assert places(broker, index) == {"/a": (False, 0), "/b": (True, 0)}
    assert is_idle(broker)
    request = DeleteRecordsRequest([DeleteRecordsTopic("t", [DeleteRecordsPartition(index, 1)])], timeout_ms=1_000)
    answer = broker.begin(request, 2)
    assert not answer.is_there
    wait(broker, 2)
    assert answer.message.topics[0].partitions[0].low_watermark == 1
    assert is_idle(broker)


def test_a_move_that_waits_ends_with_its_topic() -> None:
    broker = settled()
    delete(broker, "t")
    wait(broker, 2)
    assert broker.broker.alter_log_dirs._moves == {}
    assert is_idle(broker)
    assert [name[-7:] for name in folders(broker, "/b") if name.endswith("-future")] == []


@pytest.mark.parametrize("is_paused", [False, True])
def test_a_move_that_waits_ends_with_its_directory(is_paused: bool) -> None:
    broker = settled()
    (move,) = broker.broker.alter_log_dirs._moves.values()
    if is_paused:
        move.until_ms = broker.now.monotonic_ms + 3_600_000
        broker.broker.alter_log_dirs._schedule.put(move, "paused")
    fail(broker, "/b")
    wait(broker, 20)
    assert broker.broker.alter_log_dirs._moves == {}
    assert move.partition.future_log is None


def steps_of(broker: BrokerHarness, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the moves that are looked at from now on."""
    manager, seen = broker.broker.alter_log_dirs, list[str]()
    step = manager._step

    def note(move: Any, now: Now) -> str:
        seen.append(move.name)
        return step(move, now)

    monkeypatch.setattr(manager, "_step", note)
    return seen


def test_moves_that_are_held_back_by_the_rate_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = harness()
    broker.create_topic("t", 60)
    wait(broker, 20)
    moving = here(broker)
    for index in moving:
        assert produce(broker, index) == errors.NONE
    configure(broker, "replica.alter.log.dirs.io.max.bytes.per.second", "1")
    assert [alter(broker, "/b", index) for index in moving] == [[errors.NONE]] * 20
    wait(broker, 10)
    seen = steps_of(broker, monkeypatch)
    wait(broker, 40)
    assert len(seen) <= 2
    configure(broker, "replica.alter.log.dirs.io.max.bytes.per.second", None)
    wait(broker, 100)
    assert [places(broker, index) for index in moving] == [{"/b": (False, 0)}] * 20


def test_moves_to_a_full_disk_are_not_looked_at_until_it_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    fs = FullDisk()
    broker = harness(fs)
    broker.create_topic("t", 30)
    wait(broker, 20)
    moving = here(broker)
    for index in moving:
        assert produce(broker, index) == errors.NONE
    assert [alter(broker, "/b", index) for index in moving] == [[errors.NONE]] * 10
    fs.full = "/b/t-"
    wait(broker, 10)
    assert not [index for index in moving if places(broker, index)["/b"][1] == 0]
    seen = steps_of(broker, monkeypatch)
    wait(broker, 40)
    assert seen == []
    fs.full = None
    wait(broker, 100)
    assert [places(broker, index) for index in moving] == [{"/b": (False, 0)}] * 10


def test_at_most_one_log_is_flushed_in_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """With flush.messages=1 the last record is made durable on the loop, before the log takes its place."""
    broker = settled(3, **{"log.flush.interval.messages": "1", "num.replica.alter.log.dirs.threads": "3"})
    moving, flushed, flush = here(broker), [], Log.flush

    def note(log: Log) -> None:
        flushed.append(log)
        flush(log)

    tell_controller(broker)
    for _ in range(100):
        broker.advance(10)
        if all(move.synced_start is not None for move in broker.broker.alter_log_dirs._moves.values()):
            break
    assert here(broker) == moving
    for index in moving:
        assert produce(broker, index) == errors.NONE
    monkeypatch.setattr(Log, "flush", note)
    for turn in range(1, 4):
        broker.broker.timers.run(broker.now)
        assert len(flushed) == turn
        assert len(here(broker)) == 3 - turn
    wait(broker, 5)
    assert [fetched(broker, index) for index in moving] == [(errors.NONE, 2)] * 3


@pytest.mark.parametrize("clean", [False, True])
def test_a_future_replica_of_a_topic_that_was_made_again_is_not_gone_on_with(clean: bool) -> None:
    """The topic was deleted, and made again, while the broker was down: the metadata names another id."""
    fs = MemFs()
    broker = begin(fs)
    broker.broker.directory_assignments._is_asking = True
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker, 4)
    old = {path: fs.read_bytes(f"{path}/partition.metadata") for path in (f"/b/{folders(broker, '/b')[0]}",)}
    (future,) = old
    records = {name: fs.read_bytes(f"{future}/{name}") for name in fs.listdir(future)}
    broker.broker.directory_assignments._is_asking = False
    delete(broker, "t")
    broker.create_topic("t", 1)
    wait(broker, 5)
    where = next(iter(places(broker, 0)))
    broker.close(clean=clean)
    other = "/b" if where != "/b" else "/c"
    found = f"{other}/{future.rpartition('/')[2]}"
    fs.mkdir(found)
    for name, content in records.items():
        fs.write_atomic(f"{found}/{name}", content, sync=True)
    fs.restart()
    broker = harness(fs, seed=2)
    wait(broker)
    assert fetched(broker, 0) == (errors.NONE, 0)
    assert [name for name in folders(broker, other) if name.endswith("-future")] == []
    assert assigned(broker) == list(places(broker, 0))


def test_what_was_durable_is_durable_in_each_moment_of_a_move() -> None:
    """Also without flush.messages=1, where nobody waits for a sync: the power fails before each operation."""
    fs = Watched()
    broker = begin(fs)
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    broker.broker.request_flush(partition)
    broker.settle()
    assert partition.log.flushed_offset == 3
    fs.is_watching = True
    alter(broker, "/b", 0)
    wait(broker, 20)
    fs.is_watching = False
    assert places(broker, 0) == {"/b": (False, 0)}
    found = []
    for _, cut, _ in fs.states:
        after = harness(cut, seed=2)
        wait(after, 40)
        found.append(fetched(after, 0))
    assert len(found) > 30
    assert set(found) == {(errors.NONE, 3)}


@pytest.mark.parametrize("place", ["lacks room", "throttled", "paused"])
def test_nothing_is_kept_of_moves_that_were_called_off(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fs = FullDisk()
    broker = begin(fs)
    manager = broker.broker.alter_log_dirs
    if place == "throttled":
        monkeypatch.setattr(manager, "_is_throttled", lambda _now: True)
    called_off = []
    for _ in range(3):
        assert alter(broker, "/b", 0) == [errors.NONE]
        (move,) = manager._moves.values()
        if place == "lacks room":
            fs.full = "/b/t-"
        elif place == "paused":
            move.until_ms = broker.now.monotonic_ms + 3_600_000
        wait(broker, 3)
        assert move.place == place
        fs.full = None
        assert alter(broker, "/a", 0) == [errors.NONE]
        called_off.append(move)
    assert [move.future for move in called_off] == [None] * 3
    schedule = manager._schedule
    assert not schedule._lacking_room
    assert not schedule._throttled
    assert schedule.due_ms(broker.now.monotonic_ms, 1) is None


def test_a_move_is_refused_if_there_is_no_room_to_free_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    fs = FullDisk()
    broker = begin(fs)
    target = broker.broker.logs.directories[1]
    monkeypatch.setattr(type(target), "is_name_free", lambda *_: False)
    fs.full = "/b/"
    target.disk.is_full = True
    assert alter(broker, "/b", 0) == [errors.KAFKA_STORAGE_ERROR]
    assert target.disk.is_full
    assert broker.broker.alter_log_dirs._moves == {}
    assert is_idle(broker)
    assert fetched(broker, 0) == (errors.NONE, 3)


def been_in(broker: BrokerHarness, path: str) -> None:
    """The replica has been there and is back: the checkpoints on that disk still name it."""
    for target in (path, "/a"):
        assert alter(broker, target, 0) == [errors.NONE]
        wait(broker)
        assert places(broker, 0) == {target: (False, 0)}
        if target == path:
            broker.advance(70_000)


def asked(broker: BrokerHarness, path: str) -> Answer:
    return broker.begin(AlterReplicaLogDirsRequest([AlterReplicaLogDir(path, [AlterReplicaLogDirTopic("t", [0])])]), 2)


def codes(answer: Answer) -> list[int]:
    return [each.error_code for each in answer.message.results[0].partitions]


def test_a_move_is_answered_when_a_restart_would_go_on_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fs = MemFs()
    broker = begin(fs)
    been_in(broker, "/b")
    with monkeypatch.context() as held:
        held.setattr(broker, "settle", lambda: None)  # no work beside the loop ends
        answers = [asked(broker, "/b"), asked(broker, "/b")]
        assert [each.is_there for each in answers] == [False, False]
    broker.settle()
    assert [codes(each) for each in answers] == [[errors.NONE]] * 2
    assert [name for name in folders(broker, "/b") if name.endswith("-future")]
    fs.restart()
    broker = harness(fs, seed=2)
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda broker: asked(broker, "/c"), errors.NONE),
        (lambda broker: asked(broker, "/a"), errors.NONE),
        (lambda broker: fail(broker, "/b"), errors.KAFKA_STORAGE_ERROR),
        (lambda broker: delete(broker, "t"), errors.KAFKA_STORAGE_ERROR),
        (lambda broker: broker.advance(40_000), errors.REQUEST_TIMED_OUT),
    ],
)
def test_a_move_that_is_not_begun_yet_is_answered_when_something_else_comes(
    change: Any, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = begin()
    been_in(broker, "/b")
    monkeypatch.setattr(type(broker.broker.logs.directories[1]), "is_name_free", lambda *_: False)
    answer = asked(broker, "/b")
    assert not answer.is_there
    change(broker)
    wait(broker)
    assert codes(answer) == [code]


def test_a_topic_that_is_deleted_while_the_disk_of_its_log_is_broken_takes_its_future_replica_with_it() -> None:
    broker = harness()
    broker.create_topic("t", 2)
    wait(broker)
    assert assigned(broker) == ["/a", "/b"]
    broker.broker.directory_assignments._is_asking = True  # and never ends, so that nothing is swapped
    assert alter(broker, "/c", 1) == [errors.NONE]
    wait(broker)
    fail(broker, "/b")
    wait(broker)
    assert [name[-7:] for name in folders(broker, "/c")] == ["-future"]
    delete(broker, "t")
    wait(broker)
    assert [name[-7:] for name in folders(broker, "/c")] == ["-delete"]
    broker.advance(200_000)
    assert folders(broker, "/c") == []


def test_a_log_that_cannot_go_back_to_its_name_goes_offline_with_its_directory() -> None:
    fs = MemFs()
    broker = begin(fs)
    fs.fail_next(lambda operation: operation[:2] == ("rename", "/b/t-0"))
    fs.fail_next(lambda operation: operation[:2] == ("rename", "/a/t-0"))
    alter(broker, "/b", 0)
    wait(broker)
    assert fetched(broker, 0)[0] == errors.KAFKA_STORAGE_ERROR
    assert produce(broker, 0) == errors.KAFKA_STORAGE_ERROR


def test_only_some_are_appended_to_in_one_turn_though_they_have_nothing_more_to_do() -> None:
    broker = harness()
    broker.create_topic("t", 60)
    wait(broker, 20)
    broker.broker.directory_assignments._is_asking = True  # and never ends
    moving = here(broker)
    for index in moving:
        assert produce(broker, index) == errors.NONE
    assert [alter(broker, "/b", index) for index in moving] == [[errors.NONE]] * 20
    partitions = [broker.broker.partitions.get("t", index) for index in moving]
    copied = 0
    for _ in range(100):
        broker.broker.timers.run(broker.now)
        before, copied = copied, sum(each.future_log.log_end_offset for each in partitions if each and each.future_log)
        assert copied - before <= replica_alter_log_dirs.STEPS_PER_ITERATION
    assert copied == 20
