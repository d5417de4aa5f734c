"""UpdateFeatures (57), versions 0-2: finalize other levels of features (KIP-584). v1 has kinds of updates and dry runs
(KIP-778), v2 answers with one error for all. Raising kraft.version from 0 to 1 moves the voters that the configuration
names into the log (KIP-853).
"""

from kafkacompat.broker.control.operations import ask_controller
from kafkacompat.protocol.messages.update_features import UpdateFeaturesRequest, UpdateFeaturesResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: UpdateFeaturesRequest, context: "Context") -> "Answer":
    """Hand it to the active controller."""
    return ask_controller(context, lambda controller: controller.update_features(request, context.version, context.now))


def failed(_request: UpdateFeaturesRequest, error_code: int) -> UpdateFeaturesResponse:
    """One error for the whole request."""
    return UpdateFeaturesResponse(error_code=error_code, error_message=None)
