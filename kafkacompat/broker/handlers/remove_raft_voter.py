"""RemoveRaftVoter (81), version 0: remove a controller from the voters (KIP-853)."""

from kafkacompat.broker.control.voter_requests import error_of_request
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.remove_raft_voter import RemoveRaftVoterRequest, RemoveRaftVoterResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: RemoveRaftVoterRequest, context: "Context") -> "Answer":
    """Remove the voter, unless it is the last one."""
    directory_id = bytes(request.voter_directory_id)
    error, message = error_of_request(context, request.cluster_id, request.voter_id, directory_id)
    if error != errors.NONE:
        return respond(error, message)
    return context.services.voter_changes.remove((request.voter_id, directory_id), context.now, respond)


def respond(error_code: int, message: str | None) -> RemoveRaftVoterResponse:
    """Make the response."""
    return RemoveRaftVoterResponse(error_code=error_code, error_message=message)


def failed(_request: RemoveRaftVoterRequest, error_code: int) -> RemoveRaftVoterResponse:
    """The response that fails the whole request."""
    return respond(error_code, None)
