"""Future replicas in a log directory: their names, what is found of them, and how they take the place of logs."""

from __future__ import annotations

import errno
from random import Random

import pytest

from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.storage import directory_moves
from kafkacompat.storage.durability_marker import UNPROVED
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.log import Log
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.partition_dir import has_room_for_future_name, parse_future_name
from tests.storage.support import BROKER, TOPIC_ID, at, batch, checkpoint, topic_config

KEY = ("t", 0)
ID = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (f"t-0.{ID}-future", ("t", 0)),
        (f"a.b-c-12.{ID}-future", ("a.b-c", 12)),
        ("t-0.x-future", ("t", 0)),
        ("t-0.-future", None),
        ("t-0-future", None),
        (f"t-x.{ID}-future", None),
        (f"t-0.{ID}-delete", None),
        ("t-0", None),
    ],
)
def test_names_are_those_of_apache_kafka(name: str, key: tuple[str, int] | None) -> None:
    assert parse_future_name(name) == key


def test_the_name_of_a_topic_may_be_too_long_for_one() -> None:
    assert has_room_for_future_name("x" * 213, 9)
    assert not has_room_for_future_name("x" * 213, 10)


def test_a_log_with_its_files_open_is_served_under_its_new_name() -> None:
    fs = MemFs()
    logs = LogManager.open(fs, ["/a", "/b"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    first, second = logs.directories
    old = first.open_log(KEY, TOPIC_ID, topic_config(segment_bytes=200), at())
    new = second.futures.open(KEY, TOPIC_ID, topic_config(segment_bytes=200), at())
    for log in (old, new):
        for epoch in range(6):
            log.append_as_leader(batch(2), leader_epoch=epoch, now=at())
    assert second.with_futures == [KEY]
    part = old.read(0, 10_000, end_offset=12, at_least_one=True)
    held = part.read(0, len(part))
    replaced: list[Log] = []
    logs.moves.swap(KEY, second, at(), replaced.append)
    assert replaced == [new]
    assert new.path == "/b/t-0"
    assert second.logs == {KEY: new}
    assert not second.with_futures
    assert first.logs == {}
    assert part.read(0, len(part)) == held  # a reader that had begun may finish
    part.release()
    new.append_as_leader(batch(2), leader_epoch=6, now=at())
    new.roll(at())
    assert [header.base_offset for header, _ in new.batches(0, 14)] == list(range(0, 14, 2))
    new.seal()
    assert not [path for path in fs.files() if "-future" in path]
    assert {path.rpartition("/")[0] for path in fs.files() if path.startswith("/b/t-0")} == {"/b/t-0"}
    assert [name[-7:] for name in fs.listdir("/a") if name.startswith("t-0")] == ["-delete"]


def test_of_too_many_wishes_the_oldest_is_forgotten_and_a_new_one_takes_the_place_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(directory_moves, "PREFERRED_MAX", 2)
    fs = MemFs()
    logs = LogManager.open(fs, ["/a", "/b"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    first, second = logs.directories
    for index in (0, 1):
        logs.moves.prefer("t", index, first)
    logs.moves.prefer("t", 1, second)
    assert [logs.moves.preferred("t", index) for index in (0, 1, 2)] == [first, second, None]
    logs.moves.prefer("t", 2, second)
    assert [logs.moves.preferred("t", index) for index in (0, 1, 2)] == [None, second, second]


def moving(fs: MemFs) -> tuple[LogManager, Log, Log]:
    """A partition in /a that is about to move to /b: the manager, the log and the future replica."""
    logs = LogManager.open(fs, ["/a", "/b"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    first, second = logs.directories
    old = first.open_log(KEY, TOPIC_ID, topic_config(), at())
    new = second.futures.open(KEY, TOPIC_ID, topic_config(), at())
    for log in (old, new):
        log.append_as_leader(batch(2), leader_epoch=0, now=at())
    return logs, old, new


def test_a_reader_that_still_has_the_old_log_takes_no_directory_offline() -> None:
    fs = MemFs()
    logs, old, _ = moving(fs)
    first, second = logs.directories
    logs.moves.swap(KEY, second, at(), lambda _new: None)
    fs.rmtree(old.path)
    with pytest.raises(LogError) as raised:
        old.read(0, 100, end_offset=2, at_least_one=True)
    assert raised.value.error_code == KAFKA_STORAGE_ERROR
    assert first.offline is None
    assert logs.offline_directories == ()


def test_an_old_log_that_cannot_be_closed_is_replaced_before(monkeypatch: pytest.MonkeyPatch) -> None:
    logs, old, new = moving(MemFs())
    events: list[str] = []

    def close(_log: Log, **_arguments: object) -> None:
        events.append("close")
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(Log, "close", close)
    logs.moves.swap(KEY, logs.directories[1], at(), lambda log: events.append(log.path))
    assert events == ["/b/t-0", "close"]
    assert [list(each.logs) for each in logs.directories] == [[], [KEY]]
    assert (new.path, old.path.endswith("-delete")) == ("/b/t-0", True)


def test_a_wish_makes_no_empty_log_where_the_directory_of_the_replica_has_failed() -> None:
    fs = MemFs()
    logs, _, _ = moving(fs)
    first, second = logs.directories
    logs.moves.prefer("u", 0, second)
    first.take_offline(OSError(errno.EIO, "broken"))

    def place(assigned: bytes, *, is_unassigned: bool) -> bool:
        return logs.place("u", 0, assigned, at(), topic_id=TOPIC_ID, is_unassigned=is_unassigned)

    assert not place(first.directory_id, is_unassigned=False)
    assert place(bytes(16), is_unassigned=True)  # new: nothing of it is anywhere


def test_a_future_replica_that_cannot_be_opened_keeps_its_directory_for_the_next_attempt() -> None:
    fs = MemFs()
    logs = LogManager.open(fs, ["/a", "/b"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    futures = logs.directories[1].futures
    for _ in range(3):
        fs.fail_next(lambda operation: operation[1].endswith("partition.metadata.tmp"), errno.EMFILE)
        with pytest.raises(OSError, match="injected fault"):
            futures.open(KEY, TOPIC_ID, topic_config(), at())
        assert len([name for name in fs.listdir("/b") if name.endswith("-future")]) == 1
        assert futures.was_found(KEY)
    log = futures.open(KEY, TOPIC_ID, topic_config(), at())
    assert not futures.was_found(KEY)
    assert [f"/b/{name}" for name in fs.listdir("/b") if name.endswith("-future")] == [log.path]


def test_future_replicas_are_opened_at_the_start_with_the_logs_that_they_copy() -> None:
    fs = MemFs()
    logs, _, _ = moving(fs)
    logs.close(clean=False, high_watermarks={}, broker_epoch=-1, now=at())
    fs.restart()
    logs = LogManager.open(fs, ["/a", "/b"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    futures = logs.directories[1].futures
    assert (list(futures.logs), futures.was_found(KEY)) == ([], True)
    logs.open_found(topic_config(), at(), but="x-0")
    assert (list(futures.logs), futures.was_found(KEY)) == ([KEY], False)
    opened = futures.logs[KEY]
    assert futures.open(KEY, TOPIC_ID, topic_config(), at()) is opened
    other = futures.open(KEY, bytes(15) + b"x", topic_config(), at())  # the metadata has another topic of that name
    assert opened.is_closed
    assert (other.log_end_offset, opened.log_end_offset) == (0, 2)


def test_future_replicas_count_among_the_logs_that_are_closed() -> None:
    logs, _, _ = moving(MemFs())
    steps = logs.closing(clean=True, high_watermarks={}, broker_epoch=-1, now=at())
    assert list(steps)[-1] == (2, 2)


OTHER_ID = bytes(15) + b"x"


def reopened(fs: MemFs) -> LogManager:
    return LogManager.open(fs, ["/a", "/b"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(2))


def found_again(fs: MemFs, logs: LogManager) -> LogManager:
    """After a kill, with the future replica unopened."""
    logs.close(clean=False, high_watermarks={}, broker_epoch=-1, now=at())
    fs.restart()
    return reopened(fs)


def ends(fs: MemFs, path: str) -> list[str]:
    """How the names of partitions' directories end."""
    return [name.rpartition("-")[2] for name in fs.listdir(path) if name.startswith("t-0")]


def test_an_open_one_takes_over_the_config_of_its_topic() -> None:
    logs, _, new = moving(MemFs())
    assert logs.directories[1].futures.open(KEY, TOPIC_ID, topic_config(segment_bytes=777), at()) is new
    assert new.config.segment_bytes == 777


def test_one_of_an_earlier_topic_leaves_no_log_start_behind() -> None:
    """Else the copy would begin there, without the records before."""
    fs = MemFs()
    logs, _, new = moving(fs)
    new.delete_records_before(1, at())
    checkpoint(logs, at(), {})
    logs = found_again(fs, logs)
    second = logs.directories[1]
    assert second.checkpoints.log_start(KEY) == 1
    other = second.futures.open(KEY, OTHER_ID, topic_config(), at())
    assert (other.log_start_offset, other.log_end_offset) == (0, 0)
    assert sorted(ends(fs, "/b")) == ["delete", "future"]


def test_one_that_was_dropped_is_not_gone_on_with_though_the_next_cannot_be_made() -> None:
    fs = MemFs()
    logs, _, _ = moving(fs)
    futures = found_again(fs, logs).directories[1].futures
    fs.fail_next(lambda operation: operation[0] == "mkdir" and not fs.is_dir(operation[1]), errno.EIO)
    with pytest.raises(OSError, match="injected fault"):
        futures.open(KEY, OTHER_ID, topic_config(), at())
    assert not futures.was_found(KEY)
    assert ends(fs, "/b") == ["delete"]
    assert futures.open(KEY, OTHER_ID, topic_config(), at()).log_end_offset == 0


@pytest.mark.parametrize("is_set_aside", [True, False])
def test_no_checkpoint_names_one_that_is_gone(is_set_aside: bool) -> None:
    fs = MemFs()
    logs, _, new = moving(fs)
    second = logs.directories[1]
    second.checkpoints.note_cleaner_offset(KEY, 1)
    (second.set_future_aside if is_set_aside else second.delete_future)(KEY, at())
    assert new.is_closed
    assert ends(fs, "/b") == ["stray" if is_set_aside else "delete"]
    assert second.checkpoints.cleaner_offset(KEY) is None


class Unnamed(MemFs):
    """No directory of a partition gets a new name in `full`."""

    full: str | None = None

    def rename(self, path: str, new_path: str) -> None:
        if self.full is not None and path.startswith(f"{self.full}/t-"):
            raise OSError(errno.ENOSPC, "no space", path)
        super().rename(path, new_path)


def test_one_that_is_to_go_waits_for_room_for_its_new_name() -> None:
    fs = Unnamed()
    logs, _, _ = moving(fs)
    second = logs.directories[1]
    fs.full = "/b"
    second.delete_future(KEY, at())
    for _ in range(2):
        assert (second.offline, ends(fs, "/b"), second.has_future(KEY)) == (None, ["future"], False)
        second.remove_deleted(at())
    fs.full = None
    second.remove_deleted(at())
    assert ends(fs, "/b") == ["delete"]


def test_after_a_swap_the_names_are_synced_and_no_checkpoint_has_the_old_log() -> None:
    fs = MemFs()
    logs, _, _ = moving(fs)
    first, second = logs.directories
    first.checkpoints.note_cleaner_offset(KEY, 1)
    first._flusher.background.run_inline(at())
    operations = fs.record()
    logs.moves.swap(KEY, second, at(), lambda _new: None)
    first._flusher.background.run_inline(at())
    assert {path for kind, path, _ in operations if kind == "fsync_dir"} >= {"/a", "/b"}
    assert first.checkpoints.cleaner_offset(KEY) is None


def test_a_promise_ends_with_the_swap() -> None:
    """What is made later of that name, elsewhere, is reported where it is."""
    logs, _, _ = moving(MemFs())
    first, second = logs.directories
    logs.moves.promise(*KEY, second)
    logs.moves.swap(KEY, second, at(), lambda _new: None)
    second.delete_log(KEY, at())
    first.open_log(KEY, OTHER_ID, topic_config(), at())
    assert logs.moves.directory_to_report(KEY, OTHER_ID, second.directory_id) is first


@pytest.mark.parametrize(("number", "is_offline"), [(errno.EIO, True), (errno.EMFILE, False)])
def test_a_disk_that_fails_under_a_future_replica_at_the_start_is_offline(number: int, is_offline: bool) -> None:
    fs = MemFs()
    logs = found_again(fs, moving(fs)[0])
    fs.fail_next(lambda operation: "-future/partition.metadata" in operation[1], number)
    logs.open_found(topic_config(), at(), but="x-0")
    first, second = logs.directories
    assert (first.offline is None, second.offline is None) == (True, not is_offline)
    assert list(second.futures.logs) == []


def test_the_promotion_of_a_copy_proves_nothing_where_another_directory_has_failed() -> None:
    """That may hold the log, with records that the copy lacks."""
    fs = MemFs()
    logs = found_again(fs, moving(fs)[0])
    first, second = logs.directories
    second.marker.previous_broker_epoch = 5
    first.take_offline(OSError(errno.EIO, "broken"))
    assert logs.moves.promote_found(second, KEY, at())
    assert second.marker.previous_broker_epoch == UNPROVED
    assert ends(fs, "/b") == ["0"]


def test_a_disk_that_fails_at_the_first_rename_of_a_swap_is_that_of_the_log() -> None:
    fs = MemFs()
    logs, old, new = moving(fs)
    first, second = logs.directories
    fs.fail_next(lambda operation: operation[0] == "rename" and operation[1].endswith("-delete"), errno.EIO)
    with pytest.raises(OSError, match="injected fault"):
        logs.moves.swap(KEY, second, at(), lambda _new: None)
    assert (first.offline is None, second.offline is None) == (False, True)
    assert (old.failure is None, new.failure is None) == (False, True)


def test_a_log_that_cannot_get_its_name_back_in_a_swap_is_offline() -> None:
    fs = MemFs()
    logs, _, _ = moving(fs)
    first, second = logs.directories
    fs.fail_next(lambda operation: operation[:2] == ("rename", "/b/t-0"), errno.EMFILE)
    fs.fail_next(lambda operation: operation[:2] == ("rename", "/a/t-0"), errno.EIO)
    with pytest.raises(OSError, match="injected fault"):
        logs.moves.swap(KEY, second, at(), lambda _new: None)
    assert (first.offline is None, second.offline is None) == (False, True)


@pytest.mark.parametrize("kept", [1, 2])
def test_of_two_copies_that_one_stays_which_the_metadata_names(kept: int) -> None:
    fs = MemFs()
    logs = LogManager.open(fs, ["/a", "/b", "/c"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    first, *others = logs.directories
    first.open_log(KEY, TOPIC_ID, topic_config(), at())
    for each in others:
        each.futures.open(KEY, TOPIC_ID, topic_config(), at())
    logs.moves.keep_one_future(KEY, logs.directories[kept].directory_id, at())
    assert [each for each in logs.directories if each.has_future(KEY)] == [logs.directories[kept]]
