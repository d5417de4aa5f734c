"""DescribeCluster (60), versions 0-2: the cluster's id, brokers and controller (KIP-700).

v1 adds the endpoint type (KIP-919): a broker listener describes the brokers, a controller listener the controllers. v2
can include fenced brokers.
"""

from kafkacompat.broker.authorized_operations import CLUSTER_OPERATIONS, NOT_ASKED
from kafkacompat.broker.connection import CONTROLLER
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
FIRST_VERSION_WITH_ENDPOINT_TYPE = 1


def handle(request: DescribeClusterRequest, context: "Context") -> DescribeClusterResponse:
    """Describe the brokers, or the controllers on a controller listener, from the metadata image."""
    error_code, message = _refusal(request, context)
    if error_code:
        return DescribeClusterResponse(error_code=error_code, error_message=message, endpoint_type=BROKERS)
    services = context.services
    of_controllers = context.connection.kind == CONTROLLER
    return DescribeClusterResponse(
        endpoint_type=CONTROLLERS if of_controllers else BROKERS,
        cluster_id=services.cluster_id,
        controller_id=services.quorum.raft.leader_id if of_controllers else services.random_alive_broker_id(),
        brokers=_controllers(context) if of_controllers else _brokers(request, context),
        cluster_authorized_operations=(
            CLUSTER_OPERATIONS if request.include_cluster_authorized_operations else NOT_ASKED
        ),
    )


def failed(_request: DescribeClusterRequest, error_code: int) -> DescribeClusterResponse:
    """The response that fails the whole request."""
    return DescribeClusterResponse(error_code=error_code)


def _refusal(request: DescribeClusterRequest, context: "Context") -> tuple[int, str]:
    if request.endpoint_type not in (BROKERS, CONTROLLERS):
        return (
            errors.UNSUPPORTED_ENDPOINT_TYPE,
            f"Endpoint type {request.endpoint_type} is not known: use 1 for brokers, 2 for controllers.",
        )
    here = CONTROLLERS if context.connection.kind == CONTROLLER else BROKERS
    if request.endpoint_type == here:
        return errors.NONE, ""
    if context.version < FIRST_VERSION_WITH_ENDPOINT_TYPE:
        return errors.INVALID_REQUEST, "This is a controller's listener: ask a broker's, or ask with version 1."
    if here == BROKERS:
        return errors.MISMATCHED_ENDPOINT_TYPE, "This is a broker: ask a controller listener for controllers."
    return errors.MISMATCHED_ENDPOINT_TYPE, "This is a controller's listener: ask a broker's for brokers."


def _brokers(request: DescribeClusterRequest, context: "Context") -> list[DescribeClusterBroker]:
    services, where = context.services, (context.connection.listener, context.connection.reached_at)
    wants_all = request.include_fenced_brokers
    nodes = services.nodes(*where, include_fenced=True) if wants_all else services.alive_nodes(*where)
    return [DescribeClusterBroker(*node, is_fenced=services.image.brokers[node[0]].fenced) for node in nodes]


def _controllers(context: "Context") -> list[DescribeClusterBroker]:
    """The registered controllers with an endpoint on this listener (KIP-919)."""
    return [
        DescribeClusterBroker(controller_id, endpoint.host, endpoint.port)
        for controller_id, controller in sorted(context.services.image.controllers.items())
        for endpoint in controller.endpoints
        if endpoint.name == context.connection.listener
    ]
