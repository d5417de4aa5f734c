"""Connects this node's replica of the metadata quorum to the network: its requests, its timer, and dead leaders."""

from kafkacompat.broker.control.voter_request_sender import VoterRequestSender
from kafkacompat.broker.network import REFUSED, Address
from kafkacompat.now import NEVER
from kafkacompat.protocol import api_keys
from kafkacompat.protocol.error_codes import INCONSISTENT_CLUSTER_ID
from kafkacompat.replication.raft import wire
from kafkacompat.replication.raft.messages import Fetch, FetchSnapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.network import Network
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.quorum import MetadataQuorum

VOTES_CHANNEL, FETCH_CHANNEL = "raft", "raft-fetch"
"""A connection answers in order and a fetch may wait for long, so votes have a channel of their own."""
VERSIONS = {
    api_keys.VOTE: 2,
    api_keys.BEGIN_QUORUM_EPOCH: 1,
    api_keys.END_QUORUM_EPOCH: 1,
    api_keys.FETCH: 18,
    api_keys.FETCH_SNAPSHOT: 1,
}
_TIMER = "quorum"


class QuorumChannel:
    """The quorum channel of one node; a single-node cluster has none. `begin` starts it."""

    def __init__(
        self,
        quorum: "MetadataQuorum",
        cluster_id: str,
        node_id: int,
        timers: "Timers",
        *,
        request_timeout_ms: int,
        joins: bool,
    ) -> None:
        """joins: this controller adds itself to the voters (controller.quorum.auto.join.enable)."""
        self._quorum = quorum
        self._cluster_id = cluster_id
        self._client_id = f"raft-client-{node_id}"
        self._timers = timers
        self._request_timeout_ms = request_timeout_ms
        self._network: Network | None = None
        self._armed_ms = NEVER
        self._dialing: set[int] = set()
        self._foreign_to: set[int] = set()
        self._voter_requests = VoterRequestSender(
            quorum, cluster_id, lambda: self.leader_address, joins=joins, timeout_ms=request_timeout_ms
        )
        self.on_foreign: Callable[[], None] = lambda: None  # most other controllers have another cluster id

    def begin(self, network: "Network", now: "Now") -> None:
        """Start to send the replica's requests, and its timer."""
        self._network = network
        self._quorum.on_event_processed = self._arm
        self._quorum.raft.attach(self._send, now)

    def end(self) -> None:
        """Send nothing more: the node stops."""
        self._network = None
        self._timers.cancel(_TIMER)

    def address_of(self, node_id: int) -> Address | None:
        """The address of a controller; None if unknown."""
        found = self._quorum.raft.address_of(node_id)
        return None if found is None else Address(*found)

    @property
    def leader_address(self) -> Address | None:
        """The address of the quorum's leader; None if there is none or its address is unknown."""
        leader_id = self._quorum.raft.leader_id
        return None if leader_id < 0 else self.address_of(leader_id)

    def _arm(self, now: "Now") -> None:
        if self._network is not None:
            self._voter_requests.send(self._network, now)
        deadline_ms = max(min(self._quorum.deadline_ms, self._voter_requests.deadline_ms), now.monotonic_ms)
        if self._network is None or deadline_ms == self._armed_ms:
            return
        self._armed_ms = deadline_ms
        if deadline_ms < NEVER:
            self._timers.set(_TIMER, deadline_ms, self._tick)
        else:
            self._timers.cancel(_TIMER)

    def _tick(self, now: "Now") -> None:
        self._armed_ms = NEVER
        self._quorum.tick(now)
        self._arm(now)

    def _send(self, node_id: int, token: int, message: object) -> None:
        network, address = self._network, self.address_of(node_id)
        if network is None or address is None:
            self._timers.set((_TIMER, token), 0, lambda now: self._quorum.raft.unanswered(token, now))
            return
        key = wire.api_key(message)
        request = wire.request(message, VERSIONS[key], self._cluster_id, self._quorum.raft.endpoints)
        channel = FETCH_CHANNEL if isinstance(message, (Fetch, FetchSnapshot)) else VOTES_CHANNEL
        network.send(
            address, channel, self._client_id, key, VERSIONS[key], request, self._request_timeout_ms,
            lambda response, now: self._done(node_id, token, response, now),
        )  # fmt: skip

    def _done(self, node_id: int, token: int, response: "Message | object | None", now: "Now") -> None:
        if response is None:
            self._dial_leader(node_id)
            self._quorum.raft.unanswered(token, now)
            return
        try:
            answer = wire.read_response(response)  # type: ignore[arg-type]
        except wire.TopLevelError as wrong:
            if wrong.error_code == INCONSISTENT_CLUSTER_ID:
                self._is_foreign_to(node_id)
            self._quorum.raft.unanswered(token, now)
            return
        leader = wire.leader_address(response)  # type: ignore[arg-type]
        if leader is not None and leader[0] == answer.leader_id and answer.epoch >= self._quorum.raft.leader_epoch:
            self._quorum.raft.learn_leader_address(*leader)
        self._quorum.raft.answered(token, answer, now)

    def _is_foreign_to(self, node_id: int) -> None:
        """A controller has another cluster id. If most have, this node is in the wrong cluster; a single one may itself
        be misconfigured.
        """
        self._foreign_to.add(node_id)
        member = self._quorum.raft.client
        others = [voter_id for voter_id in member.voters if voter_id != member.node_id] or member.quorum.bootstrap_ids
        if len(self._foreign_to.intersection(others)) > len(others) // 2:
            self.on_foreign()

    def _dial_leader(self, node_id: int) -> None:
        """The leader did not answer: dial it. A refused connection shows that it is dead (§3.9)."""
        address = self.address_of(node_id)
        if (
            self._network is None
            or address is None
            or node_id != self._quorum.raft.leader_id
            or node_id in self._dialing
        ):
            return
        self._dialing.add(node_id)

        def done(outcome: str, now: "Now") -> None:
            self._dialing.discard(node_id)
            if outcome == REFUSED and self._network is not None:
                self._quorum.raft.died(node_id, now)

        self._network.dial(address, done)
