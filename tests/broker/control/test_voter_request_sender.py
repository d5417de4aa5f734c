"""Controllers that make themselves voters, and voters that move from the configuration into the log; all as bytes."""

from __future__ import annotations

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.protocol import api_keys
from kafkacompat.replication.raft.voters import KNOWN_LEVELS, VoterChangeError
from tests.broker.quorum_cluster import WALL_MS, Cluster, Node
from tests.broker.test_quorum_cluster import change

FETCH_TIMEOUT_MS = 2_000
QUORUM_STATE = "/data/__cluster_metadata-0/quorum-state"


def voters(node: Node) -> list[tuple[int, bytes]]:
    return sorted(voter.key for voter in node.quorum.raft.voters)


def start(cluster: Cluster) -> Node:
    for node in cluster.nodes.values():
        node.start()
    return cluster.elect()


def raise_level(cluster: Cluster) -> None:
    """As UpdateFeatures does it, once all voters are known."""
    active = cluster.active
    assert active is not None
    submission = active.quorum.change_voters(active.quorum.configured_voters, cluster.now)
    assert cluster.run(500, lambda: submission.committed)


def is_known(node: Node) -> bool:
    try:
        node.quorum.configured_voters()
    except VoterChangeError:
        return False
    return True


def test_a_controller_joins_by_itself() -> None:
    """A fetch time-out after it began to follow; another that is not to join stays what it is."""
    cluster = Cluster(1, 3, joins=True)
    cluster.nodes[4].static["controller.quorum.auto.join.enable"] = "false"
    active = start(cluster)
    assert cluster.run(500, lambda: cluster.nodes[2].quorum.raft.leader_id == 1)
    cluster.run(FETCH_TIMEOUT_MS - 600)
    assert [voter[0] for voter in voters(active)] == [1]
    assert cluster.run(3 * FETCH_TIMEOUT_MS, lambda: [voter[0] for voter in voters(active)] == [1, 2, 3])
    cluster.run(3 * FETCH_TIMEOUT_MS)
    cluster.catch_up()
    for node in cluster.nodes.values():
        assert voters(node) == [cluster.nodes[n].quorum.raft.client.key for n in (1, 2, 3)]
    cluster.nodes[4].kill()  # it knows no address but that of the first
    active.kill()
    assert cluster.elect(10_000).node_id in (2, 3)


def test_a_controller_with_a_new_directory_takes_its_own_place() -> None:
    cluster = Cluster(1, 2, joins=True)
    start(cluster)
    assert cluster.run(4 * FETCH_TIMEOUT_MS, lambda: len(cluster.nodes[1].quorum.raft.voters) == 3)
    cluster.run(100)
    lost = cluster.nodes[3]
    former = lost.quorum.raft.client.key
    lost.kill()
    lost.format_anew()
    lost.start()
    key = lost.quorum.raft.client.key
    assert key != former
    others = [cluster.nodes[n].quorum.raft.client.key for n in (1, 2)]
    assert cluster.run(2 * FETCH_TIMEOUT_MS, lambda: voters(cluster.nodes[1]) == others)
    assert cluster.run(2 * FETCH_TIMEOUT_MS, lambda: voters(cluster.nodes[1]) == [*others, key])
    cluster.run(3 * FETCH_TIMEOUT_MS)
    assert voters(lost) == [*others, key]


def test_only_a_controller_can_join() -> None:
    cluster = Cluster(1, 1)
    cluster.nodes[2].static["controller.quorum.auto.join.enable"] = "true"
    cluster.nodes[1].start()
    with pytest.raises(StartupError, match=r"controller\.quorum\.auto\.join\.enable"):
        cluster.nodes[2].start()
    cluster.nodes[2].is_running = False


def test_voters_move_from_the_configuration_into_the_log() -> None:
    """Once each has told the leader of its directory. Restarts then go by the log, whatever the configuration says."""
    cluster = Cluster(3, 1, is_static=True)
    active = start(cluster)
    cluster.run(FETCH_TIMEOUT_MS - 200)
    assert not is_known(active)
    assert cluster.run(FETCH_TIMEOUT_MS, lambda: is_known(active))
    raise_level(cluster)
    cluster.catch_up()
    keys = [cluster.nodes[n].quorum.raft.client.key for n in (1, 2, 3)]
    for node in cluster.nodes.values():
        assert voters(node) == keys
        assert node.quorum.kraft_level == 1
    assert [voter.endpoints for voter in active.quorum.raft.voters] == [
        (("CONTROLLER", "n", node_id),) for node_id in (1, 2, 3)
    ]  # fmt: skip
    active.kill()
    second = cluster.elect(10_000)
    assert b'"data_version":1' in second.fs.read_bytes(QUORUM_STATE)
    active.start()
    cluster.run(500)
    done = change(second, "a")
    assert cluster.run(500, lambda: done.committed)
    cluster.catch_up()
    left = second.quorum.change_voters(
        lambda: second.quorum.raft.client.voter_changes.without_voter(keys[active.node_id - 1]), cluster.now
    )
    assert cluster.run(500, lambda: left.committed)
    cluster.run(500)
    assert not active.quorum.raft.is_voter


