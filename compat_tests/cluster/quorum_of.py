"""What tests of a quorum ask for: who votes in it, and changes of that, by requests as clients and nodes send them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from compat_tests.api.raw import RawClient
from compat_tests.cluster.party import Party
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import (
    add_raft_voter,
    describe_quorum,
    remove_raft_voter,
    update_raft_voter,
)
from kafkacompat.protocol.primitives import ZERO_UUID, Message

QUORUM_VERSION = 2
STRANGER = bytes(range(16))
"""The id of a directory that nobody has."""
OWN = ("host", "port", "throttle_time_ms", "leader_epoch")

ANSWER_TIMEOUT_S = 15.0
TOLD_AFTER_S = 5.0
"""Followers tell their leader of themselves after the fetch time-out of 2 s, and again if that failed."""
DESCRIBE = describe_quorum.DescribeQuorumRequest(
    [
        describe_quorum.DescribeQuorumRequestTopicData(
            "__cluster_metadata", [describe_quorum.DescribeQuorumRequestPartitionData(0)]
        )
    ]
)
REFUSED = (errors.UNSUPPORTED_VERSION, errors.NOT_LEADER_OR_FOLLOWER)
"""What a quorum whose voters are not in the log says to changes of them, and who does not lead it."""

Place = tuple[str, str, int]


class QuorumOf:
    """The quorum of one cluster, whose nodes 1 to 3 are controllers."""

    def __init__(self, party: Party) -> None:
        self.party = party
        self.cluster_id = party.nodes.cluster_id

    # Requests

    def add(
        self,
        node_id: int,
        directory_id: bytes | None = None,
        places: list[Place] | None = None,
        *,
        cluster_id: str | None = "",
        is_acked: bool = True,
    ) -> add_raft_voter.AddRaftVoterRequest:
        """As kafka-metadata-quorum.sh add-controller sends it, but for what is named."""
        listeners = [add_raft_voter.Listener(*place) for place in (self.places(node_id) if places is None else places)]
        return add_raft_voter.AddRaftVoterRequest(
            self.cluster_id if cluster_id == "" else cluster_id, 30_000, node_id,
            self.directory_id(node_id) if directory_id is None else directory_id, listeners, is_acked,
        )  # fmt: skip

    def remove(
        self, node_id: int, directory_id: bytes | None = None, *, cluster_id: str | None = ""
    ) -> remove_raft_voter.RemoveRaftVoterRequest:
        return remove_raft_voter.RemoveRaftVoterRequest(
            self.cluster_id if cluster_id == "" else cluster_id, node_id,
            self.directory_id(node_id) if directory_id is None else directory_id,
        )  # fmt: skip

    def update(
        self,
        node_id: int,
        epoch: int,
        directory_id: bytes | None = None,
        places: list[Place] | None = None,
        levels: tuple[int, int] = (0, 1),
        *,
        cluster_id: str | None = "",
    ) -> update_raft_voter.UpdateRaftVoterRequest:
        """As a follower tells its leader where it listens and which levels of kraft.version it knows."""
        found = self.places(node_id) if places is None else places
        return update_raft_voter.UpdateRaftVoterRequest(
            self.cluster_id if cluster_id == "" else cluster_id, epoch, node_id,
            self.directory_id(node_id) if directory_id is None else directory_id,
            [update_raft_voter.Listener(*place) for place in found], update_raft_voter.KRaftVersionFeature(*levels),
        )  # fmt: skip

    def directory_id(self, node_id: int) -> bytes:
        return self.party.nodes.directory_id_of(node_id) if node_id in self.party.nodes.nodes else STRANGER

    def places(self, node_id: int) -> list[Place]:
        """The listeners of a controller; of node 1 where there is no such node."""
        known = node_id if node_id in self.party.nodes.nodes else 1
        host, _, port = self.party.nodes.controller_address_of(known).rpartition(":")
        return [("CONTROLLER", host, int(port))]

    def quietly_add(self, node_id: int) -> None:
        """Add a controller that has caught up; the comparison knows nothing of it."""
        self._until_done(add_raft_voter.API_KEY, self.add(node_id))

    def quietly_remove(self, node_id: int) -> None:
        """Remove a voter."""
        self._until_done(remove_raft_voter.API_KEY, self.remove(node_id))

    def _until_done(self, api_key: int, request: Message) -> None:
        done = (0, errors.DUPLICATE_VOTER, errors.VOTER_NOT_FOUND)  # as an answer may be lost

        def is_done() -> bool:
            return bool(self.party.quietly(_question(api_key, request)).error_code in done)

        self.party.wait(is_done, f"no success: {request}")

    def ask_by_a_broker(self) -> None:
        """Changes that are refused. Which broker knows the leader by then is a matter of chance: none is compared."""
        for api_key, request in ((add_raft_voter.API_KEY, self.add(9)), (remove_raft_voter.API_KEY, self.remove(9))):
            assert self.party.quietly(_question(api_key, request)).error_code in REFUSED

    def describe_by_a_broker(self) -> None:
        """Who votes, as a broker says it."""
        answer = (
            self.party.quietly(lambda client: client.call(describe_quorum.API_KEY, QUORUM_VERSION, DESCRIBE))
            .topics[0]
            .partitions[0]
        )
        assert {one.replica_id: bytes(one.replica_directory_id) for one in answer.current_voters} == self.voters()

    # How it is

    def state(self) -> describe_quorum.DescribeQuorumResponsePartitionData:
        """What the leader says of the quorum; no part of the comparison. Raises OSError while nobody leads."""
        for node_id, node in self.party.nodes.nodes.items():
            if node.is_running and not node.is_paused:
                with RawClient(self.party.nodes.controller_address_of(node_id), ANSWER_TIMEOUT_S) as client:
                    found = client.call(describe_quorum.API_KEY, QUORUM_VERSION, DESCRIBE).topics[0].partitions[0]
                if found.error_code == 0:
                    return found
        raise ConnectionError("nobody leads the quorum")

    def voters(self) -> dict[int, bytes]:
        """Directory ids by node id."""
        return {voter.replica_id: bytes(voter.replica_directory_id) for voter in self.state().current_voters}

    def leader(self) -> int:
        return int(self.state().leader_id)

    def wait_for(self, *node_ids: int) -> dict[str, Any]:
        """Wait until these and no others vote, each with the directory that it has now; who they are, as facts."""

        def is_so() -> bool:
            return self.voters() == {node_id: self.directory_id(node_id) for node_id in node_ids}

        self.party.wait(is_so, f"the voters do not become {node_ids}")
        return {"voters": sorted(self.voters())}

    def wait_until_committed(self) -> None:
        """Wait until all that the leader has written is committed."""

        def is_so() -> bool:
            state = self.state()
            ends = [voter.log_end_offset for voter in state.current_voters if voter.replica_id == state.leader_id]
            return bool(ends) and state.high_watermark >= ends[0]

        self.party.wait(is_so, "the newest records are not committed")

    def wait_until_told(self) -> None:
        """Wait until the leader of voters that are not in the log knows the directories of all: some seconds after its
        election. Apache Kafka's gives up when it is asked to move them before that.
        """
        since = [time.monotonic(), -1.0]

        def is_so() -> bool:
            epoch = float(self.state().leader_epoch)
            if epoch != since[1]:
                since[:] = time.monotonic(), epoch
            return time.monotonic() - since[0] > TOLD_AFTER_S

        self.party.wait(is_so, "no leader stays")

    def wait_until_ready(self, node_id: int) -> None:
        """Wait until a controller that does not vote has fetched all that there is."""

        def is_so() -> bool:
            state = self.state()
            seen = [one for one in state.observers if one.replica_id == node_id]
            key = self.directory_id(node_id)
            return (
                any(bytes(one.replica_directory_id) == key and one.last_caught_up_timestamp >= 0 for one in seen)
                and key != ZERO_UUID
            )

        self.party.wait(is_so, f"controller {node_id} does not catch up")


def _question(api_key: int, request: Message) -> Callable[[RawClient], Any]:
    return lambda client: client.call(api_key, 0, request)
