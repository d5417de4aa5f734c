"""The cache of open descriptors: never more than its limit, and never closed while it is being read."""

import pytest

from kafkacompat.storage.files import CHECKS_MAX, FileCache, SharedFile
from kafkacompat.storage.memfs import MemFs


def test_no_more_files_are_open_than_allowed() -> None:
    fs = MemFs()
    cache = FileCache(fs, 3)
    files = [cache.file(f"/{i}") for i in range(10)]
    for file in files:
        file.open()
        assert len(cache) <= 3
    assert sum(file.file is not None for file in files) == 3
    for file in files:
        file.open().write([b"x"])
    assert all(fs.read_bytes(f"/{i}") == b"x" for i in range(10))


def test_what_is_used_stays_open() -> None:
    cache = FileCache(MemFs(), 3)
    hot = cache.file("/hot")
    for i in range(20):
        hot.open()
        cache.file(f"/{i}").open()
    assert hot.file is not None


def test_a_file_with_a_reader_is_neither_evicted_nor_closed() -> None:
    fs = MemFs()
    cache = FileCache(fs, 2)
    held = cache.file("/held")
    held.open().write([b"content"])
    held.retain()
    for i in range(10):
        cache.file(f"/{i}").open()
    assert held.file is not None
    fs.remove("/held")
    held.close()
    assert held.file is not None
    assert held.open().pread(0, 7) == b"content"
    held.release()
    assert held.file is None


def test_a_reader_that_is_gone_lets_the_file_be_evicted() -> None:
    cache = FileCache(MemFs(), 1)
    held = cache.file("/held")
    held.open()
    held.retain()
    held.release()
    assert held.file is not None
    for i in range(3):
        cache.file(f"/{i}").open()
    assert held.file is None


def test_more_readers_than_the_limit_are_served() -> None:
    cache = FileCache(MemFs(), 1)
    files = [cache.file(f"/{i}") for i in range(4)]
    for file in files:
        file.open()
        file.retain()
    assert all(file.file is not None for file in files)
    for file in files:
        file.release()


def test_thousands_of_readers_cost_no_more_each_and_leave_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = 0

    def counted(self: SharedFile) -> bool:
        nonlocal checks
        checks += 1
        return self._references > 0

    monkeypatch.setattr(SharedFile, "is_referenced", property(counted))
    cache = FileCache(MemFs(), 5)
    files = [cache.file(f"/{i}") for i in range(1_000)]
    for file in files:
        file.open()
        file.retain()
    assert len(cache) == 1_000
    assert checks <= 1_000 * CHECKS_MAX
    for file in files:
        file.release()
    for i in range(30):
        cache.file(f"/later-{i}").open()
    assert len(cache) == 5


def test_a_release_too_many_is_a_bug() -> None:
    file = FileCache(MemFs()).file("/x")
    with pytest.raises(AssertionError):
        file.release()


def test_a_closed_cache_leaves_only_what_is_read() -> None:
    cache = FileCache(MemFs())
    held, other = cache.file("/held"), cache.file("/other")
    for file in (held, other):
        file.open()
    held.retain()
    cache.close()
    assert (len(cache), other.file) == (0, None)
    assert held.file is not None
    held.release()
    assert held.file is None
