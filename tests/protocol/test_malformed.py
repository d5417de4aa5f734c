"""Whatever the bytes, decoding ends with a message or a MalformedMessageError, soon and in little memory."""

import contextlib
import os
import tracemalloc
from random import Random

import pytest

from kafkacompat.protocol import messages
from kafkacompat.protocol.primitives import MAX_ELEMENTS, MalformedMessageError
from tests.protocol.random_messages import Kind, api_kinds, random_message, record_kinds

SAMPLES = int(os.environ.get("KAFKACOMPAT_TEST_SAMPLES", "1"))
KINDS = api_kinds() + record_kinds()


def interesting_versions(kind: Kind) -> list[int]:
    """The first and last version, and those on both sides of the change to flexible versions."""
    low, high, flexible = kind.message.versions.low, kind.message.versions.high, kind.message.flexible.low
    return sorted({v for v in (low, high, flexible - 1, flexible) if low <= v <= high})


def decodes_or_refuses(kind: Kind, data: bytes, version: int) -> None:
    with contextlib.suppress(MalformedMessageError):
        kind.decode(data, version)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_cut_off_anywhere(kind: Kind) -> None:
    rng = Random(str(kind))
    for version in interesting_versions(kind):
        for _ in range(SAMPLES):
            data = kind.encode(random_message(kind, version, rng), version)
            for size in range(len(data)):
                with pytest.raises(MalformedMessageError, match=kind.message.name):
                    kind.decode(data[:size], version)
            if kind.message.name.endswith("Request"):  # as in Kafka, what follows a request is not looked at
                kind.decode(data + b"\0", version)
            else:
                with pytest.raises(MalformedMessageError, match=r"1 bytes too many|tagged"):
                    kind.decode(data + b"\0", version)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_bytes_overwritten(kind: Kind) -> None:
    """Lengths and counts become huge, negative, null: each byte is overwritten in turn."""
    rng = Random(str(kind))
    for version in interesting_versions(kind):
        for _ in range(SAMPLES):
            data = kind.encode(random_message(kind, version, rng), version)
            for pos in range(len(data)):
                for patch in (b"\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff\x0f", b"\0"):
                    decodes_or_refuses(kind, data[:pos] + patch + data[pos + len(patch) :], version)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_noise(kind: Kind) -> None:
    rng = Random(str(kind))
    for version in interesting_versions(kind):
        for size in (0, 1, 2, 5, 20, 100):
            decodes_or_refuses(kind, rng.randbytes(size), version)


def refusal(api_key: int, data: bytes, version: int) -> str:
    with pytest.raises(MalformedMessageError) as caught:
        messages.load(api_key).decode_request(data, 0, version)
    return str(caught.value)


def test_errors_name_message_version_and_reason() -> None:
    assert refusal(18, b"\x03a", 3) == "ApiVersionsRequest v3: ends too early"
    assert refusal(18, b"", 77) == "ApiVersionsRequest has no version 77"
    assert refusal(18, b"\0\2b\0", 3) == "ApiVersionsRequest v3: ApiVersionsRequest.client_software_name is null"
    assert refusal(18, b"\2\xff\2b\0", 3).startswith("ApiVersionsRequest v3: 'utf-8' codec can't decode")
    assert refusal(3, b"\x7f\xff\xff\xff", 0) == "MetadataRequest v0: MetadataRequest.topics claims 2147483647 elements"
    assert refusal(18, b"\2a\2b\xff\x7f", 3).endswith("message has more than 32 tagged fields in one place")
    assert refusal(18, b"\2a\2b\1\x63\x09", 3) == "ApiVersionsRequest v3: tagged field 99 claims 9 bytes"


def test_unknown_tagged_fields_are_skipped() -> None:
    request = messages.load(18).decode_request(b"\2a\2b\2\x63\3xyz\x80\1\0", 0, 3)
    assert (request.client_software_name, request.client_software_version) == ("a", "b")


def test_known_tag_of_wrong_length() -> None:
    fetch = messages.load(1)
    out: list[bytes] = []
    fetch.encode_request(fetch.FetchRequest(replica_state=fetch.ReplicaState(1, 2)), 17, out)
    data = b"".join(out)
    tag = b"\1\1\x0d" + (1).to_bytes(4) + (2).to_bytes(8) + b"\0"
    assert data.endswith(tag)
    with pytest.raises(MalformedMessageError, match="tagged field 1 of FetchRequest is not as long as it says"):
        fetch.decode_request(data[: -len(tag)] + b"\1\1\x0e" + tag[3:] + b"\0", 0, 17)


def test_compact_strings_are_limited_as_in_kafka() -> None:
    api_versions = messages.load(18)
    longest = "x" * 32767
    out: list[bytes] = []
    api_versions.encode_request(api_versions.ApiVersionsRequest(longest, "1"), 3, out)
    data = b"".join(out)
    assert api_versions.decode_request(data, 0, 3).client_software_name == longest
    assert refusal(18, b"\x81\x80\2" + data[3:], 3) == "ApiVersionsRequest v3: string of 32768 bytes"
    with pytest.raises(ValueError, match="string of 32768 bytes"):
        api_versions.encode_request(api_versions.ApiVersionsRequest(longest + "x", "1"), 3, out)


def test_elements_of_a_message_are_limited() -> None:
    """A small frame full of empty elements must not become hundreds of megabytes of objects."""
    metadata = messages.load(3)
    count = MAX_ELEMENTS + 1
    reason = refusal(3, count.to_bytes(4) + b"\0\0" * count, 0)
    assert reason == f"MetadataRequest v0: MetadataRequest.topics claims {count} elements"
    assert len(metadata.decode_request((count - 1).to_bytes(4) + b"\0\0" * (count - 1), 0, 0).topics) == MAX_ELEMENTS


def test_nested_counts_share_the_limit() -> None:
    half = MAX_ELEMENTS // 2 + 1
    topic = b"\0\1t" + half.to_bytes(4) + bytes(4 * half)  # OffsetDelete: a topic and its partitions
    data = b"\0\1g" + (2).to_bytes(4) + topic + topic
    assert "partitions claims" in refusal(47, data, 0)


def test_lying_count_allocates_nothing() -> None:
    tracemalloc.start()
    try:
        refusal(0, b"\xff\xff\0\1\0\0\0\1" + b"\x7f\xff\xff\xff" + bytes(1000), 3)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
