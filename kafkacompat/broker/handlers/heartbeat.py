"""Heartbeat (12), versions 0-4: extend a member's session, and report whether it must rejoin.

v3 adds static members (KIP-345), v4 is flexible.

Behavior:
- While the group rebalances: REBALANCE_IN_PROGRESS, and the member must rejoin.
- An unknown member: UNKNOWN_MEMBER_ID. Another generation: ILLEGAL_GENERATION.
- While the group is being loaded: no error, as in Apache Kafka. The sessions start anew after loading.
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: HeartbeatRequest, context: "Context") -> "Answer":
    """Extend the member's session."""
    if request.group_id == "":
        return _failed(errors.INVALID_GROUP_ID)
    return context.services.groups.write(
        request.group_id, lambda shard, _token: shard.heartbeat(request, context.now), _failed, context.now
    )


def failed(_request: HeartbeatRequest, error_code: int) -> HeartbeatResponse:
    """The response that fails the whole request."""
    return HeartbeatResponse(error_code=error_code)


def _failed(error_code: int) -> HeartbeatResponse:
    is_loading = error_code == errors.COORDINATOR_LOAD_IN_PROGRESS
    return HeartbeatResponse(error_code=errors.NONE if is_loading else error_code)
