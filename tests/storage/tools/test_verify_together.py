"""What is wrong between the log directories of one broker, and in future replicas."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.tools.verify import verify, verify_together
from tests.broker.replicas.test_replica_alter_log_dirs import alter, begin, folders, wait
from tests.broker.test_several_directories import DIRECTORIES, delete
from tests.cli.verbs import run


def between(fs: MemFs, *directories: str) -> list[tuple[str, str]]:
    return [(each.path, each.what) for each in verify_together(fs, directories or DIRECTORIES)]


def moving() -> MemFs:
    """Directories of a broker that was stopped in the middle of a move from /a to /b."""
    fs = MemFs()
    broker = begin(fs)
    broker.broker.directory_assignments._is_asking = True
    alter(broker, "/b", 0)
    wait(broker, 4)
    broker.close()
    return fs


def future(fs: MemFs) -> str:
    (name,) = [each for each in fs.listdir("/b") if each.endswith("-future")]
    return f"/b/{name}"


def test_a_move_is_no_fault_and_a_future_replica_is_looked_at() -> None:
    fs = moving()
    assert between(fs) == []
    assert [list(verify(fs, each)) for each in DIRECTORIES] == [[], [], []]
    fs.flip_bit(f"{future(fs)}/{0:020d}.log", 65, 0)
    for directory in ("/b", future(fs)):
        (fault,) = verify(fs, directory)
        assert (fault.path, fault.what) == (f"{future(fs)}/{0:020d}.log", "wrong checksum")


def test_what_is_to_be_deleted_is_not_looked_at() -> None:
    fs = MemFs()
    broker = begin(fs)
    delete(broker, "t")
    broker.close()
    (name,) = folders(broker, "/a")
    assert name.endswith("-delete")
    fs.flip_bit(f"/a/{name}/{0:020d}.log", 65, 0)
    assert list(verify(fs, "/a")) == []
    assert between(fs) == []


def test_a_partition_in_two_directories_and_a_future_replica_without_its_log_are_named() -> None:
    fs = moving()
    path = future(fs)
    fs.rename("/a/t-0", "/a/elsewhere")
    assert between(fs) == [(path, "a future replica without its log")]
    for directory in ("/a", "/c"):
        fs.mkdir(f"{directory}/t-0")
    assert between(fs) == [("/c/t-0", "it is in /a, too")]


def test_directories_of_other_brokers_are_named() -> None:
    fs = moving()
    content = fs.read_bytes("/a/meta.properties")
    fs.write_atomic("/b/meta.properties", content, sync=True)
    assert between(fs) == [("/b/meta.properties", "the same directory.id as in /a")]
    fs.write_atomic("/c/meta.properties", content.replace(b"node.id=1", b"node.id=2"), sync=True)
    assert between(fs)[1:] == [
        ("/c/meta.properties", "another cluster or node than that of /a"),
        ("/c/meta.properties", "the same directory.id as in /a"),
    ]
    assert between(fs, "/c") == []
    assert between(fs, "/c", "".join(["/", "c"])) == []  # named twice


def test_a_damaged_file_is_named_once_and_another_directory_is_refused() -> None:
    fs = moving()
    for directory in ("/a", "/b"):
        content = fs.read_bytes(f"{directory}/meta.properties")
        fs.write_atomic(f"{directory}/meta.properties", b"nothing", sync=True)
        assert between(fs) == []  # the future replica is in /b, and its log in /a all the same
        (fault,) = verify(fs, directory)
        assert fault.path == f"{directory}/meta.properties"
        fs.write_atomic(f"{directory}/meta.properties", content, sync=True)
    with pytest.raises(ValueError, match="/a/t-0 is no data directory"):
        between(fs, "/a", "/a/t-0")


def test_the_verb_takes_several(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("one", "two")]
    fs = RealFs()
    for path in paths:
        fs.mkdir(path)
        fs.mkdir(f"{path}/t-0")
        text = "version=1\ncluster.id=c\nnode.id=1\n"
        fs.write_atomic(f"{path}/meta.properties", text.encode(), sync=False)
    done = run("log", "verify", *paths, servers="")
    assert (done.status, done.err) == (1, f"{paths[0]}, {paths[1]}: 1 faults\n")
    assert done.out.decode().startswith(f"{paths[1]}/t-0, byte 0: it is in {paths[0]}, too. Recovery: the one counts ")
    assert run("log", "verify", paths[0], f"{tmp_path}/three", servers="").status == 3
