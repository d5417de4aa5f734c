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


class Api:
    """One row: an API key, the stem of its modules, and the versions that we advertise."""

    __slots__ = ("_handler", "_messages", "key", "max_version", "min_version", "stem")

    def __init__(self, key: int, stem: str, min_version: int, max_version: int) -> None:
        self.key = key
        self.stem = stem
        self.min_version = min_version
        self.max_version = max_version
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
        Api(1, "fetch", 4, 18),
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
        Api(18, "api_versions", 0, 4),
        Api(19, "create_topics", 2, 7),
        Api(20, "delete_topics", 1, 6),
        Api(21, "delete_records", 0, 2),
        Api(22, "init_producer_id", 0, 5),
        Api(23, "offset_for_leader_epoch", 2, 4),
        Api(32, "describe_configs", 1, 4),
        Api(33, "alter_configs", 0, 2),
        Api(35, "describe_log_dirs", 1, 5),
        Api(37, "create_partitions", 0, 3),
        Api(42, "delete_groups", 0, 2),
        Api(44, "incremental_alter_configs", 0, 1),
        Api(47, "offset_delete", 0, 0),
        Api(60, "describe_cluster", 0, 2),
        Api(61, "describe_producers", 0, 0),
        Api(74, "list_config_resources", 0, 1),
        Api(75, "describe_topic_partitions", 0, 0),
    )
}
