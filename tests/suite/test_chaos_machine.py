"""The machine that a broker believes to run on in a chaos run: what it loses with its power, and its jumping clock."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compat_tests.artifacts import MissingToolError
from compat_tests.chaos import disk, machine
from compat_tests.chaos.disk import JournalError
from compat_tests.chaos.machine import Machine
from kafkacompat.storage.durability_marker import current_boot_id
from kafkacompat.storage.fs import RealFs

needs_compiler = pytest.mark.skipif(not machine.is_possible(), reason=f"needs {machine.HOW_TO_GET}")

IMPORTS = """
import os, sys, time
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.durability_marker import current_boot_id
fs, at = RealFs(), sys.argv[1]
"""
WRITES = """
fs.mkdir(f"{at}/t-0")
fs.fsync_dir(at)
log = fs.open(f"{at}/t-0/log", append=True)
log.write([b"one ", b"two "])
log.fsync()
fs.fsync_dir(f"{at}/t-0")
log.write([b"three"])
fs.open(f"{at}/t-0/index", append=True).fsync()
fs.write_atomic(f"{at}/checkpoint", b"old", sync=True)
fs.write_atomic(f"{at}/checkpoint", b"newer", sync=False)
fs.remove(f"{at}/to-stay")
fs.mkdir(f"{at}/t-1")
"""


class Nothing(random.Random):
    """Lets nothing survive that was not synced."""

    def random(self) -> float:
        return 0.0


def node(tmp_path: Path, rng: random.Random | None, *, has_fsync: bool = True) -> Machine:
    data = tmp_path / "data"
    data.mkdir()
    (data / "to-stay").write_bytes(b"here from the first")
    return Machine(data, tmp_path / "machine", rng, has_fsync=has_fsync)


def live(on: Machine, tmp_path: Path, program: str) -> str:
    """One life of a process on a machine; what it says."""
    on.boot()
    command = [*on.command(), sys.executable, "-c", IMPORTS + program, str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def contents(tmp_path: Path) -> dict[str, bytes]:
    return disk.files_below(tmp_path / "data")


@needs_compiler
def test_what_was_synced_stays_and_the_rest_goes(tmp_path: Path) -> None:
    on = node(tmp_path, Nothing())
    live(on, tmp_path, WRITES)
    whole = {"/t-0/log": b"one two three", "/t-0/index": b"", "/checkpoint": b"newer"}
    assert contents(tmp_path) == whole
    on.boot()
    kept = {"/t-0/log": b"one two ", "/checkpoint": b"old", "/to-stay": b"here from the first"}
    assert contents(tmp_path) == kept
    assert not (tmp_path / "data" / "t-1").exists()
    assert on.losses == [0, 4]


@needs_compiler
def test_a_disk_goes_on_with_what_it_has_kept(tmp_path: Path) -> None:
    on = node(tmp_path, Nothing())
    live(on, tmp_path, WRITES)
    live(on, tmp_path, 'log = fs.open(f"{at}/t-0/log", append=True)\nlog.write([b"3"])\nlog.fsync()\nlog.truncate(2)')
    on.boot()
    assert contents(tmp_path)["/t-0/log"] == b"one two 3"


@needs_compiler
def test_chance_leaves_what_a_disk_may_hold(tmp_path: Path) -> None:
    left = set()
    on = node(tmp_path, random.Random(1))
    for _ in range(12):
        live(on, tmp_path, 'fs.write_atomic(f"{at}/file", b"s" * 9000, sync=True)\nfs.open(f"{at}/file", append=True)'
                           '.write([b"u" * 9000])')  # fmt: skip
        on.boot()
        file = contents(tmp_path)["/file"]
        assert file[:9000] == b"s" * 9000
        assert set(file[9000:]) <= set(b"u\0")
        left.add(file)
    assert len(left) > 3


@needs_compiler
def test_without_fsync_all_goes(tmp_path: Path) -> None:
    """What shows that a run can fail."""
    on = node(tmp_path, Nothing(), has_fsync=False)
    live(on, tmp_path, WRITES)
    on.boot()
    assert contents(tmp_path) == {"/to-stay": b"here from the first"}


@needs_compiler
def test_a_call_that_the_shim_does_not_know_is_found(tmp_path: Path) -> None:
    on = node(tmp_path, Nothing())
    live(on, tmp_path, WRITES + 'os.truncate(f"{at}/t-0/log", 1)')
    with pytest.raises(JournalError, match=r"not tell all that was done to 1 files: /t-0/log: 1, played 13 bytes"):
        on.boot()


@needs_compiler
def test_a_write_that_is_not_at_the_end_is_found(tmp_path: Path) -> None:
    on = node(tmp_path, Nothing())
    live(on, tmp_path, WRITES + 'os.pwrite(os.open(f"{at}/t-0/log", os.O_RDWR), b"x", 2)')
    with pytest.raises(JournalError, match="written at 2, and its end is 13"):
        on.boot()


@needs_compiler
@pytest.mark.parametrize("was_done", [True, False])
def test_a_process_that_ends_in_a_call(tmp_path: Path, was_done: bool) -> None:
    """Nobody knows whether the call was made: the files may be either way."""
    on = node(tmp_path, Nothing())
    live(on, tmp_path, WRITES + 'fs.remove(f"{at}/t-0/log")')
    journal = tmp_path / "machine" / "journal"
    journal.write_bytes(journal.read_bytes()[:-1])
    if not was_done:
        (tmp_path / "data/t-0/log").write_bytes(b"one two three")
    on.boot()
    assert contents(tmp_path)["/t-0/log"] == b"one two "


@needs_compiler
def test_a_journal_may_end_anywhere(tmp_path: Path) -> None:
    live(node(tmp_path, Nothing()), tmp_path, WRITES)
    whole = (tmp_path / "machine" / "journal").read_bytes()
    found = [list(disk.changes(whole[:size])) for size in range(len(whole))]
    assert [len(each) for each in found] == sorted(len(each) for each in found)
    assert max(sum(change.result is None for change in each) for each in found) == 1


@needs_compiler
def test_another_boot_after_each_loss_of_power(tmp_path: Path) -> None:
    asks = "print(current_boot_id(fs))"
    on = node(tmp_path, Nothing())
    one, other = (live(on, tmp_path, asks) for _ in range(2))
    assert len({one.strip(), other.strip(), current_boot_id(RealFs())}) == 3


@needs_compiler
def test_the_same_boot_where_the_power_stays(tmp_path: Path) -> None:
    on = node(tmp_path, None)
    assert live(on, tmp_path, "print(current_boot_id(fs))") == live(on, tmp_path, "print(current_boot_id(fs))")
    live(on, tmp_path, WRITES)
    on.boot()
    assert contents(tmp_path)["/t-0/log"] == b"one two three"


@needs_compiler
@pytest.mark.parametrize("offset_s", [0.0, 1.5, 86_000.0, -86_000.0])
def test_the_wall_clock_jumps_and_no_other(tmp_path: Path, offset_s: float) -> None:
    on = node(tmp_path, None)
    on.jump(offset_s)
    wall, monotonic = live(on, tmp_path, "print(time.time(), time.monotonic())").split()
    assert float(wall) == pytest.approx(time.time() + offset_s, abs=10)
    assert float(monotonic) == pytest.approx(time.monotonic(), abs=10)


@needs_compiler
def test_a_clock_jumps_while_a_process_runs(tmp_path: Path) -> None:
    on = node(tmp_path, None)
    on.boot()
    program = "import time\nwhile input():\n  print(time.time(), flush=True)"
    with subprocess.Popen(
        [*on.command(), sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for offset_s in (0.0, -3600.0, 7200.0):
            on.jump(offset_s)
            child.stdin.write("now?\n")
            child.stdin.flush()
            assert float(child.stdout.readline()) == pytest.approx(time.time() + offset_s, abs=10)
        child.stdin.write("\n")


def test_without_a_compiler_it_is_said_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.shutil, "which", lambda _: None)
    with pytest.raises(MissingToolError, match="apt-get install gcc libc6-dev"):
        machine.library()
