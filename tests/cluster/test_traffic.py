"""Captures of a cluster's clients."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kafkacompat.client.client import Client
from kafkacompat.client.producing import OutgoingRecord, Producer
from kafkacompat.cluster.captured_requests import captured_requests
from kafkacompat.cluster.cluster import Cluster
from kafkacompat.errors import KafkaCompatError
from kafkacompat.traffic.capture_file import CaptureFile
from tests.waiting import wait_until

if TYPE_CHECKING:
    from kafkacompat.cluster.view_types import Request


def produce(kafka: Cluster, value: bytes = b"v") -> None:
    with Client(kafka.bootstrap_servers, timeout_s=30) as client:
        producer = Producer(client)
        producer.send("orders", OutgoingRecord(b"k", value, partition=0))
        producer.flush()


def requests(path: str | Path) -> list[Request]:
    with CaptureFile(path) as capture:
        return list(captured_requests(capture))


def apis(path: str | Path) -> list[str]:
    return [each.api for each in requests(path)]


def test_a_capture_has_what_the_journal_has(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 1}) as kafka:
        produce(kafka)
        kafka.journal()
        with kafka.capture(tmp_path / "a.kct") as capture:
            produce(kafka)
            with pytest.raises(KafkaCompatError, match=r"a capture into .* is running"):
                kafka.capture(tmp_path / "b.kct")
        produce(kafka)
        journaled = kafka.requests()
    found = requests(tmp_path / "a.kct")
    assert capture.ended == "it was stopped"
    assert capture.frame_count == 2 * len(found)
    assert "Produce" in apis(tmp_path / "a.kct")
    facts = [(each.api, each.version, each.client_id, each.names, each.errors, each.broker) for each in found]
    expected = [(each.api, each.version, each.client_id, each.names, each.errors, each.broker) for each in journaled]
    assert facts == expected[: len(facts)]
    assert [(each.request_bytes, each.response_bytes) for each in found] == [
        (each.request_bytes, each.response_bytes) for each in journaled[: len(found)]
    ]


def test_journal_links_and_resets_leave_a_capture_as_it_is(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 1}) as kafka:
        kafka.journal()
        with kafka.capture(tmp_path / "a.kct"):
            kafka.journal(on=False)
            produce(kafka)
            kafka.reset()
            produce(kafka)
            kafka.restart()
            produce(kafka)
        kafka.journal()
        produce(kafka)
    assert apis(tmp_path / "a.kct").count("Produce") == 3


def test_after_a_capture_nothing_of_it_is_in_the_way(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 1}) as kafka:
        before = kafka._call(1, lambda server: server.connections.serve)
        with kafka.capture(tmp_path / "a.kct"):
            assert kafka._call(1, lambda server: server.connections.serve) != before
        assert kafka._call(1, lambda server: server.connections.serve) == before
        with kafka.capture(tmp_path / "b.kct"):
            produce(kafka)
    assert "Produce" in apis(tmp_path / "b.kct")


def test_a_capture_ends_with_its_cluster(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 1}) as kafka:
        capture = kafka.capture(tmp_path / "a.kct")
        produce(kafka)
    assert capture.ended == "it was stopped"
    capture.stop()
    with CaptureFile(capture.path) as written:
        assert len(list(written)) > 3
        assert written.end == {"reason": "it was stopped"}


def test_a_cluster_of_several_has_one_file(tmp_path: Path) -> None:
    with Cluster(brokers=3, topics={"orders": (3, 1)}) as kafka:
        with kafka.capture(tmp_path / "a.kct"), Client(kafka.bootstrap_servers, timeout_s=30) as client:
            producer = Producer(client)
            for partition in range(3):
                producer.send("orders", OutgoingRecord(b"k", b"v", partition=partition))
            producer.flush()
        found = requests(tmp_path / "a.kct")
    assert {each.broker for each in found if each.api == "Produce"} == {1, 2, 3}
    assert {each.api for each in found} <= {"ApiVersions", "Metadata", "InitProducerId", "Produce"}, "no node's traffic"


def test_a_capture_that_is_full_ends_and_the_cluster_goes_on(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 1}) as kafka, kafka.capture(tmp_path / "a.kct", max_bytes=20_000) as capture:
        produce(kafka, bytes(30_000))
        wait_until(lambda: capture.ended)
        produce(kafka)
        assert kafka.topics()["orders"].partitions[0].logs[0].log_end_offset == 2
    assert capture.ended == "the file has reached max_bytes=20000"
    assert apis(capture.path)


def test_records_can_be_redacted(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 1}) as kafka:
        for name, redact in (("open.kct", ()), ("shut.kct", ("values",))):
            with kafka.capture(tmp_path / name, redact=redact):
                produce(kafka, b"a customer's name")
    assert b"a customer's name" in (tmp_path / "open.kct").read_bytes()
    assert b"a customer's name" not in (tmp_path / "shut.kct").read_bytes()


def test_a_cluster_that_does_not_run_is_refused_before_a_file_is_made(tmp_path: Path) -> None:
    kafka: Any = Cluster()
    with pytest.raises(KafkaCompatError, match="not running"):
        kafka.capture(tmp_path / "a.kct")
    assert not (tmp_path / "a.kct").exists()
