"""Changes stay in memory, whatever is done to files; what is read is what the disk would hold."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kafkacompat.storage.fs import Fs, RealFs
from kafkacompat.storage.overlay_fs import OverlayFs

NAMES = ("a", "b", "d/a", "d/b", "e/a")
DIRECTORIES = ("d", "e")


def tree(fs: Fs, root: str) -> dict[str, bytes | None]:
    """The content of every file, None for directories."""
    found: dict[str, bytes | None] = {}
    for name in fs.listdir(root):
        path = f"{root}/{name}"
        if fs.is_dir(path):
            found[name] = None
            found |= {f"{name}/{below}": content for below, content in tree(fs, path).items()}
        else:
            found[name] = fs.read_bytes(path)
            assert fs.size(path) == len(found[name] or b"")
    return found


def change(fs: Fs, root: str, rng: random.Random) -> object:
    """One operation: what it answers, or the class of its error."""
    path, other = f"{root}/{rng.choice(NAMES)}", f"{root}/{rng.choice(NAMES)}"
    directory, new = f"{root}/{rng.choice(DIRECTORIES)}", f"{root}/{rng.choice(DIRECTORIES)}"
    operation, size, at = rng.randrange(9), rng.randrange(20), rng.randrange(20)
    try:
        if operation <= 2:
            file = fs.open(path, append=operation > 0)
            try:
                if operation == 1:
                    file.write([bytes([size]) * size, b"end"])
                elif operation == 2:
                    file.truncate(size)
                return file.size(), file.pread(at, size)
            finally:
                file.close()
        actions = {
            3: lambda: fs.remove(path),
            4: lambda: fs.rename(path, other),
            5: lambda: fs.mkdir(directory),
            6: lambda: fs.rmtree(directory),
            7: lambda: fs.write_atomic(path, b"whole", sync=True),
            8: lambda: None if fs.exists(new) else fs.rename(directory, new),
        }
        return actions[operation]()
    except OSError as error:
        return type(error)


@pytest.mark.parametrize("seed", range(60))
def test_it_does_what_a_disk_does_and_leaves_the_disk_alone(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    for each in ("disk", "base"):
        for name in NAMES[: 1 + seed % len(NAMES)]:
            (tmp_path / each / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / each / name).write_bytes(name.encode() * 5)
    disk, overlay = RealFs(), OverlayFs(RealFs())
    before = tree(disk, str(tmp_path / "base"))
    for _ in range(60):
        step = rng.randrange(1 << 30)
        theirs = change(disk, str(tmp_path / "disk"), random.Random(step))
        ours = change(overlay, str(tmp_path / "base"), random.Random(step))
        assert ours == theirs
        assert tree(overlay, str(tmp_path / "base")) == tree(disk, str(tmp_path / "disk"))
    assert tree(disk, str(tmp_path / "base")) == before


def test_a_lock_is_shared_and_keeps_brokers_out(tmp_path: Path) -> None:
    path = str(tmp_path / ".lock")
    (tmp_path / ".lock").write_bytes(b"123")
    first, second = OverlayFs(RealFs()), OverlayFs(RealFs())
    held = [first.lock(path), second.lock(path)]
    held[0].truncate(0)
    held[0].write([b"9"])
    with pytest.raises(BlockingIOError):
        RealFs().lock(path)
    for each in held:
        each.close()
    taken = RealFs().lock(path)
    with pytest.raises(BlockingIOError):
        OverlayFs(RealFs()).lock(path)
    taken.close()
    assert (tmp_path / ".lock").read_bytes() == b"123"
    overlay = OverlayFs(RealFs())
    overlay.lock(str(tmp_path / "none")).close()
    assert not (tmp_path / "none").exists()


def test_a_file_on_the_disk_has_no_descriptor_to_send_from(tmp_path: Path) -> None:
    (tmp_path / "read").write_bytes(b"x" * 10)
    fs = OverlayFs(RealFs())
    file = fs.open(f"{tmp_path}/read")
    assert (file.fileno(), file.pread(8, 10)) == (-1, b"xx")
    file.fsync()
    file.close()
    file.close()
    fs.allocate(f"{tmp_path}/reserve", 1 << 40)
    fs.fsync_dir(str(tmp_path))
    assert fs.listdir(str(tmp_path)) == ["read", "reserve"]
    assert fs.disk_usage(str(tmp_path)) == RealFs().disk_usage(str(tmp_path))
    assert not fs.make_room(OSError())
