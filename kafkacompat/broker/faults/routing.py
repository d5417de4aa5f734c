"""Whether a request came to the wrong broker: it then gets the error that says so, and fault rules leave it alone."""

from kafkacompat.broker.coordinator.coordinators import GROUP
from kafkacompat.protocol import api_keys
from kafkacompat.replication.metadata.image import NO_LEADER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.faults.shapes import Entity
    from kafkacompat.broker.faults.turn import Turn

TO_LEADER = frozenset(
    (
        api_keys.PRODUCE, api_keys.LIST_OFFSETS, api_keys.OFFSET_FOR_LEADER_EPOCH, api_keys.DELETE_RECORDS,
        api_keys.DESCRIBE_PRODUCERS,
    )
)  # fmt: skip
TO_COORDINATOR = frozenset(
    (
        api_keys.OFFSET_COMMIT, api_keys.OFFSET_FETCH, api_keys.JOIN_GROUP, api_keys.HEARTBEAT, api_keys.LEAVE_GROUP,
        api_keys.SYNC_GROUP, api_keys.DESCRIBE_GROUPS, api_keys.DELETE_GROUPS, api_keys.OFFSET_DELETE,
    )
)  # fmt: skip


def is_misrouted(entity: "Entity", turn: "Turn") -> bool:
    """Whether another broker leads the partition, or coordinates the group. What does not exist is nobody's."""
    services, key = turn.context.services, turn.api.key
    if key in TO_LEADER or key == api_keys.FETCH:
        image = (
            entity.topic and entity.partition is not None and services.image.partition(entity.topic, entity.partition)
        )
        if not image or image.leader == services.node_id:
            return False
        return key != api_keys.FETCH or services.node_id not in image.replicas  # consumers may read from followers
    if key in TO_COORDINATOR and entity.group:
        index = services.coordinators.partition_for(GROUP, entity.group)
        image = services.image.partition(GROUP.topic, index)
        return image is not None and image.leader not in (services.node_id, NO_LEADER)
    return False
