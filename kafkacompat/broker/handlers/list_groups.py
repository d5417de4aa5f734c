"""ListGroups (16), versions 0-5: the groups that this broker coordinates.

v3 is flexible, v4 filters by state (KIP-518), v5 by type and names the type (KIP-848). Names in filters may be written
in any case.
"""

from kafkacompat.broker.coordinator.group.describe import GROUP_TYPE
from kafkacompat.broker.coordinator.runtime import together
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context


def handle(request: ListGroupsRequest, context: "Context") -> object:
    """Ask every shard; one that is not here any more has no groups."""
    types = {name.lower() for name in request.types_filter}
    if types and GROUP_TYPE not in types:
        return ListGroupsResponse()
    states = frozenset(name.lower() for name in request.states_filter)
    answers = context.broker.groups.read_all(lambda shard: shard.list_groups(states), _failed, context.now)

    def build(lists: "list[list[ListedGroup] | int]") -> ListGroupsResponse:
        failures = [listed for listed in lists if isinstance(listed, int) and listed != errors.NOT_COORDINATOR]
        if failures:
            return ListGroupsResponse(error_code=failures[0])
        return ListGroupsResponse(groups=[group for listed in lists if isinstance(listed, list) for group in listed])

    return together(list(answers), build)


def _failed(error_code: int) -> int:
    return error_code
