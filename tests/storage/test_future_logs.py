"""Future replicas in a log directory: their names, what is found of them, and how they take the place of logs."""

from __future__ import annotations

from random import Random

import pytest

from kafkacompat.storage.flush import Flusher
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
    assert logs.moves.swap(*KEY, second, at()) is new
    assert new.path == "/b/t-0"
    assert second.logs == {KEY: new}
    assert second.with_futures == []
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
