"""The context of a request: its client, and the services of the node."""

from kafkacompat.broker.connection import CONTROLLER

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.connection import Connection, ReachedAt
    from kafkacompat.broker.control.controller_server import ControllerServer
    from kafkacompat.broker.control.metadata_cache import Node
    from kafkacompat.broker.control.voter_changes import VoterChanges
    from kafkacompat.broker.coordinator.coordinators import Coordinators
    from kafkacompat.broker.coordinator.group.service import GroupCoordinator
    from kafkacompat.broker.coordinator.txn.service import TransactionCoordinator
    from kafkacompat.broker.fetch_session_cache import FetchSessionCache
    from kafkacompat.broker.internal_topics import InternalTopics
    from kafkacompat.broker.metadata_answers import MetadataAnswers
    from kafkacompat.broker.principal import Principal
    from kafkacompat.broker.producer_ids import ProducerIds
    from kafkacompat.broker.replicas.delayed_follower_fetches import DelayedFollowerFetches
    from kafkacompat.broker.replicas.fetchers import FetcherManager
    from kafkacompat.broker.replicas.replica_alter_log_dirs import ReplicaAlterLogDirsManager
    from kafkacompat.broker.replicas.replica_manager import ReplicaManager
    from kafkacompat.broker.replicas.replication_quota import ReplicationQuota
    from kafkacompat.broker.replicas.verification import TransactionVerifier
    from kafkacompat.config import BrokerConfig, TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.protocol.headers import RequestHeader
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.settings import Settings
    from kafkacompat.storage.background import Background

    class Requests(Protocol):
        """The pipeline, see `broker/pipeline.py`. `api` is a row of the registry; naming its type here would be an
        import circle.
        """

        @property
        def steps_of(self) -> Mapping[int, object]: ...
        @property
        def gates(self) -> Mapping[int, Any]: ...
        def run(
            self, api: Any, request: Message, context: "Context", send: Callable[..., None], reply: Any
        ) -> None: ...

    class Services(
        services.Identity, services.Configured, services.Metadata, services.Waiting, services.ControllerCalls,
        services.Quorum, services.Storage, Protocol,
    ):  # fmt: skip
        """The services of a node that handlers use."""

        @property
        def static_config(self) -> BrokerConfig: ...
        @property
        def rng(self) -> random.Random: ...

        # brokers and topics, as clients see them

        def nodes(
            self, listener: str, reached_at: ReachedAt | None = None, *, include_fenced: bool = False
        ) -> list[Node]: ...
        def alive_nodes(self, listener: str, reached_at: ReachedAt | None = None) -> list[Node]: ...
        def random_alive_broker_id(self) -> int: ...
        def topic_config(self, name: str) -> TopicConfig: ...
        def unknown_topic_error(self, name: str) -> int: ...
        @property
        def auto_create_enabled(self) -> bool: ...
        @property
        def internal_topics(self) -> InternalTopics: ...
        @property
        def metadata_answers(self) -> MetadataAnswers: ...

        # partitions, and reads of them

        @property
        def partitions(self) -> ReplicaManager: ...
        @property
        def alter_log_dirs(self) -> ReplicaAlterLogDirsManager: ...
        @property
        def background(self) -> Background: ...
        @property
        def fetch_sessions(self) -> FetchSessionCache: ...
        @property
        def fetch_max_bytes(self) -> int: ...
        @property
        def selects_by_rack(self) -> bool: ...
        @property
        def delayed_follower_fetches(self) -> DelayedFollowerFetches: ...
        @property
        def leader_quota(self) -> ReplicationQuota: ...
        @property
        def fetchers(self) -> FetcherManager: ...
        @property
        def producer_ids(self) -> ProducerIds: ...
        def request_producer_ids(self, now: Now) -> None: ...

        # coordinators and the controller

        @property
        def coordinators(self) -> Coordinators: ...
        @property
        def groups(self) -> GroupCoordinator: ...
        @property
        def transaction_verifier(self) -> TransactionVerifier: ...
        @property
        def transactions(self) -> TransactionCoordinator: ...
        @property
        def settings(self) -> Settings: ...
        @property
        def controller_server(self) -> ControllerServer: ...
        @property
        def voter_changes(self) -> VoterChanges: ...

        # requests

        @property
        def pipeline(self) -> Requests: ...
        def disconnected(self, connection: Connection, now: Now) -> None: ...


class Context:
    """The context of one request. `now` is the time of its arrival; while a delayed answer is made, the time then."""

    __slots__ = ("connection", "frame", "header", "now", "services", "version")

    def __init__(
        self,
        services: "Services",
        connection: "Connection",
        header: "RequestHeader",
        now: "Now",
        frame: bytes | bytearray = b"",
    ) -> None:
        self.services = services
        self.frame = frame
        self.connection = connection
        self.header = header
        self.version = header.api_version
        self.now = now

    @property
    def principal(self) -> "Principal":
        """The client's identity."""
        return self.connection.principal

    @property
    def is_for_controller(self) -> bool:
        """Whether the request addresses this node as a controller: it was forwarded, or came on a controller
        listener.
        """
        return self.connection.is_forwarded or self.connection.kind == CONTROLLER

    @property
    def client_id(self) -> str:
        """The client id of the request, "" when it sent none."""
        return self.header.client_id or ""
