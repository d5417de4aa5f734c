"""Serves the requests of other replicas of the metadata quorum: decodes them for the local replica, encodes answers."""

from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.replication.raft import wire
from kafkacompat.replication.raft.messages import BeginEpoch, Fetch, FetchAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.raft.messages import Answer

GRACE_MS = 5_000
"""The time limit beyond a request's own wait time; only a bug of the local replica exceeds it."""


def serve(request: "Message", context: "Context") -> "Message | Pending":
    """Answer a Vote, BeginQuorumEpoch, EndQuorumEpoch, FetchSnapshot, or Fetch of the metadata log."""
    services, key = context.services, context.header.api_key
    try:
        message = wire.read_request(request, services.cluster_id)
        if isinstance(message, BeginEpoch) and message.epoch >= services.quorum.raft.leader_epoch:
            leader = wire.leader_address(request)
            if leader is not None:
                services.quorum.raft.learn_leader_address(*leader)
    except wire.TopLevelError as error:
        other = wire.unknown_partition(request) if error.error_code == errors.INVALID_REQUEST else None
        return wire.refusal(key, error.error_code) if other is None else other
    exchange = _Exchange(context)
    services.quorum.raft.requested(message, exchange.answered, context.now)
    if exchange.answer is not None:
        return exchange.response()
    wait_ms = message.max_wait_ms if isinstance(message, Fetch) else 0
    exchange.pending = Pending([exchange], context.now.monotonic_ms + wait_ms + GRACE_MS, exchange.finish)
    return exchange.pending


class _Exchange:
    """One request and the local replica's answer."""

    __slots__ = ("answer", "context", "pending")

    def __init__(self, context: "Context") -> None:
        self.context = context
        self.answer: Answer | None = None
        self.pending: Pending | None = None

    def answered(self, answer: "Answer", now: "Now") -> None:
        self.answer = answer
        if self.pending is None:
            return
        if self.pending.reply is not None:
            self.context.services.purgatory.touch(self, now)
        elif isinstance(answer, FetchAnswer) and answer.records:  # the client has disconnected
            answer.records.release()

    def finish(self, _now: "Now", expired: bool) -> "Message | None":
        if self.answer is not None:
            return self.response()
        return wire.refusal(self.context.header.api_key, errors.REQUEST_TIMED_OUT) if expired else None

    def response(self) -> "Message":
        assert self.answer is not None
        quorum = self.context.services.quorum
        leader_id = self.answer.leader_id
        address = None if leader_id < 0 else quorum.raft.address_of(leader_id)
        addresses = {} if address is None else {leader_id: address}
        return wire.response(self.context.header.api_key, self.answer, self.context.version, addresses)
