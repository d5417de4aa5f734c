"""SyncGroup (14), versions 0-5: the leader sends the assignment of a generation, every member receives its own.

v3 adds static members (KIP-345), v4 is flexible, v5 adds protocol type and name to request and response (KIP-559).

Behavior (the states are in `coordinator/group/classic/classic_group.py`):
- The leader's request stores the assignment and answers all waiting members. A follower's request waits for it.
- While members still join: REBALANCE_IN_PROGRESS. Without an assignment before the rebalance time-out, the members that
  sent no SyncGroup are removed.
- An unknown member: UNKNOWN_MEMBER_ID. Another generation: ILLEGAL_GENERATION. Another protocol, or none in v5:
  INCONSISTENT_GROUP_PROTOCOL.
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context

FIRST_VERSION_WITH_PROTOCOL = 5


def handle(request: SyncGroupRequest, context: "Context") -> "Answer":
    """Store or wait for the assignment."""
    names_missing = request.protocol_type is None or request.protocol_name is None
    if names_missing and context.version >= FIRST_VERSION_WITH_PROTOCOL:
        return _failed(errors.INCONSISTENT_GROUP_PROTOCOL)
    if request.group_id == "":
        return _failed(errors.INVALID_GROUP_ID)
    return context.services.groups.write(
        request.group_id, lambda shard, token: shard.sync_group(request, token, context.now), _failed, context.now
    )


def failed(_request: SyncGroupRequest, error_code: int) -> SyncGroupResponse:
    """The response that fails the whole request."""
    return _failed(error_code)


def _failed(error_code: int) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=error_code)
