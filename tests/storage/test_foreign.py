"""A directory of Apache Kafka's is introduced before it is written to; others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.storage.foreign import foreign_line
from kafkacompat.storage.fs import RealFs
from tests.cli.processes import Child, run


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


KINDS = {
    "__consumer_offsets-0": "groups and their offsets",
    "__transaction_state-7": "transactions (open ones go on)",
    "__share_group_state-3": "the state of share groups",
    f"t-1.{'0' * 32}-delete": "1 directory of deleted partitions",
    f"t-2.{'1' * 32}-stray": "1 directory set aside",
    f"t-0.{'3' * 32}-future": "1 directory of replicas that were moving",
}


def test_kinds_of_contents_are_named(tmp_path: Path) -> None:
    """Topics of Apache Kafka's own, directories that are no partition's: those that are there, and no others."""
    directory = Path(kafkas(tmp_path / "kafka", clean=True))
    for expected, name in enumerate(("", *KINDS)):
        (directory / name).mkdir(exist_ok=True)
        line = foreign_line(RealFs(), str(directory))
        assert line is not None
        assert [what for what in KINDS.values() if what in line] == list(KINDS.values())[:expected]
    (directory / f"t-3.{'2' * 32}-stray").mkdir()
    assert "2 directories set aside" in (foreign_line(RealFs(), str(directory)) or "")


def test_with_read_only_it_says_that_nothing_is_written(tmp_path: Path) -> None:
    line = foreign_line(RealFs(), kafkas(tmp_path / "kafka", clean=False), is_read_only=True)
    assert line is not None
    assert "Nothing is written" in line
    assert "are added" not in line


def test_new_own_and_unreadable_directories_are_not_introduced(tmp_path: Path) -> None:
    assert foreign_line(RealFs(), str(tmp_path / "none")) is None
    own = Path(kafkas(tmp_path / "own", clean=True))
    (own / "session.json").write_text("{}")
    assert foreign_line(RealFs(), str(own)) is None
    (own / "session.json").rename(own / "retention-has-run")
    assert foreign_line(RealFs(), str(own)) is None
    (tmp_path / "meta.properties").write_text("nonsense")
    assert foreign_line(RealFs(), str(tmp_path)) is None


def test_of_a_metadata_log_alone_it_says_nothing_of_stops_and_retention(tmp_path: Path) -> None:
    """Apache Kafka leaves no marker of a clean stop there. Before the first start there is nothing to say."""
    (tmp_path / "meta.properties").write_text("version=1\ncluster.id=abc\nnode.id=7\n")
    (tmp_path / "__cluster_metadata-0").mkdir()
    assert foreign_line(RealFs(), str(tmp_path)) is None
    (tmp_path / "__cluster_metadata-0" / "quorum-state").write_text("{}")
    line = foreign_line(RealFs(), str(tmp_path))
    assert line is not None
    assert "written by Apache Kafka: the metadata log. Records" in line
    assert "stopped" not in line
    assert "Retention" not in line


def test_a_metadata_log_of_our_own_is_not_introduced(tmp_path: Path) -> None:
    """Neither that of a controller, which has no other logs, nor one beside the directories of a broker's logs."""
    controller = [
        "process.roles=controller", "node.id=1", "controller.listener.names=CONTROLLER",
        "listeners=CONTROLLER://127.0.0.1:0", "controller.quorum.voters=1@127.0.0.1:29193",
        f"log.dirs={tmp_path}/controller",
    ]  # fmt: skip
    broker = ["listeners=PLAINTEXT://127.0.0.1:0", f"log.dirs={tmp_path}/logs", f"metadata.log.dir={tmp_path}/log"]
    for name, lines in (("controller", controller), ("broker", broker)):
        file = tmp_path / f"{name}.properties"
        file.write_text("\n".join(lines))
        if name == "controller":
            assert run("format", "--properties", str(file)).returncode == 0
        for _ in range(2):
            with Child("serve", "--no-control", "--properties", str(file)) as child:
                child.wait_until_ready()
                child.process.terminate()
                assert child.wait() == 0
                assert "written by Apache Kafka" not in child.stderr


def test_the_line_comes_before_anything_is_written(tmp_path: Path) -> None:
    """Here the start is refused, as the directory is another node's: nothing but the lock was touched."""
    directory = kafkas(tmp_path / "kafka", clean=True)
    with Child("serve", "--no-control", "--port", "0", "--data-dir", directory) as child:
        assert child.wait() == 1
        said = child.stderr
    assert said.index("written by Apache Kafka") < said.index("belongs to broker 7")
    assert (Path(directory) / ".kafka_cleanshutdown").exists()
