"""DeleteGroups (42), versions 0-2: delete empty groups with their offsets (KIP-229). v2 is flexible."""

from kafkacompat.broker.coordinator.runtime import together
from kafkacompat.protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending


def handle(request: DeleteGroupsRequest, context: "Context") -> "Answer":
    """Write tombstones in each shard that has some of the groups."""
    groups = context.services.groups
    by_partition: dict[int, list[str]] = {}
    for group_id in dict.fromkeys(request.groups_names):
        by_partition.setdefault(groups.partition_for(group_id), []).append(group_id)

    def build(responses: "Sequence[DeleteGroupsResponse]") -> DeleteGroupsResponse:
        return DeleteGroupsResponse(results=[result for response in responses for result in response.results])

    return together([_delete(group_ids, context) for group_ids in by_partition.values()], build)


def failed(request: DeleteGroupsRequest, error_code: int) -> DeleteGroupsResponse:
    """The response that answers every group with one error."""
    return _failed(request.groups_names, error_code)


def _delete(group_ids: list[str], context: "Context") -> "DeleteGroupsResponse | Pending":
    return context.services.groups.write(
        group_ids[0],
        lambda shard, token: shard.delete_groups(group_ids, token, context.now),
        lambda error_code: _failed(group_ids, error_code),
        context.now,
    )


def _failed(group_ids: "Sequence[str]", error_code: int) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(results=[DeletableGroupResult(group_id, error_code) for group_id in group_ids])
