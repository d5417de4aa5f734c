"""Runs the active controller of a node: its timer, its dials to brokers, and the connections of registered brokers."""

from kafkacompat.broker.control.reached_brokers import ReachedBrokers
from kafkacompat.broker.network import OPEN, UNKNOWN
from kafkacompat.replication.controller.active import ActiveController

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.connection import Connection
    from kafkacompat.broker.network import Address, Network
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.metadata.quorum import MetadataQuorum
    from kafkacompat.replication.metadata.settings import Settings

_TIMER = "active controller"


class ControllerServer:
    """The controller server of one node. `active` is set between `on_active` and `on_inactive`, which the quorum calls.

    The node sets `network`, `address_of` (a broker's inter-broker address) and `incarnation_id` (of the broker in this
    process) if it has them.
    """

    def __init__(
        self,
        quorum: "MetadataQuorum",
        settings: "Settings",
        timers: "Timers",
        *,
        cluster_id: str,
    ) -> None:
        self.active: ActiveController | None = None
        self.network: Network | None = None
        self.address_of: Callable[[int], Address | None] = lambda _broker_id: None
        self.incarnation_id: bytes | None = None
        self.former_end_offset = 0
        """Registrations below this offset came with a snapshot: their brokers are none of this cluster."""
        self._quorum = quorum
        self._settings = settings
        self._timers = timers
        self._cluster_id = cluster_id
        self._reached = ReachedBrokers(timers)
        self._connection_of: dict[int, int] = {}  # broker id -> id of the connection of its last request

    def metadata_applied(self, image: "MetadataImage", now: "Now") -> None:
        """The registered brokers have changed; called on every controller, active or not."""
        self._reached.network, self._reached.address_of = self.network, self.address_of
        self._reached.metadata_applied(image, now)

    def on_active(self, now: "Now") -> None:
        """This node became the active controller."""
        self._connection_of.clear()
        self.active = ActiveController(
            self._quorum,
            self._settings,
            now,
            cluster_id=self._cluster_id,
            dial=self._dial,
            incarnation_id=self.incarnation_id,
        )
        if self.former_end_offset:
            self.active.died_before(self.former_end_offset)
        self.moved(now)

    def on_inactive(self, _now: "Now") -> None:
        """This node is no longer the active controller."""
        self.active = None

    def heard(self, broker_id: int, connection: "Connection", now: "Now") -> None:
        """A registration or heartbeat on this connection was accepted. It may have been closed meanwhile."""
        if not connection.is_closed:
            self._connection_of[broker_id] = connection.id
        elif self.active is not None and broker_id not in self._connection_of:
            self.active.connection_lost(broker_id, now)
        self.moved(now)

    def disconnected(self, connection: "Connection", now: "Now") -> None:
        """A connection was closed. If it is a broker's newest, that is the first sign of the broker's death (§3.9)."""
        connection.is_closed = True
        for broker_id, connection_id in list(self._connection_of.items()):
            if connection_id == connection.id:
                del self._connection_of[broker_id]
                if self.active is not None:
                    self.active.connection_lost(broker_id, now)
                    self.moved(now)

    def moved(self, now: "Now") -> None:
        """Set the timer to the active controller's deadline, which may have changed."""
        if self.active is not None:
            self._timers.set(_TIMER, max(self.active.deadline_ms, now.monotonic_ms), self._tick)

    def _tick(self, now: "Now") -> None:
        if self.active is not None:
            self.active.tick(now)
            self.moved(now)

    def _dial(self, broker_id: int) -> None:
        controller, address = self.active, self.address_of(broker_id)

        def done(outcome: str, at: "Now") -> None:
            if outcome == OPEN:
                self._reached.answered(broker_id)
            if controller is not None and controller is self.active:
                controller.dialed(broker_id, outcome, at, was_reached=self._reached.has(broker_id))
                self.moved(at)

        if address is None or self.network is None:
            self._timers.set((_TIMER, broker_id), 0, lambda at: done(UNKNOWN, at))  # the next time that timers run
        else:
            self.network.dial(address, done)
