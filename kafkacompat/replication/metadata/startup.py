"""Starts a node's replica of the metadata log: formats, opens the log, finds the voters, starts the replica."""

import logging

from kafkacompat.errors import StartupError
from kafkacompat.protocol.constants import NO_TIMESTAMP
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.replication.metadata import log as metadata_log
from kafkacompat.replication.metadata.activation import activation_records
from kafkacompat.replication.metadata.features import (
    METADATA_VERSION,
    bootstrap_features,
    kept_levels,
    unsupported_levels,
)
from kafkacompat.replication.metadata.ids import new_uuid
from kafkacompat.replication.metadata.image import TOPIC_RESOURCE, Endpoint
from kafkacompat.replication.metadata.quorum import MetadataQuorum
from kafkacompat.replication.metadata.raft_driver import RaftDriver
from kafkacompat.replication.metadata.settings import Settings
from kafkacompat.replication.metadata.snapshot_writer import SnapshotWriter, timestamp_of
from kafkacompat.replication.raft import election_state
from kafkacompat.replication.raft.client import RaftClient
from kafkacompat.replication.raft.kafka_raft_log import KafkaRaftLog
from kafkacompat.replication.raft.quorum_state import QuorumState
from kafkacompat.replication.raft.snapshots import Snapshots
from kafkacompat.replication.raft.timing import Timing
from kafkacompat.replication.raft.voters import Voter, VoterHistory, host_and_port, static_voters
from kafkacompat.storage.data_dir import METADATA_DIRECTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.metadata.log import Replay
    from kafkacompat.replication.raft.election_state import ElectionState
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log import Log

#: The controller's endpoint for Apache Kafka; a single voter of ours needs no listener there.
DEFAULT_CONTROLLER_ENDPOINTS = (Endpoint("CONTROLLER", "localhost", 9093),)
KEPT_LINE = (
    "%s: %s: groups of these kinds are frozen until Apache Kafka has the directory again. Their offsets are readable "
    "and do not expire; commits, joins and deletions are refused"
)
UNSUPPORTED_LINE = (
    "%s uses features that this version does not support: %s. It is only read; what they have added may not be shown"
)
TIERED_LINE = (
    "%s: remote.storage.enable is true for topics (%s), and there is no remote tier here: what was moved to one is not "
    "served, and other settings of these topics cannot be changed until it is false"
)
NAMED_TOPICS_MAX = 10
_log = logging.getLogger(__name__)
FIRST_BOOTSTRAP_ID = -2
"""Bootstrap servers get ids from this one downwards, as in Kafka."""


def open_quorum(
    fs: "Fs",
    log_dir: str,
    *,
    node_id: int,
    cluster_id: str,
    directory_id: bytes,
    config: "BrokerConfig",
    flusher: "Flusher | None",
    now: "Now",
    rng: "Random",
    controller_endpoints: "Sequence[Endpoint] | None" = None,
    clean: bool = False,
    first_producer_id: int = 0,
    known: "Replay | None" = None,
    is_read_only: bool = False,
) -> MetadataQuorum:
    """Format a new directory, open the metadata log, start this node's replica of it.

    A single voter has replayed its log and leads the next epoch on return; submitted changes are written from `flush`
    on. With several voters, or as an observer, the replica acts from `RaftDriver.attach` on.
    clean: whether the last stop was clean, so that the log need not be checked for damage.
    A new directory gets this node as its single voter, unless the configuration has voters or bootstrap servers;
    `metadata.format` formats the directories of several voters. In an empty log, producer ids begin at
    `first_producer_id`.
    known: what `replay_dry` found there before. is_read_only: whether nothing will be written, so that the metadata
    may have feature levels that this version could not keep.
    The cluster id comes from meta.properties, which this module does not write. Raises StartupError, OSError.
    """
    start = _Start(fs, log_dir, node_id, directory_id, config, controller_endpoints, rng, first_producer_id)
    start.is_read_only = is_read_only
    return start.run(start.find(flusher, now, cluster_id=cluster_id, clean=clean, known=known), flusher, now)


def replay_dry(
    fs: "Fs",
    log_dir: str,
    *,
    node_id: int,
    cluster_id: str,
    directory_id: bytes,
    config: "BrokerConfig",
    now: "Now",
    rng: "Random",
    clean: bool,
) -> "Replay":
    """What `open_quorum` would refuse raises StartupError here, on files whose changes stay in memory. Returns what was
    replayed: of a single voter all, else the newest snapshot and the feature levels. Raises OSError.
    """
    start = _Start(fs, log_dir, node_id, directory_id, config, None, rng, 0)
    found = start.find(None, now, cluster_id=cluster_id, clean=clean)
    try:
        if not found.is_single_voter:
            if (newest := found.snapshots.newest) is not None:
                found.replay.snapshot_ms = timestamp_of(found.snapshots, newest, NO_TIMESTAMP)
            found.replay.image = metadata_log.with_levels(found.replay.image, found.log)
            start.check_features(found.replay.image, is_whole=False)
    finally:
        found.log.close(clean=False, now=now)
    return found.replay


