"""LeaveGroup (13), versions 0-5: remove members from a group.

Up to v2 a request has one member, and its error is at the top level. v3 has several members, static ones may be named
by instance id only (KIP-345), v4 is flexible, v5 adds a reason, which is not used (KIP-800).
"""

from kafkacompat.broker.coordinator.runtime import then
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context

FIRST_VERSION_WITH_MEMBERS = 3


def handle(request: LeaveGroupRequest, context: "Context") -> "Answer":
    """Remove the members; each has its own result."""
    if request.group_id == "":
        return _failed(errors.INVALID_GROUP_ID)
    is_single = context.version < FIRST_VERSION_WITH_MEMBERS
    members = [MemberIdentity(request.member_id)] if is_single else request.members
    answer = context.services.groups.write(
        request.group_id,
        lambda shard, _token: shard.leave_group(request.group_id, members, context.now),
        _failed,
        context.now,
    )
    return then(answer, _single) if is_single else answer


def failed(_request: LeaveGroupRequest, error_code: int) -> LeaveGroupResponse:
    """The response that fails the whole request."""
    return _failed(error_code)


def _single(response: LeaveGroupResponse) -> LeaveGroupResponse:
    if response.error_code == errors.NONE:
        response.error_code = response.members[0].error_code
    response.members = ()
    return response


def _failed(error_code: int) -> LeaveGroupResponse:
    return LeaveGroupResponse(error_code=error_code)
