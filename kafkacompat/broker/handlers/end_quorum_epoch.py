"""EndQuorumEpoch (54), versions 0-1: a leader resigns and names its preferred successors (KIP-595).

v1 is flexible, and has the id and directory of the voter that is addressed (KIP-853).
"""

from kafkacompat.broker.control.quorum_requests import serve
from kafkacompat.protocol.messages.end_quorum_epoch import EndQuorumEpochRequest, EndQuorumEpochResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.protocol.primitives import Message


def handle(request: EndQuorumEpochRequest, context: "Context") -> "Message | Pending":
    """Ask the local replica of the metadata quorum."""
    return serve(request, context)


def failed(_request: EndQuorumEpochRequest, error_code: int) -> EndQuorumEpochResponse:
    """The response that fails the whole request."""
    return EndQuorumEpochResponse(error_code=error_code)
