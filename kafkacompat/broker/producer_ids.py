"""Producer ids from blocks that the controller allocates to this broker (Kafka's ProducerIdManager)."""

from kafkacompat.broker.network import FORWARD
from kafkacompat.broker.purgatory import PRODUCER_IDS_KEY
from kafkacompat.protocol.api_keys import ALLOCATE_PRODUCER_IDS
from kafkacompat.protocol.error_codes import NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.now import Now

    class Node(services.Identity, services.Waiting, services.ControllerCalls, Protocol):
        """The services that allocation uses."""

        @property
        def producer_ids(self) -> "ProducerIds": ...


ALLOCATE_VERSION = 0
RETRY_MS = 50
"""The pause after the controller allocated no block, as in Kafka."""


class ProducerIdSource:
    """Asks the controller for blocks, one request at a time.

    A request that waits for PRODUCER_IDS_KEY and still finds no id must call `request` again: a block may be too small
    for all, and errors (as while this broker registers again) are not retried here.
    """

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._is_in_flight = False  # or pauses after an error

    def request(self, now: "Now") -> None:
        """Ask for a block, unless a request is in flight."""
        from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest

        broker = self._node
        if not self._is_in_flight:
            self._is_in_flight = True
            request = AllocateProducerIdsRequest(broker.node_id, broker.broker_epoch)
            broker.channel.request(
                FORWARD, ALLOCATE_PRODUCER_IDS, ALLOCATE_VERSION, request, self._answered,
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
            self._notify(now)
        else:
            self._node.timers.set(self, now.monotonic_ms + RETRY_MS, self._notify)

    def _notify(self, now: "Now") -> None:
        self._is_in_flight = False
        self._node.purgatory.touch(PRODUCER_IDS_KEY, now)


class ProducerIds:
    """The unused ids of the newest block. Pure: when `next_id` returns None, the caller requests a new block."""

    def __init__(self) -> None:
        self._next = 0
        self._end = 0

    @property
    def is_empty(self) -> bool:
        """Whether the block is used up."""
        return self._next >= self._end

    def add_block(self, first: int, size: int) -> None:
        """Continue with this block; unused ids of the previous one are discarded, as in Kafka."""
        self._next = first
        self._end = first + size

    def next_id(self) -> int | None:
        """The next id, or None when the block is used up."""
        if self.is_empty:
            return None
        self._next += 1
        return self._next - 1
