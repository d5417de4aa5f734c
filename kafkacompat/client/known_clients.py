"""Which releases of clients fit a broker's versions. Kafka 4.0 dropped old ones (KIP-896)."""

from __future__ import annotations

from kafkacompat.client.finding import Finding
from kafkacompat.protocol.api_keys import FETCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FITS_KAFKA_4 = {
    "java": "2.1.0", "librdkafka": "1.8.2", "kafkajs": "1.15.0", "sarama": "1.30.1", "kafka-python": "2.0.2",
}  # fmt: skip
"""The releases that KIP-896 names as those whose versions Kafka 4.0 keeps."""
ALIASES = {"confluent-kafka": "librdkafka", "confluent-kafka-python": "librdkafka", "kafka-clients": "java"}
FIRST_FETCH_OF_KAFKA_4 = 4
"""Kafka 4.0 dropped the older ones, as it did with other requests."""


def client_finding(versions: Mapping[int, tuple[int, int]], wanted: str | None) -> Finding:
    """What a broker's versions mean for clients; `wanted` is one like "librdkafka:1.5"."""
    if versions.get(FETCH, (0, 0))[0] < FIRST_FETCH_OF_KAFKA_4:
        return Finding("versions", "ok", "the broker still has the versions of clients from before 2018")
    oldest = ", ".join(f"{name} {version}" for name, version in FITS_KAFKA_4.items())
    if wanted is None:
        return Finding("versions", "ok", f"as Kafka 4, for clients since {oldest}")
    name, _, version = wanted.lower().partition(":")
    name = ALIASES.get(name, name)
    if name not in FITS_KAFKA_4:
        return Finding("versions", "warn", f"nothing is known of {name}; known are {', '.join(FITS_KAFKA_4)}")
    first = FITS_KAFKA_4[name]
    if _numbers(version) >= _numbers(first):
        return Finding("versions", "ok", f"{name} {version} fits: the first that is known to is {first}")
    return Finding(
        "versions", "fail", f"{name} {version} is too old: the broker dropped requests of clients before {first}, as "
        "Kafka 4.0 did",
        f"use {name} {first} or newer, or a broker of Kafka 3.9", "client-too-old", "refused",
    )  # fmt: skip


def _numbers(version: str) -> tuple[int, ...]:
    """1.8.2 as numbers; what is none ends it."""
    numbers = []
    for part in version.split("."):
        if not part.isdecimal():
            break
        numbers.append(int(part))
    return tuple(numbers)
