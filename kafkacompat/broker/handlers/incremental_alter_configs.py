"""IncrementalAlterConfigs (44), versions 0-1: set, delete, append to or subtract from configs (KIP-339). v1 is
flexible.
"""

from kafkacompat.broker.control.operations import ask_for_client
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from kafkacompat.replication.controller import configs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.protocol.primitives import Message


def handle(request: IncrementalAlterConfigsRequest, context: "Context") -> "Answer":
    """Ask the active controller; the response is sent once its records are committed and applied."""
    any_broker = context.is_for_controller
    is_direct = any_broker and not context.connection.is_forwarded
    return ask_for_client(
        context,
        lambda controller: controller.incremental_alter_configs(
            request, context.now, any_broker=any_broker, is_direct=is_direct
        ),
    )


def validate_locally(request: IncrementalAlterConfigsRequest, context: "Context") -> "dict[int, Message]":
    """Error results of the resources that this broker rejects itself, by position in the request."""
    return {**configs.validate_locally(request, context.services.image, context.services.settings)}


def failed(request: IncrementalAlterConfigsRequest, error_code: int) -> IncrementalAlterConfigsResponse:
    """The response that answers every resource of the request with one error."""
    return IncrementalAlterConfigsResponse(
        responses=[
            AlterConfigsResourceResponse(error_code, None, resource.resource_type, resource.resource_name)
            for resource in request.resources
        ]
    )
