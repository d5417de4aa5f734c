"""BeginQuorumEpoch (53), versions 0-1: a leader tells of its epoch (KIP-595).

v1 is flexible, and names the voter that is meant, with its directory (KIP-853).
"""

from kafkacompat.broker.control.quorum_requests import serve
from kafkacompat.protocol.messages.begin_quorum_epoch import BeginQuorumEpochRequest, BeginQuorumEpochResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.protocol.primitives import Message


def handle(request: BeginQuorumEpochRequest, context: "Context") -> "Message | Pending":
    """Ask this node's member of the quorum."""
    return serve(request, context)


def failed(_request: BeginQuorumEpochRequest, error_code: int) -> BeginQuorumEpochResponse:
    """The response that refuses the whole request."""
    return BeginQuorumEpochResponse(error_code=error_code)
