"""JoinGroup (11), versions 0-9: become a member of a group, or stay one, and learn its generation.

v1 adds the rebalance timeout (before, the session timeout is meant), v4 sends a new member its id first (KIP-394), v5
brings static members (KIP-345), v6 is flexible, v7 adds the protocol type and may leave the protocol name out
(KIP-559), v8 a reason, which is not used (KIP-800), v9 spares a returning static leader the assignment (KIP-814).
"""

from kafkacompat.broker.coordinator.group.classic.join import Join
from kafkacompat.broker.coordinator.group.classic.members import Client
from kafkacompat.broker.coordinator.group.classic.rebalance import join_error
from kafkacompat.broker.coordinator.runtime import then
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
    from kafkacompat.broker.coordinator.result import Result

FIRST_VERSION_WITH_REBALANCE_TIMEOUT = 1
FIRST_VERSION_THAT_NEEDS_MEMBER_ID = 4
FIRST_VERSION_WITHOUT_PROTOCOL_NAME = 7
FIRST_VERSION_THAT_SKIPS_ASSIGNMENT = 9


def handle(request: JoinGroupRequest, context: "Context") -> "Answer":
    """Join; the answer comes when the group has gathered."""
    version = context.version
    if request.group_id == "":
        return _with_protocol_name(join_error(errors.INVALID_GROUP_ID, request.member_id), version)
    if version < FIRST_VERSION_WITH_REBALANCE_TIMEOUT:
        request.rebalance_timeout_ms = request.session_timeout_ms
    client = Client(context.client_id, "/" + context.connection.client_host)

    def event(shard: "GroupCoordinatorShard", token: "Hashable") -> "Result":
        join = Join(
            request,
            client,
            token,
            needs_member_id=version >= FIRST_VERSION_THAT_NEEDS_MEMBER_ID,
            may_skip_assignment=version >= FIRST_VERSION_THAT_SKIPS_ASSIGNMENT,
        )
        return shard.join_group(join, context.now)

    answer = context.services.groups.write(request.group_id, event, join_error, context.now)
    return then(answer, lambda response: _with_protocol_name(response, version))


def failed(request: JoinGroupRequest, error_code: int) -> JoinGroupResponse:
    """The response that carries an error alone; with an empty protocol name every version can say it."""
    return JoinGroupResponse(error_code=error_code, member_id=request.member_id)


def _with_protocol_name(response: JoinGroupResponse, version: int) -> JoinGroupResponse:
    if response.protocol_name is None and version < FIRST_VERSION_WITHOUT_PROTOCOL_NAME:
        response.protocol_name = ""
    return response
