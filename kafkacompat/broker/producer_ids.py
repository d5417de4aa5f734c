"""Producer ids, handed out from blocks that the controller gives to this broker
(org.apache.kafka…ProducerIdManager).
"""


class ProducerIds:
    """The rest of the newest block. Pure: whoever asks fetches a new block when `take` has none."""

    def __init__(self) -> None:
        self._next = 0
        self._end = 0

    def add_block(self, first: int, size: int) -> None:
        """Go on with this block; what is left of the one before is given up, as Kafka does."""
        self._next = first
        self._end = first + size

    def take(self) -> int | None:
        """The next id, or None when the block is used up."""
        if self._next >= self._end:
            return None
        self._next += 1
        return self._next - 1
