"""UpdateFeatures (57), versions 0-2: change finalized feature levels (KIP-584). v1 adds upgrade types and dry runs
(KIP-778), v2 has a top-level error only. Raising kraft.version from 0 to 1 writes the configured voters to the log
(KIP-853).
"""

from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.messages.update_features import UpdateFeaturesRequest, UpdateFeaturesResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: UpdateFeaturesRequest, context: "Context") -> "Answer":
    """Ask the active controller."""
    return ask_controller(context, lambda controller: controller.update_features(request, context.version, context.now))


def failed(_request: UpdateFeaturesRequest, error_code: int) -> UpdateFeaturesResponse:
    """The response that fails the whole request."""
    return UpdateFeaturesResponse(error_code=error_code, error_message=None)
