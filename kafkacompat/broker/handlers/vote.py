"""Vote (52), versions 0-2: a candidate requests a vote (KIP-595).

v1 has the id and directory of the voter that is addressed (KIP-853), v2 has pre-votes (KIP-996).
"""

from kafkacompat.broker.control.quorum_requests import serve
from kafkacompat.protocol.messages.vote import VoteRequest, VoteResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.protocol.primitives import Message


def handle(request: VoteRequest, context: "Context") -> "Message | Pending":
    """Ask the local replica of the metadata quorum."""
    return serve(request, context)


def failed(_request: VoteRequest, error_code: int) -> VoteResponse:
    """The response that fails the whole request."""
    return VoteResponse(error_code=error_code)
