"""How a reset fills the directories that it has emptied, where empty ones are not enough."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import TypeAlias

    FormatAnew: TypeAlias = Callable[[Collection[int]], Callable[[], "Fill"]]


class Fill(NamedTuple):
    """What fills the directories of nodes that a reset has emptied. Both may block.

    run: fills them, and returns how far the wall clock is to be from the system's, in ms; raises KafkaCompatError,
    OSError. close: ends it, used or not; a second call does nothing.
    """

    run: Callable[[], int]
    close: Callable[[], None]
