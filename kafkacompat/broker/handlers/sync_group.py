"""SyncGroup (14), versions 0-5: the leader brings the assignment of a generation, everyone gets its part.

v3 brings static members (KIP-345), v4 is flexible, v5 names protocol type and protocol on both sides, so that a member
of another kind is refused (KIP-559).
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context


def handle(request: SyncGroupRequest, context: "Context") -> object:
    """Sync; a follower's answer comes with the leader's assignment."""
    if request.group_id == "":
        return _failed(errors.INVALID_GROUP_ID)
    return context.broker.groups.write(
        request.group_id, lambda shard, token: shard.sync_group(request, token, context.now), _failed, context.now
    )


def _failed(error_code: int) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=error_code)
