"""Changes of who votes, as the active controller is asked for them: AddRaftVoter, RemoveRaftVoter, UpdateRaftVoter
(KIP-853). One at a time; what is written, and when, the member of the quorum decides (`raft/reconfiguring.py`).
"""

from kafkacompat.broker.control.quorum_channel import VOTES_LANE
from kafkacompat.broker.network import Address
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.replication.controller.features import KRAFT_VERSION
from kafkacompat.replication.raft.reconfiguring import VoterChangeError
from kafkacompat.replication.raft.voters import Voter

SOFTWARE_VERSION = "1"
"""Told to a node that is asked what it speaks; nobody goes by it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from kafkacompat.broker.broker import Broker
    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.submissions import Submission

    Respond = Callable[[int, str | None], Message]

API_VERSIONS_VERSION = 4
"""The first in which features are told whose lowest level is 0."""


class VoterChanges:
    """Of one node. An answer is made by `respond(error_code, message)`."""

    def __init__(self, broker: "Broker") -> None:
        self._broker = broker
        self._open: _Exchange | None = None

    def add(
        self, voter: Voter, context: "Context", respond: "Respond", *, is_acked_at_once: bool
    ) -> "Message | Pending":
        """Ask the new voter what it knows, then add it."""
        member = self._broker.quorum.member
        exchange = _Exchange(self, context, respond, is_acked_at_once=is_acked_at_once)
        try:
            self._check_free()
            member.check_new_voter(voter)
        except VoterChangeError as error:
            return respond(error.error_code, str(error))
        network, address = self._broker.network, voter.address
        if network is None or address is None:
            return respond(errors.REQUEST_TIMED_OUT, f"controller {voter.id} cannot be reached from here")

        def answered(response: "Any", now: "Now") -> None:
            if response is None or response.error_code != errors.NONE:
                exchange.fail(errors.REQUEST_TIMED_OUT, f"controller {voter.id} does not say what it knows", now)
                return
            known = next((each for each in response.supported_features if each.name == KRAFT_VERSION), None)
            voter.levels = (0, 0) if known is None else (known.min_version, known.max_version)
            exchange.write(lambda: member.with_voter(voter, now), now)

        self._open = exchange
        network.send(
            Address(*address), VOTES_LANE, f"raft-client-{self._broker.node_id}", api_keys.API_VERSIONS,
            API_VERSIONS_VERSION, ApiVersionsRequest("kafkacompat", SOFTWARE_VERSION), exchange.patience_ms, answered,
        )  # fmt: skip
        return exchange.wait()

    def remove(self, key: tuple[int, bytes], context: "Context", respond: "Respond") -> "Message | Pending":
        """Remove a voter; a leader that removes itself gives up when that is committed."""
        member = self._broker.quorum.member
        return self._write(lambda: member.without_voter(key), context, respond)

    def update(self, voter: Voter, context: "Context", respond: "Respond") -> "Message | Pending":
        """A voter says where it listens and what it knows; the answer does not wait for the commit, as in Kafka.

        As long as voters are not in the log, the leader keeps it in mind.
        """
        member = self._broker.quorum.member
        if member.log.voters is not None:
            return self._write(lambda: member.with_voter_updated(voter), context, respond, is_acked_at_once=True)
        try:
            member.note(voter)
        except VoterChangeError as error:
            return respond(error.error_code, str(error))
        return respond(errors.NONE, None)

    def _write(
        self,
        decide: "Callable[[], tuple[Voter, ...]]",
        context: "Context",
        respond: "Respond",
        *,
        is_acked_at_once: bool = False,
    ) -> "Message | Pending":
        exchange = _Exchange(self, context, respond, is_acked_at_once=is_acked_at_once)
        try:
            self._check_free()
        except VoterChangeError as error:
            return respond(error.error_code, str(error))
        self._open = exchange
        exchange.write(decide, context.now)
        return exchange.wait() if exchange.response is None else exchange.response

    def _check_free(self) -> None:
        if self._open is not None:
            raise VoterChangeError(errors.REQUEST_TIMED_OUT, "another change of the voters is under way")

    def ended(self, exchange: "_Exchange") -> None:
        """The next one may come."""
        if self._open is exchange:
            self._open = None


class _Exchange:
    """One request, and what has become of it."""

    def __init__(
        self, changes: VoterChanges, context: "Context", respond: "Respond", *, is_acked_at_once: bool
    ) -> None:
        self._changes = changes
        self._context = context
        self._respond = respond
        self._is_acked_at_once = is_acked_at_once
        self.response: Message | None = None
        self.patience_ms: int = context.broker.config.get_int("controller.quorum.request.timeout.ms")

    def write(self, decide: "Callable[[], tuple[Voter, ...]]", now: "Now") -> None:
        """Decide on the set and have it written."""
        if self.response is not None:
            return
        try:
            submission = self._context.broker.quorum.change_voters(decide, now)
        except VoterChangeError as error:
            self.fail(error.error_code, str(error), now)
            return
        if submission.is_done or self._is_acked_at_once:
            self._written(submission, now)
        else:
            submission.when_done(lambda later: self._written(submission, later))

    def _written(self, submission: "Submission", now: "Now") -> None:
        if submission.failed is None:
            self._answer(self._respond(errors.NONE, None), now)
        else:
            self.fail(errors.NOT_LEADER_OR_FOLLOWER, "the leader gave up before the change was committed", now)

    def fail(self, error_code: int, message: str, now: "Now") -> None:
        """It came to nothing, or nobody knows."""
        self._answer(self._respond(error_code, message), now)

    def _answer(self, response: "Message", now: "Now") -> None:
        if self.response is None:
            self.response = response
            self._changes.ended(self)
            self._context.broker.purgatory.touch(self, now)

    def wait(self) -> Pending:
        """The answer, when there is one."""
        return Pending([self], self._context.now.monotonic_ms + self.patience_ms, self._finish)

    def _finish(self, now: "Now", expired: bool) -> "Message | None":
        if self.response is None and expired:
            self.fail(errors.REQUEST_TIMED_OUT, "the change is not committed yet", now)
        return self.response


def error_of_request(context: "Context", cluster_id: str | None, voter_id: int, directory_id: bytes) -> tuple[int, str]:
    """What is looked at first in each of them (Kafka's KafkaRaftClient)."""
    broker = context.broker
    if cluster_id not in (None, broker.cluster_id):
        return errors.INCONSISTENT_CLUSTER_ID, f"this is cluster {broker.cluster_id}, not {cluster_id}"
    if not broker.quorum.member.is_leader:
        return errors.NOT_LEADER_OR_FOLLOWER, ""  # as in Kafka
    if voter_id < 0 or directory_id == ZERO_UUID:
        return errors.INVALID_REQUEST, "a voter is an id and a directory id"
    return errors.NONE, ""


def endpoints_of(context: "Context", listeners: "Sequence[Any]") -> tuple[tuple[str, str, int], ...]:
    """Name, host and port of a voter's listeners, that which controllers use first; empty where that is not there."""
    found = [(each.name, each.host, each.port) for each in listeners]
    names = context.broker.static_config.get_list("controller.listener.names") or ["CONTROLLER"]
    default = [endpoint for endpoint in found if endpoint[0].upper() == names[0].upper()]
    return (*default[:1], *(endpoint for endpoint in found if endpoint not in default[:1])) if default else ()