def say_what_is_kept(log_dir: str, image: "MetadataImage") -> None:
    """Log a line for the feature levels that are kept without their APIs, one for those that can only be read, and one
    for topics whose data may be in a remote tier.
    """
    if kept := kept_levels(image):
        _log.warning(KEPT_LINE, log_dir, ", ".join(kept))
    if METADATA_VERSION in image.features and (unsupported := unsupported_levels(image)):
        _log.warning(UNSUPPORTED_LINE, log_dir, ", ".join(unsupported))
    tiered = [
        name for (kind, name), configs in image.configs.items()
        if kind == TOPIC_RESOURCE and configs.get("remote.storage.enable", "").lower() == "true"
    ]  # fmt: skip
    if tiered:
        more = ", …" if len(tiered) > NAMED_TOPICS_MAX else ""
        _log.error(TIERED_LINE, log_dir, ", ".join(sorted(tiered)[:NAMED_TOPICS_MAX]) + more)


class _Found:
    """What is in the metadata log of a node, and in the files beside it. Without others that vote, `replay` is that of
    the whole log, else of the newest snapshot.
    """

    __slots__ = ("history", "is_single_voter", "log", "replay", "snapshots", "state", "voters")

    def __init__(self, log: "Log", state: "ElectionState | None", snapshots: Snapshots, replay: "Replay") -> None:
        self.log = log
        self.state = state
        self.snapshots = snapshots
        self.replay = replay
        self.history = replay.history
        self.voters: tuple[Voter, ...] = ()
        self.is_single_voter = False


