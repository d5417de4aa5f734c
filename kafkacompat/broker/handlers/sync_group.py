"""SyncGroup (14), versions 0-5: the leader brings the assignment of a generation, everyone gets its part.

v3 brings static members (KIP-345), v4 is flexible, v5 must name protocol type and protocol, so that a member of another
kind is refused, and is told them (KIP-559).
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context

FIRST_VERSION_WITH_PROTOCOL = 5


def handle(request: SyncGroupRequest, context: "Context") -> "Answer":
    """Sync; a follower's answer comes with the leader's assignment."""
    names_missing = request.protocol_type is None or request.protocol_name is None
    if names_missing and context.version >= FIRST_VERSION_WITH_PROTOCOL:
        return _failed(errors.INCONSISTENT_GROUP_PROTOCOL)
    if request.group_id == "":
        return _failed(errors.INVALID_GROUP_ID)
    return context.services.groups.write(
        request.group_id, lambda shard, token: shard.sync_group(request, token, context.now), _failed, context.now
    )


def failed(_request: SyncGroupRequest, error_code: int) -> SyncGroupResponse:
    """The response that refuses the whole request."""
    return _failed(error_code)


def _failed(error_code: int) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=error_code)
