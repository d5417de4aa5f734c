"""The composition root of a node: it creates the node's parts and connects them. It makes no decisions itself."""

import logging
from functools import cached_property

from kafkacompat.broker import scheduled_tasks
from kafkacompat.broker.compaction import Compaction
from kafkacompat.broker.connection import Connection
from kafkacompat.broker.control.controller_channel import ControllerChannel
from kafkacompat.broker.control.controller_server import ControllerServer
from kafkacompat.broker.control.lifecycle import FOREIGN, RUNNING, Lifecycle
from kafkacompat.broker.control.metadata_cache import MetadataCache
from kafkacompat.broker.control.registration import registration_of
from kafkacompat.broker.coordinator.coordinators import BY_TOPIC, Coordinators
from kafkacompat.broker.dispatch import Dispatcher
from kafkacompat.broker.internal_topics import InternalTopics
from kafkacompat.broker.local_calls import LocalCalls
from kafkacompat.broker.long_answers import LongAnswers
from kafkacompat.broker.loop_lag import LoopLag
from kafkacompat.broker.metadata_answers import MetadataAnswers
from kafkacompat.broker.network import Address
from kafkacompat.broker.pipeline import Pipeline
from kafkacompat.broker.producer_ids import ProducerIds, ProducerIdSource
from kafkacompat.broker.purgatory import METADATA_KEY, Purgatory
from kafkacompat.broker.replicas.alter_isr import AlterIsr
from kafkacompat.broker.replicas.delayed_follower_fetches import DelayedFollowerFetches
from kafkacompat.broker.replicas.directory_assignments import DirectoryAssignments
from kafkacompat.broker.replicas.fetch_settings import FetchSettings
from kafkacompat.broker.replicas.fetchers import FetcherManager
from kafkacompat.broker.replicas.partition_events import PartitionEvents
from kafkacompat.broker.replicas.replica_manager import PARTITIONS_PER_ITERATION, ReplicaManager, view_of
from kafkacompat.broker.replicas.replication_quota import ReplicationQuota
from kafkacompat.broker.replicas.retention_check import RetentionCheck
from kafkacompat.broker.replicas.strays import Strays
from kafkacompat.broker.roles import BROKER_ROLE, has_role
from kafkacompat.broker.timers import NodeTimers
from kafkacompat.config import TopicConfig
from kafkacompat.config.broker_quorum import RACK_AWARE
from kafkacompat.config.listeners import ADVERTISED_LISTENERS
from kafkacompat.config.protection import listed, stored_protection
from kafkacompat.config.releases import NONE as NO_RELEASE
from kafkacompat.errors import StartupError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_BROKER_EPOCH, NO_NODE
from kafkacompat.replication.metadata.ids import new_uuid
from kafkacompat.replication.metadata.image import BROKER_RESOURCE, EMPTY_IMAGE, TOPIC_RESOURCE, MetadataImage
from kafkacompat.replication.metadata.settings import Settings
from kafkacompat.replication.metadata.startup import open_quorum
from kafkacompat.storage.background import Background
from kafkacompat.storage.checkpoints import META_PROPERTIES_FILE
from kafkacompat.storage.data_dir import METADATA_DIRECTORY
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.partition_dir import is_topic_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kafkacompat.broker.control.advertised import AdvertisedEndpoints
    from kafkacompat.broker.control.controller_channel import LocalCall
    from kafkacompat.broker.control.controller_registrar import ControllerRegistrar
    from kafkacompat.broker.control.quorum_channel import QuorumChannel
    from kafkacompat.broker.control.voter_changes import VoterChanges
    from kafkacompat.broker.coordinator.group.service import GroupCoordinator
    from kafkacompat.broker.coordinator.txn.service import TransactionCoordinator
    from kafkacompat.broker.faults.rules import FaultRules
    from kafkacompat.broker.fetch_session_cache import FetchSessionCache
    from kafkacompat.broker.journal import Dispatch, Journal
    from kafkacompat.broker.network import Network
    from kafkacompat.broker.replicas.replica_alter_log_dirs import ReplicaAlterLogDirsManager
    from kafkacompat.broker.replicas.verification import TransactionVerifier
    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.controller.active import ActiveController
    from kafkacompat.replication.metadata.image import Endpoint
    from kafkacompat.replication.metadata.quorum import MetadataQuorum
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.fs import Fs

log = logging.getLogger(__name__)


