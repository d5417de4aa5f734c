"""Apache Kafka's DumpLogSegments reads the files that the broker wrote: records, offsets, metadata, indexes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.broker_process import Broker
from compat_tests.clients.java_tools.tools import CONFIGS, CONSOLE_CONSUMER, CONSOLE_PRODUCER, DUMP_LOG, OFFSETS, Tools

FIRST = "00000000000000000000"
pytestmark = pytest.mark.api("Metadata")


@pytest.fixture
def tools_version() -> str:
    """The newest alone: the files are not the client's, and the tool knows the records of its own time."""
    return KAFKA_VERSION


@pytest.fixture
def data_dir(broker: Broker) -> Path:
    """Where the broker keeps its files."""
    if not broker.data_dirs:
        pytest.skip("the broker's files are somewhere else")
    return broker.data_dirs[0]


def dump(tools: Tools, file: Path, *arguments: str) -> str:
    """What the tool says about one file, every batch of which must be valid."""
    dumped = tools.offline(DUMP_LOG, "--files", str(file), *arguments)
    assert "isvalid: false" not in dumped
    assert "Exception" not in dumped
    return dumped


@pytest.mark.api("Produce")
def test_records(tools: Tools, data_dir: Path, topic: str) -> None:
    tools.run(CONSOLE_PRODUCER, "--topic", topic, stdin="\n".join(f"line {n}" for n in range(5)))
    dumped = dump(tools, data_dir / f"{topic}-0" / f"{FIRST}.log", "--print-data-log", "--deep-iteration")
    assert re.findall(r"offset: (\d+) .*payload: (.*)$", dumped, re.M) == [(str(n), f"line {n}") for n in range(5)]
    assert "isvalid: true" in dumped


@pytest.mark.full
@pytest.mark.api("Produce")
def test_indexes_of_rolled_segments(tools: Tools, data_dir: Path, topic: str) -> None:
    tools.create(topic, segment_bytes="1048576", index_interval_bytes="100")
    lines = [f"{n} ".ljust(4000, "x") for n in range(700)]
    tools.run(CONSOLE_PRODUCER, "--topic", topic, stdin="\n".join(lines))
    directory = data_dir / f"{topic}-0"
    segments = sorted(directory.glob("*.log"))
    assert len(segments) >= 2
    for segment in segments[:-1]:
        for suffix in (".index", ".timeindex"):
            index = segment.with_suffix(suffix)
            assert index.stat().st_size > 0
            assert "offset" in dump(tools, index, "--deep-iteration")
            # told of an index that does not fit its log, it lists the offsets that do not match
            assert "Mismatches" not in dump(tools, index, "--verify-index-only")
            assert "Found timestamp mismatch" not in dump(tools, index, "--index-sanity-check")
    ends = tools.run(OFFSETS, "--topic", topic)
    assert ends.strip() == f"{topic}:0:700"


@pytest.mark.full
@pytest.mark.api("InitProducerId", "Produce")
def test_producer_snapshot(tools: Tools, data_dir: Path, topic: str) -> None:
    tools.create(topic, segment_bytes="1048576")
    lines = [f"{n} ".ljust(4000, "x") for n in range(400)]
    tools.run(CONSOLE_PRODUCER, "--topic", topic, stdin="\n".join(lines))
    snapshots = sorted((data_dir / f"{topic}-0").glob("*.snapshot"))
    assert snapshots
    dumped = dump(tools, snapshots[-1])
    assert re.search(r"producerId: \d+ producerEpoch: 0", dumped)


@pytest.mark.full
@pytest.mark.api("JoinGroup", "OffsetCommit")
def test_group_offsets(tools: Tools, data_dir: Path, topic: str, group: str) -> None:
    tools.run(CONSOLE_PRODUCER, "--topic", topic, stdin="one\ntwo\nthree")
    tools.run(CONSOLE_CONSUMER, "--topic", topic, "--group", group, "--from-beginning", "--max-messages", "3")
    found = ""
    for directory in data_dir.glob("__consumer_offsets-*"):
        log = directory / f"{FIRST}.log"
        if log.exists() and group.encode() in log.read_bytes():
            found = dump(tools, log, "--offsets-decoder")
    assert f'"group":"{group}","topic":"{topic}","partition":0' in found
    assert re.search(r'"version":"4","data":\{"offset":3,', found)
    assert f'"data":{{"group":"{group}"}}' in found  # the group's own record
    assert '"protocolType":"consumer"' in found


@pytest.mark.api("CreateTopics", "IncrementalAlterConfigs")
def test_metadata_log(tools: Tools, data_dir: Path, topic: str) -> None:
    tools.create(topic, 2, retention_ms="1234")
    tools.run(
        CONFIGS, "--alter", "--entity-type", "topics", "--entity-name", topic, "--add-config", "segment.bytes=2000000"
    )
    log = data_dir / "__cluster_metadata-0" / f"{FIRST}.log"
    dumped = dump(tools, log, "--cluster-metadata-decoder")
    assert f'"type":"TOPIC_RECORD","version":0,"data":{{"name":"{topic}"' in dumped
    assert f'"resourceName":"{topic}","name":"retention.ms","value":"1234"' in dumped
    assert f'"resourceName":"{topic}","name":"segment.bytes","value":"2000000"' in dumped
    for record in (
        "REGISTER_BROKER_RECORD",
        "BROKER_REGISTRATION_CHANGE_RECORD",
        "FEATURE_LEVEL_RECORD",
        "PARTITION_RECORD",
    ):
        assert f'"type":"{record}"' in dumped
    assert "LeaderChange" in dumped
