"""`serve` on a directory in which a partition has messages of a format from before Kafka 0.11."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.protocol import error_codes as errors
from tests.cli.processes import Child, serving
from tests.protocol.records.old_messages import old_message
from tests.robustness.client import Client, batch_of


@pytest.mark.parametrize("is_killed", [True, False], ids=["killed", "clean"])
@pytest.mark.parametrize("magic", [0, 1])
def test_the_partition_is_refused_with_a_line_and_the_rest_is_served(
    tmp_path: Path, magic: int, *, is_killed: bool
) -> None:
    data_dir = tmp_path / "data"
    with serving(tmp_path, "--data-dir", str(data_dir)) as (child, state), client_of(state) as client:
        for topic in ("old", "new"):
            client.create_topic(topic)
            assert client.produce(topic, batch_of(b"x")).error_code == errors.NONE
        end(child, is_killed=is_killed)
    path = data_dir / "old-0" / f"{0:020d}.log"
    content = b"".join(old_message(offset, magic, b"k", b"v") for offset in range(9))
    path.write_bytes(content)
    for index in path.parent.glob("*.*index"):
        index.unlink()
    for snapshot in path.parent.glob("*.snapshot"):
        snapshot.unlink()
    with serving(tmp_path, "--data-dir", str(data_dir)) as (child, state), client_of(state) as client:
        assert client.read_all("new") == [(0, b"x")]
        assert client.produce("new", batch_of(b"y")).error_code == errors.NONE
        assert client.fetch("old", 0).error_code == errors.KAFKA_STORAGE_ERROR
        assert client.produce("old", batch_of(b"y")).error_code == errors.KAFKA_STORAGE_ERROR
        assert f"the log of old-0 cannot be opened: {path}" in child.stderr
        assert f"message format v{magic} is not supported" in child.stderr
        end(child, is_killed=False)
        assert "Traceback" not in child.stderr
    assert path.read_bytes() == content


def client_of(state: dict[str, str]) -> Client:
    return Client(int(state["bootstrap_servers"].rpartition(":")[2]))


def end(child: Child, *, is_killed: bool) -> None:
    if is_killed:
        child.process.kill()
        child.process.wait()
    else:
        child.process.terminate()
        assert child.wait() == 0
