"""Validation that AddRaftVoter, RemoveRaftVoter and UpdateRaftVoter share."""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.primitives import ZERO_UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.broker.context import Context


def error_of_request(context: "Context", cluster_id: str | None, voter_id: int, directory_id: bytes) -> tuple[int, str]:
    """The error code and message of the checks that come first in all three (Kafka's KafkaRaftClient)."""
    services = context.services
    if cluster_id not in (None, services.cluster_id):
        return errors.INCONSISTENT_CLUSTER_ID, f"this is cluster {services.cluster_id}, not {cluster_id}"
    if not services.quorum.raft.client.is_leader:
        return errors.NOT_LEADER_OR_FOLLOWER, ""  # as in Kafka
    if voter_id < 0 or directory_id == ZERO_UUID:
        return errors.INVALID_REQUEST, "a voter needs an id of at least 0 and a directory id"
    return errors.NONE, ""


def endpoints_of(context: "Context", listeners: "Sequence[Any]") -> tuple[tuple[str, str, int], ...]:
    """(name, host, port) of a voter's listeners, the default controller listener first; empty if it is missing."""
    found = [(each.name, each.host, each.port) for each in listeners]
    names = context.services.static_config.get_list("controller.listener.names") or ["CONTROLLER"]
    default = [endpoint for endpoint in found if endpoint[0].upper() == names[0].upper()]
    return (*default[:1], *(endpoint for endpoint in found if endpoint not in default[:1])) if default else ()
