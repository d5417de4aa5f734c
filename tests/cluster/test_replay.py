"""Captured traffic is sent to a fresh broker, and its answers are compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkacompat.client.client import Client
from kafkacompat.client.producing import OutgoingRecord, Producer
from kafkacompat.cluster.cluster import Cluster
from kafkacompat.errors import KafkaCompatError
from kafkacompat.traffic.capture_file import (
    CLOSE,
    OPEN,
    REQUEST,
    RESPONSE,
    CaptureFile,
    CaptureFileError,
    Entry,
    encode_header,
    entry_pieces,
)
from kafkacompat.traffic.replay_report import ReplayReport
from tests.cluster.group_member import Member

if TYPE_CHECKING:
    from collections.abc import Sequence

TOPICS = {"orders": 2}


def produce(kafka: Cluster, count: int = 3) -> None:
    with Client(kafka.bootstrap_servers, timeout_s=30) as client:
        producer = Producer(client)
        for number in range(count):
            producer.send("orders", OutgoingRecord(b"k", f"value {number}".encode(), partition=number % 2))
        producer.flush()


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A producer, and a member of a group."""
    path = tmp_path_factory.mktemp("replay") / "a.kct"
    with Cluster(topics=TOPICS) as kafka, kafka.capture(path):
        produce(kafka)
        member = Member(kafka.bootstrap_servers, "g")
        member.join()
        assert member.heartbeat() == 0
        assert member.commit("orders", 2) == 0
    return path


def replayed(path: Path, topics: dict[str, int] | None = None) -> ReplayReport:
    with Cluster(topics=TOPICS if topics is None else topics) as kafka:
        return kafka.replay(path)


def test_a_fresh_broker_answers_the_same(captured: Path) -> None:
    with Cluster(topics=TOPICS) as kafka:
        report = kafka.replay(captured)
        assert [record.value for record in kafka.records("orders")] == [b"value 0", b"value 2", b"value 1"]
        (offset,) = kafka.groups()["g"].offsets
    assert report.is_equal, report
    assert report.differences == []
    assert report.compared == report.sent > 10
    assert report.lines[-1].startswith(f"{report.compared} of {report.compared} answers are equal, in ")
    assert offset.committed_offset == 2, "the member's new id was in its commit"


@pytest.mark.parametrize("api", ["produce", "heartbeat", "join_group", "offset_commit"])
def test_a_planted_difference_is_found(captured: Path, api: str) -> None:
    with Cluster(topics=TOPICS) as kafka:
        fault = {"error": "INVALID_REQUEST" if api != "produce" else "KAFKA_STORAGE_ERROR"}
        with kafka.faults.add(when={"api": api}, then=fault, times=1, must_hit=True):
            report = kafka.replay(captured)
    assert not report.is_equal
    first = report.differences[0]
    assert first.api.lower() == api.replace("_", "")
    assert first.fields[0].path.endswith("error_code")
    assert "error_code is " in report.lines[1]
    assert ", was " in report.lines[1]
    assert report.lines[0].startswith(f"request {first.number} at ")


def test_other_state_is_found(captured: Path) -> None:
    report = replayed(captured, {"orders": 3})
    assert {each.api for each in report.differences} == {"Metadata"}
    assert report.differences[0].fields[0].path == "topics[orders].partitions[2]"
    with Cluster(topics=TOPICS) as kafka:
        produce(kafka)
        report = kafka.replay(captured)
        found = [field.path for each in report.differences for field in each.fields]
        assert "responses[orders].partition_responses[0].base_offset" in found
        with pytest.raises(KafkaCompatError, match="is no capture"):
            kafka.replay(__file__)


def test_what_is_ignored_is_not_compared(captured: Path) -> None:
    with Cluster(topics={"orders": 3}) as kafka:
        assert kafka.replay(captured, ignore=["Metadata"]).is_equal
    with Cluster(topics={"orders": 3}) as kafka:
        assert kafka.replay(captured, ignore=["Metadata.topics.partitions"]).is_equal
    with Cluster(topics={"orders": 3}) as kafka:
        assert not kafka.replay(captured, ignore=["Metadata.topics.name"]).is_equal


def test_the_pace_of_the_capture_is_kept(tmp_path: Path) -> None:
    frame = b"\0\x12\0\0\0\0\0\1\xff\xff"
    entries = [Entry(REQUEST, 0, 18, 0, 1, 1, at_us, 0, frame) for at_us in (0, 800_000)]
    path = written(tmp_path, entries)
    with Cluster() as kafka:
        assert kafka.replay(path, speed=1).took_s >= 0.8
        assert kafka.replay(path, speed=4).took_s >= 0.2
        assert kafka.replay(path).sent == 2


def written(tmp_path: Path, entries: Sequence[Entry]) -> Path:
    path = tmp_path / "made.kct"
    path.write_bytes(encode_header({}) + b"".join(piece for entry in entries for piece in entry_pieces(entry)))
    return path