class _Start:
    """One start of the quorum on one node."""

    is_read_only = False

    def __init__(
        self,
        fs: "Fs",
        log_dir: str,
        node_id: int,
        directory_id: bytes,
        config: "BrokerConfig",
        controller_endpoints: "Sequence[Endpoint] | None",
        rng: "Random",
        first_producer_id: int,
    ) -> None:
        self._fs = fs
        self._log_dir = log_dir
        self._directory = f"{log_dir}/{METADATA_DIRECTORY}"
        self._config = config
        self._endpoints = tuple(controller_endpoints or DEFAULT_CONTROLLER_ENDPOINTS)
        self._rng = rng
        self._first_producer_id = first_producer_id
        addresses = tuple((endpoint.name, endpoint.host, endpoint.port) for endpoint in self._endpoints)
        self._own = Voter(node_id, directory_id, addresses)
        roles = config.get_list("process.roles")
        self._is_controller = not roles or "controller" in roles
        listener = next(iter(config.get_list("controller.listener.names")), "CONTROLLER")
        self._static = static_voters(config.get_list("controller.quorum.voters"), listener)
        self._bootstrap = [host_and_port(item) for item in config.get_list("controller.quorum.bootstrap.servers")]

    def find(
        self, flusher: "Flusher | None", now: "Now", *, cluster_id: str, clean: bool, known: "Replay | None" = None
    ) -> _Found:
        """Read what is there, after a format of a new directory. Raises StartupError, OSError."""
        fs, config = self._fs, self._config
        metadata_log.format_if_new(fs, self._log_dir, self._first_voters(), bootstrap_features(), now)
        log = metadata_log.open_log(fs, self._log_dir, config, flusher, now, clean=clean, may_vote=self._is_controller)
        try:
            return self._find_in(log, cluster_id=cluster_id, clean=clean, known=known)
        except BaseException:
            log.close(clean=False, now=now)
            raise

    def _find_in(self, log: "Log", *, cluster_id: str, clean: bool, known: "Replay | None") -> _Found:
        """Read the log and the files beside it. Raises StartupError, OSError."""
        state = election_state.load(self._fs, self._directory)
        snapshots = Snapshots(self._fs, self._directory)
        metadata_log.restart_after_snapshot(log, snapshots)
        found = _Found(log, state, snapshots, metadata_log.replay(snapshots, log, control_only=True))
        in_log = found.history.newest
        found.voters = self._static if in_log is None else in_log
        self._check_voters(found.voters, cluster_id)
        found.is_single_voter = [voter.id for voter in found.voters] == [self._own.id] and self._is_controller
        if found.is_single_voter:  # its whole log is committed
            if clean:
                metadata_log.refuse_empty(log)
            if known is not None and known.image.offset == log.log_end_offset - 1:
                found.replay = known
            elif log.log_end_offset:
                found.replay = metadata_log.replay(snapshots, log)
                found.history = found.replay.history
            self.check_features(found.replay.image)
        return found

    def run(self, found: _Found, flusher: "Flusher | None", now: "Now") -> MetadataQuorum:
        """Start the replica. Raises OSError."""
        log, replay = found.log, found.replay
        if self.is_read_only:  # nothing was rehearsed
            say_what_is_kept(self._log_dir, replay.image)
        client = self._client(found.voters, log, found.snapshots, found.state, now, found.history)
        writer = SnapshotWriter(found.snapshots, log, self._config, now)
        writer.committed(replay.log_bytes)  # bytes that earlier runs have not written into a snapshot
        replay.history = VoterHistory()  # the replica's log owns the former history now
        quorum = self._quorum(client, log, replay, flusher, found.snapshots, writer)
        if found.is_single_voter:
            quorum.begin(now)
        return quorum

    def _first_voters(self) -> "Sequence[Voter]":
        """The voters of a new directory: none if the configuration has voters or bootstrap servers."""
        return (self._own,) if self._is_controller and not (self._static or self._bootstrap) else ()

    def _client(
        self,
        voters: tuple[Voter, ...],
        log: "Log",
        snapshots: Snapshots,
        state: "ElectionState | None",
        now: "Now",
        history: "VoterHistory",
    ) -> RaftClient:
        config, has_voters_in_log = self._config, history.newest is not None
        raft_log = KafkaRaftLog(log, snapshots, [voter.id for voter in voters], history, self._own)
        timing = Timing(
            election_timeout_ms=config.get_int("controller.quorum.election.timeout.ms"),
            fetch_timeout_ms=config.get_int("controller.quorum.fetch.timeout.ms"),
            backoff_max_ms=config.get_int("controller.quorum.election.backoff.max.ms"),
            refetch_ms=config.get_int("controller.quorum.retry.backoff.ms"),
            fetch_max_bytes=config.get_int("controller.quorum.fetch.max.bytes"),
            snapshot_max_bytes=config.get_int("controller.quorum.fetch.snapshot.max.bytes"),
        )
        directories = {} if has_voters_in_log else {voter.id: voter.directory_id for voter in voters}
        quorum = QuorumState(
            self._own.id, self._own.directory_id, directories, raft_log, state,
            lambda state: self._store(state, is_static=raft_log.voters is None), self._rng, timing,
            [FIRST_BOOTSTRAP_ID - n for n in range(len(self._bootstrap))], may_vote=self._is_controller,
        )  # fmt: skip
        return RaftClient(quorum, now)

    def _store(self, state: "ElectionState", *, is_static: bool) -> None:
        if is_static and self._static:
            election_state.store_static(self._fs, self._directory, state, [voter.id for voter in self._static])
        else:
            election_state.store(self._fs, self._directory, state)

    def _quorum(
        self,
        client: RaftClient,
        log: "Log",
        replay: "Replay",
        flusher: "Flusher | None",
        snapshots: Snapshots,
        writer: SnapshotWriter,
    ) -> MetadataQuorum:
        config, own, incarnation_id = self._config, self._own, new_uuid(self._rng)
        raft = RaftDriver(client, log, flusher, own.endpoints, self._bootstrap, self._static)
        return MetadataQuorum(
            raft, replay, Settings(own.id, config), self._rng,
            lambda image: activation_records(
                image, config, own.id, incarnation_id, self._endpoints, self._first_producer_id
            ),
            snapshots, writer,
            no_op_interval_ms=config.get_int("metadata.max.idle.interval.ms"),
        )  # fmt: skip

    def _check_voters(self, voters: tuple[Voter, ...], cluster_id: str) -> None:
        """Check this node's roles against the voters. Raises StartupError."""
        own = self._own
        present = next((voter for voter in voters if voter.id == own.id), None)
        if not self._is_controller:
            if self._config.get_bool("controller.quorum.auto.join.enable"):
                raise StartupError(
                    "controller.quorum.auto.join.enable is for controllers, and process.roles does not make this node "
                    "one: add that role, or take the setting away"
                )
            if not voters and not self._bootstrap:
                raise StartupError(
                    "a broker needs the addresses of the controllers: set controller.quorum.bootstrap.servers"
                )
            if present is not None:
                raise StartupError(
                    f"node {own.id} votes in the metadata quorum of cluster {cluster_id}, and process.roles does not "
                    "make it a controller: add that role, or choose another node.id"
                )
            return
        if not voters and not self._bootstrap:
            raise StartupError(
                f"{self._directory} contains no voters of the metadata quorum: set controller.quorum.voters, or "
                "controller.quorum.bootstrap.servers for a controller that is to join one"
            )
        if present is None and not self._bootstrap:
            raise StartupError(
                f"the metadata quorum of cluster {cluster_id} in {self._log_dir} has the voters "
                f"{[voter.id for voter in voters]}, and this is node {own.id}: use the data directory of one of them "
                "with its node.id, or set controller.quorum.bootstrap.servers for a controller that is to join them"
            )
        if present is not None and present.directory_id not in (ZERO_UUID, own.directory_id):
            raise StartupError(
                f"{self._log_dir} is not the directory in which node {own.id} became a voter: its "
                "meta.properties has another directory.id. Bring back the old meta.properties"
            )

    def check_features(self, image: "MetadataImage", *, is_whole: bool = True) -> None:
        """Check that this version can keep the feature levels; see `unsupported_levels`. Raises StartupError."""
        if METADATA_VERSION not in image.features:
            return  # a new log: the bootstrap records will set the levels
        unsupported = unsupported_levels(image, is_whole=is_whole)
        if unsupported and not self.is_read_only:
            raise StartupError(
                f"{self._log_dir} uses features that this version does not support: {', '.join(unsupported)}. "
                "Nothing was written: serve it with --read-only, set the levels with the Apache Kafka that wrote "
                "them (kafka-features.sh), or take a new data directory"
            )
