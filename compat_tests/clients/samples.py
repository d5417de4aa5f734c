"""Records that every client must be able to write and read back, and what the tests of all clients have in common."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

CODECS = (None, "gzip", "snappy", "lz4", "zstd")
MEGABYTE = 1_000_000
"""Fits under Kafka's max.message.bytes of 1,048,588 with its batch around it."""

WAIT_S = 20.0
"""How long a client may take, in seconds, for what takes it a moment: less than the 30 s after which clients ask again,
so that an answer that never came is seen."""
REFERENCE_WAIT_S = 60.0
"""The same with Apache Kafka, with which we compare and which is not tested: on a busy machine JVMs starve first."""

STATIC_SESSION_MS = 30_000
"""Of static members that come back: they have to be there again before it is over."""
RETURN_WAIT_S = 60.0
"""How long members that come back may take: longer than their session, so that a wait does not end before it."""


class Patience:
    """`wait_s`: which of the two holds in this test (`compat_tests/clients/conftest.py` sets it)."""

    wait_s = WAIT_S


class Sample(NamedTuple):
    """One record as a client sends it and must read it back."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


EDGE_SAMPLES = (
    Sample(None, b"value alone"),
    Sample(b"key alone", None),
    Sample(None, b""),
    Sample(b"", b"empty key"),
    Sample(b"\x00\xff", bytes(range(256))),
    Sample(b"k", b"one header", (("trace", b"\x01\x02"),)),
    Sample(b"k", b"null header", (("nothing", None),)),
    Sample(b"k", b"empty header", (("empty", b""),)),
    Sample(b"k", b"duplicate headers", (("same", b"1"), ("other", b"x"), ("same", b"2"))),
    Sample(b"k", b"words", (("grüße-日本", "käse".encode()),)),
)


def numbered(count: int, prefix: str = "record") -> list[bytes]:
    """`count` distinct values, in order."""
    return [f"{prefix}-{n:06d}".encode() for n in range(count)]


def incompressible(size: int) -> bytes:
    """`size` bytes that no codec makes smaller; the same ones each time."""
    return random.Random(size).randbytes(size)


def eventually(condition: Callable[[], bool], timeout_s: float = 30.0, pause_s: float = 0.05) -> None:
    """Wait until `condition` holds. Raises AssertionError when it does not within `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"not true within {timeout_s} s"
        time.sleep(pause_s)


def java_partition(key: bytes, partitions: int) -> int:
    """Where the Java client puts a key: murmur2 (32 bits, seed 0x9747b28c) without its sign, modulo the count."""
    mask, factor = 0xFFFFFFFF, 0x5BD1E995
    found = 0x9747B28C ^ len(key)
    whole = len(key) & ~3
    for at in range(0, whole, 4):
        word = int.from_bytes(key[at : at + 4], "little") * factor & mask
        found = (found * factor & mask) ^ ((word ^ (word >> 24)) * factor & mask)
    if key[whole:]:
        found = (found ^ int.from_bytes(key[whole:], "little")) * factor & mask
    found = (found ^ (found >> 13)) * factor & mask
    found ^= found >> 15
    return (found & 0x7FFFFFFF) % partitions
