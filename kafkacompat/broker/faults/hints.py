"""The leaders that errors of Produce and Fetch name (KIP-951), if a rule has `leader_hint`."""

from kafkacompat.broker.leader_hints import FIRST_VERSIONS, name_leaders
from kafkacompat.protocol.api_keys import PRODUCE
from kafkacompat.protocol.constants import NO_PARTITION_LEADER_EPOCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.faults.turn import Turn


def hint_leaders(turn: "Turn", response: "Any", action: "Any") -> None:
    """Name leaders in the errors of a response, if the action says so and the version can."""
    key = turn.api.key
    if action.leader_hint is False or key not in FIRST_VERSIONS or turn.version < FIRST_VERSIONS[key]:
        return
    image, messages = turn.context.services.image, turn.api.messages
    found: list[tuple[str | None, int, Any]] = []
    for topic in response.responses:
        name = (topic.name if key == PRODUCE else topic.topic) or image.topic_name(topic.topic_id)
        if key == PRODUCE:
            found += [(name, answer.index, answer) for answer in topic.partition_responses]
        else:
            found += [(name, answer.partition_index, answer) for answer in topic.partitions]
    if action.leader_hint is True:
        response.node_endpoints = name_leaders(found, messages, turn.context)
        return
    for name, index, answer in found:
        known = image.partition(name, index) if name else None
        epoch = NO_PARTITION_LEADER_EPOCH if known is None else known.leader_epoch
        answer.current_leader = messages.LeaderIdAndEpoch(action.leader_hint, epoch)
    nodes = turn.context.services.nodes(turn.connection.listener, turn.connection.reached_at)
    response.node_endpoints = [messages.NodeEndpoint(*node) for node in nodes if node[0] == action.leader_hint]
