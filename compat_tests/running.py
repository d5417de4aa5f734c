"""What many tests share, by its kind: made when it is first asked for, closed at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar


class Closable(Protocol):
    def close(self) -> None: ...


Shared = TypeVar("Shared", bound=Closable)


def closed_at_the_end() -> Iterator[dict[str, Shared]]:
    """For a fixture of the tests that share it: whatever is put into the dict is closed, started or not."""
    running: dict[str, Shared] = {}
    yield running
    for each in running.values():
        each.close()
