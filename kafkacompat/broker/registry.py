"""The table of supported APIs. ApiVersions, COMPATIBILITY.md and the docs are derived from it.

Only implemented APIs have a row. The handler is the module `broker/handlers/<stem>.py` (its protocol is in
`broker/handler.py`), the messages are in `protocol/messages/<stem>.py`; both are imported on first use, which keeps the
start fast.
"""

from kafkacompat.broker.connection import BROKER, CONTROLLER
from kafkacompat.broker.entities import NOTHING, Names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from kafkacompat.broker.handler import Handler, LocalValidator


BOTH = frozenset((BROKER, CONTROLLER))
ONLY_BROKER = frozenset((BROKER,))
ONLY_CONTROLLER = frozenset((CONTROLLER,))


TOPICS, TOPICS_OR_IDS = Names("topics.name"), Names("topics.name, topics.topic_id")
GROUP = Names(groups="group_id")
CONFIGS = Names("resources.resource_name where resource_type=2", "resources.resource_name where resource_type=32")
"""Resource types are those of Kafka's ConfigResource: 2 is a topic, 32 a group."""
PRODUCE = Names("topic_data.name, topic_data.topic_id", transactional_ids="transactional_id")
OFFSET_COMMIT = Names("topics.name, topics.topic_id", "group_id")
TXN_OFFSET_COMMIT = Names("topics.name, topics.topic_id", "group_id", "transactional_id")
OFFSET_FETCH = Names("topics.name, groups.topics.name, groups.topics.topic_id", "group_id, groups.group_id")
COORDINATORS = Names(
    groups="key where key_type=0, coordinator_keys where key_type=0",
    transactional_ids="key where key_type=1, coordinator_keys where key_type=1",
)
ADD_PARTITIONS = Names(
    "v3_and_below_topics.name, transactions.topics.name",
    transactional_ids="v3_and_below_transactional_id, transactions.transactional_id",
)
QUORUM = Names("topics.topic_name")
ELECTIONS = Names("topic_partitions.topic")
DIRECTORIES = Names("directories.topics.topic_id")


class Api:
    """One row: an API key, the stem of its modules, and the advertised versions.

    listeners: the kinds of listeners that serve it ("listeners" in Kafka's request schemas).
    forwards: only the active controller answers it; other nodes forward it (`forwardable` in Kafka's ApiKeys).
    validates_locally: the receiving broker rejects some items itself (`LocalValidator` in `broker/handler.py`).
    is_of_peers: only nodes of the cluster send it.
    top_level_error_since: the first version whose response has a top-level error code, if the handler sets one.
    writes: what is done for a request in several turns goes on when its client has disconnected, as in Kafka, whose
    threads end what they have begun.
    names: where a request names topics, groups and transactional ids.
    """

    __slots__ = (
        "forwards", "handler", "is_of_peers", "key", "listeners", "max_version", "messages", "min_version", "names",
        "stem", "top_level_error_since", "validates_locally", "writes",
    )  # fmt: skip

    handler: "Handler"
    """The module with `handle` and `failed`, imported on first use."""
    messages: "ModuleType"
    """The generated codec of this API, imported on first use."""

    def __init__(
        self,
        key: int,
        stem: str,
        min_version: int,
        max_version: int,
        listeners: frozenset[str] = ONLY_BROKER,
        *,
        forwards: bool = False,
        validates_locally: bool = False,
        is_of_peers: bool = False,
        top_level_error_since: int = 0,
        writes: bool = False,
        names: Names = NOTHING,
    ) -> None:
        self.key = key
        self.stem = stem
        self.min_version = min_version
        self.max_version = max_version
        self.listeners = listeners
        self.forwards = forwards
        self.validates_locally = validates_locally
        self.is_of_peers = is_of_peers
        self.top_level_error_since = top_level_error_since
        self.writes = writes
        self.names = names

    def __getattr__(self, name: str) -> "ModuleType":
        """Called for what is not set yet: imports a module. From then on it costs a request no call."""
        if name not in _PACKAGES:
            raise AttributeError(name)
        module: ModuleType = __import__(f"{_PACKAGES[name]}.{self.stem}", fromlist=["_"])
        setattr(self, name, module)
        return module

    @property
    def local_validator(self) -> "LocalValidator":
        """The handler of an API that `validates_locally`."""
        assert self.validates_locally
        validator: LocalValidator = self.handler  # type: ignore[assignment] # the row says so, and a test of all rows
        return validator


_PACKAGES = {"handler": "kafkacompat.broker.handlers", "messages": "kafkacompat.protocol.messages"}