class Broker:
    """A node with the broker role, the controller role or both. Handlers reach its services through their context.

    Call `open` (recovers the data directory), then `begin` (joins the cluster); `is_ready` becomes true when clients
    can be served. To stop, call `shut_down` (hands over leadership), then `close`. `endpoints` are the advertised
    listeners.
    """

    _reported_protection: "frozenset[str]" = frozenset()
    fault_rules: "FaultRules | None" = None
    """Made with the first rule."""
    journal: "Journal | None" = None  # while it is on
    _advertised: "AdvertisedEndpoints | None" = None
    transaction_verifier_if_made: "TransactionVerifier | None" = None

    def __init__(
        self,
        config: "BrokerConfig",
        logs: LogManager,
        quorum: "MetadataQuorum",
        flusher: Flusher,
        rng: "random.Random",
        endpoints: "Sequence[Endpoint]",
        controller_endpoints: "Sequence[Endpoint]" = (),
    ) -> None:
        self.static_config = self.config = config
        self.node_id = config.get_int("node.id")
        self.logs = logs
        self.quorum = quorum
        self.flusher = flusher
        self.rng = rng
        self.cluster_id = logs.cluster_id
        self.image = EMPTY_IMAGE
        self.timers = NodeTimers()
        self.life_timers = self.timers.life
        self.loop_lag, self.compaction = LoopLag(), Compaction(self, BY_TOPIC)
        self.purgatory = Purgatory(self.timers, self.loop_lag.is_long)
        self.delayed_follower_fetches = DelayedFollowerFetches(self.purgatory, self.timers)
        self.producer_ids = ProducerIds()
        self.settings = Settings(self.node_id, config)
        self.internal_topics = InternalTopics(self)
        self.coordinators = Coordinators(self)
        self.metadata_answers = MetadataAnswers()
        self.long_answers = LongAnswers(self.timers)
        self._metadata_cache = MetadataCache(config, rng)
        self.nodes, self.alive_nodes = self._metadata_cache.nodes, self._metadata_cache.alive_nodes
        self.address_of = self._metadata_cache.address_of
        self.random_alive_broker_id = self._metadata_cache.random_alive_broker_id
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
        self.pipeline = _pipeline(self, config)
        self._dispatcher = Dispatcher(self)
        self.dispatch: Dispatch = self._dispatcher.dispatch
        self.complete_early = self._dispatcher.complete_early
        self.directory_assignments = DirectoryAssignments(self)
        self._registrar = _registrar(self, controller_endpoints) if controller_endpoints else None
        self.lifecycle: Lifecycle | None = None
        if has_role(config, BROKER_ROLE):
            self.controller_server.incarnation_id = self.incarnation_id
            self.lifecycle = self._new_lifecycle(endpoints)
        self.is_ready = self._has_failed = False
        self.on_ready: Callable[[], None] = lambda: None
        self.on_fatal: Callable[[str], None] = log.error
        self._known_leader = (quorum.raft.leader_id, quorum.is_active)
        self._apply_config(config)

    def _make_replication(self, config: "BrokerConfig") -> None:
        window_count = config.get_int("replication.quota.window.num")
        window_ms = config.get_int("replication.quota.window.size.seconds") * 1000
        self.leader_quota = ReplicationQuota(window_count, window_ms)
        self.follower_quota = ReplicationQuota(window_count, window_ms)
        self.view = view_of(config)
        logs = self.logs
        epoch, seen = logs.last_broker_epoch, self.quorum.seen_topics
        strays = [Strays(self.node_id, directory, epoch, seen) for directory in logs.directories]
        events = PartitionEvents(self)
        self.partitions = ReplicaManager(self.node_id, logs, self.topic_config, events, self.view, strays)
        self.partitions.is_long = self.loop_lag.is_long
        self.retention = RetentionCheck(logs, self.partitions, self.background, self.timers, self.compaction.may_remove)
        self.fetchers = FetcherManager(
            self.node_id,
            FetchSettings(config),
            self.timers,
            broker_epoch=lambda: self.broker_epoch,
            address_of=self.address_of,
            request_flush=lambda partition, then: self.flusher.request(partition.log, then),
            carry_out=self.partitions.carry_out,
            quota=self.follower_quota,
            leader_found=lambda now: self.purgatory.touch(METADATA_KEY, now),
        )
        self.alter_isr = AlterIsr(
            self.node_id,
            self.timers,
            self.channel,
            lambda: self.broker_epoch,
            config.get_int("request.timeout.ms"),
            self.partitions.carry_out,
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
        first_producer_id: int = 0,
        is_read_only: bool = False,
        log_dirs: "Sequence[str]" = (),
    ) -> "Broker":
        """Recover the data directories. Other nodes are not contacted yet.

        data_dir: of the metadata log. log_dirs: of all other logs; none for the same one. first_producer_id: where a
        new cluster begins to allocate producer ids. is_read_only: whether `fs` writes nothing; feature levels that this
        version could not keep are no obstacle then. Raises StartupError with one line for the user; nothing was written
        then, unless a disk failed.
        """
        log_dirs = log_dirs or (data_dir,)
        config = config.at_place(_place(config, endpoints, log_dirs))
        known = None
        if not fs.ends_with_process and fs.exists(f"{data_dir}/{META_PROPERTIES_FILE}"):
            from kafkacompat.broker.rehearsal import rehearse

            known = rehearse(fs, data_dir, log_dirs, config, now, cluster_id=cluster_id)
        flusher = Flusher(fs, Background())
        logs = LogManager.open(
            fs, log_dirs, config, now, cluster_id=cluster_id, flusher=flusher, rng=rng, metadata_path=data_dir
        )
        logs.give_up_reserves()  # recovery may need the room
        try:
            directory = logs.metadata_directory
            quorum = open_quorum(
                directory.disk, directory.path, node_id=config.get_int("node.id"), cluster_id=logs.cluster_id,
                directory_id=directory.directory_id, config=config, flusher=flusher, now=now, rng=rng,
                controller_endpoints=controller_endpoints or None, clean=directory.was_clean_shutdown,
                first_producer_id=first_producer_id, known=known, is_read_only=is_read_only,
            )  # fmt: skip
            broker = cls(config, logs, quorum, flusher, rng, endpoints, controller_endpoints)
            broker._set_image(EMPTY_IMAGE, quorum.image)
            if broker.lifecycle is not None and quorum.is_active:
                broker.partitions.open_logs(quorum.image, now)
            elif broker.lifecycle is not None:  # the metadata log decides later which of these are strays
                logs.open_found(TopicConfig.resolve({}, config), now, but=METADATA_DIRECTORY)
        except BaseException as error:
            logs.close(clean=False, high_watermarks={}, broker_epoch=NO_BROKER_EPOCH, now=now)
            if isinstance(error, LogError):  # not a bug: the disk failed under the metadata log
                raise StartupError(f"data directory {data_dir} cannot be used: {error}") from error
            raise
        return broker

    def begin(self, network: "Network | None", now: "Now") -> None:
        """Join the cluster: start the quorum replica, and register if this node is a broker.

        `on_ready` is called when clients can be served; a single-node cluster calls it before this returns. `network`
        is None for a single-node cluster. Raises StartupError; the caller must close the broker then, too.
        """
        quorum = self.quorum
        self.network = self.channel.network = self.controller_server.network = self.fetchers.network = network
        quorum.listeners.append(self._on_metadata)
        quorum.on_more = lambda at: self.timers.set("metadata changes", at.monotonic_ms, quorum.resume)
        quorum.on_active.append(self.controller_server.on_active)
        quorum.on_inactive.append(self.controller_server.on_inactive)
        if quorum.is_active:
            self.controller_server.on_active(now)
        quorum.hold()
        if network is not None:
            self.partitions.max_per_iteration = PARTITIONS_PER_ITERATION
            self._start_quorum_channel(network, now)
            if self._registrar is not None:
                self.controller_server.metadata_applied(self.image, now)
        else:
            scheduled_tasks.watch_quorum(quorum, self.timers, now)
        scheduled_tasks.schedule(self, now)
        if self.lifecycle is not None:
            self.lifecycle.begin(self.logs.previous_broker_epoch, now)
        quorum.flush(now)
        if quorum.failure is not None:
            path = self.logs.metadata_directory.path
            raise StartupError(f"data directory {path} cannot be used: {quorum.failure}")
        self._check_ready()

    def after_event(self, now: "Now") -> None:
        """React to what an event changed: send pending controller requests to a new leader, stop after a failure."""
        leader = (self.quorum.raft.leader_id, self.quorum.is_active)
        if leader != self._known_leader:
            self._known_leader = leader
            self.channel.leader_changed(now)
            if self.lifecycle is not None and leader[0] != NO_NODE:
                self.lifecycle.controller_changed(now)
            self._check_ready()
        if self.quorum.failure is not None and not self._has_failed:
            self._fail(now)

    def shut_down(
        self, now: "Now", stopped: "Callable[[Now], None]", must_wait: "Callable[[Now], None]" = lambda _now: None
    ) -> None:
        """Controlled shutdown: hand over the partitions that this broker leads, see Lifecycle.shut_down.

        `stopped(now)` is called when the broker may be closed, `must_wait(now)` each time the controller says that it
        may not yet.
        """
        hands_over = self.config.get_bool("controlled.shutdown.enable") and self.quorum.failure is None
        if self.lifecycle is None or not hands_over:
            stopped(now)
            return
        self.lifecycle.events.may_stop, self.lifecycle.events.must_wait = stopped, must_wait
        self.lifecycle.shut_down(now)

    def resign(self, now: "Now") -> None:
        """Leave the quorum. A leader sends EndQuorumEpoch first, so that the others elect a new one at once."""
        self.quorum.raft.resign(now)

    def close(self, now: "Now", *, clean: bool = True) -> None:
        """Stop. A clean stop flushes all logs and writes the marker that lets the next start skip recovery."""
        self.leave(now, clean=clean)
        for _ in self.closing(now, clean=clean):
            pass

    def leave(self, now: "Now", *, clean: bool) -> None:
        """The first half of `close`: end all communication. Called on the event loop."""
        if self.lifecycle is not None:
            self.lifecycle.close()
        self.alter_isr.close()
        self.fetchers.close()
        self.channel.close()
        if self._quorum_channel is not None:
            self._quorum_channel.end()
        if clean:
            self.logs.give_up_reserves()
            self.partitions.delete_all(now)
            self.flusher.flush_inline(now)
        self.quorum.close(clean=clean, now=now)

    def closing(self, now: "Now", *, clean: bool) -> "Iterator[tuple[int, int]]":
        """The second half of `close`, in steps that yield (logs closed, logs in total). A step may block on the disk;
        it may run on another thread, because nothing else uses this broker any more.
        """
        epoch = NO_BROKER_EPOCH if self.lifecycle is None else self.lifecycle.last_epoch
        clean = clean and self.quorum.failure is None
        return self.logs.closing(clean=clean, high_watermarks=self.high_watermarks(), broker_epoch=epoch, now=now)

    def disconnected(self, connection: Connection, now: "Now") -> None:
        """Drop the pending requests of a closed connection, and tell the controller, which tracks brokers by it."""
        for pending in connection.waiting:
            self.purgatory.discard(pending)
        connection.waiting.clear()
        for call in list(connection.on_close.values()):
            call()
        connection.on_close.clear()
        self.controller_server.disconnected(connection, now)

    @property
    def background(self) -> Background:
        """Work that runs on other threads than the event loop."""
        return self.flusher.background

    # --- services for handlers ---

    @cached_property
    def call_here(self) -> "LocalCall":
        """Calls an API of this node, without a connection. Answers that come later come in a turn of their own."""
        return LocalCalls(self).call_apart

    @cached_property
    def fetch_sessions(self) -> "FetchSessionCache":
        """The sessions of consumers and followers; created on first use."""
        from kafkacompat.broker.fetch_session_cache import FetchSessionCache

        slots = self.static_config.get_int("max.incremental.fetch.session.cache.slots")
        return FetchSessionCache(slots, self.rng, self.purgatory.touch)

    @property
    def controller(self) -> "ActiveController | None":
        """The active controller, if it is on this node."""
        return self.controller_server.active

    @property
    def broker_epoch(self) -> int:
        """The epoch of this broker's registration; −1 while it is not registered."""
        return NO_BROKER_EPOCH if self.lifecycle is None else self.lifecycle.broker_epoch

    @property
    def voter_changes(self) -> "VoterChanges":
        """Adds, removes and updates voters (KIP-853); created on first use."""
        if self._voter_changes is None:
            from kafkacompat.broker.control.voter_changes import VoterChanges

            self._voter_changes = VoterChanges(self)
        return self._voter_changes

    @property
    def advertised(self) -> "AdvertisedEndpoints":
        """The advertised endpoints, which may change; created on first use. Only for a node with the broker role."""
        if self._advertised is None:
            from kafkacompat.broker.control.advertised import AdvertisedEndpoints

            assert self.lifecycle is not None
            self._advertised = AdvertisedEndpoints(self.lifecycle)
        return self._advertised

    @property
    def groups(self) -> "GroupCoordinator":
        """The group coordinator."""
        return self.coordinators.groups

    @property
    def transaction_verifier(self) -> "TransactionVerifier":
        """Asks coordinators whether transactions are open; created on first use."""
        if self.transaction_verifier_if_made is None:
            from kafkacompat.broker.replicas.verification import TransactionVerifier

            self.transaction_verifier_if_made = TransactionVerifier(self, self.call_here)
        return self.transaction_verifier_if_made

    @cached_property
    def alter_log_dirs(self) -> "ReplicaAlterLogDirsManager":
        """Moves replicas between log directories; created on first use."""
        from kafkacompat.broker.replicas.replica_alter_log_dirs import ReplicaAlterLogDirsManager

        return ReplicaAlterLogDirsManager(self)

    @property
    def transactions(self) -> "TransactionCoordinator":
        """The transaction coordinator."""
        return self.coordinators.transactions

    def is_internal(self, topic: str) -> bool:
        """Whether Kafka marks the topic as internal."""
        return self.internal_topics.is_internal(topic)

    def unknown_topic_error(self, name: str) -> int:
        """The error code for a topic that does not exist: INVALID_TOPIC_EXCEPTION if its name is illegal."""
        return errors.UNKNOWN_TOPIC_OR_PARTITION if is_topic_name(name) else errors.INVALID_TOPIC_EXCEPTION

    def topic_config(self, name: str) -> TopicConfig:
        """The config of a topic in the newest image."""
        return TopicConfig.resolve(self.image.config(TOPIC_RESOURCE, name), self.config)

    def request_producer_ids(self, now: "Now") -> None:
        """Ask the controller for a block of producer ids; PRODUCER_IDS_KEY is touched when it has answered."""
        self._producer_id_source.request(now)

    def request_flush(self, partition: "Partition") -> None:
        """Have the partition's log synced, then re-check the requests that wait for the partition."""

        def flushed(now: "Now") -> None:
            self.partitions.flushed(partition, now)
            self.purgatory.touch(partition.watch_key, now)

        self.flusher.request(partition.log, flushed)

    # --- reactions to metadata and lifecycle events ---

    def _set_image(self, old: MetadataImage, new: MetadataImage) -> None:
        self.image = new
        self._metadata_cache.set_image(new)
        if old.configs is not new.configs:
            cluster, broker = new.config(BROKER_RESOURCE, ""), new.config(BROKER_RESOURCE, str(self.node_id))
            self._apply_config(self.static_config.with_dynamic(cluster, broker))
            self._warn_of_stored_protection({**cluster, **broker})
            if self.lifecycle is not None and (self._advertised is not None or ADVERTISED_LISTENERS in broker):
                self.advertised.configure(broker)

    def _on_metadata(self, old: MetadataImage, new: MetadataImage, now: "Now") -> None:
        self._set_image(old, new)
        self._apply_partition_changes(now)
        self.coordinators.on_metadata(old, new, now)
        self.purgatory.touch(METADATA_KEY, now)
        if self.lifecycle is not None:
            self.lifecycle.metadata_applied(self.image, now)
        self.directory_assignments.check(now)
        if self._registrar is not None:
            if old.brokers is not new.brokers:
                self.controller_server.metadata_applied(new, now)
            self._registrar.check(now)
        self._check_ready()

    def _apply_partition_changes(self, now: "Now") -> None:
        """Apply the image to the partitions, once it includes this broker's own registration: assignments before that
        were made for its previous incarnation.
        """
        lifecycle = self.lifecycle
        if lifecycle is not None and lifecycle.is_registered and self.image.offset >= lifecycle.broker_epoch:
            self.partitions.apply(self.image, now)

    def _new_lifecycle(self, endpoints: "Sequence[Endpoint]") -> Lifecycle:
        lifecycle = Lifecycle(
            registration_of(self, endpoints, self.quorum.image), self.config, channel=self.channel, timers=self.timers,
            metadata_offset=lambda: self.partitions.applied_offset, data_dir=self.logs.metadata_directory.path,
        )  # fmt: skip
        lifecycle.cordoned_directories = lambda: self.logs.cordoned_directory_ids(with_full=self.network is not None)
        lifecycle.offline_directories = lambda: self.logs.offline_directory_ids
        events, session_ms = lifecycle.events, self.config.get_int("broker.session.timeout.ms")
        lifecycle.has_all = lambda: not self.logs.offline_directories
        events.registered = self._on_registered
        events.stale = self.partitions.resign
        events.heartbeat_succeeded = lambda sent_ms: self.view.heartbeat_succeeded(sent_ms, session_ms)
        events.fatal = lambda line: self.on_fatal(line)  # noqa: PLW0108 (the server sets it later)
        return lifecycle

    def _on_registered(self, broker_epoch: int, now: "Now") -> None:
        self.logs.registered(broker_epoch, self.incarnation_id)
        self._apply_partition_changes(now)
        self.fetchers.resume(now)
        self.alter_isr.resume(now)

    def _check_ready(self) -> None:
        """A broker is ready once it is unfenced; a controller, once it knows the leader and the committed metadata."""
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
            return None  # there is no leader, or this node is the leader and not yet active
        found = self.quorum.raft.address_of(leader_id)
        return None if found is None else Address(*found)

    def _start_quorum_channel(self, network: "Network", now: "Now") -> None:
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
            self.on_fatal(FOREIGN.format(data_dir=self.logs.metadata_directory.path, cluster_id=self.cluster_id))

    def _fail(self, now: "Now") -> None:
        """The quorum replica has failed: without metadata this node resigns all partitions and asks to be stopped, as
        Kafka's does. Other nodes take over.
        """
        assert self.quorum.failure is not None
        self._has_failed = True
        self.on_fatal(self.quorum.failure)
        if self.lifecycle is not None:
            self.lifecycle.end_shutdown(now)
            if self.network is not None:
                self.lifecycle.close()
                self.partitions.resign(now)

    def _apply_config(self, config: "BrokerConfig") -> None:
        self.config = config
        self.fetch_max_bytes = config.get_int("fetch.max.bytes")
        self.leader_quota.rate = config.get("leader.replication.throttled.rate")  # type: ignore[assignment]
        self.follower_quota.rate = config.get("follower.replication.throttled.rate")  # type: ignore[assignment]
        self.selects_by_rack = config.get("replica.selector.class") == RACK_AWARE
        self.request_timeout_ms = config.get_int("request.timeout.ms")
        self.auto_create_enabled = config.get_bool("auto.create.topics.enable")
        self.logs.cordon(config.get_list("cordoned.log.dirs"))

    def _warn_of_stored_protection(self, stored: "Mapping[str, str]") -> None:
        """Log an error when stored settings would protect Apache Kafka but protect nothing here. They do not prevent a
        start, because any client may have stored them.
        """
        names = stored_protection(stored, self.static_config) if stored else []
        if not self._reported_protection.issuperset(names):
            log.error("the metadata log sets %s, which protects nothing on this broker: remove it", listed(names))
        self._reported_protection = frozenset(names)

    def high_watermarks(self) -> dict[tuple[str, int], int]:
        """The high watermark of every local partition, for the checkpoint."""
        return {(partition.topic, partition.index): partition.high_watermark for partition in self.partitions}


def _pipeline(node: "Broker", config: "BrokerConfig") -> Pipeline:
    """The pipeline of a node, with the step that makes it stand for another release if it is to."""
    pipeline = Pipeline(node)
    if (release := config.get("emulated.release")) != NO_RELEASE:
        from kafkacompat.broker.as_release import AsRelease

        pipeline.add(AsRelease(str(release)))
    return pipeline


def _place(config: "BrokerConfig", endpoints: "Sequence[Endpoint]", log_dirs: "Sequence[str]") -> dict[str, str]:
    """The actual listeners and log directories, as configuration entries."""
    listeners = ",".join(f"{endpoint.name}://{endpoint.address}" for endpoint in endpoints)
    place = {"listeners": listeners, "advertised.listeners": listeners, "log.dirs": ",".join(log_dirs)}
    return {name: text for name, text in place.items() if name == "advertised.listeners" or name not in config.static}


def _registrar(broker: Broker, endpoints: "Sequence[Endpoint]") -> "ControllerRegistrar":
    from kafkacompat.broker.control.controller_registrar import ControllerRegistrar

    return ControllerRegistrar(broker, endpoints)
