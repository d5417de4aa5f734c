"""One broker: what it holds, and how its parts are put together. It decides nothing itself."""

import logging

from kafkacompat.broker import chores
from kafkacompat.broker.context import Connection, Failed
from kafkacompat.broker.dispatch import Dispatcher
from kafkacompat.broker.fetch_session import FetchSessionCache
from kafkacompat.broker.internal_topics import InternalTopics
from kafkacompat.broker.producer_ids import ProducerIds
from kafkacompat.broker.purgatory import METADATA_KEY, PRODUCER_IDS_KEY, Pending, Purgatory
from kafkacompat.broker.replica_manager import ReplicaManager
from kafkacompat.broker.timers import Timers
from kafkacompat.config import TopicConfig
from kafkacompat.errors import StartupError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.allocate_producer_ids import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)
from kafkacompat.replication.controller.producer_ids import allocate_producer_ids
from kafkacompat.replication.controller.settings import Settings
from kafkacompat.replication.metadata.image import BROKER_RESOURCE, EMPTY_IMAGE, TOPIC_RESOURCE, MetadataImage
from kafkacompat.replication.metadata.quorum import MetadataQuorum
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.partition_dir import is_topic_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any

    from kafkacompat.broker.context import Context
    from kafkacompat.broker.coordinator.group.service import GroupCoordinator
    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import Endpoint
    from kafkacompat.replication.metadata.quorum import Submission
    from kafkacompat.replication.partition import Partition
    from kafkacompat.replication.result import Result
    from kafkacompat.storage.fs import Fs

log = logging.getLogger(__name__)


