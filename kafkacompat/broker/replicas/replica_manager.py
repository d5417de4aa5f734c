"""All partitions of this broker, kept in step with the metadata image (Kafka's ReplicaManager)."""

import logging
from functools import partial
from itertools import chain, islice

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.replication.cluster_view import ClusterView
from kafkacompat.replication.metadata.image import (
    BROKER_RESOURCE,
    DIRECTORY_UNASSIGNED,
    EMPTY_IMAGE,
    TOPIC_RESOURCE,
)
from kafkacompat.replication.partition import Partition
from kafkacompat.storage.data_dir import METADATA_DIRECTORY
from kafkacompat.storage.durability_marker import UNPROVED
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.reserve import is_out_of_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Protocol

    from kafkacompat.broker.replicas.strays import Strays
    from kafkacompat.config import BrokerConfig, TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
    from kafkacompat.storage.append_info import AppendInfo
    from kafkacompat.storage.log_directory import LogDirectory
    from kafkacompat.storage.manager import LogManager
    from kafkacompat.storage.recompress import Recompression
    from kafkacompat.storage.verification_entries import VerificationEntry

    class Events(Protocol):
        """Events of partitions, for the broker; each method gets the partition and the time."""

        def moved(self, partition: Partition, now: Now) -> None:
            """Clients would get other answers than before."""

        def carry_out(self, partition: Partition, now: Now) -> None:
            """Operations on a partition may have had effects."""

        def replicas_changed(self, partition: Partition, now: Now) -> None:
            """A leader's partition was updated: other replicas may be eligible."""

        def brokers_changed(self, now: Now) -> None:
            """Broker registrations changed: other brokers may be eligible."""

        def has_more(self, now: Now) -> None:
            """Call `continue_applying` in the next loop iteration."""

        def caught_up(self, now: Now) -> None:
            """The whole image is applied."""

        def elected(self, partition: Partition, now: Now) -> None: ...
        def resigned(self, partition: Partition, now: Now) -> None:
            """It no longer leads, or leads in another epoch."""

        def follows(self, partition: Partition, now: Now) -> None:
            """It follows a leader in a new epoch."""

        def left(self, partition: Partition) -> None:
            """It no longer follows a leader."""

        def followed_image(self, partition: Partition, now: Now) -> None:
            """What the metadata says of it has changed."""

        def directories_failed(self, now: Now) -> None:
            """Log directories went offline."""

        def has_future(self, partition: Partition, now: Now) -> None:
            """It was opened, and an earlier broker was moving it to another log directory."""


log = logging.getLogger(__name__)
PartitionKey = tuple[str, int]
NOTHING_APPLIED = -1
PARTITIONS_PER_ITERATION = 10
"""Partitions that a broker of a cluster opens, deletes or gives another role in one loop iteration: 3 to 5 ms, as each
takes some disk accesses. A quorum leader that is silent for too long loses its leadership.
"""


def view_of(config: "BrokerConfig") -> ClusterView:
    """The cluster view of partitions at the start."""
    enforce = config.get("leader.lease.enforce")
    assert isinstance(enforce, str)
    return ClusterView(lag_time_max_ms=config.get_int("replica.lag.time.max.ms"), enforce=enforce)


