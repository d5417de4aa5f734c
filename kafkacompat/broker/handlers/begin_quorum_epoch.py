"""BeginQuorumEpoch (53), versions 0-1: a new leader announces its epoch (KIP-595).

v1 is flexible, and has the id and directory of the voter that is addressed (KIP-853).
"""

from kafkacompat.broker.control.quorum_requests import serve
from kafkacompat.protocol.messages.begin_quorum_epoch import BeginQuorumEpochRequest, BeginQuorumEpochResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.protocol.primitives import Message


def handle(request: BeginQuorumEpochRequest, context: "Context") -> "Message | Pending":
    """Ask the local replica of the metadata quorum."""
    return serve(request, context)


def failed(_request: BeginQuorumEpochRequest, error_code: int) -> BeginQuorumEpochResponse:
    """The response that fails the whole request."""
    return BeginQuorumEpochResponse(error_code=error_code)