APIS: dict[int, Api] = {
    api.key: api
    for api in (
        # Produce 0-2 are listed for librdkafka and refused when used (KIP-896)
        Api(0, "produce", 0, 13, writes=True, names=PRODUCE),
        Api(1, "fetch", 4, 18, BOTH, names=Names("topics.topic, topics.topic_id")),
        Api(2, "list_offsets", 1, 11, names=TOPICS),
        Api(3, "metadata", 0, 13, names=TOPICS_OR_IDS),
        Api(8, "offset_commit", 2, 10, writes=True, names=OFFSET_COMMIT),
        Api(9, "offset_fetch", 1, 10, names=OFFSET_FETCH),
        Api(10, "find_coordinator", 0, 6, names=COORDINATORS),
        Api(11, "join_group", 0, 9, names=GROUP),
        Api(12, "heartbeat", 0, 4, names=GROUP),
        Api(13, "leave_group", 0, 5, names=GROUP),
        Api(14, "sync_group", 0, 5, names=GROUP),
        Api(15, "describe_groups", 0, 6, names=Names(groups="groups")),
        Api(16, "list_groups", 0, 5),
        Api(18, "api_versions", 0, 4, BOTH),
        Api(19, "create_topics", 2, 7, BOTH, forwards=True, names=TOPICS),
        Api(20, "delete_topics", 1, 6, BOTH, forwards=True, names=Names("topics.name, topics.topic_id, topic_names")),
        Api(21, "delete_records", 0, 2, writes=True, names=TOPICS),
        Api(22, "init_producer_id", 0, 5, names=Names(transactional_ids="transactional_id")),
        Api(23, "offset_for_leader_epoch", 2, 4, names=Names("topics.topic")),
        Api(24, "add_partitions_to_txn", 0, 5, writes=True, names=ADD_PARTITIONS),
        Api(25, "add_offsets_to_txn", 0, 4, names=Names(groups="group_id", transactional_ids="transactional_id")),
        Api(26, "end_txn", 0, 5, names=Names(transactional_ids="transactional_id")),
        Api(28, "txn_offset_commit", 0, 5, writes=True, names=TXN_OFFSET_COMMIT),
        Api(27, "write_txn_markers", 1, 2, writes=True, names=Names("markers.topics.name")),
        Api(32, "describe_configs", 1, 4, BOTH, names=CONFIGS),
        Api(33, "alter_configs", 0, 2, BOTH, forwards=True, validates_locally=True, names=CONFIGS),
        Api(34, "alter_replica_log_dirs", 1, 2, writes=True, names=Names("dirs.topics.name")),
        Api(35, "describe_log_dirs", 1, 5, names=Names("topics.topic")),
        Api(37, "create_partitions", 0, 3, BOTH, forwards=True, names=TOPICS),
        Api(42, "delete_groups", 0, 2, names=Names(groups="groups_names")),
        Api(43, "elect_leaders", 0, 2, BOTH, forwards=True, top_level_error_since=1, names=ELECTIONS),
        Api(44, "incremental_alter_configs", 0, 1, BOTH, forwards=True, validates_locally=True, names=CONFIGS),
        Api(45, "alter_partition_reassignments", 0, 1, BOTH, forwards=True, names=TOPICS),
        Api(46, "list_partition_reassignments", 0, 0, BOTH, forwards=True, names=TOPICS),
        Api(47, "offset_delete", 0, 0, names=Names("topics.name", "group_id")),
        Api(52, "vote", 0, 2, ONLY_CONTROLLER, is_of_peers=True, names=QUORUM),
        Api(53, "begin_quorum_epoch", 0, 1, ONLY_CONTROLLER, is_of_peers=True, names=QUORUM),
        Api(54, "end_quorum_epoch", 0, 1, ONLY_CONTROLLER, is_of_peers=True, names=QUORUM),
        Api(55, "describe_quorum", 0, 2, BOTH, forwards=True, names=QUORUM),
        Api(56, "alter_partition", 2, 3, ONLY_CONTROLLER, is_of_peers=True, names=Names("topics.topic_id")),
        Api(57, "update_features", 0, 2, BOTH, forwards=True),
        Api(58, "envelope", 0, 0, ONLY_CONTROLLER, is_of_peers=True),
        Api(59, "fetch_snapshot", 0, 1, ONLY_CONTROLLER, is_of_peers=True, names=TOPICS),
        Api(60, "describe_cluster", 0, 2, BOTH),
        Api(61, "describe_producers", 0, 0, names=TOPICS),
        Api(62, "broker_registration", 0, 4, ONLY_CONTROLLER, is_of_peers=True),
        Api(63, "broker_heartbeat", 0, 2, ONLY_CONTROLLER, is_of_peers=True),
        Api(64, "unregister_broker", 0, 0, BOTH, forwards=True),
        Api(65, "describe_transactions", 0, 0, names=Names(transactional_ids="transactional_ids")),
        Api(66, "list_transactions", 0, 2),
        Api(67, "allocate_producer_ids", 0, 0, ONLY_CONTROLLER, is_of_peers=True),
        Api(70, "controller_registration", 0, 0, ONLY_CONTROLLER, is_of_peers=True),
        Api(73, "assign_replicas_to_dirs", 0, 0, ONLY_CONTROLLER, is_of_peers=True, names=DIRECTORIES),
        Api(74, "list_config_resources", 0, 1),
        Api(75, "describe_topic_partitions", 0, 0, names=TOPICS),
        Api(80, "add_raft_voter", 0, 1, BOTH, forwards=True),
        Api(81, "remove_raft_voter", 0, 0, BOTH, forwards=True),
        Api(82, "update_raft_voter", 0, 0, ONLY_CONTROLLER, is_of_peers=True),
    )
}

APIS_OF: dict[str, dict[int, Api]] = {
    kind: {key: api for key, api in APIS.items() if kind in api.listeners} for kind in (BROKER, CONTROLLER)
}
"""The APIs of each kind of listener, by key."""
