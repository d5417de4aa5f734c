"""ListConfigResources (74), versions 0-1: resources that have configs (KIP-1142).

v0 lists client metrics subscriptions only; v1 lists the requested types, all types for an empty list.
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from kafkacompat.replication.metadata.image import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context

SUPPORTED = (TOPIC_RESOURCE, BROKER_RESOURCE, BROKER_LOGGER_RESOURCE, CLIENT_METRICS_RESOURCE, GROUP_RESOURCE)


def handle(request: ListConfigResourcesRequest, context: "Context") -> ListConfigResourcesResponse:
    """List the names of the resources of each type."""
    asked = set(request.resource_types) or set(SUPPORTED)
    if context.version == 0:
        asked = {CLIENT_METRICS_RESOURCE}
    if not asked.issubset(SUPPORTED):
        return ListConfigResourcesResponse(error_code=errors.UNSUPPORTED_VERSION)
    image = context.services.image
    brokers = [str(broker_id) for broker_id in sorted(image.brokers)]
    configured = {
        resource_type: [name for kind, name in image.configs if kind == resource_type]
        for resource_type in (CLIENT_METRICS_RESOURCE, GROUP_RESOURCE)
    }
    names = {TOPIC_RESOURCE: list(image.topics), BROKER_RESOURCE: brokers, BROKER_LOGGER_RESOURCE: brokers} | configured
    return ListConfigResourcesResponse(
        config_resources=[ConfigResource(name, kind) for kind in SUPPORTED if kind in asked for name in names[kind]]
    )


def failed(_request: ListConfigResourcesRequest, error_code: int) -> ListConfigResourcesResponse:
    """The response that fails the whole request."""
    return ListConfigResourcesResponse(error_code=error_code)
