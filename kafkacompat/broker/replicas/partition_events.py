"""What follows when something happens to a partition of this broker: who is woken, loaded, sent for."""

from kafkacompat.broker.purgatory import METADATA_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.control.lifecycle import Lifecycle
    from kafkacompat.broker.coordinator.coordinators import Coordinators
    from kafkacompat.broker.fetch_session import FetchSessionCache
    from kafkacompat.broker.replicas.alter_isr import AlterIsr
    from kafkacompat.broker.replicas.delayed_follower_fetches import DelayedFollowerFetches
    from kafkacompat.broker.replicas.fetchers import FetcherManager
    from kafkacompat.broker.replicas.replica_manager import ReplicaManager
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition

    class Node(services.Metadata, services.Storage, services.Waiting, Protocol):
        """What this takes of its node."""

        @property
        def alter_isr(self) -> AlterIsr: ...
        @property
        def coordinators(self) -> Coordinators: ...
        @property
        def fetch_sessions(self) -> FetchSessionCache: ...
        @property
        def fetchers(self) -> FetcherManager: ...
        @property
        def delayed_follower_fetches(self) -> DelayedFollowerFetches: ...
        @property
        def lifecycle(self) -> Lifecycle | None: ...
        @property
        def partitions(self) -> ReplicaManager: ...
        @property
        def selects_by_rack(self) -> bool: ...


def low_watermark_key(partition: "Partition") -> "Hashable":
    """Moves in the purgatory when a follower's log starts later than before."""
    return "low watermark", partition.watch_key


class PartitionEvents:
    """The events of `ReplicaManager`, for the parts of one broker."""

    def __init__(self, node: "Node") -> None:
        self._node = node

    def moved(self, partition: "Partition", now: "Now") -> None:
        """A client would be told something else than before: its epoch, its role, where it starts or ends."""
        self._node.purgatory.touch(partition.watch_key, now)
        self._node.fetch_sessions.watch.moved(partition.watch_key, now)

    def high_watermark_moved(self, partition: "Partition", now: "Now") -> None:
        """More can be read, and more is acknowledged."""
        broker = self._node
        broker.partitions.moved_high_watermarks[partition.watch_key] = partition.high_watermark
        self.moved(partition, now)
        broker.coordinators.on_high_watermark(partition, now)
        if partition.in_sync.followers and partition.is_leader:
            # where consumers read from followers these are told at once, else with the next records, as in Kafka
            broker.delayed_follower_fetches.moved(partition, now, wakes=broker.selects_by_rack, is_urgent=True)

    def low_watermark_moved(self, partition: "Partition", now: "Now") -> None:
        """Records may be deleted everywhere."""
        self._node.purgatory.touch(low_watermark_key(partition), now)

    def replicas_changed(self, partition: "Partition", now: "Now") -> None:
        """What was known of its followers may count no more."""
        self._node.partitions.may_lag(partition)
        self._node.delayed_follower_fetches.moved(partition, now)

    def brokers_changed(self, now: "Now") -> None:  # noqa: ARG002 (an event's interface)
        """Of nobody is known any more that he may join."""
        self._node.delayed_follower_fetches.brokers_changed()

    def has_more(self, now: "Now") -> None:
        """The loop goes round first."""
        self._node.timers.set("roles", now.monotonic_ms, self._node.partitions.go_on)

    def caught_up(self, now: "Now") -> None:
        """The controller is to know, and who has changed the metadata is answered."""
        self._node.purgatory.touch(METADATA_KEY, now)
        if self._node.lifecycle is not None:
            self._node.lifecycle.caught_up(self._node.image, now)

    def appended(self, partition: "Partition", now: "Now") -> None:
        """Followers that wait can fetch."""
        self._node.partitions.may_lag(partition)
        self._node.delayed_follower_fetches.moved(partition, now, wakes=True)

    def lags(self, partition: "Partition", now: "Now") -> None:  # noqa: ARG002 (an event's interface)
        """Somebody is to look how long that lasts."""
        self._node.partitions.may_lag(partition)

    def proposes(self, partition: "Partition", now: "Now") -> None:
        """The controller is to be asked."""
        self._node.partitions.may_lag(partition)
        self._node.alter_isr.submit(partition, now)

    def elected(self, partition: "Partition", now: "Now") -> None:
        """What was recovered counts once it is synced; coordinators load what they keep there."""
        if partition.awaits_sync:
            self._node.request_flush(partition)
        self._node.coordinators.on_elected(partition, now)

    def resigned(self, partition: "Partition", now: "Now") -> None:
        """Who waits here is sent elsewhere."""
        self._node.coordinators.on_resigned(partition, now)
        self._node.delayed_follower_fetches.moved(partition, now, wakes=True)

    def follows(self, partition: "Partition", now: "Now") -> None:
        """Its leader is to be fetched from."""
        self._node.fetchers.follow(partition, now)

    def left(self, partition: "Partition") -> None:
        """Nobody is to be fetched from."""
        self._node.fetchers.leave(partition)
