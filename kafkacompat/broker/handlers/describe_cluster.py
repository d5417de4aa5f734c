"""DescribeCluster (60), versions 0-2: the cluster's id, brokers and controller (KIP-700).

v1 adds the endpoint type (KIP-919): a broker listener describes brokers alone. v2 can include fenced brokers.
"""

from kafkacompat.broker.authorized_operations import CLUSTER_OPERATIONS, NOT_ASKED
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context

BROKERS, CONTROLLERS = 1, 2


def handle(request: DescribeClusterRequest, context: "Context") -> DescribeClusterResponse:
    """Answer from the metadata image."""
    broker = context.broker
    if request.endpoint_type == CONTROLLERS:
        return DescribeClusterResponse(
            error_code=errors.MISMATCHED_ENDPOINT_TYPE,
            error_message="This is a broker: ask a controller listener for controllers.",
            endpoint_type=BROKERS,
        )
    if request.endpoint_type != BROKERS:
        return DescribeClusterResponse(
            error_code=errors.UNSUPPORTED_ENDPOINT_TYPE,
            error_message=f"Endpoint type {request.endpoint_type} is not known: use 1 for brokers.",
        )
    fenced = request.include_fenced_brokers
    return DescribeClusterResponse(
        cluster_id=broker.cluster_id,
        controller_id=broker.node_id,
        brokers=[
            DescribeClusterBroker(*node, is_fenced=broker.image.brokers[node[0]].fenced)
            for node in broker.nodes(context.connection.listener, include_fenced=fenced)
        ],
        cluster_authorized_operations=(
            CLUSTER_OPERATIONS if request.include_cluster_authorized_operations else NOT_ASKED
        ),
    )
