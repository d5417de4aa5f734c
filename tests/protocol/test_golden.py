"""Frames recorded from Apache Kafka decode and encode to the same bytes."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kafkacompat.protocol import api_keys, headers, messages

GOLDEN = Path(__file__).parent.parent / "golden"


@cache
def frames() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / "index.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("frame", frames(), ids=lambda frame: frame["name"])
def test_request(frame: dict[str, Any]) -> None:
    data = (GOLDEN / f"{frame['name']}.request").read_bytes()
    module = messages.load(frame["key"])
    header, pos = headers.decode_request_header(data)
    assert (header.api_key, header.api_version, header.client_id) == (frame["key"], frame["version"], frame["client"])
    assert api_keys.name(header.api_key) == frame["api"]
    parts: list[Any] = [headers.encode_request_header(header)]
    module.encode_request(module.decode_request(data, pos, frame["version"]), frame["version"], parts)
    assert b"".join(parts) == data


def answered() -> list[dict[str, Any]]:
    return [frame for frame in frames() if (GOLDEN / f"{frame['name']}.response").exists()]


def test_all_frames_are_here() -> None:
    assert (len(frames()), len(answered())) == (223, 222)


@pytest.mark.parametrize("frame", answered(), ids=lambda frame: frame["name"])
def test_response(frame: dict[str, Any]) -> None:
    data = (GOLDEN / f"{frame['name']}.response").read_bytes()
    module = messages.load(frame["key"])
    flexible = headers.response_header_is_flexible(frame["key"], frame["version"])
    correlation_id, pos = headers.decode_response_header(data, flexible)
    parts: list[Any] = [headers.encode_response_header(correlation_id, flexible)]
    module.encode_response(module.decode_response(data, pos, frame["version"]), frame["version"], parts)
    assert b"".join(parts) == data


def body(request: bytes) -> tuple[int, int]:
    header, pos = headers.decode_request_header(request)
    return pos, header.api_version


def test_values_of_a_produce() -> None:
    data = (GOLDEN / "Produce-v13-01.request").read_bytes()
    request = messages.load(api_keys.PRODUCE).decode_request(data, *body(data))
    (topic,) = request.topic_data
    (partition,) = topic.partition_data
    assert (request.transactional_id, request.acks, topic.name) == (None, -1, "")
    assert len(topic.topic_id) == 16
    assert isinstance(partition.records, memoryview)
    assert partition.records.obj is data  # a slice, not a copy
    assert partition.records[16] == 2  # magic of a record batch
