"""Current leaders in Produce and Fetch responses, for clients that asked the wrong broker (KIP-951)."""

from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType
    from typing import Any

    from kafkacompat.broker.context import Context

FIRST_VERSIONS = {0: 10, 1: 16}  # of Produce and Fetch
MOVED = frozenset((errors.NOT_LEADER_OR_FOLLOWER, errors.FENCED_LEADER_EPOCH))


def name_leaders(
    answers: "Iterable[tuple[str | None, int, Any]]", messages: "ModuleType", context: "Context"
) -> "list[Any]":
    """Fill in `current_leader` of partitions with an error in MOVED. `answers`: (topic name, index, response struct).

    Returns the endpoints of those leaders as the `NodeEndpoint` structs of the API's message module; empty for versions
    without these fields.
    """
    if context.version < FIRST_VERSIONS[messages.API_KEY]:
        return []
    services = context.services
    leaders: set[int] = set()
    for name, index, answer in answers:
        if answer.error_code in MOVED:
            image = services.image.partition(name, index) if name is not None else None
            if image is not None:
                answer.current_leader = messages.LeaderIdAndEpoch(image.leader, image.leader_epoch)
                leaders.add(image.leader)
    if not leaders:
        return []
    nodes = services.nodes(context.connection.listener, context.connection.reached_at)
    return [messages.NodeEndpoint(*node) for node in nodes if node[0] in leaders]
