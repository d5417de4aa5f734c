"""Vote (52), versions 0-2: a candidate asks for a vote, or whether it would get one (KIP-595).

v1 names the voter that is meant, with its directory (KIP-853), v2 has pre-votes (KIP-996).
"""

from kafkacompat.broker.control.quorum_requests import serve
from kafkacompat.protocol.messages.vote import VoteRequest, VoteResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.protocol.primitives import Message


def handle(request: VoteRequest, context: "Context") -> "Message | Pending":
    """Ask this node's member of the quorum."""
    return serve(request, context)


def failed(_request: VoteRequest, error_code: int) -> VoteResponse:
    """The response that refuses the whole request."""
    return VoteResponse(error_code=error_code)
