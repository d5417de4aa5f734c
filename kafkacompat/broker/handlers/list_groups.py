"""ListGroups (16), versions 0-5: the groups that this broker coordinates.

v3 is flexible, v4 filters by state (KIP-518), v5 filters by and returns the type (KIP-848). Filters ignore case.
"""

from kafkacompat.broker.coordinator.group.group import KINDS
from kafkacompat.broker.coordinator.runtime import together
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.list_groups import (
    ListedGroup,
    ListGroupsRequest,
    ListGroupsResponse,
    encode_listed_group,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.steps import Steps

    Listing = int | Iterator[ListedGroup | None]

GROUPS_PER_UNIT = 5


def handle(request: ListGroupsRequest, context: "Context") -> "Answer":
    """Ask every shard; a shard that has moved to another broker contributes no groups."""
    kinds = frozenset(name.lower() for name in request.types_filter)
    if kinds and kinds.isdisjoint(KINDS):
        return ListGroupsResponse()
    states = frozenset(name.lower() for name in request.states_filter)

    def at_last(found: "Sequence[Listing]") -> "Steps[ListGroupsResponse]":
        return _respond(found, context.version)

    answers: list[Listing | Pending] = list(
        context.services.groups.read_all(lambda shard: shard.list_groups(states, kinds), _failed, context.now)
    )
    found = [answer for answer in answers if not isinstance(answer, Pending)]
    if len(found) < len(answers):  # shards still wait to be loaded
        return together(answers, at_last)  # type: ignore[arg-type] # mypy makes `object` of the union
    return _respond(found, context.version)


def _respond(answers: "Sequence[Listing]", version: int) -> "Steps[ListGroupsResponse]":
    failures = [answer for answer in answers if isinstance(answer, int) and answer != errors.NOT_COORDINATOR]
    if failures:
        return ListGroupsResponse(error_code=failures[0])
    groups: list[bytes] = []
    seen = 0
    for answer in answers:
        if isinstance(answer, int):
            continue
        for group in answer:
            if group is not None:
                groups.append(encode_listed_group(group, version))
            seen += 1
            if seen % GROUPS_PER_UNIT == 0:
                yield 1
    return ListGroupsResponse(groups=groups)  # type: ignore[arg-type] # encoded already


def failed(_request: ListGroupsRequest, error_code: int) -> ListGroupsResponse:
    """The response that fails the whole request."""
    return ListGroupsResponse(error_code=error_code)


def _failed(error_code: int) -> int:
    return error_code
