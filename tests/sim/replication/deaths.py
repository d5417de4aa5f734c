"""Dead processes and silent ones (§3.9), step by step: brokers, clients and the real active controller.

BrokerHeartbeatManager are nine seconds long, as in Kafka: whatever happens sooner is due to evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol.error_codes import NONE, NOT_LEADER_OR_FOLLOWER
from kafkacompat.storage.errors import LogError
from tests.sim.replication.cluster import Cluster
from tests.sim.replication.memory_log import Batch
from tests.sim.world import MS, SECOND, World

if TYPE_CHECKING:
    from collections.abc import Callable

SESSION_MS = 9000
GAP_US = 2 * SECOND
RESTART_US = 250 * MS


def at_work(seed: int = 1) -> Cluster:
    """Three brokers and a producer that have run for a while; broker 1 leads."""
    cluster = Cluster(World(seed), session_ms=SESSION_MS, retry_ms=100)
    cluster.start()
    cluster.add_clients(1, 0, pause_us=20 * MS)
    cluster.world.run_for(3 * SECOND)
    assert cluster.partition.leader == 1
    return cluster


def gap(cluster: Cluster) -> int:
    """The time until a record is acknowledged, in microseconds."""
    began_us, count = cluster.world.now_us, len(cluster.acknowledged)
    assert cluster.world.run_while(lambda: len(cluster.acknowledged) == count, 20 * SECOND)
    return cluster.world.now_us - began_us


def is_fenced(cluster: Cluster, broker_id: int) -> bool:
    return cluster.controller.newest.brokers[broker_id].fenced


def cut_off(cluster: Cluster, broker_id: int) -> None:
    """Nothing gets through to a broker or from it, and its connections are given up."""
    others = [*(other for other in cluster.broker_ids if other != broker_id), cluster.controller.id]
    cluster.network.cut |= {pair for other in others for pair in ((broker_id, other), (other, broker_id))}
    cluster.controller.lost(broker_id)


def gap_after_a_kill(seed: int = 1) -> int:
    cluster = at_work(seed)
    cluster.kill(cluster.nodes[1])
    return gap(cluster)


def gap_after_both_died(seed: int = 1) -> int:
    """The active controller dies, and the leader with it, or before anybody has noticed: the next one finds out."""
    cluster = at_work(seed)
    cluster.kill(cluster.nodes[1])
    cluster.world.run_for(seed % 5 * 100 * MS)
    cluster.controller.fail_over(1000 * MS)
    return gap(cluster)


def time_of_a_restart(seed: int = 1, after_us: int = 100 * MS) -> int:
    """From a start, soon after a kill, until the broker works."""
    cluster = at_work(seed)
    node = cluster.nodes[3]
    cluster.kill(node)
    cluster.world.run_for(after_us)
    began_us, before = cluster.world.now_us, cluster.controller.image.brokers[3].epoch
    node.start()

    def is_out() -> bool:
        broker = cluster.controller.image.brokers[3]
        return broker.epoch == before or broker.fenced

    assert cluster.world.run_while(is_out, 20 * SECOND)
    return cluster.world.now_us - began_us


def a_killed_leader_is_replaced() -> None:
    assert gap_after_a_kill() <= GAP_US


def a_new_controller_finds_who_died_before_it() -> None:
    assert gap_after_both_died() <= GAP_US


def who_comes_back_at_once_is_taken_at_once() -> None:
    assert time_of_a_restart() <= RESTART_US


def who_only_pauses_keeps_its_place() -> None:
    """Its connection broke on the way; the kernel still answers for it."""
    cluster = at_work()
    cluster.nodes[1].pause()
    cluster.controller.lost(1)
    cluster.world.run_for(3 * SECOND)
    assert not is_fenced(cluster, 1)
    cluster.nodes[1].resume()
    gap(cluster)
    cluster.world.run_for(SECOND)
    assert cluster.partition.leader == 1


def who_is_cut_off_is_left_to_its_session() -> None:
    """It is unknown whether the broker is alive: a dial without an answer is no evidence."""
    cluster = at_work()
    cut_off(cluster, 1)
    cluster.world.run_for(5 * SECOND)
    assert not is_fenced(cluster, 1)
    cluster.world.run_for(SESSION_MS * MS - 4 * SECOND)
    assert is_fenced(cluster, 1)


def who_is_cut_off_takes_no_writes_that_nobody_else_gets() -> None:
    """With leader.lease.enforce=acks01: the lease (§2.6) ends before the session does."""
    cluster = at_work()
    cut_off(cluster, 1)
    node = cluster.nodes[1]
    node.view.enforce = "acks01"
    cluster.world.run_for(SESSION_MS * 3 // 4 * MS)
    assert not is_fenced(cluster, 1)
    assert node.partition is not None
    error_code = NONE
    try:
        node.partition.append(Batch("late", -1, 0, -1), 1, node.now)  # type: ignore[arg-type]
    except LogError as refused:
        error_code = refused.error_code
    assert error_code == NOT_LEADER_OR_FOLLOWER


def a_connection_that_is_made_again_is_no_death() -> None:
    """It closed, and the next heartbeat comes before anybody is dialed."""
    cluster = at_work()
    cluster.network.delay_max_us = 300 * MS
    for _ in range(10):
        cluster.controller.lost(2)
        cluster.world.run_for(700 * MS)
    assert not is_fenced(cluster, 2)


def who_was_never_reached_is_not_dead_because_it_is_refused() -> None:
    """Its advertised address is one that controllers cannot use: ten new ones in turn are refused there."""
    cluster = at_work()
    cluster.unreachable.add(1)
    epoch = cluster.partition.leader_epoch
    for _ in range(10):
        cluster.controller.fail_over(500 * MS)
        cluster.world.run_for(SECOND)
        cluster.controller.lost(1)
        cluster.world.run_for(2 * SECOND)
    assert (cluster.partition.leader, cluster.partition.leader_epoch) == (1, epoch)


def who_was_never_reached_and_is_silent_is_replaced_before_its_session_ends() -> None:
    """After two heartbeats, which come every two seconds."""
    cluster = at_work()
    cluster.unreachable.add(1)
    cluster.kill(cluster.nodes[1])
    assert 3 * SECOND < gap(cluster) < 6 * SECOND


ALL: tuple[Callable[[], None], ...] = (
    a_killed_leader_is_replaced, a_new_controller_finds_who_died_before_it, who_comes_back_at_once_is_taken_at_once,
    who_only_pauses_keeps_its_place, who_is_cut_off_is_left_to_its_session,
    who_is_cut_off_takes_no_writes_that_nobody_else_gets, a_connection_that_is_made_again_is_no_death,
    who_was_never_reached_is_not_dead_because_it_is_refused,
    who_was_never_reached_and_is_silent_is_replaced_before_its_session_ends,
)  # fmt: skip
