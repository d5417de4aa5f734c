"""A partition's view of the cluster beside its own image: active brokers, full disks, and the leader lease."""

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
    """Shared by all partitions of a broker. `image` is the newest image that the broker has applied.

    The lease (§2.6) is an aid, and safety does not depend on it: it ends some time before the controller could fence
    this broker. `enforce` is leader.lease.enforce: whether writes with acks=0 and acks=1 are then refused, so that none
    is lost at a deposed leader, or those with acks=all as well. By default none are, as in Kafka: a broker without
    controllers keeps serving.
    """

    __slots__ = ("enforce", "image", "lag_time_max_ms", "lease_until_ms")

    def __init__(self, *, lag_time_max_ms: int = LAG_TIME_MAX_MS, enforce: str = ENFORCE_OFF) -> None:
        self.image: MetadataImage = EMPTY_IMAGE
        self.lag_time_max_ms = lag_time_max_ms
        self.enforce = enforce
        self.lease_until_ms = NEVER

    def active_epoch(self, broker_id: int) -> int | None:
        """The broker epoch of a broker that is registered, unfenced and not shutting down; else None."""
        broker = self.image.brokers.get(broker_id)
        return broker.epoch if broker is not None and broker.is_active else None

    @property
    def has_full_brokers(self) -> bool:
        """Whether the disk of any broker is full."""
        return any(broker.is_full for broker in self.image.brokers.values())

    def is_full(self, broker_id: int) -> bool:
        """Whether the disk of this broker is full: it cannot follow a leader that has more records."""
        broker = self.image.brokers.get(broker_id)
        return broker is not None and broker.is_full

    def heartbeat_succeeded(self, sent_ms: int, session_timeout_ms: int) -> None:
        """Renew the lease: the controller answered a heartbeat that was sent at `sent_ms` of the monotonic clock."""
        self.lease_until_ms = sent_ms + int(session_timeout_ms * LEASE_SHARE)

    def is_lease_expired(self, now: "Now") -> bool:
        """Whether the controller may have fenced this broker without its knowledge. Then it proposes no ISR changes."""
        return now.monotonic_ms >= self.lease_until_ms

    def refuses(self, acks: int, now: "Now") -> bool:
        """Whether a write with these acks is refused as the lease is over."""
        if self.enforce == ENFORCE_OFF or (acks == ACKS_ALL and self.enforce != ENFORCE_ALL):
            return False
        return self.is_lease_expired(now)
