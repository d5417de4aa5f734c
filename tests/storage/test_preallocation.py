"""preallocate: disk is reserved behind the end of a new segment, and given back; the file has its records alone."""

import contextlib
import errno
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.config.topic import TopicConfig
from kafkacompat.replication.metadata.log import open_log as open_metadata_log
from kafkacompat.storage import preallocation
from kafkacompat.storage.background import OTHER_WORK
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import append, at, batch, offsets, open_log

SEGMENT_BYTES = 4 << 20
BLOCK_BYTES = 512
#: What a file system may add or leave: its indexes of blocks, the rest of the last block.
SLACK_BYTES = 256 << 10
ROOMY = 1 << 40
OF_TOPIC = {"preallocate": "true"}, {}
OF_BROKER = {}, {"log.preallocate": "true"}


class Disk(RealFs):
    """The real file system, with as much room as is said."""

    __slots__ = ("usable_bytes",)

    def __init__(self, usable_bytes: int = ROOMY, *, temporary: bool = False) -> None:
        super().__init__(temporary=temporary)
        self.usable_bytes = usable_bytes

    def disk_usage(self, path: str) -> tuple[int, int]:
        return ROOMY, self.usable_bytes


@pytest.fixture(autouse=True)
def unsaid() -> None:
    """What is said once was not said yet."""
    preallocation._warn.cache_clear()


@pytest.fixture
def reserves(tmp_path: Path) -> bool:
    """Whether this system can do it, as the module says that it can."""
    with (tmp_path / "probe").open("wb") as probe:
        with contextlib.suppress(OSError):
            preallocation._reserve(probe.fileno(), SEGMENT_BYTES)
        return os.fstat(probe.fileno()).st_blocks * BLOCK_BYTES >= SEGMENT_BYTES


class World:
    """A log on the disk, whose background work is done when it is told."""

    def __init__(self, path: Path, topic: dict[str, str], broker: dict[str, str], disk: RealFs | None = None) -> None:
        self.path = path / "t-0"
        self.disk = disk or Disk()
        self.config = TopicConfig.resolve(
            {"segment.bytes": str(SEGMENT_BYTES), **topic}, BrokerConfig.from_sources(broker)
        )
        self.flusher = Flusher(self.disk)
        self.log = self.open(clean=True)

    def open(self, *, clean: bool) -> Log:
        return open_log(self.disk, self.config, path=str(self.path), flusher=self.flusher, clean=clean)

    def work(self) -> None:
        self.flusher.background.run_inline(at())

    def is_reserved(self, base_offset: int = 0) -> bool:
        """Whether the disk holds the whole segment; if not, it holds little more than the content."""
        found = (self.path / f"{base_offset:020d}.log").stat()
        reserved = found.st_blocks * BLOCK_BYTES
        assert reserved >= SEGMENT_BYTES or reserved <= found.st_size + SLACK_BYTES
        return reserved >= SEGMENT_BYTES

    def size_bytes(self, base_offset: int = 0) -> int:
        return (self.path / f"{base_offset:020d}.log").stat().st_size


@pytest.mark.parametrize(("topic", "broker"), [OF_TOPIC, OF_BROKER], ids=["topic", "broker"])
def test_a_new_segment_is_reserved_and_a_sealed_one_trimmed(
    tmp_path: Path, topic: dict[str, str], broker: dict[str, str], reserves: bool
) -> None:
    world = World(tmp_path, topic, broker)
    append(world.log, batch())
    world.work()
    assert world.is_reserved() is reserves
    assert world.size_bytes() == len(batch())  # as without: there are no zeros behind
    world.log.roll(at())
    assert world.is_reserved() is reserves  # giving it back takes long: that is background work as well
    world.work()
    assert not world.is_reserved()
    assert world.is_reserved(1) is reserves
    append(world.log, batch())
    world.log.close(clean=True, now=at())
    assert not world.is_reserved(1)
    assert offsets(world.open(clean=True)) == [0, 1]


@pytest.mark.parametrize("has_begun", [False, True])
def test_a_segment_that_grows_again_before_its_disk_is_given_back_keeps_its_records(
    tmp_path: Path, *, has_begun: bool
) -> None:
    world = World(tmp_path, *OF_TOPIC)
    for _ in range(3):
        append(world.log, batch())
    world.work()
    world.log.roll(at())
    background = world.flusher.background
    job = background.next_job(OTHER_WORK) if has_begun else None
    world.log.truncate_to(2)
    for _ in range(3):
        append(world.log, batch())
    if job is not None:
        background.finish(job, job.execute(), at())
    world.work()
    assert world.size_bytes() == 5 * len(batch())
    assert offsets(world.log) == [0, 1, 2, 3, 4]
    world.log.roll(at())
    world.work()
    assert not world.is_reserved()


