"""What the recorder tells from the bytes of a connection."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_tests.recorder.sniffer import MAX_OPEN_REQUESTS, Conversation, Counts, Frames, Readdresser, readdressed
from kafkacompat.protocol import headers
from kafkacompat.protocol.messages import metadata

METADATA, FETCH = 3, 1


def framed(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


def request(key: int, version: int, correlation_id: int, rest: bytes = b"rest") -> bytes:
    return framed(struct.pack(">hhi", key, version, correlation_id) + rest)


def answer(correlation_id: int, rest: bytes = b"answer") -> bytes:
    return framed(struct.pack(">i", correlation_id) + rest)


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=8), st.data())
def test_frames_are_found_however_the_stream_is_cut(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(framed(body) for body in bodies)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    frames = Frames(8)
    heads = [
        head
        for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)
        for head in frames.feed(stream[start:end])
    ]
    assert heads == [body[:8] for body in bodies]
    assert not frames.lost


@pytest.mark.parametrize("size", [0, -1, 2**31 - 1])
def test_what_is_no_frame_is_only_passed_on(size: int) -> None:
    frames = Frames(8)
    assert frames.feed(struct.pack(">i", size) + b"whatever") == []
    assert frames.lost
    assert frames.feed(framed(b"12345678")) == []


def test_answers_are_counted_by_version() -> None:
    counts = Counts()
    talk = Conversation(counts)
    talk.asked(request(METADATA, 12, 1) + request(FETCH, 4, 2) + request(METADATA, 12, 3))
    talk.answered(answer(1) + answer(2))
    talk.answered(answer(77))  # nobody asked
    assert counts.take() == {"Metadata": {"12": 1}, "Fetch": {"4": 1}}
    assert counts.take() == {}
    talk.answered(answer(3))
    assert counts.take() == {"Metadata": {"12": 1}}


def test_requests_that_are_never_answered_are_forgotten() -> None:
    talk = Conversation(Counts())
    for number in range(MAX_OPEN_REQUESTS + 1):
        talk.asked(request(METADATA, 1, number))
    assert talk.answer_of(struct.pack(">i", 0)) is None
    assert talk.answer_of(struct.pack(">i", 1)) == (METADATA, 1)


@pytest.mark.parametrize("version", [4, 12])
def test_addresses_are_rewritten_and_nothing_else(version: int) -> None:
    said = metadata.MetadataResponse(
        cluster_id="cluster", controller_id=1,
        brokers=[metadata.MetadataResponseBroker(1, "far", 9092), metadata.MetadataResponseBroker(2, "away", 9093)],
    )  # fmt: skip
    body: list[bytes] = []
    metadata.encode_response(said, version, body)
    head = struct.pack(">i", 5) + b"\0" * headers.response_header_is_flexible(METADATA, version)
    frame = readdressed(head + b"".join(body), METADATA, version, lambda address: ("here", address[1] + 1))
    heard = metadata.decode_response(frame[len(head) :], 0, version)
    assert [(node.host, node.port) for node in heard.brokers] == [("here", 9093), ("here", 9094)]
    assert (heard.cluster_id, heard.controller_id, frame[: len(head)]) == ("cluster", 1, head)


def test_an_answer_that_cannot_be_read_passes_as_it_came() -> None:
    counts = Counts()
    talk = Conversation(counts)
    talk.asked(request(METADATA, 12, 1))
    frames = answer(1, b"\xff\xff") + answer(9, b"of somebody else")
    rewriter = Readdresser(talk, lambda address: address)
    assert rewriter.feed(frames[:5]) + rewriter.feed(frames[5:]) == frames
