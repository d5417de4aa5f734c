"""Voters come and go while the cluster works (KIP-853), over real sockets, as Kafka's admin client asks for it."""

import asyncio
import json
import random
from pathlib import Path

import pytest

from kafkacompat.broker.network import Address
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.add_raft_voter import AddRaftVoterRequest, Listener
from kafkacompat.protocol.messages.remove_raft_voter import RemoveRaftVoterRequest
from kafkacompat.replication.metadata.format import format_node
from kafkacompat.storage.fs import RealFs
from tests.cluster.nodes import HOST, Nodes
from tests.cluster.test_three_nodes import Writer, create, is_whole
from tests.waiting import wait_until

ADD, REMOVE = 80, 81
ANSWER_MS = 60_000
"""Longer than a node waits for a voter before it says that this took too long."""


class Growing(Nodes):
    """Nodes of which those after the third are no voters at first: formatted with --no-initial-controllers."""

    def __init__(self, root: Path, count: int = 4, **config: str) -> None:
        super().__init__(root, 3, **config)
        self.root = root
        for node_id in range(4, count + 1):
            self.add_place(node_id)

    def add_place(self, node_id: int, *, name: str = "") -> None:
        if node_id not in self.ids:
            self.ids.append(node_id)
            self.roles[node_id] = "controller"
            self.ports[node_id], self.controller_ports[node_id] = self.free_ports(2)
        self.dirs[node_id] = str(self.root / (name or f"node-{node_id}"))
        format_node(
            RealFs(), self.dirs[node_id], node_id, cluster_id=self.cluster_id,
            directory_id=random.Random(self.dirs[node_id]).randbytes(16), voters=[], now=Now(0, 1),
        )  # fmt: skip

    def leader(self):
        return self.servers[self.await_controller()].broker

    def voters_of(self, node_id):
        return sorted(voter.id for voter in self.servers[node_id].broker.quorum.raft.voters)

    def key(self, node_id):
        return self.servers[node_id].broker.quorum.raft.client.key

    def ask(self, api_key, version, request, to=None):
        """The answer of a node, the leader unless `to` says another, over a connection of its own."""
        return self.run(_asked(self.servers[to or self.await_controller()], api_key, version, request))

    def add(self, node_id, to=None, **changes):
        listener = Listener("CONTROLLER", HOST, self.controller_ports[node_id])
        fields = {"cluster_id": self.cluster_id, "timeout_ms": 5000, "listeners": [listener]} | changes
        key = dict(zip(("voter_id", "voter_directory_id"), self.key(node_id), strict=True))
        return self.ask(ADD, 1, AddRaftVoterRequest(**(key | fields)), to)

    def remove(self, key, to=None):
        return self.ask(REMOVE, 0, RemoveRaftVoterRequest(self.cluster_id, *key), to)


async def _asked(server, api_key, version, request):
    done = asyncio.get_running_loop().create_future()
    address = server.controller_endpoints[0]
    server._peers.send(
        Address(address.host, address.port), "test", "test", api_key, version, request, ANSWER_MS,
        lambda response, _now: done.set_result(response),
    )  # fmt: skip
    return await done


@pytest.fixture
def nodes(tmp_path):
    with Growing(tmp_path, broker_session_timeout_ms="3000") as found:
        found.start(1, 2, 3)
        yield found


def test_a_fourth_controller_joins_and_votes_and_another_goes(nodes):
    create(nodes, min_insync_replicas="2")
    writer = Writer(nodes)
    writer.write()
    nodes.start(4)
    assert not nodes.servers[4].broker.quorum.raft.is_voter
    assert nodes.voters_of(4) == [1, 2, 3]
    wait_until(lambda: nodes.add(4).error_code in (errors.NONE, errors.DUPLICATE_VOTER), what="it has caught up")
    wait_until(lambda: all(nodes.voters_of(id_) == [1, 2, 3, 4] for id_ in nodes.ids), what="all know of it")
    assert nodes.servers[4].broker.quorum.raft.is_voter
    assert nodes.add(4).error_code == errors.DUPLICATE_VOTER
    leader = nodes.await_controller()
    assert nodes.remove(nodes.key(leader)).error_code == errors.NONE  # the leader itself
    wait_until(lambda: nodes.controller_id not in (None, leader), what="another leader")
    wait_until(lambda: leader not in nodes.voters_of(nodes.await_controller()))
    writer.write()
    lost = next(id_ for id_ in (1, 2, 3) if id_ not in (leader, nodes.await_controller()))
    nodes.lose(lost)  # two of three are left, with the new one
    writer_goes_on = nodes.leader().quorum.raft.high_watermark
    wait_until(lambda: nodes.leader().quorum.raft.high_watermark > writer_goes_on)
    nodes.start(lost)
    wait_until(lambda: is_whole(nodes))
    writer.check()


def test_what_is_refused(nodes):
    follower = next(id_ for id_ in (1, 2, 3) if id_ != nodes.await_controller())
    assert nodes.remove((9, bytes(range(16)))).error_code == errors.VOTER_NOT_FOUND
    assert nodes.remove((1, bytes(range(16)))).error_code == errors.VOTER_NOT_FOUND
    assert nodes.remove((1, bytes(16))).error_code == errors.INVALID_REQUEST
    assert nodes.remove(nodes.key(1), to=follower).error_code == errors.NOT_LEADER_OR_FOLLOWER
    nodes.start(4)
    assert nodes.add(4, cluster_id="another").error_code == errors.INCONSISTENT_CLUSTER_ID
    assert nodes.add(4, listeners=[Listener("OTHER", HOST, 1)]).error_code == errors.INVALID_REQUEST
    assert nodes.add(4, voter_id=1).error_code == errors.DUPLICATE_VOTER
    unknown = nodes.add(4, voter_directory_id=bytes(range(16)))  # it answers, and does not follow under that name
    assert (unknown.error_code, "caught up" in unknown.error_message) == (errors.REQUEST_TIMED_OUT, True)
    nobody = nodes.add(4, voter_id=5, listeners=[Listener("CONTROLLER", HOST, 1)])
    assert nobody.error_code == errors.REQUEST_TIMED_OUT
    assert nodes.voters_of(nodes.await_controller()) == [1, 2, 3]


def test_a_lost_directory_is_another_voter(nodes):
    lost = next(id_ for id_ in (1, 2, 3) if id_ != nodes.await_controller())
    old_key = nodes.key(lost)
    nodes.lose(lost)
    nodes.add_place(lost, name="new-disk")
    nodes.start(lost)
    assert not nodes.servers[lost].broker.quorum.raft.is_voter
    assert nodes.remove(old_key).error_code == errors.NONE
    wait_until(lambda: nodes.add(lost).error_code in (errors.NONE, errors.DUPLICATE_VOTER))
    wait_until(lambda: nodes.servers[lost].broker.quorum.raft.is_voter)


def test_a_voter_that_listens_elsewhere_tells_the_leader(nodes):
    moved = next(id_ for id_ in (1, 2, 3) if id_ != nodes.await_controller())
    nodes.stop(moved)
    (nodes.controller_ports[moved],) = nodes.free_ports(1)
    nodes.start(moved)

    def known():
        voter = next(voter for voter in nodes.leader().quorum.raft.voters if voter.id == moved)
        return voter.address == (HOST, nodes.controller_ports[moved])

    wait_until(known, what=json.dumps(nodes.controller_ports))
