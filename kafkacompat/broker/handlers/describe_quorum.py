"""DescribeQuorum (55), versions 0-2: the voters and observers of the metadata quorum and their offsets (KIP-595).

v1 adds the times of the last fetch and of the last caught-up state (KIP-836), v2 directories and the voters' listeners
(KIP-853).
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumResponsePartitionData,
    DescribeQuorumResponseTopicData,
    Listener,
    Node,
    ReplicaState,
)
from kafkacompat.replication.raft.messages import PARTITION, TOPIC_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.replication.raft.leader_state import ReplicaInfo

MESSAGES = {
    errors.UNKNOWN_TOPIC_OR_PARTITION: "This server does not host this topic-partition.",
    errors.NOT_LEADER_OR_FOLLOWER: (
        "For requests intended only for the leader, this error indicates that the broker is not the current leader. "
        "For requests intended for any replica, this error indicates that the broker is not a replica of the topic "
        "partition."
    ),
}
"""Kafka's messages for these errors, verbatim: its command line tools print them."""
FIRST_VERSION_WITH_TIMES = 1
FIRST_VERSION_WITH_DIRECTORIES = 2


def handle(request: DescribeQuorumRequest, context: "Context") -> DescribeQuorumResponse:
    """Describe the quorum. Only its leader can: NOT_LEADER_OR_FOLLOWER on other nodes."""
    if not _is_about_the_log(request):
        return _refused(request, errors.UNKNOWN_TOPIC_OR_PARTITION, context)
    quorum = context.services.quorum
    if not quorum.raft.client.is_leader:
        return _refused(request, errors.NOT_LEADER_OR_FOLLOWER, context)
    voters, observers = quorum.raft.client.replicas(context.now)
    partition = DescribeQuorumResponsePartitionData(
        PARTITION,
        leader_id=quorum.raft.leader_id,
        leader_epoch=quorum.raft.leader_epoch,
        high_watermark=quorum.raft.high_watermark if quorum.raft.client.has_committed else UNKNOWN_OFFSET,
        current_voters=[_state(replica, context) for replica in voters],
        observers=[_state(replica, context) for replica in observers],
    )
    nodes = []
    if context.version >= FIRST_VERSION_WITH_DIRECTORIES:
        nodes = [
            Node(voter.id, [Listener(name, host, port) for name, host, port in voter.endpoints])
            for voter in quorum.raft.voters
        ]
    return DescribeQuorumResponse(topics=[DescribeQuorumResponseTopicData(TOPIC_NAME, [partition])], nodes=nodes)


def failed(_request: DescribeQuorumRequest, error_code: int) -> DescribeQuorumResponse:
    """The response that fails the whole request."""
    return DescribeQuorumResponse(error_code=error_code)


def _is_about_the_log(request: DescribeQuorumRequest) -> bool:
    asked = [(topic.topic_name, data.partition_index) for topic in request.topics for data in topic.partitions]
    return asked == [(TOPIC_NAME, PARTITION)]


def _refused(request: DescribeQuorumRequest, error_code: int, context: "Context") -> DescribeQuorumResponse:
    message = MESSAGES[error_code] if context.version >= FIRST_VERSION_WITH_DIRECTORIES else ""
    topics = [
        DescribeQuorumResponseTopicData(
            topic.topic_name,
            [
                DescribeQuorumResponsePartitionData(data.partition_index, error_code, message)
                for data in topic.partitions
            ],
        )
        for topic in request.topics
    ]
    return DescribeQuorumResponse(topics=topics)


def _state(replica: "ReplicaInfo", context: "Context") -> ReplicaState:
    """The replica's state, with the fields that the version has."""
    node_id, directory_id = replica.key
    state = ReplicaState(node_id, log_end_offset=replica.end_offset)
    if context.version >= FIRST_VERSION_WITH_TIMES:
        state.last_fetch_timestamp = _wall_ms(replica.fetch_ms, context.now)
        state.last_caught_up_timestamp = _wall_ms(replica.caught_up_ms, context.now)
    if context.version >= FIRST_VERSION_WITH_DIRECTORIES:
        state.replica_directory_id = directory_id
    return state


def _wall_ms(moment_ms: int, now: "Now") -> int:
    return moment_ms if moment_ms < 0 else now.wall_ms - (now.monotonic_ms - moment_ms)
