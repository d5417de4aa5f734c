"""What a partition has to know of the cluster beside its own image: who is active, and how long we may lead."""

from kafkacompat.now import NEVER
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.replication.metadata.image import EMPTY_IMAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage

LAG_TIME_MAX_MS = 30_000  # replica.lag.time.max.ms by default
LEASE_SHARE = 0.75
ENFORCE_ALL, ENFORCE_OFF = "all", "off"


class ClusterView:
    """One for all partitions of a broker. `image` is the newest that the broker has applied.

    The lease (§2.6) is hygiene, never safety: it ends some time before the controller could have fenced this broker.
    `enforce` is leader.lease.enforce, which says whether writes are refused after that: with acks=0 and acks=1, so that
    none goes to a leader that is none any more, or with acks=all as well. As in Kafka none is: a broker whose
    controllers are gone serves on.
    """

    __slots__ = ("enforce", "image", "lag_time_max_ms", "lease_until_ms")

    def __init__(self, *, lag_time_max_ms: int = LAG_TIME_MAX_MS, enforce: str = ENFORCE_OFF) -> None:
        self.image: MetadataImage = EMPTY_IMAGE
        self.lag_time_max_ms = lag_time_max_ms
        self.enforce = enforce
        self.lease_until_ms = NEVER

    def active_epoch(self, broker_id: int) -> int | None:
        """The broker epoch of a broker that is registered, unfenced and not shutting down; None of any other."""
        broker = self.image.brokers.get(broker_id)
        return broker.epoch if broker is not None and broker.is_active else None

    @property
    def has_full_brokers(self) -> bool:
        """Whether the disk of a broker is full."""
        return any(broker.takes_nothing for broker in self.image.brokers.values())

    def takes_nothing(self, broker_id: int) -> bool:
        """Whether the disk of a broker is full: it can follow nobody who has more than it."""
        broker = self.image.brokers.get(broker_id)
        return broker is not None and broker.takes_nothing

    def heartbeat_succeeded(self, sent_ms: int, session_timeout_ms: int) -> None:
        """The controller has answered a heartbeat that was sent at `sent_ms` (monotonic): the lease runs from then."""
        self.lease_until_ms = sent_ms + int(session_timeout_ms * LEASE_SHARE)

    def lease_is_over(self, now: "Now") -> bool:
        """Whether the controller may have fenced this broker without its knowledge: propose nothing any more."""
        return now.monotonic_ms >= self.lease_until_ms

    def refuses(self, acks: int, now: "Now") -> bool:
        """Whether a write with these acks must go elsewhere."""
        if self.enforce == ENFORCE_OFF or (acks == ACKS_ALL and self.enforce != ENFORCE_ALL):
            return False
        return self.lease_is_over(now)
