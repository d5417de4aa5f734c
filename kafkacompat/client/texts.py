"""Parts of sentences for the user."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """1 record, 2 records."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def partition_of(place: tuple[str, int]) -> str:
    """partition 0 of topic 'orders'."""
    return f"partition {place[1]} of topic {place[0]!r}"


def one_line(text: object) -> str:
    """A text without line ends."""
    return " ".join(str(text).split())
