"""The releases of Apache Kafka that a broker can stand for (`emulated.release`), and the numbers of Confluent's."""

from __future__ import annotations

NONE = "none"
RELEASES = (
    "2.8", "3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9", "4.0", "4.1", "4.2", "4.3", "4.4",
)  # fmt: skip
CONFLUENT = {
    "6.2": "2.8", "7.0": "3.0", "7.1": "3.1", "7.2": "3.2", "7.3": "3.3", "7.4": "3.4", "7.5": "3.5", "7.6": "3.6",
    "7.7": "3.7", "7.8": "3.8", "7.9": "3.9", "8.0": "4.0", "8.1": "4.1", "8.2": "4.2",
}  # fmt: skip
"""Confluent Platform's releases, with the Apache Kafka in each."""

FIRST_WITH_TIMESTAMP_LIMIT = "4.0"
NO_LIMIT_MS = "9223372036854775807"


def release_of(version: str) -> str:
    """The release line of a version: 3.9 of "3.9", "3.9.2" and Confluent's "7.9.1". Raises ValueError with one line for
    the user."""
    line = ".".join(version.strip().split(".")[:2])
    line = CONFLUENT.get(line, line)
    if line not in RELEASES:
        known = f"{RELEASES[0]} to {RELEASES[-1]}, or of Confluent's {', '.join(CONFLUENT)}"
        raise ValueError(f"version {version!r} is not known: use one of {known}")
    return line


def settings_of(release: str) -> dict[str, str]:
    """The settings that make a broker stand for a release. Its other defaults are those of Apache Kafka 4.3.1, or have
    no effect here.
    """
    settings = {"emulated.release": release}
    if is_before(release, FIRST_WITH_TIMESTAMP_LIMIT):  # KIP-1030
        settings["log.message.timestamp.after.max.ms"] = NO_LIMIT_MS
    return settings


def is_before(release: str, other: str) -> bool:
    """Whether a release came before another one."""
    return RELEASES.index(release) < RELEASES.index(other)
