"""FetchSnapshot (59), versions 0-1: a replica loads a snapshot of the metadata, piece by piece (KIP-630).

v1 has the directory of the replica and the endpoint of the leader (KIP-853).
"""

from kafkacompat.broker.control.quorum_requests import serve
from kafkacompat.protocol.messages.fetch_snapshot import FetchSnapshotRequest, FetchSnapshotResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.protocol.primitives import Message


def handle(request: FetchSnapshotRequest, context: "Context") -> "Message | Pending":
    """Ask this node's member of the quorum."""
    return serve(request, context)


def failed(_request: FetchSnapshotRequest, error_code: int) -> FetchSnapshotResponse:
    """The response that refuses the whole request."""
    return FetchSnapshotResponse(error_code=error_code)
