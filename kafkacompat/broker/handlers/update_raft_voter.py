"""UpdateRaftVoter (82), version 0: update a voter's listeners and supported kraft.version levels (KIP-853)."""

from functools import partial

from kafkacompat.broker.control.voter_requests import endpoints_of, error_of_request
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.update_raft_voter import (
    CurrentLeader,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
)
from kafkacompat.replication.raft.voters import Voter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: UpdateRaftVoterRequest, context: "Context") -> "Answer":
    """Update the voter, if the request has the current leader epoch."""
    directory_id = bytes(request.voter_directory_id)
    error, _ = error_of_request(context, request.cluster_id, request.voter_id, directory_id)
    epoch, levels = context.services.quorum.raft.leader_epoch, request.kraft_version_feature
    low, high = levels.min_supported_version, levels.max_supported_version
    endpoints = endpoints_of(context, request.listeners)
    if error != errors.INCONSISTENT_CLUSTER_ID and request.current_leader_epoch != epoch:
        is_older = request.current_leader_epoch < epoch
        error = errors.FENCED_LEADER_EPOCH if is_older else errors.UNKNOWN_LEADER_EPOCH
    elif error == errors.NONE and not (endpoints and 0 <= low <= high):
        error = errors.INVALID_REQUEST
    if error != errors.NONE:
        return respond(context, error, None)
    voter = Voter(request.voter_id, directory_id, endpoints, (low, high))
    return context.services.voter_changes.update(voter, context.now, partial(respond, context))


def failed(_request: UpdateRaftVoterRequest, error_code: int) -> UpdateRaftVoterResponse:
    """The response that fails the whole request."""
    return UpdateRaftVoterResponse(error_code=error_code)


def respond(context: "Context", error_code: int, _message: str | None) -> UpdateRaftVoterResponse:
    """Make the response, which names the current leader."""
    quorum = context.services.quorum
    host, port = quorum.raft.address_of(quorum.raft.leader_id) or ("", 0)
    leader = CurrentLeader(quorum.raft.leader_id, quorum.raft.leader_epoch, host, port)
    return UpdateRaftVoterResponse(error_code=error_code, current_leader=leader)
