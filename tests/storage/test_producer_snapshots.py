"""Which producer snapshots stay when a log is opened."""

import pytest

from kafkacompat.storage.memfs import MemFs
from tests.storage.support import PATH, append, at, batch, open_log, topic_config


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ([], []),
        ([4, 8], [4, 8]),
        ([4, 5, 6, 8, 11, 12], [4, 8, 12]),
        ([5, 7], []),
        ([3, 8], [8]),
    ],
)
@pytest.mark.parametrize("clean", [True, False])
def test_strays_go_but_the_newest_behind_the_last_base_offset(found: list[int], kept: list[int], clean: bool) -> None:
    fs = MemFs()
    config = topic_config(segment_bytes=4 * len(batch()))
    log = open_log(fs, config)
    for _ in range(12):
        append(log, batch())
    assert [segment.base_offset for segment in log.segments.all] == [0, 4, 8]
    log.close(clean=True, now=at())
    snapshots = {name: fs.read_bytes(f"{PATH}/{name}") for name in fs.listdir(PATH) if name.endswith(".snapshot")}
    content = next(iter(snapshots.values()))
    for name in snapshots:
        fs.remove(f"{PATH}/{name}")
    for offset in found:
        fs.write_atomic(f"{PATH}/{offset:020d}.snapshot", content, sync=True)
    again = open_log(fs, config, clean=clean, recovery_point=12)
    left = [int(name[:20]) for name in fs.listdir(PATH) if name.endswith(".snapshot")]
    assert left == again.segments.snapshots.offsets
    if clean:
        assert left == kept
    else:  # recovery has written the one at the end
        assert set(left) <= {4, 8, 12}