@pytest.mark.parametrize("has_begun", [False, True])
def test_a_log_that_is_closed_before_its_disk_is_given_back_is_left_alone_from_then_on(
    tmp_path: Path, *, has_begun: bool
) -> None:
    world = World(tmp_path, *OF_TOPIC)
    append(world.log, batch())
    world.work()
    world.log.roll(at())
    background = world.flusher.background
    job = background.next_job(OTHER_WORK) if has_begun else None
    world.log.close(clean=True, now=at())
    assert not world.is_reserved()
    log = world.open(clean=True)
    log.truncate_to(0)
    for _ in range(3):
        append(log, batch())
    if job is not None:
        background.finish(job, job.execute(), at())
    world.work()
    assert offsets(log) == [0, 1, 2]
    assert world.size_bytes() == 3 * len(batch())


class WatchedLock:
    """Says whether somebody has it."""

    def __init__(self) -> None:
        self.is_held = False
        self.times = 0

    def __enter__(self) -> None:
        assert not self.is_held
        self.is_held = True
        self.times += 1

    def __exit__(self, *_: object) -> None:
        self.is_held = False


def test_giving_back_and_a_truncation_keep_out_of_each_others_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, *OF_TOPIC)
    lock = WatchedLock()
    world.flusher.new_trimming_guard = lambda: lock
    append(world.log, batch())
    world.work()
    world.log.roll(at())
    file = world.log.segments.all[0].file.open()
    truncate, were_held = type(file).truncate, []

    def watched(self: object, size_bytes: int) -> None:
        were_held.append(lock.is_held)
        truncate(self, size_bytes)  # type: ignore[arg-type]

    monkeypatch.setattr(type(file), "truncate", watched)
    world.work()
    assert were_held == [True]
    append(world.log, batch())
    world.log.roll(at())
    before = lock.times
    world.log.truncate_to(1)
    assert lock.times == before + 1


def test_giving_back_the_disk_of_one_segment_holds_up_no_other_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, other = (World(tmp_path / name, *OF_TOPIC) for name in ("slow", "other"))
    other.flusher = slow.flusher
    slow.flusher.new_trimming_guard = WatchedLock
    other.log = other.open(clean=True)
    for world in (slow, other):
        append(world.log, batch())
    slow.work()
    for world in (slow, other):
        world.log.roll(at())
    file = slow.log.segments.all[0].file.open()
    truncate, closed = type(file).truncate, []

    def watched(self: object, size_bytes: int) -> None:
        if not closed:
            closed.append(True)
            other.log.truncate_to(0)  # raises where it would have to wait
            other.log.close(clean=True, now=at())
        truncate(self, size_bytes)  # type: ignore[arg-type]

    monkeypatch.setattr(type(file), "truncate", watched)
    slow.work()
    assert closed
    assert not slow.is_reserved()


def test_a_deleted_partition_is_closed_without_a_word_to_the_disk(tmp_path: Path, reserves: bool) -> None:
    world = World(tmp_path, *OF_TOPIC)
    append(world.log, batch())
    world.work()
    world.log.close(clean=False, now=at(), is_deleted=True)
    assert world.is_reserved() is reserves


def test_without_it_nothing_is_reserved(tmp_path: Path) -> None:
    world = World(tmp_path, {}, {})
    append(world.log, batch())
    world.work()
    assert not world.is_reserved()


def test_followers_reserve_too_also_where_they_begin_anew(tmp_path: Path, reserves: bool) -> None:
    world = World(tmp_path, *OF_TOPIC)
    world.log.append_as_follower(batch(), leader_epoch=0, now=at())
    world.work()
    assert world.is_reserved() is reserves
    world.log.truncate_fully_and_start_at(70)
    world.work()
    assert world.is_reserved(70) is reserves


def test_a_truncated_log_goes_on(tmp_path: Path) -> None:
    world = World(tmp_path, *OF_TOPIC)
    for _ in range(3):
        append(world.log, batch())
    world.work()
    world.log.truncate_to(1)
    append(world.log, batch())
    assert world.size_bytes() == 2 * len(batch())
    assert offsets(world.log) == [0, 1]


@pytest.mark.parametrize("begins_first", [False, True])
def test_what_is_sealed_before_the_disk_is_reserved_is_trimmed(
    tmp_path: Path, reserves: bool, begins_first: bool
) -> None:
    world = World(tmp_path, *OF_TOPIC)
    append(world.log, batch())
    background = world.flusher.background
    job = background.next_job(OTHER_WORK) if begins_first else None
    world.log.roll(at())
    if job is not None:
        background.finish(job, job.execute(), at())
    world.work()
    assert not world.is_reserved(0)
    assert world.is_reserved(1) is reserves


def test_segments_that_wait_hold_no_descriptors(tmp_path: Path) -> None:
    world = World(tmp_path, *OF_TOPIC)
    for _ in range(5):
        append(world.log, batch())
        world.log.roll(at())
    assert not any(segment.file.is_referenced for segment in world.log.segments.all)
    world.work()
    assert not any(segment.file.is_referenced for segment in world.log.segments.all)


