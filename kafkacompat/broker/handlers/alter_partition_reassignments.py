"""AlterPartitionReassignments (45), versions 0-1: move partitions to other replicas (KIP-455). v1 can forbid a change
of the replication factor (KIP-860).
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
    """Ask the active controller; REQUEST_TIMED_OUT without executing it if timeout_ms is 0 or less."""
    if request.timeout_ms <= 0:
        return Failed(REQUEST_TIMED_OUT)
    return ask_controller(context, lambda controller: controller.alter_reassignments(request, context.now))


def failed(request: AlterPartitionReassignmentsRequest, error_code: int) -> AlterPartitionReassignmentsResponse:
    """The response with one error at the top level and in each partition."""
    topics = [
        ReassignableTopicResponse(
            topic.name,
            [ReassignablePartitionResponse(each.partition_index, error_code, None) for each in topic.partitions],
        )
        for topic in request.topics
    ]
    return AlterPartitionReassignmentsResponse(error_code=error_code, error_message=None, responses=topics)
