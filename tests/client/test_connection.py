"""What a peer is that does not answer as Kafka does."""

from __future__ import annotations

import pytest

from kafkacompat.client.connection import address_of, describe_bytes


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"HTTP", "it speaks HTTP"), (b"\x15\x03\x03\x00", "it speaks TLS: use --tls"), (b"SSH-", "it speaks SSH"),
        (b"\xff\0\0\0", r"its first bytes are b'\xff\x00\x00\x00'"),
    ],
)  # fmt: skip
def test_first_bytes_tell_what_speaks(start: bytes, what: str) -> None:
    assert describe_bytes(start) == what


def test_addresses_are_written_as_people_read_them() -> None:
    assert address_of("::1", 9092) == "[::1]:9092"
    assert address_of("localhost", 9092) == "localhost:9092"
