"""AddRaftVoter (80), versions 0-1: another controller votes (KIP-853). v1 may be answered before the commit."""

from kafkacompat.broker.control.voter_requests import endpoints_of, error_of_request
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse
from kafkacompat.replication.raft.voters import Voter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: AddRaftVoterRequest, context: "Context") -> "Answer":
    """Add it, if it can vote: it has to answer, and to hold what the log holds."""
    directory_id = bytes(request.voter_directory_id)
    error, message = error_of_request(context, request.cluster_id, request.voter_id, directory_id)
    endpoints = endpoints_of(context, request.listeners)
    if error == errors.NONE and not endpoints:
        error, message = errors.INVALID_REQUEST, "the listener that controllers use is not among the new voter's"
    if error != errors.NONE:
        return respond(error, message)
    voter = Voter(request.voter_id, directory_id, endpoints)
    return context.services.voter_changes.add(
        voter, context.now, respond, is_acked_at_once=not request.ack_when_committed
    )


def respond(error_code: int, message: str | None) -> AddRaftVoterResponse:
    """The answer."""
    return AddRaftVoterResponse(error_code=error_code, error_message=message)


def failed(_request: AddRaftVoterRequest, error_code: int) -> AddRaftVoterResponse:
    """One error for the whole request."""
    return respond(error_code, None)