class Broker:
    """A broker and everything that handlers reach through their context."""

    def __init__(
        self, config: "BrokerConfig", logs: LogManager, quorum: MetadataQuorum, flusher: Flusher, rng: "random.Random"
    ) -> None:
        self.static_config = config
        self.config = config
        self.node_id = config.get_int("node.id")
        self.logs = logs
        self.quorum = quorum
        self.flusher = flusher
        self.rng = rng
        self.cluster_id = logs.cluster_id
        self.image = EMPTY_IMAGE
        self.timers = Timers()
        self.purgatory = Purgatory(self.timers)
        self.fetch_sessions = FetchSessionCache(config.get_int("max.incremental.fetch.session.cache.slots"), rng)
        self.producer_ids = ProducerIds()
        self.settings = Settings(self.node_id, config)
        self.internal_topics = InternalTopics(self)
        self.metadata_cache: dict[object, list[bytes]] = {}
        self.metadata_cache_image = self.image
        self._node_cache: dict[tuple[str, bool], list[tuple[int, str, int, str | None]]] = {}
        self._asked_for_producer_ids = False
        self._awaited: list[tuple[Submission, Callable[[Any, Now], None]]] = []
        self._groups: GroupCoordinator | None = None
        self.partitions = ReplicaManager(
            self.node_id,
            logs,
            self.topic_config,
            on_moved=self._on_high_watermark,
            on_elected=self._on_elected,
            on_resigned=self._on_resigned,
        )
        self._dispatcher = Dispatcher(self)
        self.dispatch = self._dispatcher.dispatch
        self._take_config(config)

    @classmethod
    def open(
        cls,
        *,
        config: "BrokerConfig",
        fs: "Fs",
        data_dir: str,
        endpoints: "Sequence[Endpoint]",
        now: "Now",
        rng: "random.Random",
        cluster_id: str | None = None,
    ) -> "Broker":
        """Recover what the data directory holds and join the cluster; clients can work when this returns.

        Raises StartupError with one line for the user.
        """
        config = config.at_place(_place(config, endpoints, data_dir))
        flusher = Flusher(fs)
        logs = LogManager.open(fs, data_dir, config, now, cluster_id=cluster_id, flusher=flusher, rng=rng)
        try:
            quorum = MetadataQuorum.open(
                fs,
                data_dir,
                node_id=config.get_int("node.id"),
                cluster_id=logs.cluster_id,
                directory_id=logs.directory_id,
                config=config,
                flusher=flusher,
                now=now,
                rng=rng,
                clean=logs.was_clean_shutdown,
            )
            broker = cls(config, logs, quorum, flusher, rng)
            broker._join(endpoints, now)
        except BaseException as error:
            logs.close(clean=False, high_watermarks={}, broker_epoch=-1, now=now)
            if isinstance(error, LogError):  # not a bug: the disk failed under the metadata log
                raise StartupError(f"data directory {data_dir} cannot be used: {error}") from error
            raise
        return broker

    def _join(self, endpoints: "Sequence[Endpoint]", now: "Now") -> None:
        """Recover the logs that the metadata names, then register: the controller elects us where we may lead."""
        self._take_image(EMPTY_IMAGE, self.quorum.image)
        self.partitions.open_logs(self.quorum.image, now)
        rack = self.config.get("broker.rack")
        assert rack is None or isinstance(rack, str)
        self.quorum.register_broker(
            endpoints, rack=rack, previous_broker_epoch=self.logs.previous_broker_epoch, now=now
        )
        self._on_metadata(EMPTY_IMAGE, self.quorum.image, now)
        self.quorum.listeners.append(self._on_metadata)
        chores.schedule(self, now)

    def close(self, now: "Now", *, clean: bool = True) -> None:
        """Stop: a clean stop hands over, flushes and leaves the marker that saves the next start its recovery."""
        if clean:
            self.quorum.shut_down_broker(now)
            self.flusher.flush_inline(now)
        epoch = self.quorum.broker_epoch
        self.quorum.close(clean=clean, now=now)
        clean = clean and self.quorum.failure is None
        self.logs.close(clean=clean, high_watermarks=self.high_watermarks(), broker_epoch=epoch, now=now)

    def disconnected(self, connection: Connection, now: "Now") -> None:  # noqa: ARG002 (timers decide about its members)
        """Forget what waits for a client that is gone."""
        if connection.pending is not None:
            self.purgatory.discard(connection.pending)
            connection.pending = None

    # --- what handlers ask ---

    @property
    def groups(self) -> "GroupCoordinator":
        """The group coordinator, made when the first client asks for one."""
        if self._groups is None:
            from kafkacompat.broker.coordinator.group.service import GroupCoordinator

            self._groups = GroupCoordinator(self)
        return self._groups

    def nodes(self, listener: str, *, include_fenced: bool = False) -> list[tuple[int, str, int, str | None]]:
        """(id, host, port, rack) of each broker that can be reached on `listener`, by id."""
        key = (listener, include_fenced)
        nodes = self._node_cache.get(key)
        if nodes is None:
            nodes = self._node_cache[key] = [
                (broker_id, endpoint.host, endpoint.port, broker.rack)
                for broker_id, broker in sorted(self.image.brokers.items())
                for endpoint in broker.endpoints
                if endpoint.name == listener and (include_fenced or not broker.fenced)
            ]
        return nodes

    def is_internal(self, topic: str) -> bool:
        """Whether Kafka marks the topic as internal."""
        return self.internal_topics.is_internal(topic)

    def unknown_topic_error(self, name: str) -> int:
        """The error for a topic that does not exist: its name may be impossible."""
        return errors.UNKNOWN_TOPIC_OR_PARTITION if is_topic_name(name) else errors.INVALID_TOPIC_EXCEPTION

    def topic_config(self, name: str) -> TopicConfig:
        """The config of a topic as the newest image has it."""
        return TopicConfig.resolve(self.image.config(TOPIC_RESOURCE, name), self.config)

    def submit(self, operation: "Callable[[MetadataImage, Now], Result]", context: "Context") -> object:
        """Run a controller operation; the response comes once its records are committed and applied here."""
        submission = self.quorum.submit(operation, context.now)
        if submission.committed:
            return submission.response

        def finish(_now: "Now", expired: bool) -> object | None:
            if submission.committed:
                return submission.response
            return Failed(errors.REQUEST_TIMED_OUT) if expired else None

        return Pending([METADATA_KEY], context.now.monotonic_ms + self.request_timeout_ms, finish)

    def auto_create_topics(self, names: "Sequence[str]", context: "Context") -> "tuple[dict[str, int], list[Hashable]]":
        """Create what a client asked about. Returns the errors by name, and what to wait for until the rest is
        there.
        """
        return self.internal_topics.auto_create(names, context.now)

    def ensure_internal_topic(self, name: str, now: "Now") -> "Hashable | None":
        """None when the topic is there; else it is being created, and this is the key to wait for."""
        return self.internal_topics.ensure(name, now)

    def request_producer_ids(self, now: "Now") -> "Hashable":
        """Ask the controller for a block of producer ids; the key to wait for."""
        if not self._asked_for_producer_ids:
            self._asked_for_producer_ids = True
            request = AllocateProducerIdsRequest(self.node_id, self.quorum.broker_epoch)
            submission = self.quorum.submit(lambda image, _now: allocate_producer_ids(request, image), now)
            self._when_committed(submission, self._on_producer_ids, now)
        return PRODUCER_IDS_KEY

    def request_flush(self, partition: "Partition") -> None:
        """Have the partition's log synced; whoever waits for it is asked again then."""

        def flushed(now: "Now") -> None:
            partition.advance_high_watermark(now)
            self.purgatory.touch(partition.watch_key, now)

        self.flusher.request(partition.log, flushed)

    # --- what moves us ---

    def _when_committed(self, submission: "Submission", action: "Callable[[Any, Now], None]", now: "Now") -> None:
        if submission.committed:
            action(submission.response, now)
        else:
            self._awaited.append((submission, action))

    def _on_producer_ids(self, response: AllocateProducerIdsResponse, now: "Now") -> None:
        self._asked_for_producer_ids = False
        if response.error_code == errors.NONE:
            self.producer_ids.add_block(response.producer_id_start, response.producer_id_len)
        self.purgatory.touch(PRODUCER_IDS_KEY, now)

    def _take_image(self, old: MetadataImage, new: MetadataImage) -> None:
        self.image = new
        self._node_cache.clear()
        if old.configs is not new.configs:
            self._take_config(
                self.static_config.with_dynamic(
                    new.config(BROKER_RESOURCE, ""), new.config(BROKER_RESOURCE, str(self.node_id))
                )
            )

    def _on_metadata(self, old: MetadataImage, new: MetadataImage, now: "Now") -> None:
        self._take_image(old, new)
        self.partitions.apply(old, new, now)
        if self._groups is not None and old.topics is not new.topics:
            self._groups.on_metadata(old, new, now)
        awaited, self._awaited = self._awaited, []
        for submission, action in awaited:
            self._when_committed(submission, action, now)
        self.purgatory.touch(METADATA_KEY, now)

    def _take_config(self, config: "BrokerConfig") -> None:
        self.config = config
        self.fetch_max_bytes = config.get_int("fetch.max.bytes")
        self.request_timeout_ms = config.get_int("request.timeout.ms")
        self.auto_create_enabled = config.get_bool("auto.create.topics.enable")

    def _on_high_watermark(self, partition: "Partition", now: "Now") -> None:
        self.purgatory.touch(partition.watch_key, now)
        if self._groups is not None:
            self._groups.on_high_watermark(partition, now)

    def _on_elected(self, partition: "Partition", now: "Now") -> None:
        if partition.awaits_sync:
            self.request_flush(partition)
        if self.internal_topics.holds_groups(partition.topic):
            self.groups.on_elected(partition, now)

    def _on_resigned(self, partition: "Partition", now: "Now") -> None:
        if self.internal_topics.holds_groups(partition.topic):
            self.groups.on_resigned(partition, now)
        self.purgatory.touch(partition.watch_key, now)

    def high_watermarks(self) -> dict[tuple[str, int], int]:
        """Of every partition here, for the checkpoint."""
        return {(partition.topic, partition.index): partition.high_watermark for partition in self.partitions}


def _place(config: "BrokerConfig", endpoints: "Sequence[Endpoint]", data_dir: str) -> dict[str, str]:
    """Where the broker turned out to run, in the words of its configuration."""
    listeners = ",".join(f"{endpoint.name}://{endpoint.address}" for endpoint in endpoints)
    place = {"listeners": listeners, "advertised.listeners": listeners, "log.dirs": data_dir}
    return {name: text for name, text in place.items() if name == "advertised.listeners" or name not in config.static}
