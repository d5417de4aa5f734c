"""`kafkacompat format`: what it writes, and what it refuses as Kafka's StorageTool does."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from kafkacompat.cli.format import random_id
from kafkacompat.cli.format import run as format_
from kafkacompat.errors import StartupError
from kafkacompat.protocol.internal.control_records import VotersRecord
from kafkacompat.protocol.primitives import uuid_from_text
from kafkacompat.replication.raft import checkpoint
from kafkacompat.storage.checkpoints import MetaProperties, read_meta_properties
from kafkacompat.storage.fs import RealFs
from tests.cli.processes import run

CONTROLLER = {
    "process.roles": "controller",
    "node.id": "1",
    "listeners": "CONTROLLER://:29193",
    "advertised.listeners": "CONTROLLER://host1:29193",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.bootstrap.servers": "host1:29193",
}
BROKER = {
    **CONTROLLER,
    "process.roles": "broker",
    "listeners": "PLAINTEXT://:29192",
    "advertised.listeners": "PLAINTEXT://host1:29192",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
}
STATIC = {**CONTROLLER, "controller.quorum.voters": "1@host1:29193,2@host2:29193"}


class Formatter:
    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.file = folder / "server.properties"

    def __call__(
        self, node: dict[str, str], cluster_id: str | None = None, directories: Sequence[Path] = (), **choice: object
    ) -> str:
        settings = {**node, "log.dirs": ",".join(map(str, (self.data, *directories)))}
        self.file.write_text("".join(f"{name}={text}\n" for name, text in settings.items()))
        chosen = {"standalone": False, "initial_controllers": None, "no_initial": False, **choice}
        return format_(str(self.file), cluster_id, **chosen)

    def voters(self) -> list[tuple[int, bytes, tuple[tuple[str, str, int], ...]]] | None:
        found = checkpoint.newest(RealFs(), f"{self.data}/__cluster_metadata-0")
        if found is None:
            return None
        records = [record for batch in checkpoint.read(RealFs(), found[2]) for record in batch.records]
        (record,) = [record for record in records if isinstance(record, VotersRecord)]
        return [(voter.id, voter.directory_id, voter.endpoints) for voter in checkpoint.voters_of(record)]

    def meta(self) -> object:
        return read_meta_properties(RealFs(), f"{self.data}/meta.properties")


def meta_of(directory: Path) -> MetaProperties:
    found = read_meta_properties(RealFs(), f"{directory}/meta.properties")
    assert found is not None
    return found


def text_of(directory: Path) -> str:
    return (directory / "meta.properties").read_text()


def edit(directory: Path, old: str, new: str) -> None:
    assert old in text_of(directory)
    (directory / "meta.properties").write_text(text_of(directory).replace(old, new))


@pytest.fixture
def formatter(tmp_path: Path) -> Formatter:
    return Formatter(tmp_path)


def test_a_first_voter_alone(formatter: Formatter) -> None:
    said = formatter(CONTROLLER, "my-cluster", standalone=True)
    assert said == f"formatted {formatter.data} for node 1 of cluster my-cluster"
    meta = formatter.meta()
    assert (meta.cluster_id, meta.node_id) == ("my-cluster", 1)
    assert formatter.voters() == [(1, meta.directory_id, (("CONTROLLER", "host1", 29193),))]
    assert (formatter.data / "bootstrap.checkpoint").exists()


def test_all_directories_are_formatted_with_ids_of_their_own(formatter: Formatter, tmp_path: Path) -> None:
    other, metadata = tmp_path / "other", tmp_path / "metadata"
    said = formatter({**CONTROLLER, "metadata.log.dir": str(metadata)}, "c", directories=[other], standalone=True)
    assert said == f"formatted {metadata}, {formatter.data}, {other} for node 1 of cluster c"
    found = [read_meta_properties(RealFs(), f"{path}/meta.properties") for path in (metadata, formatter.data, other)]
    assert [(each.cluster_id, each.node_id) for each in found if each is not None] == [("c", 1)] * 3
    assert len({each.directory_id for each in found if each is not None}) == 3
    assert [path.exists() for path in (metadata / "__cluster_metadata-0", other / "__cluster_metadata-0")] == [
        True,
        False,
    ]


def test_first_voters_on_several_machines(formatter: Formatter) -> None:
    own, other = random_id(), random_id()
    formatter(CONTROLLER, "c", initial_controllers=f"1@host1:29193:{own}, 2@[::1]:29194:{other}")
    assert formatter.meta().directory_id == uuid_from_text(own)
    assert formatter.voters() == [
        (1, uuid_from_text(own), (("CONTROLLER", "host1", 29193),)),
        (2, uuid_from_text(other), (("CONTROLLER", "::1", 29194),)),
    ]


@pytest.mark.parametrize(("node", "choice"), [(CONTROLLER, {"no_initial": True}), (BROKER, {}), (STATIC, {})])
def test_a_node_that_others_tell_who_votes(formatter: Formatter, node: dict[str, str], choice: dict) -> None:
    formatter(node, "c", **choice)
    assert formatter.meta().cluster_id == "c"
    assert not (formatter.data / "__cluster_metadata-0").exists()
    assert (formatter.data / "bootstrap.checkpoint").exists()


def test_without_a_cluster_id_a_new_one_is_made(formatter: Formatter) -> None:
    assert formatter.meta() is None
    assert formatter(BROKER).endswith(f"of cluster {formatter.meta().cluster_id}")
    assert len(formatter.meta().cluster_id) == 22


TWICE = "1@host1:29193:AAAAAAAAAAAAAAAAAAAAAQ,1@host2:29193:AAAAAAAAAAAAAAAAAAAAAg"


@pytest.mark.parametrize(
    ("node", "choice", "words"),
    [
        (CONTROLLER, {}, "choose the first voters"),
        (CONTROLLER, {"standalone": True, "no_initial": True}, "choose the first voters"),
        (BROKER, {"standalone": True}, "this node is not one"),
        (STATIC, {"no_initial": True}, "controller.quorum.voters sets the voters"),
        (CONTROLLER, {"initial_controllers": "1@host1:29193"}, "id@host:port:directory-id"),
        (CONTROLLER, {"initial_controllers": "host1:29193:AAAAAAAAAAAAAAAAAAAAAQ"}, "id@host:port:directory-id"),
        (CONTROLLER, {"initial_controllers": TWICE}, "has a node id twice"),
    ],
)
def test_what_is_refused(formatter: Formatter, node: dict[str, str], choice: dict, words: str) -> None:
    with pytest.raises(StartupError, match=words) as refused:
        formatter(node, "c", **choice)
    assert "\n" not in str(refused.value)
    assert not formatter.data.exists()


@pytest.mark.parametrize("cluster_id", [None, "c"])
def test_directories_that_are_added_get_the_cluster_id_of_the_others(
    formatter: Formatter, tmp_path: Path, cluster_id: str | None
) -> None:
    formatter(BROKER, "c")
    before = text_of(formatter.data)
    first, second = tmp_path / "first", tmp_path / "second"
    said = formatter(BROKER, cluster_id, directories=[first, second])
    assert said == f"formatted {first}, {second} for node 1 of cluster c"
    assert text_of(formatter.data) == before
    assert {meta_of(path).cluster_id for path in (first, second)} == {"c"}


def test_directories_are_added_to_a_controller_without_a_choice_of_voters(formatter: Formatter, tmp_path: Path) -> None:
    formatter(CONTROLLER, "c", standalone=True)
    voters, first = formatter.voters(), tmp_path / "first"
    assert formatter(CONTROLLER, directories=[first]) == f"formatted {first} for node 1 of cluster c"
    second = tmp_path / "second"
    formatter(CONTROLLER, "c", directories=[first, second], standalone=True)
    assert meta_of(second).cluster_id == "c"
    assert formatter.voters() == voters


def test_an_interrupted_formatting_is_completed(formatter: Formatter, tmp_path: Path) -> None:
    """The directory of the metadata log is the last one that is written."""
    other = tmp_path / "other"
    formatter(CONTROLLER, directories=[other], standalone=True)
    before = text_of(other)
    shutil.rmtree(formatter.data)
    formatter(CONTROLLER, directories=[other], standalone=True)
    assert text_of(other) == before
    assert formatter.meta().cluster_id == meta_of(other).cluster_id
    assert [voter[1] for voter in formatter.voters() or ()] == [formatter.meta().directory_id]


@pytest.mark.parametrize("choice", [{"standalone": True}, {"no_initial": True}])
def test_what_a_killed_restore_left_is_not_formatted(formatter: Formatter, choice: dict[str, bool]) -> None:
    """The metadata log is restored first, and `meta.properties` last."""
    formatter(CONTROLLER, standalone=True)
    (formatter.data / "meta.properties").unlink()
    (formatter.data / "__cluster_metadata-0" / f"{0:020}.log").write_bytes(b"what a snapshot had")
    before = {path: path.read_bytes() for path in formatter.data.rglob("*") if path.is_file()}
    words = r"data holds a metadata log and no meta\.properties: .*empty the data directory .*lost, bring it back"
    with pytest.raises(StartupError, match=words):
        formatter(CONTROLLER, directories=[formatter.data.with_name("new")], **choice)
    assert {path: path.read_bytes() for path in formatter.data.rglob("*") if path.is_file()} == before
    assert not formatter.data.with_name("new").exists()


def test_a_formatting_that_stops_behind_the_metadata_log_is_refused_until_the_directory_is_empty(
    formatter: Formatter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kafkacompat.replication.metadata.format.write_meta_properties", stopped)
        with pytest.raises(KeyboardInterrupt):
            formatter(CONTROLLER, "c", standalone=True)
    assert formatter.voters() is not None
    words = (
        r"data holds a metadata log and no meta\.properties: after a restore or a formatting that was interrupted, "
        "empty the data directory and do it again; if the file was lost, bring it back$"
    )
    with pytest.raises(StartupError, match=words):
        formatter(CONTROLLER, "c", standalone=True)
    shutil.rmtree(formatter.data)
    formatter(CONTROLLER, "c", standalone=True)
    assert [voter[1] for voter in formatter.voters() or ()] == [formatter.meta().directory_id]


def of_another_cluster(other: Path) -> None:
    edit(other, "cluster.id=c", "cluster.id=d")


def of_another_node(other: Path) -> None:
    edit(other, "node.id=1", "node.id=2")


def copied(other: Path) -> None:
    shutil.copytree(other, other.with_name("third"), dirs_exist_ok=True)


def damaged(other: Path) -> None:
    edit(other, "version=1", "version=one")


def in_use(other: Path) -> None:
    (other / "t-0").mkdir()


@pytest.mark.parametrize(
    ("happens", "words"),
    [
        (of_another_cluster, "Invalid cluster.id in: .*third/meta.properties. Expected d, but read c"),
        (of_another_node, "Stored node id 2 doesn't match previous node id 1 in .*other/meta.properties"),
        (copied, "Duplicate directory ID [^ ]{22} found. It was the ID of .*other, but also of .*third"),
        (damaged, "repair .*other/meta.properties"),
        (in_use, "data is new, but the metadata log is expected there, and .*other has partitions"),
    ],
)
def test_all_directories_are_looked_at_before_one_is_written(
    formatter: Formatter, tmp_path: Path, happens: Callable[[Path], None], words: str
) -> None:
    others = [tmp_path / "other", tmp_path / "third"]
    formatter(BROKER, "c", directories=others)
    shutil.rmtree(formatter.data)
    happens(others[0])
    with pytest.raises(StartupError, match=words) as refused:
        formatter(BROKER, directories=others)
    assert "\n" not in str(refused.value)
    assert not formatter.data.exists()


def test_a_formatted_directory_stays_as_it_is(formatter: Formatter) -> None:
    formatter(BROKER, "c")
    with pytest.raises(StartupError, match="formatted already"):
        formatter(BROKER, "d")
    assert formatter.meta().cluster_id == "c"


def test_from_the_command_line(formatter: Formatter) -> None:
    formatter(BROKER)
    done = run("format", "--properties", str(formatter.file))
    assert done.returncode == 1
    assert "formatted already" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(run("random-uuid").stdout) == 23


@pytest.mark.parametrize(
    ("node", "flags", "words"),
    [
        (CONTROLLER, ["--cluster-id", "c"], "kafkacompat format"),
        (BROKER, [], "--cluster-id"),
        (STATIC, [], "--cluster-id"),
    ],
)
def test_a_node_of_several_does_not_start_unformatted(
    formatter: Formatter, node: dict[str, str], flags: list[str], words: str
) -> None:
    settings = {**node, "log.dirs": str(formatter.data)}
    formatter.file.write_text("".join(f"{name}={text}\n" for name, text in settings.items()))
    done = run("serve", "--properties", str(formatter.file), *flags)
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert words in line
    assert not formatter.data.exists()