@pytest.mark.parametrize("is_active", [False, True])
def test_a_segment_that_is_deleted_meanwhile_does_not_come_back(tmp_path: Path, is_active: bool) -> None:
    world = World(tmp_path, *OF_TOPIC)
    append(world.log, batch())
    if is_active:
        world.log.truncate_fully_and_start_at(7)
    else:
        world.log.roll(at())
        world.log.delete_records_before(1, at())
    for path in world.log.pop_deleted(at(10**9)):
        Path(path).unlink()
    world.work()
    assert list(world.path.glob(f"{0:020d}*")) == []


def test_a_file_that_is_not_there_has_nothing_to_give_back_later(tmp_path: Path) -> None:
    """Somebody has removed it: where the log is closed, it does not come back."""
    world = World(tmp_path, *OF_TOPIC)
    append(world.log, batch())
    world.work()
    world.log.roll(at())
    path = world.path / f"{0:020d}.log"
    path.unlink()
    world.work()
    assert world.log.segments.all[0].cancel_trimming is None


def test_after_a_crash_there_are_no_zeros_and_the_rest_goes_with_the_next_roll(tmp_path: Path, reserves: bool) -> None:
    world = World(tmp_path, *OF_TOPIC)
    append(world.log, batch())
    world.work()
    log = world.open(clean=False)  # of a process that has not closed it
    assert log.recovery is not None
    assert log.recovery.truncations == []
    assert offsets(log) == [0]
    assert world.is_reserved() is reserves
    append(log, batch())
    assert world.size_bytes() == 2 * len(batch())
    log.roll(at())
    world.work()
    assert not world.is_reserved()


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.storage.test_preallocation import OF_TOPIC, World
from tests.storage.support import append, batch
world = World(Path(sys.argv[1]), *OF_TOPIC)
append(world.log, batch())
world.work()
append(world.log, batch())
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_its_records_and_nothing_else(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent.parent
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=root, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    log = open_log(Disk(), path=str(tmp_path / "t-0"))
    assert log.recovery is not None
    assert log.recovery.truncations == []
    assert offsets(log) == [0, 1]


def test_segments_that_begin_at_once_leave_room_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where one request begins those of many partitions: each is asked for when those before it have their disk."""
    disk = Disk(usable_bytes=12 * SEGMENT_BYTES)

    def reserve(_descriptor: int, size_bytes: int) -> None:
        disk.usable_bytes -= size_bytes

    monkeypatch.setattr(preallocation, "_reserve", reserve)
    worlds = [World(tmp_path / str(number), *OF_TOPIC, disk=disk) for number in range(5)]
    for world in worlds:
        append(world.log, batch())
    for world in worlds:
        world.work()
    assert disk.usable_bytes == (preallocation.FREE_SEGMENTS_MIN - 1) * SEGMENT_BYTES


def refused(_descriptor: int, _size_bytes: int) -> None:
    raise OSError(errno.EOPNOTSUPP, "Operation not supported")


@pytest.mark.parametrize(
    ("disk", "reserve", "says"),
    [
        (lambda: Disk(10 * SEGMENT_BYTES - 1), None, "less than 10"),
        (Disk, refused, "not supported"),
        (lambda: Disk(temporary=True), refused, ""),
    ],
    ids=["little room", "another file system", "temporary"],
)
def test_where_nothing_can_be_reserved_everything_else_works(
    tmp_path: Path,
    disk: Callable[[], RealFs],
    reserve: Callable[[int, int], None] | None,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is said once, if somebody could miss it."""
    if reserve is not None:
        monkeypatch.setattr(preallocation, "_reserve", reserve)
    world = World(tmp_path, *OF_TOPIC, disk=disk())
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            append(world.log, batch())
            world.work()
            world.log.roll(at())
    world.work()
    assert not world.is_reserved()
    assert offsets(world.log) == [0, 1, 2]
    said = [record.message for record in caplog.records if "preallocate" in record.message]
    assert len(said) == bool(says)
    assert all(says in message for message in said)


def test_data_in_memory_are_as_without() -> None:
    fs = MemFs()
    config = TopicConfig.resolve(OF_TOPIC[0], BrokerConfig.from_sources({}))
    log = open_log(fs, config, flusher=Flusher(fs))
    append(log, batch())
    log.roll(at())
    log.close(clean=True, now=at())
    assert offsets(open_log(fs, config, clean=True)) == [0]


def test_the_metadata_log_reserves_nothing(tmp_path: Path) -> None:
    disk = Disk(temporary=True)
    disk.mkdir(f"{tmp_path}/__cluster_metadata-0")
    config = BrokerConfig.from_sources({"log.preallocate": "true"})
    log = open_metadata_log(disk, str(tmp_path), config, Flusher(disk), at(), clean=True)
    assert log.config.preallocate is False
