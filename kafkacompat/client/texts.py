"""Parts of sentences for the user."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.client.client import Place


def counted(count: int, noun: str) -> str:
    """1 record, 2 records."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def partition_of(place: Place) -> str:
    """partition 0 of topic 'orders'."""
    return f"partition {place[1]} of topic {place[0]!r}"


def one_line(text: object) -> str:
    """A text without line ends."""
    return " ".join(str(text).split())
