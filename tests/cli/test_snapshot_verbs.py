"""`kafkacompat snapshot`: saved, listed, restored and deleted; a file is a tar of Kafka's directories."""

from __future__ import annotations

import tarfile
from pathlib import Path

from kafkacompat.client.producing import OutgoingRecord, Producer
from tests.cli.control_api import Node, node
from tests.client.test_control import answering, http


def write(broker: Node, value: bytes) -> None:
    with broker.client() as client:
        producer = Producer(client)
        producer.send("orders", OutgoingRecord(None, value))
        producer.flush()


def values(broker: Node) -> list[str]:
    return [each["value"] for each in broker.run("inspect", "records", "orders").json_lines]


def test_a_folder_that_does_not_exist_is_one_line(tmp_path: Path) -> None:
    with node() as broker:
        done = broker.run("snapshot", "save", str(tmp_path / "no" / "file"))
    assert done == (1, b"", f"kafkacompat: {tmp_path / 'no' / 'file'}: No such file or directory\n")


def test_what_was_written_after_a_snapshot_is_gone_when_it_is_restored(tmp_path: Path) -> None:
    with node(topics={"orders": 1}) as broker:
        write(broker, b"before")
        saved = broker.run("snapshot", "save", str(tmp_path / "saved.tar"))
        assert (saved.status, saved.err) == (0, "")
        (row,) = saved.json_lines
        assert broker.run("snapshot", "list").json_lines == [row]
        with tarfile.open(tmp_path / "saved.tar") as tar:
            assert "manifest.json" in tar.getnames()
        write(broker, b"after")
        assert broker.run("snapshot", "restore", row["snapshot_id"]).status == 2
        assert values(broker) == ["before", "after"]
        done = broker.run("snapshot", "restore", row["snapshot_id"], "--yes")
        assert (done.status, done.out) == (0, b"")
        assert done.err == f"snapshot {row['snapshot_id']} is restored; 0 clients still connected\n"
        assert values(broker) == ["before"]
        deleted = broker.run("snapshot", "delete", row["snapshot_id"])
        assert (deleted.status, deleted.err) == (0, f"snapshot {row['snapshot_id']} is deleted\n")
        assert broker.run("snapshot", "restore", row["snapshot_id"], "--yes").status == 3


def test_a_file_that_exists_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("x")
    with node() as broker:
        done = broker.run("snapshot", "save", str(tmp_path / "kept"))
    assert done == (
        2, b"", f"kafkacompat: {tmp_path / 'kept'} exists already: choose another file, or give --force\n",
    )  # fmt: skip
    assert (tmp_path / "kept").read_text() == "x"


def test_content_that_is_not_json_is_read_as_it_is() -> None:
    with answering(http("200 OK", b"\x00tar")) as (client, _):
        assert client.get_bytes("/v1/snapshots/1/file") == b"\x00tar"
