"""An active controller on a quorum in memory, which commits at once or when the test says so."""

from typing import Any

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, Feature
from kafkacompat.replication.controller.active import ActiveController
from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent
from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES
from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
from kafkacompat.replication.metadata.result import Result
from kafkacompat.replication.raft.voters import Voter, VoterChangeError
from tests.replication.quorum_world import after, image_with, settings

ID = bytes(range(16))
CLUSTER_ID = "cluster"
NEW = b"n" * 16
FEATURES = {"metadata.version": 30, "eligible.leader.replicas.version": 1}


class MemoryQuorum:
    """`image` is committed, `newest` includes decided changes. With `commits` False they differ until `commit`."""

    def __init__(self, image: MetadataImage) -> None:
        self.image = self.newest = image
        self.records: list[Any] = []
        self.commits = True
        self.is_deciding = False
        self.kraft_level = 1
        self.failure: Exception | None = None
        self.voters: tuple[Voter, ...] | None = None
        self.written: tuple[Voter, ...] = ()

    def configured_voters(self) -> tuple[Voter, ...]:
        if self.voters is None:
            raise VoterChangeError(errors.INVALID_UPDATE_VERSION, "voters are not known")
        return self.voters

    def change_voters(self, decide, now: Now) -> DeferredEvent:
        self.written = decide()
        self.kraft_level = 1
        return self.submit(lambda _image, _now: Result([]), now)

    def submit(self, operation, now: Now) -> DeferredEvent:
        if self.failure is not None:
            raise self.failure
        result = operation(self.newest, now)
        if result.records:
            self.newest = after(self.newest, result.records)
            self.records += result.records
        event = DeferredEvent(self.newest.offset, result.response)
        event.committed = self.commits
        if self.commits:
            self.commit()
        return event

    def commit(self) -> None:
        self.image = self.newest


class World:
    """Brokers 1 to 3 with epochs 11 to 13, and topic t, whose partitions have these replicas and ISRs."""

    def __init__(self, *partitions: PartitionImage, fenced: tuple[int, ...] = (), **options: Any) -> None:
        topic = TopicImage("t", ID, partitions or (PartitionImage((1, 2, 3), (1, 2, 3), 1),))
        image = image_with(1, 2, 3).but(topics={"t": topic}, topics_by_id={ID: topic}, offset=50, features=FEATURES)
        brokers = {
            broker.id: broker.but(fenced=broker.id in fenced, features=SUPPORTED_FEATURES)
            for broker in image.brokers.values()
        }
        self.quorum = MemoryQuorum(image.but(brokers=brokers))
        self.dialed: list[int] = []
        config = {"min_insync_replicas": "2", **options.pop("config", {})}
        self.controller = ActiveController(
            self.quorum, settings(**config), Now(0, 0), cluster_id=CLUSTER_ID, dial=self.dialed.append, **options
        )

    @property
    def image(self) -> MetadataImage:
        return self.quorum.image

    @property
    def fenced(self) -> list[int]:
        return [broker.id for broker in self.image.brokers.values() if broker.fenced]

    def partition(self, index: int = 0) -> PartitionImage:
        return self.image.topics["t"].partitions[index]

    def tick(self, ms: int) -> None:
        self.controller.tick(Now(ms, ms))

    def beat(self, broker_id: int, ms: int, **said: Any):
        fields = {"current_metadata_offset": self.image.offset, **said}
        epoch = self.image.brokers[broker_id].epoch
        return self.controller.heartbeat(BrokerHeartbeatRequest(broker_id, epoch, **fields), Now(ms, ms)).response

    def register(self, broker_id: int, ms: int, **said: Any):
        fields: dict[str, Any] = {
            "cluster_id": CLUSTER_ID,
            "incarnation_id": NEW,
            "log_dirs": [bytes([broker_id]) * 16],
            "features": [Feature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()],
            **said,
        }
        return self.controller.register(BrokerRegistrationRequest(broker_id, **fields), Now(ms, ms)).response
