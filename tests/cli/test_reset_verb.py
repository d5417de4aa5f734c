"""`kafkacompat reset` asks, or needs --yes, and lists the clients that are still connected."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkacompat.client.producing import OutgoingRecord, Producer
from tests.cli.control_api import node
from tests.cli.processes import command


def test_it_needs_yes_where_nobody_can_be_asked() -> None:
    with node(topics={"orders": 1}) as broker:
        with broker.client() as client:
            producer = Producer(client)
            producer.send("orders", OutgoingRecord(None, b"x"))
            producer.flush()
            refused = broker.run("reset")
            assert refused == (
                2, b"", "kafkacompat: this cannot be undone, and there is nobody to ask: give --yes\n",
            )  # fmt: skip
            assert broker.run("inspect", "records", "orders").json_lines != []
            done = broker.run("reset", "--yes")
            assert (done.status, done.err) == (0, "the broker is reset; 1 client still connected\n")
            assert done.json_lines[0]["client_id"] == "kafkacompat"
        assert broker.run("inspect", "records", "orders").json_lines == []


def test_topics_can_stay_and_connections_can_be_closed() -> None:
    with node() as broker, broker.client() as client:
        client.metadata(())
        broker.run("topic", "create", "kept", "-p", "3")
        done = broker.run("reset", "-y", "--keep-topics", "--close-connections", "-f", "table")
        assert (done.status, done.err) == (0, "the broker is reset; 1 client closed\n")
        assert [each["name"] for each in broker.run("inspect", "topics").json_lines] == ["kept"]
        broker.run("reset", "-y")
        assert broker.run("inspect", "topics").json_lines == []


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is needed")
@pytest.mark.parametrize(("answer", "status"), [(b"n\n", 1), (b"y\n", 0)])
def test_it_asks_on_a_terminal(answer: bytes, status: int) -> None:
    import pty

    with node(topics={"orders": 1}) as broker:
        topic_id = broker.run("inspect", "topics", "orders").json_lines[0]["topic_id"]
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [*command(), "reset", "--control", broker.url], stdin=slave, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        os.close(slave)
        os.write(master, answer)
        _, err = process.communicate(timeout=60)
        os.close(master)
        assert b"(1 broker, 1 topic)? Its records are lost. [y/N]: " in err
        assert process.returncode == status
        is_same = broker.run("inspect", "topics", "orders").json_lines[0]["topic_id"] == topic_id
        assert is_same == bool(status)


def test_data_of_the_user_need_allow_faults(tmp_path: Path) -> None:
    from tests.cli.processes import Child

    with Child(
        "serve", "--port", "0", "--control", "127.0.0.1:0", "--data-dir", str(tmp_path / "data"), "--state-file",
        str(tmp_path / "state"),
    ) as child:  # fmt: skip
        child.wait_until_ready()
        with node() as broker:
            for verb in (("reset", "-y"), ("clock", "advance", "1s"), ("fault", "add", "--api", "fetch", "--drop")):
                done = broker.run(*verb, "--state-file", str(tmp_path / "state"))
                assert (done.status, done.out) == (7, b"")
                assert "start it with --allow-faults" in done.err


def test_data_of_the_user_go_only_when_that_is_said(tmp_path: Path) -> None:
    with node(topics={"orders": 1}, data_dir=tmp_path / "data") as broker:
        broker.run("topic", "create", "extra")
        refused = broker.run("reset", "--yes")
        assert (refused.status, refused.out) == (1, b"")
        assert "say so with --delete-data, or leave --data-dir out" in refused.err
        (saved,) = broker.run("snapshot", "save").json_lines
        assert broker.run("reset", "--yes", "--delete-data").status == 0
        assert [each["name"] for each in broker.run("inspect", "topics").json_lines] == ["orders"]
        restore = ("snapshot", "restore", saved["snapshot_id"], "--yes")
        assert broker.run(*restore).status == 1
        assert broker.run(*restore, "--delete-data").status == 0
        assert [each["name"] for each in broker.run("inspect", "topics").json_lines] == ["extra", "orders"]
