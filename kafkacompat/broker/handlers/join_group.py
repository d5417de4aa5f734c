"""JoinGroup (11), versions 0-9: join a group, or rejoin it for its next generation.

v1 adds the rebalance timeout (v0 uses the session timeout), v4 requires a member id (KIP-394), v5 adds static members
(KIP-345), v6 is flexible, v7 adds the protocol type and makes the protocol name nullable (KIP-559), v8 adds a reason,
which is not used (KIP-800), v9 lets a returning static leader skip the assignment (KIP-814).

Behavior (the states are in `coordinator/group/classic/classic_group.py`):
- The response is sent when all members have joined or the rebalance time-out has passed; dynamic members that have
  not rejoined by then are removed. A new group also waits for group.initial.rebalance.delay.ms.
- From v4, a new dynamic member without an id: MEMBER_ID_REQUIRED, with the id to use.
- An unknown member id: UNKNOWN_MEMBER_ID. An instance id that another member has taken over: FENCED_INSTANCE_ID.
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
    """Join the group and wait for the others."""
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
    """The response that fails the request. Its empty protocol name is valid in every version."""
    return JoinGroupResponse(error_code=error_code, member_id=request.member_id)


def _with_protocol_name(response: JoinGroupResponse, version: int) -> JoinGroupResponse:
    if response.protocol_name is None and version < FIRST_VERSION_WITHOUT_PROTOCOL_NAME:
        response.protocol_name = ""
    return response
