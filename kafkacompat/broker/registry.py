"""The one table of what this broker answers. ApiVersions, COMPATIBILITY.md and the docs are derived from it.

A key is here only when it works. Its handler is `handle(request, context)` in `broker/handlers/<stem>.py`, its
messages are `protocol/messages/<stem>.py`; both are imported when the key is first used, so that starting a broker
loads neither.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from kafkacompat.broker.context import Context


BROKER, CONTROLLER = "broker", "controller"
"""The kinds of listeners. The one for brokers serves clients too."""
BOTH = frozenset((BROKER, CONTROLLER))
ONLY_BROKER = frozenset((BROKER,))
ONLY_CONTROLLER = frozenset((CONTROLLER,))


class Api:
    """One row: an API key, the stem of its modules, and the versions that we advertise.

    listeners: the kinds of listeners that serve it ("listeners" in Kafka's request schemas).
    forwards: only the active controller can answer it; another node passes it on (`forwardable` in Kafka's ApiKeys).
    """

    __slots__ = ("_handler", "_messages", "forwards", "key", "listeners", "max_version", "min_version", "stem")

    def __init__(
        self,
        key: int,
        stem: str,
        min_version: int,
        max_version: int,
        listeners: frozenset[str] = ONLY_BROKER,
        *,
        forwards: bool = False,
    ) -> None:
        self.key = key
        self.stem = stem
        self.min_version = min_version
        self.max_version = max_version
        self.listeners = listeners
        self.forwards = forwards
        self._handler: ModuleType | None = None
        self._messages: ModuleType | None = None

    @property
    def handler(self) -> "ModuleType":
        """The module with `handle`, imported on first use."""
        if self._handler is None:
            self._handler = _import("kafkacompat.broker.handlers." + self.stem)
        return self._handler

    @property
    def handle(self) -> "Callable[[object, Context], object]":
        """The handler function."""
        function: Callable[[object, Context], object] = self.handler.handle
        return function

    @property
    def messages(self) -> "ModuleType":
        """The generated codec of this API, imported on first use."""
        if self._messages is None:
            self._messages = _import("kafkacompat.protocol.messages." + self.stem)
        return self._messages


def _import(name: str) -> "ModuleType":
    return __import__(name, fromlist=["_"])


APIS: dict[int, Api] = {
    api.key: api
    for api in (
        Api(0, "produce", 0, 13),  # 0-2 are listed for librdkafka and refused when used (KIP-896)
        Api(1, "fetch", 4, 18, BOTH),
        Api(2, "list_offsets", 1, 11),
        Api(3, "metadata", 0, 13),
        Api(8, "offset_commit", 2, 10),
        Api(9, "offset_fetch", 1, 10),
        Api(10, "find_coordinator", 0, 6),
        Api(11, "join_group", 0, 9),
        Api(12, "heartbeat", 0, 4),
        Api(13, "leave_group", 0, 5),
        Api(14, "sync_group", 0, 5),
        Api(15, "describe_groups", 0, 6),
        Api(16, "list_groups", 0, 5),
        Api(18, "api_versions", 0, 4, BOTH),
        Api(19, "create_topics", 2, 7, BOTH, forwards=True),
        Api(20, "delete_topics", 1, 6, BOTH, forwards=True),
        Api(21, "delete_records", 0, 2),
        Api(22, "init_producer_id", 0, 5),
        Api(23, "offset_for_leader_epoch", 2, 4),
        Api(32, "describe_configs", 1, 4, BOTH),
        Api(33, "alter_configs", 0, 2, BOTH, forwards=True),
        Api(35, "describe_log_dirs", 1, 5),
        Api(37, "create_partitions", 0, 3, BOTH, forwards=True),
        Api(42, "delete_groups", 0, 2),
        Api(43, "elect_leaders", 0, 2, BOTH, forwards=True),
        Api(44, "incremental_alter_configs", 0, 1, BOTH, forwards=True),
        Api(45, "alter_partition_reassignments", 0, 1, BOTH, forwards=True),
        Api(46, "list_partition_reassignments", 0, 0, BOTH, forwards=True),
        Api(47, "offset_delete", 0, 0),
        Api(52, "vote", 0, 2, ONLY_CONTROLLER),
        Api(53, "begin_quorum_epoch", 0, 1, ONLY_CONTROLLER),
        Api(54, "end_quorum_epoch", 0, 1, ONLY_CONTROLLER),
        Api(55, "describe_quorum", 0, 2, BOTH, forwards=True),
        Api(56, "alter_partition", 2, 3, ONLY_CONTROLLER),
        Api(57, "update_features", 0, 2, BOTH, forwards=True),
        Api(58, "envelope", 0, 0, ONLY_CONTROLLER),
        Api(59, "fetch_snapshot", 0, 1, ONLY_CONTROLLER),
        Api(60, "describe_cluster", 0, 2, BOTH),
        Api(61, "describe_producers", 0, 0),
        Api(62, "broker_registration", 0, 4, ONLY_CONTROLLER),
        Api(63, "broker_heartbeat", 0, 2, ONLY_CONTROLLER),
        Api(64, "unregister_broker", 0, 0, BOTH, forwards=True),
        Api(67, "allocate_producer_ids", 0, 0, ONLY_CONTROLLER),
        Api(70, "controller_registration", 0, 0, ONLY_CONTROLLER),
        Api(73, "assign_replicas_to_dirs", 0, 0, ONLY_CONTROLLER),
        Api(74, "list_config_resources", 0, 1),
        Api(75, "describe_topic_partitions", 0, 0),
        Api(80, "add_raft_voter", 0, 1, BOTH, forwards=True),
        Api(81, "remove_raft_voter", 0, 0, BOTH, forwards=True),
        Api(82, "update_raft_voter", 0, 0, ONLY_CONTROLLER),
    )
}

APIS_OF: dict[str, dict[int, Api]] = {
    kind: {key: api for key, api in APIS.items() if kind in api.listeners} for kind in (BROKER, CONTROLLER)
}
"""What each kind of listener serves."""
