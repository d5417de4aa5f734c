"""AddRaftVoter (80), versions 0-1: add a controller to the voters (KIP-853). v1 may be answered before the commit."""

from kafkacompat.broker.control.voter_requests import endpoints_of, error_of_request
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse
from kafkacompat.replication.raft.voters import Voter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: AddRaftVoterRequest, context: "Context") -> "Answer":
    """Add the voter, if it answers ApiVersions and has caught up with the log."""
    directory_id = bytes(request.voter_directory_id)
    error, message = error_of_request(context, request.cluster_id, request.voter_id, directory_id)
    endpoints = endpoints_of(context, request.listeners)
    if error == errors.NONE and not endpoints:
        error, message = errors.INVALID_REQUEST, "the new voter's listeners lack the controllers' default listener"
    if error != errors.NONE:
        return respond(error, message)
    voter = Voter(request.voter_id, directory_id, endpoints)
    return context.services.voter_changes.add(
        voter, context.now, respond, is_acked_at_once=not request.ack_when_committed
    )


def respond(error_code: int, message: str | None) -> AddRaftVoterResponse:
    """Make the response."""
    return AddRaftVoterResponse(error_code=error_code, error_message=message)


def failed(_request: AddRaftVoterRequest, error_code: int) -> AddRaftVoterResponse:
    """The response that fails the whole request."""
    return respond(error_code, None)