def test_a_connection_that_was_closed_has_to_be_closed_again(tmp_path: Path) -> None:
    unknown = b"\0\x12\0\0\0\0\0\1\xff\xff"
    malformed = b"\0\x03\0\0\0\0\0\2\xff\xff\xff\xff"
    for frame, paths in ((malformed, []), (unknown, ["the connection"])):
        entries = [
            Entry(OPEN, 0, 0, 0, 0, 1, 0, 0, b"{}"),
            Entry(REQUEST, 0, frame[1], 0, frame[7], 1, 1, 0, frame),
            Entry(CLOSE, 0, 0, 0, 0, 1, 2, 0, b'{"reason": "malformed"}'),
        ]
        with Cluster() as kafka:
            report = kafka.replay(written(tmp_path, entries))
        assert [field.path for each in report.differences for field in each.fields] == paths


def test_an_answer_that_does_not_come_is_a_difference(tmp_path: Path) -> None:
    frame = b"\0\x12\0\0\0\0\0\1\xff\xff"
    entries = [
        Entry(REQUEST, 0, 18, 0, 1, 1, 1, 0, frame),
        Entry(RESPONSE, 0, 18, 0, 1, 1, 2, 0, b"\0\0\0\1\0\0\0\0\0\0"),
    ]
    path = written(tmp_path, entries)
    for then, words in (("silence", "not there within 0.3 s more"), ({"drop": "before"}, "missing: the broker closed")):
        with Cluster() as kafka:
            kafka.faults.add(when={"api": "api_versions"}, then=then)  # type: ignore[arg-type]
            report = kafka.replay(path, timeout_s=0.3)
        assert words in str(report)
        assert "0 of 1 answers are equal" in str(report)


def test_a_broker_that_stops_answering_is_not_asked_for_ever(tmp_path: Path) -> None:
    entries = []
    for connection in range(1, 101):
        request = b"\0\x12\0\0" + connection.to_bytes(4, "big") + b"\xff\xff"
        answer = connection.to_bytes(4, "big") + bytes(6)
        entries.append(Entry(REQUEST, 0, 18, 0, connection, connection, connection * 2, 0, request))
        entries.append(Entry(RESPONSE, 0, 18, 0, connection, connection, connection * 2 + 1, 0, answer))
    path = written(tmp_path, entries)
    with Cluster() as kafka:
        kafka.faults.add(when={"api": "api_versions"}, then="silence")
        report = kafka.replay(path, timeout_s=0.1)
    assert (report.sent, report.compared, report.difference_count, report.skipped) == (3, 3, 3, 97)
    assert "0 of 3 answers are equal" in str(report)


def test_a_cut_file_is_replayed_up_to_there_and_a_damaged_one_is_refused(captured: Path, tmp_path: Path) -> None:
    data = captured.read_bytes()
    path = tmp_path / "cut.kct"
    path.write_bytes(data[:-200])
    report = replayed(path)
    assert report.is_equal, report
    assert report.cut_at is not None
    assert f"the file is cut at byte {report.cut_at}" in str(report)
    path.write_bytes(data[:-200] + bytes(200))
    with Cluster(topics=TOPICS) as kafka, pytest.raises(CaptureFileError, match="damaged"):
        kafka.replay(path)


def test_secrets_that_are_missing_are_not_sent(tmp_path: Path) -> None:
    entries = [
        Entry(REQUEST, 1, 44, 1, 1, 1, 1, 0, b"\0\x2c\0\1\0\0\0\1\xff\xff\0"),
        Entry(REQUEST, 0, 17, 1, 2, 1, 2, 0, b"\0\x11\0\1\0\0\0\2\xff\xff\0\5PLAIN"),
        Entry(RESPONSE, 0, 17, 1, 2, 1, 3, 0, b"\0\0\0\2\0\0\0\0\0\0"),
    ]
    with Cluster() as kafka:
        report = kafka.replay(written(tmp_path, entries))
    assert (report.sent, report.compared, report.skipped, report.is_equal) == (0, 0, 2, True)


def test_redacted_records_are_replayed_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.kct"
    with Cluster(topics=TOPICS) as kafka, kafka.capture(path, redact=["values"]):
        produce(kafka)
    with Cluster(topics=TOPICS) as kafka:
        report = kafka.replay(path)
        assert report.is_equal, report
        assert {record.value for record in kafka.records("orders")} == {b"xxxxxxx"}


def test_nobody_there_is_said_in_a_line(captured: Path) -> None:
    from kafkacompat.server.ports import PortFinder
    from kafkacompat.traffic.replay import Replay

    ports = PortFinder("127.0.0.1")
    try:
        replay = Replay(captured, ("127.0.0.1", ports.find(1)[0]))
        with pytest.raises(KafkaCompatError, match="cannot be reached: Connection refused"):
            replay.run()
    finally:
        ports.close()


def test_a_capture_of_a_replay_is_that_of_the_client(captured: Path, tmp_path: Path) -> None:
    with Cluster(topics=TOPICS) as kafka, kafka.capture(tmp_path / "b.kct"):
        kafka.replay(captured)
    sizes = []
    for path in (captured, tmp_path / "b.kct"):
        with CaptureFile(path) as capture:
            sizes.append([(e.connection, e.api_key, len(e.payload)) for e in capture if e.kind in (REQUEST, RESPONSE)])
    assert sizes[0] == sizes[1]
