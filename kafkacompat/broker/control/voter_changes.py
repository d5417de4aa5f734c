"""Executes AddRaftVoter, RemoveRaftVoter and UpdateRaftVoter (KIP-853), one at a time.

The rules for voter sets are in `replication/raft/voter_changes.py`.
"""

from kafkacompat.broker.control.quorum_channel import VOTES_CHANNEL
from kafkacompat.broker.network import Address
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from kafkacompat.replication.metadata.features import KRAFT_VERSION
from kafkacompat.replication.raft.voters import Voter, VoterChangeError

SOFTWARE_VERSION = "1"
"""Sent in ApiVersions requests, where the field must not be empty; no node uses it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from kafkacompat.broker import services
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent

    Respond = Callable[[int, str | None], Message]

    class Node(
        services.Identity, services.Configured, services.Quorum, services.Waiting, services.ControllerCalls, Protocol
    ):
        """The services that voter changes use."""


API_VERSIONS_VERSION = 4
"""The first version that lists features with a minimum level of 0."""


class VoterChanges:
    """The voter changes of one node. `respond(error_code, message)` makes the response of an API."""

    def __init__(self, node: "Node") -> None:
        self.node = node
        self._open: _Exchange | None = None

    def add(self, voter: Voter, now: "Now", respond: "Respond", *, is_acked_at_once: bool) -> "Message | Pending":
        """Ask the new voter for its supported kraft.version levels, then add it."""
        member = self.node.quorum.raft.client
        exchange = _Exchange(self, now, respond, is_acked_at_once=is_acked_at_once)
        try:
            self._check_free()
            member.voter_changes.check_new_voter(voter)
        except VoterChangeError as error:
            return respond(error.error_code, str(error))
        network, address = self.node.network, voter.address
        if network is None or address is None:
            return respond(errors.REQUEST_TIMED_OUT, f"the leader cannot reach controller {voter.id}")

        def answered(response: "Any", at: "Now") -> None:
            if response is None or response.error_code != errors.NONE:
                exchange.fail(errors.REQUEST_TIMED_OUT, f"controller {voter.id} did not answer ApiVersions", at)
                return
            known = next((each for each in response.supported_features if each.name == KRAFT_VERSION), None)
            voter.levels = (0, 0) if known is None else (known.min_version, known.max_version)
            exchange.write(lambda: member.voter_changes.with_voter(voter, at), at)

        self._open = exchange
        network.send(
            Address(*address), VOTES_CHANNEL, f"raft-client-{self.node.node_id}", api_keys.API_VERSIONS,
            API_VERSIONS_VERSION, ApiVersionsRequest("kafkacompat", SOFTWARE_VERSION), exchange.timeout_ms, answered,
        )  # fmt: skip
        return exchange.wait()

    def remove(self, key: tuple[int, bytes], now: "Now", respond: "Respond") -> "Message | Pending":
        """Remove a voter. A leader that removes itself resigns when the change is committed."""
        member = self.node.quorum.raft.client
        return self._write(lambda: member.voter_changes.without_voter(key), now, respond)

    def update(self, voter: Voter, now: "Now", respond: "Respond") -> "Message | Pending":
        """Update a voter's listeners and supported levels. The response does not wait for the commit, as in Kafka.

        With kraft.version 0, where the log has no voter sets, the leader keeps the update in memory.
        """
        member = self.node.quorum.raft.client
        if member.log.voters is not None:
            return self._write(
                lambda: member.voter_changes.with_voter_updated(voter), now, respond, is_acked_at_once=True
            )
        try:
            member.voter_changes.register(voter)
        except VoterChangeError as error:
            return respond(error.error_code, str(error))
        return respond(errors.NONE, None)

    def _write(
        self,
        decide: "Callable[[], tuple[Voter, ...]]",
        now: "Now",
        respond: "Respond",
        *,
        is_acked_at_once: bool = False,
    ) -> "Message | Pending":
        exchange = _Exchange(self, now, respond, is_acked_at_once=is_acked_at_once)
        try:
            self._check_free()
        except VoterChangeError as error:
            return respond(error.error_code, str(error))
        self._open = exchange
        exchange.write(decide, now)
        return exchange.wait() if exchange.response is None else exchange.response

    def _check_free(self) -> None:
        if self._open is not None:
            raise VoterChangeError(errors.REQUEST_TIMED_OUT, "another change of the voters is in progress: try again")

    def ended(self, exchange: "_Exchange") -> None:
        """The exchange was answered: the next change may start."""
        if self._open is exchange:
            self._open = None


class _Exchange:
    """One request and its response."""

    def __init__(self, changes: VoterChanges, now: "Now", respond: "Respond", *, is_acked_at_once: bool) -> None:
        self._changes = changes
        self._node = changes.node
        self._began = now
        self._respond = respond
        self._is_acked_at_once = is_acked_at_once
        self.response: Message | None = None
        self.timeout_ms: int = self._node.config.get_int("controller.quorum.request.timeout.ms")

    def write(self, decide: "Callable[[], tuple[Voter, ...]]", now: "Now") -> None:
        """Make the new voter set and write it to the metadata log."""
        if self.response is not None:
            return
        try:
            event = self._node.quorum.change_voters(decide, now)
        except VoterChangeError as error:
            self.fail(error.error_code, str(error), now)
            return
        if event.is_done or self._is_acked_at_once:
            self._written(event, now)
        else:
            event.when_done(lambda later: self._written(event, later))

    def _written(self, event: "DeferredEvent", now: "Now") -> None:
        if event.failed is None:
            self._answer(self._respond(errors.NONE, None), now)
        else:
            self.fail(errors.NOT_LEADER_OR_FOLLOWER, "the leader resigned before the change was committed", now)

    def fail(self, error_code: int, message: str, now: "Now") -> None:
        """Answer with an error. The change may still be committed after a time-out."""
        self._answer(self._respond(error_code, message), now)

    def _answer(self, response: "Message", now: "Now") -> None:
        if self.response is None:
            self.response = response
            self._changes.ended(self)
            self._node.purgatory.touch(self, now)

    def wait(self) -> Pending:
        """A pending answer that the purgatory completes."""
        return Pending([self], self._began.monotonic_ms + self.timeout_ms, self._finish)

    def _finish(self, now: "Now", expired: bool) -> "Message | None":
        if self.response is None and expired:
            self.fail(errors.REQUEST_TIMED_OUT, "the change is not committed yet", now)
        return self.response
