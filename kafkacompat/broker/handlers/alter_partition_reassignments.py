"""AlterPartitionReassignments (45), versions 0-1: other replicas for partitions (KIP-455). v1 can forbid another
replication factor (KIP-860).
"""

from kafkacompat.broker.answers import Failed
from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.error_codes import REQUEST_TIMED_OUT
from kafkacompat.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: AlterPartitionReassignmentsRequest, context: "Context") -> "Answer":
    """Hand it to the active controller; without time it is not begun."""
    if request.timeout_ms <= 0:
        return Failed(REQUEST_TIMED_OUT)
    return ask_controller(context, lambda controller: controller.alter_reassignments(request, context.now))


def failed(request: AlterPartitionReassignmentsRequest, error_code: int) -> AlterPartitionReassignmentsResponse:
    """One error for the whole request and each of its partitions."""
    topics = [
        ReassignableTopicResponse(
            topic.name,
            [ReassignablePartitionResponse(each.partition_index, error_code, None) for each in topic.partitions],
        )
        for topic in request.topics
    ]
    return AlterPartitionReassignmentsResponse(error_code=error_code, error_message=None, responses=topics)
