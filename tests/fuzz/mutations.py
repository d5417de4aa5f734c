"""Frames that are wrong: bytes, lengths and counts changed, pieces cut out, doubled or put elsewhere."""

import struct
from random import Random

BYTES = (0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF)
SHORTS = (0, 1, -1, 0x7FFF, -0x8000)
INTS = (0, 1, -1, 0x7FFFFFFF, -0x80000000, 200_000, 200_001, 0x10000)


def mutate(frame: bytes, rng: Random) -> bytes:
    """One to four changes."""
    data = bytearray(frame)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        rng.choice(MUTATIONS)(data, rng)
    return bytes(data)


def _at(data: bytearray, rng: Random) -> int:
    """Anywhere, but in half of the cases behind the part of the header that only names the API."""
    if len(data) > 9 and rng.random() < 0.8:
        return rng.randrange(8, len(data))
    return rng.randrange(len(data)) if data else 0


def _set_byte(data: bytearray, rng: Random) -> None:
    if data:
        data[_at(data, rng)] = rng.choice((*BYTES, rng.randrange(256)))


def _flip_bit(data: bytearray, rng: Random) -> None:
    if data:
        data[_at(data, rng)] ^= 1 << rng.randrange(8)


def _set_short(data: bytearray, rng: Random) -> None:
    at = _at(data, rng)
    data[at : at + 2] = struct.pack(">h", rng.choice(SHORTS))


def _set_int(data: bytearray, rng: Random) -> None:
    at = _at(data, rng)
    data[at : at + 4] = struct.pack(">i", rng.choice(INTS))


def _set_varint(data: bytearray, rng: Random) -> None:
    at = _at(data, rng)
    data[at : at + 1] = b"\xff" * rng.choice((1, 4, 9, 12)) + bytes((rng.choice((0x00, 0x01, 0x0F, 0x7F)),))


def _truncate(data: bytearray, rng: Random) -> None:
    del data[_at(data, rng) :]


def _cut_out(data: bytearray, rng: Random) -> None:
    at = _at(data, rng)
    del data[at : at + rng.randrange(1, 9)]


def _insert(data: bytearray, rng: Random) -> None:
    at = _at(data, rng)
    data[at:at] = rng.randbytes(rng.randrange(1, 9))


def _double(data: bytearray, rng: Random) -> None:
    at = _at(data, rng)
    data[at:at] = data[at : at + rng.randrange(1, 40)]


def _append(data: bytearray, rng: Random) -> None:
    data += rng.randbytes(rng.choice((1, 4, 300)))


MUTATIONS = (
    _set_byte, _set_byte, _flip_bit, _set_short, _set_int, _set_varint, _truncate, _cut_out, _insert, _double, _append,
)  # fmt: skip