def test_a_level_that_was_not_committed_is_taken_back() -> None:
    """The leader that raised it was cut off: its voters are those of the configuration again."""
    cluster = Cluster(3, is_static=True)
    first = start(cluster)
    assert cluster.run(2 * FETCH_TIMEOUT_MS, lambda: is_known(first))
    first.is_cut_off = True
    lost = first.quorum.change_voters(first.quorum.configured_voters, cluster.now)
    cluster.run(50)
    assert first.quorum.kraft_level == 1
    assert cluster.run(8_000, lambda: cluster.active not in (first, None))
    second = cluster.active
    assert second is not None
    kept = change(second, "kept")
    assert cluster.run(500, lambda: kept.committed)
    first.is_cut_off = False
    cluster.elect(10_000)
    cluster.catch_up()
    assert not lost.committed
    assert [node.quorum.kraft_level for node in cluster.nodes.values()] == [0, 0, 0]
    assert [node.quorum.raft.is_voter for node in cluster.nodes.values()] == [True, True, True]
    assert cluster.run(3 * FETCH_TIMEOUT_MS, lambda: is_known(second))
    raise_level(cluster)


def test_a_voter_with_another_directory_has_to_tell_anew() -> None:
    cluster = Cluster(3, is_static=True)
    active = start(cluster)
    assert cluster.run(2 * FETCH_TIMEOUT_MS, lambda: is_known(active))
    lost = next(node for node in cluster.nodes.values() if node is not active)
    lost.kill()
    lost.format_anew()
    lost.start()
    assert cluster.run(500, lambda: not is_known(active))
    assert cluster.run(2 * FETCH_TIMEOUT_MS, lambda: is_known(active))
    raise_level(cluster)
    assert lost.quorum.raft.client.key in voters(active)
    cluster.catch_up()
    assert lost.quorum.raft.is_voter


def test_snapshots_have_voters_that_were_moved() -> None:
    cluster = Cluster(3, 1, is_static=True, metadata_log_max_record_bytes_between_snapshots="3000",
                      metadata_max_retention_bytes="1000")  # fmt: skip
    late = cluster.nodes.pop(4)
    active = start(cluster)
    assert cluster.run(2 * FETCH_TIMEOUT_MS, lambda: is_known(active))
    raise_level(cluster)
    for n in range(200):
        change(active, f"t{n}")
        cluster.run(2)
    assert active.quorum.raft.log.log_start_offset > 100
    cluster.nodes[4] = late
    late.start()
    cluster.run(500)
    cluster.catch_up()
    assert voters(late) == voters(active)
    assert late.quorum.kraft_level == 1


def test_a_voter_that_listens_elsewhere_tells_its_leader(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(3)
    active = start(cluster)
    moved = next(node for node in cluster.nodes.values() if node is not active)
    asked = []
    send = Node.send

    def counted(node: Node, to: object, channel: str, client_id: str, key: int, *rest: object) -> None:
        asked.append((node, key))
        send(node, to, channel, client_id, key, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Node, "send", counted)
    cluster.run(3 * FETCH_TIMEOUT_MS)
    assert not [key for _, key in asked if key == api_keys.UPDATE_RAFT_VOTER]
    moved.kill()
    cluster.now = type(cluster.now)(cluster.now.monotonic_ms, WALL_MS)
    moved.start()
    moved.quorum.raft.endpoints = (("CONTROLLER", "n", moved.node_id), ("OTHER", "m", 9))
    moved.channel._voter_requests._voter_requests._endpoints = moved.quorum.raft.endpoints
    assert cluster.run(2 * FETCH_TIMEOUT_MS, lambda: ("OTHER", "m", 9) in _endpoints(active, moved.node_id))
    assert [node for node, key in asked if key == api_keys.UPDATE_RAFT_VOTER] == [moved]
    assert next(voter.levels for voter in active.quorum.raft.voters if voter.id == moved.node_id) == KNOWN_LEVELS


def _endpoints(node: Node, voter_id: int) -> tuple[tuple[str, str, int], ...]:
    return next(voter.endpoints for voter in node.quorum.raft.voters if voter.id == voter_id)
