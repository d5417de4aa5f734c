"""Remembers which brokers this controller has reached at their advertised address.

A refused connection is evidence of a broker's death only if the broker was reachable there before. Every controller,
active or not, dials each broker when it is unfenced: if the active controller dies together with a broker, the next one
must know already.
"""

from kafkacompat.broker.network import OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.network import Address, Network
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage

FIRST_DIAL_MS = 50
"""The pause before the first dial: a broker starts to listen after the controller has unfenced it."""
DIALS_MAX = 6
"""Dials per incarnation. The pause doubles each time, three seconds in total."""


class _Broker:
    __slots__ = ("dials", "is_reached", "who")

    def __init__(self, who: tuple[bytes, "Address"]) -> None:
        self.who = who
        self.dials = 0
        self.is_reached = False


class ReachedBrokers:
    """The reached brokers of one controller. ControllerServer sets `network` and `address_of`."""

    def __init__(self, timers: "Timers") -> None:
        self.network: Network | None = None
        self.address_of: Callable[[int], Address | None] = lambda _broker_id: None
        self._timers = timers
        self._brokers: dict[int, _Broker] = {}

    def metadata_applied(self, image: "MetadataImage", now: "Now") -> None:
        """A new image was applied: dial brokers that registered or were unfenced, forget unregistered ones."""
        for broker_id in [broker_id for broker_id in self._brokers if broker_id not in image.brokers]:
            self._forget(broker_id)
        for registered in image.brokers.values():
            address = self.address_of(registered.id)
            if registered.fenced or address is None:
                continue  # it may not listen yet; keep what is known of it
            known = self._brokers.get(registered.id)
            if known is None or known.who != (registered.incarnation_id, address):
                self._brokers[registered.id] = _Broker((registered.incarnation_id, address))
                self._dial_later(registered.id, now)

    def has(self, broker_id: int) -> bool:
        """Whether the newest unfenced incarnation of this broker was reached."""
        known = self._brokers.get(broker_id)
        return known is not None and known.is_reached

    def answered(self, broker_id: int) -> None:
        """The broker accepted a connection that another module dialed."""
        known = self._brokers.get(broker_id)
        if known is not None:
            known.is_reached = True

    def _forget(self, broker_id: int) -> None:
        del self._brokers[broker_id]
        self._timers.cancel((self, broker_id))

    def _dial_later(self, broker_id: int, now: "Now") -> None:
        known = self._brokers[broker_id]
        pause_ms = FIRST_DIAL_MS << known.dials
        self._timers.set((self, broker_id), now.monotonic_ms + pause_ms, lambda at: self._dial(broker_id, known, at))

    def _dial(self, broker_id: int, known: _Broker, now: "Now") -> None:  # noqa: ARG002 (a timer's interface)
        if self.network is None or known.is_reached:
            return
        known.dials += 1

        def done(outcome: str, at: "Now") -> None:
            if outcome == OPEN:
                known.is_reached = True
            elif known.dials < DIALS_MAX and self._brokers.get(broker_id) is known:
                self._dial_later(broker_id, at)

        self.network.dial(known.who[1], done)
