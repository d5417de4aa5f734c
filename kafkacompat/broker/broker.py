"""One node: what it holds, and how its parts are put together. It decides nothing itself."""

import logging

from kafkacompat.broker import scheduled_tasks
from kafkacompat.broker.connection import Connection
from kafkacompat.broker.control.controller_channel import ControllerChannel
from kafkacompat.broker.control.controller_server import ControllerServer
from kafkacompat.broker.control.lifecycle import FOREIGN, NO_BROKER_EPOCH, RUNNING, Lifecycle
from kafkacompat.broker.control.metadata_cache import MetadataCache
from kafkacompat.broker.control.registration import registration_of
from kafkacompat.broker.coordinator.coordinators import Coordinators
from kafkacompat.broker.dispatch import Dispatcher
from kafkacompat.broker.fetch_session import FetchSessionCache
from kafkacompat.broker.internal_topics import InternalTopics
from kafkacompat.broker.local_calls import LocalCalls
from kafkacompat.broker.long_answers import LongAnswers
from kafkacompat.broker.loop_lag import LoopLag
from kafkacompat.broker.metadata_answers import MetadataAnswers
from kafkacompat.broker.network import Address
from kafkacompat.broker.pipeline import Pipeline
from kafkacompat.broker.producer_ids import ProducerIds, ProducerIdSource
from kafkacompat.broker.purgatory import METADATA_KEY, Purgatory
from kafkacompat.broker.read_replica import RACK_AWARE
from kafkacompat.broker.replicas.alter_isr import AlterIsr
from kafkacompat.broker.replicas.delayed_follower_fetches import DelayedFollowerFetches
from kafkacompat.broker.replicas.directory_assignments import DirectoryAssignments
from kafkacompat.broker.replicas.fetchers import FetcherManager, FetchSettings
from kafkacompat.broker.replicas.partition_events import PartitionEvents
from kafkacompat.broker.replicas.replica_manager import PARTITIONS_PER_ITERATION, ReplicaManager, view_of
from kafkacompat.broker.replicas.replication_quota import ReplicationQuota
from kafkacompat.broker.replicas.strays import Strays
from kafkacompat.broker.roles import BROKER_ROLE, has_role
from kafkacompat.broker.timers import Timers
from kafkacompat.config import TopicConfig
from kafkacompat.config.protection import listed, stored_protection
from kafkacompat.errors import StartupError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.replication.metadata.ids import new_uuid
from kafkacompat.replication.metadata.image import BROKER_RESOURCE, EMPTY_IMAGE, TOPIC_RESOURCE, MetadataImage
from kafkacompat.replication.metadata.log import DIRECTORY_NAME as METADATA_DIRECTORY
from kafkacompat.replication.metadata.settings import Settings
from kafkacompat.replication.metadata.startup import open_quorum
from kafkacompat.replication.raft.election_state import NO_NODE
from kafkacompat.storage.background import Background
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.partition_dir import is_topic_name
from kafkacompat.storage.reserve import ReserveFs

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kafkacompat.broker.control.controller_registrar import ControllerRegistrar
    from kafkacompat.broker.control.quorum_channel import QuorumChannel
    from kafkacompat.broker.control.voter_changes import VoterChanges
    from kafkacompat.broker.coordinator.group.service import GroupCoordinator
    from kafkacompat.broker.network import Network
    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.controller.active import ActiveController
    from kafkacompat.replication.metadata.image import Endpoint
    from kafkacompat.replication.metadata.quorum import MetadataQuorum
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.fs import Fs

log = logging.getLogger(__name__)


