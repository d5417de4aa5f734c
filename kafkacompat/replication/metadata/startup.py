"""How the metadata quorum starts: format, replay, win the next epoch, write what an active controller writes first."""

from kafkacompat.errors import StartupError
from kafkacompat.protocol.internal.cluster_metadata import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    ControllerEndpoint,
    ControllerFeature,
    EndTransactionRecord,
    RegisterControllerRecord,
)
from kafkacompat.protocol.internal.control_records import (
    KRaftVersionRecord,
    LeaderChangeMessage,
    LeaderChangeMessageVoter,
)
from kafkacompat.replication.controller.features import (
    KRAFT_LEVEL,
    METADATA_VERSION,
    SUPPORTED_FEATURES,
    bootstrap_configs,
    bootstrap_features,
    unsupported_levels,
)
from kafkacompat.replication.controller.ids import new_uuid
from kafkacompat.replication.controller.settings import Settings
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.replication.metadata.quorum import MetadataQuorum
from kafkacompat.replication.raft import checkpoint, quorum_state
from kafkacompat.replication.raft import log as metadata_log
from kafkacompat.replication.raft.batches import control_batch
from kafkacompat.replication.raft.raft import Raft, Voter
from kafkacompat.replication.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log import Log

TRANSACTION_NAME = "Bootstrap records"

#: Where Apache Kafka would look for the controller; a lone voter needs no listener for it.
DEFAULT_CONTROLLER_ENDPOINTS = (Endpoint("CONTROLLER", "localhost", 9093),)


class Start:
    """One start of the quorum on one node."""

    def __init__(
        self,
        fs: "Fs",
        log_dir: str,
        node_id: int,
        directory_id: bytes,
        config: "BrokerConfig",
        controller_endpoints: "Sequence[Endpoint] | None",
        rng: "Random",
    ) -> None:
        self._fs = fs
        self._log_dir = log_dir
        self._directory = f"{log_dir}/{metadata_log.DIRECTORY_NAME}"
        self._config = config
        self._endpoints = tuple(controller_endpoints or DEFAULT_CONTROLLER_ENDPOINTS)
        self._rng = rng
        addresses = tuple((endpoint.name, endpoint.host, endpoint.port) for endpoint in self._endpoints)
        self._voter = Voter(node_id, directory_id, addresses)

    def run(self, flusher: "Flusher | None", now: "Now", *, cluster_id: str, clean: bool) -> MetadataQuorum:
        """Do it all. Raises StartupError, OSError."""
        fs, config = self._fs, self._config
        metadata_log.format_if_new(fs, self._log_dir, self._voter, bootstrap_features(), now)
        log = metadata_log.open_log(fs, self._log_dir, config, flusher, now, clean=clean)
        state = quorum_state.load(fs, self._directory)
        replay = metadata_log.replay(fs, log)
        present = self._check_voters(replay.voters, cluster_id)
        self._check_features(replay.image)
        epoch = max(replay.image.epoch, state.leader_epoch if state else 0)
        raft = Raft(self._voter.id, self._voter.directory_id, (self._voter,), epoch)
        quorum_state.store(fs, self._directory, raft.stand())
        raft.lead(log.log_end_offset)
        image = self._begin_epoch(raft, log, present, replay.image, now)
        quorum = MetadataQuorum(raft, log, image, Settings(self._voter.id, config), flusher, self._rng)
        quorum.is_holding = True
        quorum.submit(lambda image, _now: Result(self._activation(image)), now)
        return quorum

    def _check_voters(self, voters: tuple[Voter, ...] | None, cluster_id: str) -> Voter:
        """The log's word on who votes: this node, and nobody else."""
        if voters is None:
            raise StartupError(
                f"{self._directory} is of a quorum with static voters; upgrade it with Apache Kafka first: "
                "kafka-features.sh upgrade --feature kraft.version=1"
            )
        ids = [voter.id for voter in voters]
        if ids != [self._voter.id]:
            raise StartupError(
                f"the metadata quorum of cluster {cluster_id} in {self._log_dir} has the voters {ids}, and this is "
                f"node {self._voter.id}: only a quorum of this node alone can be started"
            )
        if voters[0].directory_id != self._voter.directory_id:
            raise StartupError(
                f"{self._log_dir} is not the directory in which node {self._voter.id} became a voter: its "
                "meta.properties has another directory.id. Bring back the old meta.properties"
            )
        return voters[0]

    def _check_features(self, image: "MetadataImage") -> None:
        if METADATA_VERSION not in image.features:
            return  # a new log: the levels come with the bootstrap records
        unsupported = unsupported_levels(image)
        if unsupported:
            raise StartupError(
                f"{self._log_dir} uses features that this version cannot serve: {', '.join(unsupported)}. "
                "Downgrade them with Apache Kafka (kafka-features.sh downgrade), or start with a new data directory"
            )

    def _begin_epoch(
        self, raft: Raft, log: "Log", present: Voter, image: "MetadataImage", now: "Now"
    ) -> "MetadataImage":
        """Append the control batch that opens the epoch, durable on return; it commits all before it."""
        own = [LeaderChangeMessageVoter(raft.node_id)]
        records: list[Message] = [LeaderChangeMessage(leader_id=raft.node_id, voters=own, granting_voters=own)]
        if log.log_end_offset == 0:
            records.append(KRaftVersionRecord(kraft_version=KRAFT_LEVEL))
        if log.log_end_offset == 0 or present.endpoints != self._voter.endpoints:
            records.append(checkpoint.voters_record(raft.voters))
        batch = control_batch(records, now.wall_ms, base_offset=log.log_end_offset, epoch=raft.epoch)
        log.append_as_leader(memoryview(batch), leader_epoch=raft.epoch, now=now, internal=True)
        log.flush()
        raft.flushed(log.flushed_offset)
        return image.but(offset=log.log_end_offset - 1, epoch=raft.epoch)

    def _activation(self, image: "MetadataImage") -> "list[Message]":
        """What an active controller writes first: the bootstrap records if there are none, and its registration."""
        records: list[Message] = []
        if image.transaction is not None:
            records.append(AbortTransactionRecord(reason="Controller failover"))
        if METADATA_VERSION not in image.features:
            records.append(BeginTransactionRecord(TRANSACTION_NAME))
            records += bootstrap_features()
            records += bootstrap_configs(self._config)
            records.append(EndTransactionRecord())
        records.append(
            RegisterControllerRecord(
                controller_id=self._voter.id,
                incarnation_id=new_uuid(self._rng),
                end_points=[
                    ControllerEndpoint(each.name, each.host, each.port, each.security_protocol)
                    for each in self._endpoints
                ],
                features=[ControllerFeature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()],
            )
        )
        return records
