"""A node in this process whose disk fails is stopped, as one in a process of its own stops; the others go on."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError
from tests.cli.processes import ask_api_versions
from tests.metadata_client import partition_counts
from tests.waiting import wait_until

TIMEOUT_S = 30


def break_disk(kafka: Cluster, node_id: int) -> None:
    """Have a node's data directory fail at its next use."""
    server, loop = kafka._nodes._servers[node_id], kafka._nodes._thread.loop
    loop.call_soon_threadsafe(server.broker.logs.metadata_directory.take_offline, OSError(5, "Input/output error"))


def is_refused(address: str) -> bool:
    """Whether nobody listens at an address any more."""
    try:
        ask_api_versions(address)
    except ConnectionRefusedError:
        return True
    except (OSError, AssertionError):  # it is just being stopped
        return False
    return False


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.name == "kafkacompat.cluster" and record.levelno == logging.ERROR
    ]


def test_it_stops_with_a_line_and_comes_back(caplog: pytest.LogCaptureFixture) -> None:
    with Cluster(brokers=3, topics={"orders": (2, 3)}) as kafka:
        directory, address = kafka.brokers[1].data_dir, kafka.brokers[1].address
        break_disk(kafka, 2)
        wait_until(lambda: not kafka.brokers[1].is_running)
        assert lines(caplog) == [f"node 2 stops: data directory {directory} has failed: Input/output error"]
        with pytest.raises(KafkaCompatError, match=r"node 2 is not running: start it with restart\(2\)"):
            kafka.stop(2)
        assert [broker.is_running for broker in kafka.brokers] == [True, False, True]
        kafka.restart(2)  # waits for the end of the one that failed: its port and directory are used again
        assert kafka.brokers[1].is_running
        assert ask_api_versions(address)
        for broker in kafka.brokers:
            assert partition_counts(broker.address, ["orders"]) == {"orders": 2}
        assert len(lines(caplog)) == 1


def test_nobody_answers_where_it_was() -> None:
    with Cluster(brokers=2) as kafka:
        break_disk(kafka, 2)

        address = kafka.brokers[1].address
        wait_until(lambda: is_refused(address))
        assert ask_api_versions(kafka.brokers[0].address)


def test_a_broker_that_is_alone_is_stopped_and_every_later_call_says_why(caplog: pytest.LogCaptureFixture) -> None:
    with Cluster(topics=["orders"]) as kafka:
        directory, host_and_port = kafka.data_dir, kafka.bootstrap_servers
        break_disk(kafka, 1)
        wait_until(lambda: lines(caplog))
        reason = f"data directory {directory} has failed: Input/output error"
        assert lines(caplog) == [f"node 1 stops: {reason}"]
        for call in (
            lambda: kafka.bootstrap_servers, lambda: kafka.brokers, lambda: kafka.data_dir, lambda: kafka.cluster_id,
            lambda: kafka.config_for("java"), kafka.restart, lambda: kafka.kill(1), lambda: kafka.stop(1),
        ):  # fmt: skip
            with pytest.raises(KafkaCompatError, match=f"node 1 has stopped: {reason}"):
                call()
        assert repr(kafka) == "<Cluster stopped>"
        wait_until(lambda: is_refused(host_and_port))
    assert not Path(directory).exists()


def test_the_cluster_is_stopped_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Cluster(brokers=3) as kafka:
        break_disk(kafka, 3)
        wait_until(lambda: lines(caplog))
    assert not list(tmp_path.iterdir())
    assert not [record for record in caplog.records if record.name == "asyncio"]
