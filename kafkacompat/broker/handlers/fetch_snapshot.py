"""FetchSnapshot (59), versions 0-1: a replica fetches a snapshot of the metadata in parts (KIP-630).

v1 adds the replica's directory and the leader's endpoint (KIP-853).
"""

from kafkacompat.broker.control.quorum_requests import serve
from kafkacompat.protocol.messages.fetch_snapshot import FetchSnapshotRequest, FetchSnapshotResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.protocol.primitives import Message


def handle(request: FetchSnapshotRequest, context: "Context") -> "Message | Pending":
    """Ask the local replica of the metadata quorum."""
    return serve(request, context)


def failed(_request: FetchSnapshotRequest, error_code: int) -> FetchSnapshotResponse:
    """The response that fails the whole request."""
    return FetchSnapshotResponse(error_code=error_code)
