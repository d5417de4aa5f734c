"""Variable-length integers, against known bytes and their own inverse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.protocol import varint


@pytest.mark.parametrize(
    ("value", "data"),
    [(0, b"\0"), (127, b"\x7f"), (128, b"\x80\1"), (300, b"\xac\2"), (2**32 - 1, b"\xff\xff\xff\xff\x0f")],
)
def test_unsigned(value: int, data: bytes) -> None:
    w = bytearray()
    varint.put_uvarint(w, value)
    assert w == data
    assert varint.read_uvarint(b"x" + data, 1) == (value, 1 + len(data))


@pytest.mark.parametrize(("value", "data"), [(0, b"\0"), (-1, b"\1"), (1, b"\2"), (-64, b"\x7f"), (64, b"\x80\1")])
def test_signed(value: int, data: bytes) -> None:
    w = bytearray()
    varint.put_varint(w, value)
    assert w == data
    assert varint.read_varint(data, 0) == (value, len(data))


@given(st.integers(-(2**63), 2**63 - 1))
def test_round_trip(value: int) -> None:
    w = bytearray()
    varint.put_varint(w, value)
    assert len(w) == varint.varint_size(value)
    assert varint.read_varlong(w, 0) == (value, len(w))
    if -(2**31) <= value < 2**31:
        assert varint.read_varint(w, 0) == (value, len(w))


@given(st.integers(0, 2**35 - 1))
def test_unsigned_round_trip(value: int) -> None:
    w = bytearray()
    varint.put_uvarint(w, value)
    assert len(w) == varint.uvarint_size(value)
    assert varint.read_uvarint(w, 0) == (value, len(w))


def test_too_long_or_too_short() -> None:
    with pytest.raises(ValueError, match="longer than five bytes"):
        varint.read_uvarint(b"\xff" * 5 + b"\1", 0)
    with pytest.raises(ValueError, match="longer than ten bytes"):
        varint.read_varlong(b"\xff" * 10 + b"\1", 0)
    for read in (varint.read_uvarint, varint.read_varint, varint.read_varlong):
        with pytest.raises(IndexError):
            read(b"\xff\xff", 0)
