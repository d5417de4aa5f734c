"""DescribeGroups (15), versions 0-6: groups with their members.

v3 may tell what the client is allowed to do (KIP-430), v4 names static members (KIP-345), v5 is flexible, v6 answers
GROUP_ID_NOT_FOUND with a message for a group that does not exist, which before is a Dead group (KIP-1043).
"""

from kafkacompat.broker.authorized_operations import GROUP_OPERATIONS
from kafkacompat.broker.coordinator.runtime import together
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context

FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND = 6


def handle(request: DescribeGroupsRequest, context: "Context") -> object:
    """Ask each group's shard."""

    def build(groups: list[DescribedGroup]) -> DescribeGroupsResponse:
        if request.include_authorized_operations:
            for group in groups:
                if group.error_code == errors.NONE:
                    group.authorized_operations = GROUP_OPERATIONS
        return DescribeGroupsResponse(groups=groups)

    return together([_describe(group_id, context) for group_id in request.groups], build)


def failed(request: DescribeGroupsRequest, error_code: int) -> DescribeGroupsResponse:
    """The response that answers every group with one error."""
    return DescribeGroupsResponse(groups=[_failed(group_id, error_code) for group_id in request.groups])


def _describe(group_id: str, context: "Context") -> object:
    is_new = context.version >= FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND
    not_found_error = errors.GROUP_ID_NOT_FOUND if is_new else errors.NONE
    return context.broker.groups.read(
        group_id,
        lambda shard: shard.describe_group(group_id, not_found_error),
        lambda error_code: _failed(group_id, error_code),
        context.now,
    )


def _failed(group_id: str, error_code: int) -> DescribedGroup:
    return DescribedGroup(error_code=error_code, group_id=group_id)