class Broker:
    """A node with the role of a broker, a controller or both, and everything that handlers reach through their context.

    `open` recovers, `begin` starts to take part, `is_ready` says that clients can work; `shut_down` hands over, `close`
    ends it. `endpoints` are where clients are told to connect.
    """

    _told_of_protection: "frozenset[str]" = frozenset()

    def __init__(
        self,
        config: "BrokerConfig",
        logs: LogManager,
        quorum: "MetadataQuorum",
        flusher: Flusher,
        disk: ReserveFs,
        rng: "random.Random",
        endpoints: "Sequence[Endpoint]",
        controller_endpoints: "Sequence[Endpoint]" = (),
    ) -> None:
        self.static_config = self.config = config
        self.node_id = config.get_int("node.id")
        self.logs = logs
        self.quorum = quorum
        self.flusher, self.disk = flusher, disk
        self.rng = rng
        self.cluster_id = logs.cluster_id
        self.image = EMPTY_IMAGE
        self.timers = Timers()
        self.loop_lag = LoopLag()
        self.purgatory = Purgatory(self.timers)
        self.delayed_follower_fetches = DelayedFollowerFetches(self.purgatory, self.timers)
        self.producer_ids = ProducerIds()
        self.settings = Settings(self.node_id, config)
        self.internal_topics = InternalTopics(self)
        self.coordinators = Coordinators(self)
        self.metadata_answers = MetadataAnswers()
        self.long_answers = LongAnswers(self.timers)
        self._neighbours = MetadataCache(config, rng)
        self.nodes, self.alive_nodes = self._neighbours.nodes, self._neighbours.alive_nodes
        self.address_of = self._neighbours.address_of
        self.random_alive_broker_id = self._neighbours.random_alive_broker_id
        self._producer_id_source = ProducerIdSource(self)
        self._voter_changes: VoterChanges | None = None
        self.network: Network | None = None
        self.channel = ControllerChannel(
            client_id=str(self.node_id), timers=self.timers, rng=rng, find=self._controller_address,
            is_here=lambda: quorum.is_active, call_here=LocalCalls(self).call,
        )  # fmt: skip
        self.incarnation_id = new_uuid(rng)
        self.controller_server = ControllerServer(quorum, self.settings, self.timers, cluster_id=self.cluster_id)
        self.controller_server.address_of = self.address_of
        self._quorum_channel: QuorumChannel | None = None
        self._make_replication(config)
        self.pipeline = Pipeline(self)
        self._dispatcher = Dispatcher(self)
        self.dispatch = self._dispatcher.dispatch
        self.complete_early = self._dispatcher.complete_early
        self._directories = DirectoryAssignments(self)
        self._registrar = _registrar(self, controller_endpoints) if controller_endpoints else None
        self.lifecycle: Lifecycle | None = None
        if has_role(config, BROKER_ROLE):
            self.controller_server.incarnation_id = self.incarnation_id
            self.lifecycle = self._new_lifecycle(endpoints)
        self.is_ready = self._has_given_up = False
        self.on_ready: Callable[[], None] = lambda: None
        self.on_fatal: Callable[[str], None] = log.error
        self._known_leader = (quorum.raft.leader_id, quorum.is_active)
        self._take_config(config)

    def _make_replication(self, config: "BrokerConfig") -> None:
        window_count = config.get_int("replication.quota.window.num")
        window_ms = config.get_int("replication.quota.window.size.seconds") * 1000
        self.leader_quota = ReplicationQuota(window_count, window_ms)
        self.follower_quota = ReplicationQuota(window_count, window_ms)
        self.view = view_of(config)
        slots = config.get_int("max.incremental.fetch.session.cache.slots")
        self.fetch_sessions = FetchSessionCache(slots, self.rng, self.purgatory.touch)
        logs = self.logs
        strays = Strays(
            self.node_id, self.quorum.raft.log.fs, logs.path, logs.last_broker_epoch, self.quorum.seen_topics
        )
        events = PartitionEvents(self)
        self.partitions = ReplicaManager(self.node_id, logs, self.topic_config, events, self.view, strays)
        self.fetchers = FetcherManager(
            self.node_id,
            FetchSettings(config),
            self.timers,
            broker_epoch=lambda: self.broker_epoch,
            address_of=self.address_of,
            request_flush=lambda partition, then: self.flusher.request(partition.log, then),
            high_watermark_moved=self.partitions.events.high_watermark_moved,
            moved=self.partitions.events.moved,
            quota=self.follower_quota,
            leader_found=lambda now: self.purgatory.touch(METADATA_KEY, now),
        )
        self.alter_isr = AlterIsr(
            self.node_id, self.timers, self.channel, lambda: self.broker_epoch, config.get_int("request.timeout.ms")
        )

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
        controller_endpoints: "Sequence[Endpoint]" = (),
    ) -> "Broker":
        """Recover what the data directory holds; nothing is said to other nodes yet.

        Raises StartupError with one line for the user.
        """
        config = config.at_place(_place(config, endpoints, data_dir))
        disk = ReserveFs(fs, data_dir)
        flusher = Flusher(disk, Background())
        logs = LogManager.open(disk, data_dir, config, now, cluster_id=cluster_id, flusher=flusher, rng=rng)
        disk.give_up()  # recovery may need the room
        try:
            quorum = open_quorum(
                disk,
                data_dir,
                node_id=config.get_int("node.id"),
                cluster_id=logs.cluster_id,
                directory_id=logs.directory_id,
                config=config,
                flusher=flusher,
                now=now,
                rng=rng,
                controller_endpoints=controller_endpoints or None,
                clean=logs.was_clean_shutdown,
            )
            broker = cls(config, logs, quorum, flusher, disk, rng, endpoints, controller_endpoints)
            broker._take_image(EMPTY_IMAGE, quorum.image)
            if broker.lifecycle is not None and quorum.is_active:
                broker.partitions.open_logs(quorum.image, now)
            elif broker.lifecycle is not None:  # others will say which of them have a place here
                logs.open_found(TopicConfig.resolve({}, config), now, but=METADATA_DIRECTORY)
        except BaseException as error:
            logs.close(clean=False, high_watermarks={}, broker_epoch=-1, now=now)
            if isinstance(error, LogError):  # not a bug: the disk failed under the metadata log
                raise StartupError(f"data directory {data_dir} cannot be used: {error}") from error
            raise
        return broker

    def begin(self, network: "Network | None", now: "Now") -> None:
        """Take part in the cluster: in the quorum, and as a broker, which registers and begins to work.

        `on_ready` is called when clients can work; with a lone voter that is before this returns. Without a network
        there is nobody but this node. Raises StartupError; the broker is to be closed then, too.
        """
        quorum = self.quorum
        self.network = self.channel.network = self.controller_server.network = self.fetchers.network = network
        quorum.listeners.append(self._on_metadata)
        quorum.on_more = lambda at: self.timers.set("metadata changes", at.monotonic_ms, quorum.go_on)
        quorum.on_active.append(self.controller_server.on_active)
        quorum.on_inactive.append(self.controller_server.on_inactive)
        if quorum.is_active:
            self.controller_server.on_active(now)
        quorum.hold()
        if network is not None:
            self.partitions.max_per_iteration = PARTITIONS_PER_ITERATION
            self._speak_in_quorum(network, now)
            if self._registrar is not None:
                self.controller_server.look(self.image, now)
        else:
            scheduled_tasks.watch_quorum(quorum, self.timers, now)
        scheduled_tasks.schedule(self, now)
        if self.lifecycle is not None:
            self.lifecycle.begin(self.logs.previous_broker_epoch, now)
        quorum.flush(now)
        if quorum.failure is not None:
            raise StartupError(f"data directory {self.logs.path} cannot be used: {quorum.failure}")
        self._look_whether_ready()

    def after_event(self, now: "Now") -> None:
        """After events: set the timers of quorum and controller, and go to a new leader with what waits for one."""
        leader = (self.quorum.raft.leader_id, self.quorum.is_active)
        if leader != self._known_leader:
            self._known_leader = leader
            self.channel.leader_changed(now)
            if self.lifecycle is not None and leader[0] != NO_NODE:
                self.lifecycle.controller_changed(now)
            self._look_whether_ready()
        if self.quorum.failure is not None and not self._has_given_up:
            self._give_up(now)

    def shut_down(
        self, now: "Now", stopped: "Callable[[Now], None]", held: "Callable[[Now], None]" = lambda _now: None
    ) -> None:
        """Hand over what this broker leads: `stopped(now)` is called when it may be closed, see Lifecycle.shut_down;
        `held(now)` after each answer of a controller until then.
        """
        hands_over = self.config.get_bool("controlled.shutdown.enable") and self.quorum.failure is None
        if self.lifecycle is None or not hands_over:
            stopped(now)
            return
        self.lifecycle.events.may_stop, self.lifecycle.events.held = stopped, held
        self.lifecycle.shut_down(now)

    def resign(self, now: "Now") -> None:
        """Take no part in the quorum any more; who leads it tells the others, who elect the next one."""
        self.quorum.raft.resign(now)

    def close(self, now: "Now", *, clean: bool = True) -> None:
        """Stop: a clean stop flushes and leaves the marker that saves the next start its recovery."""
        self.leave(now, clean=clean)
        for _ in self.closing(now, clean=clean):
            pass

    def leave(self, now: "Now", *, clean: bool) -> None:
        """The first half of `close`: take part in nothing any more, on the loop."""
        if self.lifecycle is not None:
            self.lifecycle.close()
        self.alter_isr.close()
        self.fetchers.close()
        self.channel.close()
        if self._quorum_channel is not None:
            self._quorum_channel.end()
        if clean:
            self.disk.give_up()
            self.partitions.delete_all(now)
            self.flusher.flush_inline(now)
        self.quorum.close(clean=clean, now=now)

    def closing(self, now: "Now", *, clean: bool) -> "Iterator[tuple[int, int]]":
        """The second half, in steps: how many logs are closed, of how many. Each step may wait for the disk, and may be
        taken on another thread, as nothing else uses this broker any more.
        """
        epoch = NO_BROKER_EPOCH if self.lifecycle is None else self.lifecycle.last_epoch
        clean = clean and self.quorum.failure is None
        return self.logs.closing(clean=clean, high_watermarks=self.high_watermarks(), broker_epoch=epoch, now=now)

    def disconnected(self, connection: Connection, now: "Now") -> None:
        """Forget what waits for a client that is gone; was it a broker?"""
        for pending in connection.waiting:
            self.purgatory.discard(pending)
        connection.waiting.clear()
        if connection.on_close is not None:
            connection.on_close()
        self.controller_server.disconnected(connection, now)

    @property
    def background(self) -> Background:
        """What runs beside the loop."""
        return self.flusher.background

    # --- what handlers ask ---

    @property
    def controller(self) -> "ActiveController | None":
        """The active controller, if it is on this node."""
        return self.controller_server.active

    @property
    def broker_epoch(self) -> int:
        """Of this broker's registration, −1 without one."""
        return NO_BROKER_EPOCH if self.lifecycle is None else self.lifecycle.broker_epoch

    @property
    def voter_changes(self) -> "VoterChanges":
        """What the leader of the quorum is asked to change about who votes, made when the first one asks."""
        if self._voter_changes is None:
            from kafkacompat.broker.control.voter_changes import VoterChanges

            self._voter_changes = VoterChanges(self)
        return self._voter_changes

    @property
    def groups(self) -> "GroupCoordinator":
        """The group coordinator."""
        return self.coordinators.groups

    def is_internal(self, topic: str) -> bool:
        """Whether Kafka marks the topic as internal."""
        return self.internal_topics.is_internal(topic)

    def unknown_topic_error(self, name: str) -> int:
        """The error for a topic that does not exist: its name may be impossible."""
        return errors.UNKNOWN_TOPIC_OR_PARTITION if is_topic_name(name) else errors.INVALID_TOPIC_EXCEPTION

    def topic_config(self, name: str) -> TopicConfig:
        """The config of a topic as the newest image has it."""
        return TopicConfig.resolve(self.image.config(TOPIC_RESOURCE, name), self.config)

    def request_producer_ids(self, now: "Now") -> None:
        """Ask the controller for a block of producer ids; PRODUCER_IDS_KEY moves when there is news."""
        self._producer_id_source.request(now)

    def request_flush(self, partition: "Partition") -> None:
        """Have the partition's log synced; whoever waits for it is asked again then."""

        def flushed(now: "Now") -> None:
            partition.advance_high_watermark(now)
            self.purgatory.touch(partition.watch_key, now)

        self.flusher.request(partition.log, flushed)

    # --- what moves us ---

    def _take_image(self, old: MetadataImage, new: MetadataImage) -> None:
        self.image = new
        self._neighbours.take(new)
        if old.configs is not new.configs:
            cluster, broker = new.config(BROKER_RESOURCE, ""), new.config(BROKER_RESOURCE, str(self.node_id))
            self._take_config(self.static_config.with_dynamic(cluster, broker))
            self._tell_of_protection({**cluster, **broker})

    def _on_metadata(self, old: MetadataImage, new: MetadataImage, now: "Now") -> None:
        self._take_image(old, new)
        self._take_roles(now)
        self.coordinators.on_metadata(old, new, now)
        self.purgatory.touch(METADATA_KEY, now)
        if self.lifecycle is not None:
            self.lifecycle.metadata_applied(self.image, now)
        self._directories.look(now)
        if self._registrar is not None:
            if old.brokers is not new.brokers:
                self.controller_server.look(new, now)
            self._registrar.look(now)
        self._look_whether_ready()

    def _take_roles(self, now: "Now") -> None:
        """Follow the metadata log, from this broker's own registration on: what was before is for its last life."""
        lifecycle = self.lifecycle
        if lifecycle is not None and lifecycle.is_registered and self.image.offset >= lifecycle.broker_epoch:
            self.partitions.apply(self.image, now)

    def _new_lifecycle(self, endpoints: "Sequence[Endpoint]") -> Lifecycle:
        lifecycle = Lifecycle(
            registration_of(self, endpoints), self.config, channel=self.channel, timers=self.timers,
            metadata_offset=lambda: self.partitions.applied_offset, data_dir=self.logs.path,
        )  # fmt: skip
        lifecycle.full_directories = lambda: (
            [self.logs.directory_id] if self.disk.is_full and self.network is not None else []
        )
        events, session_ms = lifecycle.events, self.config.get_int("broker.session.timeout.ms")
        lifecycle.has_all = lambda: self.logs.offline is None
        events.registered = self._on_registered
        events.stale = self.partitions.resign
        events.heard = lambda sent_ms: self.view.heartbeat_succeeded(sent_ms, session_ms)
        events.fatal = self._fatal
        return lifecycle

    def _fatal(self, line: str) -> None:
        self.on_fatal(line)

    def _on_registered(self, broker_epoch: int, now: "Now") -> None:
        self.logs.registered(broker_epoch, self.incarnation_id)
        self._take_roles(now)
        self.fetchers.resume(now)
        self.alter_isr.resume(now)

    def _look_whether_ready(self) -> None:
        """A broker is ready when it is let in, a controller alone when it knows a leader and what was committed."""
        if self.is_ready:
            return
        if self.lifecycle is not None:
            self.is_ready = self.lifecycle.state == RUNNING
        else:
            self.is_ready = self.quorum.raft.leader_id >= 0 and bool(self.image.features)
        if self.is_ready:
            if self.network is None:
                self.partitions.max_per_iteration = PARTITIONS_PER_ITERATION
            self.on_ready()

    def _controller_address(self) -> Address | None:
        leader_id = self.quorum.raft.leader_id
        if leader_id in (self.node_id, NO_NODE):
            return None  # this node leads and is not active yet, or nobody does
        found = self.quorum.raft.address_of(leader_id)
        return None if found is None else Address(*found)

    def _speak_in_quorum(self, network: "Network", now: "Now") -> None:
        from kafkacompat.broker.control.quorum_channel import QuorumChannel

        self._quorum_channel = QuorumChannel(
            self.quorum, self.cluster_id, self.node_id, self.timers,
            request_timeout_ms=self.config.get_int("controller.quorum.request.timeout.ms"),
            joins=self.config.get_bool("controller.quorum.auto.join.enable"),
        )  # fmt: skip
        self._quorum_channel.on_foreign = self._foreign
        self._quorum_channel.begin(network, now)

    def _foreign(self) -> None:
        if not self.is_ready:
            self._fatal(FOREIGN.format(data_dir=self.logs.path, cluster_id=self.cluster_id))

    def _give_up(self, now: "Now") -> None:
        """This node's part in the quorum has failed: without metadata it leads and follows nothing and is to stop, as
        Kafka's does; others take over.
        """
        assert self.quorum.failure is not None
        self._has_given_up = True
        self._fatal(self.quorum.failure)
        if self.lifecycle is not None and self.network is not None:
            self.lifecycle.close()
            self.partitions.resign(now)

    def _take_config(self, config: "BrokerConfig") -> None:
        self.config = config
        self.fetch_max_bytes = config.get_int("fetch.max.bytes")
        self.leader_quota.rate = config.get("leader.replication.throttled.rate")  # type: ignore[assignment]
        self.follower_quota.rate = config.get("follower.replication.throttled.rate")  # type: ignore[assignment]
        self.selects_by_rack = config.get("replica.selector.class") == RACK_AWARE
        self.request_timeout_ms = config.get_int("request.timeout.ms")
        self.auto_create_enabled = config.get_bool("auto.create.topics.enable")

    def _tell_of_protection(self, stored: "Mapping[str, str]") -> None:
        """An error line when settings are stored that would protect a broker of Kafka's. They never end a start:
        anybody may have stored them.
        """
        names = stored_protection(stored, self.static_config) if stored else []
        if not self._told_of_protection.issuperset(names):
            log.error("the metadata log sets %s: nothing is protected by that here; remove it", listed(names))
        self._told_of_protection = frozenset(names)

    def high_watermarks(self) -> dict[tuple[str, int], int]:
        """Of every partition here, for the checkpoint."""
        return {(partition.topic, partition.index): partition.high_watermark for partition in self.partitions}


def _place(config: "BrokerConfig", endpoints: "Sequence[Endpoint]", data_dir: str) -> dict[str, str]:
    """Where the broker turned out to run, in the words of its configuration."""
    listeners = ",".join(f"{endpoint.name}://{endpoint.address}" for endpoint in endpoints)
    place = {"listeners": listeners, "advertised.listeners": listeners, "log.dirs": data_dir}
    return {name: text for name, text in place.items() if name == "advertised.listeners" or name not in config.static}


def _registrar(broker: Broker, endpoints: "Sequence[Endpoint]") -> "ControllerRegistrar":
    from kafkacompat.broker.control.controller_registrar import ControllerRegistrar

    return ControllerRegistrar(broker, endpoints)
