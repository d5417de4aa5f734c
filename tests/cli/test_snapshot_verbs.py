"""`kafkacompat snapshot`: saved, listed, restored and deleted; a file is a tar of Kafka's directories."""

from __future__ import annotations

import os
import tarfile
from concurrent.futures import ThreadPoolExecutor
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
        pieces: list[bytes] = []
        client.get_file("/v1/snapshots/1/file", pieces.append)
        assert b"".join(pieces) == b"\x00tar"


def test_a_file_that_was_saved_is_restored_by_another_broker(tmp_path: Path) -> None:
    file = str(tmp_path / "saved.tar")
    with node(topics={"orders": 1}) as broker:
        write(broker, b"before")
        assert broker.run("snapshot", "save", file).status == 0
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["saved.tar"]
    with node() as other:
        done = other.run("snapshot", "restore", file, "--yes")
        assert (done.status, done.err) == (0, f"snapshot {file} is restored; 0 clients still connected\n")
        assert values(other) == ["before"]
        assert other.run("snapshot", "list").json_lines == []


def test_what_is_no_file_stays_what_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with node() as broker, ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        assert broker.run("snapshot", "save", str(pipe), "--force").status == 0
        assert b"manifest.json" in read.result()
    assert pipe.is_fifo()


def test_a_file_that_is_none_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "text.tar").write_bytes(b"no snapshot " * 100_000)
    with node(topics={"orders": 1}) as broker:
        write(broker, b"before")
        for name, status, words in (("text.tar", 2, "what was sent"), ("nowhere.tar", 3, "there is no such file")):
            done = broker.run("snapshot", "restore", str(tmp_path / name), "--yes")
            assert (done.status, words in done.err) == (status, True), done
        assert values(broker) == ["before"]
        assert broker.run("snapshot", "list").json_lines == []


def test_a_file_that_is_refused_early_says_why(tmp_path: Path) -> None:
    with (tmp_path / "huge.tar").open("wb") as file:
        file.truncate(17 << 30)
    with node() as broker:
        done = broker.run("snapshot", "restore", str(tmp_path / "huge.tar"), "--yes")
    assert done.status != 0
    assert "16 GiB is not taken" in done.err
