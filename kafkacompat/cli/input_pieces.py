"""Standard input in pieces, as they come: what a person has typed is produced at once."""

from __future__ import annotations

import os
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE_BYTES = 1024 * 1024


class InputPieces:
    """Iterates over what `descriptor` has; `has_more` says whether reading again would not wait."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __iter__(self) -> Iterator[bytes]:
        while piece := os.read(self._descriptor, PIECE_BYTES):
            yield piece

    def has_more(self) -> bool:
        """Whether there are bytes already, or the end."""
        try:
            return bool(select.select([self._descriptor], [], [], 0)[0])
        except (OSError, ValueError):  # Windows has no select for pipes
            return False
