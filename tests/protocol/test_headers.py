"""The hand-written headers equal those of the notation, and invalid ones are refused."""

from typing import Any

import pytest

from kafkacompat.protocol import api_keys, headers
from kafkacompat.protocol.api_keys import API_VERSIONS
from kafkacompat.protocol.headers import RequestHeader
from kafkacompat.protocol.internal import headers as described
from kafkacompat.protocol.primitives import MalformedMessageError


@pytest.mark.parametrize("client_id", [None, "", "producer-1", "ü"])
@pytest.mark.parametrize(("api_key", "version"), [(0, 8), (0, 9), (17, 1), (18, 2), (18, 3), (1, 18), (999, 3)])
def test_request_header(client_id: str | None, api_key: int, version: int) -> None:
    header = RequestHeader(api_key, version, -7, client_id)
    data = headers.encode_request_header(header)
    assert headers.decode_request_header(data + b"body") == (header, len(data))
    parts: list[Any] = []
    same = described.RequestHeader(api_key, version, -7, client_id)
    described.encode_request_header(same, 2 if headers.is_flexible(api_key, version) else 1, parts)
    assert b"".join(parts) == data


def test_tagged_fields_of_a_request_header_are_skipped() -> None:
    data = b"\0\x12\0\3\0\0\0\1\0\1c" + b"\1\5\2zz" + b"body"
    assert headers.decode_request_header(data) == (RequestHeader(API_VERSIONS, 3, 1, "c"), len(data) - 4)


@pytest.mark.parametrize("flexible", [False, True])
def test_response_header(flexible: bool) -> None:
    data = headers.encode_response_header(42, flexible)
    assert headers.decode_response_header(data + b"body", flexible) == (42, len(data))
    parts: list[Any] = []
    described.encode_response_header(described.ResponseHeader(42), int(flexible), parts)
    assert b"".join(parts) == data


def test_api_versions_answers_with_the_oldest_header() -> None:
    assert headers.is_flexible(api_keys.API_VERSIONS, 3)
    assert not headers.response_header_is_flexible(api_keys.API_VERSIONS, 3)
    assert headers.response_header_is_flexible(api_keys.FETCH, 12)
    assert not headers.response_header_is_flexible(api_keys.FETCH, 11)


@pytest.mark.parametrize("data", [b"", b"\0\x12\0\3\0\0\0\1\0", b"\0\x12\0\3\0\0\0\1\0\4c", b"\0\x12\0\3\0\0\0\1\0\1c"])
def test_short_request_header(data: bytes) -> None:
    with pytest.raises(MalformedMessageError, match="request header"):
        headers.decode_request_header(data)


def test_bad_request_headers() -> None:
    with pytest.raises(MalformedMessageError, match="utf-8"):
        headers.decode_request_header(b"\0\x12\0\0\0\0\0\1\0\1\xff")
    with pytest.raises(MalformedMessageError, match="tagged field 5 claims 9 bytes"):
        headers.decode_request_header(b"\0\x12\0\3\0\0\0\1\0\1c\1\5\x09z")


@pytest.mark.parametrize("data", [b"", b"\0\0\0\1", b"\0\0\0\1\1", b"\0\0\0\1\1\5\7z"])
def test_bad_response_header(data: bytes) -> None:
    with pytest.raises(MalformedMessageError, match="response header"):
        headers.decode_response_header(data, flexible=True)
