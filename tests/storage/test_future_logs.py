"""Future replicas in a log directory: their names, what is found of them, and how they take the place of logs."""

from __future__ import annotations

import errno
from random import Random

import pytest

from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.storage import directory_moves
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.log import Log
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.partition_dir import has_room_for_future_name, parse_future_name
from tests.storage.support import BROKER, TOPIC_ID, at, batch, topic_config

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
