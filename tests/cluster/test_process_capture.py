"""A capture of brokers in processes of their own is one file with the traffic of all of them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster.process_capture import ProcessCapture
from kafkacompat.protocol import api_keys
from kafkacompat.traffic.capture_file import END, OPEN, REQUEST, CaptureFile, Entry
from kafkacompat.traffic.capture_writer import CaptureWriter
from kafkacompat.traffic.joined_files import join
from tests.metadata_client import ask

QUICK = {"controller.quorum.election.timeout.ms": 300}


def entries(path: str | Path) -> list[Entry]:
    with CaptureFile(path) as file:
        return list(file)


def left_over() -> set[str]:
    return {path.name for path in Path(tempfile.gettempdir()).glob("kafkacompat-*.kct")}


def test_requests_of_all_nodes_are_in_one_file_in_order(tmp_path: Path) -> None:
    before = left_over()
    with Cluster(brokers=2, processes=True, topics=["orders"], config=QUICK) as kafka:
        addresses = [broker.address for broker in kafka.brokers]
        with kafka.capture(tmp_path / "a.kct", redact=["values"]) as capture:
            assert isinstance(capture._writer, ProcessCapture)
            for _ in range(3):
                for address in addresses:
                    ask(address, ["orders"])
            with pytest.raises(KafkaCompatError, match=r"a capture into .*a\.kct is running"):
                kafka.capture(tmp_path / "b.kct")
            assert (capture.frame_count >= 12, capture.ended, capture.path) == (True, None, str(tmp_path / "a.kct"))
            kafka.kill(2)
            kafka.restart(2)
            ask(addresses[1], ["orders"])
        assert capture.ended == "it was stopped"
        with pytest.raises(KafkaCompatError, match="exists"):
            kafka.capture(tmp_path / "a.kct")
    found = entries(tmp_path / "a.kct")
    assert [entry.at_us for entry in found] == sorted(entry.at_us for entry in found)
    opened = {entry.connection: entry.fields["node"] for entry in found if entry.kind == OPEN}
    requests = [
        opened[entry.connection] for entry in found if entry.kind == REQUEST and entry.api_key == api_keys.METADATA
    ]
    assert (requests.count(1) >= 3, requests[-1]) == (True, 2), "the node that was started again is missing"
    assert found[-1].kind == END
    with CaptureFile(tmp_path / "a.kct") as file:
        assert (file.header["source"], file.header["redacted"]) == ("brokers 1, 2", ["secrets", "values"])
    assert left_over() == before


def test_it_ends_with_its_cluster_and_refuses_what_cannot_be(tmp_path: Path) -> None:
    with Cluster(processes=True, topics=["orders"]) as kafka:
        with pytest.raises(KafkaCompatError, match="give at least 4096"):
            kafka.capture(tmp_path / "b.kct", max_bytes=10)
        capture = kafka.capture(tmp_path / "a.kct")
        ask(kafka.bootstrap_servers, ["orders"])
    assert [entry.kind for entry in entries(capture.path)][-1] == END
    assert any(entry.kind == REQUEST for entry in entries(capture.path))
    assert not (tmp_path / "b.kct").exists()
    capture.stop()


def test_a_file_that_a_killed_node_has_left_is_joined_up_to_its_cut(tmp_path: Path) -> None:
    for name, count in (("a", 3), ("b", 2)):
        writer = CaptureWriter(tmp_path / name, source="brokers 1")
        number = writer.open_connection(node=name)
        for correlation_id in range(count):
            writer.add(REQUEST, number, b"frame", 3, 8, correlation_id)
        writer.close()
    whole = (tmp_path / "b").read_bytes()
    (tmp_path / "b").write_bytes(whole[:-60])
    with (tmp_path / "both").open("wb") as target:
        join([str(tmp_path / "a"), str(tmp_path / "b")], target, source="brokers 1, 2", reason="the end")
    found = entries(tmp_path / "both")
    assert [entry.kind for entry in found].count(REQUEST) == 5
    names = {entry.connection: entry.fields["node"] for entry in found if entry.kind == OPEN}
    assert sorted(names.values()) == ["a", "b"]
    assert (found[-1].kind, found[-1].fields) == (END, {"reason": "the end"})
    with (tmp_path / "none").open("wb") as target, pytest.raises(KafkaCompatError, match="no capture"):
        join([], target, source="", reason="")
