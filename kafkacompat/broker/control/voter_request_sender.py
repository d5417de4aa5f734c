"""Sends the requests of `raft/voter_requests.py` to the leader, and handles its answers."""

import logging

from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors
from kafkacompat.replication.raft.voter_requests import ADD, REMOVE, UPDATE, VoterRequests
from kafkacompat.replication.raft.voters import KNOWN_LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.broker.network import Address, Network
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.quorum import MetadataQuorum
    from kafkacompat.replication.raft.voter_requests import VoterRequest

CHANNEL = "raft-voters"
"""These requests may wait for a commit and a connection answers in order, so they have a channel of their own."""
API_KEYS = {UPDATE: api_keys.UPDATE_RAFT_VOTER, REMOVE: api_keys.REMOVE_RAFT_VOTER, ADD: api_keys.ADD_RAFT_VOTER}
VERSIONS = {UPDATE: 0, REMOVE: 0, ADD: 1}
EXPECTED_ERRORS = {
    UPDATE: (errors.NONE, errors.UNSUPPORTED_VERSION),
    REMOVE: (errors.NONE, errors.REQUEST_TIMED_OUT, errors.VOTER_NOT_FOUND),
    ADD: (errors.NONE, errors.REQUEST_TIMED_OUT, errors.DUPLICATE_VOTER),
}
"""Errors that are not logged: the change is made, was made before, or is not possible yet (Kafka's KafkaRaftClient)."""

_log = logging.getLogger(__name__)


class VoterRequestSender:
    """The sender of one node. `leader_address` is called when a request is due."""

    def __init__(
        self,
        quorum: "MetadataQuorum",
        cluster_id: str,
        leader_address: "Callable[[], Address | None]",
        *,
        joins: bool,
        timeout_ms: int,
    ) -> None:
        self._quorum = quorum
        self._cluster_id = cluster_id
        self._leader_address = leader_address
        self._timeout_ms = timeout_ms
        self._voter_requests = VoterRequests(quorum.raft.client, quorum.raft.endpoints, joins=joins)

    @property
    def deadline_ms(self) -> int:
        """The time (monotonic) at which `send` must be called even if no event occurs."""
        return self._voter_requests.deadline_ms

    def send(self, network: "Network", now: "Now") -> None:
        """Send the request that is due, if any. Called after each event of the quorum."""
        request = self._voter_requests.take_due(now)
        address = None if request is None else self._leader_address()
        if request is None or address is None:
            return
        what, epoch = request[0], self._quorum.raft.leader_epoch

        def answered(response: "Any", _now: "Now") -> None:
            if response is not None:
                self._answered(what, epoch, response.error_code)

        network.send(
            address, CHANNEL, f"raft-client-{self._quorum.raft.client.node_id}", API_KEYS[what], VERSIONS[what],
            self._request(request), self._timeout_ms, answered,
        )  # fmt: skip

    def _answered(self, what: str, epoch: int, error_code: int) -> None:
        if error_code not in EXPECTED_ERRORS[what]:
            _log.warning("the leader of the metadata quorum refused to %s a voter: error %d", what, error_code)
        elif what == UPDATE:
            self._voter_requests.registered(epoch)

    def _request(self, request: "VoterRequest") -> "Message":
        what, key = request
        quorum = self._quorum
        if what == REMOVE:
            from kafkacompat.protocol.messages.remove_raft_voter import RemoveRaftVoterRequest

            _log.info("asking the leader to remove controller %d with its former directory from the voters", key[0])
            return RemoveRaftVoterRequest(self._cluster_id, *key)
        if what == ADD:
            from kafkacompat.protocol.messages import add_raft_voter as adding

            _log.info("asking the leader to make this controller a voter")
            places = [adding.Listener(*endpoint) for endpoint in quorum.raft.endpoints]
            return adding.AddRaftVoterRequest(
                self._cluster_id, self._timeout_ms, *key, places, ack_when_committed=False
            )  # fmt: skip
        from kafkacompat.protocol.messages import update_raft_voter as updating

        listeners = [updating.Listener(*endpoint) for endpoint in quorum.raft.endpoints]
        levels = updating.KRaftVersionFeature(*KNOWN_LEVELS)
        return updating.UpdateRaftVoterRequest(self._cluster_id, quorum.raft.leader_epoch, *key, listeners, levels)
