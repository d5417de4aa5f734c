"""Messages of all kinds survive encoding and decoding, and what a version cannot carry is refused."""

import subprocess
import sys
from random import Random
from typing import Any

import pytest

from kafkacompat.protocol import api_keys, messages
from kafkacompat.protocol.messages import fetch, find_coordinator, metadata, produce
from kafkacompat.protocol.primitives import UnsupportedFieldError, UnsupportedVersionError
from tests.protocol.random_messages import Kind, api_kinds, random_message, record_kinds

KINDS = api_kinds() + record_kinds()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_round_trip(kind: Kind) -> None:
    rng = Random(str(kind))
    for version in kind.message.all_versions():
        for _ in range(4):
            message = random_message(kind, version, rng)
            data = kind.encode(message, version)
            for buf in (data, bytearray(data)):
                decoded = kind.decode(buf, version)
                assert decoded == message
                assert kind.encode(decoded, version) == data
            assert kind.decode(b"head" + data, version, pos=4) == message


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_defaults(kind: Kind) -> None:
    """A message made without arguments can be written in its highest version, as in Kafka."""
    message = getattr(kind.module, kind.message.struct.class_name)()
    version = kind.message.versions.high
    assert repr(message).startswith(kind.message.struct.class_name + "(")
    assert kind.decode(kind.encode(message, version), version) == message


def test_fields_keep_their_types() -> None:
    request = produce.ProduceRequest(
        "txn",
        -1,
        1000,
        [produce.TopicProduceData(topic_id=b"i" * 16, partition_data=[produce.PartitionProduceData(3, b"xyz")])],
    )
    parts: list[Any] = []
    produce.encode_request(request, 13, parts)
    assert parts[1] == b"xyz"  # records go out as they came in
    for buf in (b"".join(parts), bytearray(b"".join(parts))):
        decoded = produce.decode_request(buf, 0, 13)
        partition = decoded.topic_data[0].partition_data[0]
        assert type(decoded.topic_data[0].topic_id) is bytes
        assert type(decoded.topic_data) is list
        assert type(partition.records) is memoryview
        assert partition.records.obj is buf
        assert decoded == request


def test_records_may_be_anything_with_a_length() -> None:
    class Slice:
        def __len__(self) -> int:
            return 1000

    records = Slice()
    parts: list[Any] = []
    partition = fetch.PartitionData(1, records=records)
    fetch.encode_response(
        fetch.FetchResponse(responses=[fetch.FetchableTopicResponse("t", partitions=[partition])]), 12, parts
    )
    assert parts[1] is records
    whole = bytes(parts[0]) + bytes(1000) + bytes(parts[2])
    assert len(fetch.decode_response(whole, 0, 12).responses[0].partitions[0].records) == 1000  # type: ignore[arg-type]


def test_absent_fields_get_their_defaults() -> None:
    partition = fetch.FetchPartition(1, log_start_offset=9)
    request = fetch.FetchRequest(replica_id=5, topics=[fetch.FetchTopic("t", partitions=[partition])])
    out: list[Any] = []
    fetch.encode_request(request, 4, out)
    decoded = fetch.decode_request(bytes(out[0]), 0, 4)
    assert decoded.replica_id == 5
    assert decoded.session_epoch == -1
    assert decoded.topics[0].partitions[0].log_start_offset == -1  # ignorable, so dropped
    assert decoded.replica_state == fetch.ReplicaState(-1, -1)


def test_fields_that_a_version_lacks() -> None:
    with pytest.raises(UnsupportedFieldError, match=r"FetchRequest.replica_id exists in versions 0-14 only"):
        fetch.encode_request(fetch.FetchRequest(replica_id=3), 15, [])
    with pytest.raises(UnsupportedFieldError, match=r"coordinator_keys exists in versions 4\+"):
        find_coordinator.encode_request(find_coordinator.FindCoordinatorRequest(coordinator_keys=["a"]), 3, [])
    with pytest.raises(UnsupportedFieldError, match=r"MetadataRequest.topics may not be null"):
        metadata.encode_request(metadata.MetadataRequest(topics=None), 0, [])


def test_failed_encoding_leaves_nothing_behind() -> None:
    out: list[Any] = [b"header"]
    with pytest.raises(UnsupportedFieldError):
        fetch.encode_request(fetch.FetchRequest(replica_id=3), 15, out)
    with pytest.raises(UnsupportedVersionError, match="FetchRequest has no version 3"):
        fetch.encode_request(fetch.FetchRequest(), 3, out)
    assert out == [b"header"]


def test_shared_defaults_cannot_be_changed() -> None:
    partition = produce.PartitionProduceResponse()
    with pytest.raises(TypeError, match=r"assign a new object instead of changing \.leader_id"):
        partition.current_leader.leader_id = 3
    partition.current_leader = produce.LeaderIdAndEpoch(3, 4)
    assert produce.PartitionProduceResponse().current_leader == produce.LeaderIdAndEpoch(-1, -1)
    assert partition != produce.PartitionProduceResponse()
    assert partition.current_leader != produce.PartitionProduceResponse().current_leader


def test_equality_and_repr() -> None:
    assert produce.NodeEndpoint(1, "h", 2) == produce.NodeEndpoint(1, "h", 2)
    assert produce.NodeEndpoint(1, "h", 2) != fetch.NodeEndpoint(1, "h", 2)
    assert produce.ProduceRequest(topic_data=[]) == produce.ProduceRequest()
    assert repr(produce.NodeEndpoint(1, "h", 2)) == "NodeEndpoint(node_id=1, host='h', port=2, rack=None)"
    with pytest.raises(TypeError, match="unhashable"):
        hash(produce.NodeEndpoint())


def test_loading_by_key() -> None:
    assert messages.load(api_keys.LIST_OFFSETS).__name__ == "kafkacompat.protocol.messages.list_offsets"
    assert messages.stem(api_keys.ADD_RAFT_VOTER) == "add_raft_voter"
    with pytest.raises(KeyError):
        messages.load(4)


def test_modules_state_their_versions() -> None:
    for key, stem in api_keys.STEMS.items():
        module = messages.load(key)
        assert module.__name__.endswith("." + stem)
        assert key == module.API_KEY
        assert api_keys.VERSIONS[key] == (module.MIN_VERSION, module.MAX_VERSION)
        assert api_keys.FLEXIBLE_SINCE[key] == module.FLEXIBLE_VERSION


def test_importing_the_package_imports_no_message() -> None:
    code = (
        "import sys; before = set(sys.modules); import kafkacompat.protocol.messages, kafkacompat.protocol.headers;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    loaded = set(done.stdout.split())
    assert not {name for name in loaded if name.startswith("kafkacompat.protocol.messages.")}
    assert not loaded & {"typing", "dataclasses", "enum", "uuid", "inspect", "asyncio", "importlib.metadata"}
