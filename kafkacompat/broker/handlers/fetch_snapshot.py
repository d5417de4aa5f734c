"""FetchSnapshot (59), versions 0-1: a replica loads a snapshot of the metadata, piece by piece (KIP-630).

v1 has the directory of the replica and the endpoint of the leader (KIP-853).
"""

from kafkacompat.broker.control.quorum_requests import serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.protocol.messages.fetch_snapshot import FetchSnapshotRequest
    from kafkacompat.protocol.primitives import Message


def handle(request: "FetchSnapshotRequest", context: "Context") -> "Message | Pending":
    """Ask this node's member of the quorum."""
    return serve(request, context)
