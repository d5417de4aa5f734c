"""Producer ids, handed out from blocks that the controller gives to this broker
(org.apache.kafka…ProducerIdManager).
"""

from kafkacompat.broker.network import FORWARD
from kafkacompat.broker.purgatory import PRODUCER_IDS_KEY
from kafkacompat.protocol.error_codes import NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.now import Now

    class Node(services.Identity, services.Waiting, services.ControllerCalls, Protocol):
        """What this takes of its node."""

        @property
        def producer_ids(self) -> "ProducerIds": ...


ALLOCATE, ALLOCATE_VERSION = 67, 0
RETRY_MS = 50
"""Before the controller is asked again after it gave no block, as in Kafka."""


class ProducerIdSource:
    """Asks the controller for a block when one is wanted; one request at a time.

    Who waits for PRODUCER_IDS_KEY and finds no id is to call `request` again: a block may be too small for all, and
    after an error, as while this broker registers again, nobody else would ask.
    """

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._is_asking = False  # or pauses after an error

    def request(self, now: "Now") -> None:
        """Ask for a block, unless that is done already."""
        from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest

        broker = self._node
        if not self._is_asking:
            self._is_asking = True
            request = AllocateProducerIdsRequest(broker.node_id, broker.broker_epoch)
            broker.channel.request(
                FORWARD, ALLOCATE, ALLOCATE_VERSION, request, self._answered,
                timeout_ms=broker.request_timeout_ms, now=now,
            )  # fmt: skip

    def _answered(self, response: object | None, now: "Now") -> None:
        from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsResponse

        if isinstance(response, AllocateProducerIdsResponse) and response.error_code == NONE:
            start, size = response.producer_id_start, response.producer_id_len
        else:
            start = size = 0
        if size > 0:
            self._node.producer_ids.add_block(start, size)
            self._tell(now)
        else:
            self._node.timers.set(self, now.monotonic_ms + RETRY_MS, self._tell)

    def _tell(self, now: "Now") -> None:
        self._is_asking = False
        self._node.purgatory.touch(PRODUCER_IDS_KEY, now)


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
