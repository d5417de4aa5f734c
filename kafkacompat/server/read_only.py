"""Serves a data directory without a write to it (`kafkacompat serve --read-only`).

The broker works on files whose changes stay in memory (`storage/overlay_fs.py`), and its clocks stand still, so that no
offset expires, no session ends and no transaction times out. A step in front of all handlers refuses what clients would
write. For the codes see REFUSALS: clients end with them at once, where others make them try again for minutes.
"""

from __future__ import annotations

from kafkacompat.broker.answers import Failed
from kafkacompat.broker.connection import BROKER, CloseConnection
from kafkacompat.broker.refusals import as_response
from kafkacompat.errors import StartupError
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors
from kafkacompat.server.platform import Platform
from kafkacompat.storage.checkpoints import META_PROPERTIES_FILE
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.overlay_fs import OverlayFs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from kafkacompat.broker.pipeline import Passage
    from kafkacompat.broker.registry import Api
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.storage.fs import Fs

WHY = "this broker serves its data directory read-only: start it without --read-only to write"
SETTINGS = {
    "auto.create.topics.enable": "false",
    "metadata.max.idle.interval.ms": "0",
}
"""Topics that are asked for are not made, and no record says that a controller lives."""

REFUSALS: dict[int, int] = {
    api_keys.PRODUCE: errors.TOPIC_AUTHORIZATION_FAILED,
    **dict.fromkeys(
        (
            api_keys.OFFSET_COMMIT, api_keys.JOIN_GROUP, api_keys.SYNC_GROUP, api_keys.HEARTBEAT, api_keys.LEAVE_GROUP,
            api_keys.DELETE_GROUPS, api_keys.OFFSET_DELETE, api_keys.TXN_OFFSET_COMMIT,
        ),
        errors.GROUP_AUTHORIZATION_FAILED,
    ),
    **dict.fromkeys(
        (
            api_keys.INIT_PRODUCER_ID, api_keys.ADD_PARTITIONS_TO_TXN, api_keys.ADD_OFFSETS_TO_TXN, api_keys.END_TXN,
        ),
        errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    ),
    api_keys.WRITE_TXN_MARKERS: errors.CLUSTER_AUTHORIZATION_FAILED,
    **dict.fromkeys(
        (
            api_keys.CREATE_TOPICS, api_keys.DELETE_TOPICS, api_keys.CREATE_PARTITIONS, api_keys.DELETE_RECORDS,
            api_keys.ALTER_CONFIGS, api_keys.INCREMENTAL_ALTER_CONFIGS, api_keys.ELECT_LEADERS,
            api_keys.ALTER_PARTITION_REASSIGNMENTS, api_keys.UPDATE_FEATURES, api_keys.UNREGISTER_BROKER,
            api_keys.ADD_RAFT_VOTER, api_keys.REMOVE_RAFT_VOTER, api_keys.ALTER_REPLICA_LOG_DIRS,
        ),
        errors.POLICY_VIOLATION,
    ),
}  # fmt: skip
"""What clients are told, by API. InitProducerId without a transactional id is CLUSTER_AUTHORIZATION_FAILED."""
READS = frozenset(
    (
        api_keys.FETCH, api_keys.LIST_OFFSETS, api_keys.METADATA, api_keys.OFFSET_FETCH, api_keys.FIND_COORDINATOR,
        api_keys.DESCRIBE_GROUPS, api_keys.LIST_GROUPS, api_keys.API_VERSIONS, api_keys.OFFSET_FOR_LEADER_EPOCH,
        api_keys.DESCRIBE_CONFIGS, api_keys.DESCRIBE_LOG_DIRS, api_keys.LIST_PARTITION_REASSIGNMENTS,
        api_keys.DESCRIBE_QUORUM, api_keys.DESCRIBE_CLUSTER, api_keys.DESCRIBE_PRODUCERS,
        api_keys.DESCRIBE_TRANSACTIONS, api_keys.LIST_TRANSACTIONS, api_keys.LIST_CONFIG_RESOURCES,
        api_keys.DESCRIBE_TOPIC_PARTITIONS,
    )
)  # fmt: skip
"""What clients may ask. An API that is in neither is refused with POLICY_VIOLATION."""


class ReadOnlyPlatform(Platform):
    """The real system, but that files are not written and time does not pass."""

    is_read_only = True

    def __init__(self) -> None:
        super().__init__()
        self.clock.freeze()

    def files(self, *, temporary: bool, directories: Sequence[str] = ()) -> Fs:  # noqa: ARG002 (as any platform)
        """The files of the data directory, below changes in memory."""
        return OverlayFs(RealFs())


class RefuseWrites:
    """The step that answers for handlers that would write."""

    def sees(self, api: Api) -> bool:
        """What clients send and would write."""
        return BROKER in api.listeners and not api.is_of_peers and api.key not in READS

    def on_request(self, passage: Passage) -> None:
        """Refuse a client's request; the node's own markers of transactions pass."""
        key = passage.api.key
        if passage.context.connection.kind != BROKER or passage.context.connection.is_forwarded:
            passage.proceed()
            return
        if key == api_keys.PRODUCE and getattr(passage.request, "acks", None) == 0:
            raise CloseConnection(WHY)  # as Kafka does with errors that cannot be told
        error_code = REFUSALS.get(key, errors.POLICY_VIOLATION)
        if key == api_keys.INIT_PRODUCER_ID and getattr(passage.request, "transactional_id", None) is None:
            error_code = errors.CLUSTER_AUTHORIZATION_FAILED
        response = as_response(passage.api, passage.request, passage.context, Failed(error_code))
        _say_why(response)
        passage.answer(response)


def refuse_writes(server: BrokerServer) -> None:
    """BrokerServer.on_opened."""
    server.broker.pipeline.add(RefuseWrites())
    server.broker.compaction.stop()  # what it writes would only fill the memory
    server.broker.retention.stop()
    server.broker.alter_log_dirs.stop()


def check_directory(path: str | None) -> None:
    """Raises StartupError if there is nothing to serve."""
    if path is None:
        raise StartupError("--read-only needs --data-dir: give the directory to serve")
    if not RealFs().exists(f"{path}/{META_PROPERTIES_FILE}"):
        raise StartupError(f"{path} is no data directory of a broker: it has no {META_PROPERTIES_FILE}")


def _say_why(response: Any) -> None:
    """Add the reason wherever the response has room for one next to an error."""
    if getattr(response, "error_code", 0) and hasattr(response, "error_message"):
        response.error_message = WHY
    for name in _slots(response):
        value = getattr(response, name, None)
        if isinstance(value, list):
            for each in value:
                _say_why(each)


def _slots(value: object) -> Iterable[str]:
    return getattr(type(value), "__slots__", ())
