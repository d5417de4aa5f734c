"""Files are removed in the background, in steps, so that other jobs can use the disk in between."""

import pytest

from kafkacompat.storage import removal
from kafkacompat.storage.background import OTHER_WORK, Background
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.removal import STEP_FILES, Removal
from tests.storage.support import at


def written(fs: MemFs, directory: str, count: int, size_bytes: int = 1) -> list[str]:
    fs.mkdir(directory)
    paths = [f"{directory}/{number:05d}" for number in range(count)]
    for path in paths:
        fs.write_atomic(path, bytes(size_bytes), sync=False)
    return paths


def steps_of(background: Background, fs: MemFs) -> list[int]:
    """How many files each job has removed."""
    steps = []
    while (job := background.next_job(OTHER_WORK)) is not None:
        before = len(fs.files())
        outcome = job.execute()
        steps.append(before - len(fs.files()))
        background.finish(job, outcome, at())
    return steps


def test_files_are_removed_in_the_background_only() -> None:
    fs, background = MemFs(), Background()
    operations = fs.record()
    Removal(fs, background).add(written(fs, "/data/t-0-delete", 3))
    assert not [name for name, _, _ in operations if name in ("remove", "rmtree")]
    background.run_inline(at())
    assert not fs.files()


def test_many_files_are_removed_in_steps_and_other_jobs_run_in_between() -> None:
    fs, background, told = MemFs(), Background(), list[int]()
    removal = Removal(fs, background)
    written(fs, "/data/t-0-delete", 2 * STEP_FILES + 10)
    removal.add(["/data/t-0-delete", *written(fs, "/data/t-1", 5)])
    background.submit(OTHER_WORK, lambda: len(fs.files()), lambda left, _now: told.append(left))  # type: ignore[arg-type]
    steps = steps_of(background, fs)
    assert steps[:3] == [STEP_FILES, 0, STEP_FILES]
    assert told == [STEP_FILES + 15]
    assert max(steps) <= STEP_FILES
    assert not fs.files()
    assert not fs.exists("/data/t-0-delete")
    assert fs.exists("/data/t-1")


def test_large_files_are_removed_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removal, "STEP_BYTES", 100)
    fs, background = MemFs(), Background()
    Removal(fs, background).add(written(fs, "/data/t-0", 4, 100) + written(fs, "/data/t-1", 4, 50))
    assert [count for count in steps_of(background, fs) if count] == [1, 1, 1, 1, 2, 2]


def test_what_comes_meanwhile_is_removed_as_well() -> None:
    fs, background = MemFs(), Background()
    removal = Removal(fs, background)
    removal.add(written(fs, "/data/t-0", 1))
    job = background.next_job(OTHER_WORK)
    assert job is not None
    removal.add(written(fs, "/data/t-1", 1))
    background.finish(job, job.execute(), at())
    background.run_inline(at())
    assert not fs.files()


def test_what_cannot_be_removed_is_named_and_holds_up_no_other(caplog: pytest.LogCaptureFixture) -> None:
    fs, background = MemFs(), Background()
    paths = written(fs, "/data/t-0", 3)
    fs.fail_next(lambda operation: operation[:2] == ("remove", paths[1]))
    Removal(fs, background).add([*paths, "/data/t-0/gone-with-its-topic"])
    background.run_inline(at())
    assert list(fs.files()) == [paths[1]]
    assert [record.getMessage() for record in caplog.records] == [
        f"cannot remove {paths[1]}: [Errno 5] injected fault: '{paths[1]}'"
    ]
