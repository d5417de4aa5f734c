"""DescribeGroups (15), versions 0-6: groups with their members.

v3 adds authorized operations (KIP-430), v4 static members (KIP-345), v5 is flexible, v6 answers GROUP_ID_NOT_FOUND with
a message for a group that does not exist; earlier versions describe it as Dead (KIP-1043).

Behavior:
- A response of more than 100 MB: INVALID_REQUEST for the remaining groups.
"""

from functools import partial

from kafkacompat.broker.answers import RESPONSE_BYTES_MAX
from kafkacompat.broker.authorized_operations import GROUP_OPERATIONS
from kafkacompat.broker.coordinator.runtime import together
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    encode_described_group,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.broker.answers import Late
    from kafkacompat.broker.context import Context
    from kafkacompat.steps import Steps

FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND = 6
BYTES_PER_UNIT = 400
"""This many encoded bytes, about three members, cost one unit of work (`steps.py`)."""


def handle(request: DescribeGroupsRequest, context: "Context") -> "Steps[Late]":
    """Ask each group's shard."""
    left_bytes = RESPONSE_BYTES_MAX

    def encoded(group_id: str, find: "Callable[[], DescribedGroup]") -> bytes:
        nonlocal left_bytes
        group = find() if left_bytes > 0 else _failed(group_id, errors.INVALID_REQUEST)
        if request.include_authorized_operations and group.error_code == errors.NONE:
            group.authorized_operations = GROUP_OPERATIONS
        found = encode_described_group(group, context.version)
        left_bytes -= len(found)
        return found

    answers: list[bytes | Pending] = []
    waits = False
    for group_id in request.groups:
        answer = _describe(group_id, context, partial(encoded, group_id))
        answers.append(answer)
        if isinstance(answer, Pending):
            waits = True
        elif not waits:  # no step may separate a Pending from `together`: it could complete in between
            yield 1 + len(answer) // BYTES_PER_UNIT
    return together(answers, _response)


def _response(groups: "Sequence[bytes]") -> DescribeGroupsResponse:
    return DescribeGroupsResponse(groups=groups)  # type: ignore[arg-type] # encoded already


def failed(request: DescribeGroupsRequest, error_code: int) -> DescribeGroupsResponse:
    """The response that answers every group with one error."""
    return DescribeGroupsResponse(groups=[_failed(group_id, error_code) for group_id in request.groups])


def _describe(
    group_id: str, context: "Context", encoded: "Callable[[Callable[[], DescribedGroup]], bytes]"
) -> "bytes | Pending":
    is_new = context.version >= FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND
    not_found_error = errors.GROUP_ID_NOT_FOUND if is_new else errors.NONE
    return context.services.groups.read(
        group_id,
        lambda shard: encoded(lambda: shard.describe_group(group_id, not_found_error)),
        lambda error_code: encoded(lambda: _failed(group_id, error_code)),
        context.now,
    )


def _failed(group_id: str, error_code: int) -> DescribedGroup:
    return DescribedGroup(error_code=error_code, group_id=group_id)
