"""What a broker does when one of its partitions changes: it wakes requests, loads coordinators, tells followers."""

from kafkacompat.broker.purgatory import METADATA_KEY
from kafkacompat.replication.partition import (
    APPENDED,
    FOLLOWER_IS_BEHIND,
    HIGH_WATERMARK_MOVED,
    LOG_START_MOVED,
    LOW_WATERMARK_MOVED,
    NO_EFFECTS,
    PROPOSED,
    STOPPED_FOLLOWING,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.control.lifecycle import Lifecycle
    from kafkacompat.broker.coordinator.coordinators import Coordinators
    from kafkacompat.broker.fetch_session_cache import FetchSessionCache
    from kafkacompat.broker.replicas.alter_isr import AlterIsr
    from kafkacompat.broker.replicas.delayed_follower_fetches import DelayedFollowerFetches
    from kafkacompat.broker.replicas.directory_assignments import DirectoryAssignments
    from kafkacompat.broker.replicas.fetchers import FetcherManager
    from kafkacompat.broker.replicas.replica_alter_log_dirs import ReplicaAlterLogDirsManager
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition

    class Node(services.Metadata, services.Partitions, services.Storage, services.Waiting, Protocol):
        """What this takes of its node."""

        @property
        def alter_isr(self) -> AlterIsr: ...
        @property
        def alter_log_dirs(self) -> ReplicaAlterLogDirsManager: ...
        @property
        def coordinators(self) -> Coordinators: ...
        @property
        def fetch_sessions(self) -> FetchSessionCache: ...
        @property
        def fetchers(self) -> FetcherManager: ...
        @property
        def directory_assignments(self) -> DirectoryAssignments: ...
        @property
        def delayed_follower_fetches(self) -> DelayedFollowerFetches: ...
        @property
        def lifecycle(self) -> Lifecycle | None: ...
        @property
        def selects_by_rack(self) -> bool: ...


def low_watermark_key(partition: "Partition") -> "Hashable":
    """The key in the purgatory of requests that wait for the logs of followers to start later."""
    return "low watermark", partition.watch_key


class PartitionEvents:
    """The events of `ReplicaManager`, passed on to the parts of one broker."""

    def __init__(self, node: "Node") -> None:
        self._node = node

    def moved(self, partition: "Partition", now: "Now") -> None:
        """A partition's epoch, role, start or end changed: ask the requests that wait for it."""
        self._node.purgatory.touch(partition.watch_key, now)
        self._node.fetch_sessions.watch.moved(partition.watch_key, now)
        if partition.future_log is not None:
            self._node.alter_log_dirs.changed(partition, now)

    def followed_image(self, partition: "Partition", now: "Now") -> None:
        """The metadata may name the log directory to which the partition moves."""
        if partition.future_log is not None:
            self._node.alter_log_dirs.changed(partition, now)

    def carry_out(self, partition: "Partition", now: "Now") -> None:
        """Carry out the effects that operations on a partition have had, always in this order.

        Every small append comes here: with one replica only the high watermark moves, and nothing else is looked at.
        """
        effects = partition.effects
        partition.effects = NO_EFFECTS
        broker = self._node
        if effects > HIGH_WATERMARK_MOVED:
            if effects & LOW_WATERMARK_MOVED:
                broker.purgatory.touch(low_watermark_key(partition), now)
            if effects & (APPENDED | FOLLOWER_IS_BEHIND | PROPOSED):
                broker.partitions.may_lag(partition)
            if effects & PROPOSED:
                broker.alter_isr.submit(partition, now)
        if effects & HIGH_WATERMARK_MOVED:  # consumers may read more, and producers are acknowledged
            key = partition.watch_key
            broker.partitions.moved_high_watermarks[key] = partition.high_watermark
            broker.purgatory.touch(key, now)
            broker.fetch_sessions.watch.moved(key, now)
            broker.coordinators.on_high_watermark(partition, now)
            if partition.in_sync.followers and partition.is_leader:
                # where consumers read from followers these are told at once, else with the next records, as in Kafka
                broker.delayed_follower_fetches.moved(partition, now, wakes=broker.selects_by_rack, is_urgent=True)
        elif effects & (LOG_START_MOVED | STOPPED_FOLLOWING):
            self.moved(partition, now)
        if effects & APPENDED:
            broker.delayed_follower_fetches.moved(partition, now, wakes=True)
        if partition.future_log is not None:
            broker.alter_log_dirs.changed(partition, now)

    def replicas_changed(self, partition: "Partition", now: "Now") -> None:
        """The replicas of a led partition may have changed: look at its followers again."""
        self._node.partitions.may_lag(partition)
        self._node.delayed_follower_fetches.moved(partition, now)

    def brokers_changed(self, now: "Now") -> None:  # noqa: ARG002 (an event's interface)
        """Broker epochs changed: check again which followers are eligible for the in-sync set."""
        self._node.delayed_follower_fetches.brokers_changed()

    def has_more(self, now: "Now") -> None:
        """Partitions still wait for what the image says: go on in the next loop iteration."""
        self._node.timers.set("roles", now.monotonic_ms, self._node.partitions.continue_applying)

    def caught_up(self, now: "Now") -> None:
        """All partitions follow the image: tell the controller, and answer requests that changed the metadata."""
        self._node.purgatory.touch(METADATA_KEY, now)
        self._node.directory_assignments.logs_opened(now)
        if self._node.lifecycle is not None:
            self._node.lifecycle.caught_up(self._node.image, now)

    def elected(self, partition: "Partition", now: "Now") -> None:
        """This broker leads: sync recovered records, so that they count, and have coordinators load their state."""
        if partition.awaits_sync:
            self._node.request_flush(partition)
        self._node.coordinators.on_elected(partition, now)

    def resigned(self, partition: "Partition", now: "Now") -> None:
        """This broker leads no more: waiting requests are refused, and their clients look for the new leader."""
        self._node.coordinators.on_resigned(partition, now)
        self._node.delayed_follower_fetches.moved(partition, now, wakes=True)

    def follows(self, partition: "Partition", now: "Now") -> None:
        """Fetch the partition from its leader."""
        self._node.fetchers.follow(partition, now)

    def directories_failed(self, now: "Now") -> None:
        """Replicas no longer move to log directories that went offline."""
        self._node.alter_log_dirs.directories_failed(now)

    def has_future(self, partition: "Partition", now: "Now") -> None:
        """Go on to move the partition to another log directory."""
        self._node.alter_log_dirs.resume(partition, now)

    def left(self, partition: "Partition") -> None:
        """Stop fetching the partition."""
        self._node.fetchers.leave(partition)
