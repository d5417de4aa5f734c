"""A directory of Apache Kafka's is introduced before it is written to; others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.storage.foreign import foreign_line
from kafkacompat.storage.fs import RealFs
from tests.cli.processes import Child


def kafkas(directory: Path, *, clean: bool) -> str:
    directory.mkdir()
    (directory / "meta.properties").write_text("version=1\ncluster.id=abc\nnode.id=7\n")
    for name in ("t-0", "t-1", "u-0", "__cluster_metadata-0"):
        (directory / name).mkdir()
    if clean:
        (directory / ".kafka_cleanshutdown").write_text('{"version":0,"brokerEpoch":9}')
    return str(directory)


@pytest.mark.parametrize("clean", [True, False])
def test_it_says_what_was_found_and_what_will_be_done(tmp_path: Path, clean: bool) -> None:
    line = foreign_line(RealFs(), kafkas(tmp_path / "kafka", clean=clean))
    assert line is not None
    assert "node 7 of cluster abc" in line
    assert "3 partitions of 2 topics" in line
    assert ("was stopped cleanly" in line) is clean


def test_new_own_and_unreadable_directories_are_not_introduced(tmp_path: Path) -> None:
    assert foreign_line(RealFs(), str(tmp_path / "none")) is None
    own = Path(kafkas(tmp_path / "own", clean=True))
    (own / "session.json").write_text("{}")
    assert foreign_line(RealFs(), str(own)) is None
    (tmp_path / "meta.properties").write_text("nonsense")
    assert foreign_line(RealFs(), str(tmp_path)) is None


def test_the_line_comes_before_anything_is_written(tmp_path: Path) -> None:
    """Here the start is refused, as the directory is another node's: nothing but the lock was touched."""
    directory = kafkas(tmp_path / "kafka", clean=True)
    with Child("serve", "--no-control", "--port", "0", "--data-dir", directory) as child:
        assert child.wait() == 1
        said = child.stderr
    assert said.index("written by Apache Kafka") < said.index("belongs to broker 7")
    assert (Path(directory) / ".kafka_cleanshutdown").exists()