class ReplicaManager:
    """Creates, updates and deletes the partitions of one broker as the image says.

    `topic_config(name)` resolves a topic's config from the newest image. `view` is all partitions' view of the cluster;
    its image is the one that was applied last. `max_per_iteration`: how many partitions `apply` updates, None for all;
    the others wait for `continue_applying`. So does what is left when `is_long(now)`: the turn that began then has
    taken long, as on a slow disk. `applied_offset`: the metadata offset that all partitions have reached.
    `moved_high_watermarks`: for the next checkpoint.
    """

    def __init__(
        self,
        node_id: int,
        logs: "LogManager",
        topic_config: "Callable[[str], TopicConfig]",
        events: "Events",
        view: ClusterView | None = None,
        strays: "Sequence[Strays]" = (),
    ) -> None:
        self.view = view or ClusterView()
        self._node_id = node_id
        self._logs = logs
        self._topic_config = topic_config
        self.events = events
        self._has_resigned = False
        self._is_first = True
        self._strays = strays
        logs.follow(names_free=self._names_free)
        self._partitions: dict[PartitionKey, Partition] = {}
        self.max_per_iteration: int | None = None
        self.is_long: Callable[[Now], bool] = lambda _now: False
        self.applied_offset = NOTHING_APPLIED
        self._waiting: dict[PartitionKey, None] = {}  # to be updated to `view.image`
        self._awaiting_names: dict[PartitionKey, LogDirectory] = {}  # whose checkpoints name an earlier partition
        self.moved_high_watermarks: dict[PartitionKey, int] = {}
        self._lagging: dict[PartitionKey, None] = {}  # candidates: `check_lag` checks no others
        self._leaving: dict[PartitionKey, Partition] = {}  # no longer assigned here, to be deleted
        self._lacking_room: dict[PartitionKey, LogDirectory] = {}  # could not be opened there: the disk is full

    def get(self, topic: str, index: int) -> Partition | None:
        """The partition if this broker has a replica of it."""
        return self._partitions.get((topic, index))

    def find(self, image: "MetadataImage", topic: str, index: int) -> Partition | int:
        """The partition, or the error code for a client: it is unknown, offline, or on other brokers."""
        partition = self._partitions.get((topic, index))
        if partition is not None:
            return partition
        topic_image = image.topics.get(topic)
        if topic_image is None or not 0 <= index < len(topic_image.partitions):
            return errors.UNKNOWN_TOPIC_OR_PARTITION
        if (topic, index) in self._waiting or (topic, index) in self._awaiting_names:
            return errors.NOT_LEADER_OR_FOLLOWER
        if self._node_id in topic_image.partitions[index].replicas:
            return errors.KAFKA_STORAGE_ERROR  # assigned here, but its log could not be opened
        return errors.NOT_LEADER_OR_FOLLOWER

    def __iter__(self) -> "Iterator[Partition]":
        return iter(self._partitions.values())

    def __len__(self) -> int:
        return len(self._partitions)

    def append(
        self,
        partition: Partition,
        records: memoryview,
        acks: int,
        now: "Now",
        *,
        internal: bool = False,
        recompression: "Recompression | None" = None,
        guard: "VerificationEntry | None" = None,
        transaction_version: int = 0,
    ) -> "AppendInfo":
        """Append a batch (`Partition.append`) and carry out its effects. Raises LogError."""
        info = partition.append(
            records, acks, now, internal=internal, recompression=recompression, guard=guard,
            transaction_version=transaction_version,
        )  # fmt: skip
        if partition.effects:
            self.events.carry_out(partition, now)
        return info

    def delete_records_before(self, partition: Partition, offset: int, now: "Now") -> None:
        """Move a log start (`Partition.delete_records_before`) and carry out its effects. Raises LogError."""
        partition.delete_records_before(offset, now)
        self.carry_out(partition, now)

    def delete_segments(self, partition: Partition, count: int, now: "Now") -> None:
        """Remove the oldest segments (`Partition.delete_segments`) and carry out the effects. Raises LogError."""
        partition.delete_segments(count, now)
        self.carry_out(partition, now)

    def flushed(self, partition: Partition, now: "Now") -> None:
        """The log of a partition was synced: under flush.messages=1 its high watermark may move."""
        partition.advance_high_watermark(now)
        self.carry_out(partition, now)

    def carry_out(self, partition: Partition, now: "Now") -> None:
        """Carry out the effects of operations on a partition, if any."""
        if partition.effects:
            self.events.carry_out(partition, now)

    def open_logs(self, image: "MetadataImage", now: "Now") -> None:
        """Recover the logs of this broker's replicas before they have roles.

        `image` has all committed metadata, but not yet this broker's next registration.
        """
        for strays in self._strays:
            strays.check_registration(image)
        for topic in image.topics.values():
            config = self._topic_config(topic.name)
            for index, partition in enumerate(topic.partitions):
                if self._node_id in partition.replicas and self._has_place(topic, index, now):
                    self._safely((topic.name, index), partial(self._open, topic, index, config, now), now)
        self._logs.open_futures(now)

    def _has_place(self, topic: "TopicImage", index: int, now: "Now") -> bool:
        """Whether a log may be opened or made; not if it may be in a directory that is offline."""
        directory_id = topic.partitions[index].directory(self._node_id)
        is_unassigned = directory_id == DIRECTORY_UNASSIGNED
        return self._logs.place(
            topic.name, index, directory_id, now, is_unassigned=is_unassigned, topic_id=topic.topic_id
        )

    def apply(self, new: "MetadataImage", now: "Now") -> None:
        """Apply the image `new`. Call it only while this broker is registered."""
        old, self.view.image = self.view.image, new
        for strays in self._strays if self._is_first else ():
            strays.check_registration(new)
        if self._has_resigned:
            self._has_resigned, old = False, EMPTY_IMAGE  # assign every role again
        if old.brokers is not new.brokers:
            self.events.brokers_changed(now)
        if old.topics is not new.topics:
            self._remove_foreign(old, new, now)
            self._waiting.update(self._changed(old, new))
        if old.configs is not new.configs:
            self._waiting.update(self._reconfigured(old, new))
        if self._waiting or self._leaving:
            self._apply_some(now)
        if not self.is_behind:
            self.applied_offset = new.offset
        if self._is_first:
            self._is_first = False
            for strays in self._strays:
                strays.set_aside(new, self._is_known, now)

    def _is_known(self, topic: str, index: int) -> bool:
        """Whether a directory belongs to a replica of this broker, or to the metadata log."""
        image = self.view.image.partition(topic, index)
        is_metadata = f"{topic}-{index}" == METADATA_DIRECTORY
        return is_metadata or (image is not None and self._node_id in image.replicas)

    def resign(self, now: "Now") -> None:
        """Give up all roles until the next `apply`: this broker has to register again (C4)."""
        self._has_resigned = True
        self.applied_offset = NOTHING_APPLIED
        self._waiting.clear()
        self._awaiting_names.clear()
        self._logs.forget_places()
        for key, partition in self._partitions.items():
            self._safely(key, partial(self._change_role, partition, partition.resign, now), now)

    def check_lag(self, now: "Now") -> None:
        """Have leaders propose to remove lagging replicas (R6); every half replica.lag.time.max.ms."""
        for key in list(self._lagging):
            partition = self._partitions.get(key)
            if partition is not None:
                self._safely(key, partial(self._check_lag, partition, now), now)
            if partition is None or not partition.may_lag:
                del self._lagging[key]

    def _check_lag(self, partition: Partition, now: "Now") -> None:
        partition.check_lag(now)
        self.carry_out(partition, now)

    def may_lag(self, partition: Partition) -> None:
        """A follower of a partition that is led here may lag, or be about to leave the ISR."""
        self._lagging[partition.watch_key] = None

    def has_room(self, now: "Now") -> None:
        """Open the partitions that could not be opened, where the disk has room again."""
        if self._has_resigned:
            self._lacking_room.clear()
        ready = [
            key for key, directory in self._lacking_room.items() if directory.offline or not directory.disk.is_full
        ]
        if ready:
            for key in ready:
                del self._lacking_room[key]
                self._waiting[key] = None
            self.continue_applying(now)

    def _names_free(self, has_room: bool, now: "Now") -> None:
        """The checkpoints were written: open the partitions that wait for that."""
        awaiting, self._awaiting_names = self._awaiting_names, {}
        if not awaiting or self._has_resigned:
            return
        if has_room:
            self._waiting.update(dict.fromkeys(awaiting))
        else:
            self._lacking_room.update(awaiting)
        self._apply_some(now)
        self._check_caught_up(now)

    @property
    def is_behind(self) -> bool:
        """Whether partitions wait to be updated to the image."""
        return bool(self._waiting) or bool(self._awaiting_names)

    def continue_applying(self, now: "Now") -> None:
        """Update some of the waiting partitions to the image, and delete some that it no longer has."""
        was_behind = self.is_behind
        self._apply_some(now)
        if was_behind:
            self._check_caught_up(now)

    def _check_caught_up(self, now: "Now") -> None:
        if not self.is_behind:
            self.applied_offset = self.view.image.offset
            self.events.caught_up(now)

    def _apply_some(self, now: "Now") -> None:
        configs: dict[str, TopicConfig] = {}
        limit = self.max_per_iteration
        for key in list(islice(chain(self._waiting, self._leaving), limit)):
            if key in self._waiting:
                del self._waiting[key]
                self._safely(key, partial(self._follow_image, *key, configs, now), now)
            else:
                self._delete(key, now)
            if limit is not None and self.is_long(now):
                break
        if self._waiting or self._leaving:
            self.events.has_more(now)

    def _follow_image(self, name: str, index: int, configs: "dict[str, TopicConfig]", now: "Now") -> None:
        image = self.view.image
        found = image.partition(name, index)
        if found is None or self._node_id not in found.replicas:
            self._logs.forget_place(name, index)
            return
        topic = image.topics[name]
        config = configs.get(name) or configs.setdefault(name, self._topic_config(name))
        partition = self._partitions.get((name, index))
        if partition is not None:
            partition.log.config = config
            if partition.future_log is not None:
                partition.future_log.config = config
        else:
            self._delete((name, index), now)  # of an earlier topic of that name
            if not self._has_place(topic, index, now):
                return
            if not self._logs.is_name_free(name, index):
                self._awaiting_names[name, index] = self._logs.directory_for(name, index)
                return
            offline = self._logs.offline_directories
            partition = self._open(topic, index, config, now)
            if self._logs.offline_directories is not offline:
                self._waiting[name, index] = None  # its disk has failed with this: maybe there is another one
        if partition is not None:
            self._apply_partition(partition, found, config, now)
            self.events.followed_image(partition, now)

    def _safely(self, key: PartitionKey, change: "Callable[[], object]", now: "Now") -> None:
        """Change one partition. A bug takes only this one offline."""
        try:
            change()
        except OSError as error:
            if is_out_of_space(error):
                self._lacking_room[key] = self._logs.directory_for(*key)
            else:
                self._logs.work_failed(*key, error)
        except LogError as error:
            log.error("%s-%d is offline: %s", *key, error)
            self._take_offline(key, now)
        except Exception:
            log.exception("a bug: %s-%d cannot follow the metadata; it is offline until the next start", *key)
            self._take_offline(key, now)

    def _take_offline(self, key: PartitionKey, now: "Now") -> None:
        partition = self._partitions.get(key)
        if partition is None:
            return
        partition.fail("see the log")
        try:
            self.events.left(partition)
            self.events.moved(partition, now)
        except Exception:
            log.exception("a bug: requests that wait for %s-%d cannot be completed, though it is offline", *key)

    def _changed(self, old: "MetadataImage", new: "MetadataImage") -> "Iterator[tuple[PartitionKey, None]]":
        """The partitions assigned to this broker that have changed."""
        for name, topic in new.topics.items():
            before = old.topics.get(name)
            if before is topic:
                continue
            known = before.partitions if before is not None and before.topic_id == topic.topic_id else ()
            for index, partition in enumerate(topic.partitions):
                key = (name, index)
                is_same = index < len(known) and known[index] is partition and key in self._partitions
                if self._node_id in partition.replicas and not is_same:
                    yield key, None

    def _apply_partition(
        self, partition: Partition, image: "PartitionImage", config: "TopicConfig", now: "Now"
    ) -> None:
        self._change_role(partition, lambda: partition.apply(image, config.min_insync_replicas, now), now)

    def _change_role(self, partition: Partition, change: "Callable[[], None]", now: "Now") -> None:
        """Run a change that may alter a partition's role, and raise the events of that."""
        leader, led, epoch, followed = (
            partition.leader, partition.is_leader, partition.leader_epoch, partition.following
        )  # fmt: skip
        change()
        self.carry_out(partition, now)
        events, is_other = self.events, partition.leader_epoch != epoch
        if led and (not partition.is_leader or is_other):
            events.resigned(partition, now)
        if followed is not None and partition.following is None:
            events.left(partition)
        if partition.is_leader and (not led or is_other):
            events.elected(partition, now)
        if partition.following is not None and partition.following is not followed:
            events.follows(partition, now)
        if partition.is_leader and partition.in_sync.followers:
            events.replicas_changed(partition, now)
        if is_other or partition.leader != leader:
            events.moved(partition, now)

    def _open(self, topic: "TopicImage", index: int, config: "TopicConfig", now: "Now") -> Partition | None:
        try:
            if topic.partitions[index].leader not in (self._node_id, NO_NODE):
                self._logs.set_unnamed_aside(topic.name, index)
            opened = self._logs.open_log(topic.name, topic.topic_id, index, config, now)
        except OSError as error:
            log.error("the log of %s-%d cannot be opened: %s", topic.name, index, error)
            if is_out_of_space(error) and self._has_place(topic, index, now):
                self._lacking_room[topic.name, index] = self._logs.directory_for(topic.name, index)
            return None
        high_watermark = self._first_high_watermark(topic, index)
        partition = Partition(topic.name, index, topic.topic_id, self._node_id, opened, high_watermark, self.view)
        self._partitions[topic.name, index] = partition
        self.moved_high_watermarks[topic.name, index] = partition.high_watermark
        if self._logs.future_of(topic.name, index) is not None:
            self.events.has_future(partition, now)
        return partition

    def _first_high_watermark(self, topic: "TopicImage", index: int) -> int:
        """The checkpoint's, or 0 if only other replicas know it (§2.8).

        Without a durability marker the log may have lost its end, or have one again that had been truncated: the
        records below the checkpoint may not be the committed ones. The leader's high watermark then applies. A single
        replica keeps what it has.
        """
        is_alone = len(topic.partitions[index].replicas) == 1
        if is_alone or self._logs.previous_broker_epoch != UNPROVED:
            return self._logs.high_watermark_checkpoint(topic.name, index)
        return 0

    def _remove_foreign(self, old: "MetadataImage", new: "MetadataImage", now: "Now") -> None:
        """Remove partitions that are no longer assigned to this broker: of deleted topics, or moved to others (C8).
        Requests no longer find them; their logs are deleted some per loop iteration.

        The image is committed, so the replicas that replace ours are in sync.
        """
        removed = self._partitions if old is EMPTY_IMAGE else _removed(old, new)
        for key in list(removed):
            partition = self._partitions.get(key)
            if partition is not None and not self._is_ours(partition, new):
                self._leaving[key] = self._partitions.pop(key)
            elif partition is None and self._logs.future_of(*key) is not None and not self._is_known(*key):
                self._logs.delete_future(key, now)  # the directory of its log has failed

    def _delete(self, key: PartitionKey, now: "Now") -> None:
        """Resign and delete a partition that is no longer assigned here, if it still waits for that."""
        partition = self._leaving.pop(key, None)
        if partition is not None:
            self._safely(key, partial(self._change_role, partition, partition.resign, now), now)
            self._safely(key, partial(self._logs.delete_log, key, now), now)
            self._safely(key, partial(self.events.moved, partition, now), now)

    def directories_failed(self, now: "Now") -> None:
        """Log directories went offline: resign the partitions whose logs are there. Clients get KAFKA_STORAGE_ERROR for
        them, as for those that could not be opened (``ReplicaManager.handleLogDirFailure``).
        """
        logs = {key: log for directory in self._logs.offline_directories for key, log in directory.logs.items()}
        failed = [key for key, partition in self._partitions.items() if logs.get(key) is partition.log]
        for key in failed:
            partition = self._partitions.pop(key)
            self._safely(key, partial(self._change_role, partition, partition.resign, now), now)
            self._safely(key, partial(self.events.moved, partition, now), now)
        self.events.directories_failed(now)

    def delete_all(self, now: "Now") -> None:
        """Delete all waiting partitions before a clean stop: the next start would set them aside as strays."""
        for key in list(self._leaving):
            self._delete(key, now)

    def _is_ours(self, partition: Partition, image: "MetadataImage") -> bool:
        topic = image.topics.get(partition.topic)
        if topic is None or topic.topic_id != partition.topic_id:
            return False
        return partition.index < len(topic.partitions) and self._node_id in topic.partitions[partition.index].replicas

    def _reconfigured(self, old: "MetadataImage", new: "MetadataImage") -> "Iterator[tuple[PartitionKey, None]]":
        """Partitions of this broker whose configs may have changed."""
        changed = {
            resource
            for resource in (*old.configs, *new.configs)
            if old.configs.get(resource) is not new.configs.get(resource)
        }
        cluster_wide = any(resource_type == BROKER_RESOURCE for resource_type, _ in changed)
        names = {name for resource_type, name in changed if resource_type == TOPIC_RESOURCE}
        for name in new.topics if cluster_wide else sorted(names & new.topics.keys()):
            for index in range(len(new.topics[name].partitions)):
                if (name, index) in self._partitions:
                    yield (name, index), None


def _removed(old: "MetadataImage", new: "MetadataImage") -> "Iterator[PartitionKey]":
    """Partitions of the old image that are changed or missing in the new one."""
    for name, before in old.topics.items():
        topic = new.topics.get(name)
        if topic is before:
            continue
        is_same = topic is not None and topic.topic_id == before.topic_id
        partitions = topic.partitions if topic is not None and is_same else ()
        for index, partition in enumerate(before.partitions):
            if index >= len(partitions) or partitions[index] is not partition:
                yield name, index
