"""Uuids as texts, and the errors that messages raise."""

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.protocol import primitives
from kafkacompat.protocol.primitives import ZERO_UUID, uuid_from_text, uuid_to_text


def test_known_uuids() -> None:
    assert uuid_to_text(ZERO_UUID) == "AAAAAAAAAAAAAAAAAAAAAA"
    assert uuid_to_text(bytes(15) + b"\1") == "AAAAAAAAAAAAAAAAAAAAAQ"


@given(st.binary(min_size=16, max_size=16))
def test_uuid_round_trip(uuid: bytes) -> None:
    text = uuid_to_text(uuid)
    assert text == base64.urlsafe_b64encode(uuid).decode().rstrip("=")
    assert uuid_from_text(text) == uuid


@pytest.mark.parametrize(
    "text", ["", "a", "AAAAAAAAAAAAAAAAAAAAAR", "AAAAAAAAAAAAAAAAAAAAA", "ü" * 22, "+" * 22, "A" * 24, "A A"]
)
def test_what_is_no_uuid(text: str) -> None:
    with pytest.raises(ValueError, match="is not a uuid"):
        uuid_from_text(text)


def test_reasons() -> None:
    assert str(primitives.malformed("M", 1, IndexError("x"))) == "M v1: ends too early"
    assert str(primitives.malformed("M", 1, struct.error("x"))) == "M v1: ends too early"
    assert str(primitives.malformed("M", 1, ValueError("why"))) == "M v1: why"
    assert str(primitives.malformed("M", 1, KeyError(1))) == "M has no version 1"
    assert str(primitives.wrong_end("M", 1, 3, 5)) == "M v1: 2 bytes too many"
    assert str(primitives.wrong_end("M", 1, 9, 5)) == "M v1: ends too early"


def test_records_that_may_not_be_null() -> None:
    for put in (primitives.put_records, primitives.put_compact_records):
        with pytest.raises(ValueError, match="records is null"):
            put([bytearray()], None)
